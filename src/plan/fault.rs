//! What can go wrong.

use crate::name::{ClientId, NodeId, Process, Worker};
use crate::time::{ClockKind, Span};
use bytes::Bytes;

/// A fault. Instantaneous ones (`ClockStep`, `Evict`, `FlushScripts`, `Promote`, `Demote`,
/// `Cancel`) have no length.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// A process, or one worker of a client, handles nothing; its inbox fills.
    Pause {
        /// Who stands still.
        scope: PauseScope,
        /// What its clocks do meanwhile.
        kind: PauseKind,
    },
    /// A client process dies; with a length it comes back as a new incarnation, without it is gone for good.
    Crash {
        /// Who.
        client: ClientId,
    },
    /// A node process ends; with a length it restarts with what its persistence mode kept.
    Kill {
        /// Which.
        node: NodeId,
        /// How, which decides what is kept.
        death: Death,
    },
    /// A clock moves at once.
    ClockStep {
        /// Whose.
        process: Process,
        /// Which.
        clock: ClockKind,
        /// How far, forward or back.
        by: Span,
    },
    /// A clock runs fast or slow for the length of the fault, then true again.
    ClockRate {
        /// Whose.
        process: Process,
        /// Which clocks.
        clocks: Vec<ClockKind>,
        /// The rate error.
        ppm: i32,
    },
    /// A clock stands still for the length of the fault.
    ClockFreeze {
        /// Whose.
        process: Process,
        /// Which.
        clock: ClockKind,
    },
    /// Two sides cannot talk: clients with servers, or nodes of one voter with each other.
    Cut {
        /// One side: clients, or nodes.
        one: Vec<Process>,
        /// The other side: nodes or the store.
        other: Vec<Process>,
        /// Which way; requests travel from `one` to `other`.
        way: WayCut,
        /// What becomes of the bytes.
        how: CutHow,
    },
    /// Every message to and from a node takes this much longer each way.
    Slow {
        /// Which.
        node: NodeId,
        /// How much longer, one way.
        by: Span,
    },
    /// A node evicts a key.
    Evict {
        /// Which.
        node: NodeId,
        /// The key; `None` the lock's own.
        key: Option<Bytes>,
    },
    /// Timers of a process fire this much late.
    LateTimer {
        /// Whose.
        process: Process,
        /// How late, on its monotonic clock.
        by: Span,
    },
    /// A node answers every command with this error and executes none.
    ErrorReply {
        /// Which.
        node: NodeId,
        /// The text, such as `LOADING Redis is loading the dataset in memory`.
        text: Bytes,
    },
    /// A node forgets its scripts.
    FlushScripts {
        /// Which.
        node: NodeId,
    },
    /// A replica becomes primary of its voter, at the state it has reached; the other members follow it once they
    /// reach it. The old primary, if it runs, goes on as a stale primary until it is demoted.
    Promote {
        /// Which.
        node: NodeId,
        /// When clients address it instead.
        learn: Learn,
        /// Clients that learn at another time.
        except: Vec<(ClientId, Learn)>,
    },
    /// A node becomes a replica of the present primary of its voter: what only it has is lost once it has
    /// synchronised.
    Demote {
        /// Which.
        node: NodeId,
    },
    /// The caller gives up its call of acquire: a future that is dropped, a context that is cancelled. Nothing happens
    /// to a client that is not calling.
    Cancel {
        /// Who.
        client: ClientId,
    },
    /// A primary ships its stream to this replica so much later.
    Lag {
        /// Which replica.
        node: NodeId,
        /// How much later.
        by: Span,
    },
}

/// How a node process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Death {
    /// It is killed: what it has written to files is kept by the machine.
    Process,
    /// The machine loses power: what was not forced to the disk is lost.
    Power,
    /// It shuts down in order (SIGTERM).
    Shutdown,
}

/// When a client addresses a promoted node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Learn {
    /// One latency after the promotion.
    Soon,
    /// So long after the promotion.
    After(Span),
    /// Not at all: it goes on with the node it knows, until it starts anew.
    Never,
}

/// The kinds of fault, for names, witnesses and tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// A pause of kind stop.
    Stop,
    /// A pause of kind suspend.
    Suspend,
    /// A client crash.
    Crash,
    /// A node kill.
    Kill,
    /// A node's machine loses power.
    PowerLoss,
    /// A node shuts down in order.
    Shutdown,
    /// A clock step.
    ClockStep,
    /// A clock rate.
    ClockRate,
    /// A clock freeze.
    ClockFreeze,
    /// A cut of any kind.
    Cut,
    /// A slow node.
    Slow,
    /// An eviction.
    Evict,
    /// A late timer.
    LateTimer,
    /// An error reply.
    ErrorReply,
    /// A script cache flush.
    FlushScripts,
    /// A promotion.
    Promote,
    /// A demotion.
    Demote,
    /// Replication lag.
    Lag,
    /// A call of acquire that its caller gave up.
    Cancel,
    /// A message directive that lost or delayed its message.
    Message,
}

/// Who is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PauseScope {
    /// A whole process.
    Process(Process),
    /// One worker of a client.
    Worker(ClientId, Worker),
}

/// What the clocks do during a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PauseKind {
    /// Both run on: GC, SIGSTOP, a stolen virtual CPU.
    Stop,
    /// The wall clock runs on, the monotonic clock stands still: a suspended machine. Whole processes only.
    Suspend,
}

/// Which way a cut works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WayCut {
    /// Requests and replies.
    Both,
    /// From clients to servers.
    Requests,
    /// From servers to clients.
    Replies,
}

/// What becomes of bytes on a cut link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CutHow {
    /// Both directions are lost and both sides are told after one latency; connects are refused.
    Reset,
    /// They are kept in order and delivered after healing, as TCP retransmits.
    Hold,
    /// They are accepted and never arrive; nobody is told.
    BlackHole,
}

impl Fault {
    /// Its kind.
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::Pause { kind: PauseKind::Stop, .. } => FaultKind::Stop,
            Self::Pause { kind: PauseKind::Suspend, .. } => FaultKind::Suspend,
            Self::Crash { .. } => FaultKind::Crash,
            Self::Kill { death: Death::Process, .. } => FaultKind::Kill,
            Self::Kill { death: Death::Power, .. } => FaultKind::PowerLoss,
            Self::Kill { death: Death::Shutdown, .. } => FaultKind::Shutdown,
            Self::ClockStep { .. } => FaultKind::ClockStep,
            Self::ClockRate { .. } => FaultKind::ClockRate,
            Self::ClockFreeze { .. } => FaultKind::ClockFreeze,
            Self::Cut { .. } => FaultKind::Cut,
            Self::Slow { .. } => FaultKind::Slow,
            Self::Evict { .. } => FaultKind::Evict,
            Self::LateTimer { .. } => FaultKind::LateTimer,
            Self::ErrorReply { .. } => FaultKind::ErrorReply,
            Self::FlushScripts { .. } => FaultKind::FlushScripts,
            Self::Promote { .. } => FaultKind::Promote,
            Self::Demote { .. } => FaultKind::Demote,
            Self::Lag { .. } => FaultKind::Lag,
            Self::Cancel { .. } => FaultKind::Cancel,
        }
    }

    /// Whether it is over in the moment it begins.
    pub fn is_instant(&self) -> bool {
        matches!(
            self,
            Self::ClockStep { .. }
                | Self::Evict { .. }
                | Self::FlushScripts { .. }
                | Self::Promote { .. }
                | Self::Demote { .. }
                | Self::Cancel { .. }
        )
    }
}

impl FaultKind {
    /// All, with their texts.
    pub const TEXTS: [(Self, &'static str); 20] = [
        (Self::Stop, "stop"),
        (Self::Suspend, "suspend"),
        (Self::Crash, "crash"),
        (Self::Kill, "kill"),
        (Self::PowerLoss, "power-loss"),
        (Self::Shutdown, "shutdown"),
        (Self::ClockStep, "clock-step"),
        (Self::ClockRate, "clock-rate"),
        (Self::ClockFreeze, "clock-freeze"),
        (Self::Cut, "cut"),
        (Self::Slow, "slow"),
        (Self::Evict, "evict"),
        (Self::LateTimer, "late-timer"),
        (Self::ErrorReply, "error-reply"),
        (Self::FlushScripts, "flush-scripts"),
        (Self::Promote, "promote"),
        (Self::Demote, "demote"),
        (Self::Lag, "lag"),
        (Self::Cancel, "cancel"),
        (Self::Message, "message"),
    ];

    /// Its text.
    pub fn text(self) -> &'static str {
        Self::TEXTS.iter().find(|(kind, _)| *kind == self).map_or("", |(_, text)| text)
    }
}
