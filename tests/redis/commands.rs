//! Commands outside scripts: replies and error texts.

use super::{Server, check};

const NOT_AN_INTEGER: &str = "-ERR value is not an integer or out of range";
const WRONG_TYPE: &str = "-WRONGTYPE Operation against a key holding the wrong kind of value";

#[test]
fn lookup_fails_as_in_redis() {
    let long = format!("nosuch {} {} cc d", "a".repeat(74), "b".repeat(70));
    let cut = format!(
        "-ERR unknown command 'nosuch', with args beginning with: '{}' '{}' ",
        "a".repeat(74),
        "b".repeat(51)
    );
    check(&[
        ("nosuch", "-ERR unknown command 'nosuch', with args beginning with: "),
        ("nosuch a b", "-ERR unknown command 'nosuch', with args beginning with: 'a' 'b' "),
        (
            "nosuch \"a\\r\\nb\" \"c\\x00d\" e",
            "-ERR unknown command 'nosuch', with args beginning with: 'a  b' 'c' 'e' ",
        ),
        (&long, &cut),
        ("get", "-ERR wrong number of arguments for 'get' command"),
        ("GeT a b", "-ERR wrong number of arguments for 'get' command"),
        ("set a", "-ERR wrong number of arguments for 'set' command"),
        ("time x", "-ERR wrong number of arguments for 'time' command"),
        ("ping a b", "-ERR wrong number of arguments for 'ping' command"),
        ("script", "-ERR wrong number of arguments for 'script' command"),
        ("script foo", "-ERR unknown subcommand 'foo'. Try SCRIPT HELP."),
        ("SCRIPT LOAD", "-ERR wrong number of arguments for 'script|load' command"),
        ("script load a b", "-ERR wrong number of arguments for 'script|load' command"),
        ("xadd a b", "-ERR unknown command 'xadd', with args beginning with: 'a' 'b' "),
    ]);
}

#[test]
fn server_commands() {
    check(&[("PING", "+PONG"), ("ping hello", "$hello"), ("time", "[$1700000000 $456]")]);
}

#[test]
fn set_takes_its_options_in_any_order() {
    check(&[
        ("set k v", "+OK"),
        ("set k v2 nx", "_"),
        ("set k v2 XX GET", "$v"),
        ("set k v3 get nx", "$v2"),
        ("set m v3 NX GET", "_"),
        ("get m", "$v3"),
        ("set n v xx", "_"),
        ("exists n", ":0"),
        ("set k v ex 10 ex 20 nx nx", "_"),
        ("set k v ex 10 ex 20", "+OK"),
        ("ttl k", ":20"),
        ("set k v keepttl keepttl", "+OK"),
        ("ttl k", ":20"),
        ("set k v", "+OK"),
        ("ttl k", ":-1"),
        ("set k v exat 1700000010", "+OK"),
        ("pttl k", ":10000"),
        ("set k v pxat 1700000000001", "+OK"),
        ("pttl k", ":1"),
        ("set k v pxat 1", "+OK"),
        ("get k", "_"),
    ]);
}

#[test]
fn set_refuses_in_redis_order() {
    let invalid = "-ERR invalid expire time in 'set' command";
    let syntax = "-ERR syntax error";
    check(&[
        ("set k v nx xx", syntax),
        ("set k v foo", syntax),
        ("set k v ex", syntax),
        ("set k v ex 10 px 10", syntax),
        ("set k v keepttl ex 10", syntax),
        ("set k v ex 10 keepttl", syntax),
        ("set k v ex foo nx xx", syntax),
        ("set k v ex foo", NOT_AN_INTEGER),
        ("set k v ex +1", NOT_AN_INTEGER),
        ("set k v ex 01", NOT_AN_INTEGER),
        ("set k v ex \" 1\"", NOT_AN_INTEGER),
        ("set k v ex 1.0", NOT_AN_INTEGER),
        ("set k v ex -0", NOT_AN_INTEGER),
        ("set k v ex 9223372036854775808", NOT_AN_INTEGER),
        ("set k v ex 0", invalid),
        ("set k v px -1", invalid),
        ("set k v ex 9223372036854775807", invalid),
        ("set k v px 9223372036854775807", invalid),
        ("set k v exat 9223372036854775807", invalid),
        ("exists k", ":0"),
        ("hset h f v", ":1"),
        ("set h v get", WRONG_TYPE),
        ("set h v get ex 0", invalid),
        ("set h v nx", "_"),
        ("set h v", "+OK"),
        ("type h", "+string"),
    ]);
}

#[test]
fn keys_of_any_type() {
    check(&[
        ("set a 1", "+OK"),
        ("exists a a b", ":2"),
        ("type a", "+string"),
        ("type b", "+none"),
        ("del a a b", ":1"),
        ("unlink a", ":0"),
        ("hset h f v", ":1"),
        ("type h", "+hash"),
        ("unlink h h", ":1"),
    ]);
}

#[test]
fn setnx_writes_a_missing_key_without_a_deadline() {
    check(&[
        ("setnx k v", ":1"),
        ("ttl k", ":-1"),
        ("setnx k w", ":0"),
        ("get k", "$v"),
        ("pexpire k 5", ":1"),
        ("setnx k w", ":0"),
        ("pttl k", ":5"),
        ("hset h f v", ":1"),
        ("setnx h v", ":0"),
        ("del k", ":1"),
        ("SETNX k w", ":1"),
        ("get k", "$w"),
        ("setnx k", "-ERR wrong number of arguments for 'setnx' command"),
        ("setnx k v nx", "-ERR wrong number of arguments for 'setnx' command"),
    ]);
}

#[test]
fn incr_is_strict() {
    check(&[
        ("incr n", ":1"),
        ("incr n", ":2"),
        ("set n 9223372036854775807", "+OK"),
        ("incr n", "-ERR increment or decrement would overflow"),
        ("set n abc", "+OK"),
        ("incr n", NOT_AN_INTEGER),
        ("set n 01", "+OK"),
        ("incr n", NOT_AN_INTEGER),
        ("set n -5 px 100", "+OK"),
        ("incr n", ":-4"),
        ("pttl n", ":100"),
        ("hset h f v", ":1"),
        ("incr h", WRONG_TYPE),
    ]);
}

#[test]
fn hashes() {
    check(&[
        ("hset h a 1", ":1"),
        ("hset h a 2 b 3", ":1"),
        ("hset h a", "-ERR wrong number of arguments for 'hset' command"),
        ("hset h a 1 b", "-ERR wrong number of arguments for 'hset' command"),
        ("hget h a", "$2"),
        ("hget h z", "_"),
        ("hget none a", "_"),
        ("hlen h", ":2"),
        ("hlen none", ":0"),
        ("hexists h a", ":1"),
        ("hexists h z", ":0"),
        ("hincrby h a 5", ":7"),
        ("hincrby h a x", NOT_AN_INTEGER),
        ("hincrby h new -5", ":-5"),
        ("hset h s abc", ":1"),
        ("hincrby h s 1", "-ERR hash value is not an integer"),
        ("hset h big 9223372036854775807", ":1"),
        ("hincrby h big 1", "-ERR increment or decrement would overflow"),
        ("pexpire h 1000", ":1"),
        ("hincrby h a 1", ":8"),
        ("pttl h", ":1000"),
        ("hdel h a a z", ":1"),
        ("hdel none a", ":0"),
        ("hdel h b new s big", ":4"),
        ("exists h", ":0"),
        ("get s", "_"),
        ("set s x", "+OK"),
        ("hget s a", WRONG_TYPE),
        ("hset s a 1", WRONG_TYPE),
        ("hset s a", "-ERR wrong number of arguments for 'hset' command"),
        ("hdel s a", WRONG_TYPE),
        ("hlen s", WRONG_TYPE),
        ("hexists s a", WRONG_TYPE),
        ("hincrby s a 1", WRONG_TYPE),
        ("hincrby s a x", NOT_AN_INTEGER),
        ("hincrby fresh a 3", ":3"),
    ]);
}

#[test]
fn expire_checks_options_then_number_then_key() {
    check(&[
        ("set k v", "+OK"),
        ("expire missing 10 foo", "-ERR Unsupported option foo"),
        ("expire k x nx xx", "-ERR NX and XX, GT or LT options at the same time are not compatible"),
        ("expire k x nx gt lt", "-ERR NX and XX, GT or LT options at the same time are not compatible"),
        ("expire k x gt lt", "-ERR GT and LT options at the same time are not compatible"),
        ("expire missing foo", NOT_AN_INTEGER),
        ("expire missing 9223372036854775807", "-ERR invalid expire time in 'expire' command"),
        ("pexpire k 9223372036854775807", "-ERR invalid expire time in 'pexpire' command"),
        ("expireat k 9223372036854775807", "-ERR invalid expire time in 'expireat' command"),
        ("expire k -9223372036854775808", "-ERR invalid expire time in 'expire' command"),
        ("expire missing 10", ":0"),
        ("pexpireat k 9223372036854775807", ":1"),
        ("persist k", ":1"),
        ("persist k", ":0"),
        ("persist missing", ":0"),
    ]);
}

#[test]
fn expire_conditions_compare_with_the_current_deadline() {
    check(&[
        ("set k v", "+OK"),
        ("expire k 10 xx", ":0"),
        ("expire k 10 gt", ":0"),
        ("expire k 10 lt", ":1"),
        ("expire k 20 lt", ":0"),
        ("expire k 10 lt", ":0"),
        ("expire k 20 nx", ":0"),
        ("expire k 20 gt", ":1"),
        ("expire k 20 gt", ":0"),
        ("expire k 30 xx gt", ":1"),
        ("expire k 25 XX LT", ":1"),
        ("ttl k", ":25"),
        ("expireat k 1700000007", ":1"),
        ("pttl k", ":7000"),
        ("pexpireat k 1700000000007", ":1"),
        ("pttl k", ":7"),
        ("pexpire k 0", ":1"),
        ("exists k", ":0"),
        ("set k v", "+OK"),
        ("pexpire k -9223372036854775808", ":1"),
        ("exists k", ":0"),
        ("ttl k", ":-2"),
        ("pttl k", ":-2"),
    ]);
}

#[test]
fn a_key_lives_through_its_deadline() {
    let mut server = Server::new();
    server.line("set k v px 100");
    server.pass_ms(100);
    assert_eq!(server.line("exists k"), ":1", "alive at now == deadline");
    assert_eq!(server.line("pttl k"), ":0");
    assert_eq!(server.node.keys(server.wall).count(), 1);
    // Fractions of a millisecond do not matter: one microsecond before the next millisecond it is alive.
    server.wall.0 += 543;
    assert_eq!(server.line("exists k"), ":1");
    server.wall.0 += 1;
    assert!(server.node.view(server.wall, b"k").is_none(), "gone one millisecond later");
    assert_eq!(server.node.keys(server.wall).count(), 0);
    assert_eq!(server.node.deadlines().count(), 1, "still physically present");
    assert_eq!(server.line("set k w nx"), "+OK");
    assert_eq!(server.line("ttl k"), ":-1", "the new key has no deadline");
}

#[test]
fn deadlines_follow_the_wall_clock_both_ways() {
    let mut server = Server::new();
    server.line("set k v px 10000");
    server.pass_ms(-100_000);
    assert_eq!(server.line("pttl k"), ":110000");
    server.pass_ms(100_000 + 10_001);
    assert_eq!(server.line("type k"), "+none");
    assert_eq!(server.node.deadlines().count(), 0, "a read deletes what has expired");
}

#[test]
fn ttl_rounds_half_up() {
    for (ms, expected) in [("499", ":0"), ("500", ":1"), ("1499", ":1"), ("1500", ":2")] {
        let mut server = Server::new();
        server.line(&format!("set k v px {ms}"));
        assert_eq!(server.line("ttl k"), expected, "{ms}");
    }
}

#[test]
fn expired_keys_count_as_missing_for_every_write() {
    for (line, then) in [("incr k", ":1"), ("hset k f v", ":1"), ("hincrby k f 2", ":2"), ("del k", ":0")] {
        let mut server = Server::new();
        server.line("set k v px 1");
        server.pass_ms(2);
        assert_eq!(server.line(line), then, "{line}");
        let left = if line == "del k" { ":-2" } else { ":-1" };
        assert_eq!(server.line("ttl k"), left, "{line}");
    }
}

#[test]
fn a_restart_forgets_everything() {
    let mut server = Server::new();
    server.line("set k v");
    let first = server.eval("return math.random(1000000)", &[], &[]);
    assert_eq!(first, ":396465", "the first number of a live 7.0.15 process");
    server.node.restart_empty();
    assert_eq!(server.line("get k"), "_");
    let sha = "evalsha e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0";
    assert_eq!(server.line(sha), "-NOSCRIPT No matching script. Please use EVAL.");
    assert_eq!(server.eval("return math.random(1000000)", &[], &[]), first);
}
