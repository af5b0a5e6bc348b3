//! The parts of a handle, each a small machine with its data in the variants: the call in progress, the hold, the
//! watchdog, the subscription.
//!
//! They run beside each other: a holder may call acquire again, and its watchdog renews meanwhile. Nothing that cannot
//! change a later output may stay here: the prover hashes it. Must not contain transitions.

use crate::lock::{Caller, RefuseReason, RequestId, Ttl};
use crate::name::Operation;
use crate::time::{MonoTime, Now, Span, WallTime};

/// The caller's call, if one is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Call {
    /// None.
    None,
    /// A try to acquire is asking, or is about to be sent again.
    Asking(Asking),
    /// A try was granted and asks for the replicas.
    Confirming(Confirming),
    /// A try that was granted is taken back, because too few replicas have it.
    Undoing(Undoing),
    /// A try was refused; the next comes with a wake, a message, or the answer to a subscription.
    Waiting(Attempt),
    /// A hold is being given back.
    Releasing(Releasing),
    /// The holder asks whether it still holds.
    Looking { caller: Caller, request: RequestId, number: u32 },
}

/// A call of acquire and its latest try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Attempt {
    pub(super) caller: Caller,
    /// The life that the key is to have.
    pub(super) life: Ttl,
    /// Whether the call named it.
    pub(super) named: bool,
    pub(super) end: End,
    /// The number of the try.
    pub(super) number: u32,
    /// How many tries of the call were refused: what spinning counts.
    pub(super) refused: u32,
    /// How often the call subscribed.
    pub(super) subscribed: u8,
    pub(super) past: Past,
}

/// When a call stops waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum End {
    Never,
    Mono(MonoTime),
    Wall(WallTime),
}

/// What earlier tries of a call left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Past {
    /// Every try was answered.
    Clean,
    /// One was not: it may have counted a hold, or may still.
    Doubtful,
}

/// A try that is asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Asking {
    pub(super) attempt: Attempt,
    /// `None` while it waits to be sent again.
    pub(super) request: Option<RequestId>,
    pub(super) repeats: u8,
    /// The pause before the next try, drawn with this one; 0 where none is drawn.
    pub(super) pause: Span,
}

/// A try that asks for its replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Confirming {
    pub(super) attempt: Attempt,
    pub(super) fence: Option<i64>,
    pub(super) request: RequestId,
    pub(super) question: Question,
}

/// What the node is asked about its replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Question {
    /// How many there are.
    Role,
    /// To wait until so many have the hold.
    Wait { replicas: u32 },
}

/// A granted try that is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Undoing {
    pub(super) caller: Caller,
    pub(super) number: u32,
    pub(super) request: RequestId,
    pub(super) why: RefuseReason,
}

/// A hold that is being given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Releasing {
    pub(super) caller: Caller,
    pub(super) number: u32,
    /// `None` while it waits to be sent again.
    pub(super) request: Option<RequestId>,
    pub(super) repeats: u8,
}

/// What the caller was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Hold {
    pub(super) caller: Caller,
    /// How many grants were not given back.
    pub(super) depth: u32,
    /// How many of them asked for the watchdog, as its bookkeeping counts: every release takes one off, whichever hold
    /// it gives back.
    ///
    /// **Source** Redisson's `ExpirationEntry`, which counts per thread and not per hold.
    pub(super) watched: u32,
}

/// The watchdog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Renewing {
    /// There is none.
    Off,
    /// Its next renewal comes with a wake.
    Resting,
    /// A renewal is asking.
    Asking { request: RequestId, number: u32 },
}

/// The subscription to the lock's channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Listening {
    /// None.
    Off,
    /// Asked for. `first`: the call waits for the answer before it tries again.
    Asking { request: RequestId, first: bool },
    /// There is one; `heard` if a message came that no try has answered yet.
    On { heard: bool },
}

/// The last numbers given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Counters {
    pub(super) requests: u32,
    pub(super) attempts: u32,
    pub(super) extensions: u32,
    pub(super) releases: u32,
    pub(super) checks: u32,
}

impl Counters {
    pub(super) const ZERO: Self = Self { requests: 0, attempts: 0, extensions: 0, releases: 0, checks: 0 };

    /// The next number of this kind.
    pub(super) fn next(&mut self, operation: Operation) -> u32 {
        let last = match operation {
            Operation::Acquire => &mut self.attempts,
            Operation::Extend => &mut self.extensions,
            Operation::Release => &mut self.releases,
            Operation::Check => &mut self.checks,
            Operation::Aside => unreachable!("a core sends nothing outside of its operations"),
        };
        *last = last.checked_add(1).unwrap_or(1);
        *last
    }

    pub(super) fn next_request(&mut self) -> RequestId {
        self.requests = self.requests.checked_add(1).unwrap_or(1);
        RequestId(self.requests)
    }
}

impl End {
    /// What is left until then; `None` if there is no end.
    pub(super) fn left(self, now: Now) -> Option<Span> {
        match self {
            Self::Never => None,
            Self::Mono(end) => Some(end - now.mono),
            Self::Wall(end) => Some(end - now.wall),
        }
    }
}

impl Attempt {
    /// Why a call ends whose last try was refused. *Taken* is definite: not where a try went unanswered, for then the
    /// call may have counted a hold.
    pub(super) fn refusal(&self) -> RefuseReason {
        match self.past {
            Past::Clean => RefuseReason::Taken,
            Past::Doubtful => RefuseReason::Unknown,
        }
    }
}
