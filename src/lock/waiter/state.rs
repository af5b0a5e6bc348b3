//! The one state machine of a handle, with its data in the variants.
//!
//! ```text
//! Idle -> Looking -> Asking -> Holding -> Releasing -> Idle
//!                    |  ^  |      `-> Gone -> (Asking | Releasing)
//!                    v  |  v
//!     Listening -> Waiting  Undoing -> Idle (refused)
//! ```
//! Nothing that cannot change a later output may stay here. Must not contain transitions.

use crate::lock::quorum::validity::{Expiry, Promise};
use crate::lock::{Caller, RefuseReason, RequestId, Ttl};
use crate::name::Nonce;

/// Where the handle stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    /// No call, no hold.
    Idle,
    /// A call looks whether the handle holds already.
    Looking(Asked),
    /// A call asks for the lock.
    Asking(Asked),
    /// A call that was refused once wants to be told of releases.
    Listening(Asked),
    /// A call waits for its wake, a message or a signal.
    Waiting(Waiting),
    /// A call that ends without the lock takes back what it may have written.
    Undoing(Undoing),
    /// The caller has the lock.
    Holding(Hold),
    /// The caller was told that its hold is lost; its release still takes back what may be left.
    Gone { caller: Caller, nonce: Nonce },
    /// The last hold is being given back.
    Releasing { caller: Caller, nonce: Nonce, giving: Giving },
}

/// A call of acquire that is not decided yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Call {
    pub(super) caller: Caller,
    pub(super) nonce: Nonce,
    pub(super) ttl: Ttl,
    /// When the caller's patience ends.
    pub(super) patience: Expiry,
    pub(super) chance: Chance,
    /// The number of the present attempt.
    pub(super) number: u32,
    /// How many commands that are named alike were sent in it.
    pub(super) others: u8,
}

/// Whether a refusal ends the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Chance {
    /// It waits, if patience is left.
    More,
    /// It ends.
    Last,
}

/// A call with an open request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    pub(super) call: Call,
    pub(super) request: RequestId,
    /// The lease that the request would begin.
    pub(super) lease: Expiry,
}

/// A call that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Waiting {
    pub(super) call: Call,
    /// The request that blocks until a signal comes.
    pub(super) blocked: Option<RequestId>,
}

/// A call that takes back what it wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Undoing {
    pub(super) call: Call,
    pub(super) why: RefuseReason,
    pub(super) request: RequestId,
    /// What is still to be undone afterwards.
    pub(super) then: Undo,
}

/// What is to be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Undo {
    /// Nothing.
    Nothing,
    /// The place in the queue.
    Place,
    /// A hold, and then the place in the queue.
    Hold,
}

/// A hold that the caller was granted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Hold {
    pub(super) caller: Caller,
    pub(super) nonce: Nonce,
    /// The life that a watchdog renews to: the last that was granted.
    pub(super) ttl: Ttl,
    /// How often the caller holds.
    pub(super) holds: u8,
    pub(super) promise: Promise,
    pub(super) deed: Deed,
    pub(super) watchdog: Watchdog,
}

/// What the caller itself waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Deed {
    Resting,
    /// To hold once more.
    Entering(Prolonging),
    /// To have its hold prolonged.
    Extending(Prolonging),
    /// To hear whether its hold is still there.
    Checking {
        number: u32,
        request: RequestId,
    },
    /// To give an inner hold back.
    GivingBack(Giving),
}

/// A question whose answer begins a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Prolonging {
    pub(super) ttl: Ttl,
    pub(super) number: u32,
    pub(super) request: RequestId,
    pub(super) lease: Expiry,
}

/// A release that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Giving {
    pub(super) number: u32,
    pub(super) request: RequestId,
    /// How often it was sent again.
    pub(super) repeats: u8,
}

/// What renews the hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Watchdog {
    /// Nothing: there is none, or it has ended.
    Off,
    Resting,
    Asking(Prolonging),
}

/// Whether the handle is told of releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Ears {
    /// It is not, and did not ask.
    Shut,
    /// It asked again after its connection broke.
    Asking(RequestId),
    /// It is, as far as it knows.
    Open,
    /// It is, and was told while a try was out.
    Rung,
}
