//! Names and paths to scenarios, profiles and tables of comparison.
//!
//! The only place that reads input files.

use super::failure::Failure;
use crate::plan::Profile;
use crate::scenario::{
    COMPARE, Comparison, InputError, Locator, Scenario, find, find_profile, parse, parse_comparison,
    parse_profile, shipped_comparison,
};
use std::fs;
use std::path::Path;

/// Reads the scenario that a name, a path, or a row of a table means.
pub(super) fn load(name_or_path: &str) -> Result<Scenario, Failure> {
    let (origin, text) = match find(name_or_path).map_err(Failure::Unknown)? {
        Locator::Shipped { name, text } => (name.to_owned(), text.to_owned()),
        Locator::Path(path) => (path.clone(), read(path)?),
        Locator::Row { table, row } => {
            let table = comparison(Some(&table).filter(|table| *table != COMPARE))?;
            return match table.row(&row) {
                Ok(found) => Ok(found.scenario.clone()),
                Err(unknown) => Err(Failure::NoSuch {
                    kind: "unknown-row",
                    message: unknown.to_string(),
                    suggestion: unknown.suggestion.map(|meant| format!("{}:{meant}", unknown.origin)),
                    name: row,
                }),
            };
        }
    };
    parse(&origin, &text).map_err(|error| at(error, text))
}

/// Reads the profile that a name or a path means.
pub(super) fn profile(name_or_path: &str) -> Result<Profile, Failure> {
    let (origin, text) = match find_profile(name_or_path) {
        Ok(Locator::Shipped { name, text }) => (name.to_owned(), text.to_owned()),
        Ok(Locator::Path(path) | Locator::Row { table: path, .. }) => (path.clone(), read(path)?),
        Err(unknown) => {
            return Err(Failure::NoSuch {
                kind: "unknown-profile",
                message: unknown.to_string(),
                name: unknown.name,
                suggestion: unknown.suggestion,
            });
        }
    };
    parse_profile(&origin, &text).map_err(|error| at(error, text))
}

/// Reads a table of comparison; without a path the shipped one. Profiles that are paths lie beside it.
pub(super) fn comparison(path: Option<&String>) -> Result<Comparison, Failure> {
    let (origin, text) = match path {
        None => (COMPARE.to_owned(), shipped_comparison().to_owned()),
        Some(path) => (path.clone(), read(path.clone())?),
    };
    let folder = Path::new(&origin).parent().unwrap_or(Path::new("")).to_path_buf();
    let mut open = |profile: &str| fs::read_to_string(folder.join(profile));
    parse_comparison(&origin, &text, &mut open).map_err(|error| at(error, text))
}

fn read(path: String) -> Result<String, Failure> {
    fs::read_to_string(&path).map_err(|error| Failure::Unreadable { path, error })
}

fn at(error: InputError, text: String) -> Failure {
    Failure::File { error: Box::new(error), text }
}
