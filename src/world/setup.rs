//! What a world is made from. Plain data, validated by whoever builds it.

use crate::lock::Policy;
use crate::plan::Plan;
use crate::time::{Span, WorldTime};
use bytes::Bytes;
use std::sync::Arc;

/// Everything about a run but its seed and its network's latencies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// The key of the guarded resource.
    pub key: Bytes,
    /// The voters, in index order.
    pub nodes: Vec<NodeSetup>,
    /// The clients, in index order.
    pub clients: Vec<ClientSetup>,
    /// The guarded resource.
    pub store: StoreSetup,
    /// What goes wrong.
    pub plan: Plan,
    /// Whether connections are open at the start.
    pub connections: Connections,
    /// What a driver does with the connection of a request that timed out.
    pub on_timeout: OnTimeout,
    /// Still going at this time: the run is inconclusive.
    pub limit: WorldTime,
    /// Quiet time after the last client is done, before what is left over is judged.
    pub settle: Span,
    /// The largest latency of one message, one way; part of the bounds.
    pub latency_max: Span,
}

/// One voter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodeSetup {
    /// Added to the wall clock's start.
    pub offset: Span,
    /// What a restart keeps.
    pub persistence: Persistence,
    /// Which Redis it behaves as.
    pub compat: crate::redis::Compat,
}

/// What a restart keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Persistence {
    /// Nothing.
    None,
}

/// One client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClientSetup {
    /// Its lock.
    pub policy: Arc<Policy>,
    /// When it first wants the lock.
    pub start: WorldTime,
    /// Added to the wall clock's start.
    pub offset: Span,
    /// What it does.
    pub workload: Workload,
}

/// What a client does, over and over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Workload {
    /// What it does inside the section.
    pub task: Task,
    /// How many sections it wants.
    pub cycles: u32,
    /// How long it works inside, on its own monotonic clock.
    pub work: Span,
    /// How long after the first call of a cycle it still calls acquire again when refused; 0 is one call.
    pub patience: Span,
    /// How long it waits between being refused and calling again, on its own monotonic clock.
    pub again: Span,
    /// How long it waits after a cycle before the next.
    pub think: Span,
    /// How it treats the end of its promise.
    pub holder: Holder,
    /// Whether it waits for the store's answer.
    pub ack: Ack,
}

impl Workload {
    /// As many cycles as this are never counted: the client goes on for ever.
    pub const ENDLESS: u32 = u32::MAX;
}

/// What happens inside the section.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// Work, write, extend.
    Hold {
        /// Write `i` of `writes` is decided at `work * i / writes` after entry.
        writes: u32,
        /// Times after entry at which extend is called, rising.
        extend_at: Vec<Span>,
    },
    /// Read the stock at entry, work, write back one item less if there was one.
    Stock,
}

/// How a holder treats the end of its promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holder {
    /// Never looks: most real code.
    Never,
    /// Looks at entry and before each write; look and send are two events.
    BeforeWrite,
    /// Also leaves at the promised end.
    Leaves,
}

/// Whether a write waits for its answer. A section stays open while a write waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ack {
    /// It does.
    Await,
    /// It does not.
    FireAndForget,
}

/// The guarded resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoreSetup {
    /// What it checks.
    pub mode: StoreMode,
    /// Items in stock at the start.
    pub stock: i64,
}

/// What the store checks before it accepts a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoreMode {
    /// Nothing.
    Plain,
    /// The fence is at least the largest it has seen.
    Fence,
    /// The claim made at entry is still the writer's (antirez, "Is Redlock safe?").
    NonceCas,
}

/// The connections at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Connections {
    /// Closed: the first command opens each.
    Closed,
    /// Open.
    Open,
}

/// What a driver does with the connection of a request that timed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnTimeout {
    /// Keeps it: pipelining drivers. What follows queues behind what is late.
    Keep,
    /// Closes it and opens another for the next command: blocking drivers. What was sent on the old one may
    /// still arrive, after what is sent on the new one.
    Reconnect,
}
