//! Which lock a client uses, with its whole policy: what a scenario's lock table becomes.
//!
//! Every shape of lock has a variant; what the rest of the crate wants to know of any lock is a method here. Must not
//! run anything: [`Core::of`](super::Core::of) turns a recipe into a core.

use super::contract::Ttl;
use super::hash::HashPolicy;
use super::multi::MultiPolicy;
use super::policy::{Extension, Fence, Policy, Wait};
use super::waiter::WaiterPolicy;
use crate::time::{ClockKind, Span};
use std::sync::Arc;

/// A lock and its policy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Recipe {
    /// `single`, `redlock` or `none`: the quorum core.
    Quorum(Arc<Policy>),
    /// `reentrant`, `redisson` or `spin`: a hash that counts the holds of its owner.
    Hash(Arc<HashPolicy>),
    /// `fair`, `read-write` or `signal`: locks whose callers wait to be woken.
    Waiter(Arc<WaiterPolicy>),
    /// `multi`: several sub-locks, one at each voter.
    Multi(Arc<MultiPolicy>),
}

impl Recipe {
    /// The quorum policy, if this is a lock of that shape.
    pub fn policy(&self) -> Option<&Policy> {
        match self {
            Self::Quorum(policy) => Some(policy),
            Self::Hash(_) | Self::Waiter(_) | Self::Multi(_) => None,
        }
    }

    /// The policy of the hash core, if this is a lock of that shape.
    pub fn hash_policy(&self) -> Option<&HashPolicy> {
        match self {
            Self::Hash(policy) => Some(policy),
            Self::Quorum(_) | Self::Waiter(_) | Self::Multi(_) => None,
        }
    }

    /// The name of its table in a scenario.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Quorum(policy) => policy.protocol.name(),
            Self::Hash(policy) => policy.protocol.name(),
            Self::Waiter(policy) => policy.shape.name(),
            Self::Multi(_) => "multi",
        }
    }

    /// The life of its keys.
    pub fn ttl(&self) -> Ttl {
        match self {
            Self::Quorum(policy) => policy.ttl,
            Self::Hash(policy) => policy.ttl,
            Self::Waiter(policy) => policy.ttl,
            Self::Multi(policy) => policy.ttl,
        }
    }

    /// The longest life that one of its keys can have.
    pub fn life_max(&self) -> Ttl {
        match self {
            Self::Quorum(_) | Self::Hash(_) | Self::Waiter(_) => self.ttl(),
            Self::Multi(policy) => policy.life_max(),
        }
    }

    /// How many voters it asks; 0 if nobody.
    pub fn voters(&self) -> u8 {
        match self {
            Self::Quorum(policy) if policy.quorum == 0 => 0,
            Self::Quorum(policy) => policy.voters,
            Self::Hash(_) | Self::Waiter(_) => 1,
            Self::Multi(policy) => policy.voters,
        }
    }

    /// The clock that its promises are stated on.
    pub fn clock(&self) -> ClockKind {
        match self {
            Self::Quorum(policy) => policy.clock,
            Self::Hash(policy) => policy.wait_clock,
            Self::Waiter(policy) => policy.clock,
            Self::Multi(policy) => policy.clock,
        }
    }

    /// Whether its grants carry fences.
    pub fn is_fenced(&self) -> bool {
        match self {
            Self::Quorum(policy) => policy.fence != Fence::None,
            Self::Hash(policy) => policy.fence != Fence::None,
            Self::Waiter(_) | Self::Multi(_) => false,
        }
    }

    /// Which replicas a grant waits for, where the lock can wait for any.
    pub fn wait(&self) -> Option<Wait> {
        match self {
            Self::Quorum(policy) => Some(policy.wait),
            Self::Hash(policy) => Some(policy.wait),
            Self::Waiter(_) | Self::Multi(_) => None,
        }
    }

    /// Whether a holder may call for a longer life.
    pub fn extends(&self) -> bool {
        match self {
            Self::Quorum(policy) => policy.extension != Extension::None,
            Self::Hash(_) => false,
            Self::Waiter(_) | Self::Multi(_) => true,
        }
    }

    /// How long a caller that was refused waits before it calls again, unless it says otherwise.
    pub fn pause(&self) -> Span {
        match self {
            Self::Quorum(policy) => policy.retry.delay,
            Self::Hash(policy) => policy.poll.delay,
            Self::Waiter(_) | Self::Multi(_) => Span::from_ms(100),
        }
    }
}

impl From<Policy> for Recipe {
    fn from(policy: Policy) -> Self {
        Self::Quorum(Arc::new(policy))
    }
}

impl From<Arc<Policy>> for Recipe {
    fn from(policy: Arc<Policy>) -> Self {
        Self::Quorum(policy)
    }
}

impl From<HashPolicy> for Recipe {
    fn from(policy: HashPolicy) -> Self {
        Self::Hash(Arc::new(policy))
    }
}

impl From<WaiterPolicy> for Recipe {
    fn from(policy: WaiterPolicy) -> Self {
        Self::Waiter(Arc::new(policy))
    }
}

impl From<MultiPolicy> for Recipe {
    fn from(policy: MultiPolicy) -> Self {
        Self::Multi(Arc::new(policy))
    }
}
