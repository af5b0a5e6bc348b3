//! The virtual clock of one process: a madsim runtime, whose time and entropy code sees while inside it.
//!
//! Must not let time pass of itself: the owner moves the clock, apart from the 50 to 99 ns
//! that madsim adds after each poll of one of its tasks.

use crate::time::{Span, WallTime};
use madsim::Config;
use madsim::runtime::Runtime;
use madsim::time::TimeHandle;
use std::time::{Duration, SystemTime};

/// A madsim runtime and the clock that code sees inside it.
pub(super) struct VirtualClock {
    pub(super) runtime: Runtime,
    pub(super) hand: Hand,
}

/// What moves and reads the clock. Clones are the same.
#[derive(Clone)]
pub(super) struct Hand {
    pub(super) time: TimeHandle,
    began: Duration,
}

impl VirtualClock {
    /// A clock at its beginning, which shows `wall` to code that asks for the time of day.
    ///
    /// # Panics
    /// If `wall` is before madsim's own beginning, a random moment of the year 2022.
    pub(super) fn new(seed: u64, wall: WallTime) -> Self {
        let runtime = Runtime::with_seed_and_config(seed, Config::default());
        let time = runtime.block_on(async { TimeHandle::current() });
        let wall = SystemTime::UNIX_EPOCH + duration(Span(wall.0));
        time.advance(wall.duration_since(time.now_time()).expect("the wall clock begins after 2022"));
        let began = time.elapsed();
        Self { runtime, hand: Hand { time, began } }
    }
}

impl Hand {
    /// How far the clock has come, rounded down.
    pub(super) fn elapsed(&self) -> Span {
        Span((self.time.elapsed() - self.began).as_micros() as i64)
    }

    /// The moment `to` after the beginning, as madsim counts.
    pub(super) fn at(&self, to: Span) -> Duration {
        self.began + duration(to)
    }

    /// Moves the clock forward to `to`; it stays where it is if it has come further.
    pub(super) fn reach(&self, to: Span) {
        self.time.advance(self.at(to).saturating_sub(self.time.elapsed()));
    }
}

/// A span as the standard library has it; spans before the beginning are none.
pub(super) fn duration(span: Span) -> Duration {
    Duration::from_micros(span.0.max(0) as u64)
}
