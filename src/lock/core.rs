//! The shipped cores behind one type: what scenarios, models and comparisons run.
//!
//! Must not contain behaviour of its own.

use crate::canon::Canon;
use crate::name::{ClientId, Nonce};
use crate::time::Now;
use bytes::Bytes;
use std::sync::Arc;

use super::contract::{CoreTraits, Input, LockCore, Output, Stored};
use super::hash::HashLock;
use super::multi::Multi;
use super::none::NoLock;
use super::policy::{Policy, Protocol};
use super::quorum::Quorum;
use super::recipe::Recipe;
use super::waiter::Waiter;

/// A shipped core.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all cores are the large one: a box would cost every copy"
)]
pub enum Core {
    /// `single` and `redlock`.
    Quorum(Quorum),
    /// `none`.
    NoLock(NoLock),
    /// `reentrant`, `redisson` and `spin`; elsewhere, because it is larger than the quorum core and rarer.
    Hash(Box<HashLock>),
    /// `fair`, `read-write` and `signal`; elsewhere for the same reason.
    Waiter(Box<Waiter>),
    /// `multi`; elsewhere for the same reason.
    Multi(Box<Multi>),
}

impl Core {
    /// A handle on `key` under a policy that [`Policy::validate`] accepted. A fenced policy keeps its counter
    /// under `<key>:fence`.
    pub fn new(policy: Arc<Policy>, key: Bytes) -> Self {
        match policy.protocol {
            Protocol::Single | Protocol::Redlock => Self::Quorum(Quorum::new(policy, key)),
            Protocol::None => Self::NoLock(NoLock::new()),
        }
    }

    /// A handle on `key` as a recipe says.
    pub fn of(recipe: &Recipe, key: Bytes) -> Self {
        match recipe {
            Recipe::Quorum(policy) => Self::new(Arc::clone(policy), key),
            Recipe::Hash(policy) => Self::Hash(Box::new(HashLock::new(Arc::clone(policy), key))),
            Recipe::Waiter(policy) => Self::Waiter(Box::new(Waiter::new(Arc::clone(policy), key))),
            Recipe::Multi(policy) => Self::Multi(Box::new(Multi::new(Arc::clone(policy), key))),
        }
    }
}

impl LockCore for Core {
    fn on_input(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        match self {
            Self::Quorum(core) => core.on_input(now, input, out),
            Self::NoLock(core) => core.on_input(now, input, out),
            Self::Hash(core) => core.on_input(now, input, out),
            Self::Waiter(core) => core.on_input(now, input, out),
            Self::Multi(core) => core.on_input(now, input, out),
        }
    }

    fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        match self {
            Self::Quorum(core) => core.canonical(client, canon),
            Self::NoLock(core) => core.canonical(client, canon),
            Self::Hash(core) => core.canonical(client, canon),
            Self::Waiter(core) => core.canonical(client, canon),
            Self::Multi(core) => core.canonical(client, canon),
        }
    }

    fn describe(&self) -> CoreTraits {
        match self {
            Self::Quorum(core) => core.describe(),
            Self::NoLock(core) => core.describe(),
            Self::Hash(core) => core.describe(),
            Self::Waiter(core) => core.describe(),
            Self::Multi(core) => core.describe(),
        }
    }

    fn backs(&self, nonce: Nonce, stored: &Stored) -> bool {
        match self {
            Self::Quorum(core) => core.backs(nonce, stored),
            Self::NoLock(core) => core.backs(nonce, stored),
            Self::Hash(core) => core.backs(nonce, stored),
            Self::Waiter(core) => core.backs(nonce, stored),
            Self::Multi(core) => core.backs(nonce, stored),
        }
    }

    fn holds(&self, nonce: Nonce, stored: &Stored) -> u32 {
        match self {
            Self::Quorum(core) => core.holds(nonce, stored),
            Self::NoLock(core) => core.holds(nonce, stored),
            Self::Hash(core) => core.holds(nonce, stored),
            Self::Waiter(core) => core.holds(nonce, stored),
            Self::Multi(core) => core.holds(nonce, stored),
        }
    }
}
