//! `[lock.reentrant]`, `[lock.redisson]`, `[lock.spin]`: locks that count the holds of their owner.

use super::lock::NoTtl;
use crate::lock::{
    AfterError, Fence, InnerLease, InnerRelease, Latch, Lease, LeaseRenewal, LifeUnit, NamedLease, OnLoss,
    ReentryLife, RenewedLife, WaitFor, Waiting,
};
use crate::time::ClockKind;
use serde::Deserialize;
use toml::Spanned;

/// The keys of a hash lock in a scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HashKeys {
    pub(in crate::scenario) like: Option<Spanned<HashLike>>,
    pub(in crate::scenario) unsound: Option<Spanned<bool>>,
    pub(in crate::scenario) ttl_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) ttl: Option<Spanned<NoTtl>>,
    pub(in crate::scenario) ttl_unit: Option<Spanned<LifeUnit>>,
    pub(in crate::scenario) node_timeout_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) lease: Option<Spanned<Lease>>,
    pub(in crate::scenario) inner_lease: Option<Spanned<InnerLease>>,
    pub(in crate::scenario) named_lease: Option<Spanned<NamedLease>>,
    pub(in crate::scenario) reentry_life: Option<Spanned<ReentryLife>>,
    pub(in crate::scenario) inner_release: Option<Spanned<InnerRelease>>,
    pub(in crate::scenario) waiting: Option<Spanned<Waiting>>,
    pub(in crate::scenario) wait_limit_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) wait_clock: Option<Spanned<ClockKind>>,
    pub(in crate::scenario) poll_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) poll_jitter_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) spin_first_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) spin_most_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) renewal: Option<Spanned<LeaseRenewal>>,
    pub(in crate::scenario) renewed_life: Option<Spanned<RenewedLife>>,
    pub(in crate::scenario) after_error: Option<Spanned<AfterError>>,
    pub(in crate::scenario) on_loss: Option<Spanned<OnLoss>>,
    pub(in crate::scenario) latch: Option<Spanned<Latch>>,
    pub(in crate::scenario) acquire_resends: Option<Spanned<i64>>,
    pub(in crate::scenario) release_resends: Option<Spanned<i64>>,
    pub(in crate::scenario) resend_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) fence: Option<Spanned<Fence>>,
    pub(in crate::scenario) wait: Option<Spanned<WaitFor>>,
    pub(in crate::scenario) wait_ms: Option<Spanned<i64>>,
}

/// Named starting values of hash locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(in crate::scenario) enum HashLike {
    /// What tutorials print.
    #[serde(rename = "scripted")]
    Scripted,
    /// Redisson 3.23.3.
    #[serde(rename = "redisson-3.23.3")]
    Redisson3233,
    /// Redisson at commit 6686397.
    #[serde(rename = "redisson")]
    Redisson,
}
