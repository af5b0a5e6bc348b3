//! What never changes over the life of a core: its policy and its keys, shared by all its copies.
//!
//! Must not hold anything that a transition changes.

use crate::lock::constants::Constants;
use crate::lock::policy::{Basis, Policy, Protocol, Renewal};
use crate::lock::quorum::validity;
use crate::lock::{CoreTraits, KeyRole, LockKey, Ttl};
use crate::name::Nonce;
use crate::time::Span;
use bytes::Bytes;
use std::sync::Arc;

use super::policy::{Patience, Shape, Side, WaiterPolicy};

/// The constants of one core.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Terms(Constants<Fixed>);

#[derive(Debug, PartialEq, Eq)]
struct Fixed {
    policy: Arc<WaiterPolicy>,
    /// The same choices as far as the arithmetic of promises looks at them, which is that of the quorum core.
    promises: Policy,
    key: Bytes,
}

impl Terms {
    pub(super) fn new(policy: Arc<WaiterPolicy>, key: Bytes) -> Self {
        let WaiterPolicy { ttl, basis, drift, validity, clock, .. } = *policy;
        let promises = Policy { basis, drift, validity, clock, ..Policy::spec(Protocol::Single, 1, ttl) };
        Self(Constants::new(Fixed { policy, promises, key }))
    }

    pub(super) fn policy(&self) -> &WaiterPolicy {
        &self.0.policy
    }

    pub(super) fn promises(&self) -> &Policy {
        &self.0.promises
    }

    pub(super) fn key(&self) -> Bytes {
        self.0.key.clone()
    }

    /// The key of this name beside the hold: `<key>:<name>`.
    pub(super) fn beside(&self, name: &str) -> Bytes {
        [self.0.key.as_ref(), b":", name.as_bytes()].concat().into()
    }

    /// The key of this name and nonce beside the hold: `<key>:<name>:<nonce>`.
    pub(super) fn beside_of(&self, name: &str, nonce: Nonce) -> Bytes {
        [self.0.key.as_ref(), b":", name.as_bytes(), b":", &nonce.to_bytes()].concat().into()
    }

    pub(super) fn watches(&self) -> bool {
        match self.policy().renewal {
            Renewal::None => false,
            Renewal::Watchdog => true,
        }
    }

    /// Whether a holder may acquire again.
    pub(super) fn is_reentrant(&self) -> bool {
        match &self.policy().shape {
            Shape::Fair(_) | Shape::ReadWrite(_) => true,
            Shape::Signal(_) => false,
        }
    }

    /// How long after the grant or the last renewal the watchdog wakes.
    ///
    /// **Source** Redisson, a third of the lease; python-redis-lock, two thirds of `expire`.
    pub(super) fn renewal_period(&self, ttl: Span) -> Span {
        match &self.policy().shape {
            Shape::Fair(_) | Shape::ReadWrite(_) => validity::renewal_period(ttl),
            Shape::Signal(_) => Span::from_ms(Span(ttl.0 / 3 * 2).as_ms_floor().max(1)),
        }
    }

    pub(super) fn describe(&self) -> CoreTraits {
        let policy = self.policy();
        let key = |key, role| LockKey { key, role };
        let mut keys = vec![key(self.key(), KeyRole::Hold)];
        match &policy.shape {
            Shape::Fair(_) => {
                keys.extend(["queue", "times"].map(|name| key(self.beside(name), KeyRole::Queue)));
            }
            Shape::ReadWrite(_) => {}
            Shape::Signal(_) => keys.push(key(self.beside("signal"), KeyRole::Queue)),
        }
        CoreTraits {
            protocol: policy.shape.name(),
            keys,
            voters: 1,
            quorum: 1,
            ttl: policy.ttl,
            clock: policy.clock,
            basis: Some(match policy.ttl {
                Ttl::Of(_) => policy.basis,
                Ttl::Never => Basis::UntilReleased,
            }),
            fenced: false,
            fifo: matches!(policy.shape, Shape::Fair(_)),
            reentrant: self.is_reentrant(),
            shared: is_shared(&policy.shape),
            ordered_voters: false,
            renewal: match policy.ttl {
                Ttl::Of(ttl) if self.watches() => Some(self.renewal_period(ttl)),
                Ttl::Of(_) | Ttl::Never => None,
            },
            node_timeout: policy.node_timeout,
            call_max: call_max(policy),
        }
    }
}

/// The longest that a call takes where nobody holds the lock: commands in a row, each up to the node timeout. How long it
/// waits for a holder is not counted: that depends on the holder, and is bounded by what is left of its hold.
fn call_max(policy: &WaiterPolicy) -> Span {
    let commands = match policy.wait {
        Patience::Once => 3,
        Patience::For(_) | Patience::Ever => 5,
    };
    Span(policy.node_timeout.0.saturating_mul(commands))
}

/// Whether grants of this shape go together with others of their kind.
pub(super) fn is_shared(shape: &Shape) -> bool {
    match shape {
        Shape::ReadWrite(words) => words.side == Side::Read,
        Shape::Fair(_) | Shape::Signal(_) => false,
    }
}
