//! `[lock.fair]`, `[lock.read-write]`, `[lock.signal]` and `[lock.multi]`: locks whose callers wait.

use super::lock::NoTtl;
use crate::lock::multi::{Holding, Leasing, Needed, Order, Share, Sub};
use crate::lock::waiter::{
    AfterError, Bound, Latch, OnDoubt, Present, Quitting, ReaderLife, Side, Unit, WriterLife,
};
use crate::lock::{Basis, NonceLife, OnLoss, Renewal, Validity};
use crate::time::ClockKind;
use serde::Deserialize;
use toml::Spanned;

/// Tables with the keys that all of these locks have, and their own.
macro_rules! waiting_tables {
    ($($(#[$doc:meta])* $name:ident: $like:ident { $($own:ident: $kind:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            pub(in crate::scenario) like: Option<Spanned<$like>>,
            pub(in crate::scenario) ttl_ms: Option<Spanned<i64>>,
            pub(in crate::scenario) node_timeout_ms: Option<Spanned<i64>>,
            pub(in crate::scenario) wait_limit_ms: Option<Spanned<i64>>,
            pub(in crate::scenario) wait_limit: Option<Spanned<WaitWord>>,
            pub(in crate::scenario) nonce: Option<Spanned<NonceLife>>,
            pub(in crate::scenario) basis: Option<Spanned<Basis>>,
            pub(in crate::scenario) margin_ms: Option<Spanned<i64>>,
            pub(in crate::scenario) validity: Option<Spanned<Validity>>,
            pub(in crate::scenario) clock: Option<Spanned<ClockKind>>,
            pub(in crate::scenario) renewal: Option<Spanned<Renewal>>,
            pub(in crate::scenario) on_loss: Option<Spanned<OnLoss>>,
            $(pub(in crate::scenario) $own: Option<Spanned<$kind>>,)*
        }

        impl $name {
            /// The keys that all have.
            pub(in crate::scenario) fn waiting(&self) -> WaitingKeys<'_> {
                WaitingKeys {
                    ttl_ms: &self.ttl_ms,
                    node_timeout_ms: &self.node_timeout_ms,
                    wait_limit_ms: &self.wait_limit_ms,
                    wait_limit: &self.wait_limit,
                    nonce: &self.nonce,
                    basis: &self.basis,
                    margin_ms: &self.margin_ms,
                    validity: &self.validity,
                    clock: &self.clock,
                    renewal: &self.renewal,
                    on_loss: &self.on_loss,
                }
            }
        }
    )*};
}

waiting_tables! {
    /// The keys of a fair lock.
    FairKeys: RedissonLike {
        unsound: bool,
        ttl: NoTtl,
        place_ms: i64,
        present: Present,
        bound: Bound,
        quitting: Quitting,
        latch: Latch,
        after_error: AfterError,
        on_doubt: OnDoubt,
        release_retries: i64,
    }
    /// The keys of a read-write lock.
    ReadWriteKeys: RedissonLike {
        unsound: bool,
        ttl: NoTtl,
        side: Side,
        reader_life: ReaderLife,
        writer_life: WriterLife,
        latch: Latch,
        after_error: AfterError,
        on_doubt: OnDoubt,
        release_retries: i64,
    }
    /// The keys of a lock with a signal list.
    SignalKeys: SignalLike {
        unsound: bool,
        ttl: NoTtl,
        unit: Unit,
        signal_ms: i64,
        after_error: AfterError,
        on_doubt: OnDoubt,
        release_retries: i64,
    }
    /// The keys of a lock over several sub-locks.
    MultiKeys: MultiLike {
        needed: Needed,
        sub: Sub,
        share: Share,
        order: Order,
        holding: Holding,
        leasing: Leasing,
        round_least_ms: i64,
        round_most_ms: i64,
        pause_least_ms: i64,
        pause_most_ms: i64,
        poll_ms: i64,
    }
}

/// The keys that all have, wherever they are.
pub(in crate::scenario) struct WaitingKeys<'a> {
    pub(in crate::scenario) ttl_ms: &'a Option<Spanned<i64>>,
    pub(in crate::scenario) node_timeout_ms: &'a Option<Spanned<i64>>,
    pub(in crate::scenario) wait_limit_ms: &'a Option<Spanned<i64>>,
    pub(in crate::scenario) wait_limit: &'a Option<Spanned<WaitWord>>,
    pub(in crate::scenario) nonce: &'a Option<Spanned<NonceLife>>,
    pub(in crate::scenario) basis: &'a Option<Spanned<Basis>>,
    pub(in crate::scenario) margin_ms: &'a Option<Spanned<i64>>,
    pub(in crate::scenario) validity: &'a Option<Spanned<Validity>>,
    pub(in crate::scenario) clock: &'a Option<Spanned<ClockKind>>,
    pub(in crate::scenario) renewal: &'a Option<Spanned<Renewal>>,
    pub(in crate::scenario) on_loss: &'a Option<Spanned<OnLoss>>,
}

/// A limit of a wait that is no time.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum WaitWord {
    Once,
    Ever,
}

/// Starting values of a fair or a read-write lock.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum RedissonLike {
    Spec,
    Redisson,
}

/// Starting values of a lock with a signal list.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum SignalLike {
    Spec,
    PythonRedisLock,
}

/// Starting values of a lock over several sub-locks.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum MultiLike {
    Spec,
    RedissonMultilock,
    RedissonRedlock,
}
