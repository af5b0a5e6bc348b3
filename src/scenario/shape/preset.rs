//! A preset as serde sees it: the lock table of a library or of an article, and what is said of it.

use super::{ExpectTable, LockKeys, LockTable};
use serde::Deserialize;
use toml::Spanned;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct PresetFile {
    pub(in crate::scenario) format: Spanned<i64>,
    pub(in crate::scenario) family: Spanned<Family>,
    pub(in crate::scenario) title: Spanned<String>,
    pub(in crate::scenario) source: Vec<String>,
    #[serde(default)]
    pub(in crate::scenario) assumed: Vec<String>,
    pub(in crate::scenario) why: Spanned<String>,
    pub(in crate::scenario) advice: Spanned<String>,
    pub(in crate::scenario) lock: Spanned<LockTable<LockKeys>>,
    pub(in crate::scenario) expect: ExpectTable,
}

/// Where a preset comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// The specification and what it is compared with.
    Reference,
    /// A published library.
    Library,
    /// Code printed in an article.
    Article,
}
