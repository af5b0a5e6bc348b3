//! Failure folders on disk: written whole or not at all, read with an exact complaint.
//!
//! Must not know what a failure means.

use super::failure::Failure;
use crate::report::{Keepsake, Meta, MetaError, foreign_line};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder that is there now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// Its path.
    pub(super) path: String,
}

/// A folder as it was read.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    /// The path of its scenario.
    pub(super) origin: String,
    /// `scenario.toml`
    pub(super) scenario: String,
    /// `meta.json`
    pub(super) meta: Meta,
    /// `trace.jsonl`
    pub(super) trace: String,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum FolderError {
    /// A file is missing or cannot be read.
    #[error("failed to read {file}: {error}")]
    Unreadable {
        /// The file.
        file: &'static str,
        /// Why.
        error: io::Error,
    },
    /// `meta.json` is not what it should be.
    #[error(transparent)]
    Meta(#[from] MetaError),
    /// A line of the trace is no record.
    #[error("trace.jsonl:{line}: not a record of this version's schema")]
    Trace {
        /// From 1.
        line: usize,
    },
    /// A folder has its own seed.
    #[error("it was kept under seed {kept}; --seed is for files (its scenario.toml is one)")]
    Seed {
        /// The seed of the folder.
        kept: u64,
    },
}

/// The most folders of one name.
const NUMBERS: u32 = 10_000;

/// Writes a folder below `root`: under another name first, then renamed, so that nobody ever sees half of one. A
/// folder of the same name with the same content is left as it is; with another content it stays too, and this one
/// gets a number.
pub(super) fn keep(root: &str, keepsake: &Keepsake) -> io::Result<Kept> {
    let root = Path::new(root);
    fs::create_dir_all(root)?;
    let mut partial = Partial(Some(root.join(format!(".{}.{}", keepsake.name, std::process::id()))));
    for number in 1..NUMBERS {
        let name = match number {
            1 => keepsake.name.clone(),
            more => format!("{}-{more}", keepsake.name),
        };
        let target = root.join(name);
        if is_same(&target, keepsake) {
            return Ok(Kept { path: shown(&target) });
        }
        if target.symlink_metadata().is_ok() {
            continue;
        }
        if let Some(partial) = &partial.0 {
            fill(partial, keepsake, &target)?;
            match fs::rename(partial, &target) {
                Ok(()) => {}
                // Somebody else was faster with this name.
                Err(_) if target.symlink_metadata().is_ok() => continue,
                Err(error) => return Err(error),
            }
        }
        partial.0 = None;
        return Ok(Kept { path: shown(&target) });
    }
    Err(io::Error::other("too many folders of one name"))
}

/// Writes these folders as all there is below `root`, each under its own name. They take the place of what was there
/// when they are complete.
pub(super) fn replace<'a>(root: &Path, keepsakes: impl Iterator<Item = &'a Keepsake>) -> io::Result<()> {
    let own = |what: &str| root.with_file_name(format!(".failures-{what}.{}", std::process::id()));
    let mut partial = Partial(Some(own("new")));
    let mut old = Partial(Some(own("old")));
    let (Some(fresh), Some(former)) = (&partial.0, &old.0) else { return Ok(()) };
    fs::create_dir_all(fresh)?;
    for keepsake in keepsakes {
        fill(&fresh.join(&keepsake.name), keepsake, &root.join(&keepsake.name))?;
    }
    if root.symlink_metadata().is_ok() {
        fs::rename(root, former)?;
    }
    if let Err(error) = fs::rename(fresh, root) {
        // What was there before is better than nothing.
        if former.symlink_metadata().is_ok() && fs::rename(former, root).is_ok() {
            old.0 = None;
        }
        return Err(error);
    }
    partial.0 = None;
    Ok(())
}

/// A folder that is gone again unless it was renamed.
struct Partial(Option<PathBuf>);

impl Drop for Partial {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // There may be nothing to remove, and nobody to tell.
            let _ = fs::remove_dir_all(path);
        }
    }
}

fn fill(folder: &Path, keepsake: &Keepsake, target: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let place = crate::report::quoted(&shown(target));
    let repro = format!("{} replay {place}\n", keepsake.program);
    for (file, text) in
        files(keepsake).into_iter().chain([("timeline.txt", &keepsake.timeline), ("repro.sh", &repro)])
    {
        fs::write(folder.join(file), text)?;
    }
    Ok(())
}

/// The files that make two folders the same.
fn files(keepsake: &Keepsake) -> [(&'static str, &String); 3] {
    [("scenario.toml", &keepsake.scenario), ("meta.json", &keepsake.meta), ("trace.jsonl", &keepsake.trace)]
}

fn is_same(folder: &Path, keepsake: &Keepsake) -> bool {
    let same = |(file, text): (&str, &String)| {
        fs::read(folder.join(file)).is_ok_and(|found| found == text.as_bytes())
    };
    files(keepsake).into_iter().all(same)
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Whether a path means a folder, rather than a file or the name of a shipped scenario.
pub(super) fn is_folder(path: &str) -> bool {
    Path::new(path).is_dir()
}

/// Reads a folder; `seed` is what else was asked for.
pub(super) fn read(path: &str, seed: Option<u64>) -> Result<Folder, Failure> {
    let wrong = |error| Failure::Folder { path: path.to_owned(), error };
    let text = |file: &'static str| {
        fs::read_to_string(Path::new(path).join(file))
            .map_err(|error| wrong(FolderError::Unreadable { file, error }))
    };
    let meta = Meta::read(&text("meta.json")?).map_err(|error| wrong(error.into()))?;
    let (scenario, trace) = (text("scenario.toml")?, text("trace.jsonl")?);
    if let Some(line) = foreign_line(&trace) {
        return Err(wrong(FolderError::Trace { line }));
    }
    if seed.is_some_and(|seed| seed != meta.seed) {
        return Err(wrong(FolderError::Seed { kept: meta.seed }));
    }
    Ok(Folder { origin: shown(&Path::new(path).join("scenario.toml")), scenario, meta, trace })
}

impl Folder {
    /// Its scenario, under the name that it had.
    pub(super) fn parse(&self) -> Result<crate::scenario::Scenario, Failure> {
        let mut scenario = crate::scenario::parse(&self.origin, &self.scenario)
            .map_err(|error| Failure::File { error: Box::new(error), text: self.scenario.clone() })?;
        scenario.name.clone_from(&self.meta.scenario);
        Ok(scenario)
    }
}
