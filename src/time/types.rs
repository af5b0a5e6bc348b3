//! The kinds of time. All but [`UnixMs`] are microseconds.
//!
//! Must not convert between kinds: only a [`super::Clock`] knows how world time maps to local time.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// A moment of the harness's own time, in microseconds since the start of the run. No process sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct WorldTime(pub u64);

/// A moment of one process's monotonic clock, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct MonoTime(pub i64);

/// A moment of one process's wall clock, in microseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct WallTime(pub i64);

/// The difference of two times of one kind, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub i64);

/// What Redis calls a time: whole milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixMs(pub i64);

/// What one process reads from its two clocks at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Now {
    /// The monotonic clock.
    pub mono: MonoTime,
    /// The wall clock.
    pub wall: WallTime,
}

impl WorldTime {
    /// The start of every run.
    pub const ZERO: Self = Self(0);
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A span of `ms` milliseconds.
    pub const fn from_ms(ms: i64) -> Self {
        Self(ms * 1_000)
    }

    /// Whole milliseconds, rounded towards negative infinity.
    pub const fn as_ms_floor(self) -> i64 {
        self.0.div_euclid(1_000)
    }
}

impl WallTime {
    /// Whole milliseconds since the epoch, rounded towards negative infinity, as Redis reads its clock.
    pub const fn unix_ms(self) -> UnixMs {
        UnixMs(self.0.div_euclid(1_000))
    }
}

impl UnixMs {
    /// The first wall-clock microsecond of this millisecond.
    pub const fn start(self) -> WallTime {
        WallTime(self.0.saturating_mul(1_000))
    }
}

macro_rules! local_arithmetic {
    ($kind:ident) => {
        impl Add<Span> for $kind {
            type Output = $kind;
            fn add(self, span: Span) -> $kind {
                $kind(self.0.saturating_add(span.0))
            }
        }
        impl Sub<Span> for $kind {
            type Output = $kind;
            fn sub(self, span: Span) -> $kind {
                $kind(self.0.saturating_sub(span.0))
            }
        }
        impl Sub for $kind {
            type Output = Span;
            fn sub(self, other: $kind) -> Span {
                Span(self.0.saturating_sub(other.0))
            }
        }
    };
}
local_arithmetic!(MonoTime);
local_arithmetic!(WallTime);

impl Add<Span> for WorldTime {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add_signed(span.0))
    }
}

impl AddAssign<Span> for WorldTime {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub for WorldTime {
    type Output = Span;
    fn sub(self, other: Self) -> Span {
        Span(self.0 as i64 - other.0 as i64)
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for WorldTime {
    /// Seconds with six digits: `12.345678s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}s", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

impl fmt::Display for Span {
    /// Milliseconds, with a fraction only where there is one: `50ms`, `0.2ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, us) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        if us % 1_000 == 0 {
            return write!(f, "{sign}{}ms", us / 1_000);
        }
        let fraction = format!("{:03}", us % 1_000);
        write!(f, "{sign}{}.{}ms", us / 1_000, fraction.trim_end_matches('0'))
    }
}
