//! How long a won attempt may be believed.
//!
//! **Validity counts from send.** A node starts the key's life when it executes the SET, which is some moment
//! after the client sent it and before the client reads the answer. The client knows only those two moments,
//! and of the two only the earlier one is safe: an answer may wait for seconds in an inbox while the key is
//! already ageing. So the lease is read off the clock *before the first send* plus the TTL, minus the margin for
//! clocks that run at different rates. `decision+ttl-elapsed-drift` is the same number written differently (the
//! elapsed time is measured from that same moment on that same clock); `decision+ttl` is the mistake.
//!
//! ```text
//!        start                executed at the node          decision
//!          |---------------------- x --------------------------|
//!          |<------------------- ttl - drift ------------------------------->| lease (send+ttl-drift)
//!                                  |<---------------- ttl ------------------------->| life of the key
//!                                                              |<-------- ttl -------------- ...  decision+ttl
//! ```
//!
//! Must not decide anything but time. All comparisons are on the clock that the policy names.
//! **Source** "Distributed Locks with Redis", redis.io, steps 1, 3 and 4.

use crate::canon::Canon;
use crate::lock::policy::{Arithmetic, Basis, Elapsed, ExtensionChecks, Policy, Validity};
use crate::lock::{Ttl, Until};
use crate::time::{ClockKind, MonoTime, Now, Span, WallTime};

/// What an unsigned rest that wrapped around comes to: no clock gets there. The real number, 2^64 milliseconds less the
/// delay, does not fit the microseconds of this harness.
const WRAPPED: Span = Span(1 << 61);

/// A moment on the clock of the policy, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::lock) enum Expiry {
    Never,
    Mono(MonoTime),
    Wall(WallTime),
}

/// What a hold was promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::lock) enum Promise {
    /// Up to a moment that the caller was told.
    End(Expiry),
    /// Until told of a loss; the lease is what a watchdog guards.
    Lost { lease: Expiry },
    /// Until released.
    Released,
}

impl Expiry {
    pub(in crate::lock) fn after(clock: ClockKind, now: Now, span: Span) -> Self {
        match clock {
            ClockKind::Mono => Self::Mono(now.mono + span),
            ClockKind::Wall => Self::Wall(now.wall + span),
        }
    }

    /// Half-open: a moment is no longer ahead when its clock reaches it.
    pub(in crate::lock) fn is_ahead(self, now: Now) -> bool {
        self.rest(now).is_none_or(|rest| rest > Span::ZERO)
    }

    /// How far it is ahead, below 0 if it is past; `None` if it never comes.
    fn rest(self, now: Now) -> Option<Span> {
        match self {
            Self::Never => None,
            Self::Mono(end) => Some(end - now.mono),
            Self::Wall(end) => Some(end - now.wall),
        }
    }

    fn later(self, by: Span) -> Self {
        match self {
            Self::Never => Self::Never,
            Self::Mono(end) => Self::Mono(end + by),
            Self::Wall(end) => Self::Wall(end + by),
        }
    }

    fn until(self) -> Until {
        match self {
            Self::Never => Until::Released,
            Self::Mono(end) => Until::Mono(end),
            Self::Wall(end) => Until::Wall(end),
        }
    }

    /// The monotonic moment at which it will be reached if both clocks run alike; for the wall clock at least a
    /// millisecond ahead, so that a wall clock that stands still does not wake anybody without pause.
    pub(in crate::lock) fn in_mono(self, now: Now) -> Option<MonoTime> {
        match self {
            Self::Never => None,
            Self::Mono(end) => Some(end),
            Self::Wall(end) => Some(now.mono + (end - now.wall).max(Span::from_ms(1))),
        }
    }

    pub(in crate::lock) fn canonical(&mut self, canon: &mut Canon) {
        match self {
            Self::Never => {}
            Self::Mono(end) => canon.mono_deadline(end),
            Self::Wall(end) => canon.wall_deadline(end),
        }
    }
}

impl Promise {
    pub(in crate::lock) fn until(self) -> Until {
        match self {
            Self::End(end) => end.until(),
            Self::Lost { .. } => Until::Lost,
            Self::Released => Until::Released,
        }
    }

    /// Whether the core itself still believes in it.
    pub(in crate::lock) fn is_running(self, now: Now) -> bool {
        self.lease().is_ahead(now)
    }

    /// The monotonic moment at which a watchdog has to look whether it ended.
    pub(in crate::lock) fn ends_at(self, now: Now) -> Option<MonoTime> {
        self.lease().in_mono(now)
    }

    /// Its end, so much later.
    pub(super) fn prolonged(self, by: Span) -> Expiry {
        self.lease().later(by)
    }

    fn lease(self) -> Expiry {
        match self {
            Self::End(lease) | Self::Lost { lease } => lease,
            Self::Released => Expiry::Never,
        }
    }

    pub(in crate::lock) fn canonical(&mut self, canon: &mut Canon) {
        match self {
            Self::End(lease) | Self::Lost { lease } => lease.canonical(canon),
            Self::Released => {}
        }
    }
}

/// The end of the lease of a key that is about to be written for `ttl`; `Never` where the policy does not look
/// at it.
pub(in crate::lock) fn lease(policy: &Policy, ttl: Ttl, start: Now) -> Expiry {
    let Ttl::Of(ttl) = ttl else { return Expiry::Never };
    let counts = match (policy.validity, policy.basis) {
        (Validity::Checked | Validity::ZeroPasses, _) => true,
        (Validity::NoCheck, Basis::Send | Basis::DecisionElapsed | Basis::UntilLost) => true,
        (Validity::NoCheck, Basis::Decision | Basis::UntilReleased) => false,
    };
    if !counts {
        return Expiry::Never;
    }
    Expiry::after(policy.clock, start, policy.less_margin(ttl))
}

/// The lease as the code computes it that subtracts an elapsed time: with what was rounded away of that, and wrapped
/// around where it is past and nobody looked at the sign.
fn computed(policy: &Policy, ttl: Span, lease: Expiry, decision: Now) -> Expiry {
    let Some(rest) = lease.rest(decision) else { return lease };
    let elapsed = policy.less_margin(ttl) - rest;
    let unit = match policy.elapsed {
        Elapsed::Exact => 1,
        Elapsed::WholeMs => 1_000,
        Elapsed::WholeS => 1_000_000,
    };
    let lost = Span(elapsed.0.rem_euclid(unit));
    match policy.arithmetic {
        Arithmetic::Wrapping if rest + lost < Span::ZERO => Expiry::after(policy.clock, decision, WRAPPED),
        Arithmetic::Wrapping | Arithmetic::Checked => lease.later(lost),
    }
}

/// The promise of keys written for `ttl` under this lease and confirmed by a quorum at `decision`; `None` if the
/// policy checks and not enough validity is left. The check is the specification's `ttl - elapsed - drift > 0` whatever
/// the basis, so that it also means something to code that states no end.
pub(in crate::lock) fn promise(policy: &Policy, ttl: Ttl, lease: Expiry, decision: Now) -> Option<Promise> {
    let Ttl::Of(ttl) = ttl else { return Some(Promise::Released) };
    let lease = computed(policy, ttl, lease, decision);
    let late = lease.rest(decision).is_some_and(|rest| match policy.validity {
        Validity::Checked => rest <= policy.min_validity,
        Validity::ZeroPasses => rest < policy.min_validity,
        Validity::NoCheck => false,
    });
    if late {
        return None;
    }
    Some(match policy.basis {
        Basis::Send | Basis::DecisionElapsed => Promise::End(lease),
        Basis::Decision => Promise::End(Expiry::after(policy.clock, decision, ttl)),
        Basis::UntilReleased => Promise::Released,
        Basis::UntilLost => Promise::Lost { lease },
    })
}

/// The promise of keys that a quorum prolonged to `ttl`; `None` if the policy checks and not enough validity is left.
pub(super) fn extended(policy: &Policy, ttl: Span, lease: Expiry, decision: Now) -> Option<Promise> {
    match policy.extension_checks {
        ExtensionChecks::Validity => promise(policy, Ttl::Of(ttl), lease, decision),
        ExtensionChecks::Nothing => {
            let end = Expiry::after(policy.clock, decision, ttl);
            Some(match policy.basis {
                Basis::Send | Basis::DecisionElapsed | Basis::Decision => Promise::End(end),
                Basis::UntilReleased => Promise::Released,
                Basis::UntilLost => Promise::Lost { lease: end },
            })
        }
    }
}

/// A TTL as Redis will see it: whole milliseconds, rounded down.
pub(in crate::lock) fn whole_ms(ttl: Ttl) -> Ttl {
    match ttl {
        Ttl::Never => Ttl::Never,
        Ttl::Of(span) => Ttl::Of(Span(span.as_ms_floor().saturating_mul(1_000))),
    }
}

/// A third of the TTL, rounded down to a millisecond, at least one.
///
/// **Source** Redisson's watchdog, `lockWatchdogTimeout / 3`.
pub(in crate::lock) fn renewal_period(ttl: Span) -> Span {
    Span::from_ms(Span(ttl.0 / 3).as_ms_floor().max(1))
}
