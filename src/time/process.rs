//! The two clocks of one process, and what a suspended machine does to them.
//!
//! Must not know pauses of kind `stop`: there both clocks run on and only the process stands still.

use super::{Clock, MonoTime, Now, Span, UnixMs, WallTime, WorldTime};

/// Which clock of a process is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClockKind {
    /// The monotonic clock: never steps.
    Mono,
    /// The wall clock: steps, and is the only clock that Redis uses for expiry.
    Wall,
}

/// Both clocks of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProcessClocks {
    mono: Clock,
    wall: Clock,
}

impl ProcessClocks {
    /// The wall time of every process without an offset at world time 0: 1 700 000 000 s.
    pub const WALL_START: WallTime = WallTime(1_700_000_000_000_000);

    /// The clocks of the process with this index over all processes: the monotonic clock starts at
    /// `(index + 1) * 1000 s`, so that mixing two processes' clocks is loud; the wall clock at
    /// [`Self::WALL_START`] plus `offset`.
    pub fn new(index: usize, offset: Span) -> Self {
        Self {
            mono: Clock::new((index as i64 + 1) * 1_000_000_000),
            wall: Clock::new(Self::WALL_START.0 + offset.0),
        }
    }

    /// Both readings at `at`.
    pub fn now(&self, at: WorldTime) -> Now {
        Now { mono: MonoTime(self.mono.local(at)), wall: WallTime(self.wall.local(at)) }
    }

    /// The first world time not before `from` at which the monotonic clock reaches `deadline`.
    pub fn mono_reaches(&self, deadline: MonoTime, from: WorldTime) -> Option<WorldTime> {
        self.mono.first_at(deadline.0, from)
    }

    /// The first world time not before `from` at which the wall clock reaches `deadline`.
    pub fn wall_reaches(&self, deadline: WallTime, from: WorldTime) -> Option<WorldTime> {
        self.wall.first_at(deadline.0, from)
    }

    /// The first world time not before `from` at which a Redis key with deadline `when` is gone: the wall
    /// clock's millisecond is *after* `when` (Redis 7.0.15: expired iff `now > deadline`).
    pub fn key_gone(&self, when: UnixMs, from: WorldTime) -> Option<WorldTime> {
        self.wall_reaches(UnixMs(when.0.saturating_add(1)).start(), from)
    }

    /// The clock of this kind, to change.
    pub fn clock_mut(&mut self, kind: ClockKind) -> &mut Clock {
        match kind {
            ClockKind::Mono => &mut self.mono,
            ClockKind::Wall => &mut self.wall,
        }
    }

    /// The clock of this kind.
    pub fn clock(&self, kind: ClockKind) -> &Clock {
        match kind {
            ClockKind::Mono => &self.mono,
            ClockKind::Wall => &self.wall,
        }
    }

    /// Suspends or resumes the machine: the wall clock runs on, the monotonic clock stands still.
    pub fn set_suspended(&mut self, at: WorldTime, suspended: bool) {
        self.mono.set_frozen(at, suspended);
    }

    /// Whether both clocks run at rate 1 (offsets may remain).
    pub fn is_true_rate(&self) -> bool {
        [self.mono, self.wall].iter().all(|clock| clock.ppm() == 0 && !clock.is_frozen())
    }
}
