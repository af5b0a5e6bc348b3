//! `[lock.single]`, `[lock.redlock]`, `[lock.none]`, and the same keys for one client; in models with times in ticks.
//! The tables of other shapes are listed here too, and have their keys in files of their own.

use super::hash::HashKeys;
use super::waiter::{FairKeys, MultiKeys, ReadWriteKeys, SignalKeys};
use crate::lock::{
    Arithmetic, Asked, Asking, Basis, Cleanup, Counting, Deciding, DriftSign, Elapsed, Extension,
    ExtensionChecks, ExtensionMoves, ExtensionQuorumOf, ExtensionWithin, Fence, Growth, NonceLife, OnError,
    OnExtensionFailure, OnLoss, QuorumOf, QuorumRule, Reacquire, Release, ReleaseKey, ReleaseScope, Renewal,
    RenewalOnRelease, RenewalRearm, RenewalRounding, Repair, Start, Taking, TtlUnit, Validity, WaitFor,
    WhenLate,
};
use crate::time::ClockKind;
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use std::ops::Range;
use toml::Spanned;

/// The one protocol and its policy, under the keys `K`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LockTable<K> {
    Single(Spanned<K>),
    Redlock(Spanned<K>),
    None(NoKeys),
    Reentrant(Spanned<HashKeys>),
    Redisson(Spanned<HashKeys>),
    Spin(Spanned<HashKeys>),
    Fair(Spanned<FairKeys>),
    ReadWrite(Spanned<ReadWriteKeys>),
    Signal(Spanned<SignalKeys>),
    Multi(Spanned<MultiKeys>),
}

impl<K> LockTable<K> {
    /// The word after `lock.`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Single(_) => "single",
            Self::Redlock(_) => "redlock",
            Self::None(_) => "none",
            Self::Reentrant(_) => "reentrant",
            Self::Redisson(_) => "redisson",
            Self::Spin(_) => "spin",
            Self::Fair(_) => "fair",
            Self::ReadWrite(_) => "read-write",
            Self::Signal(_) => "signal",
            Self::Multi(_) => "multi",
        }
    }

    /// The keys of a quorum lock.
    pub(in crate::scenario) fn keys(&self) -> Option<&K> {
        match self {
            Self::Single(keys) | Self::Redlock(keys) => Some(keys.get_ref()),
            Self::None(_)
            | Self::Reentrant(_)
            | Self::Redisson(_)
            | Self::Spin(_)
            | Self::Fair(_)
            | Self::ReadWrite(_)
            | Self::Signal(_)
            | Self::Multi(_) => None,
        }
    }
}

/// A table without keys.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoKeys {}

/// Hands `$make` the keys of a policy that carry no unit: every kind of file writes them alike.
macro_rules! with_shared_keys {
    ($make:ident $own:tt) => {
        $make! {
            $own
            like: String, unsound: bool, quorum: i64, quorum_rule: QuorumRule, quorum_of: QuorumOf,
            counting: Counting, taking: Taking, repair: Repair, ttl_unit: TtlUnit, validity: Validity, basis: Basis, elapsed: Elapsed,
            arithmetic: Arithmetic, clock: ClockKind, asking: Asking, deciding: Deciding, on_error: OnError,
            release: Release, release_key: ReleaseKey, release_asks: Asked, release_on_failure: ReleaseScope, release_when_late: WhenLate, cleanup: Cleanup,
            driver_retries: i64, nonce: NonceLife, fence: Fence, extension: Extension,
            extension_quorum_of: ExtensionQuorumOf, extension_within: ExtensionWithin, extension_moves: ExtensionMoves,
            extension_checks: ExtensionChecks, on_extension_failure: OnExtensionFailure, renewals_max: i64,
            renewal: Renewal, renewal_permille: i64, renewal_rounding: RenewalRounding, renewal_rearm: RenewalRearm,
            renewal_on_release: RenewalOnRelease, reacquire: Reacquire, on_loss: OnLoss, wait: WaitFor,
        }
    };
}

/// A struct of all keys of a policy: the shared ones, and its own.
macro_rules! policy_keys {
    ({ overridable $(#[$doc:meta])* $name:ident { $($own:ident: $own_kind:ty,)* } } $($key:ident: $kind:ty,)*) => {
        policy_keys! { { $(#[$doc])* $name { $($own: $own_kind,)* } } $($key: $kind,)* }

        impl $name {
            /// What is set here, and where nothing is, what `base` sets.
            fn or(self, base: Self) -> Self {
                Self { $($key: self.$key.or(base.$key),)* $($own: self.$own.or(base.$own),)* }
            }

            /// The same keys, all said at one place: that of the word that stands for them.
            pub(in crate::scenario) fn said_at(self, place: &Range<usize>) -> Self {
                fn moved<V>(key: Option<Spanned<V>>, place: &Range<usize>) -> Option<Spanned<V>> {
                    key.map(|key| Spanned::new(place.clone(), key.into_inner()))
                }
                Self { $($key: moved(self.$key, place),)* $($own: moved(self.$own, place),)* }
            }
        }
    };
    ({ $(#[$doc:meta])* $name:ident { $($own:ident: $own_kind:ty,)* } } $($key:ident: $kind:ty,)*) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            $(pub(crate) $key: Option<Spanned<$kind>>,)*
            $(pub(crate) $own: Option<Spanned<$own_kind>>,)*
        }

        impl $name {
            /// The keys that every kind of file has.
            pub(crate) fn shared(&self) -> SharedKeys {
                SharedKeys { $($key: self.$key.clone(),)* }
            }

            /// Where the keys are that are set.
            pub(crate) fn places(&self) -> Vec<(&'static str, Range<usize>)> {
                let mut places = Vec::new();
                $(places.extend(self.$key.as_ref().map(|key| (stringify!($key), key.span())));)*
                $(places.extend(self.$own.as_ref().map(|key| (stringify!($own), key.span())));)*
                places
            }
        }
    };
}

/// The shared keys alone.
macro_rules! shared_keys {
    ({ $(#[$doc:meta])* $name:ident } $($key:ident: $kind:ty,)*) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub(crate) struct $name {
            $(pub(crate) $key: Option<Spanned<$kind>>,)*
        }
    };
}

with_shared_keys!(shared_keys {
    /// The keys of a policy that carry no unit.
    SharedKeys
});

with_shared_keys!(policy_keys {
    overridable
    /// The keys of a policy in a scenario.
    LockKeys {
        ttl_ms: i64,
        ttl: NoTtl,
        node_timeout_ms: i64,
        drift: DriftKeys,
        start: Start,
        min_validity_ms: i64,
        retries: i64,
        retry_delay_ms: i64,
        retry_jitter_ms: i64,
        retry_growth: Growth,
        retry_delay_max_ms: i64,
        retry_after_last: bool,
        wait_limit_ms: i64,
        wait_clock: ClockKind,
        wait_ms: i64,
    }
});

#[cfg(feature = "prove")]
with_shared_keys!(policy_keys {
    /// The keys of a policy in a model, whose times are ticks. How long keys live is said of the scope.
    TickKeys {
        ttl: NoLife,
        node_timeout_ticks: i64,
        margin_ticks: i64,
        margin_sign: DriftSign,
        min_validity_ticks: i64,
        wait_ticks: i64,
    }
});

/// `ttl = "none"`, the only word: a time goes into `ttl_ms`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoTtl;

/// `ttl = "none"` in a model.
#[cfg(feature = "prove")]
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NoLife {
    None,
}

/// `drift = { permille = 10, constant_ms = 2 }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DriftKeys {
    pub(in crate::scenario) permille: Spanned<i64>,
    pub(in crate::scenario) constant_ms: Spanned<i64>,
    pub(in crate::scenario) sign: Option<Spanned<DriftSign>>,
}

impl LockKeys {
    /// These keys over `base`: what is set here wins. `ttl_ms` and `ttl` are one thing said in two ways, and so are
    /// `quorum` and `quorum_rule`; a maximum belongs to the growth that it was said of.
    pub(in crate::scenario) fn over(self, base: Self) -> Self {
        let own_ttl = self.ttl_ms.is_some() || self.ttl.is_some();
        let base = if own_ttl { Self { ttl_ms: None, ttl: None, ..base } } else { base };
        let own_growth = self.retry_growth.is_some();
        let base = if own_growth { Self { retry_delay_max_ms: None, ..base } } else { base };
        let own_quorum = self.quorum.is_some() || self.quorum_rule.is_some();
        self.or(if own_quorum { Self { quorum: None, quorum_rule: None, ..base } } else { base })
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
