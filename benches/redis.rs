//! The fake server in its two hot loops: commands one after another, and clone, apply, canonicalise, hash.
//!
//! Must not judge speed: machines differ, compare ratios.

use bytes::Bytes;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use fencepost::canon::Canon;
use fencepost::name::{CallId, ClientId, Nonce};
use fencepost::redis::{Change, Compat, Node};
use fencepost::resp::{Command, Reply};
use fencepost::time::{WallTime, WorldTime};
use std::hash::{Hash, Hasher};
use std::hint::black_box;
use std::time::Duration;
use xxhash_rust::xxh3::Xxh3;

const WALL: WallTime = WallTime(1_700_000_000_000_000);
const WRITER: Option<CallId> = Some(CallId { client: ClientId(1), number: 1 });
const RELEASE: &str = include_str!("../src/lock/scripts/compare_and_delete.lua");
/// Does the same, out of reach of what is done for scripts without loops.
const LOOPING: &str = "for _ = 1, 1 do if redis.call('get', KEYS[1]) == ARGV[1] then \
                       return redis.call('del', KEYS[1]) end end return 0";

fn command(words: &[&[u8]]) -> Command {
    Command::new(words.iter().map(|word| Bytes::copy_from_slice(word)))
}

fn set(nonce: u64) -> Command {
    command(&[b"SET", b"lock", &Nonce(nonce).to_bytes(), b"NX", b"PX", b"10000"])
}

fn release(script: &'static str, nonce: u64) -> Command {
    let words = [
        Bytes::from_static(b"EVAL"),
        Bytes::from_static(script.as_bytes()),
        Bytes::from_static(b"1"),
        Bytes::from_static(b"lock"),
        Nonce(nonce).to_bytes(),
    ];
    Command::new(words)
}

fn apply(node: &mut Node, command: &Command, changes: &mut Vec<Change>) -> Reply {
    changes.clear();
    node.apply(WALL, WRITER, command, changes)
}

/// A server that holds the lock under nonce 1 and knows the script.
fn held() -> Node {
    let mut node = Node::new(Compat::V72);
    let mut changes = Vec::new();
    assert_eq!(apply(&mut node, &release(RELEASE, 1), &mut changes), Reply::Int(0));
    assert_eq!(apply(&mut node, &set(1), &mut changes), Reply::OK);
    node
}

fn commands(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("redis");
    group.measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(300)).sample_size(20);
    let mut changes = Vec::new();
    let cases = [
        ("get", command(&[b"GET", b"lock"]), Reply::Bulk(Nonce(1).to_bytes())),
        ("set nx refused", set(2), Reply::Null),
        ("set", command(&[b"SET", b"lock", b"x", b"PX", b"10000"]), Reply::OK),
        ("release refused", release(RELEASE, 2), Reply::Int(0)),
        ("release refused, looping", release(LOOPING, 2), Reply::Int(0)),
    ];
    for (name, command, expected) in cases {
        let mut node = held();
        assert_eq!(apply(&mut node.clone(), &command, &mut changes), expected, "{name}");
        group.bench_function(name, |bencher| bencher.iter(|| apply(&mut node, &command, &mut changes)));
    }
    let mut node = Node::new(Compat::V72);
    let pairs = [
        ("set, del", command(&[b"DEL", b"lock"])),
        ("set, release", release(RELEASE, 1)),
        ("set, release, looping", release(LOOPING, 1)),
    ];
    for (name, second) in pairs {
        let first = set(1);
        assert_eq!(apply(&mut node, &first, &mut changes), Reply::OK);
        assert_eq!(apply(&mut node, &second, &mut changes), Reply::Int(1), "{name}");
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                apply(&mut node, &first, &mut changes);
                apply(&mut node, &second, &mut changes)
            });
        });
    }
    // As in a run: every release has a nonce of its own, each goes to five servers.
    let rounds: Vec<(Command, Command)> = (0..1_000).map(|n| (set(n), release(RELEASE, n))).collect();
    let mut nodes = vec![Node::new(Compat::V72); 5];
    let mut next = rounds.iter().cycle();
    group.bench_function("set, release on five servers, nonces differ", |bencher| {
        bencher.iter(|| {
            let (first, second) = next.next().expect("a cycle has no end");
            for node in &mut nodes {
                apply(node, first, &mut changes);
                black_box(apply(node, second, &mut changes));
            }
        });
    });
    group.finish();
}

fn states(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("redis states");
    group.measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(300)).sample_size(20);
    let (node, release) = (held(), release(RELEASE, 1));
    let canonical = |node: &mut Node| {
        node.canonical(&mut Canon::new(WorldTime(0)), WALL);
        let mut hasher = Xxh3::new();
        node.hash(&mut hasher);
        hasher.finish()
    };
    group.bench_function("clone", |bencher| bencher.iter(|| black_box(node.clone())));
    group.bench_function("canonical and hash", |bencher| {
        bencher.iter_batched_ref(|| node.clone(), canonical, BatchSize::SmallInput);
    });
    let mut changes = Vec::new();
    group.bench_function("clone, release, canonical and hash", |bencher| {
        bencher.iter(|| {
            let mut next = node.clone();
            apply(&mut next, &release, &mut changes);
            canonical(&mut next)
        });
    });
    group.finish();
}

criterion_group!(benches, commands, states);
criterion_main!(benches);
