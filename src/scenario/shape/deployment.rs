//! `[deployment]`: which nodes there are, what is behind them, what their restarts keep.

use super::OneOrMany;
use crate::redis::Compat;
use crate::world::Persistence;
use serde::Deserialize;
use toml::Spanned;

/// `[deployment]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Deployment {
    pub(in crate::scenario) topology: Option<Spanned<Topology>>,
    pub(in crate::scenario) nodes: Spanned<i64>,
    pub(in crate::scenario) replicas: Option<Spanned<OneOrMany<i64>>>,
    pub(in crate::scenario) persistence: Option<Spanned<Persistence>>,
    pub(in crate::scenario) compat: Option<Compat>,
    pub(in crate::scenario) offset_ms: Option<Spanned<OneOrMany<i64>>>,
    pub(in crate::scenario) replica_offset_ms: Option<Spanned<OneOrMany<i64>>>,
    pub(in crate::scenario) lag_ms: Option<Spanned<OneOrMany<i64>>>,
    pub(in crate::scenario) min_replicas: Option<Spanned<MinReplicasKeys>>,
    pub(in crate::scenario) fsync_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) save_every_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) flush_every_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) restart_delay_ms: Option<Spanned<OneOrMany<i64>>>,
}

/// How nodes are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum Topology {
    /// Nodes that know nothing of each other.
    Independent,
    /// Nodes with replicas behind them.
    Replicated,
}

/// `min_replicas = { count = 1, max_lag_s = 10 }`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct MinReplicasKeys {
    pub(in crate::scenario) count: Spanned<i64>,
    pub(in crate::scenario) max_lag_s: Spanned<i64>,
}
