//! Faults of clocks: steps, rates, freezes.

use super::super::super::error::{InputErrorKind, Wrong};
use super::super::super::shape::{ClockFreezeKeys, ClockRateKeys, ClockStepKeys};
use super::super::Scope;
use super::super::number::{LONGEST_MS, Scaled, ranged};
use crate::plan::Fault;
use crate::time::{ClockKind, Span};

/// Rate errors lie between a clock that hardly moves and one ten times too fast.
const PPM: std::ops::RangeInclusive<i64> = -999_999..=9_000_000;

impl Scope {
    pub(super) fn steps(self, keys: &ClockStepKeys) -> Result<Vec<Fault>, Wrong> {
        let clock = keys.clock.as_ref().map_or(ClockKind::Wall, |clock| *clock.get_ref());
        if let (ClockKind::Mono, Some(written)) = (clock, &keys.clock) {
            let message = "a monotonic clock never steps; change its rate, freeze it, or suspend the machine";
            return Err(Wrong::contradiction(written.span(), message).meant("clock = \"wall\""));
        }
        let by = Scaled { ms: keys.by_ms.as_ref(), us: keys.by_us.as_ref(), keys: ["by_ms", "by_us"] };
        let (by, place) = by.needed(-LONGEST_MS, &keys.of.span())?;
        if by == Span::ZERO {
            return Err(Wrong::new(InputErrorKind::Range, place, "a step by 0 changes nothing"));
        }
        self.of_clocks(&keys.of, "clock-step", |process| Fault::ClockStep { process, clock, by })
    }

    pub(super) fn rates(self, keys: &ClockRateKeys) -> Result<Vec<Fault>, Wrong> {
        let both = vec![ClockKind::Mono, ClockKind::Wall];
        let clocks = keys.clock.as_ref().map_or(both, |clock| vec![*clock.get_ref()]);
        let ppm = i32::try_from(ranged(&keys.ppm, "ppm", PPM)?).expect("the range fits");
        if ppm == 0 {
            return Err(Wrong::new(
                InputErrorKind::Range,
                keys.ppm.span(),
                "a rate error of 0 changes nothing",
            ));
        }
        let rate = |process| Fault::ClockRate { process, clocks: clocks.clone(), ppm };
        self.of_clocks(&keys.of, "clock-rate", rate)
    }

    pub(super) fn freezes(self, keys: &ClockFreezeKeys) -> Result<Vec<Fault>, Wrong> {
        let clock = keys.clock.as_ref().map_or(ClockKind::Wall, |clock| *clock.get_ref());
        self.of_clocks(&keys.of, "clock-freeze", |process| Fault::ClockFreeze { process, clock })
    }
}
