//! `[lock.single]`, `[lock.redlock]`, `[lock.none]`, and the same keys for one client.

use crate::lock::{
    Asking, Basis, Extension, Fence, NonceLife, OnError, OnLoss, Release, ReleaseScope, Renewal, Validity,
    WaitFor,
};
use crate::time::ClockKind;
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use toml::Spanned;

/// The one protocol and its policy.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum LockTable {
    Single(Spanned<LockKeys>),
    Redlock(Spanned<LockKeys>),
    None(NoKeys),
}

/// A table without keys.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct NoKeys {}

/// The keys of a policy.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct LockKeys {
    pub(in crate::scenario) like: Option<Spanned<Like>>,
    pub(in crate::scenario) unsound: Option<Spanned<bool>>,
    pub(in crate::scenario) ttl_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) ttl: Option<Spanned<NoTtl>>,
    pub(in crate::scenario) node_timeout_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) quorum: Option<Spanned<i64>>,
    pub(in crate::scenario) drift: Option<Spanned<DriftKeys>>,
    pub(in crate::scenario) validity: Option<Spanned<Validity>>,
    pub(in crate::scenario) basis: Option<Spanned<Basis>>,
    pub(in crate::scenario) clock: Option<Spanned<ClockKind>>,
    pub(in crate::scenario) asking: Option<Spanned<Asking>>,
    pub(in crate::scenario) on_error: Option<Spanned<OnError>>,
    pub(in crate::scenario) release: Option<Spanned<Release>>,
    pub(in crate::scenario) release_on_failure: Option<Spanned<ReleaseScope>>,
    pub(in crate::scenario) retries: Option<Spanned<i64>>,
    pub(in crate::scenario) retry_delay_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) retry_jitter_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) driver_retries: Option<Spanned<i64>>,
    pub(in crate::scenario) nonce: Option<Spanned<NonceLife>>,
    pub(in crate::scenario) fence: Option<Spanned<Fence>>,
    pub(in crate::scenario) extension: Option<Spanned<Extension>>,
    pub(in crate::scenario) renewal: Option<Spanned<Renewal>>,
    pub(in crate::scenario) on_loss: Option<Spanned<OnLoss>>,
    pub(in crate::scenario) wait: Option<Spanned<WaitFor>>,
    pub(in crate::scenario) wait_ms: Option<Spanned<i64>>,
}

/// Named starting values.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum Like {
    Spec,
}

/// `ttl = "none"`, the only word: a time goes into `ttl_ms`.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenario) struct NoTtl;

/// `drift = { permille = 10, constant_ms = 2 }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct DriftKeys {
    pub(in crate::scenario) permille: Spanned<i64>,
    pub(in crate::scenario) constant_ms: Spanned<i64>,
}

impl LockKeys {
    /// These keys over `base`: what is set here wins. `ttl_ms` and `ttl` are one thing said in two ways.
    pub(in crate::scenario) fn over(self, base: Self) -> Self {
        let own_ttl = self.ttl_ms.is_some() || self.ttl.is_some();
        let (ttl_ms, ttl) = if own_ttl { (self.ttl_ms, self.ttl) } else { (base.ttl_ms, base.ttl) };
        Self {
            like: self.like.or(base.like),
            unsound: self.unsound.or(base.unsound),
            ttl_ms,
            ttl,
            node_timeout_ms: self.node_timeout_ms.or(base.node_timeout_ms),
            quorum: self.quorum.or(base.quorum),
            drift: self.drift.or(base.drift),
            validity: self.validity.or(base.validity),
            basis: self.basis.or(base.basis),
            clock: self.clock.or(base.clock),
            asking: self.asking.or(base.asking),
            on_error: self.on_error.or(base.on_error),
            release: self.release.or(base.release),
            release_on_failure: self.release_on_failure.or(base.release_on_failure),
            retries: self.retries.or(base.retries),
            retry_delay_ms: self.retry_delay_ms.or(base.retry_delay_ms),
            retry_jitter_ms: self.retry_jitter_ms.or(base.retry_jitter_ms),
            driver_retries: self.driver_retries.or(base.driver_retries),
            nonce: self.nonce.or(base.nonce),
            fence: self.fence.or(base.fence),
            extension: self.extension.or(base.extension),
            renewal: self.renewal.or(base.renewal),
            on_loss: self.on_loss.or(base.on_loss),
            wait: self.wait.or(base.wait),
            wait_ms: self.wait_ms.or(base.wait_ms),
        }
    }
}

impl<'de> Deserialize<'de> for NoTtl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NoTtlVisitor)
    }
}

struct NoTtlVisitor;

impl Visitor<'_> for NoTtlVisitor {
    type Value = NoTtl;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("\"none\"; a time in milliseconds goes into `ttl_ms`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<NoTtl, E> {
        if text == "none" { Ok(NoTtl) } else { Err(E::unknown_variant(text, &["none"])) }
    }
}
