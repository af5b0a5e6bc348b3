//! The clock of a process, as its own code reads it: exact to the microsecond.
//!
//! On tokio the runtime's clock is read, which is exact; the standard library's leads it by up to 100 ns for each order at
//! one moment (`process/gate.rs`), so that only differences are taken of it. Must not move the clock.

use crate::time::{MonoTime, Now, Span, WallTime};
use std::time::{Duration, Instant};

/// What runs the code of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Real tokio.
    Tokio,
    /// madsim.
    Madsim,
    /// A thread that blocks.
    Thread,
}

/// The clock, and what runs the code that reads it.
pub(super) struct Clock {
    base: MonoTime,
    wall_ahead: i64,
    reads: Reads,
}

/// Which clock is read, and what it showed at the beginning.
enum Reads {
    Tokio(tokio::time::Instant),
    Madsim(Instant),
    Thread(Instant),
}

impl Clock {
    /// The clock of a process whose monotonic clock shows `base` at this moment, and whose wall clock is so far ahead of it.
    /// Called inside the process.
    pub(super) fn begin(kind: Kind, base: MonoTime, wall_ahead: i64) -> Self {
        let reads = match kind {
            Kind::Tokio => Reads::Tokio(tokio::time::Instant::now()),
            Kind::Madsim => Reads::Madsim(standard()),
            Kind::Thread => Reads::Thread(standard()),
        };
        Self { base, wall_ahead, reads }
    }

    pub(super) fn kind(&self) -> Kind {
        match self.reads {
            Reads::Tokio(_) => Kind::Tokio,
            Reads::Madsim(_) => Kind::Madsim,
            Reads::Thread(_) => Kind::Thread,
        }
    }

    /// What it showed at the beginning: a moment that has passed.
    pub(super) fn beginning(&self) -> MonoTime {
        self.base
    }

    pub(super) fn now(&self) -> Now {
        let elapsed = match self.reads {
            Reads::Tokio(origin) => origin.elapsed(),
            Reads::Madsim(origin) | Reads::Thread(origin) => standard().saturating_duration_since(origin),
        };
        let mono = self.base + Span(nearest(elapsed));
        Now { mono, wall: WallTime(mono.0 + self.wall_ahead) }
    }

    /// What it shows at an instant of the standard library's clock.
    pub(super) fn at(&self, instant: Instant) -> MonoTime {
        let (now, standard) = (self.now().mono, standard());
        match instant.checked_duration_since(standard) {
            Some(ahead) => now + Span(nearest(ahead)),
            None => now - Span(nearest(standard.duration_since(instant))),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "virtual here: the process's runtime answers it")]
fn standard() -> Instant {
    Instant::now()
}

/// The nearest whole microsecond.
pub(super) fn nearest(time: Duration) -> i64 {
    i64::try_from((time.as_nanos() + 500) / 1_000).unwrap_or(i64::MAX)
}
