//! A table of comparison as serde sees it: a scenario without a plan, and what rows and columns change of it.

use super::{ClientTable, Clients, Deployment, File, LockKeys, LockTable, Network, Run, Store};
use serde::Deserialize;
use toml::Spanned;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct ComparisonFile {
    pub(in crate::scenario) format: Spanned<i64>,
    pub(in crate::scenario) title: Spanned<String>,
    pub(in crate::scenario) claim: Spanned<String>,
    pub(in crate::scenario) source: Vec<String>,
    pub(in crate::scenario) runs: Spanned<i64>,
    pub(in crate::scenario) run: Run,
    pub(in crate::scenario) deployment: Option<Deployment>,
    pub(in crate::scenario) lock: Option<Spanned<LockTable<LockKeys>>>,
    pub(in crate::scenario) clients: Clients,
    #[serde(default)]
    pub(in crate::scenario) client: Vec<Spanned<ClientTable>>,
    pub(in crate::scenario) store: Option<Store>,
    pub(in crate::scenario) network: Network,
    pub(in crate::scenario) row: Vec<Spanned<RowTable>>,
    pub(in crate::scenario) column: Vec<Spanned<ColumnTable>>,
}

/// `[[row]]`: tables here replace those of the same name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct RowTable {
    pub(in crate::scenario) name: Spanned<String>,
    pub(in crate::scenario) title: Spanned<String>,
    pub(in crate::scenario) deployment: Option<Deployment>,
    pub(in crate::scenario) lock: Option<Spanned<LockTable<LockKeys>>>,
    pub(in crate::scenario) clients: Option<Clients>,
    pub(in crate::scenario) store: Option<Store>,
}

/// `[[column]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct ColumnTable {
    pub(in crate::scenario) profile: Spanned<String>,
    pub(in crate::scenario) name: Option<Spanned<String>>,
    pub(in crate::scenario) title: Option<Spanned<String>>,
}

/// What a row still lacks when the base has nothing either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum Lack {
    /// `[deployment]`
    Deployment,
    /// `[lock.…]`
    Lock,
}

impl ComparisonFile {
    /// One row as a scenario; the row is consumed.
    pub(in crate::scenario) fn into_row(mut self, index: usize) -> Result<File, Lack> {
        let row = self.row.swap_remove(index).into_inner();
        Ok(File {
            format: self.format,
            title: row.title,
            claim: self.claim,
            source: self.source,
            run: self.run,
            deployment: row.deployment.or(self.deployment).ok_or(Lack::Deployment)?,
            lock: row.lock.or(self.lock).ok_or(Lack::Lock)?,
            clients: row.clients.unwrap_or(self.clients),
            client: self.client,
            store: row.store.or(self.store),
            network: self.network,
            plan: Vec::new(),
            expect: None,
        })
    }
}
