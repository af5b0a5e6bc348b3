//! The locks whose assumptions are compared, embedded in the library.
//!
//! Each is a model without faults that can be proved by itself. Must not open files.

use super::super::ask::Model;
use super::super::file::parse_model;
use super::Subject;
use crate::prove::UnknownModel;
use crate::scenario::{closest, texts};
use include_dir::{Dir, include_dir};

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/models/assumptions");

/// The order of tables: from no lock to the most elaborate one. What is not named comes last.
const ORDER: [&str; 6] =
    ["none", "single", "single-extended", "single-fenced", "single-replicated", "redlock-3"];

/// All of them, in the order of tables.
///
/// # Panics
/// If one cannot be read, which no released version ships.
pub fn shipped_subjects() -> Vec<Subject> {
    let mut all: Vec<(&str, &str)> = texts(&FILES).collect();
    all.sort_by_key(|(name, _)| ORDER.iter().position(|known| known == name).unwrap_or(ORDER.len()));
    all.into_iter().map(|(name, text)| Subject::of(&read(name, text))).collect()
}

/// The one of this name.
///
/// # Errors
/// There is none of this name.
///
/// # Panics
/// As [`shipped_subjects`].
pub fn shipped_subject(name: &str) -> Result<Subject, UnknownModel> {
    match texts(&FILES).find(|(known, _)| *known == name) {
        Some((name, text)) => Ok(Subject::of(&read(name, text))),
        None => {
            let suggestion = closest(name, texts(&FILES).map(|(known, _)| known));
            Err(UnknownModel { name: name.to_owned(), suggestion })
        }
    }
}

fn read(name: &str, text: &str) -> Model {
    let origin = format!("models/assumptions/{name}.toml");
    parse_model(&origin, text).unwrap_or_else(|error| panic!("a shipped model can be read: {error}"))
}
