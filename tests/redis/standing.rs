//! What a replica and a primary with too few replicas refuse, and with which words.

use super::{Server, WALL};
use fencepost::redis::{Compat, Node, Role, Writes, wait_arguments};

const READ_ONLY: &str = "-READONLY You can't write against a read only replica.";
const NO_REPLICAS: &str = "-NOREPLICAS Not enough good replicas to write.";
const WAIT_ON_REPLICA: &str = "-ERR WAIT cannot be used with replica instances. Please also note that since Redis \
                               4.0 if a replica is configured to be writable (which is not the default) writes to \
                               replicas are just local and are not propagated.";

/// A server with a key, standing as told.
fn server(compat: Compat, role: Role, writes: Writes) -> Server {
    let mut server = Server { node: Node::new(compat), wall: WALL };
    server.line("set k v");
    server.line("set old v px 1");
    server.pass_ms(2);
    server.node.set_role(role);
    server.node.set_writes(writes);
    server
}

/// Both servers that refuse to write, with their words; a replica does not look at its own replicas.
fn refusing() -> [(Server, &'static str); 3] {
    [
        (server(Compat::V70, Role::Replica, Writes::Allowed), READ_ONLY),
        (server(Compat::V72, Role::Replica, Writes::TooFewReplicas), READ_ONLY),
        (server(Compat::V70, Role::Primary, Writes::TooFewReplicas), NO_REPLICAS),
    ]
}

#[test]
fn every_command_with_the_flag_write_is_refused() {
    let writes = [
        "set k w",
        "set k w nx",
        "set k w foo",
        "del nothing",
        "unlink nothing",
        "expire nothing 10",
        "expire k x",
        "pexpire k 10",
        "expireat k 10",
        "pexpireat k 10",
        "persist k",
        "incr k",
        "hset k a 1",
        "hincrby k a 1",
        "hdel k a",
    ];
    for (mut server, refusal) in refusing() {
        let before = server.node.snapshot();
        for line in writes {
            assert_eq!(server.line(line), refusal, "{line}");
        }
        assert_eq!(server.node.snapshot(), before);
        assert_eq!(server.line("set k"), "-ERR wrong number of arguments for 'set' command", "checked first");
    }
}

#[test]
fn what_is_no_write_runs() {
    let fine = [
        ("get k", "$v"),
        ("exists k", ":1"),
        ("ttl k", ":-1"),
        ("type k", "+string"),
        ("hget nothing a", "_"),
        ("ping", "+PONG"),
        ("get old", "_"),
        ("script load \"return 1\"", "$e0e1f9fabfc9d4800c877a703b823ac0578ff8db"),
        ("evalsha e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0", ":1"),
        (
            "evalsha e0e1f9fabfc9d4800c877a703b823ac0578ff8dc 0",
            "-NOSCRIPT No matching script. Please use EVAL.",
        ),
        ("eval \"return redis.call('get', KEYS[1])\" 1 k", "$v"),
        ("eval \"for i = 1, 1 do return redis.call('get', KEYS[1]) end\" 1 k", "$v"),
    ];
    for (mut server, _) in refusing() {
        for (line, expected) in fine {
            assert_eq!(server.line(line), expected, "{line}");
        }
    }
}

#[test]
fn a_primary_without_replicas_still_expires() {
    let mut server = server(Compat::V70, Role::Primary, Writes::TooFewReplicas);
    assert_eq!(server.line("set old w"), NO_REPLICAS);
    assert_eq!(server.node.snapshot().len(), 2, "refused before it looked");
    assert_eq!(server.line("get old"), "_");
    assert_eq!(server.node.snapshot().len(), 1);
    server.node.set_writes(Writes::Allowed);
    assert_eq!(server.line("set old w"), "+OK");
}

#[test]
fn a_plain_script_fails_at_its_first_write() {
    let scripts = [
        "redis.call('get', KEYS[1]) return redis.call('set', KEYS[1], 'w')",
        "return redis.call('del', KEYS[1])",
        "for i = 1, 2 do redis.call('incr', KEYS[1]) end",
    ];
    for (mut server, refusal) in refusing() {
        let before = server.node.snapshot();
        for script in scripts {
            let sha = server.eval("return redis.sha1hex(ARGV[1])", &[], &[script]);
            let expected = format!("{refusal} script: {}, on @user_script:1.", &sha[1..]);
            assert_eq!(server.eval(script, &["k"], &[]), expected, "{script}");
        }
        let caught = "local r = redis.pcall('set', KEYS[1], 'w') return r.err";
        assert_eq!(server.eval(caught, &["k"], &[]), format!("${}", &refusal[1..]));
        let miss =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";
        assert_eq!(server.eval(miss, &["k"], &["other"]), ":0", "never comes to its write");
        assert_eq!(server.node.snapshot(), before);
    }
}

#[test]
fn a_script_that_declares_to_write_is_refused_before_it_runs() {
    let declared = "#!lua\nreturn redis.call('get', KEYS[1])";
    let careful = "#!lua flags=no-writes\nreturn redis.call('get', KEYS[1])";
    let liar = "#!lua flags=no-writes\nreturn redis.pcall('set', KEYS[1], 'w').err";
    for (mut server, refusal) in refusing() {
        let first = match refusal {
            READ_ONLY => "-READONLY Can not run script with write flag on readonly replica",
            other => other,
        };
        let sha = server.eval("return redis.sha1hex(ARGV[1])", &[], &[declared])[1..].to_owned();
        let by_sha = format!("evalsha {sha} 1 k");
        assert_eq!(server.line(&by_sha), "-NOSCRIPT No matching script. Please use EVAL.");
        assert_eq!(server.eval(declared, &["k"], &[]), first, "found out when it is loaded");
        assert_eq!(server.eval(declared, &["k"], &[]), refusal, "known by now");
        assert_eq!(server.line(&by_sha), refusal);
        assert_eq!(server.eval(careful, &["k"], &[]), "$v");
        let undeclared = "$ERR Write commands are not allowed from read-only scripts.";
        assert_eq!(server.eval(liar, &["k"], &[]), undeclared);
    }
}

#[test]
fn a_busy_replica_refuses_writes_as_a_replica() {
    let mut server = server(Compat::V70, Role::Replica, Writes::Allowed);
    server.eval("while true do end", &[], &[]);
    assert_eq!(server.line("set k w"), READ_ONLY);
    assert!(server.line("get k").starts_with("-BUSY"));
}

#[test]
fn wait_and_role_of_a_server_alone() {
    let not_an_integer = "-ERR value is not an integer or out of range";
    let cases = [
        ("role", "[$master :0 []]"),
        ("role x", "-ERR wrong number of arguments for 'role' command"),
        ("wait", "-ERR wrong number of arguments for 'wait' command"),
        ("WAIT 1 100 2", "-ERR wrong number of arguments for 'wait' command"),
        ("WAIT 1 100", ":0"),
        ("wait -1 0", ":0"),
        ("wait x -1", not_an_integer),
        ("wait 1.0 100", not_an_integer),
        ("wait 1 x", "-ERR timeout is not an integer or out of range"),
        ("wait 1 9223372036854775808", "-ERR timeout is not an integer or out of range"),
        ("wait 1 -1", "-ERR timeout is negative"),
        ("wait 1 9223372036854775807", "-ERR timeout is out of range"),
        ("eval \"return redis.pcall('role')\" 0", "-ERR This Redis command is not allowed from script"),
    ];
    for compat in [Compat::V70, Compat::V72] {
        let mut server = server(compat, Role::Primary, Writes::TooFewReplicas);
        for (line, expected) in cases {
            assert_eq!(server.line(line), expected, "{line}");
        }
    }
}

#[test]
fn wait_and_role_of_a_replica() {
    let mut server = server(Compat::V72, Role::Replica, Writes::Allowed);
    assert_eq!(server.line("wait 1 100"), WAIT_ON_REPLICA);
    assert_eq!(server.line("wait x y"), WAIT_ON_REPLICA, "checked first");
    assert_eq!(server.line("role"), "[$slave $ :0 $connect :-1]");
}

#[test]
fn wait_in_scripts_came_with_72() {
    let script = "return redis.pcall('wait', 1, 100)";
    let mut old = server(Compat::V70, Role::Primary, Writes::Allowed);
    assert_eq!(old.eval(script, &[], &[]), "-ERR This Redis command is not allowed from script");
    let mut new = server(Compat::V72, Role::Primary, Writes::Allowed);
    new.node.set_replicas(2);
    assert_eq!(new.eval(script, &[], &[]), ":2", "at once, and every replica that is there");
}

#[test]
fn the_arguments_of_wait() {
    let read = |line: &str| wait_arguments(WALL, &super::command(line));
    assert_eq!(read("wait 2 150"), Ok((2, 150)));
    assert_eq!(read("WAIT -3 0"), Ok((-3, 0)));
    let most = i64::MAX - WALL.unix_ms().0;
    assert_eq!(read(&format!("wait 1 {most}")), Ok((1, most)));
    let refused = [
        format!("wait 1 {}", most + 1),
        "wait 1 -1".to_owned(),
        "wait 1 x".to_owned(),
        "wait x 1".to_owned(),
        "wait 1".to_owned(),
    ];
    for line in refused {
        let mut server = Server::new();
        let reply = read(&line).expect_err("refused");
        assert_eq!(super::show(&reply), server.line(&line), "{line}: as the server says");
    }
}

#[test]
fn a_restart_keeps_what_was_set_from_outside() {
    let mut server = server(Compat::V70, Role::Replica, Writes::Allowed);
    server.eval("return 1", &[], &[]);
    server.node.restart_empty();
    assert!(server.node.snapshot().is_empty());
    assert_eq!(server.node.role(), Role::Replica);
    assert_eq!(server.line("set k v"), READ_ONLY);
    let unknown = "-NOSCRIPT No matching script. Please use EVAL.";
    assert_eq!(server.line("evalsha e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0"), unknown);
}
