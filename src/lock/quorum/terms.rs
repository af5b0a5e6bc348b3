//! What never changes over the life of a core: its policy and its keys, shared by all its copies.
//!
//! Must not hold anything that a transition changes: states that differ only here never meet in one search.

use crate::lock::policy;
use crate::lock::policy::{Asking, Fence, Policy, Renewal, Taking, WaitFor};
use crate::lock::{CoreTraits, KeyRole, LockKey, Ttl};
use crate::time::Span;
use bytes::Bytes;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::validity;

/// The constants of one core.
#[derive(Clone, Debug)]
pub(super) struct Terms(Arc<Fixed>);

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
        Self(Arc::new(Fixed { policy, key, fence_key }))
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
            Ttl::Of(ttl) if self.watches() => Some(validity::renewal_period(ttl)),
            Ttl::Of(_) | Ttl::Never => None,
        };
        CoreTraits {
            protocol: policy.protocol.name(),
            keys,
            voters: policy.voters,
            quorum: policy.quorum,
            ttl: policy.ttl,
            clock: policy.clock,
            basis: match policy.ttl {
                Ttl::Of(_) => policy.basis,
                Ttl::Never => policy::Basis::UntilReleased,
            },
            fenced,
            fifo: false,
            reentrant: false,
            ordered_voters: policy.asking == Asking::Serial,
            renewal,
            node_timeout: policy.node_timeout,
            call_max: call_max(policy),
        }
    }
}

/// Every attempt asks, perhaps waits for replicas, and then cleans up; asking and cleaning is each a round of
/// questions that wait at most for the node timeout. Asking may take two commands, one after the other.
fn call_max(policy: &Policy) -> Span {
    let in_a_row = match policy.asking {
        Asking::Concurrent => 1,
        Asking::Serial => i64::from(policy.voters),
    };
    let round = policy.node_timeout.0.saturating_mul(in_a_row * (1 + i64::from(policy.driver_retries)));
    let attempts = 1 + i64::from(policy.retry.retries);
    let rounds = match (policy.taking, policy.ttl) {
        (Taking::SetNxPx, _) | (Taking::SetnxExpire, Ttl::Never) => 2,
        (Taking::SetnxExpire, Ttl::Of(_)) => 3,
    };
    let asking = Span(round.saturating_mul(rounds * attempts));
    let confirming = Span(confirming_max(policy).0.saturating_mul(attempts));
    let wait = policy.retry.delay + policy.retry.jitter;
    asking + confirming + Span(wait.0.saturating_mul(i64::from(policy.retry.retries)))
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

impl PartialEq for Terms {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Eq for Terms {}

impl Hash for Terms {
    /// Adds nothing: within one search all copies of a core share their terms, so a hash would be pure cost.
    fn hash<H: Hasher>(&self, _state: &mut H) {}
}
