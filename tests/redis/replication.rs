//! The stream of entries: a replica that has replayed a prefix of it holds what its primary held at that moment.

use super::{Server, WALL};
use bytes::Bytes;
use fencepost::name::{CallId, ClientId};
use fencepost::redis::{Compat, Entry, Node, Role, Snapshot, Value};
use fencepost::resp::Command;
use fencepost::time::{UnixMs, WallTime};
use proptest::prelude::*;

/// What happens to a primary.
#[derive(Clone, Debug)]
enum Step {
    Command(Vec<&'static str>),
    Evict(&'static str),
    Expire,
    Pass(i64),
}

const WRITE_TWICE: &str = "redis.call('set', KEYS[1], ARGV[1]) return redis.call('incr', KEYS[2])";
const FAIL_LATE: &str =
    "redis.call('set', KEYS[1], ARGV[1], 'px', 3) for i = 1, 2 do redis.call('nosuch') end";
const COMPARE: &str =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";
const ENDLESS: &str = "redis.call('get', KEYS[1]) redis.call('set', KEYS[2], 'x') while true do end";

fn any_step() -> impl Strategy<Value = Step> {
    let key = || prop::sample::select(vec!["a", "b", "c"]);
    let value = || prop::sample::select(vec!["1", "2", "x"]);
    let ms = || prop::sample::select(vec!["0", "1", "3", "9"]);
    prop_oneof![
        (key(), value()).prop_map(|(k, v)| Step::Command(vec!["set", k, v])),
        (key(), value(), ms()).prop_map(|(k, v, ms)| Step::Command(vec!["set", k, v, "nx", "px", ms])),
        (key(), value()).prop_map(|(k, v)| Step::Command(vec!["set", k, v, "xx", "keepttl"])),
        key().prop_map(|k| Step::Command(vec!["set", k, "old", "pxat", "5"])),
        key().prop_map(|k| Step::Command(vec!["get", k])),
        (key(), key()).prop_map(|(k, l)| Step::Command(vec!["exists", k, l])),
        (key(), key()).prop_map(|(k, l)| Step::Command(vec!["del", k, l])),
        (key(), ms()).prop_map(|(k, ms)| Step::Command(vec!["pexpire", k, ms])),
        key().prop_map(|k| Step::Command(vec!["persist", k])),
        key().prop_map(|k| Step::Command(vec!["incr", k])),
        (key(), value()).prop_map(|(k, v)| Step::Command(vec!["hset", k, v, v])),
        (key(), value()).prop_map(|(k, v)| Step::Command(vec!["hdel", k, v])),
        (key(), key(), value()).prop_map(|(k, l, v)| Step::Command(vec!["eval", WRITE_TWICE, "2", k, l, v])),
        (key(), value()).prop_map(|(k, v)| Step::Command(vec!["eval", FAIL_LATE, "1", k, v])),
        (key(), value()).prop_map(|(k, v)| Step::Command(vec!["eval", COMPARE, "1", k, v])),
        key().prop_map(Step::Evict),
        Just(Step::Expire),
        (0i64..6).prop_map(Step::Pass),
    ]
}

/// A primary with every entry it left behind, and its data after each.
struct Primary {
    node: Node,
    wall: WallTime,
    calls: u32,
    stream: Vec<(Entry, Snapshot)>,
}

impl Primary {
    fn new() -> Self {
        let mut node = Node::new(Compat::V72);
        node.set_streaming(true);
        Self { node, wall: WALL, calls: 0, stream: Vec::new() }
    }

    fn does(&mut self, step: &Step) -> Result<(), TestCaseError> {
        let before = self.node.snapshot();
        match step {
            Step::Command(words) => {
                self.calls += 1;
                let writer = Some(CallId { client: ClientId(0), number: self.calls });
                let command = Command::new(words.iter().map(|word| Bytes::from_static(word.as_bytes())));
                self.node.apply(self.wall, writer, &command, &mut Vec::new());
            }
            Step::Evict(key) => drop(self.node.evict(self.wall, key.as_bytes())),
            Step::Pass(ms) => self.wall = WallTime(self.wall.0 + ms * 1_000),
            Step::Expire => {
                let mut data = before;
                for entry in self.node.expire(self.wall) {
                    prop_assert_eq!(entry.effects().len(), 1);
                    data.replay(&entry);
                    self.stream.push((entry, data.clone()));
                }
                prop_assert_eq!(data, self.node.snapshot());
                return Ok(());
            }
        }
        let after = self.node.snapshot();
        match self.node.take_entry() {
            Some(entry) => {
                let keys: Vec<&Bytes> = entry.effects().iter().map(|effect| &effect.key).collect();
                prop_assert!(keys.is_sorted_by(|one, next| one < next), "each key once");
                self.stream.push((entry, after));
            }
            None => prop_assert_eq!(before, after, "whatever changes is in the stream"),
        }
        prop_assert_eq!(self.node.take_entry(), None, "taken once");
        Ok(())
    }
}

proptest! {
    #[test]
    fn a_prefix_of_the_stream_is_a_moment_of_the_primary(
        steps in prop::collection::vec(any_step(), 1..40),
        full_sync in 0usize..20,
    ) {
        let mut primary = Primary::new();
        for step in &steps {
            primary.does(step)?;
        }
        let mut replica = Node::new(Compat::V72);
        replica.set_role(Role::Replica);
        for (entry, then) in &primary.stream {
            replica.replay(entry);
            prop_assert_eq!(&replica.snapshot(), then);
        }
        prop_assert_eq!(replica.snapshot(), primary.node.snapshot());
        // A full resynchronisation at any moment, the rest from the stream.
        if let Some((_, then)) = primary.stream.get(full_sync) {
            let mut late = replica.clone();
            late.restore(then.clone());
            primary.stream[full_sync + 1..].iter().for_each(|(entry, _)| late.replay(entry));
            prop_assert_eq!(late.snapshot(), primary.node.snapshot());
        }
    }

    #[test]
    fn streaming_changes_no_answer(steps in prop::collection::vec(any_step(), 1..30)) {
        let mut wall = WALL;
        let (mut plain, mut streaming) = (Node::new(Compat::V72), Node::new(Compat::V72));
        streaming.set_streaming(true);
        for step in &steps {
            let answers = [&mut plain, &mut streaming].map(|node| match step {
                Step::Command(words) => {
                    let words = words.iter().map(|word| Bytes::from_static(word.as_bytes()));
                    let mut changes = Vec::new();
                    let reply = node.apply(wall, None, &Command::new(words), &mut changes);
                    (Some(reply), changes, None)
                }
                Step::Evict(key) => (None, Vec::new(), node.evict(wall, key.as_bytes())),
                Step::Expire => {
                    node.expire(wall);
                    (None, Vec::new(), None)
                }
                Step::Pass(_) => (None, Vec::new(), None),
            });
            if let Step::Pass(ms) = step {
                wall = WallTime(wall.0 + ms * 1_000);
            }
            prop_assert_eq!(&answers[0], &answers[1]);
            prop_assert_eq!(plain.snapshot(), streaming.snapshot());
            prop_assert_eq!(plain.take_entry(), None);
        }
    }
}

/// `key` or `-key`, in the order of the entry.
fn told(server: &mut Server) -> String {
    let entry = server.node.take_entry();
    let effects = entry.iter().flat_map(|entry| entry.effects());
    let told = effects.map(|effect| {
        let key = String::from_utf8_lossy(&effect.key).into_owned();
        if effect.after.is_some() { key } else { format!("-{key}") }
    });
    told.collect::<Vec<_>>().join(" ")
}

#[test]
fn an_entry_holds_what_one_command_did() {
    let mut server = Server::new();
    server.node.set_streaming(true);
    let cases = [
        ("set k v px 100", "k"),
        ("set k v nx", ""),
        ("get k", ""),
        ("set k v", "k"),
        ("persist k", ""),
        ("expire k 10 xx", ""),
        ("pexpire k 5", "k"),
        ("pexpire k 0", "-k"),
        ("del k none", ""),
        ("hset h a 1", "h"),
        ("hset h a 1", "h"),
        ("hdel h none", ""),
        ("hdel h a", "-h"),
        ("set k v pxat 1", "k"),
        ("script load \"return 1\"", ""),
        ("eval \"redis.call('set', 'b', 1) return redis.call('set', 'a', 1)\" 0", "a b"),
        ("eval \"redis.call('set', 'n', 1) return redis.call('del', 'n')\" 0", "-n"),
        ("eval \"redis.call('incr', 'n') redis.call('nosuch')\" 0", "n"),
        ("nosuch", ""),
    ];
    for (line, expected) in cases {
        server.line(line);
        assert_eq!(told(&mut server), expected, "{line}");
    }
}

#[test]
fn keys_that_expired_on_the_way_are_in_the_entry() {
    let walked = "eval \"return redis.call('get', 'k')\" 0";
    let in_lua = "eval \"for i = 1, 2 do redis.call('get', 'k') end return redis.call('get', 'm')\" 0";
    let both = "eval \"redis.call('get', 'k') redis.call('set', 'k', 2) return redis.call('nosuch')\" 0";
    let cases = [
        ("get k", "-k"),
        ("exists k m other", "-k -m"),
        ("set k w nx px 5", "k"),
        ("del k", "-k"),
        ("incr k", "k"),
        (walked, "-k"),
        (in_lua, "-k -m"),
        (both, "k"),
    ];
    for (line, expected) in cases {
        let mut server = Server::new();
        server.node.set_streaming(true);
        server.line("set k v px 1");
        server.line("set m v px 1");
        server.pass_ms(2);
        let (_, changes) = server.changes(&super::command(line));
        assert_eq!(told(&mut server), expected, "{line}");
        assert!(changes.iter().all(|change| !change.live_before), "{line}: nobody's value was there");
    }
}

#[test]
fn an_endless_script_leaves_no_effects() {
    let mut primary = Primary::new();
    let steps = [
        Step::Command(vec!["set", "a", "1", "px", "1"]),
        Step::Pass(5),
        Step::Command(vec!["eval", ENDLESS, "2", "a", "b"]),
        Step::Expire,
    ];
    steps.iter().for_each(|step| primary.does(step).expect("consistent"));
    assert_eq!(primary.node.snapshot().stored(b"b"), None);
    assert_eq!(primary.stream.len(), 1, "only the first SET: no cycle runs under a script");
}

#[test]
fn a_replica_hides_what_its_primary_has_not_deleted() {
    let mut server = Server::new();
    server.line("set k v px 10");
    server.line("set stays v");
    server.node.set_role(Role::Replica);
    server.pass_ms(10);
    assert_eq!(server.line("get k"), "$v", "alive at its deadline");
    server.pass_ms(1);
    let hidden = [
        ("get k", "_"),
        ("exists k stays", ":1"),
        ("ttl k", ":-2"),
        ("pttl k", ":-2"),
        ("type k", "+none"),
        ("eval \"return redis.call('get', 'k')\" 0", "_"),
        ("eval \"for i = 1, 1 do return redis.call('exists', 'k') end\" 0", ":0"),
    ];
    for (line, expected) in hidden {
        assert_eq!(server.line(line), expected, "{line}");
        assert_eq!(server.node.deadlines().count(), 1, "{line}: still there");
    }
    assert_eq!(server.node.keys(server.wall).count(), 1);
    assert_eq!(server.node.expire(server.wall), [], "a replica has no active expiry");
    // Its own clock decides: set back, the key is there again.
    server.pass_ms(-1);
    assert_eq!(server.line("get k"), "$v");
    server.pass_ms(1);
    server.node.set_role(Role::Primary);
    server.node.set_streaming(true);
    assert_eq!(server.node.snapshot().len(), 2, "promotion deletes nothing");
    assert_eq!(server.line("set k w nx px 5"), "+OK");
    assert_eq!(told(&mut server), "k");
}

#[test]
fn a_promoted_replica_expires_by_itself_again() {
    let mut server = Server::new();
    server.line("set k v px 10");
    server.node.set_role(Role::Replica);
    server.pass_ms(11);
    server.line("get k");
    server.node.set_role(Role::Primary);
    server.node.set_streaming(true);
    assert_eq!(server.line("get k"), "_");
    assert_eq!(told(&mut server), "-k");
    assert!(server.node.snapshot().is_empty());
}

#[test]
fn the_next_expiry_is_the_earliest_deadline_there_is() {
    let mut server = Server::new();
    server.node.set_streaming(true);
    let now = WALL.unix_ms().0;
    assert_eq!(server.node.next_expiry(), None);
    server.line("set a v");
    assert_eq!(server.node.next_expiry(), None);
    server.line("set b v px 30");
    server.line("set c v px 10");
    server.line("set d v px 10");
    assert_eq!(server.node.next_expiry(), Some(UnixMs(now + 10)));
    server.pass_ms(10);
    assert_eq!(server.node.expire(server.wall), [], "alive at its deadline");
    server.pass_ms(1);
    assert_eq!(server.node.next_expiry(), Some(UnixMs(now + 10)), "nothing happens by itself");
    let entries = server.node.expire(server.wall);
    let keys: Vec<&[u8]> = entries.iter().map(|entry| entry.effects()[0].key.as_ref()).collect();
    assert_eq!(keys, [b"c", b"d"], "each in an entry of its own");
    assert!(entries.iter().all(|entry| entry.effects()[0].after.is_none()));
    assert_eq!(server.node.next_expiry(), Some(UnixMs(now + 30)));
    server.line("persist b");
    assert_eq!(server.node.next_expiry(), None);
}

#[test]
fn a_full_resynchronisation_replaces_the_data_and_keeps_the_scripts() {
    let mut primary = Server::new();
    primary.line("set k new");
    let mut replica = Server::new();
    replica.node.set_role(Role::Replica);
    let sha = replica.line("script load \"return redis.call('get', 'k')\"");
    replica.node.replay(&{
        let mut other = Server::new();
        other.node.set_streaming(true);
        other.line("set divergent v");
        other.node.take_entry().expect("a write")
    });
    replica.node.restore(primary.node.snapshot());
    assert_eq!(replica.line("exists divergent"), ":0");
    assert_eq!(replica.line(&format!("evalsha {} 0", &sha[1..])), "$new");
    // What the replica took is its own: the primary's next write does not reach it.
    primary.line("set k newer");
    assert_eq!(replica.line("get k"), "$new");
    let stored = replica.node.snapshot().stored(b"k").expect("there");
    assert_eq!(stored.value, Value::String(Bytes::from_static(b"new")));
}
