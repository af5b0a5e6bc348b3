//! What never changes over a handle's life: its policy and its names in Redis, shared by all its copies.
//!
//! Must not hold state.

use super::policy::{HashPolicy, Latch, LeaseRenewal, Waiting};
use crate::lock::constants::Constants;
use crate::lock::policy::{Basis, Fence, OnLoss, WaitFor};
use crate::lock::quorum::validity;
use crate::lock::{CoreTraits, KeyRole, Lease, LockKey, Ttl, Until};
use crate::name::Nonce;
use crate::time::Span;
use bytes::Bytes;
use std::sync::Arc;

/// The constants of one core.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Terms(Constants<Fixed>);

#[derive(Debug, PartialEq, Eq)]
struct Fixed {
    policy: Arc<HashPolicy>,
    key: Bytes,
    fence_key: Bytes,
    channel: Bytes,
}

impl Terms {
    /// The fence counter lives beside the key, under `<key>:fence`; releases are told on the channel `<key>:channel`.
    pub(super) fn new(policy: Arc<HashPolicy>, key: Bytes) -> Self {
        let beside = |suffix: &[u8]| Bytes::from([key.as_ref(), suffix].concat());
        let (fence_key, channel) = (beside(b":fence"), beside(b":channel"));
        Self(Constants::new(Fixed { policy, key, fence_key, channel }))
    }

    pub(super) fn policy(&self) -> &HashPolicy {
        &self.0.policy
    }

    pub(super) fn key(&self) -> Bytes {
        self.0.key.clone()
    }

    pub(super) fn fence_key(&self) -> Bytes {
        self.0.fence_key.clone()
    }

    pub(super) fn channel(&self) -> Bytes {
        self.0.channel.clone()
    }

    /// The key of one release's answer: `<key>:latch:<owner>:<number>`.
    pub(super) fn latch_key(&self, owner: Nonce, number: u32) -> Bytes {
        let number = number.to_string();
        [self.0.key.as_ref(), b":latch:", &owner.to_bytes(), b":", number.as_bytes()].concat().into()
    }

    /// How long a latch must live: as long as the release may be sent again.
    pub(super) fn latch_life(&self) -> Span {
        let policy = self.policy();
        let once = policy.node_timeout + policy.resend.delay;
        Span(once.0.saturating_mul(1 + i64::from(policy.resend.releases)))
    }

    /// What every grant says: these libraries return no deadline.
    pub(super) fn until(&self) -> Until {
        match self.basis() {
            Basis::UntilLost => Until::Lost,
            Basis::UntilReleased | Basis::Send | Basis::DecisionElapsed | Basis::Decision => Until::Released,
        }
    }

    fn basis(&self) -> Basis {
        let policy = self.policy();
        match policy.on_loss {
            OnLoss::Tell if policy.renews() => Basis::UntilLost,
            OnLoss::Tell | OnLoss::Silent => Basis::UntilReleased,
        }
    }

    pub(super) fn describe(&self) -> CoreTraits {
        let policy = self.policy();
        let mut keys = vec![LockKey { key: self.key(), role: KeyRole::Hold }];
        let fenced = policy.fence == Fence::Incr;
        if fenced {
            keys.push(LockKey { key: self.fence_key(), role: KeyRole::Fence });
        }
        if policy.latch == Latch::On {
            let key = [self.0.key.as_ref(), b":latch:"].concat().into();
            keys.push(LockKey { key, role: KeyRole::Latch });
        }
        let renewal = match (policy.ttl, policy.renewal) {
            (Ttl::Of(ttl), LeaseRenewal::Watchdog) => Some(validity::renewal_period(ttl)),
            // Where only a nested call can start a watchdog, no holder can count on one.
            (Ttl::Of(ttl), LeaseRenewal::WatchdogUnlessLease) if policy.lease == Lease::None => {
                Some(validity::renewal_period(ttl))
            }
            (Ttl::Of(_) | Ttl::Never, _) => None,
        };
        CoreTraits {
            protocol: policy.protocol.name(),
            keys,
            voters: 1,
            quorum: 1,
            ttl: policy.ttl,
            clock: policy.wait_clock,
            basis: Some(self.basis()),
            fenced,
            shared: false,
            fifo: false,
            reentrant: true,
            ordered_voters: false,
            renewal,
            node_timeout: policy.node_timeout,
            call_max: call_max(policy),
        }
    }
}

/// The longest that a call takes to be granted where nobody else holds or wants the lock: the longest pause between two
/// tries, what a subscription and two tries may take, and what waiting for replicas may. How long it waits for a holder's
/// message is not counted: that depends on the holder, and is bounded by what is left of its hold.
fn call_max(policy: &HashPolicy) -> Span {
    let times = |span: Span, count: i64| Span(span.0.saturating_mul(count));
    let sends = 1 + i64::from(policy.resend.acquires);
    let once = times(policy.node_timeout, sends) + times(policy.resend.delay, sends - 1);
    let pause = match policy.waiting {
        Waiting::None | Waiting::Pubsub => Span::ZERO,
        Waiting::Poll => policy.poll.delay + policy.poll.jitter,
        Waiting::Spin => policy.spin.most,
    };
    let pause = policy.wait_limit.map_or(pause, |limit| limit.min(pause));
    let tries = match policy.waiting {
        Waiting::None => once,
        Waiting::Poll | Waiting::Spin => once + once,
        Waiting::Pubsub => once + once + policy.node_timeout,
    };
    let replicas = match policy.wait.replicas {
        WaitFor::None => Span::ZERO,
        WaitFor::Any | WaitFor::All => {
            policy.node_timeout + policy.wait.request_limit(policy.node_timeout) + policy.node_timeout
        }
    };
    tries + pause + replicas
}
