//! What a world is made from. Plain data, validated by whoever builds it.

pub use crate::lock::OnTimeout;
use crate::lock::Recipe;
use crate::plan::{Plan, Quantiles};
pub use crate::redis::{DiskTimes as DiskSetup, Persistence};
use crate::time::{Span, WorldTime};
use bytes::Bytes;

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
    /// What a driver does with commands whose connection is down.
    pub offline_queue: OfflineQueue,
    /// Still going at this time: the run is inconclusive.
    pub limit: WorldTime,
    /// Quiet time after the last client is done, before what is left over is judged.
    pub settle: Span,
    /// The largest latency of one message, one way; part of the bounds. Lag and slow nodes come on top.
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
    /// How long its disk takes.
    pub disk: DiskSetup,
    /// How much longer than its fault it stays down.
    pub restart_delay: Span,
    /// The replicas behind it, in order.
    pub replicas: Vec<ReplicaSetup>,
    /// When it ships its stream to its replicas: so long after each command.
    pub lag: Span,
    /// When it refuses to write.
    pub min_replicas: Option<MinReplicas>,
}

impl NodeSetup {
    /// A node that persists nothing and has no replicas.
    pub fn plain(compat: crate::redis::Compat) -> Self {
        Self {
            offset: Span::ZERO,
            persistence: Persistence::None,
            compat,
            disk: DiskSetup::USUAL,
            restart_delay: Span::ZERO,
            replicas: Vec::new(),
            lag: Span::ZERO,
            min_replicas: None,
        }
    }
}

/// A replica. Everything but its clock is as its first primary's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReplicaSetup {
    /// Added to the wall clock's start.
    pub offset: Span,
}

/// `min-replicas-to-write` and `min-replicas-max-lag`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MinReplicas {
    /// How many good replicas a primary needs to write.
    pub count: u8,
    /// A replica is good while its last acknowledgement is at most so many whole seconds old.
    pub max_lag_s: u32,
}

/// One client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClientSetup {
    /// Its lock.
    pub lock: Recipe,
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
    pub work: Length,
    /// When it extends.
    pub extend: Extend,
    /// Whether, and when, it acquires again while it is inside.
    pub nested: Option<Nested>,
    /// How long after the first call of a cycle it still calls acquire again when refused; 0 is one call.
    pub patience: Span,
    /// How long it waits between being refused and calling again, on its own monotonic clock.
    pub again: Span,
    /// How long it waits after a cycle before the next.
    pub think: Length,
    /// How it treats the end of its promise.
    pub holder: Holder,
    /// Whether it waits for the store's answer.
    pub ack: Ack,
}

impl Workload {
    /// As many cycles as this are never counted: the client goes on for ever.
    pub const ENDLESS: u32 = u32::MAX;
}

/// How long something takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// Always as long.
    Of(Span),
    /// Drawn anew for each cycle, in microseconds, as a function of seed, client and cycle.
    Drawn(Quantiles),
}

/// When a client extends its hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Extend {
    /// At these times after entry, rising; none if empty.
    At(Vec<Span>),
    /// Again and again before the work is over, so long after entry or after the last extension was begun.
    Every(Span),
}

/// A second call of acquire through the same handle, by whoever is inside already. A lock that may be re-entered counts
/// it; any other refuses it, or takes its own hold for a rival's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Nested {
    /// When it is called, after the work began.
    pub at: Span,
    /// How long after its grant the inner hold is given back; `None` right before the section is left.
    pub length: Option<Span>,
    /// The life that it asks for; `None` the lock's own.
    pub ttl: Option<Span>,
}

/// What happens inside the section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// Work and write: write `i` of `writes` is decided at `work * i / writes` after entry.
    Hold {
        /// How many writes.
        writes: u32,
    },
    /// Read the stock at entry, work, write back one item less if there was one.
    Stock,
    /// Once per period, on the client's wall clock: look whether the period's job was done; if it was not, work and
    /// record it as done, else leave. Cycle `k` is period `k`, counted from the wall time at which runs start; one
    /// that is over when the client gets to it is skipped. The client sleeps to the begin of a period on its
    /// monotonic clock and looks at its wall clock when it wakes.
    Cron {
        /// The length of a period.
        period: Span,
    },
    /// Lead: write again and again while the work lasts, and step down, whatever the holder, when told of a loss,
    /// refused by the store, or denied an extension.
    Leader {
        /// From entry or the last write to the next.
        write_every: Span,
    },
    /// Cycle `n` of every client is the same order `n`, sent to each of them: look whether it was executed; if it was
    /// not, work and execute it, else leave.
    Submit,
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
    /// Asks the voters at entry and before each write whether they still carry its hold; the answer and the send are
    /// two events. It never looks at its clock.
    Remote,
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

impl Task {
    /// Whether its cycles are items of which each must be done once.
    pub(crate) fn runs_items(&self) -> bool {
        match self {
            Self::Hold { .. } | Self::Stock | Self::Leader { .. } => false,
            Self::Cron { .. } | Self::Submit => true,
        }
    }

    /// Whether it steps down when it learns of a loss, whatever its holder does.
    pub(crate) fn steps_down(&self) -> bool {
        match self {
            Self::Hold { .. } | Self::Stock | Self::Cron { .. } | Self::Submit => false,
            Self::Leader { .. } => true,
        }
    }

    /// Whether it ever writes to the store.
    pub fn writes(&self) -> bool {
        match self {
            Self::Hold { writes } => *writes > 0,
            Self::Stock | Self::Cron { .. } | Self::Leader { .. } | Self::Submit => true,
        }
    }

    /// Whether it has an invariant of its own, which `lost-update` judges.
    pub fn has_invariant(&self) -> bool {
        match self {
            Self::Hold { .. } | Self::Leader { .. } => false,
            Self::Stock | Self::Cron { .. } | Self::Submit => true,
        }
    }
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

/// What a driver does with a command whose connection is down.
///
/// **Source** ioredis 5, `enableOfflineQueue`; StackExchange.Redis 2, `BacklogPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OfflineQueue {
    /// Opens the connection for it, and gives it up if that fails or takes longer than the request's limit.
    Off,
    /// Keeps it, opens the connection again and again, and sends it then, even if its core was told meanwhile that it
    /// timed out.
    On,
}
