//! Clocks against exact arithmetic: what a process reads, when its timers fire, what a recentred clock keeps.
//!
//! The reference sums every stretch of world time in millionths of a microsecond, in 128 bits, and never rounds.
//! Must not repeat the clock's own formula for the moment of a timer: a moment is judged by the readings around it.

use fencepost::time::{Clock, ClockKind, MonoTime, ProcessClocks, Span, UnixMs, WallTime, WorldTime};
use proptest::prelude::*;

const MILLION: i128 = 1_000_000;

/// One change of a clock.
#[derive(Clone, Copy, Debug)]
enum Change {
    Ppm(i32),
    Frozen(bool),
    Step(i64),
}

/// A clock, and beside it the same clock in exact arithmetic.
#[derive(Clone, Debug)]
struct Pair {
    clock: Clock,
    /// Local time at `last`, in millionths of a microsecond.
    exact: i128,
    last: WorldTime,
    ppm: i32,
    frozen: bool,
}

impl Pair {
    fn new(base: i64) -> Self {
        let exact = i128::from(base) * MILLION;
        Self { clock: Clock::new(base), exact, last: WorldTime::ZERO, ppm: 0, frozen: false }
    }

    fn rate(&self) -> i128 {
        if self.frozen { 0 } else { MILLION + i128::from(self.ppm) }
    }

    /// Local time in millionths of a microsecond, unrounded.
    fn exact_at(&self, at: WorldTime) -> i128 {
        self.exact + i128::from(at.0 - self.last.0) * self.rate()
    }

    fn apply(&mut self, at: WorldTime, change: Change) {
        self.exact = self.exact_at(at);
        self.last = at;
        match change {
            Change::Ppm(ppm) => {
                self.ppm = ppm;
                self.clock.set_ppm(at, ppm);
            }
            Change::Frozen(frozen) => {
                self.frozen = frozen;
                self.clock.set_frozen(at, frozen);
            }
            Change::Step(by) => {
                self.exact += i128::from(by) * MILLION;
                self.clock.step(at, Span(by));
            }
        }
    }
}

/// Rates as a scenario may ask for them: none, small, at the edge of the drift law, absurd.
fn ppm() -> impl Strategy<Value = i32> {
    prop_oneof![
        Just(0),
        -200_i32..200,
        Just(10_000),
        Just(-10_000),
        -999_999_i32..3_000_000,
        Just(-1_000_000),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => ppm().prop_map(Change::Ppm),
        2 => any::<bool>().prop_map(Change::Frozen),
        1 => (-20_000_000_i64..20_000_000).prop_map(Change::Step),
    ]
}

/// Changes without steps: what a monotonic clock may suffer.
fn steady_change() -> impl Strategy<Value = Change> {
    prop_oneof![3 => ppm().prop_map(Change::Ppm), 1 => any::<bool>().prop_map(Change::Frozen)]
}

/// A history of changes with the world time that passes before each.
fn history(of: impl Strategy<Value = Change>) -> impl Strategy<Value = Vec<(u64, Change)>> {
    let gap = prop_oneof![0_u64..4, 0_u64..5_000, 0_u64..30_000_000];
    prop::collection::vec((gap, of), 0..40)
}

fn base() -> impl Strategy<Value = i64> {
    prop_oneof![Just(0), Just(1_000_000_000), Just(ProcessClocks::WALL_START.0), -5_000_i64..5_000]
}

/// A clock after a history of changes.
fn lived() -> impl Strategy<Value = Pair> {
    (base(), history(change())).prop_map(|(base, history)| {
        let mut pair = Pair::new(base);
        let mut at = WorldTime::ZERO;
        for (gap, change) in history {
            at += Span(gap as i64);
            pair.apply(at, change);
        }
        pair
    })
}

/// Asserts that `found` is the first moment from `from` on at which the unchanged clock has reached `deadline`.
#[track_caller]
fn assert_first(clock: &Clock, deadline: i64, from: WorldTime, found: Option<WorldTime>) {
    match found {
        Some(at) => {
            assert!(at >= from);
            assert!(clock.local(at) >= deadline, "fires before its deadline");
            assert!(at == from || clock.local(WorldTime(at.0 - 1)) < deadline, "fires late");
        }
        None => {
            let never = WorldTime(from.0 + 1_000_000_000_000_000);
            assert!(clock.local(never) < deadline, "reaches its deadline although it said never");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// However often the rate changes, the reading is the exact time rounded down: the carry loses nothing.
    #[test]
    fn reading_is_the_exact_time_rounded_down(
        base in base(), history in history(change()), later in 0_u64..90_000_000,
    ) {
        let mut pair = Pair::new(base);
        let mut at = WorldTime::ZERO;
        for (gap, change) in history {
            at += Span(gap as i64);
            prop_assert_eq!(i128::from(pair.clock.local(at)), pair.exact_at(at).div_euclid(MILLION));
            pair.apply(at, change);
            prop_assert_eq!(i128::from(pair.clock.local(at)), pair.exact_at(at).div_euclid(MILLION));
        }
        at += Span(later as i64);
        prop_assert_eq!(i128::from(pair.clock.local(at)), pair.exact_at(at).div_euclid(MILLION));
    }

    /// A rate that is set again and again at every microsecond does not slow the clock down.
    #[test]
    fn many_small_changes_cost_nothing(rates in prop::collection::vec(-300_i32..300, 1..3_000)) {
        let mut clock = Clock::new(0);
        let mut exact = 0_i128;
        for (index, ppm) in rates.iter().enumerate() {
            clock.set_ppm(WorldTime(index as u64), *ppm);
            exact += MILLION + i128::from(*ppm);
        }
        prop_assert_eq!(i128::from(clock.local(WorldTime(rates.len() as u64))), exact.div_euclid(MILLION));
    }

    #[test]
    fn first_at_is_the_smallest_moment(
        pair in lived(), ahead in 0_u64..10_000_000, wait in -5_000_i64..60_000_000,
    ) {
        let from = WorldTime(pair.last.0 + ahead);
        let deadline = pair.clock.local(from) + wait;
        assert_first(&pair.clock, deadline, from, pair.clock.first_at(deadline, from));
    }

    /// World to local and back lands at most one local microsecond's worth of world time early, never late;
    /// local to world and back overshoots by less than what one world microsecond adds.
    #[test]
    fn round_trips_stay_within_the_rounding(pair in lived(), ahead in 0_u64..60_000_000) {
        let from = pair.last;
        let at = WorldTime(from.0 + ahead);
        let local = pair.clock.local(at);
        let back = pair.clock.first_at(local, from).expect("a reading that was shown is reached");
        prop_assert!(back <= at);
        let rate = pair.rate();
        if rate > 0 {
            let slack = (MILLION + rate - 1).div_euclid(rate);
            prop_assert!(i128::from(at.0 - back.0) < slack.max(1) || back == from);
            let overshoot = i128::from(pair.clock.local(back) - local);
            prop_assert!(overshoot < (rate + MILLION - 1).div_euclid(MILLION).max(1) || back == from);
        }
    }

    /// A timer that is computed afresh at every change fires at the first moment its clock has reached the
    /// deadline: no earlier, whatever changes, and not later either.
    #[test]
    fn no_timer_fires_before_its_deadline(
        base in base(), wait in 1_i64..40_000_000, changes in history(steady_change()),
    ) {
        let mut pair = Pair::new(base);
        let deadline = base + wait;
        let mut fires = pair.clock.first_at(deadline, WorldTime::ZERO);
        let mut at = WorldTime::ZERO;
        for (gap, change) in changes {
            let next = at + Span(gap as i64);
            if fires.is_some_and(|fires| fires <= next) {
                break;
            }
            prop_assert!(pair.exact_at(next) < i128::from(deadline) * MILLION, "due before this change");
            at = next;
            pair.apply(at, change);
            fires = pair.clock.first_at(deadline, at);
        }
        if let Some(fires) = fires {
            prop_assert!(pair.exact_at(fires) >= i128::from(deadline) * MILLION);
            let before = WorldTime(fires.0.saturating_sub(1));
            if fires > pair.last {
                prop_assert!(pair.exact_at(before) < i128::from(deadline) * MILLION);
            }
        }
    }

    /// A recentred clock differs from what it was by one shift of its readings and by nothing else.
    #[test]
    fn recentre_preserves_the_future(
        pair in lived(), ahead in 0_u64..5_000_000, to in base(),
        future in history(change()), wait in 0_i64..60_000_000,
    ) {
        let at = WorldTime(pair.last.0 + ahead);
        let mut old = pair.clock;
        let mut new = old;
        let shift = new.recentre(at, to);
        prop_assert_eq!(new.local(WorldTime::ZERO), to);
        let mut passed = 0;
        for (gap, change) in future {
            passed += gap;
            let (then, relative) = (WorldTime(at.0 + passed), WorldTime(passed));
            for (clock, moment) in [(&mut old, then), (&mut new, relative)] {
                match change {
                    Change::Ppm(ppm) => clock.set_ppm(moment, ppm),
                    Change::Frozen(frozen) => clock.set_frozen(moment, frozen),
                    Change::Step(by) => clock.step(moment, Span(by)),
                }
            }
            prop_assert_eq!(new.local(relative), old.local(then) - shift.0);
            let deadline = old.local(then) + wait;
            let due = old.first_at(deadline, then).map(|due| WorldTime(due.0 - at.0));
            prop_assert_eq!(new.first_at(deadline - shift.0, relative), due);
        }
    }

    /// Clocks that behave alike from a moment on are the same value once recentred there, whatever they showed
    /// and whenever it was.
    #[test]
    fn recentred_clocks_forget_their_past(
        past in history(change()), base in base(), other in base(), later in 0_u64..60_000_000, to in base(),
    ) {
        let mut pairs = [Pair::new(base), Pair::new(other)];
        for (pair, start) in pairs.iter_mut().zip([0, later]) {
            let mut at = WorldTime(start);
            for (gap, change) in &past {
                at += Span(*gap as i64);
                pair.apply(at, *change);
            }
            pair.clock.recentre(at, to);
        }
        prop_assert_eq!(pairs[0].clock, pairs[1].clock);
    }

    /// A suspended machine: the wall clock runs on, the monotonic clock stands still and then runs on.
    #[test]
    fn suspension_stops_only_the_monotonic_clock(
        index in 0_usize..20, sleeps in 0_u64..10_000_000, asleep in 0_u64..60_000_000, after in 0_u64..10_000_000,
    ) {
        let mut clocks = ProcessClocks::new(index, Span::ZERO);
        let (down, up) = (WorldTime(sleeps), WorldTime(sleeps + asleep));
        let before = clocks.now(down);
        let timer = MonoTime(before.mono.0 + 1 + after as i64);
        clocks.set_suspended(down, true);
        prop_assert_eq!(clocks.mono_reaches(timer, down), None);
        prop_assert_eq!(clocks.now(up).mono, before.mono);
        clocks.set_suspended(up, false);
        let later = clocks.now(WorldTime(up.0 + after));
        prop_assert_eq!(later.mono - before.mono, Span(after as i64));
        prop_assert_eq!(later.wall - before.wall, Span((asleep + after) as i64));
        prop_assert_eq!(clocks.mono_reaches(timer, up), Some(WorldTime(up.0 + 1 + after)));
        prop_assert!(clocks.is_true_rate());
    }

    /// A key is gone at the first moment at which the node's millisecond is after its deadline, so a key that is
    /// set with a life of `t` ms lives longer than `t` and at most `t + 1` ms on a true clock.
    #[test]
    fn a_key_lives_its_ttl_and_less_than_a_millisecond_more(
        offset in -5_000_000_i64..5_000_000, set in 0_u64..60_000_000, ttl_ms in 1_i64..60_000,
    ) {
        let clocks = ProcessClocks::new(0, Span(offset));
        let set = WorldTime(set);
        let when = UnixMs(clocks.now(set).wall.unix_ms().0 + ttl_ms);
        let gone = clocks.key_gone(when, set).expect("a running clock reaches every deadline");
        prop_assert!(clocks.now(gone).wall.unix_ms() > when);
        prop_assert!(clocks.now(WorldTime(gone.0 - 1)).wall.unix_ms() <= when);
        let life = gone - set;
        prop_assert!(life > Span::from_ms(ttl_ms) && life <= Span::from_ms(ttl_ms + 1), "{life}");
    }

    /// Redis' milliseconds and the harness's whole milliseconds round towards the past, also before the epoch.
    #[test]
    fn milliseconds_round_down(us in -10_000_000_i64..10_000_000) {
        let ms = WallTime(us).unix_ms();
        prop_assert!(ms.start().0 <= us && us < ms.start().0 + 1_000);
        prop_assert_eq!(Span(us).as_ms_floor(), ms.0);
    }

    /// The text of a span says its value exactly.
    #[test]
    fn span_text_is_exact(us in any::<i64>()) {
        let text = Span(us).to_string();
        let number = text.strip_suffix("ms").expect("a unit");
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        prop_assert!(!fraction.ends_with('0'));
        let magnitude = i128::from(whole.trim_start_matches('-').parse::<u64>().expect("digits")) * 1_000
            + format!("{fraction:0<3}").parse::<i128>().expect("digits");
        let value = if number.starts_with('-') { -magnitude } else { magnitude };
        prop_assert_eq!(value, i128::from(us));
    }
}

/// Far deadlines neither panic nor wrap: a key that never practically expires, on every kind of clock.
#[test]
fn the_far_end_of_time_is_reached_late_or_never() {
    for ppm in [0, 1, -1, 10_000, -999_999, 2_000_000] {
        for base in [-1_000, 0, ProcessClocks::WALL_START.0] {
            let mut clock = Clock::new(base);
            clock.set_ppm(WorldTime(3), ppm);
            for deadline in [i64::MAX, i64::MAX - 1] {
                let due = clock.first_at(deadline, WorldTime(7));
                assert!(due.is_none_or(|due| due.0 > i64::MAX as u64 / 8), "{ppm} {base} {due:?}");
            }
            assert_eq!(clock.first_at(i64::MIN, WorldTime(7)), Some(WorldTime(7)), "{ppm} {base}");
        }
    }
}

/// A clock that runs backwards or stands still never reaches what lies ahead, and still shows what it showed.
#[test]
fn a_clock_without_progress_reaches_nothing() {
    for change in [Change::Ppm(-1_000_000), Change::Ppm(-1_500_000), Change::Frozen(true)] {
        let mut pair = Pair::new(500);
        pair.apply(WorldTime(100), change);
        assert_eq!(pair.clock.local(WorldTime(100)), 600, "{change:?}");
        assert_eq!(pair.clock.first_at(601, WorldTime(100)), None, "{change:?}");
        assert_eq!(pair.clock.first_at(600, WorldTime(100)), Some(WorldTime(100)), "{change:?}");
    }
}

/// Reading a clock before its last change is a bug of the caller, and never a number.
#[test]
#[should_panic(expected = "clock read before its last change")]
fn a_clock_cannot_be_read_in_the_past() {
    let mut clock = Clock::new(0);
    clock.step(WorldTime(10), Span(5));
    clock.local(WorldTime(9));
}

/// The two clocks of two processes are far apart, so that mixing them is loud.
#[test]
fn processes_start_with_their_own_clocks() {
    let now = |index, offset| ProcessClocks::new(index, offset).now(WorldTime::ZERO);
    for index in 0..20 {
        assert_eq!(now(index, Span::ZERO).mono, MonoTime((index as i64 + 1) * 1_000_000_000));
        assert_eq!(now(index, Span::from_ms(-7)).wall, ProcessClocks::WALL_START - Span::from_ms(7));
    }
    let mut clocks = ProcessClocks::new(0, Span::ZERO);
    clocks.clock_mut(ClockKind::Wall).step(WorldTime(4), Span(-9));
    assert_eq!(clocks.now(WorldTime(4)).wall, ProcessClocks::WALL_START - Span(5));
    assert_eq!(clocks.now(WorldTime(4)).mono, MonoTime(1_000_000_004), "a wall step leaves the other clock");
}
