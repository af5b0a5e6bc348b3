//! Commands on strings and hashes that came later, and what only newer servers know.

use super::{Server, WALL, check, command, show};
use fencepost::redis::{Compat, Node};

#[test]
fn strings_of_several_keys() {
    check(&[
        ("mset a 1 b 2", "+OK"),
        ("mget a b c", "[$1 $2 _]"),
        ("mset a 1 b", "-ERR wrong number of arguments for 'mset' command"),
        ("msetnx b 3 c 3", ":0"),
        ("exists c", ":0"),
        ("msetnx c 3 d 4", ":1"),
        ("msetnx c 3 d", "-ERR wrong number of arguments for 'msetnx' command"),
        ("hset h f v", ":1"),
        ("mget h a", "[_ $1]"),
        ("pexpire a 100", ":1"),
        ("mset a 5 h x", "+OK"),
        ("pttl a", ":-1"),
        ("get h", "$x"),
    ]);
}

#[test]
fn parts_of_strings() {
    check(&[
        ("set k hello", "+OK"),
        ("strlen k", ":5"),
        ("strlen nosuch", ":0"),
        ("getrange k 0 1", "$he"),
        ("getrange k -3 -1", "$llo"),
        ("getrange k -100 100", "$hello"),
        ("getrange k 3 1", "$"),
        ("getrange k -1 -3", "$"),
        ("getrange k -100 -90", "$h"),
        ("getrange k 9 10", "$"),
        ("getrange nosuch 0 -1", "$"),
        ("getrange k x 1", "-ERR value is not an integer or out of range"),
    ]);
}

#[test]
fn strings_with_a_life_and_strings_taken() {
    check(&[
        ("setex k 10 v", "+OK"),
        ("pttl k", ":10000"),
        ("psetex k 10 v", "+OK"),
        ("pttl k", ":10"),
        ("setex k 0 v", "-ERR invalid expire time in 'setex' command"),
        ("psetex k -1 v", "-ERR invalid expire time in 'psetex' command"),
        ("setex k x v", "-ERR value is not an integer or out of range"),
        ("getset k w", "$v"),
        ("pttl k", ":-1"),
        ("getset new w", "_"),
        ("getdel k", "$w"),
        ("getdel k", "_"),
        ("exists k", ":0"),
        ("set k v exat 1700000010 get", "_"),
        ("pttl k", ":10000"),
        ("set k w keepttl get", "$v"),
        ("pttl k", ":10000"),
    ]);
}

#[test]
fn numbers_go_up_and_down() {
    check(&[
        ("decr n", ":-1"),
        ("incrby n 11", ":10"),
        ("decrby n 4", ":6"),
        ("incrby n x", "-ERR value is not an integer or out of range"),
        ("decrby n -9223372036854775808", "-ERR decrement would overflow"),
        ("set n 9223372036854775807", "+OK"),
        ("incrby n 1", "-ERR increment or decrement would overflow"),
    ]);
}

#[test]
fn whole_hashes() {
    check(&[
        ("hset h a 1 b 2", ":2"),
        ("hmget h b nosuch a", "[$2 _ $1]"),
        ("hmget nosuch a b", "[_ _]"),
        ("hgetall h", "[$a $1 $b $2]"),
        ("hkeys h", "[$a $b]"),
        ("hvals h", "[$1 $2]"),
        ("hgetall nosuch", "[]"),
        ("hkeys nosuch", "[]"),
        ("hsetnx h a 9", ":0"),
        ("hsetnx h c 3", ":1"),
        ("hget h a", "$1"),
    ]);
}

/// Each line: a command after `SET k v PX 1000`, and what a server that knows it answers.
#[test]
fn conditions_on_the_value_are_known_to_newer_servers_only() {
    let both = [Compat::V84, Compat::Valkey90];
    let (redis, valkey) = ([Compat::V84], [Compat::Valkey90]);
    let cases = [
        ("set k w ifeq v", "+OK", &both[..]),
        ("set k w ifeq v px 10", "+OK", &both),
        ("set k w ifeq x", "_", &both),
        ("set k w get ifeq v", "$v", &both),
        ("set k w get ifeq x", "$v", &both),
        ("set nosuch w ifeq v", "_", &both),
        ("set k w ifeq v nx", "-ERR syntax error", &both),
        ("set k w ifeq", "-ERR syntax error", &both),
        ("set h w ifeq v", "-WRONGTYPE Operation against a key holding the wrong kind of value", &both),
        ("delex k", ":1", &redis),
        ("delex h", ":1", &redis),
        ("delex k ifeq v", ":1", &redis),
        ("delex k ifeq x", ":0", &redis),
        ("delex k ifne x", ":1", &redis),
        ("delex nosuch ifne x", ":0", &redis),
        ("delex h ifeq v", "-ERR Key should be of string type if conditions are specified", &redis),
        ("delex k foo v", "-ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE", &redis),
        ("delex k ifeq", "-ERR wrong number of arguments for 'delex' command", &redis),
        ("delifeq k v", ":1", &valkey),
        ("delifeq k x", ":0", &valkey),
        ("delifeq nosuch v", ":0", &valkey),
        ("delifeq h v", "-WRONGTYPE Operation against a key holding the wrong kind of value", &valkey),
    ];
    for (line, expected, knowing) in cases {
        for compat in [Compat::V70, Compat::V72, Compat::V84, Compat::Valkey90] {
            let mut server = Server { node: Node::new(compat), wall: WALL };
            server.line("set k v px 1000");
            server.line("hset h f v");
            let answered = show(&server.apply(&command(line)));
            if knowing.contains(&compat) {
                assert_eq!(answered, expected, "{line} on {compat:?}");
            } else {
                let word = line.split(' ').next().expect("a word");
                let unknown = format!("-ERR unknown command '{word}'");
                let refused = answered == "-ERR syntax error" || answered.starts_with(&unknown);
                assert!(refused, "{line} on {compat:?}: {answered}");
            }
        }
    }
}

#[test]
fn setting_if_equal_takes_a_new_life_or_none() {
    let mut server = Server { node: Node::new(Compat::V84), wall: WALL };
    server.line("set k v px 1000");
    assert_eq!(server.line("set k w ifeq v px 50"), "+OK");
    assert_eq!(server.line("pttl k"), ":50");
    assert_eq!(server.line("set k x ifeq v"), "_");
    assert_eq!(server.line("pttl k"), ":50");
    assert_eq!(server.line("set k x ifeq w"), "+OK");
    assert_eq!(server.line("pttl k"), ":-1");
}
