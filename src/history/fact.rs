//! The facts of a run, in the order of a lock's life, then the world's.
//!
//! Every oracle of `check` finds here what it needs, derived facts included.

use crate::lock::{ExtendFailure, Found, LossReason, RefuseReason, Released, Until};
use crate::name::{CallId, ClientId, GrantId, MessageName, NodeId, Operation, PointName, Process, VoterId};
use crate::plan::FaultKind;
use crate::time::{Now, WorldTime};

/// One fact, when it became true, whose it is, and what its owner's clocks showed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// The world's time. Records of one run never go back.
    pub at: WorldTime,
    /// The process it happened at.
    pub process: Process,
    /// That process's clocks.
    pub now: Now,
    /// What happened.
    pub fact: Fact,
}

/// A fact. Grants are numbered by decision: a smaller number is older.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(tag = "fact", rename_all = "kebab-case")]
pub enum Fact {
    // The caller's view.
    /// A call of acquire began.
    AcquireBegan {
        /// Which.
        call: CallId,
    },
    /// One of its attempts began.
    AttemptBegan {
        /// Of which call.
        call: CallId,
        /// Counts attempts over the incarnation.
        number: u32,
    },
    /// The call was granted: the decision.
    Granted {
        /// Of which call.
        call: CallId,
        /// The grant.
        grant: GrantId,
        /// The end it was given, on its declared clock.
        until: Until,
        /// Whether the declared end lies after the decision.
        ahead: bool,
        /// The fence, if any.
        fence: Option<i64>,
    },
    /// The grant that is recorded next is a re-entry: its client is inside with another one.
    Reentered {
        /// The grant to come.
        grant: GrantId,
        /// The grant that its client is inside with.
        outer: GrantId,
    },
    /// The call ended without a grant.
    Refused {
        /// Which.
        call: CallId,
        /// What the caller was told.
        why: RefuseReason,
        /// How many voters carry, at this moment, one and the same value that this call wrote.
        carried: u8,
        /// How many the core needs.
        quorum: u8,
        /// Whether a voter ever applied a write of this call.
        wrote: bool,
    },
    /// The holder or its watchdog began to extend.
    ExtendBegan {
        /// What.
        grant: GrantId,
    },
    /// The grant was extended.
    Extended {
        /// Which.
        grant: GrantId,
        /// The new end.
        until: Until,
        /// Whether the new end lies after this decision.
        ahead: bool,
    },
    /// An extension failed.
    ExtendFailed {
        /// Which.
        grant: GrantId,
        /// Why.
        why: ExtendFailure,
    },
    /// The holder was told that its hold is lost.
    LossTold {
        /// Which.
        grant: GrantId,
        /// Why.
        why: LossReason,
    },
    /// The holder's look at its own keys ended.
    CheckEnded {
        /// Of which grant.
        grant: GrantId,
        /// What it found.
        found: Found,
    },
    /// The holder called release.
    ReleaseBegan {
        /// What.
        grant: GrantId,
    },
    /// The call of release ended.
    ReleaseEnded {
        /// Of which grant.
        grant: GrantId,
        /// How.
        how: Released,
    },
    /// The client reached a named point of its code.
    Reached {
        /// Which.
        point: PointName,
    },

    // Promises and sections.
    /// A promise interval opened.
    PromiseBegan {
        /// Of which grant.
        grant: GrantId,
        /// Of which call.
        call: CallId,
    },
    /// It closed; half-open, so whatever else happens at this instant lies outside.
    PromiseEnded {
        /// Of which grant.
        grant: GrantId,
        /// Why.
        why: PromiseEnd,
    },
    /// A client entered the section.
    SectionEntered {
        /// With which grant.
        grant: GrantId,
    },
    /// It left.
    SectionLeft {
        /// With which grant.
        grant: GrantId,
        /// How.
        why: SectionEnd,
    },

    // Messages.
    /// A message was handed to the network.
    Sent {
        /// Which.
        name: MessageName,
    },
    /// A directive gave a message another latency.
    Delayed {
        /// Which.
        name: MessageName,
    },
    /// Its target handled it.
    Handled {
        /// Which.
        name: MessageName,
    },
    /// It will never be handled.
    MessageLost {
        /// Which.
        name: MessageName,
        /// Why.
        why: LostWhy,
    },
    /// A client's request became unknown to it because its limit passed.
    TimedOut {
        /// Which.
        name: MessageName,
    },

    // Nodes.
    /// A node executed a command for an acquire call. One record for each lock key it changed, and one without
    /// effect if it changed none.
    Applied {
        /// The message that carried the command.
        name: MessageName,
        /// On whose behalf.
        by: CallId,
        /// What it did to a lock key.
        change: Option<HoldChange>,
    },
    /// A node answers a command later: its connection waits for an item of a list.
    Blocked {
        /// The message that carried the command.
        name: MessageName,
    },
    /// A command published a message on a channel.
    Published {
        /// The message that carried the command.
        name: MessageName,
        /// How many connections hear the channel at this moment: each is sent the message.
        hearers: u32,
    },
    /// A hold key was no longer there: it expired, was evicted or lost by a restart.
    HoldGone {
        /// At which voter; the record's process says which of its nodes.
        node: VoterId,
        /// Who had written it.
        writer: CallId,
        /// Why.
        cause: Cause,
    },
    /// How many votes a rival could win against a grant, at every change during its promise, and after it
    /// until a rival first could.
    Backing {
        /// Whose votes.
        grant: GrantId,
        /// Voters that are up and free, or carry one and the same rival nonce (the most common one).
        winnable: u8,
        /// The smallest quorum that any client uses.
        quorum: u8,
        /// Whether the promise runs at this moment.
        promised: bool,
        /// What changed it.
        cause: Cause,
    },
    /// How many holds voters carry for a client whose lock counts them, told when a call of it was decided or a release
    /// had ended, and nothing of it was under way. Voters out of reach, and those where anything but commands changed
    /// what they carry, are not counted; it is not told if none is left.
    HoldsCounted {
        /// The grant that its client is inside with, or has just given back.
        grant: GrantId,
        /// Calls granted minus releases ended.
        believed: u32,
        /// The most that a voter carries.
        most: u32,
        /// What a quorum carries at least, if voters that are not counted carry what is believed.
        assured: u32,
    },
    /// Fewer voters than the grant's own quorum still carry it, not by its own release, while it is inside.
    HoldThinned {
        /// Whose.
        grant: GrantId,
    },

    // The store.
    /// The store served a read.
    StoreRead {
        /// For whom.
        client: ClientId,
        /// With which grant.
        grant: GrantId,
        /// The stock it answered.
        stock: i64,
    },
    /// The store told whether something that must be done once has been done.
    StoreLooked {
        /// For whom.
        client: ClientId,
        /// With which grant.
        grant: GrantId,
        /// Which period, or which order; from 0.
        item: u32,
        /// How often it has been done so far.
        times: u32,
    },
    /// The store accepted or refused a write.
    StoreWrite {
        /// Of which grant.
        grant: GrantId,
        /// Whether it took effect.
        accepted: bool,
        /// Whether the writer's promise ran at this moment.
        promised: bool,
        /// What it does.
        access: Access,
    },

    // Bounded expectations.
    /// The world began to watch a bound.
    WatchBegan {
        /// What it watches.
        watch: Watch,
        /// When the bound is reached.
        #[serde(rename = "due_us")]
        due: WorldTime,
    },
    /// The watch ended.
    WatchOver {
        /// Which.
        watch: Watch,
        /// How.
        end: WatchEnd,
    },

    // Faults and lives.
    /// A planned fault began.
    FaultBegan {
        /// Its index in the plan.
        index: u32,
        /// Its kind.
        kind: FaultKind,
        /// Whether it really took effect on anything.
        effective: bool,
    },
    /// A planned fault ended.
    FaultEnded {
        /// Its index in the plan.
        index: u32,
        /// Its kind.
        kind: FaultKind,
    },
    /// A client addresses another node of a voter from here on.
    Rerouted {
        /// Which node.
        to: NodeId,
    },
    /// A replica applied this much of its primary's stream.
    Replicated {
        /// Its primary.
        from: NodeId,
        /// Counts entries of the stream, from 1.
        entry: u32,
    },
    /// A replica took over the whole state of a primary: what only it had is gone.
    Resynced {
        /// Whose.
        from: NodeId,
    },
    /// A client process began its life, again if its incarnation is above 1.
    Started {
        /// Which life.
        incarnation: u16,
    },
    /// A client has nothing more to do.
    Done,
    /// Everything is quiet: settle time has passed since the last client was done.
    Settled,
    /// A hold key that is still there when all has settled.
    LeftOver {
        /// Where.
        node: VoterId,
        /// Who wrote it.
        writer: CallId,
        /// Whether its writer still has a live promise or an attempt in progress.
        excused: bool,
    },
}

impl Fact {
    /// Whether it says only that a message was sent, handled or given up: no oracle, witness or margin looks at
    /// these, and they are most of a run.
    pub fn is_traffic(&self) -> bool {
        matches!(
            self,
            Self::Sent { .. } | Self::Handled { .. } | Self::TimedOut { .. } | Self::Replicated { .. }
        )
    }
}

/// What a command did to a hold key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct HoldChange {
    /// For which purpose the command was sent.
    pub operation: Operation,
    /// What it did.
    pub effect: HoldEffect,
    /// Who had written the live value that was there, if one was.
    pub owner: Option<CallId>,
    /// Whether that value is another call's, and the command left it to everybody who holds by it: a second hold of one
    /// client where holders may acquire again, or one among holds that are shared.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub compatible: bool,
}

/// The effect of a command on a hold key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HoldEffect {
    /// Set, over nothing or over a value.
    Written,
    /// Changed in place.
    Updated,
    /// Its expiry changed.
    Prolonged,
    /// Removed.
    Removed,
}

impl HoldEffect {
    /// Whether a command of this purpose may have taken the lock by it: it set the hold, or joined one in place.
    pub fn takes(self, operation: Operation) -> bool {
        match self {
            Self::Written => true,
            Self::Updated => operation == Operation::Acquire,
            Self::Prolonged | Self::Removed => false,
        }
    }
}

/// Why the state of a hold changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A command of the grant's own client.
    Own,
    /// A command of another client.
    Rival,
    /// The key's life ended.
    Expiry,
    /// A clock of the node was changed by a fault, and with it the key's life ended.
    ClockFault,
    /// The key was evicted.
    Eviction,
    /// The node went down or came back.
    Restart,
    /// The promise itself began or ended.
    Promise,
    /// A client learned of another primary, or a replica was promoted.
    Failover,
    /// A replica took over the whole state of its primary.
    Resync,
}

/// Why a promise ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromiseEnd {
    /// Its declared clock reached its end.
    Reached,
    /// The holder called release.
    Released,
    /// The holder was told of a loss.
    Lost,
    /// The holder crashed.
    Crashed,
    /// An extension replaced it by an interval that opens at the same moment.
    Replaced,
}

/// How a section ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SectionEnd {
    /// The work was done.
    Finished,
    /// A check found the promise at its end, or the holder left at the promised end.
    Expired,
    /// The holder was told of a loss.
    Lost,
    /// The process crashed.
    Crashed,
}

/// Why a message was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LostWhy {
    /// A directive.
    Directive,
    /// The connection was reset by a cut.
    Reset,
    /// A black hole swallowed it.
    BlackHole,
    /// The process at its target is gone.
    Down,
}

/// What a write to the store is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// A plain write of the workload `hold`.
    Write,
    /// `stock`: one item bought; the stock read before and the stock and orders after the write.
    Buy {
        /// What the buyer had read.
        read: i64,
        /// What is left if accepted.
        left: i64,
        /// Orders so far, this one included if accepted.
        orders: i64,
        /// The stock at the start.
        start: i64,
    },
    /// `cron` and `submit`: something that must be done once.
    Run {
        /// Which period, or which order; from 0.
        item: u32,
        /// How often it has been done so far, this one included if accepted.
        times: u32,
    },
}

/// A bounded expectation: something that must have come by a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Watch {
    /// What is expected.
    pub kind: WatchKind,
    /// On whose behalf.
    pub call: CallId,
}

/// What is expected within the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WatchKind {
    /// `leak`: after the caller was told that it does not hold, all voters reachable: its keys are gone.
    Leak,
    /// `stuck`: faults over, other clients idle: the willing client is granted.
    Stuck,
    /// `unavailable`: a quorum is up and reachable and nobody else holds or wants the lock: the call is granted.
    Unavailable,
    /// `silent-loss`: a hold that thinned while its renewing holder was inside: the holder is told or leaves.
    SilentLoss,
}

/// How a watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WatchEnd {
    /// What was expected came in time.
    Met,
    /// The conditions of the watch no longer hold: nothing is judged.
    Void,
    /// The bound passed, or the call ended the wrong way.
    Missed,
}
