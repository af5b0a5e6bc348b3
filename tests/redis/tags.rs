//! Writer tags and the changes that a command reports.

use super::WALL;
use bytes::Bytes;
use fencepost::name::{CallId, ClientId};
use fencepost::redis::{Change, ChangeKind, Compat, Node};
use fencepost::resp::codec::{Decoded, decode_command};
use fencepost::time::WallTime;

const A: Option<CallId> = Some(CallId { client: ClientId(0), number: 1 });
const B: Option<CallId> = Some(CallId { client: ClientId(1), number: 4 });

fn changes(node: &mut Node, wall: WallTime, writer: Option<CallId>, line: &str) -> Vec<Change> {
    let decoded = decode_command(format!("{line}\n").as_bytes());
    let Ok(Decoded::Done { value: Some(command), .. }) = decoded else { panic!("no command: {line}") };
    let mut changes = Vec::new();
    node.apply(wall, writer, &command, &mut changes);
    changes
}

fn change(key: &str, kind: ChangeKind, before: Option<Option<CallId>>, after: Option<CallId>) -> Change {
    let key = Bytes::copy_from_slice(key.as_bytes());
    Change { key, kind, before: before.flatten(), live_before: before.is_some(), after }
}

#[test]
fn only_creating_and_overwriting_take_the_tag() {
    use ChangeKind::{Expiry, Removed, Updated, Written};
    let mut node = Node::new(Compat::V72);
    let cases = [
        (A, "set k v", vec![change("k", Written, None, A)]),
        (B, "set k w nx", vec![]),
        (B, "get k", vec![]),
        (B, "pexpire k 1000", vec![change("k", Expiry, Some(A), A)]),
        (B, "persist k", vec![change("k", Expiry, Some(A), A)]),
        (B, "persist k", vec![]),
        (B, "set k w", vec![change("k", Written, Some(A), B)]),
        (A, "del k none", vec![change("k", Removed, Some(B), None)]),
        (A, "incr n", vec![change("n", Written, None, A)]),
        (B, "incr n", vec![change("n", Updated, Some(A), A)]),
        (A, "hset h a 1 b 2", vec![change("h", Written, None, A)]),
        (B, "hset h a 2", vec![change("h", Updated, Some(A), A)]),
        (B, "hincrby h a 2", vec![change("h", Updated, Some(A), A)]),
        (B, "hdel h none", vec![]),
        (B, "hdel h a", vec![change("h", Updated, Some(A), A)]),
        (B, "hdel h b", vec![change("h", Removed, Some(A), None)]),
        (A, "set k v", vec![change("k", Written, None, A)]),
        (B, "pexpire k 0", vec![change("k", Removed, Some(A), None)]),
        (None, "set k v", vec![change("k", Written, None, None)]),
        (B, "unlink k", vec![change("k", Removed, Some(None), None)]),
    ];
    for (writer, line, expected) in cases {
        assert_eq!(changes(&mut node, WALL, writer, line), expected, "{line}");
    }
}

#[test]
fn silent_expiry_is_no_change() {
    let mut node = Node::new(Compat::V72);
    changes(&mut node, WALL, A, "set k v px 5");
    let later = WallTime(WALL.0 + 6_000);
    assert_eq!(changes(&mut node, later, B, "del k"), vec![]);
    changes(&mut node, WALL, A, "set k v px 5");
    let expected = vec![change("k", ChangeKind::Written, None, B)];
    assert_eq!(changes(&mut node, later, B, "set k w"), expected);
    assert_eq!(node.view(later, b"k").map(|view| view.writer), Some(B));
}

#[test]
fn a_script_reports_each_of_its_effects() {
    let mut node = Node::new(Compat::V72);
    let script = "eval \"redis.call('set','k','v') redis.call('incr','n') redis.call('pexpire','k',10) \
                  redis.call('del','k') redis.call('nosuch')\" 0";
    let expected = vec![
        change("k", ChangeKind::Written, None, A),
        change("n", ChangeKind::Written, None, A),
        change("k", ChangeKind::Expiry, Some(A), A),
        change("k", ChangeKind::Removed, Some(A), None),
    ];
    assert_eq!(changes(&mut node, WALL, A, script), expected, "writes before an error stay");
    assert_eq!(node.keys(WALL).count(), 1);
}

#[test]
fn eviction_removes_live_keys_only() {
    let mut node = Node::new(Compat::V72);
    changes(&mut node, WALL, A, "set k v px 5");
    assert_eq!(node.evict(WALL, b"none"), None);
    assert_eq!(node.clone().evict(WallTime(WALL.0 + 6_000), b"k"), None);
    assert_eq!(node.evict(WALL, b"k"), Some(change("k", ChangeKind::Removed, Some(A), None)));
    assert_eq!(node.view(WALL, b"k"), None);
}
