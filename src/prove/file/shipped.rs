//! The models embedded in the library, by name.

use crate::scenario::{Locator, among, texts};
use include_dir::{Dir, include_dir};

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/models");

/// Where a model's text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelLocator {
    /// Embedded.
    Shipped {
        /// Its name.
        name: &'static str,
        /// Its text.
        text: &'static str,
    },
    /// In a file, or in the files of a folder, that the caller reads.
    Path(String),
}

/// A name that no shipped model has.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[error("no shipped model is called `{name}`; a path contains `/` or `.toml`")]
pub struct UnknownModel {
    /// The name.
    pub name: String,
    /// The shipped name that was probably meant.
    pub suggestion: Option<String>,
}

/// The shipped models: name and text, sorted by name.
pub fn shipped_models() -> impl Iterator<Item = (&'static str, &'static str)> {
    texts(&FILES)
}

/// Finds a model: text with `/` or `.toml` in it is a path, anything else a shipped name.
///
/// # Errors
/// No shipped model has this name.
pub fn find_model(name_or_path: &str) -> Result<ModelLocator, UnknownModel> {
    match among(shipped_models, name_or_path) {
        Ok(Locator::Shipped { name, text }) => Ok(ModelLocator::Shipped { name, text }),
        Ok(Locator::Path(path) | Locator::Switch(path) | Locator::Row { table: path, .. }) => {
            Ok(ModelLocator::Path(path))
        }
        Err(suggestion) => Err(UnknownModel { name: name_or_path.to_owned(), suggestion }),
    }
}
