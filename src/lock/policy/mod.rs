//! The switches of the quorum core: what `single` (one voter) and `redlock` (many) let a library decide.
//!
//! Every value is named in the terms of the field: `words` has those that are words, `validate`, `parts` and
//! `unsound` say which may be. There is no `Default`: `like = "spec"` starts from [`Policy::spec`]. Must not run anything.

mod error;
mod parts;
mod unsound;
mod validate;
mod words;

pub use error::PolicyError;
pub use validate::Soundness;
pub use words::{
    AfterLast, Arithmetic, Asked, Asking, Basis, Cleanup, Counting, Deciding, DriftSign, Elapsed, Extension,
    ExtensionChecks, ExtensionMoves, ExtensionQuorumOf, ExtensionWithin, Fence, Growth, NonceLife, OnError,
    OnExtensionFailure, OnLoss, QuorumOf, QuorumRule, Reacquire, Release, ReleaseKey, ReleaseScope, Renewal,
    RenewalOnRelease, RenewalRearm, RenewalRounding, Repair, Start, Taking, TtlUnit, Validity, WaitFor,
    WhenLate,
};

use super::contract::Ttl;
use crate::time::{ClockKind, Span};

/// Which door a policy came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    /// One voter: SET NX PX on a single node.
    Single,
    /// A quorum of independent voters.
    Redlock,
    /// No lock at all: every call is granted at once.
    None,
}

/// The whole policy of one client's lock.
///
/// **Units** spans are microseconds; Redis sees whole milliseconds, rounded down.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// `single`, `redlock` or `none`.
    pub protocol: Protocol,
    /// How many voters are asked.
    pub voters: u8,
    /// How many must grant.
    pub quorum: u8,
    /// Of whom they must be so many.
    pub quorum_of: QuorumOf,
    /// Which answers count as a grant.
    pub counting: Counting,
    /// How a voter's key is written.
    pub taking: Taking,
    /// What is done for a key that is taken.
    pub repair: Repair,
    /// The life of the key.
    pub ttl: Ttl,
    /// In which unit lives are sent.
    pub ttl_unit: TtlUnit,
    /// How long one node may take to answer.
    pub node_timeout: Span,
    /// Subtracted from the life when the promise is computed.
    pub drift: Drift,
    /// Whether it really is subtracted.
    pub drift_sign: DriftSign,
    /// From when validity counts.
    pub start: Start,
    /// How exactly the elapsed time is known.
    pub elapsed: Elapsed,
    /// What a rest below zero is.
    pub arithmetic: Arithmetic,
    /// Whether a won attempt with no validity left is refused.
    pub validity: Validity,
    /// How much of it must be left at least. The specification: nothing but a rest.
    pub min_validity: Span,
    /// What the promised end rests on.
    pub basis: Basis,
    /// The clock that measures elapsed time and states the end.
    pub clock: ClockKind,
    /// All voters at once, or one after the other.
    pub asking: Asking,
    /// When their answers are enough.
    pub deciding: Deciding,
    /// When the attempt ends early because of an error reply.
    pub on_error: OnError,
    /// How a hold is taken back.
    pub release: Release,
    /// Which key that is done to.
    pub release_key: ReleaseKey,
    /// Which voters are asked.
    pub release_asks: Asked,
    /// Who is released after a failed attempt.
    pub release_on_failure: ReleaseScope,
    /// Who is released after an attempt that won too late.
    pub release_when_late: WhenLate,
    /// Who waits for that.
    pub cleanup: Cleanup,
    /// Further attempts after a failed one, and the wait before each.
    pub retry: Retry,
    /// How the waits change, and when there are no more.
    pub pace: Pace,
    /// How often the driver repeats a command whose connection broke, inside one attempt and unnoticed by it.
    pub driver_retries: u8,
    /// How long one nonce is used.
    pub nonce: NonceLife,
    /// Whether grants carry a fence.
    pub fence: Fence,
    /// How a hold is prolonged.
    pub extension: Extension,
    /// Of whom an extension wants a quorum.
    pub extension_quorum_of: ExtensionQuorumOf,
    /// Until when that is tried.
    pub extension_within: ExtensionWithin,
    /// What it makes of the promise.
    pub extension_moves: ExtensionMoves,
    /// What its promise takes off the life of the keys.
    pub extension_checks: ExtensionChecks,
    /// What it means that it failed.
    pub on_extension_failure: OnExtensionFailure,
    /// How often one hold is prolonged, by the holder and the watchdog together; 0 for no limit.
    pub renewals_max: u32,
    /// Whether the library prolongs by itself.
    pub renewal: Renewal,
    /// How long a watchdog waits, in thousandths of the TTL; a third of it if nothing is said.
    pub renewal_permille: Option<u16>,
    /// What that is rounded to.
    pub renewal_rounding: RenewalRounding,
    /// When it asks for its next wake.
    pub renewal_rearm: RenewalRearm,
    /// What becomes of it at a release.
    pub renewal_on_release: RenewalOnRelease,
    /// What a handle that holds does when acquire is called again.
    pub reacquire: Reacquire,
    /// Whether the holder is told of a lost hold.
    pub on_loss: OnLoss,
    /// Which replicas must have the key before the lock is granted.
    pub wait: Wait,
}

/// The drift margin: `ttl * permille / 1000 + constant`, rounded up to a microsecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Drift {
    /// The part that grows with the TTL. The specification: 10.
    pub permille: u32,
    /// The constant part. The specification: 2 ms.
    pub constant: Span,
}

/// Further attempts of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Retry {
    /// How many attempts may follow the first.
    pub retries: u32,
    /// The least wait before each.
    pub delay: Span,
    /// A uniform random wait in `0..jitter` is added.
    pub jitter: Span,
}

/// How the waits between the attempts of one call change, and when there are no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pace {
    /// Whether the delay grows.
    pub growth: Growth,
    /// Where a growing delay stops; otherwise it means nothing.
    pub delay_max: Span,
    /// Whether the last failed attempt is followed by a wait too.
    pub after_last: AfterLast,
    /// No attempt begins this long after the call did, if there is such a limit.
    pub limit: Option<Span>,
    /// The clock on which that is measured.
    pub limit_clock: ClockKind,
}

/// Which replicas must have acknowledged the key before the lock is granted: WAIT after SET. With too few
/// acknowledgements the key is taken back and the attempt has failed. Only `single` waits. An extension does not:
/// after a failover the key may be back at the deadline that it had before.
///
/// **Source** WAIT, redis.io command page; Redisson 3.x sends the same WAIT behind its acquiring script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wait {
    /// How many.
    pub replicas: WaitFor,
    /// How long the primary may wait for them. The request itself may take the node timeout longer.
    pub limit: Span,
}

impl Drift {
    /// The specification: 1 % plus 2 ms.
    pub const SPEC: Self = Self { permille: 10, constant: Span::from_ms(2) };

    /// The margin for this TTL, rounded up.
    pub fn margin(self, ttl: Span) -> Span {
        let growing = i128::from(ttl.0) * i128::from(self.permille);
        let growing = (growing + 999).div_euclid(1_000);
        Span(i64::try_from(growing).unwrap_or(i64::MAX)) + self.constant
    }
}

impl Pace {
    /// Equal waits, and no limit but the number of retries.
    pub const SPEC: Self = Self {
        growth: Growth::Fixed,
        delay_max: Span::ZERO,
        after_last: AfterLast::Answers,
        limit: None,
        limit_clock: ClockKind::Mono,
    };

    /// The delay before the retry that follows so many earlier ones, without its jitter.
    pub fn delay(self, first: Span, earlier: u32) -> Span {
        match self.growth {
            Growth::Fixed => first,
            Growth::Doubling => {
                let grown = i128::from(first.0) << earlier.min(62);
                Span(grown.min(i128::from(self.delay_max.0)) as i64)
            }
        }
    }
}

impl QuorumRule {
    /// How many of so many voters.
    pub fn of(self, voters: u8) -> u8 {
        match self {
            Self::Majority => voters / 2 + 1,
            Self::Half => (voters / 2).max(1),
            // The next whole number from n / 2 + 1 on, but nobody can have more votes than there are.
            Self::Float => (voters.div_ceil(2) + 1).min(voters),
            Self::All => voters,
            Self::One => 1,
        }
    }
}

impl Wait {
    /// How long the client waits for the answer to WAIT: the primary's wait and one node timeout.
    pub fn request_limit(self, node_timeout: Span) -> Span {
        self.limit + node_timeout
    }
}

impl Protocol {
    /// The name of its table in a scenario.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Redlock => "redlock",
            Self::None => "none",
        }
    }
}

impl Policy {
    /// What the margin leaves of a life of `ttl`.
    pub fn less_margin(&self, ttl: Span) -> Span {
        let margin = self.drift.margin(ttl);
        match self.drift_sign {
            DriftSign::Subtracted => ttl - margin,
            DriftSign::Added => ttl + margin,
        }
    }

    /// How many votes an extension needs that so many voters are asked for.
    pub fn extension_quorum(&self, asked: usize) -> usize {
        match self.extension_quorum_of {
            ExtensionQuorumOf::Voters => usize::from(self.quorum),
            ExtensionQuorumOf::Acquired => asked / 2 + 1,
        }
    }

    /// Which voters an extension asks.
    pub fn extension_asks(&self) -> Asked {
        match self.extension_quorum_of {
            ExtensionQuorumOf::Voters => Asked::Voters,
            ExtensionQuorumOf::Acquired => Asked::Acquired,
        }
    }

    /// How long the watchdog of a hold with this life waits, at least a millisecond.
    ///
    /// **Source** a third: Redisson's watchdog, `lockWatchdogTimeout / 3`.
    pub fn renewal_period(&self, ttl: Span) -> Span {
        let share = match self.renewal_permille {
            None => ttl.0 / 3,
            Some(permille) => (i128::from(ttl.0) * i128::from(permille) / 1_000) as i64,
        };
        let unit = match self.renewal_rounding {
            RenewalRounding::Exact => 1_000,
            RenewalRounding::WholeS => 1_000_000,
        };
        Span(share.div_euclid(unit).saturating_mul(unit)).max(Span::from_ms(1))
    }

    /// How many votes an attempt needs of which so many voters were out of reach.
    pub fn quorum_without(&self, unreached: usize) -> usize {
        match self.quorum_of {
            QuorumOf::Voters => usize::from(self.quorum),
            QuorumOf::Connected => (usize::from(self.voters) - unreached) / 2 + 1,
        }
    }

    /// How often a driver may repeat one command: an attempt can send two commands of one name to a voter, and
    /// [`Label::occurrence`](super::Label) counts both in one byte.
    pub const DRIVER_RETRIES_MAX: u8 = 100;

    /// `like = "spec"`: what the Redlock specification says, for any number of voters.
    ///
    /// **Source** "Distributed Locks with Redis", redis.io; what it leaves open we chose.
    pub fn spec(protocol: Protocol, voters: u8, ttl: Ttl) -> Self {
        Self {
            protocol,
            voters,
            quorum: QuorumRule::Majority.of(voters),
            quorum_of: QuorumOf::Voters,
            counting: Counting::Grants,
            taking: Taking::SetNxPx,
            repair: Repair::None,
            ttl,
            ttl_unit: TtlUnit::Ms,
            node_timeout: Span::from_ms(50),
            drift: Drift::SPEC,
            drift_sign: DriftSign::Subtracted,
            start: Start::Attempt,
            elapsed: Elapsed::Exact,
            arithmetic: Arithmetic::Checked,
            validity: Validity::Checked,
            min_validity: Span::ZERO,
            basis: Basis::Send,
            clock: ClockKind::Mono,
            asking: Asking::Concurrent,
            deciding: Deciding::All,
            on_error: OnError::Count,
            release: Release::CompareAndDelete,
            release_key: ReleaseKey::Own,
            release_asks: Asked::Voters,
            release_on_failure: ReleaseScope::All,
            release_when_late: WhenLate::AsFailure,
            cleanup: Cleanup::Foreground,
            retry: Retry { retries: 3, delay: Span::from_ms(200), jitter: Span::from_ms(200) },
            pace: Pace::SPEC,
            driver_retries: 0,
            nonce: NonceLife::Attempt,
            fence: Fence::None,
            extension: Extension::None,
            extension_quorum_of: ExtensionQuorumOf::Voters,
            extension_within: ExtensionWithin::Any,
            extension_moves: ExtensionMoves::Deadline,
            extension_checks: ExtensionChecks::Validity,
            on_extension_failure: OnExtensionFailure::Keep,
            renewals_max: 0,
            renewal: Renewal::None,
            renewal_permille: None,
            renewal_rounding: RenewalRounding::Exact,
            renewal_rearm: RenewalRearm::Always,
            renewal_on_release: RenewalOnRelease::Ends,
            reacquire: Reacquire::Refused,
            on_loss: OnLoss::Tell,
            wait: Wait { replicas: WaitFor::None, limit: Span::from_ms(50) },
        }
    }
}
