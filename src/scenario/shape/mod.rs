//! A scenario file as serde sees it: keys, tables and the spans of whatever is judged later.
//!
//! Must not judge values: numbers arrive as any integer. Enums are externally tagged and nothing is flattened,
//! because only then does every error keep its own line and column.

mod client;
mod expect;
mod lock;
mod one_or_many;
mod plan;

pub(super) use client::{ClientTable, Clients, WorkKeys, WorkloadTable};
pub(super) use expect::{CountKeys, ExpectTable};
pub(super) use lock::{LockKeys, LockTable};
pub(super) use one_or_many::OneOrMany;
pub(super) use plan::{
    ClockFreezeKeys, ClockRateKeys, ClockStepKeys, CutKeys, MessageKeys, OrderKeys, PauseKeys, PlanEntry,
    WhenKeys, WorkerWord,
};

use crate::redis::Compat;
use crate::world::{Connections, OnTimeout, Persistence, StoreMode};
use serde::Deserialize;
use toml::Spanned;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) format: Spanned<i64>,
    pub(super) title: Spanned<String>,
    pub(super) claim: Spanned<String>,
    pub(super) source: Vec<String>,
    pub(super) run: Run,
    pub(super) deployment: Deployment,
    pub(super) lock: Spanned<LockTable>,
    pub(super) clients: Clients,
    #[serde(default)]
    pub(super) client: Vec<Spanned<ClientTable>>,
    pub(super) store: Option<Store>,
    pub(super) network: Network,
    #[serde(default)]
    pub(super) plan: Vec<PlanEntry>,
    pub(super) expect: Option<ExpectTable>,
}

/// `[run]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Run {
    pub(super) seed: Spanned<i64>,
    pub(super) limit_ms: Spanned<i64>,
    pub(super) settle_ms: Spanned<i64>,
}

/// `[deployment]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Deployment {
    #[expect(dead_code, reason = "there is one topology; any other word is refused while reading")]
    pub(super) topology: Option<Topology>,
    pub(super) nodes: Spanned<i64>,
    pub(super) persistence: Option<Persistence>,
    pub(super) compat: Option<Compat>,
    pub(super) offset_ms: Option<Spanned<OneOrMany<i64>>>,
}

/// How nodes are arranged.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Topology {
    /// Nodes that know nothing of each other.
    Independent,
}

/// `[store]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Store {
    pub(super) mode: Option<Spanned<StoreMode>>,
    pub(super) stock: Option<Spanned<i64>>,
}

/// `[network]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Network {
    pub(super) latency_us: QuantileKeys,
    pub(super) connections: Option<Connections>,
    pub(super) on_timeout: Option<OnTimeout>,
}

/// Quantiles by name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QuantileKeys {
    pub(super) p0: Spanned<i64>,
    pub(super) p10: Option<Spanned<i64>>,
    pub(super) p25: Option<Spanned<i64>>,
    pub(super) p50: Option<Spanned<i64>>,
    pub(super) p75: Option<Spanned<i64>>,
    pub(super) p90: Option<Spanned<i64>>,
    pub(super) p95: Option<Spanned<i64>>,
    pub(super) p99: Option<Spanned<i64>>,
    pub(super) p99_9: Option<Spanned<i64>>,
    pub(super) p100: Spanned<i64>,
}
