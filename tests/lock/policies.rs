//! Policies by chance: every switch at every value, as far as the values go together.

use crate::play::base;
use fencepost::lock::{
    AfterLast, Arithmetic, Asked, Asking, Basis, Cleanup, Counting, Deciding, DriftSign, Elapsed, Extension,
    ExtensionChecks, ExtensionMoves, ExtensionQuorumOf, ExtensionWithin, Fence, Growth, NonceLife, OnError,
    OnExtensionFailure, OnLoss, Pace, Policy, Protocol, QuorumOf, Reacquire, Release, ReleaseKey,
    ReleaseScope, Renewal, RenewalOnRelease, RenewalRearm, RenewalRounding, Repair, Retry, Start, Taking,
    Ttl, TtlUnit, Validity, Wait, WaitFor, WhenLate,
};
use fencepost::time::{ClockKind, Span};
use proptest::prelude::*;
use proptest::sample::select;

prop_compose! {
    /// Any policy that can be run, if what is unsound in it is meant. An even split of `at-quorum-of-both` has no end,
    /// and so is not among them.
    pub(crate) fn policies()(
        words in words(), times in times(), rounds in rounds(), sending in sending(), prolonging in prolonging(),
    ) -> Policy {
        fitted(Policy {
            drift_sign: times.drift_sign,
            start: times.start,
            elapsed: times.elapsed,
            arithmetic: times.arithmetic,
            pace: times.pace,
            quorum_of: rounds.quorum_of,
            deciding: rounds.deciding,
            release_when_late: rounds.release_when_late,
            cleanup: rounds.cleanup,
            release: sending.release,
            taking: sending.taking,
            repair: sending.repair,
            ttl_unit: sending.ttl_unit,
            release_key: sending.release_key,
            release_asks: sending.release_asks,
            extension: prolonging.extension,
            extension_quorum_of: prolonging.extension_quorum_of,
            extension_within: prolonging.extension_within,
            extension_moves: prolonging.extension_moves,
            extension_checks: prolonging.extension_checks,
            on_extension_failure: prolonging.on_extension_failure,
            renewals_max: prolonging.renewals_max,
            renewal: prolonging.renewal,
            renewal_permille: prolonging.renewal_permille,
            renewal_rounding: prolonging.renewal_rounding,
            renewal_rearm: prolonging.renewal_rearm,
            renewal_on_release: prolonging.renewal_on_release,
            reacquire: prolonging.reacquire,
            ..words
        })
    }
}

/// The same policy with the values undone that do not go with others.
fn fitted(mut policy: Policy) -> Policy {
    let spec = base();
    let asks_first =
        matches!(policy.release, Release::GetThenDel | Release::WatchGetDel | Release::WatchMultiExec);
    if policy.taking != Taking::SetnxExpire {
        policy.repair = spec.repair;
    }
    if policy.taking == Taking::SetnxExpire || asks_first {
        policy.deciding = spec.deciding;
    }
    if policy.taking == Taking::SetNxPxat || policy.extension == Extension::Pexpireat {
        policy.ttl_unit = spec.ttl_unit;
    }
    if asks_first {
        policy.cleanup = spec.cleanup;
        if policy.on_extension_failure == OnExtensionFailure::ReleaseAll {
            policy.on_extension_failure = OnExtensionFailure::Tell;
        }
    }
    if policy.extension == Extension::None {
        policy = Policy {
            extension_quorum_of: spec.extension_quorum_of,
            extension_within: spec.extension_within,
            extension_moves: spec.extension_moves,
            extension_checks: spec.extension_checks,
            on_extension_failure: spec.on_extension_failure,
            renewals_max: spec.renewals_max,
            renewal: Renewal::None,
            ..policy
        };
    }
    if policy.renewal == Renewal::None {
        policy = Policy {
            renewal_permille: spec.renewal_permille,
            renewal_rounding: spec.renewal_rounding,
            renewal_rearm: spec.renewal_rearm,
            renewal_on_release: spec.renewal_on_release,
            ..policy
        };
    }
    if policy.voters != 1 || (policy.counting, policy.taking) != (Counting::Grants, Taking::SetNxPx) {
        policy.fence = Fence::None;
    }
    policy
}

prop_compose! {
    fn words()(
        shape in select(vec![(Protocol::Single, 1, 1), (Protocol::Redlock, 3, 2), (Protocol::Redlock, 5, 3), (Protocol::Redlock, 3, 1)]),
        (validity, basis, clock) in (
            select(vec![Validity::Checked, Validity::ZeroPasses, Validity::NoCheck]),
            select(vec![Basis::Send, Basis::DecisionElapsed, Basis::Decision, Basis::UntilReleased, Basis::UntilLost]),
            select(vec![ClockKind::Mono, ClockKind::Wall]),
        ),
        (asking, on_error, release_on_failure) in (
            select(vec![Asking::Concurrent, Asking::Serial]),
            select(vec![OnError::Count, OnError::Abort, OnError::AbortAny, OnError::AbortAfterQuorum]),
            select(vec![ReleaseScope::All, ReleaseScope::Known, ReleaseScope::None]),
        ),
        (retries, driver_retries) in (0..3_u32, 0..3_u8),
        counting in select(vec![Counting::Grants, Counting::Grants, Counting::Replies]),
        nonce in select(vec![NonceLife::Attempt, NonceLife::Call, NonceLife::Handle, NonceLife::Constant]),
        fence in select(vec![Fence::None, Fence::Incr]),
        on_loss in select(vec![OnLoss::Tell, OnLoss::Silent]),
        replicas in select(vec![WaitFor::None, WaitFor::None, WaitFor::Any, WaitFor::All]),
    ) -> Policy {
        let (protocol, voters, quorum) = shape;
        let replicas = if protocol == Protocol::Single { replicas } else { WaitFor::None };
        Policy {
            protocol, voters, quorum, counting, validity, basis, clock, asking, on_error, release_on_failure, driver_retries,
            nonce, fence, on_loss,
            ttl: Ttl::Of(Span::from_ms(300)),
            retry: Retry { retries, ..base().retry },
            wait: Wait { replicas, limit: Span::from_ms(20) },
            ..base()
        }
    }
}

prop_compose! {
    fn times()(
        drift_sign in select(vec![DriftSign::Subtracted, DriftSign::Added]),
        start in select(vec![Start::Attempt, Start::Call]),
        elapsed in select(vec![Elapsed::Exact, Elapsed::WholeMs, Elapsed::WholeS]),
        arithmetic in select(vec![Arithmetic::Checked, Arithmetic::Wrapping]),
        growth in select(vec![Growth::Fixed, Growth::Doubling]),
        after_last in select(vec![AfterLast::Answers, AfterLast::Waits]),
        limit in select(vec![None, None, Some(Span::from_ms(250))]),
        limit_clock in select(vec![ClockKind::Mono, ClockKind::Wall]),
    ) -> Policy {
        let pace = Pace { growth, delay_max: Span::from_ms(500), after_last, limit, limit_clock };
        Policy { drift_sign, start, elapsed, arithmetic, pace, ..base() }
    }
}

prop_compose! {
    fn rounds()(
        quorum_of in select(vec![QuorumOf::Voters, QuorumOf::Voters, QuorumOf::Connected]),
        deciding in select(vec![Deciding::All, Deciding::AtQuorum]),
        release_when_late in select(vec![WhenLate::AsFailure, WhenLate::None]),
        cleanup in select(vec![Cleanup::Foreground, Cleanup::Background, Cleanup::CallersContext]),
    ) -> Policy {
        Policy { quorum_of, deciding, release_when_late, cleanup, ..base() }
    }
}

prop_compose! {
    fn sending()(
        release in select(vec![
            Release::CompareAndDelete, Release::PlainDel, Release::GetThenDel, Release::WatchGetDel, Release::WatchMultiExec,
            Release::DelexIfeq,
        ]),
        taking in select(vec![
            Taking::SetNxPx, Taking::SetNxPx, Taking::SetnxExpire, Taking::SetNxPxat, Taking::Reobtain,
        ]),
        repair in select(vec![Repair::None, Repair::Zero, Repair::ZeroAndMissing]),
        ttl_unit in select(vec![TtlUnit::Ms, TtlUnit::S, TtlUnit::SForMs]),
        release_key in select(vec![ReleaseKey::Own, ReleaseKey::Other]),
        release_asks in select(vec![Asked::Voters, Asked::Acquired]),
    ) -> Policy {
        Policy { release, taking, repair, ttl_unit, release_key, release_asks, ..base() }
    }
}

prop_compose! {
    fn prolonging()(
        extension in select(vec![
            Extension::None, Extension::Compare, Extension::Recreate, Extension::Blind, Extension::SetXx, Extension::SetIfeq,
            Extension::Pexpireat, Extension::Add,
        ]),
        extension_quorum_of in select(vec![ExtensionQuorumOf::Voters, ExtensionQuorumOf::Acquired]),
        extension_within in select(vec![ExtensionWithin::Any, ExtensionWithin::Validity]),
        extension_moves in select(vec![ExtensionMoves::Deadline, ExtensionMoves::Nothing]),
        extension_checks in select(vec![ExtensionChecks::Validity, ExtensionChecks::Nothing]),
        on_extension_failure in
            select(vec![OnExtensionFailure::Keep, OnExtensionFailure::Tell, OnExtensionFailure::ReleaseAll]),
        (renewals_max, renewal_permille) in (0..3_u32, select(vec![None, Some(600)])),
        renewal in select(vec![Renewal::None, Renewal::Watchdog]),
        renewal_rounding in select(vec![RenewalRounding::Exact, RenewalRounding::WholeS]),
        renewal_rearm in select(vec![RenewalRearm::Always, RenewalRearm::AfterSuccess, RenewalRearm::AfterReply]),
        (renewal_on_release, reacquire) in (
            select(vec![RenewalOnRelease::Ends, RenewalOnRelease::Survives]),
            select(vec![Reacquire::Refused, Reacquire::Asks]),
        ),
    ) -> Policy {
        Policy {
            extension, extension_quorum_of, extension_within, extension_moves, extension_checks, on_extension_failure,
            renewals_max, renewal, renewal_permille, renewal_rounding, renewal_rearm, renewal_on_release, reacquire,
            ..base()
        }
    }
}
