//! The canonical form of a server: idempotent, and equal for equal futures.

use bytes::Bytes;
use fencepost::canon::Canon;
use fencepost::name::{CallId, ClientId, Nonce};
use fencepost::redis::{
    Audience, Compat, Disk, DiskTimes, Ending, Log, Node, Persistence, Role, Session, Snapshot,
};
use fencepost::resp::Command;
use fencepost::time::{MonoTime, ProcessClocks, Span, WallTime, WorldTime};
use proptest::prelude::*;

/// A server written to at `at` and put into canonical form there.
fn canonical(mut node: Node, at: WorldTime, clocks: &mut ProcessClocks) -> Node {
    let wall = clocks.now(at).wall;
    let mut canon = Canon::new(at);
    canon.enter(clocks);
    node.canonical(&mut canon, wall);
    node
}

fn write(node: &mut Node, wall: WallTime, call: u32, words: &[Bytes]) {
    let writer = Some(CallId { client: ClientId(0), number: call });
    node.apply(wall, writer, &Command::new(words.iter().cloned()), &mut Vec::new());
}

fn word(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

#[test]
fn times_nonces_and_calls_are_renamed() {
    let build = |at: u64, nonces: [u64; 2], call: u32| {
        let mut clocks = ProcessClocks::new(1, Span::ZERO);
        let mut node = Node::new(Compat::V72);
        let wall = clocks.now(WorldTime(at)).wall;
        let nonce = |n: usize| Nonce(nonces[n]).to_bytes();
        write(&mut node, wall, call, &[word("set"), word("a"), nonce(0), word("px"), word("100")]);
        write(
            &mut node,
            wall,
            call + 3,
            &[word("hset"), word("b"), nonce(1), nonce(0), word("x"), word("1")],
        );
        write(&mut node, wall, call, &[word("set"), word("gone"), nonce(1), word("pxat"), word("1")]);
        canonical(node, WorldTime(at), &mut clocks)
    };
    let first = build(5_000, [77, 33], 9);
    assert_eq!(first, build(9_000, [1, 2], 4), "times, nonces and calls differ, futures do not");
    assert_eq!(first.deadlines().count(), 1, "an expired key is a missing key");
    assert_ne!(first, build(9_000, [2, 2], 4), "one nonce in both places is another state");
}

/// What connections of one server said, in canonical form, and the server; `at` in microseconds.
fn connected(at: u64, nonces: [u64; 3], lines: &[(usize, &str)]) -> (Node, Vec<Session>) {
    let mut clocks = ProcessClocks::new(1, Span::ZERO);
    let (mut node, mut sessions) = (Node::new(Compat::V72), vec![Session::new(); 3]);
    let wall = clocks.now(WorldTime(at)).wall;
    for (which, line) in lines {
        let named = |text: &str| match text.strip_prefix('N') {
            Some(number) => Nonce(nonces[number.parse::<usize>().expect("a number")]).to_bytes(),
            None => word(text),
        };
        let command = Command::new(line.split(' ').map(named));
        let mut log = Log::default();
        let audience = Audience::of(&sessions);
        node.apply_in(wall, None, &command, &mut sessions[*which], &audience, &mut log);
        sessions.iter_mut().for_each(|session| session.notice(&log));
    }
    sessions.iter_mut().for_each(|session| node.settle(session, wall));
    let mut canon = Canon::new(WorldTime(at));
    canon.enter(&mut clocks);
    node.canonical(&mut canon, wall);
    sessions.iter_mut().for_each(|session| session.canonical(&mut canon));
    (node, sessions)
}

#[test]
fn times_and_nonces_of_connections_are_renamed() {
    let lines = [
        (0, "client setname N2"),
        (0, "subscribe N0"),
        (0, "subscribe N1"),
        (0, "psubscribe N1"),
        (0, "ssubscribe N2"),
        (1, "blpop N1 q 5"),
        (2, "watch N2"),
        (2, "multi"),
        (2, "set k N0"),
        (2, "rpush q N2"),
    ];
    let first = connected(5_000, [70, 80, 90], &lines);
    assert_eq!(first, connected(905_000, [3, 4, 9], &lines), "times and nonces differ, futures do not");
    assert_ne!(first, connected(5_000, [70, 70, 90], &lines), "one nonce in two places is another state");
    let mut longer = lines;
    longer[5] = (1, "blpop N1 q 6");
    assert_ne!(first, connected(5_000, [70, 80, 90], &longer), "how long it still waits is part of it");
}

/// Lists of items, scores and members are renamed with all else.
#[test]
fn nonces_inside_containers_are_renamed() {
    let lines =
        [(0, "rpush l N2 x N0"), (0, "sadd s N1 N0"), (0, "zadd z 5 N0 5 N1 3 N2"), (0, "hset h N1 N0")];
    let first = connected(5_000, [70, 80, 90], &lines);
    assert_eq!(first, connected(7_000, [170, 180, 190], &lines));
    assert_ne!(first, connected(7_000, [170, 170, 190], &lines));
}

/// A watched key that has expired has changed, and one that was watched expired has not: what is left of either when
/// expired keys vanish from the form.
#[test]
fn watched_keys_that_expired_are_told_apart() {
    let expired_first = connected(5_000, [1, 2, 3], &[(0, "set k 1 pxat 1"), (1, "watch k")]);
    let never_there = connected(5_000, [1, 2, 3], &[(1, "watch k")]);
    assert_eq!(expired_first, never_there);
    let touched = connected(5_000, [1, 2, 3], &[(1, "watch k"), (0, "set k 1 pxat 1")]);
    assert_ne!(touched, never_there);
}

proptest! {
    #[test]
    fn twice_is_once(
        writes in prop::collection::vec((0u64..4, 0u64..5, 1u32..6, 0i64..50), 0..12),
        offset in 0i64..5_000_000,
    ) {
        let at = WorldTime(20_123);
        let mut clocks = ProcessClocks::new(2, Span(offset));
        let mut node = Node::new(Compat::V72);
        let start = clocks.now(WorldTime::ZERO).wall;
        for (key, nonce, call, ttl) in writes {
            let nonce = Nonce(nonce * 31).to_bytes();
            let key = word(&format!("k{key}"));
            if call % 2 == 0 {
                write(&mut node, start, call, &[word("hset"), key.clone(), nonce.clone(), nonce]);
            } else {
                write(&mut node, start, call, &[word("set"), key.clone(), nonce]);
            }
            write(&mut node, start, call, &[word("pexpire"), key, word(&ttl.to_string())]);
        }
        let once = canonical(node, at, &mut clocks);
        let twice = canonical(once.clone(), WorldTime::ZERO, &mut clocks);
        prop_assert_eq!(once, twice);
    }
}

/// A server and its disk with the same history from `start` on, both in canonical form half a second into it.
fn with_disk(mode: Persistence, start: u64, nonces: [u64; 2], late: u64) -> (Node, Disk, Snapshot) {
    let mut clocks = ProcessClocks::new(1, Span::ZERO);
    let mono = |clocks: &ProcessClocks, at| clocks.now(WorldTime(at)).mono;
    let times = DiskTimes { fsync: Span(100_000), save_every: Span(2_000_000), flush_every: Span(1_000_000) };
    let mut node = Node::new(Compat::V72);
    node.set_streaming(true);
    let mut disk = Disk::new(mode, times, mono(&clocks, start));
    let writes = [(0, 0, "a"), (400_000, 1, "b"), (1_050_000, 1, "a"), (1_300_000 + late, 0, "b")];
    for (call, (at, nonce, key)) in (1..).zip(writes) {
        let (before, wall) = (node.snapshot(), clocks.now(WorldTime(start + at)).wall);
        let nonce = Nonce(nonces[nonce]).to_bytes();
        let words = [word("set"), word(key), nonce, word("px"), word("60000")];
        write(&mut node, wall, call, if at < 1_300_000 { &words } else { &words[..3] });
        let entry = node.take_entry().expect("a write");
        disk.written(mono(&clocks, start + at), &before, &entry);
    }
    let now = WorldTime(start + 1_500_000);
    let mut canon = Canon::new(now);
    let before = clocks.now(now);
    let present = node.snapshot();
    canon.enter(&mut clocks);
    node.canonical(&mut canon, before.wall);
    disk.canonical(&mut canon, before.mono, &present);
    let later = MonoTime(clocks.now(WorldTime::ZERO).mono.0 + 300_000);
    let left = disk.left(Ending::Power, later, &node.snapshot());
    (node, disk, left)
}

#[test]
fn disks_with_equal_futures_are_equal() {
    for mode in [
        Persistence::None,
        Persistence::Rdb,
        Persistence::AofAlways,
        Persistence::AofEverysec,
        Persistence::AofNo,
    ] {
        let first = with_disk(mode, 0, [77, 33], 0);
        // Whole seconds later, so that the next whole second is as far away.
        assert_eq!(first, with_disk(mode, 7_000_000, [1, 2], 0), "{mode:?}");
        let same_nonce = with_disk(mode, 7_000_000, [2, 2], 0);
        assert_ne!(first.0, same_nonce.0, "{mode:?}: the server tells them apart");
        if mode == Persistence::None {
            assert_eq!(first.1, same_nonce.1, "an empty disk is like any other");
        }
        // When the last write was made within a second is forgotten as soon as nothing depends on it.
        assert_eq!(first.1, with_disk(mode, 0, [77, 33], 30_000).1, "{mode:?}");
    }
}

#[test]
fn the_phase_of_the_second_is_part_of_a_disk() {
    let early = with_disk(Persistence::AofEverysec, 0, [1, 2], 0);
    let late = with_disk(Persistence::AofEverysec, 250_000, [1, 2], 0);
    assert_ne!(early.1, late.1, "the next fsync is nearer");
}

#[test]
fn what_others_hold_is_not_forgotten() {
    let build = |role: Role, streaming: bool| {
        let mut clocks = ProcessClocks::new(0, Span::ZERO);
        let mut node = Node::new(Compat::V72);
        let wall = clocks.now(WorldTime::ZERO).wall;
        write(&mut node, wall, 1, &[word("set"), word("k"), word("v"), word("px"), word("5")]);
        node.set_role(role);
        node.set_streaming(streaming);
        canonical(node, WorldTime(50_000), &mut clocks).deadlines().count()
    };
    assert_eq!(build(Role::Primary, false), 0, "alone, an expired key is a missing key");
    assert_eq!(build(Role::Primary, true), 1, "its deletion is still to be told");
    assert_eq!(build(Role::Replica, false), 1, "its deletion is still to be heard of");
}

#[test]
fn entries_are_renamed_with_the_state() {
    let build = |at: u64, nonce: u64, call: u32| {
        let mut clocks = ProcessClocks::new(3, Span::ZERO);
        let mut node = Node::new(Compat::V72);
        node.set_streaming(true);
        let wall = clocks.now(WorldTime(at)).wall;
        let nonce = Nonce(nonce).to_bytes();
        write(&mut node, wall, call, &[word("set"), word("k"), nonce, word("px"), word("50")]);
        let mut taken = node.clone().take_entry().expect("a write");
        let mut canon = Canon::new(WorldTime(at));
        canon.enter(&mut clocks);
        node.canonical(&mut canon, wall);
        taken.canonical(&mut canon);
        (node, taken)
    };
    let (node, entry) = build(1_000, 7, 3);
    assert_eq!((node.clone(), entry.clone()), build(44_000, 8, 9));
    let mut replica = Node::new(Compat::V72);
    replica.replay(&entry);
    assert_eq!(replica.snapshot(), node.snapshot(), "a visited entry fits the visited server");
}
