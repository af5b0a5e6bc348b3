//! `[[plan]]`: faults, message directives and order directives.

use super::OneOrMany;
use crate::plan::{CutHow, PauseKind, WayCut};
use crate::time::ClockKind;
use serde::Deserialize;
use toml::Spanned;

/// One entry.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum PlanEntry {
    ClockFreeze(Spanned<ClockFreezeKeys>),
    ClockRate(Spanned<ClockRateKeys>),
    ClockStep(Spanned<ClockStepKeys>),
    Crash(Spanned<CrashKeys>),
    Cut(Spanned<CutKeys>),
    ErrorReply(Spanned<ErrorReplyKeys>),
    Evict(Spanned<EvictKeys>),
    FlushScripts(Spanned<FlushScriptsKeys>),
    Kill(Spanned<KillKeys>),
    LateTimer(Spanned<LateTimerKeys>),
    Message(Spanned<MessageKeys>),
    Order(Spanned<OrderKeys>),
    Pause(Spanned<PauseKeys>),
    Slow(Spanned<SlowKeys>),
}

/// When an entry begins: exactly one of three keys.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenario) struct WhenKeys<'a> {
    pub(in crate::scenario) at_ms: Option<&'a Spanned<i64>>,
    pub(in crate::scenario) at_us: Option<&'a Spanned<i64>>,
    pub(in crate::scenario) after: Option<&'a Spanned<String>>,
}

/// One or more processes by name.
type Targets = Spanned<OneOrMany<String>>;

/// A struct of keys that also has the three keys of [`WhenKeys`].
macro_rules! entry {
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
            pub(in crate::scenario) fn when(&self) -> WhenKeys<'_> {
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
    PauseKeys {
        of: Targets,
        worker: Option<Spanned<WorkerWord>>,
        kind: Spanned<PauseKind>,
        for_ms: Option<Spanned<i64>>,
    }
);
entry!(
    /// `crash = { of, for_ms }`
    CrashKeys {
        of: Targets,
        for_ms: Option<Spanned<i64>>,
    }
);
entry!(
    /// `kill = { of, for_ms }`
    KillKeys {
        of: Targets,
        for_ms: Option<Spanned<i64>>,
    }
);
entry!(
    /// `clock-step = { of, clock, by_ms }`
    ClockStepKeys {
        of: Targets,
        clock: Option<Spanned<ClockKind>>,
        by_ms: Spanned<i64>,
    }
);
entry!(
    /// `clock-rate = { of, clock, ppm, for_ms }`
    ClockRateKeys {
        of: Targets,
        clock: Option<Spanned<ClockKind>>,
        ppm: Spanned<i64>,
        for_ms: Option<Spanned<i64>>,
    }
);
entry!(
    /// `clock-freeze = { of, clock, for_ms }`
    ClockFreezeKeys {
        of: Targets,
        clock: Option<Spanned<ClockKind>>,
        for_ms: Option<Spanned<i64>>,
    }
);
entry!(
    /// `cut = { between, direction, how, for_ms }`
    CutKeys {
        between: Spanned<Vec<Targets>>,
        direction: WayCut,
        how: CutHow,
        for_ms: Option<Spanned<i64>>,
    }
);
entry!(
    /// `slow = { of, by_ms, for_ms }`
    SlowKeys {
        of: Targets,
        by_ms: Spanned<i64>,
        for_ms: Option<Spanned<i64>>,
    }
);
entry!(
    /// `evict = { of, key }`
    EvictKeys {
        of: Targets,
        key: Option<Spanned<String>>,
    }
);
entry!(
    /// `late-timer = { of, by_ms, for_ms }`
    LateTimerKeys {
        of: Targets,
        by_ms: Spanned<i64>,
        for_ms: Option<Spanned<i64>>,
    }
);
entry!(
    /// `error-reply = { of, text, for_ms }`
    ErrorReplyKeys {
        of: Targets,
        text: Spanned<String>,
        for_ms: Option<Spanned<i64>>,
    }
);
entry!(
    /// `flush-scripts = { of }`
    FlushScriptsKeys {
        of: Targets,
    }
);

/// `message = { name, delay_ms }` or `message = { name, lose = true }`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct MessageKeys {
    pub(in crate::scenario) name: Spanned<String>,
    pub(in crate::scenario) delay_ms: Option<Spanned<i64>>,
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

/// A worker of a client.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum WorkerWord {
    User,
    Watchdog,
}
