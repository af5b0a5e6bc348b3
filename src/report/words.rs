//! Words for the small enums of a record. Lower-case fragments, to be put into a sentence.
//!
//! Must not know where a fragment stands.

use crate::history::{Cause, HoldEffect, LostWhy, PromiseEnd, SectionEnd, WatchKind};
use crate::lock::{ExtendFailure, Found, LossReason, RefuseReason, Released, Until, Wait, WaitFor};
use crate::time::{ProcessClocks, Span};

/// A span as people say it, rounded towards zero: `3.2 s`, `50 ms`, `0.2 ms`, `0 ms`.
pub(super) fn human(span: Span) -> String {
    let (sign, us) = (if span.0 < 0 { "-" } else { "" }, span.0.unsigned_abs());
    let tenth = |whole: u64, part: u64, unit: &str| match part {
        0 => format!("{sign}{whole} {unit}"),
        part => format!("{sign}{whole}.{part} {unit}"),
    };
    match us {
        0..1_000 => tenth(0, us / 100, "ms"),
        1_000..1_000_000 => format!("{sign}{} ms", us / 1_000),
        _ => tenth(us / 1_000_000, us / 100_000 % 10, "s"),
    }
}

/// Seconds with three digits, rounded down.
pub(super) fn seconds(us: i64) -> String {
    let ms = us.div_euclid(1_000);
    let sign = if ms < 0 { "-" } else { "" };
    format!("{sign}{}.{:03}", ms.unsigned_abs() / 1_000, ms.unsigned_abs() % 1_000)
}

/// The end of a promise, on the clock that states it, written as the timeline writes that clock.
pub(super) fn until(until: Until) -> String {
    match until {
        Until::Mono(end) => format!("until its mono clock shows {}", seconds(end.0)),
        Until::Wall(end) => {
            format!("until its wall clock shows {}", Relative((end - ProcessClocks::WALL_START).0))
        }
        Until::Released => "until it releases".to_owned(),
        Until::Lost => "until it is told of a loss".to_owned(),
        Until::Untold => "without saying until when".to_owned(),
    }
}

/// A wall clock, as seconds since the wall time at which runs start.
pub(super) struct Relative(pub(super) i64);

impl std::fmt::Display for Relative {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 >= 0 {
            f.write_str("+")?;
        }
        f.write_str(&seconds(self.0))
    }
}

pub(super) fn refused(why: RefuseReason) -> &'static str {
    match why {
        RefuseReason::Taken => "taken",
        RefuseReason::Unknown => "unknown whether it was won",
        RefuseReason::TooLate => "won too late to be valid",
        RefuseReason::Error => "an error reply",
        RefuseReason::Cancelled => "cancelled",
        RefuseReason::Misuse => "it holds or asks already",
    }
}

pub(super) fn extend_failed(why: ExtendFailure) -> &'static str {
    match why {
        ExtendFailure::Gone => "the hold is gone",
        ExtendFailure::Unknown => "too few answers",
        ExtendFailure::TooLate => "too late to be valid",
        ExtendFailure::NotHeld => "it holds nothing",
        ExtendFailure::Misuse => "this lock cannot be extended",
    }
}

pub(super) fn loss(why: LossReason) -> &'static str {
    match why {
        LossReason::Gone => "the key is gone or foreign",
        LossReason::Expired => "the promise ran out",
        LossReason::Unrenewed => "an extension failed",
        LossReason::Unsaid => "its lock does not say why",
    }
}

pub(super) fn found(found: Found) -> &'static str {
    match found {
        Found::Held => "a quorum carries them",
        Found::Gone => "too few voters carry them",
        Found::Unknown => "too few answers to know",
    }
}

pub(super) fn released(how: Released) -> &'static str {
    match how {
        Released::Confirmed => "confirmed",
        Released::Unknown => "unknown whether its keys are gone",
        Released::NotOwned => "the hold was not there",
    }
}

/// Which replicas a grant waits for, to be put after what it rests on; nothing if it does not wait.
pub(super) fn waits(wait: Wait) -> String {
    let whom = match wait.replicas {
        WaitFor::None => return String::new(),
        WaitFor::Any => "one replica",
        WaitFor::All => "all connected replicas",
    };
    format!(", waits up to {} for {whom}", human(wait.limit))
}

pub(super) fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Own => "its own command changed it",
        Cause::Rival => "a rival's command changed it",
        Cause::Expiry => "it expired",
        Cause::ClockFault => "the node's clock was changed and it expired",
        Cause::Eviction => "it was evicted",
        Cause::Restart => "the node went down or came back",
        Cause::Promise => "the promise began or ended",
        Cause::Failover => "another node answers for the voter",
        Cause::Resync => "the node took over its primary's state",
    }
}

pub(super) fn promise_end(why: PromiseEnd) -> &'static str {
    match why {
        PromiseEnd::Reached => "its end is reached",
        PromiseEnd::Released => "released",
        PromiseEnd::Lost => "told of a loss",
        PromiseEnd::Crashed => "crashed",
        PromiseEnd::Replaced => "replaced by an extension",
    }
}

pub(super) fn section_end(why: SectionEnd) -> &'static str {
    match why {
        SectionEnd::Finished => "its work is done",
        SectionEnd::Expired => "its promise is over",
        SectionEnd::Lost => "it was told of a loss",
        SectionEnd::Crashed => "it crashed",
    }
}

pub(super) fn lost(why: LostWhy) -> &'static str {
    match why {
        LostWhy::Directive => "lost on purpose",
        LostWhy::Reset => "lost with its connection",
        LostWhy::BlackHole => "swallowed by a black hole",
        LostWhy::Down => "lost, its target is gone",
    }
}

/// What a command did to a hold.
pub(super) fn effect(effect: HoldEffect) -> &'static str {
    match effect {
        HoldEffect::Written => "wrote",
        HoldEffect::Updated => "changed",
        HoldEffect::Prolonged => "prolonged",
        HoldEffect::Removed => "removed",
    }
}

/// So many holds.
pub(super) fn holds(count: u32) -> String {
    if count == 1 { "1 hold".to_owned() } else { format!("{count} holds") }
}

/// What a watch waits for.
pub(super) fn watched(kind: WatchKind) -> &'static str {
    match kind {
        WatchKind::Leak => "its keys to be gone",
        WatchKind::Stuck => "a grant although nothing is wrong and nobody else asks",
        WatchKind::Unavailable => "a grant while a quorum is up and the lock is free",
        WatchKind::SilentLoss => "the holder to be told",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_as_people_say_them() {
        let cases = [
            (0, "0 ms"),
            (99, "0 ms"),
            (250, "0.2 ms"),
            (999, "0.9 ms"),
            (1_000, "1 ms"),
            (50_999, "50 ms"),
            (1_000_000, "1 s"),
            (3_290_000, "3.2 s"),
            (-4_036_000, "-4 s"),
            (61_000_000, "61 s"),
        ];
        for (us, text) in cases {
            assert_eq!(human(Span(us)), text);
        }
    }

    #[test]
    fn replicas_that_are_waited_for() {
        let wait = |replicas| waits(Wait { replicas, limit: Span::from_ms(100) });
        assert_eq!(wait(WaitFor::None), "");
        assert_eq!(wait(WaitFor::Any), ", waits up to 100 ms for one replica");
        assert_eq!(wait(WaitFor::All), ", waits up to 100 ms for all connected replicas");
    }

    #[test]
    fn clocks_in_seconds() {
        assert_eq!(seconds(6_003_960_123), "6003.960");
        assert_eq!(seconds(-1), "-0.001");
        assert_eq!(Relative(3_960_123).to_string(), "+3.960");
        assert_eq!(Relative(-5_000_000).to_string(), "-5.000");
    }
}
