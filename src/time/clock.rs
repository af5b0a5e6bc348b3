//! One clock: an affine map from world time to local time, rebased at every change.
//!
//! `local(w) = base + floor(((w - since) * (1_000_000 + ppm) + carry) / 1_000_000)` in 128-bit integers. The
//! numerator's remainder is carried over each change of rate, so that a clock whose rate changes often loses
//! nothing. A frozen clock stands still and keeps its rate for later. Must not know what its local time means.

use super::{Span, WorldTime};
use std::hash::{Hash, Hasher};

/// Parts per million of one.
const MILLION: i128 = 1_000_000;

/// A clock of one process, local microseconds as plain integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    base: i64,
    since: WorldTime,
    /// Millionths of a microsecond already earned at `since`, in `0..1_000_000`.
    carry: u32,
    ppm: i32,
    frozen: bool,
}

impl Hash for Clock {
    /// In few words: a state has many clocks.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { base, since, carry, ppm, frozen } = *self;
        state.write_i64(base);
        state.write_u64(since.0);
        state.write_u64(u64::from(carry) << 33 | u64::from(frozen) << 32 | u64::from(ppm as u32));
    }
}

impl Clock {
    /// A clock at rate 1 that shows `base` at world time 0.
    pub const fn new(base: i64) -> Self {
        Self { base, since: WorldTime::ZERO, carry: 0, ppm: 0, frozen: false }
    }

    /// The rate error in parts per million, whether or not the clock is frozen.
    pub const fn ppm(&self) -> i32 {
        self.ppm
    }

    /// Whether the clock stands still.
    pub const fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// Local time at world time `at`, rounded down.
    ///
    /// # Panics
    /// If `at` lies before the last change: what the clock showed then is forgotten.
    pub fn local(&self, at: WorldTime) -> i64 {
        assert!(at >= self.since, "clock read before its last change");
        if self.ppm == 0 && self.carry == 0 && !self.frozen {
            return self.base + (at.0 - self.since.0) as i64;
        }
        self.reading(at).0
    }

    /// The first world time not before `from` at which this clock, unchanged, has reached `deadline`;
    /// `None` if it never does.
    pub fn first_at(&self, deadline: i64, from: WorldTime) -> Option<WorldTime> {
        if self.local(from) >= deadline {
            return Some(from);
        }
        let rate = self.rate();
        if rate <= 0 {
            return None;
        }
        if rate == MILLION && self.carry == 0 {
            let elapsed = i128::from(deadline) - i128::from(self.base);
            return u64::try_from(elapsed).ok()?.checked_add(self.since.0).map(WorldTime);
        }
        // Smallest elapsed with elapsed * rate + carry >= (deadline - base) * 1e6.
        let wanted = (i128::from(deadline) - i128::from(self.base)) * MILLION - i128::from(self.carry);
        let elapsed = (wanted + rate - 1).div_euclid(rate);
        u64::try_from(elapsed).ok()?.checked_add(self.since.0).map(WorldTime)
    }

    /// Changes the rate from world time `at` on.
    pub fn set_ppm(&mut self, at: WorldTime, ppm: i32) {
        self.rebase(at);
        self.ppm = ppm;
    }

    /// Stops or resumes the clock at world time `at`.
    pub fn set_frozen(&mut self, at: WorldTime, frozen: bool) {
        self.rebase(at);
        self.frozen = frozen;
    }

    /// Moves the clock by `by`, forward or back, at world time `at`.
    pub fn step(&mut self, at: WorldTime, by: Span) {
        self.rebase(at);
        self.base += by.0;
    }

    /// Rewrites the clock so that world time `at` becomes world time 0 and its local time becomes `base`;
    /// returns how far local times shift: `new = old - shift`. Two clocks that behave alike from `at` on
    /// become equal.
    pub fn recentre(&mut self, at: WorldTime, base: i64) -> Span {
        self.rebase(at);
        let shift = Span(self.base - base);
        self.base = base;
        self.since = WorldTime::ZERO;
        shift
    }

    fn rate(&self) -> i128 {
        if self.frozen { 0 } else { MILLION + i128::from(self.ppm) }
    }

    fn reading(&self, at: WorldTime) -> (i64, u32) {
        assert!(at >= self.since, "clock read before its last change");
        // At the true rate whole microseconds are earned, and what was carried stays: no division.
        if self.ppm == 0 && !self.frozen {
            return (self.base + (at.0 - self.since.0) as i64, self.carry);
        }
        let earned = i128::from(at.0 - self.since.0) * self.rate() + i128::from(self.carry);
        (self.base + earned.div_euclid(MILLION) as i64, earned.rem_euclid(MILLION) as u32)
    }

    fn rebase(&mut self, at: WorldTime) {
        (self.base, self.carry) = self.reading(at);
        self.since = at;
    }
}
