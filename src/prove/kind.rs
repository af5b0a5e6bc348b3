//! What may go wrong in a model: the kinds of fault, how often each, how far each.
//!
//! A kind is an assumption that is dropped. Every kind is a fault of the plan format aimed at any one process of a
//! class; of the nodes of a voter it is the first. `offer.rs` says which faults those are, `state.rs` when they are
//! offered. Must not choose.

/// A kind of fault that a model can allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A client handles nothing; its clocks run on (GC, SIGSTOP, a stolen virtual CPU).
    ClientStop,
    /// A client handles nothing and its monotonic clock stands still (a suspended machine).
    ClientSuspend,
    /// The clock on which a client counts its promises loses time: it stands still while the client works on.
    ClientClockSlow,
    /// A node's wall clock gains time: it runs at twice the rate.
    NodeClockFast,
    /// A node's wall clock jumps ahead.
    NodeClockStep,
    /// A request to a node, or its reply, is lost.
    MessageLoss,
    /// A request to a node is later than its bound. Where its client reconnects after a timeout, what it sends then may
    /// overtake it.
    LateMessage,
    /// A node process ends and restarts with everything it had acknowledged.
    NodeCrashKeeping,
    /// A node process ends and restarts empty.
    NodeCrashLosing,
    /// A replica is promoted; its primary serves on, until the clients learn of it.
    Failover,
    /// A node evicts the lock's key.
    Eviction,
    /// A request to the store arrives late.
    StoreDelay,
}

impl Kind {
    /// All, in the order of tables, with their texts in files.
    pub const TEXTS: [(Self, &'static str); 12] = [
        (Self::ClientStop, "client-stop"),
        (Self::ClientSuspend, "client-suspend"),
        (Self::ClientClockSlow, "client-clock-slow"),
        (Self::NodeClockFast, "node-clock-fast"),
        (Self::NodeClockStep, "node-clock-step"),
        (Self::MessageLoss, "message-loss"),
        (Self::LateMessage, "late-message"),
        (Self::NodeCrashKeeping, "node-crash-keeping"),
        (Self::NodeCrashLosing, "node-crash-losing"),
        (Self::Failover, "failover"),
        (Self::Eviction, "eviction"),
        (Self::StoreDelay, "store-delay"),
    ];

    /// Its text.
    pub fn text(self) -> &'static str {
        Self::TEXTS.iter().find(|(kind, _)| *kind == self).map_or("", |(_, text)| text)
    }

    /// Its place in [`Self::TEXTS`].
    pub fn place(self) -> usize {
        Self::TEXTS.iter().position(|(kind, _)| *kind == self).unwrap_or_default()
    }
}

/// What may go wrong in a model. Whatever is left out cannot happen.
///
/// **Shape** one entry for each kind, in the order of [`Kind::TEXTS`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Menu {
    /// How many faults may happen in the whole run, of all kinds together.
    pub total: u8,
    /// The kinds allowed.
    pub allowed: Vec<Allowed>,
}

/// One kind that is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Allowed {
    /// Which.
    pub kind: Kind,
    /// How many of them may happen in the whole run.
    pub budget: u8,
    /// How many ticks at least and at most: how long it lasts, how late a message is beyond its bound, how long a node
    /// is down, how far a clock jumps. Meaningless for kinds without an extent (loss, eviction, failover).
    pub ticks: (u8, u8),
}

impl Menu {
    /// Nothing goes wrong.
    pub const fn none() -> Self {
        Self { total: 0, allowed: Vec::new() }
    }

    /// What is said of this kind, if it is allowed.
    pub fn of(&self, kind: Kind) -> Option<&Allowed> {
        self.allowed.iter().find(|allowed| allowed.kind == kind && allowed.budget > 0)
    }
}
