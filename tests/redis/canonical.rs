//! The canonical form of a server: idempotent, and equal for equal futures.

use bytes::Bytes;
use fencepost::canon::Canon;
use fencepost::name::{CallId, ClientId, Nonce};
use fencepost::redis::{Compat, Node};
use fencepost::resp::Command;
use fencepost::time::{ProcessClocks, Span, WallTime, WorldTime};
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
