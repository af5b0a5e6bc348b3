//! The scenarios, profiles and the table of comparison embedded in the library, by name.

use super::error::closest;
use super::preset::DRILL;
use super::twin::SWITCH;
use include_dir::{Dir, include_dir};

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/scenarios");

/// Where a scenario's text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locator {
    /// Embedded.
    Shipped {
        /// Its name.
        name: &'static str,
        /// Its text.
        text: &'static str,
    },
    /// In a file that the caller reads.
    Path(String),
    /// A lock with a switch that breaks it, or its twin: `switch:NAME`, `switch:NAME:twin`.
    Switch(String),
    /// A row of a table of comparison: `compare:ROW` or `FILE.toml:ROW`.
    Row {
        /// The table's path, or [`COMPARE`] for the shipped one.
        table: String,
        /// The row's name.
        row: String,
    },
}

/// The name of the shipped table of comparison.
pub const COMPARE: &str = "compare";

/// A name that no shipped profile has.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[error("no shipped profile is called `{name}`; a path contains `/` or `.toml`")]
pub struct UnknownProfile {
    /// The name.
    pub name: String,
    /// The shipped name that was probably meant.
    pub suggestion: Option<String>,
}

/// A name that no shipped scenario has.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[error("no shipped scenario is called `{name}`; a path contains `/` or `.toml`")]
pub struct UnknownScenario {
    /// The name.
    pub name: String,
    /// The shipped name that was probably meant.
    pub suggestion: Option<String>,
}

/// The shipped scenarios: name and text, sorted by name. Only files directly in `scenarios/` count.
pub fn shipped() -> impl Iterator<Item = (&'static str, &'static str)> {
    texts(&FILES)
}

/// The shipped profiles: name and text, sorted by name.
pub fn shipped_profiles() -> impl Iterator<Item = (&'static str, &'static str)> {
    texts(FILES.get_dir("profiles").expect("profiles are shipped"))
}

/// The shipped presets: name and text, sorted by name.
pub(super) fn shipped_presets() -> impl Iterator<Item = (&'static str, &'static str)> {
    texts(FILES.get_dir("presets").expect("presets are shipped"))
}

/// The shipped drills: name and text, sorted by name.
pub(super) fn shipped_drills() -> impl Iterator<Item = (&'static str, &'static str)> {
    texts(FILES.get_dir("drills").expect("drills are shipped"))
}

/// The text of the shipped list of twins.
pub(super) fn shipped_twins() -> &'static str {
    let file = FILES.get_file("twins/switches.toml");
    file.and_then(include_dir::File::contents_utf8).expect("a list of twins is shipped")
}

/// The text of the shipped table of comparison.
pub fn shipped_comparison() -> &'static str {
    let file = FILES.get_file("compare/default.toml");
    file.and_then(include_dir::File::contents_utf8).expect("a table is shipped")
}

/// The files directly in a folder: name and text, sorted by name.
pub(crate) fn texts(folder: &'static Dir<'static>) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut files: Vec<_> = folder
        .files()
        .filter_map(|file| {
            Some((file.path().file_name()?.to_str()?.strip_suffix(".toml")?, file.contents_utf8()?))
        })
        .collect();
    files.sort_unstable();
    files.into_iter()
}

/// Finds a scenario: `compare:ROW` and `FILE.toml:ROW` are rows of tables, other text with `/` or `.toml` in it is
/// a path, anything else a shipped name.
///
/// # Errors
/// No shipped scenario has this name.
pub fn find(name_or_path: &str) -> Result<Locator, UnknownScenario> {
    if let Some((table, row)) = name_or_path.rsplit_once(':')
        && (table == COMPARE || table.ends_with(".toml"))
    {
        return Ok(Locator::Row { table: table.to_owned(), row: row.to_owned() });
    }
    if let Some(name) = name_or_path.strip_prefix(SWITCH).and_then(|rest| rest.strip_prefix(':')) {
        return Ok(Locator::Switch(name.to_owned()));
    }
    if let Some(drill) = name_or_path.strip_prefix(DRILL).and_then(|rest| rest.strip_prefix(':')) {
        return among(shipped_drills, drill).map_err(|suggestion| UnknownScenario {
            name: name_or_path.to_owned(),
            suggestion: suggestion.map(|meant| format!("{DRILL}:{meant}")),
        });
    }
    among(shipped, name_or_path)
        .map_err(|suggestion| UnknownScenario { name: name_or_path.to_owned(), suggestion })
}

/// Finds a profile: text with `/` or `.toml` in it is a path, anything else a shipped name.
///
/// # Errors
/// No shipped profile has this name.
pub fn find_profile(name_or_path: &str) -> Result<Locator, UnknownProfile> {
    among(shipped_profiles, name_or_path)
        .map_err(|suggestion| UnknownProfile { name: name_or_path.to_owned(), suggestion })
}

/// The path or the shipped text, or the name that was probably meant.
pub(crate) fn among<I: Iterator<Item = (&'static str, &'static str)>>(
    known: impl Fn() -> I,
    name_or_path: &str,
) -> Result<Locator, Option<String>> {
    if name_or_path.contains('/') || name_or_path.contains(".toml") {
        return Ok(Locator::Path(name_or_path.to_owned()));
    }
    match known().find(|(name, _)| *name == name_or_path) {
        Some((name, text)) => Ok(Locator::Shipped { name, text }),
        None => Err(closest(name_or_path, known().map(|(name, _)| name))),
    }
}
