//! What never changes over the life of a core: its policy and its key, shared by all its copies.
//!
//! Must not hold anything that a transition changes.

use crate::lock::constants::Constants;
use crate::lock::policy::{Policy, Protocol, Renewal};
use crate::lock::quorum::validity;
use crate::lock::{CoreTraits, KeyRole, LockKey, Ttl};
use crate::time::Span;
use bytes::Bytes;
use std::sync::Arc;

use super::policy::{MultiPolicy, Order};

/// The constants of one core.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Terms(Constants<Fixed>);

#[derive(Debug, PartialEq, Eq)]
struct Fixed {
    policy: Arc<MultiPolicy>,
    /// The same choices as far as the arithmetic of promises looks at them, which is that of the quorum core.
    promises: Policy,
    key: Bytes,
}

impl Terms {
    pub(super) fn new(policy: Arc<MultiPolicy>, key: Bytes) -> Self {
        let MultiPolicy { ttl, basis, drift, validity, clock, .. } = *policy;
        let promises = Policy { basis, drift, validity, clock, ..Policy::spec(Protocol::Single, 1, ttl) };
        Self(Constants::new(Fixed { policy, promises, key }))
    }

    pub(super) fn policy(&self) -> &MultiPolicy {
        &self.0.policy
    }

    pub(super) fn promises(&self) -> &Policy {
        &self.0.promises
    }

    pub(super) fn key(&self) -> Bytes {
        self.0.key.clone()
    }

    /// The channel on which a release of a sub-lock is told.
    pub(super) fn channel(&self) -> Bytes {
        [self.0.key.as_ref(), b":channel"].concat().into()
    }

    /// The voter at this place of the order.
    pub(super) fn voter_at(&self, place: u8) -> u8 {
        match self.policy().order {
            Order::Ascending => place,
            Order::Descending => self.policy().voters - 1 - place,
        }
    }

    /// All voters, by bit.
    pub(super) fn everybody(&self) -> u8 {
        (0..self.policy().voters).fold(0, |bits, voter| bits | 1 << voter)
    }

    pub(super) fn watches(&self) -> bool {
        match self.policy().renewal {
            Renewal::None => false,
            Renewal::Watchdog => true,
        }
    }

    pub(super) fn describe(&self) -> CoreTraits {
        let policy = self.policy();
        CoreTraits {
            protocol: "multi",
            keys: vec![LockKey { key: self.key(), role: KeyRole::Hold }],
            voters: policy.voters,
            quorum: policy.quorum(),
            ttl: policy.ttl,
            clock: policy.clock,
            basis: Some(policy.basis),
            fenced: false,
            fifo: false,
            reentrant: false,
            shared: false,
            ordered_voters: true,
            renewal: match policy.ttl {
                Ttl::Of(ttl) if self.watches() => Some(validity::renewal_period(ttl)),
                Ttl::Of(_) | Ttl::Never => None,
            },
            node_timeout: policy.node_timeout,
            call_max: call_max(policy),
        }
    }
}

/// The longest that a call takes where nobody holds any of the sub-locks: for each of them three commands in a row, each
/// up to the node timeout, with those that give all back and two pauses. How long it waits for a holder is not counted.
fn call_max(policy: &MultiPolicy) -> Span {
    let commands = 3 * i64::from(policy.voters) + 2;
    let pauses = policy.pause.most + policy.pause.most;
    pauses + Span(policy.node_timeout.0.saturating_mul(commands))
}
