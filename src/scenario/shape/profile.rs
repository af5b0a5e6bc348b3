//! A profile file as serde sees it.

use super::{NumberOrQuantiles, Repeated};
use crate::plan::{CutHow, PauseKind, WayCut};
use crate::time::ClockKind;
use serde::Deserialize;
use toml::Spanned;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct ProfileFile {
    pub(in crate::scenario) format: Option<Spanned<i64>>,
    pub(in crate::scenario) profile: Spanned<ProfileTable>,
}

/// `[profile]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::scenario) struct ProfileTable {
    pub(in crate::scenario) name: Spanned<String>,
    pub(in crate::scenario) title: Option<Spanned<String>>,
    #[serde(rename = "window_ms")]
    pub(in crate::scenario) window_ms: Spanned<Vec<Spanned<i64>>>,
    #[serde(rename = "latency_us")]
    pub(in crate::scenario) latency_us: Option<Spanned<NumberOrQuantiles>>,
    #[serde(default)]
    pub(in crate::scenario) clock_freeze: Repeated<ClockFreezeHazard>,
    #[serde(default)]
    pub(in crate::scenario) clock_rate: Repeated<ClockRateHazard>,
    #[serde(default)]
    pub(in crate::scenario) clock_step: Repeated<ClockStepHazard>,
    #[serde(default)]
    pub(in crate::scenario) crash: Repeated<LengthHazard>,
    #[serde(default)]
    pub(in crate::scenario) cut: Repeated<CutHazard>,
    #[serde(default)]
    pub(in crate::scenario) down: Repeated<DownHazard>,
    #[serde(default)]
    pub(in crate::scenario) error_reply: Repeated<ErrorReplyHazard>,
    #[serde(default)]
    pub(in crate::scenario) evict: Repeated<InstantHazard>,
    #[serde(default)]
    pub(in crate::scenario) failover: Repeated<FailoverHazard>,
    #[serde(default)]
    pub(in crate::scenario) flush_scripts: Repeated<InstantHazard>,
    #[serde(default)]
    pub(in crate::scenario) kill: Repeated<LengthHazard>,
    #[serde(default)]
    pub(in crate::scenario) lag: Repeated<LagHazard>,
    #[serde(default)]
    pub(in crate::scenario) late_timer: Repeated<SizeHazard>,
    #[serde(default)]
    pub(in crate::scenario) pause: Repeated<PauseHazard>,
    #[serde(default)]
    pub(in crate::scenario) power_loss: Repeated<LengthHazard>,
    #[serde(default)]
    pub(in crate::scenario) slow: Repeated<SizeHazard>,
}

/// A table of the keys of one hazard.
macro_rules! hazard {
    ($(#[$doc:meta])* $name:ident { $($key:ident: $kind:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(in crate::scenario) struct $name {
            $(pub(in crate::scenario) $key: $kind,)*
        }
    };
}

hazard!(
    /// `pause = { of, kind, every_ms, for_ms }`
    PauseHazard {
        of: Spanned<String>,
        kind: PauseKind,
        every_ms: Spanned<NumberOrQuantiles>,
        for_ms: Spanned<NumberOrQuantiles>,
    }
);
hazard!(
    /// `crash`, `kill` and `power-loss = { of, every_ms, for_ms }`
    LengthHazard {
        of: Spanned<String>,
        every_ms: Spanned<NumberOrQuantiles>,
        for_ms: Spanned<NumberOrQuantiles>,
    }
);
hazard!(
    /// `evict` and `flush-scripts = { of, every_ms }`
    InstantHazard {
        of: Spanned<String>,
        every_ms: Spanned<NumberOrQuantiles>,
    }
);
hazard!(
    /// `clock-step = { of, every_ms, by_ms }`
    ClockStepHazard {
        of: Spanned<String>,
        every_ms: Spanned<NumberOrQuantiles>,
        by_ms: Spanned<NumberOrQuantiles>,
    }
);
hazard!(
    /// `clock-rate = { of, clock, ppm, every_ms, for_ms }`, the last two together or not at all
    ClockRateHazard {
        of: Spanned<String>,
        clock: Option<ClockKind>,
        ppm: Spanned<NumberOrQuantiles>,
        every_ms: Option<Spanned<NumberOrQuantiles>>,
        for_ms: Option<Spanned<NumberOrQuantiles>>,
    }
);
hazard!(
    /// `clock-freeze = { of, clock, every_ms, for_ms }`
    ClockFreezeHazard {
        of: Spanned<String>,
        clock: Option<ClockKind>,
        every_ms: Spanned<NumberOrQuantiles>,
        for_ms: Spanned<NumberOrQuantiles>,
    }
);
hazard!(
    /// `cut = { between, direction, how, every_ms, for_ms }`
    CutHazard {
        between: BetweenWord,
        direction: WayCut,
        how: CutHow,
        every_ms: Spanned<NumberOrQuantiles>,
        for_ms: Spanned<NumberOrQuantiles>,
    }
);
hazard!(
    /// `slow` and `late-timer = { of, by_ms, every_ms, for_ms }`
    SizeHazard {
        of: Spanned<String>,
        by_ms: Spanned<NumberOrQuantiles>,
        every_ms: Spanned<NumberOrQuantiles>,
        for_ms: Spanned<NumberOrQuantiles>,
    }
);
hazard!(
    /// `lag = { of, by_ms, every_ms, for_ms }`, the last two together or not at all
    LagHazard {
        of: Spanned<String>,
        by_ms: Spanned<NumberOrQuantiles>,
        every_ms: Option<Spanned<NumberOrQuantiles>>,
        for_ms: Option<Spanned<NumberOrQuantiles>>,
    }
);
hazard!(
    /// `error-reply = { of, text, every_ms, for_ms }`
    ErrorReplyHazard {
        of: Spanned<String>,
        text: Spanned<String>,
        every_ms: Spanned<NumberOrQuantiles>,
        for_ms: Spanned<NumberOrQuantiles>,
    }
);
hazard!(
    /// `failover = { old, every_ms, down_ms, detect_ms, learn_ms, demote_ms }`
    FailoverHazard {
        old: Spanned<OldWord>,
        every_ms: Spanned<NumberOrQuantiles>,
        down_ms: Option<Spanned<NumberOrQuantiles>>,
        detect_ms: Spanned<NumberOrQuantiles>,
        learn_ms: Spanned<NumberOrQuantiles>,
        demote_ms: Spanned<NumberOrQuantiles>,
    }
);
hazard!(
    /// `down = { count }`
    DownHazard {
        count: Spanned<i64>,
    }
);

/// Which sides a cut separates.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum BetweenWord {
    ClientNode,
    ClientAllNodes,
    NodeAllClients,
    NodeReplica,
    ClientStore,
}

/// What is the matter with a primary that is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::scenario) enum OldWord {
    Killed,
    Alive,
}
