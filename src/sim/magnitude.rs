//! The times in a plan that may be made smaller or rounder.
//!
//! Must not decide which: whoever shrinks tries.

use crate::plan::{Fault, Learn, MessageFate, Plan, When};
use crate::time::{Span, WorldTime};

/// Durations, steps, delays and lags, in the order of the plan.
pub(super) fn magnitudes(plan: &mut Plan) -> Vec<&mut Span> {
    let mut all = Vec::new();
    for planned in &mut plan.faults {
        all.extend(planned.lasts.as_mut());
        match &mut planned.fault {
            Fault::ClockStep { by, .. }
            | Fault::Slow { by, .. }
            | Fault::LateTimer { by, .. }
            | Fault::Lag { by, .. } => all.push(by),
            Fault::Promote { learn, except, .. } => {
                let learns = std::iter::once(learn).chain(except.iter_mut().map(|(_, learn)| learn));
                all.extend(learns.filter_map(|learn| match learn {
                    Learn::After(after) if *after > Span::ZERO => Some(after),
                    Learn::After(_) | Learn::Soon | Learn::Never => None,
                }));
            }
            Fault::Pause { .. }
            | Fault::Crash { .. }
            | Fault::Cancel { .. }
            | Fault::Kill { .. }
            | Fault::ClockRate { .. }
            | Fault::ClockFreeze { .. }
            | Fault::Cut { .. }
            | Fault::Evict { .. }
            | Fault::ErrorReply { .. }
            | Fault::FlushScripts { .. }
            | Fault::Demote { .. } => {}
        }
    }
    for message in &mut plan.messages {
        match &mut message.fate {
            MessageFate::Delay(delay) if *delay > Span::ZERO => all.push(delay),
            MessageFate::Delay(_) | MessageFate::Lose => {}
        }
    }
    all
}

/// When faults begin and until when timers are deferred, in the order of the plan. Order directives keep theirs:
/// they name the very instant at which two things meet.
pub(super) fn moments(plan: &mut Plan) -> Vec<&mut WorldTime> {
    let begins = plan.faults.iter_mut().filter_map(|planned| match &mut planned.when {
        When::At(at) => Some(at),
        When::After(_) => None,
    });
    begins.chain(plan.deferrals.iter_mut().map(|deferral| &mut deferral.until)).collect()
}

/// Rounder times near one, the roundest first: whole seconds, tenths of a second, milliseconds, below before above.
/// None that is rounder already is among them.
pub(super) fn rounder(us: i64) -> Vec<i64> {
    let mut all = Vec::new();
    for unit in [1_000_000, 100_000, 1_000] {
        if us % unit == 0 {
            break;
        }
        let below = us / unit * unit;
        all.extend((below > 0).then_some(below));
        all.push(below + unit);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roundest_comes_first_and_nothing_gets_less_round() {
        assert!(rounder(3_000_000).is_empty());
        assert_eq!(rounder(3_200_000), [3_000_000, 4_000_000]);
        assert_eq!(rounder(250_000), [1_000_000, 200_000, 300_000]);
        assert_eq!(rounder(1_234_567), [1_000_000, 2_000_000, 1_200_000, 1_300_000, 1_234_000, 1_235_000]);
    }
}
