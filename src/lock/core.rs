//! The shipped cores behind one type: what scenarios, models and comparisons run.
//!
//! Must not contain behaviour of its own.

use crate::canon::Canon;
use crate::name::{ClientId, Nonce};
use crate::time::Now;
use bytes::Bytes;
use std::sync::Arc;

use super::contract::{CoreTraits, Input, LockCore, Output};
use super::none::NoLock;
use super::policy::{Policy, Protocol};
use super::quorum::Quorum;

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
}

impl LockCore for Core {
    fn on_input(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        match self {
            Self::Quorum(core) => core.on_input(now, input, out),
            Self::NoLock(core) => core.on_input(now, input, out),
        }
    }

    fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        match self {
            Self::Quorum(core) => core.canonical(client, canon),
            Self::NoLock(core) => core.canonical(client, canon),
        }
    }

    fn describe(&self) -> CoreTraits {
        match self {
            Self::Quorum(core) => core.describe(),
            Self::NoLock(core) => core.describe(),
        }
    }

    fn backs(&self, nonce: Nonce, stored: &Bytes) -> bool {
        match self {
            Self::Quorum(core) => core.backs(nonce, stored),
            Self::NoLock(core) => core.backs(nonce, stored),
        }
    }
}
