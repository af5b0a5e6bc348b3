//! What is left of a server by each kind of persistence and each kind of end.

use super::{WALL, command};
use bytes::Bytes;
use fencepost::redis::{Compat, Disk, DiskTimes, Ending, Node, Persistence, Role, Snapshot, Value};
use fencepost::time::{MonoTime, Span, WallTime};
use proptest::prelude::*;

/// A server with its disk; times are microseconds since its start.
struct Rig {
    node: Node,
    disk: Disk,
}

/// A whole second, but no multiple of 30 s: the kernel first flushes 20 s after the start.
const START: MonoTime = MonoTime(1_000_000_000);
const TIMES: DiskTimes = DiskTimes {
    fsync: Span::from_ms(100),
    save_every: Span::from_ms(10_000),
    flush_every: Span::from_ms(30_000),
};
const MODES: [Persistence; 5] = [
    Persistence::None,
    Persistence::Rdb,
    Persistence::AofAlways,
    Persistence::AofEverysec,
    Persistence::AofNo,
];
const ENDINGS: [Ending; 3] = [Ending::Process, Ending::Power, Ending::Shutdown];

fn mono(micros: i64) -> MonoTime {
    START + Span(micros)
}

impl Rig {
    fn new(mode: Persistence, times: DiskTimes) -> Self {
        let mut node = Node::new(Compat::V72);
        node.set_streaming(true);
        Self { node, disk: Disk::new(mode, times, START) }
    }

    fn line(&mut self, at: i64, line: &str) {
        let before = self.node.snapshot();
        let wall = WallTime(WALL.0 + at);
        self.node.apply(wall, None, &command(line), &mut Vec::new());
        if let Some(entry) = self.node.take_entry() {
            self.disk.written(mono(at), &before, &entry);
        }
    }

    /// The value of `k` that a restart finds, `-` for none.
    fn left(&self, ending: Ending, at: i64) -> String {
        value(&self.disk.left(ending, mono(at), &self.node.snapshot()))
    }
}

fn value(data: &Snapshot) -> String {
    match data.stored(b"k").map(|stored| stored.value) {
        None => "-".to_owned(),
        Some(Value::String(text)) => String::from_utf8(text.to_vec()).expect("written as text"),
        Some(Value::Hash(_) | Value::List(_) | Value::Set(_) | Value::Scored(_)) => {
            panic!("no hash is written")
        }
    }
}

/// Writes 1, 2, 3… at these times; then the end at each time leaves what a process kill, a power loss and a
/// shutdown are listed to leave.
#[track_caller]
fn check(mode: Persistence, times: DiskTimes, writes: &[i64], ends: &[(i64, [&str; 3])]) {
    let mut rig = Rig::new(mode, times);
    for (at, number) in writes.iter().zip(1..) {
        rig.line(*at, &format!("set k {number}"));
    }
    for (at, expected) in ends {
        let left = ENDINGS.map(|ending| rig.left(ending, *at));
        assert_eq!(left, *expected, "{mode:?}, writes {writes:?}, end {at}");
    }
}

#[test]
fn without_persistence_nothing_is_left() {
    check(Persistence::None, TIMES, &[0, 5], &[(5, ["-", "-", "-"]), (60_000_000, ["-", "-", "-"])]);
}

#[test]
fn with_fsync_always_everything_is_left() {
    check(Persistence::AofAlways, TIMES, &[0, 5], &[(5, ["2", "2", "2"])]);
}

#[test]
fn a_snapshot_is_due_a_while_after_the_last() {
    let rdb = |writes: &[i64], ends: &[(i64, [&str; 3])]| check(Persistence::Rdb, TIMES, writes, ends);
    rdb(
        &[1_000_000],
        &[
            (1_000_000, ["-", "-", "1"]),
            (9_999_999, ["-", "-", "1"]),
            (10_000_000, ["1", "1", "1"]),
            (99_000_000, ["1", "1", "1"]),
        ],
    );
    // What is written at the very moment comes after it.
    rdb(
        &[1_000_000, 10_000_000],
        &[(10_000_000, ["1", "1", "2"]), (19_999_999, ["1", "1", "2"]), (20_000_000, ["2", "2", "2"])],
    );
    // It has the state of the moment it was due, not of the next write.
    rdb(
        &[1_000_000, 9_999_999, 12_000_000, 13_000_000],
        &[(13_000_000, ["2", "2", "4"]), (19_999_999, ["2", "2", "4"]), (20_000_000, ["4", "4", "4"])],
    );
    // Overdue: the first write is snapshot at once, and the next counts from there.
    rdb(
        &[25_000_000, 30_000_000],
        &[(30_000_000, ["1", "1", "2"]), (34_999_999, ["1", "1", "2"]), (35_000_000, ["2", "2", "2"])],
    );
}

#[test]
fn an_fsync_every_second_covers_what_was_in_the_file() {
    let everysec = |writes: &[i64], ends: &[(i64, [&str; 3])]| {
        check(Persistence::AofEverysec, TIMES, writes, ends);
    };
    everysec(
        &[500_000],
        &[
            (500_000, ["1", "-", "1"]),
            (1_000_000, ["1", "-", "1"]),
            (1_099_999, ["1", "-", "1"]),
            (1_100_000, ["1", "1", "1"]),
        ],
    );
    // Written while the fsync runs: in the process until it has finished, then in the file, safe a second later.
    everysec(
        &[500_000, 1_000_000],
        &[
            (1_000_000, ["1", "-", "2"]),
            (1_099_999, ["1", "-", "2"]),
            (1_100_000, ["2", "1", "2"]),
            (2_099_999, ["2", "1", "2"]),
            (2_100_000, ["2", "2", "2"]),
        ],
    );
    everysec(&[500_000, 1_100_000], &[(1_100_000, ["2", "1", "2"]), (2_100_000, ["2", "2", "2"])]);
    // Without anything to sync no fsync runs at the whole second.
    everysec(&[1_000_000], &[(1_000_000, ["1", "-", "1"]), (2_099_999, ["1", "-", "1"])]);
    everysec(&[500_000, 60_020_000], &[(60_020_000, ["2", "1", "2"]), (61_100_000, ["2", "2", "2"])]);
}

#[test]
fn a_slow_fsync_holds_writes_back_for_two_seconds_at_most() {
    let slow = DiskTimes { fsync: Span::from_ms(5_000), ..TIMES };
    check(
        Persistence::AofEverysec,
        slow,
        &[500_000, 2_000_000, 2_500_000, 4_500_000],
        &[
            (4_500_000, ["3", "-", "4"]),
            (5_999_999, ["3", "-", "4"]),
            // The fsync that ends at a whole second makes room for the next, which covers all the rest.
            (6_000_000, ["4", "1", "4"]),
            (10_999_999, ["4", "1", "4"]),
            (11_000_000, ["4", "4", "4"]),
        ],
    );
    check(
        Persistence::AofEverysec,
        slow,
        &[500_000, 2_000_000, 2_500_000],
        &[(3_999_999, ["1", "-", "3"]), (4_000_000, ["3", "-", "3"])],
    );
    let instant = DiskTimes { fsync: Span::ZERO, ..TIMES };
    check(
        Persistence::AofEverysec,
        instant,
        &[500_000, 1_000_000],
        &[(1_000_000, ["2", "1", "2"]), (1_999_999, ["2", "1", "2"]), (2_000_000, ["2", "2", "2"])],
    );
}

#[test]
fn the_kernel_flushes_at_whole_multiples() {
    check(
        Persistence::AofNo,
        TIMES,
        &[5_000_000],
        &[(5_000_000, ["1", "-", "1"]), (19_999_999, ["1", "-", "1"]), (20_000_000, ["1", "1", "1"])],
    );
    check(
        Persistence::AofNo,
        TIMES,
        &[5_000_000, 20_000_000, 30_000_000],
        &[(49_999_999, ["3", "1", "3"]), (50_000_000, ["3", "3", "3"])],
    );
}

#[test]
fn the_usual_disk() {
    let usual = DiskTimes::USUAL;
    check(
        Persistence::AofEverysec,
        usual,
        &[500_000],
        &[(1_009_999, ["1", "-", "1"]), (1_010_000, ["1"; 3])],
    );
    let hour = 3_600_000_000;
    check(Persistence::Rdb, usual, &[5], &[(hour - 1, ["-", "-", "1"]), (hour, ["1"; 3])]);
    check(Persistence::AofNo, usual, &[5], &[(20_000_000, ["1"; 3])]);
}

#[test]
fn what_was_loaded_is_on_disk() {
    for mode in MODES {
        let mut rig = Rig::new(mode, TIMES);
        rig.line(500_000, "set k 1");
        rig.line(1_050_000, "set k 2");
        rig.disk.reset(mono(1_060_000), &rig.node.snapshot());
        let expected = if mode == Persistence::None { "-" } else { "2" };
        for ending in ENDINGS {
            assert_eq!(rig.left(ending, 1_060_000), expected, "{mode:?}, {ending:?}");
        }
        assert_eq!(rig.disk.mode(), mode);
        rig.line(1_070_000, "set k 3");
        let next = match mode {
            Persistence::None => ["-", "-", "-"],
            Persistence::AofAlways => ["3", "3", "3"],
            // The next snapshot is due 10 s after the load; no fsync runs, so that the file takes what is written.
            Persistence::Rdb => ["2", "2", "3"],
            Persistence::AofEverysec | Persistence::AofNo => ["3", "2", "3"],
        };
        assert_eq!(ENDINGS.map(|ending| rig.left(ending, 1_080_000)), next, "{mode:?}");
    }
}

#[test]
fn a_restart_loads_what_was_left() {
    for mode in [Persistence::Rdb, Persistence::AofAlways, Persistence::AofEverysec, Persistence::AofNo] {
        for role in [Role::Primary, Role::Replica] {
            let mut rig = Rig::new(mode, TIMES);
            rig.line(0, "set k v px 100");
            rig.line(0, "set stays v px 5000");
            rig.line(0, "eval \"return 1\" 0");
            let left = rig.disk.left(Ending::Shutdown, mono(10), &rig.node.snapshot());
            rig.node.set_role(role);
            let at_deadline = WallTime(WALL.0 + 100_000);
            rig.node.restart(at_deadline, mode, left.clone());
            assert_eq!(rig.node.snapshot(), left, "{mode:?}: alive at its deadline");
            let later = WallTime(WALL.0 + 101_000);
            rig.node.restart(later, mode, left.clone());
            let loaded = if (mode, role) == (Persistence::Rdb, Role::Primary) { 1 } else { 2 };
            assert_eq!(rig.node.snapshot().len(), loaded, "{mode:?}, {role:?}");
            assert!(rig.node.view(later, b"k").is_none(), "hidden at least");
            let stays = rig.node.view(later, b"stays").expect("alive");
            assert_eq!(stays.deadline.expect("kept").0, WALL.unix_ms().0 + 5_000, "an absolute deadline");
            let sha = command("evalsha e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0");
            let reply = rig.node.apply(later, None, &sha, &mut Vec::new());
            assert!(super::show(&reply).starts_with("-NOSCRIPT"), "the script cache is gone");
            assert_eq!(rig.node.role(), role);
        }
    }
}

#[test]
fn a_disk_stays_as_small_as_its_data() {
    for mode in MODES {
        for fsync in [Span::ZERO, Span::from_ms(100), Span::from_ms(7_000)] {
            let mut rig = Rig::new(mode, DiskTimes { fsync, ..TIMES });
            let mut largest = [0, 0];
            for number in 0..20_000 {
                rig.line(number * 37_000, &format!("set k{} {:06}", number % 3, number));
                let size = format!("{:?}", rig.disk).len();
                let half = usize::from(number >= 10_000);
                largest[half] = largest[half].max(size);
            }
            // Times of more digits are all that may grow.
            assert!(largest[1] <= largest[0] + 40, "{mode:?}, {fsync:?}: {largest:?}");
        }
    }
}

fn any_history() -> impl Strategy<Value = Vec<(i64, u8)>> {
    let pause = prop_oneof![3 => 0i64..150_000, 1 => 0i64..4_000_000, 1 => Just(1_000_000i64)];
    prop::collection::vec((pause, 0u8..3), 1..30)
}

proptest! {
    /// A disk never keeps half of an entry or forgets what it had safely kept before.
    #[test]
    fn what_is_left_is_a_moment_of_the_past(
        history in any_history(),
        mode in prop::sample::select(MODES.to_vec()),
        fsync in prop::sample::select(vec![0i64, 1_000, 100_000, 900_000, 1_000_000, 3_500_000]),
    ) {
        let times = DiskTimes { fsync: Span(fsync), save_every: Span(2_500_000), flush_every: Span(1_700_000) };
        let mut rig = Rig::new(mode, times);
        let mut moments = vec![rig.node.snapshot()];
        let (mut at, mut kept) = (0, [0; 3]);
        for (number, (pause, key)) in history.into_iter().enumerate() {
            for part in 1..=4 {
                let now = at + pause * part / 4;
                let present = rig.node.snapshot();
                for (ending, kept) in ENDINGS.into_iter().zip(&mut kept) {
                    let left = rig.disk.left(ending, mono(now), &present);
                    let place = moments.iter().rposition(|moment| *moment == left);
                    prop_assert!(place.is_some_and(|place| place >= *kept), "{:?} at {}", ending, now);
                    *kept = place.unwrap_or_default();
                }
                prop_assert!(mode == Persistence::None || kept[2] == moments.len() - 1, "a shutdown keeps all");
                prop_assert!(kept[1] <= kept[0] && kept[0] <= kept[2], "{:?} at {}", kept, now);
            }
            at += pause;
            // A counter makes every moment unlike every other.
            rig.line(at, &format!("eval \"redis.call('set', 'n', {number}) redis.call('incr', 'k{key}')\" 0"));
            moments.push(rig.node.snapshot());
        }
    }
}

#[test]
fn an_entry_is_kept_whole() {
    let mut rig = Rig::new(Persistence::AofEverysec, TIMES);
    rig.line(500_000, "set k 1");
    rig.line(1_050_000, "eval \"redis.call('set', 'k', 2) redis.call('set', 'm', 2)\" 0");
    let killed = rig.disk.left(Ending::Process, mono(1_060_000), &rig.node.snapshot());
    assert_eq!((value(&killed).as_str(), killed.stored(b"m")), ("1", None));
    let keys: Vec<Bytes> = killed.keys().cloned().collect();
    assert_eq!(keys, [Bytes::from_static(b"k")]);
}
