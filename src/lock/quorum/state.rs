//! The one state machine of a handle, with its data in the variants.
//!
//! ```text
//! Idle -> Asking -> (Confirming ->) Holding -> Releasing -> Idle
//!           |  ^      |                `-> Gone -> (Asking | Releasing)
//!           v  |      v
//!        Cleaning -> Waiting          Cleaning (-> Lingering) -> Idle (refused)
//! ```
//! Nothing that cannot change a later output may stay here: the prover hashes it. Must not contain transitions.

use crate::lock::{Caller, RefuseReason, Ttl};
use crate::name::{Nonce, Worker};
use crate::time::{Now, Span};

use super::ballot::Ballot;
use super::errand::{Errand, Task};
use super::validity::{Expiry, Promise};

/// Where the handle stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    /// No call, no hold.
    Idle,
    /// An attempt is asking the voters.
    Asking(Asking),
    /// An attempt has its quorum and asks for its replicas.
    Confirming(Confirming),
    /// A failed attempt is being taken back.
    Cleaning(Cleaning),
    /// The next attempt waits for its wake.
    Waiting(Call),
    /// The call has failed for good, and waits once more before it says so.
    Lingering { caller: Caller, why: RefuseReason },
    /// The caller has the lock.
    Holding(Hold),
    /// The caller was told that its hold is lost; its release still takes back what may be left.
    Gone { caller: Caller, nonce: Nonce, granted: u32 },
    /// The hold is being given back.
    Releasing(Releasing),
}

/// A call of acquire that is not decided yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Call {
    pub(super) caller: Caller,
    pub(super) ttl: Ttl,
    /// How many further attempts the policy allows.
    pub(super) left: u32,
    pub(super) past: Past,
    /// What it has to remember of its beginning, where the policy wants that.
    pub(super) origin: Option<Box<Origin>>,
}

/// What a call remembers of its beginning.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    /// The end of the lease, where validity counts from the beginning of the call.
    pub(super) lease: Expiry,
    /// From when on no further attempt begins.
    pub(super) limit: Expiry,
    /// The answer if no further attempt begins: how the last one failed.
    pub(super) last: RefuseReason,
}

/// What earlier attempts of a call left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Past {
    /// No attempt of the call can have written a quorum.
    Clean,
    /// An earlier one may have: what looks taken may be the call's own late write.
    Doubtful,
}

/// An attempt that is asking.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Asking {
    pub(super) call: Call,
    pub(super) number: u32,
    pub(super) nonce: Nonce,
    /// The wait before the next attempt, drawn with this one; 0 if there is none.
    pub(super) wait: Span,
    pub(super) lease: Expiry,
    pub(super) ballot: Ballot,
}

/// An attempt that has its quorum and asks for its replicas.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Confirming {
    pub(super) asking: Asking,
    /// The fence that the grant will carry.
    pub(super) fence: Option<i64>,
    pub(super) question: Question,
    pub(super) ballot: Ballot,
}

/// What the voter is asked about its replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Question {
    /// How many there are.
    Role,
    /// To wait until so many have the key.
    Wait { replicas: u32 },
}

/// A failed attempt that is being taken back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cleaning {
    pub(super) number: u32,
    pub(super) nonce: Nonce,
    pub(super) ballot: Ballot,
    pub(super) next: Next,
}

/// What follows when a failed attempt has been taken back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Next {
    /// Wait this long, then try again.
    Retry { call: Call, wait: Span },
    /// Wait this long, then tell the caller.
    Linger { caller: Caller, why: RefuseReason, wait: Span },
    /// Tell the caller.
    Refuse { caller: Caller, why: RefuseReason },
}

/// A hold that the caller was granted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Hold {
    pub(super) caller: Caller,
    pub(super) nonce: Nonce,
    /// The life that a watchdog renews to: the last that was granted.
    pub(super) ttl: Ttl,
    pub(super) promise: Promise,
    /// The voters that were heard to grant it, by bit; 0 where the policy asks all anyway.
    pub(super) granted: u32,
    /// How often it was prolonged; 0 where the policy sets no limit.
    pub(super) renewals: u32,
    pub(super) extending: Extending,
    pub(super) checking: Checking,
}

/// A watchdog that goes on after its hold was released.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stray {
    pub(super) nonce: Nonce,
    pub(super) ttl: Span,
    pub(super) granted: u32,
    pub(super) extending: Extending,
}

/// Whether a hold is being prolonged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Extending {
    Resting,
    Asking(Prolonging),
}

/// A prolongation that is asking.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Prolonging {
    /// Who wants it: the caller or the watchdog.
    pub(super) worker: Worker,
    pub(super) number: u32,
    pub(super) ttl: Span,
    pub(super) lease: Expiry,
    pub(super) ballot: Ballot,
}

/// Whether the holder looks at its own keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Checking {
    Resting,
    Asking(Looking),
}

/// A look that is asking.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Looking {
    pub(super) number: u32,
    pub(super) ballot: Ballot,
}

/// A hold that is being given back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Releasing {
    pub(super) caller: Caller,
    pub(super) nonce: Nonce,
    pub(super) number: u32,
    pub(super) ballot: Ballot,
}

impl Asking {
    pub(super) fn errand(&self, now: Now) -> Errand {
        let task = Task::Take { ttl: self.call.ttl, wall: now.wall };
        Errand { task, nonce: self.nonce, worker: Worker::User, number: self.number }
    }
}

impl Confirming {
    pub(super) fn errand(&self) -> Errand {
        let task = match self.question {
            Question::Role => Task::Role,
            Question::Wait { replicas } => Task::Wait { replicas },
        };
        let Asking { nonce, number, .. } = self.asking;
        Errand { task, nonce, worker: Worker::User, number }
    }
}

impl Looking {
    pub(super) fn errand(&self, nonce: Nonce) -> Errand {
        Errand { task: Task::Look, nonce, worker: Worker::User, number: self.number }
    }
}

impl Cleaning {
    pub(super) fn errand(&self) -> Errand {
        Errand { task: Task::CleanUp, nonce: self.nonce, worker: Worker::User, number: self.number }
    }
}

impl Extending {
    /// Whether the holder itself waits for the outcome.
    pub(super) fn is_call(&self) -> bool {
        match self {
            Self::Resting | Self::Asking(Prolonging { worker: Worker::Watchdog, .. }) => false,
            Self::Asking(Prolonging { worker: Worker::User, .. }) => true,
        }
    }
}

impl Prolonging {
    pub(super) fn errand(&self, nonce: Nonce, now: Now) -> Errand {
        let task = Task::Prolong { ttl: self.ttl, wall: now.wall };
        Errand { task, nonce, worker: self.worker, number: self.number }
    }
}

impl Releasing {
    pub(super) fn errand(&self) -> Errand {
        Errand { task: Task::GiveBack, nonce: self.nonce, worker: Worker::User, number: self.number }
    }
}
