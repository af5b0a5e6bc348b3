//! The one state machine of a handle, with its data in the variants.
//!
//! ```text
//! Idle -> Taking -> (Settling ->) Holding -> Releasing -> Idle
//!          |   ^                      `-> Gone -> (Taking | Releasing)
//!          v   |
//!       Undoing -> Pausing -> Taking, or Idle (refused)
//! ```
//! Nothing that cannot change a later output may stay here. Must not contain transitions.

use crate::lock::quorum::validity::{Expiry, Promise};
use crate::lock::{Caller, RefuseReason, RequestId, Ttl};
use crate::name::Nonce;
use crate::time::Span;
use smallvec::SmallVec;

/// Where the handle stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    /// No call, no hold.
    Idle,
    /// A sub-lock is being taken.
    Taking(Taking),
    /// Enough were got and are given their life.
    Settling { taking: Taking, lease: Expiry, poll: Poll },
    /// What was got is being given back.
    Undoing { call: Call, poll: Poll, next: Next },
    /// The call waits to begin again.
    Pausing(Call),
    /// The caller has the lock.
    Holding(Hold),
    /// The caller was told that its hold is lost; its release still takes back what may be left.
    Gone { caller: Caller, nonce: Nonce },
    /// The hold is being given back.
    Releasing { caller: Caller, nonce: Nonce, number: u32, poll: Poll },
}

/// A call of acquire that is not decided yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Call {
    pub(super) caller: Caller,
    pub(super) nonce: Nonce,
    pub(super) ttl: Ttl,
    /// How long it waits in all, or in this round.
    pub(super) wait: Span,
    /// When that is over.
    pub(super) over: Expiry,
    /// The number of the present attempt.
    pub(super) number: u32,
    /// How many commands were sent in it.
    pub(super) sent: u8,
    /// The wait before it begins again, drawn with it.
    pub(super) pause: Span,
    pub(super) past: Past,
}

/// What earlier attempts of a call left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Past {
    /// Every sub-lock that was written is known.
    Clean,
    /// One may have been written and not been heard of: what looks taken may be the call's own.
    Doubtful,
}

/// An attempt: the sub-locks got so far, and the one that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Taking {
    pub(super) call: Call,
    /// The lease of the whole, from before the first question.
    pub(super) lease: Expiry,
    /// How many sub-locks were asked for before this one.
    pub(super) place: u8,
    /// The voters whose sub-lock was got, by bit.
    pub(super) got: u8,
    /// When the time of this sub-lock is over.
    pub(super) share: Expiry,
    pub(super) step: Step,
}

/// How far a sub-lock has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// Asked for.
    Asked(RequestId),
    /// Asked to be told of releases.
    Listening(RequestId),
    /// Waits until told, or to ask again.
    Waiting,
}

/// What follows when all was given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Next {
    /// Begin again.
    Again,
    /// Tell the caller.
    Refuse(RefuseReason),
}

/// A question to several voters at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Poll {
    /// Who has not answered, and by which request.
    pub(super) open: SmallVec<[(u8, RequestId); 5]>,
    /// Who said yes, by bit.
    pub(super) yes: u8,
    /// Who said no, by bit.
    pub(super) no: u8,
}

/// A hold that the caller was granted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Hold {
    pub(super) caller: Caller,
    pub(super) nonce: Nonce,
    pub(super) ttl: Ttl,
    /// The voters whose sub-lock was got, by bit.
    pub(super) got: u8,
    pub(super) promise: Promise,
    pub(super) extending: Asking,
    pub(super) renewing: Asking,
    pub(super) checking: Asking,
}

/// Whether something is asked about a hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Asking {
    Resting,
    Asked { number: u32, ttl: Ttl, lease: Expiry, poll: Poll },
}

impl Poll {
    /// Nobody is asked so far.
    pub(super) fn empty() -> Self {
        Self { open: SmallVec::new(), yes: 0, no: 0 }
    }

    /// The voter that this request asks.
    pub(super) fn asked(&self, request: RequestId) -> Option<u8> {
        self.open.iter().find(|(_, known)| *known == request).map(|(voter, _)| *voter)
    }
}
