//! Scripts as they are sent for locks that readers share: one string for a writer, a sorted set of deadlines for
//! readers.
//!
//! They rest on TYPE as a table, on TIME, on scores that become numbers and numbers that become arguments.

use super::Server;
use fencepost::redis::{Compat, Node};

const WRITE: &str = "if redis.call('EXISTS', KEYS[1]) ~= 0 then return 0 end
    redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1";
const READ: &str = "local kind = redis.call('TYPE', KEYS[1]).ok
    if not (kind == 'zset' or kind == 'none') then return 0 end
    local at = redis.call('TIME')
    local ends = 1000 * tonumber(at[1]) + math.floor(tonumber(at[2]) / 1000) + tonumber(ARGV[2])
    if redis.call('ZADD', KEYS[1], 'NX', ends, ARGV[1]) == 0 then return 0 end
    local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
    redis.call('PEXPIREAT', KEYS[1], tonumber(last[2])) return 1";
const EXTEND_WRITE: &str = "if redis.call('TYPE', KEYS[1]).ok ~= 'string' then return 0 end
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
    return redis.call('PEXPIRE', KEYS[1], ARGV[2])";
const EXTEND_READ: &str = "if redis.call('TYPE', KEYS[1]).ok ~= 'zset' then return 0 end
    if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
    local at = redis.call('TIME')
    local ends = 1000 * tonumber(at[1]) + math.floor(tonumber(at[2]) / 1000) + tonumber(ARGV[2])
    redis.call('ZADD', KEYS[1], ends, ARGV[1])
    local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
    redis.call('PEXPIREAT', KEYS[1], tonumber(last[2])) return 1";
const END_WRITE: &str = "if redis.call('TYPE', KEYS[1]).ok ~= 'string' then return 0 end
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
    return redis.call('DEL', KEYS[1])";
const END_READ: &str = "if redis.call('TYPE', KEYS[1]).ok ~= 'zset' then return 0 end
    if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return 0 end
    local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
    if #last > 0 then redis.call('PEXPIREAT', KEYS[1], tonumber(last[2])) end return 1";

/// Each row: a script, whose nonce, for how long, its answer; then the type of the lock and its remaining life.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

#[track_caller]
fn check(rows: &[Row]) {
    for compat in [Compat::V70, Compat::V72, Compat::V84, Compat::Valkey90] {
        let mut server = Server::new();
        server.node = Node::new(compat);
        for (at, (script, nonce, ms, answer, kind, life)) in rows.iter().enumerate() {
            assert_eq!(server.eval(script, &["lock"], &[nonce, ms]), *answer, "row {at} of {compat:?}");
            assert_eq!(server.line("type lock"), *kind, "row {at} of {compat:?}");
            assert_eq!(server.line("pttl lock"), *life, "row {at} of {compat:?}");
        }
    }
}

#[test]
fn one_writer_holds_the_lock() {
    check(&[
        (WRITE, "a", "500", ":1", "+string", ":500"),
        (WRITE, "b", "900", ":0", "+string", ":500"),
        (READ, "b", "900", ":0", "+string", ":500"),
        (EXTEND_WRITE, "b", "900", ":0", "+string", ":500"),
        (EXTEND_READ, "a", "900", ":0", "+string", ":500"),
        (EXTEND_WRITE, "a", "900", ":1", "+string", ":900"),
        (END_WRITE, "b", "0", ":0", "+string", ":900"),
        (END_READ, "a", "0", ":0", "+string", ":900"),
        (END_WRITE, "a", "0", ":1", "+none", ":-2"),
        (END_WRITE, "a", "0", ":0", "+none", ":-2"),
        (EXTEND_WRITE, "a", "900", ":0", "+none", ":-2"),
    ]);
}

#[test]
fn readers_share_the_lock_until_the_last_of_them() {
    check(&[
        (READ, "a", "500", ":1", "+zset", ":500"),
        (READ, "a", "900", ":0", "+zset", ":500"),
        (READ, "b", "900", ":1", "+zset", ":900"),
        (WRITE, "c", "100", ":0", "+zset", ":900"),
        (READ, "c", "100", ":1", "+zset", ":900"),
        (EXTEND_WRITE, "a", "100", ":0", "+zset", ":900"),
        (END_WRITE, "a", "100", ":0", "+zset", ":900"),
        (EXTEND_READ, "d", "2000", ":0", "+zset", ":900"),
        (EXTEND_READ, "c", "1000", ":1", "+zset", ":1000"),
        (END_READ, "c", "0", ":1", "+zset", ":900"),
        (END_READ, "c", "0", ":0", "+zset", ":900"),
        (EXTEND_READ, "b", "100", ":1", "+zset", ":500"),
        (END_READ, "a", "0", ":1", "+zset", ":100"),
        (END_READ, "b", "0", ":1", "+none", ":-2"),
        (WRITE, "c", "100", ":1", "+string", ":100"),
    ]);
}

#[test]
fn a_readers_score_is_the_millisecond_of_its_end() {
    let mut server = Server::new();
    assert_eq!(server.eval(READ, &["lock"], &["a", "500"]), ":1");
    assert_eq!(server.line("zscore lock a"), "$1700000000500");
    server.pass_ms(500);
    assert_eq!(server.line("type lock"), "+zset");
    server.pass_ms(1);
    assert_eq!(server.line("type lock"), "+none");
    assert_eq!(server.eval(EXTEND_READ, &["lock"], &["a", "500"]), ":0");
}
