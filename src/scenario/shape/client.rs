//! `[clients]`, its workload, and `[[client]]` tables for single clients.

use super::{LockKeys, OneOrMany};
use crate::world::{Ack, Holder};
use serde::Deserialize;
use toml::Spanned;

/// `[clients]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Clients {
    pub(in crate::scenario) count: Spanned<i64>,
    pub(in crate::scenario) start_ms: Option<Spanned<OneOrMany<i64>>>,
    pub(in crate::scenario) workload: WorkloadTable,
}

/// `[[client]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct ClientTable {
    pub(in crate::scenario) id: Option<Spanned<String>>,
    pub(in crate::scenario) start_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) offset_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) lock: Option<Spanned<LockKeys>>,
    pub(in crate::scenario) workload: Option<WorkKeys>,
}

/// The one workload.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum WorkloadTable {
    Hold(Spanned<HoldKeys>),
    Stock(Spanned<StockKeys>),
}

/// `[clients.workload.hold]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct HoldKeys {
    cycles: Spanned<i64>,
    work_ms: Spanned<i64>,
    writes: Option<Spanned<i64>>,
    extend_at_ms: Option<Spanned<Vec<Spanned<i64>>>>,
    patience_ms: Option<Spanned<i64>>,
    again_ms: Option<Spanned<i64>>,
    ack: Option<Spanned<Ack>>,
    holder: Spanned<Holder>,
    think_ms: Option<Spanned<i64>>,
}

/// `[clients.workload.stock]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct StockKeys {
    cycles: Spanned<i64>,
    work_ms: Spanned<i64>,
    patience_ms: Option<Spanned<i64>>,
    again_ms: Option<Spanned<i64>>,
    ack: Option<Spanned<Ack>>,
    holder: Spanned<Holder>,
    think_ms: Option<Spanned<i64>>,
}

/// The keys of any workload, for one client: `[client.workload]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct WorkKeys {
    pub(in crate::scenario) cycles: Option<Spanned<i64>>,
    pub(in crate::scenario) work_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) writes: Option<Spanned<i64>>,
    pub(in crate::scenario) extend_at_ms: Option<Spanned<Vec<Spanned<i64>>>>,
    pub(in crate::scenario) patience_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) again_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) ack: Option<Spanned<Ack>>,
    pub(in crate::scenario) holder: Option<Spanned<Holder>>,
    pub(in crate::scenario) think_ms: Option<Spanned<i64>>,
}

impl WorkKeys {
    /// These keys over `base`: what is set here wins.
    pub(in crate::scenario) fn over(self, base: Self) -> Self {
        Self {
            cycles: self.cycles.or(base.cycles),
            work_ms: self.work_ms.or(base.work_ms),
            writes: self.writes.or(base.writes),
            extend_at_ms: self.extend_at_ms.or(base.extend_at_ms),
            patience_ms: self.patience_ms.or(base.patience_ms),
            again_ms: self.again_ms.or(base.again_ms),
            ack: self.ack.or(base.ack),
            holder: self.holder.or(base.holder),
            think_ms: self.think_ms.or(base.think_ms),
        }
    }
}

impl From<HoldKeys> for WorkKeys {
    fn from(keys: HoldKeys) -> Self {
        Self {
            cycles: Some(keys.cycles),
            work_ms: Some(keys.work_ms),
            writes: keys.writes,
            extend_at_ms: keys.extend_at_ms,
            patience_ms: keys.patience_ms,
            again_ms: keys.again_ms,
            ack: keys.ack,
            holder: Some(keys.holder),
            think_ms: keys.think_ms,
        }
    }
}

impl From<StockKeys> for WorkKeys {
    fn from(keys: StockKeys) -> Self {
        Self {
            cycles: Some(keys.cycles),
            work_ms: Some(keys.work_ms),
            writes: None,
            extend_at_ms: None,
            patience_ms: keys.patience_ms,
            again_ms: keys.again_ms,
            ack: keys.ack,
            holder: Some(keys.holder),
            think_ms: keys.think_ms,
        }
    }
}
