//! Commands on lists and sets.

use super::{Server, check};

const WRONG_TYPE: &str = "-WRONGTYPE Operation against a key holding the wrong kind of value";
const NOT_AN_INTEGER: &str = "-ERR value is not an integer or out of range";

#[test]
fn lists_are_pushed_and_popped_at_both_ends() {
    check(&[
        ("lpush l a b c", ":3"),
        ("rpush l d", ":4"),
        ("lrange l 0 -1", "[$c $b $a $d]"),
        ("type l", "+list"),
        ("llen l", ":4"),
        ("lpop l", "$c"),
        ("rpop l", "$d"),
        ("lpop l 0", "[]"),
        ("rpop l 5", "[$a $b]"),
        ("exists l", ":0"),
        ("lpop l", "_"),
        ("rpop l", "_"),
        ("lpop l 1", "_[]"),
        ("lpop l -1", "-ERR value is out of range, must be positive"),
        ("rpush l a", ":1"),
        ("lpop l x", "-ERR value is out of range, must be positive"),
        ("lpop l 1 2", "-ERR wrong number of arguments for 'lpop' command"),
        ("rpop l 1 2", "-ERR wrong number of arguments for 'rpop' command"),
        ("llen nosuch", ":0"),
    ]);
}

#[test]
fn lists_are_read_by_index() {
    check(&[
        ("rpush l a b c d", ":4"),
        ("lindex l 0", "$a"),
        ("lindex l -1", "$d"),
        ("lindex l 4", "_"),
        ("lindex l -5", "_"),
        ("lindex l x", NOT_AN_INTEGER),
        ("lindex nosuch x", "_"),
        ("lrange l 1 2", "[$b $c]"),
        ("lrange l -3 -2", "[$b $c]"),
        ("lrange l -100 100", "[$a $b $c $d]"),
        ("lrange l 3 1", "[]"),
        ("lrange l 9 10", "[]"),
        ("lrange nosuch 0 -1", "[]"),
        ("lrange nosuch x 1", NOT_AN_INTEGER),
    ]);
}

#[test]
fn items_of_a_list_are_removed_by_value() {
    check(&[
        ("rpush l a b a c a", ":5"),
        ("lrem l 1 a", ":1"),
        ("lrange l 0 -1", "[$b $a $c $a]"),
        ("lrem l -1 a", ":1"),
        ("lrange l 0 -1", "[$b $a $c]"),
        ("rpush l b b", ":5"),
        ("lrem l 0 b", ":3"),
        ("lrem l 0 b", ":0"),
        ("lrem l x b", NOT_AN_INTEGER),
        ("lrem nosuch 0 b", ":0"),
        ("lrem l 0 a", ":1"),
        ("lrem l 5 c", ":1"),
        ("exists l", ":0"),
    ]);
}

#[test]
fn a_list_keeps_its_deadline_until_it_is_empty() {
    check(&[
        ("rpush l a b", ":2"),
        ("pexpire l 1000", ":1"),
        ("lpush l c", ":3"),
        ("pttl l", ":1000"),
        ("lpop l 3", "[$c $a $b]"),
        ("rpush l d", ":1"),
        ("pttl l", ":-1"),
    ]);
}

#[test]
fn a_list_that_has_expired_is_begun_anew() {
    let mut server = Server::new();
    server.line("rpush l a");
    server.line("pexpire l 100");
    server.pass_ms(101);
    assert_eq!(server.line("rpush l b"), ":1");
    assert_eq!(server.line("lrange l 0 -1"), "[$b]");
    assert_eq!(server.line("pttl l"), ":-1");
}

#[test]
fn a_pop_that_would_wait_takes_what_is_there() {
    check(&[
        ("rpush b x y", ":2"),
        ("blpop a b 0", "[$b $x]"),
        ("brpop a b 0.5", "[$b $y]"),
        ("set s v", "+OK"),
        ("blpop s b 1", WRONG_TYPE),
        ("blpop b -1", "-ERR timeout is negative"),
        ("blpop b x", "-ERR timeout is not a float or out of range"),
        ("blpop b", "-ERR wrong number of arguments for 'blpop' command"),
    ]);
}

#[test]
fn sets() {
    check(&[
        ("sadd s a b a", ":2"),
        ("sadd s b c", ":1"),
        ("type s", "+set"),
        ("scard s", ":3"),
        ("sismember s a", ":1"),
        ("sismember s z", ":0"),
        ("srem s a z", ":1"),
        ("srem s b c", ":2"),
        ("exists s", ":0"),
        ("smembers s", "[]"),
        ("sadd s only", ":1"),
        ("smembers s", "[$only]"),
        ("scard nosuch", ":0"),
        ("sismember nosuch a", ":0"),
    ]);
}

#[test]
fn every_family_refuses_the_others_types() {
    let families = [
        ("string", &["get k", "incr k", "strlen k", "getrange k 0 1", "getset k v", "getdel k"][..]),
        (
            "hash",
            &["hset k f v", "hget k f", "hmget k f", "hgetall k", "hkeys k", "hvals k", "hsetnx k f v"][..],
        ),
        (
            "list",
            &[
                "lpush k a",
                "rpush k a",
                "lpop k",
                "rpop k",
                "lindex k 0",
                "lrange k 0 1",
                "lrem k 0 a",
                "llen k",
            ][..],
        ),
        ("set", &["sadd k a", "srem k a", "sismember k a", "smembers k", "scard k"][..]),
        (
            "zset",
            &[
                "zadd k 1 a",
                "zrem k a",
                "zscore k a",
                "zrank k a",
                "zrange k 0 1",
                "zincrby k 1 a",
                "zcard k",
                "zcount k 0 1",
                "zremrangebyscore k 0 1",
                "zrangebyscore k 0 1",
                "zrevrange k 0 1",
            ][..],
        ),
    ];
    let makers = ["set k v", "hset k f v", "lpush k a", "sadd k a", "zadd k 1 a"];
    for ((own, commands), _) in families.iter().zip(makers) {
        for (maker, (other, _)) in makers.iter().zip(families) {
            for command in commands.iter().filter(|_| *own != other) {
                let mut server = Server::new();
                server.line(maker);
                assert_eq!(server.line(command), WRONG_TYPE, "{command} on a {other}");
                assert_eq!(server.line("type k"), format!("+{other}"));
            }
        }
    }
}
