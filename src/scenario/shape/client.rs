//! `[clients]`, its workload, and `[[client]]` tables for single clients.

use super::{LockKeys, LockTable, NumberOrQuantiles, OneOrMany};
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
    pub(in crate::scenario) own_lock: Option<Spanned<LockTable<LockKeys>>>,
    pub(in crate::scenario) workload: Option<WorkKeys>,
}

/// The one workload.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum WorkloadTable {
    Hold(Spanned<HoldKeys>),
    Stock(Spanned<StockKeys>),
    Cron(Spanned<CronKeys>),
    Leader(Spanned<LeaderKeys>),
    Submit(Spanned<SubmitKeys>),
}

/// Which workload it is. A period is that of all clients, for they share its items.
#[derive(Clone, Debug)]
pub(in crate::scenario) enum Task {
    Hold,
    Stock,
    Cron { period_ms: Spanned<i64> },
    Leader,
    Submit,
}

/// `[clients.workload.hold]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct HoldKeys {
    cycles: Spanned<i64>,
    work_ms: Spanned<NumberOrQuantiles>,
    writes: Option<Spanned<i64>>,
    nested: Option<Spanned<NestedKeys>>,
    extend_at_ms: Option<Spanned<Vec<Spanned<i64>>>>,
    extend_every_ms: Option<Spanned<i64>>,
    patience_ms: Option<Spanned<i64>>,
    again_ms: Option<Spanned<i64>>,
    ack: Option<Spanned<Ack>>,
    holder: Spanned<Holder>,
    think_ms: Option<Spanned<NumberOrQuantiles>>,
}

/// `nested = { .. }`: a second call of acquire inside the section.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct NestedKeys {
    pub(in crate::scenario) at_ms: Spanned<i64>,
    pub(in crate::scenario) for_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) ttl_ms: Option<Spanned<i64>>,
}

/// `[clients.workload.stock]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct StockKeys {
    cycles: Spanned<i64>,
    work_ms: Spanned<NumberOrQuantiles>,
    extend_at_ms: Option<Spanned<Vec<Spanned<i64>>>>,
    extend_every_ms: Option<Spanned<i64>>,
    patience_ms: Option<Spanned<i64>>,
    again_ms: Option<Spanned<i64>>,
    ack: Option<Spanned<Ack>>,
    holder: Spanned<Holder>,
    think_ms: Option<Spanned<NumberOrQuantiles>>,
}

/// `[clients.workload.cron]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct CronKeys {
    cycles: Spanned<i64>,
    period_ms: Spanned<i64>,
    work_ms: Spanned<NumberOrQuantiles>,
    patience_ms: Option<Spanned<i64>>,
    again_ms: Option<Spanned<i64>>,
    holder: Spanned<Holder>,
}

/// `[clients.workload.leader]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct LeaderKeys {
    cycles: Spanned<i64>,
    work_ms: Spanned<NumberOrQuantiles>,
    write_every_ms: Spanned<i64>,
    extend_every_ms: Option<Spanned<i64>>,
    patience_ms: Option<Spanned<i64>>,
    again_ms: Option<Spanned<i64>>,
    ack: Option<Spanned<Ack>>,
    holder: Spanned<Holder>,
    think_ms: Option<Spanned<NumberOrQuantiles>>,
}

/// `[clients.workload.submit]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct SubmitKeys {
    cycles: Spanned<i64>,
    work_ms: Spanned<NumberOrQuantiles>,
    patience_ms: Option<Spanned<i64>>,
    again_ms: Option<Spanned<i64>>,
    holder: Spanned<Holder>,
    think_ms: Option<Spanned<NumberOrQuantiles>>,
}

/// The keys of any workload, for one client: `[client.workload]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct WorkKeys {
    pub(in crate::scenario) cycles: Option<Spanned<i64>>,
    pub(in crate::scenario) work_ms: Option<Spanned<NumberOrQuantiles>>,
    pub(in crate::scenario) writes: Option<Spanned<i64>>,
    pub(in crate::scenario) write_every_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) nested: Option<Spanned<NestedKeys>>,
    pub(in crate::scenario) extend_at_ms: Option<Spanned<Vec<Spanned<i64>>>>,
    pub(in crate::scenario) extend_every_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) patience_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) again_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) ack: Option<Spanned<Ack>>,
    pub(in crate::scenario) holder: Option<Spanned<Holder>>,
    pub(in crate::scenario) think_ms: Option<Spanned<NumberOrQuantiles>>,
}

impl WorkloadTable {
    /// Which workload, and its keys in the shape of any.
    pub(in crate::scenario) fn split(self) -> (Task, Spanned<WorkKeys>) {
        match self {
            Self::Hold(keys) => (Task::Hold, mapped(keys, WorkKeys::from)),
            Self::Stock(keys) => (Task::Stock, mapped(keys, WorkKeys::from)),
            Self::Cron(keys) => {
                let period_ms = keys.get_ref().period_ms.clone();
                (Task::Cron { period_ms }, mapped(keys, WorkKeys::from))
            }
            Self::Leader(keys) => (Task::Leader, mapped(keys, WorkKeys::from)),
            Self::Submit(keys) => (Task::Submit, mapped(keys, WorkKeys::from)),
        }
    }
}

impl Task {
    /// The name of its table.
    pub(in crate::scenario) fn name(&self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::Stock => "stock",
            Self::Cron { .. } => "cron",
            Self::Leader => "leader",
            Self::Submit => "submit",
        }
    }
}

impl WorkKeys {
    /// These keys over `base`: what is set here wins. `extend_at_ms` and `extend_every_ms` are one thing said in two
    /// ways.
    pub(in crate::scenario) fn over(self, base: Self) -> Self {
        let own_extends = self.extend_at_ms.is_some() || self.extend_every_ms.is_some();
        let (extend_at_ms, extend_every_ms) = match own_extends {
            true => (self.extend_at_ms, self.extend_every_ms),
            false => (base.extend_at_ms, base.extend_every_ms),
        };
        Self {
            cycles: self.cycles.or(base.cycles),
            work_ms: self.work_ms.or(base.work_ms),
            writes: self.writes.or(base.writes),
            write_every_ms: self.write_every_ms.or(base.write_every_ms),
            nested: self.nested.or(base.nested),
            extend_at_ms,
            extend_every_ms,
            patience_ms: self.patience_ms.or(base.patience_ms),
            again_ms: self.again_ms.or(base.again_ms),
            ack: self.ack.or(base.ack),
            holder: self.holder.or(base.holder),
            think_ms: self.think_ms.or(base.think_ms),
        }
    }

    /// The keys that every workload has, and none of those that only some have.
    fn common(cycles: Spanned<i64>, work_ms: Spanned<NumberOrQuantiles>, holder: Spanned<Holder>) -> Self {
        Self {
            cycles: Some(cycles),
            work_ms: Some(work_ms),
            writes: None,
            write_every_ms: None,
            nested: None,
            extend_at_ms: None,
            extend_every_ms: None,
            patience_ms: None,
            again_ms: None,
            ack: None,
            holder: Some(holder),
            think_ms: None,
        }
    }
}

impl From<HoldKeys> for WorkKeys {
    fn from(keys: HoldKeys) -> Self {
        Self {
            writes: keys.writes,
            nested: keys.nested,
            extend_at_ms: keys.extend_at_ms,
            extend_every_ms: keys.extend_every_ms,
            patience_ms: keys.patience_ms,
            again_ms: keys.again_ms,
            ack: keys.ack,
            think_ms: keys.think_ms,
            ..Self::common(keys.cycles, keys.work_ms, keys.holder)
        }
    }
}

impl From<StockKeys> for WorkKeys {
    fn from(keys: StockKeys) -> Self {
        Self {
            extend_at_ms: keys.extend_at_ms,
            extend_every_ms: keys.extend_every_ms,
            patience_ms: keys.patience_ms,
            again_ms: keys.again_ms,
            ack: keys.ack,
            think_ms: keys.think_ms,
            ..Self::common(keys.cycles, keys.work_ms, keys.holder)
        }
    }
}

impl From<CronKeys> for WorkKeys {
    fn from(keys: CronKeys) -> Self {
        Self {
            patience_ms: keys.patience_ms,
            again_ms: keys.again_ms,
            ..Self::common(keys.cycles, keys.work_ms, keys.holder)
        }
    }
}

impl From<LeaderKeys> for WorkKeys {
    fn from(keys: LeaderKeys) -> Self {
        Self {
            write_every_ms: Some(keys.write_every_ms),
            extend_every_ms: keys.extend_every_ms,
            patience_ms: keys.patience_ms,
            again_ms: keys.again_ms,
            ack: keys.ack,
            think_ms: keys.think_ms,
            ..Self::common(keys.cycles, keys.work_ms, keys.holder)
        }
    }
}

impl From<SubmitKeys> for WorkKeys {
    fn from(keys: SubmitKeys) -> Self {
        Self {
            patience_ms: keys.patience_ms,
            again_ms: keys.again_ms,
            think_ms: keys.think_ms,
            ..Self::common(keys.cycles, keys.work_ms, keys.holder)
        }
    }
}

/// The same keys in another shape, at the same place.
fn mapped<K>(keys: Spanned<K>, map: impl FnOnce(K) -> WorkKeys) -> Spanned<WorkKeys> {
    let span = keys.span();
    Spanned::new(span, map(keys.into_inner()))
}
