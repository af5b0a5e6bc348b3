//! `[lock.single]`, `[lock.redlock]`, `[lock.none]`, and the same keys for one client; in models with times in ticks.

use crate::lock::{
    Asking, Basis, Counting, Extension, Fence, NonceLife, OnError, OnLoss, Release, ReleaseScope, Renewal,
    Taking, Validity, WaitFor,
};
use crate::time::ClockKind;
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use toml::Spanned;

/// The one protocol and its policy, under the keys `K`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LockTable<K> {
    Single(Spanned<K>),
    Redlock(Spanned<K>),
    None(NoKeys),
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
            like: Like, unsound: bool, quorum: i64, counting: Counting, taking: Taking, validity: Validity, basis: Basis,
            clock: ClockKind, asking: Asking, on_error: OnError, release: Release,
            release_on_failure: ReleaseScope, driver_retries: i64, nonce: NonceLife, fence: Fence,
            extension: Extension, renewal: Renewal, on_loss: OnLoss, wait: WaitFor,
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
        retries: i64,
        retry_delay_ms: i64,
        retry_jitter_ms: i64,
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
        wait_ticks: i64,
    }
});

/// Named starting values.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Like {
    Spec,
}

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
}

impl LockKeys {
    /// These keys over `base`: what is set here wins. `ttl_ms` and `ttl` are one thing said in two ways.
    pub(in crate::scenario) fn over(self, base: Self) -> Self {
        let own_ttl = self.ttl_ms.is_some() || self.ttl.is_some();
        self.or(if own_ttl { Self { ttl_ms: None, ttl: None, ..base } } else { base })
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
