//! What can go wrong.

use crate::name::{ClientId, Process, VoterId, Worker};
use crate::time::{ClockKind, Span};
use bytes::Bytes;

/// A fault. Instantaneous ones (`ClockStep`, `Evict`, `FlushScripts`) have no length.
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
    /// A node process is killed; with a length it restarts with what its persistence mode kept.
    Kill {
        /// Which.
        node: VoterId,
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
    /// Clients and servers cannot talk.
    Cut {
        /// One side.
        clients: Vec<ClientId>,
        /// The other side: nodes or the store.
        peers: Vec<Process>,
        /// Which way.
        way: WayCut,
        /// What becomes of the bytes.
        how: CutHow,
    },
    /// Every message to and from a node takes this much longer each way.
    Slow {
        /// Which.
        node: VoterId,
        /// How much longer, one way.
        by: Span,
    },
    /// A node evicts a key.
    Evict {
        /// Which.
        node: VoterId,
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
        node: VoterId,
        /// The text, such as `LOADING Redis is loading the dataset in memory`.
        text: Bytes,
    },
    /// A node forgets its scripts.
    FlushScripts {
        /// Which.
        node: VoterId,
    },
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
            Self::Kill { .. } => FaultKind::Kill,
            Self::ClockStep { .. } => FaultKind::ClockStep,
            Self::ClockRate { .. } => FaultKind::ClockRate,
            Self::ClockFreeze { .. } => FaultKind::ClockFreeze,
            Self::Cut { .. } => FaultKind::Cut,
            Self::Slow { .. } => FaultKind::Slow,
            Self::Evict { .. } => FaultKind::Evict,
            Self::LateTimer { .. } => FaultKind::LateTimer,
            Self::ErrorReply { .. } => FaultKind::ErrorReply,
            Self::FlushScripts { .. } => FaultKind::FlushScripts,
        }
    }

    /// Whether it is over in the moment it begins.
    pub fn is_instant(&self) -> bool {
        matches!(self, Self::ClockStep { .. } | Self::Evict { .. } | Self::FlushScripts { .. })
    }
}

impl FaultKind {
    /// All, with their texts.
    pub const TEXTS: [(Self, &'static str); 14] = [
        (Self::Stop, "stop"),
        (Self::Suspend, "suspend"),
        (Self::Crash, "crash"),
        (Self::Kill, "kill"),
        (Self::ClockStep, "clock-step"),
        (Self::ClockRate, "clock-rate"),
        (Self::ClockFreeze, "clock-freeze"),
        (Self::Cut, "cut"),
        (Self::Slow, "slow"),
        (Self::Evict, "evict"),
        (Self::LateTimer, "late-timer"),
        (Self::ErrorReply, "error-reply"),
        (Self::FlushScripts, "flush-scripts"),
        (Self::Message, "message"),
    ];

    /// Its text.
    pub fn text(self) -> &'static str {
        Self::TEXTS.iter().find(|(kind, _)| *kind == self).map_or("", |(_, text)| text)
    }
}
