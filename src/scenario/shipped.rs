//! The scenarios embedded in the library, by name.

use super::error::closest;
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
    let mut files: Vec<_> = FILES
        .files()
        .filter_map(|file| Some((file.path().to_str()?.strip_suffix(".toml")?, file.contents_utf8()?)))
        .collect();
    files.sort_unstable();
    files.into_iter()
}

/// Finds a scenario: text with `/` or `.toml` in it is a path, anything else a shipped name.
///
/// # Errors
/// No shipped scenario has this name.
pub fn find(name_or_path: &str) -> Result<Locator, UnknownScenario> {
    if name_or_path.contains('/') || name_or_path.contains(".toml") {
        return Ok(Locator::Path(name_or_path.to_owned()));
    }
    match shipped().find(|(name, _)| *name == name_or_path) {
        Some((name, text)) => Ok(Locator::Shipped { name, text }),
        None => Err(UnknownScenario {
            name: name_or_path.to_owned(),
            suggestion: closest(name_or_path, shipped().map(|(name, _)| name)),
        }),
    }
}
