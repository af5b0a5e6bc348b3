//! `[[plan]]`: faults, directives of messages and orders, deferred timers.

use super::{Learning, OneOrMany};
use crate::plan::{CutHow, PauseKind, WayCut};
use crate::time::ClockKind;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// One entry.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum PlanEntry {
    Cancel(Spanned<MomentKeys>),
    ClockFreeze(Spanned<ClockFreezeKeys>),
    ClockRate(Spanned<ClockRateKeys>),
    ClockStep(Spanned<ClockStepKeys>),
    Crash(Spanned<EndKeys>),
    Cut(Spanned<CutKeys>),
    Defer(Spanned<DeferKeys>),
    Demote(Spanned<MomentKeys>),
    ErrorReply(Spanned<ErrorReplyKeys>),
    Evict(Spanned<EvictKeys>),
    FlushScripts(Spanned<MomentKeys>),
    Kill(Spanned<EndKeys>),
    Lag(Spanned<ByKeys>),
    LateTimer(Spanned<ByKeys>),
    Message(Spanned<MessageKeys>),
    Order(Spanned<OrderKeys>),
    Pause(Spanned<PauseKeys>),
    PowerLoss(Spanned<EndKeys>),
    Promote(Spanned<PromoteKeys>),
    Shutdown(Spanned<EndKeys>),
    Slow(Spanned<ByKeys>),
}

/// When an entry begins: exactly one of three keys.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenario) struct WhenKeys<'a> {
    pub(in crate::scenario) at_ms: Option<&'a Spanned<i64>>,
    pub(in crate::scenario) at_us: Option<&'a Spanned<i64>>,
    pub(in crate::scenario) after: Option<&'a Spanned<String>>,
}

/// How long an entry lasts: at most one of two keys, none for one that is over at once.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenario) struct LastsKeys<'a> {
    pub(in crate::scenario) for_ms: Option<&'a Spanned<i64>>,
    pub(in crate::scenario) for_us: Option<&'a Spanned<i64>>,
}

/// The interval of a fault, as its entry says it.
pub(in crate::scenario) trait Interval {
    fn when(&self) -> WhenKeys<'_>;
    fn lasts(&self) -> LastsKeys<'_>;
}

/// One or more processes by name.
pub(in crate::scenario) type Targets = Spanned<OneOrMany<String>>;

/// A struct of keys that also has the three keys of [`WhenKeys`] and, unless it is over at once, those of
/// [`LastsKeys`].
macro_rules! entry {
    ($(#[$doc:meta])* lasting $name:ident { $($key:ident: $kind:ty,)* }) => {
        entry!($(#[$doc])* $name { for_ms: Option<Spanned<i64>>, for_us: Option<Spanned<i64>>, $($key: $kind,)* });

        impl Interval for $name {
            fn when(&self) -> WhenKeys<'_> {
                self.begins()
            }

            fn lasts(&self) -> LastsKeys<'_> {
                LastsKeys { for_ms: self.for_ms.as_ref(), for_us: self.for_us.as_ref() }
            }
        }
    };
    ($(#[$doc:meta])* instant $name:ident { $($key:ident: $kind:ty,)* }) => {
        entry!($(#[$doc])* $name { $($key: $kind,)* });

        impl Interval for $name {
            fn when(&self) -> WhenKeys<'_> {
                self.begins()
            }

            fn lasts(&self) -> LastsKeys<'_> {
                LastsKeys { for_ms: None, for_us: None }
            }
        }
    };
    ($(#[$doc:meta])* $name:ident { $($key:ident: $kind:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(in crate::scenario) struct $name {
            at_ms: Option<Spanned<i64>>,
            at_us: Option<Spanned<i64>>,
            after: Option<Spanned<String>>,
            $(pub(in crate::scenario) $key: $kind,)*
        }

        impl $name {
            fn begins(&self) -> WhenKeys<'_> {
                WhenKeys {
                    at_ms: self.at_ms.as_ref(),
                    at_us: self.at_us.as_ref(),
                    after: self.after.as_ref(),
                }
            }
        }
    };
}

entry!(
    /// `pause = { of, worker, kind, for_ms }`
    lasting PauseKeys {
        of: Targets,
        worker: Option<Spanned<WorkerWord>>,
        kind: Spanned<PauseKind>,
    }
);
entry!(
    /// `crash`, `kill`, `power-loss`, `shutdown` `= { of, for_ms }`
    lasting EndKeys {
        of: Targets,
    }
);
entry!(
    /// `clock-step = { of, clock, by_ms }`
    instant ClockStepKeys {
        of: Targets,
        clock: Option<Spanned<ClockKind>>,
        by_ms: Option<Spanned<i64>>,
        by_us: Option<Spanned<i64>>,
    }
);
entry!(
    /// `clock-rate = { of, clock, ppm, for_ms }`
    lasting ClockRateKeys {
        of: Targets,
        clock: Option<Spanned<ClockKind>>,
        ppm: Spanned<i64>,
    }
);
entry!(
    /// `clock-freeze = { of, clock, for_ms }`
    lasting ClockFreezeKeys {
        of: Targets,
        clock: Option<Spanned<ClockKind>>,
    }
);
entry!(
    /// `cut = { between, direction, how, for_ms }`
    lasting CutKeys {
        between: Spanned<Vec<Targets>>,
        direction: Spanned<WayCut>,
        how: CutHow,
    }
);
entry!(
    /// `slow`, `late-timer`, `lag` `= { of, by_ms, for_ms }`
    lasting ByKeys {
        of: Targets,
        by_ms: Option<Spanned<i64>>,
        by_us: Option<Spanned<i64>>,
    }
);
entry!(
    /// `evict = { of, key }`
    instant EvictKeys {
        of: Targets,
        key: Option<Spanned<String>>,
    }
);
entry!(
    /// `error-reply = { of, text, for_ms }`
    lasting ErrorReplyKeys {
        of: Targets,
        text: Spanned<String>,
    }
);
entry!(
    /// `cancel`, `flush-scripts`, `demote` `= { of }`
    instant MomentKeys {
        of: Targets,
    }
);
entry!(
    /// `promote = { of, learn_ms, except }`
    instant PromoteKeys {
        of: Spanned<String>,
        learn_ms: Option<Spanned<Learning>>,
        learn_us: Option<Spanned<i64>>,
        except: Option<Spanned<BTreeMap<Spanned<String>, Spanned<Learning>>>>,
        except_us: Option<Spanned<BTreeMap<Spanned<String>, Spanned<i64>>>>,
    }
);

/// `message = { name, delay_ms }` or `message = { name, lose = true }`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct MessageKeys {
    pub(in crate::scenario) name: Spanned<String>,
    pub(in crate::scenario) delay_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) delay_us: Option<Spanned<i64>>,
    pub(in crate::scenario) lose: Option<Spanned<bool>>,
}

/// `order = { at_ms, of, first, then }`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct OrderKeys {
    pub(in crate::scenario) at_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) at_us: Option<Spanned<i64>>,
    pub(in crate::scenario) of: Spanned<String>,
    pub(in crate::scenario) first: Spanned<String>,
    pub(in crate::scenario) then: Spanned<String>,
}

/// `defer = { of, firing, until_ms }`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct DeferKeys {
    pub(in crate::scenario) of: Spanned<String>,
    pub(in crate::scenario) firing: Spanned<i64>,
    pub(in crate::scenario) until_ms: Option<Spanned<i64>>,
    pub(in crate::scenario) until_us: Option<Spanned<i64>>,
}

/// A worker of a client.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum WorkerWord {
    User,
    Watchdog,
}
