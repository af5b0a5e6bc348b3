//! A scenario file as serde sees it: keys, tables and the spans of whatever is judged later.
//!
//! Must not judge values: numbers arrive as any integer. Enums are externally tagged and nothing is flattened,
//! because only then does every error keep its own line and column.

mod client;
mod comparison;
mod deployment;
mod expect;
mod hash;
mod learning;
mod lock;
mod network;
mod one_or_many;
mod plan;
mod preset;
mod profile;
mod repeated;
mod waiter;

pub(super) use client::{ClientTable, Clients, NestedKeys, Task, WorkKeys};
pub(super) use comparison::{ColumnTable, ComparisonFile, Lack};
pub(super) use deployment::{Deployment, MinReplicasKeys, Topology};
#[cfg(feature = "prove")]
pub(crate) use expect::known;
pub(super) use expect::{CountKeys, ExpectTable};
pub(super) use hash::{HashKeys, HashLike};
pub(super) use learning::Learning;
pub(super) use lock::{LockKeys, NoTtl};
pub(crate) use lock::{LockTable, SharedKeys};
#[cfg(feature = "prove")]
pub(crate) use lock::{NoLife, TickKeys};
pub(super) use network::{LinkKeys, Network, NumberOrQuantiles, QuantileKeys};
pub(super) use one_or_many::OneOrMany;
pub(super) use plan::{
    ByKeys, ClockFreezeKeys, ClockRateKeys, ClockStepKeys, CutKeys, DeferKeys, EndKeys, ErrorReplyKeys,
    EvictKeys, Interval, LastsKeys, MessageKeys, MomentKeys, OrderKeys, PauseKeys, PlanEntry, PromoteKeys,
    Targets, WhenKeys, WorkerWord,
};

pub use preset::Family;
pub(super) use preset::PresetFile;
pub(super) use profile::{
    BetweenWord, ClockFreezeHazard, ClockRateHazard, ClockStepHazard, CutHazard, DownHazard,
    ErrorReplyHazard, FailoverHazard, InstantHazard, LagHazard, LengthHazard, OldWord, PauseHazard,
    ProfileFile, ProfileTable, SizeHazard,
};
pub(super) use repeated::Repeated;
pub(super) use waiter::{
    FairKeys, MultiKeys, MultiLike, ReadWriteKeys, RedissonLike, SignalKeys, SignalLike, WaitWord,
    WaitingKeys,
};

use crate::world::StoreMode;
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
    pub(super) lock: Spanned<LockTable<LockKeys>>,
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

/// `[store]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Store {
    pub(super) mode: Option<Spanned<StoreMode>>,
    pub(super) stock: Option<Spanned<i64>>,
}
