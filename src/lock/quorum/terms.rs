//! What never changes over the life of a core: its policy and its keys, shared by all its copies.
//!
//! Must not hold anything that a transition changes: states that differ only here never meet in one search.

use crate::lock::constants::Constants;
use crate::lock::policy;
use crate::lock::policy::{
    AfterLast, Asked, Asking, Cleanup, Fence, Policy, Release, ReleaseKey, ReleaseScope, Renewal,
    RenewalRearm, Repair, Retry, Taking, WaitFor,
};
use crate::lock::{CoreTraits, KeyRole, LockKey, Ttl};
use crate::time::Span;
use bytes::Bytes;
use std::sync::Arc;

/// The constants of one core.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Terms(Constants<Fixed>);

#[derive(Debug, PartialEq, Eq)]
struct Fixed {
    policy: Arc<Policy>,
    key: Bytes,
    fence_key: Bytes,
}

impl Terms {
    /// The fence counter lives beside the key, under `<key>:fence`.
    pub(super) fn new(policy: Arc<Policy>, key: Bytes) -> Self {
        let fence_key = [key.as_ref(), b":fence"].concat().into();
        Self(Constants::new(Fixed { policy, key, fence_key }))
    }

    pub(super) fn policy(&self) -> &Policy {
        &self.0.policy
    }

    pub(super) fn key(&self) -> Bytes {
        self.0.key.clone()
    }

    pub(super) fn fence_key(&self) -> Bytes {
        self.0.fence_key.clone()
    }

    /// The key that a release removes.
    pub(super) fn release_key(&self) -> Bytes {
        match self.policy().release_key {
            ReleaseKey::Own => self.key(),
            ReleaseKey::Other => [self.0.key.as_ref(), b":other"].concat().into(),
        }
    }

    /// Whether it matters later who granted.
    pub(super) fn remembers_grantors(&self) -> bool {
        let policy = self.policy();
        [policy.release_asks, policy.extension_asks()].contains(&Asked::Acquired)
    }

    pub(super) fn watches(&self) -> bool {
        match self.policy().renewal {
            Renewal::None => false,
            Renewal::Watchdog => true,
        }
    }

    pub(super) fn describe(&self) -> CoreTraits {
        let policy = self.policy();
        let fenced = policy.fence == Fence::Incr;
        let mut keys = vec![LockKey { key: self.key(), role: KeyRole::Hold }];
        if fenced {
            keys.push(LockKey { key: self.fence_key(), role: KeyRole::Fence });
        }
        let renewal = match policy.ttl {
            Ttl::Of(ttl) if self.watches() => Some(renewal(policy, ttl)),
            Ttl::Of(_) | Ttl::Never => None,
        };
        CoreTraits {
            protocol: policy.protocol.name(),
            keys,
            voters: policy.voters,
            quorum: policy.quorum,
            ttl: policy.ttl,
            clock: policy.clock,
            basis: Some(match policy.ttl {
                Ttl::Of(_) => policy.basis,
                Ttl::Never => policy::Basis::UntilReleased,
            }),
            fenced,
            fifo: false,
            reentrant: false,
            shared: false,
            ordered_voters: policy.asking == Asking::Serial,
            renewal,
            node_timeout: policy.node_timeout,
            call_max: call_max(policy),
        }
    }
}

/// Every attempt asks, perhaps waits for replicas, and then cleans up; asking and cleaning is each a round of
/// questions that wait at most for the node timeout, and may take several commands, one after the other. What is
/// cleaned in the background takes no time of the call.
fn call_max(policy: &Policy) -> Span {
    let round = policy.node_timeout.0.saturating_mul(in_a_row(policy));
    let cleaning = match (policy.cleanup, policy.release_on_failure) {
        (Cleanup::Background, _) | (_, ReleaseScope::None) => 0,
        (Cleanup::Foreground | Cleanup::CallersContext, ReleaseScope::All | ReleaseScope::Known) => {
            commands_to_delete(policy)
        }
    };
    let asking = commands_to_take(policy);
    let attempt = Span(round.saturating_mul(asking + cleaning)) + confirming_max(policy);
    let Retry { retries, delay, jitter } = policy.retry;
    let waits = match policy.pace.after_last {
        AfterLast::Answers => retries,
        AfterLast::Waits => retries.saturating_add(1),
    };
    let wait = |earlier| policy.pace.delay(delay, earlier) + jitter;
    let waiting = (0..waits).fold(Span::ZERO, |sum, earlier| sum + wait(earlier));
    let all = Span(attempt.0.saturating_mul(1 + i64::from(retries))) + waiting;
    match policy.pace.limit {
        None => all,
        // The last attempt begins before the limit, and the call is answered after the wait that follows it.
        Some(limit) => all.min(limit + attempt + wait(waits)),
    }
}

/// The most commands, one after the other, that a voter is sent to take a key.
fn commands_to_take(policy: &Policy) -> i64 {
    match (policy.taking, policy.ttl, policy.repair) {
        (Taking::SetNxPx | Taking::SetNxPxat | Taking::Reobtain, _, _) => 1,
        (Taking::SetnxExpire, Ttl::Never, _) => 1,
        (Taking::SetnxExpire, Ttl::Of(_), Repair::None) => 2,
        (Taking::SetnxExpire, Ttl::Of(_), Repair::Zero | Repair::ZeroAndMissing) => 3,
    }
}

/// The most commands, one after the other, that a voter is sent to remove a key.
fn commands_to_delete(policy: &Policy) -> i64 {
    match policy.release {
        Release::CompareAndDelete | Release::PlainDel | Release::DelexIfeq => 1,
        Release::GetThenDel => 2,
        Release::WatchGetDel => 3,
        Release::WatchMultiExec => 5,
    }
}

/// How long at most a holder that lost its keys waits for its watchdog to begin to ask.
fn renewal(policy: &Policy, ttl: Span) -> Span {
    let period = policy.renewal_period(ttl);
    match policy.renewal_rearm {
        RenewalRearm::Always => period,
        // The period begins when the last renewal is answered, and that may have been executed as it began.
        RenewalRearm::AfterSuccess | RenewalRearm::AfterReply => {
            period + Span(policy.node_timeout.0.saturating_mul(in_a_row(policy)))
        }
    }
}

/// How many times the node timeout one round of single commands can take.
fn in_a_row(policy: &Policy) -> i64 {
    let voters = match policy.asking {
        Asking::Concurrent => 1,
        Asking::Serial => i64::from(policy.voters),
    };
    voters * (1 + i64::from(policy.driver_retries))
}

/// The longest that one attempt can ask for its replicas: ROLE where all are wanted, then WAIT.
fn confirming_max(policy: &Policy) -> Span {
    let wait = policy.wait.request_limit(policy.node_timeout);
    let once = match policy.wait.replicas {
        WaitFor::None => Span::ZERO,
        WaitFor::Any => wait,
        WaitFor::All => policy.node_timeout + wait,
    };
    Span(once.0.saturating_mul(1 + i64::from(policy.driver_retries)))
}
