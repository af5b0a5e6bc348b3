//! What a deployment and its users ask of a lock, whichever lock it is.
//!
//! A lock that is made from its terms fits every scenario, every row of a comparison and every model. Must not say how
//! a lock works: that is its own affair.

use super::contract::{CoreTraits, KeyRole, LockKey, Ttl};
use super::policy::{Basis, Drift, Policy, Protocol, Retry};
use super::recipe::Recipe;
use crate::name::ClientId;
use crate::time::{ClockKind, Span};
use bytes::Bytes;

/// The terms on which one client is to lock.
///
/// **Shape** `ttl` at least 1 ms and `margin` < `ttl`, unless a file waived both by `unsound = true`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Terms {
    /// Whose lock it is.
    pub client: ClientId,
    /// The key of the guarded resource.
    pub key: Bytes,
    /// How many nodes there are to ask.
    pub voters: u8,
    /// How long keys live; 10 s where the file's own lock has no TTL.
    pub ttl: Span,
    /// What is to be taken off the life for the promise, because clocks drift.
    pub margin: Span,
    /// How long one node may take to answer.
    pub node_timeout: Span,
    /// Further attempts within one call of acquire, and the wait before each.
    pub retry: Retry,
}

impl Terms {
    /// The life of a key where a file does not say any.
    pub const TTL: Span = Span::from_ms(10_000);

    /// The terms behind a recipe: what it says about the world, and nothing of how its lock works.
    pub fn of(recipe: &Recipe, client: ClientId, key: Bytes, voters: u8) -> Self {
        match recipe.policy() {
            Some(policy) => Self::behind(policy, client, key, voters),
            // A shape of its own has times of its own; what is left is the specification's.
            None => Self::behind(&Policy::spec(Protocol::Redlock, voters, recipe.ttl()), client, key, voters),
        }
    }

    fn behind(policy: &Policy, client: ClientId, key: Bytes, voters: u8) -> Self {
        let ttl = match policy.ttl {
            Ttl::Never => Self::TTL,
            Ttl::Of(ttl) => ttl,
        };
        let (margin, node_timeout) = (policy.drift.margin(ttl), policy.node_timeout);
        Self { client, key, voters, ttl, margin, node_timeout, retry: policy.retry }
    }

    /// What a plain lock on these terms says of itself: one key, which a majority of all voters must agree on; a
    /// promise on the monotonic clock that counts from before the first request left; neither fences nor renewal; and
    /// attempts that ask each voter once, all at the same time. A lock that differs says so: `CoreTraits { fenced: true,
    /// ..terms.traits("my-lock") }`.
    pub fn traits(&self, protocol: &'static str) -> CoreTraits {
        let retries = i64::from(self.retry.retries);
        let waits = (self.retry.delay + self.retry.jitter).0.saturating_mul(retries);
        CoreTraits {
            protocol,
            keys: vec![LockKey { key: self.key.clone(), role: KeyRole::Hold }],
            voters: self.voters,
            quorum: self.voters / 2 + 1,
            ttl: Ttl::Of(self.ttl),
            clock: ClockKind::Mono,
            basis: Some(Basis::Send),
            fenced: false,
            fifo: false,
            reentrant: false,
            shared: false,
            ordered_voters: false,
            renewal: None,
            node_timeout: self.node_timeout,
            call_max: Span(self.node_timeout.0.saturating_mul(1 + retries).saturating_add(waits)),
        }
    }

    /// The shipped lock on these terms: `single` for one voter, else `redlock`, as the specification says.
    pub fn spec(&self) -> Policy {
        let protocol = if self.voters == 1 { Protocol::Single } else { Protocol::Redlock };
        Policy {
            node_timeout: self.node_timeout,
            drift: Drift { permille: 0, constant: self.margin },
            retry: self.retry,
            ..Policy::spec(protocol, self.voters, Ttl::Of(self.ttl))
        }
    }
}

impl Retry {
    /// The wait before the next attempt: the delay plus this fraction of 2^32 of the jitter, rounded down to a
    /// microsecond.
    pub fn wait(self, fraction: u32) -> Span {
        let random = (i128::from(self.jitter.0) * i128::from(fraction)) >> 32;
        self.delay + Span(random as i64)
    }
}
