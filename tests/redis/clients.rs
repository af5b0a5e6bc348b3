//! What clients say when they connect: HELLO, AUTH, CLIENT, SELECT, INFO, QUIT, RESET; and replies in RESP3.

use super::sessions::Hub;
use super::{command, show};
use bytes::Bytes;
use fencepost::redis::{Answer, Audience, Compat, Log, Node, Role, Session};
use fencepost::resp::codec::{Protocol, encode_reply};

const WELCOME_2: &str =
    "[$server $redis $version $7.0.15 $proto :2 $id :1 $mode $standalone $role $master $modules []]";
const WELCOME_3: &str =
    "%[$server $redis $version $7.0.15 $proto :3 $id :1 $mode $standalone $role $master $modules []]";
const UNNAMED: &str = "-ERR Client names cannot contain spaces, newlines or special characters.";
const NO_INTEGER: &str = "-ERR Protocol version is not an integer or out of range";
const UNKNOWN_USER: &str = "-WRONGPASS invalid username-password pair or user is disabled.";

/// Asserts that the lines answer as listed, in order, on one connection.
#[track_caller]
fn check(cases: &[(&str, &str)]) {
    check_at(Compat::V70, cases);
}

#[track_caller]
fn check_at(compat: Compat, cases: &[(&str, &str)]) {
    let mut hub = Hub::of(compat, 1);
    for (line, expected) in cases {
        assert_eq!(hub.says(0, line), *expected, "{line}");
    }
}

#[test]
fn hello_tells_who_is_there_and_sets_the_protocol() {
    check(&[
        ("hello", WELCOME_2),
        ("hello 2", WELCOME_2),
        ("hello 3", WELCOME_3),
        ("hello", WELCOME_3),
        ("hello 4", "-NOPROTO unsupported protocol version"),
        ("hello 1", "-NOPROTO unsupported protocol version"),
        ("hello x", NO_INTEGER),
        ("hello 03", NO_INTEGER),
        ("hello setname x", NO_INTEGER),
        ("hello 9223372036854775808", NO_INTEGER),
        ("hello 2 foo", "-ERR Syntax error in HELLO option 'foo'"),
        ("hello 2 setname", "-ERR Syntax error in HELLO option 'setname'"),
        ("hello 2 auth default", "-ERR Syntax error in HELLO option 'auth'"),
        ("hello 2 setname \"a b\"", UNNAMED),
        ("hello 2 auth nosuch x", UNKNOWN_USER),
        ("hello", WELCOME_3),
        ("hello 3 AUTH default x SETNAME q setname r", WELCOME_3),
        ("client getname", "$r"),
        ("hello 2 setname \"\"", WELCOME_2),
        ("client getname", "_"),
    ]);
}

#[test]
fn the_options_of_hello_act_one_by_one_up_to_70() {
    for (compat, name) in [(Compat::V70, "$b"), (Compat::V72, "_")] {
        let refused = ("hello 2 setname b auth nosuch p", UNKNOWN_USER);
        check_at(compat, &[refused, ("client getname", name)]);
    }
}

#[test]
fn hello_names_the_product_and_the_role() {
    for (compat, product) in [
        (Compat::V72, "$redis $version $7.2.6"),
        (Compat::V84, "$redis $version $8.4.0"),
        (Compat::Valkey90, "$valkey $version $9.0.0"),
    ] {
        let told = Hub::of(compat, 1).says(0, "hello");
        assert!(told.contains(product), "{told}");
    }
    let mut hub = Hub::new(1);
    hub.node.set_role(Role::Replica);
    assert_eq!(hub.says(0, "hello"), WELCOME_2.replace("$master", "$replica"));
    assert_eq!(
        hub.says(0, "info Replication nosuch"),
        "$# Replication\r\nrole:slave\r\nslave_read_only:1\r\nconnected_slaves:0\r\n"
    );
}

#[test]
fn a_client_has_a_name_and_a_number() {
    check(&[
        ("client", "-ERR wrong number of arguments for 'client' command"),
        ("client nosuch", "-ERR unknown subcommand 'nosuch'. Try CLIENT HELP."),
        ("client setinfo lib-name redis-rs", "-ERR unknown subcommand 'setinfo'. Try CLIENT HELP."),
        ("client no-touch on", "-ERR unknown subcommand 'no-touch'. Try CLIENT HELP."),
        ("client id x", "-ERR wrong number of arguments for 'client|id' command"),
        ("client id", ":1"),
        ("client getname", "_"),
        ("client setname", "-ERR wrong number of arguments for 'client|setname' command"),
        ("client setname abc", "+OK"),
        ("client setname \"a\\nb\"", UNNAMED),
        ("client getname", "$abc"),
        ("client setname \"\"", "+OK"),
        ("client getname", "_"),
        ("client no-evict on", "+OK"),
        ("client no-evict x", "-ERR syntax error"),
    ]);
    check_at(
        Compat::V72,
        &[
            ("client setinfo LIB-NAME redis-rs", "+OK"),
            ("client setinfo lib-ver 1.8.1", "+OK"),
            ("client setinfo", "-ERR wrong number of arguments for 'client|setinfo' command"),
            ("client setinfo lib-x y", "-ERR Unrecognized option 'lib-x'"),
            (
                "client setinfo lib-ver 'a b'",
                "-ERR lib-ver cannot contain spaces, newlines or special characters.",
            ),
            ("client no-touch off", "+OK"),
        ],
    );
    let mut hub = Hub::new(0);
    hub.sessions = vec![Session::numbered(7)];
    assert_eq!(hub.says(0, "client id"), ":7");
    assert_eq!(hub.says(0, "hello"), WELCOME_2.replace(":1", ":7"));
    assert!(hub.sessions[0].is_idle(), "a number alone is nothing to keep");
}

#[test]
fn the_small_commands_of_a_connection() {
    check(&[
        ("auth", "-ERR wrong number of arguments for 'auth' command"),
        (
            "auth p",
            "-ERR AUTH <password> called without any password configured for the default user. Are you sure your \
             configuration is correct?",
        ),
        ("auth default p", "+OK"),
        ("auth nosuch p", UNKNOWN_USER),
        ("auth a b c", "-ERR syntax error"),
        ("select", "-ERR wrong number of arguments for 'select' command"),
        ("select 0", "+OK"),
        ("select 16", "-ERR DB index is out of range"),
        ("select -1", "-ERR DB index is out of range"),
        ("select x", "-ERR value is not an integer or out of range"),
        ("select 2147483648", "-ERR value is out of range, value must between -2147483648 and 2147483647"),
        ("echo a", "$a"),
        ("echo", "-ERR wrong number of arguments for 'echo' command"),
        ("command docs nosuch", "[]"),
        ("command count x", "-ERR wrong number of arguments for 'command|count' command"),
        ("command nosuch", "-ERR unknown subcommand 'nosuch'. Try COMMAND HELP."),
        ("config get nosuch", "[]"),
        ("config get", "-ERR wrong number of arguments for 'config|get' command"),
        ("config nosuch", "-ERR unknown subcommand 'nosuch'. Try CONFIG HELP."),
        ("info nosuch", "$"),
        ("info server", "$# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n"),
        (
            "info",
            "$# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n\r\n# Replication\r\nrole:master\r\n\
             connected_slaves:0\r\n",
        ),
        ("function load x", "-ERR unknown command 'function', with args beginning with: 'load' 'x' "),
        ("fcall f 0", "-ERR unknown command 'fcall', with args beginning with: 'f' '0' "),
        ("hello 3", WELCOME_3),
        ("info nosuch", "="),
        ("config get nosuch", "%[]"),
    ]);
}

#[test]
fn scripts_may_call_what_is_not_of_the_connection() {
    let refused = "-ERR This Redis command is not allowed from script";
    for (line, expected) in [
        ("echo x", "$x"),
        ("select 0", "+OK"),
        ("select 99", "-ERR DB index is out of range"),
        ("spublish c m", ":0"),
        ("command docs nosuch", "[]"),
        ("info nosuch", "$"),
        ("hello 3", refused),
        ("auth p", refused),
        ("quit", refused),
        ("reset", refused),
        ("client id", refused),
        ("config get x", refused),
        ("psubscribe x", refused),
        ("sunsubscribe", refused),
        ("client nosuch", "-ERR Unknown Redis command called from script"),
        ("client", "-ERR Wrong number of args calling Redis command from script"),
    ] {
        let script = format!("eval 'return redis.call(unpack(ARGV))' 0 {line}");
        let told = Hub::new(1).says(0, &script);
        assert!(told == expected || told.starts_with(&format!("{expected} script: ")), "{line}: {told}");
    }
}

#[test]
fn a_transaction_queues_all_but_the_end_of_a_connection() {
    check(&[
        ("multi", "+OK"),
        ("hello 3", "+QUEUED"),
        ("hgetall h", "+QUEUED"),
        ("client id", "+QUEUED"),
        ("auth p p", "+QUEUED"),
        ("ssubscribe a", "+QUEUED"),
        ("psubscribe b c", "+QUEUED"),
        (
            "exec",
            &format!(
                "[{WELCOME_3} %[] :1 {UNKNOWN_USER} -ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client \
                 >[$psubscribe $b :1] >[$psubscribe $c :2]]"
            ),
        ),
        ("multi", "+OK"),
        ("get k", "+QUEUED"),
        ("reset", "+RESET"),
        ("exec", "-ERR EXEC without MULTI"),
    ]);
}

#[test]
fn reset_leaves_a_connection_as_it_opened() {
    let mut hub = Hub::new(2);
    for line in ["hello 3 setname z", "subscribe c", "ssubscribe s", "watch k", "multi", "get k"] {
        hub.says(0, line);
    }
    assert_eq!(hub.says(0, "reset x"), "-ERR wrong number of arguments for 'reset' command");
    assert_eq!(hub.says(0, "reset"), "+RESET");
    assert_eq!(hub.sessions[0], Session::new());
    hub.says(0, "subscribe c");
    assert_eq!(hub.says(0, "reset"), "+RESET", "also where little else is allowed");
}

#[test]
fn quit_ends_a_connection_whatever_it_does() {
    for before in ["get k", "multi", "subscribe c", "hello 3", "watch k"] {
        let mut hub = Hub::new(2);
        hub.says(0, before);
        assert!(!hub.sessions[0].has_quit());
        assert_eq!(hub.says(0, "quit a b"), "+OK", "{before}");
        assert!(hub.sessions[0].has_quit() && !hub.sessions[0].is_idle());
        assert_eq!(hub.says(1, "publish c m"), ":0", "{before}");
    }
}

#[test]
fn a_busy_server_still_greets() {
    let mut hub = Hub::new(1);
    hub.says(0, "eval 'while true do end' 0");
    let busy = "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";
    for (line, expected) in [
        ("get k", busy),
        ("client id", busy),
        ("select 0", busy),
        ("hello 3", WELCOME_3),
        ("auth default p", "+OK"),
        ("reset", "+RESET"),
        ("quit", "+OK"),
    ] {
        assert_eq!(hub.says(0, line), expected, "{line}");
    }
}

#[test]
fn what_a_session_keeps_makes_it_differ() {
    for (line, keeps) in [
        ("get k", false),
        ("hello 2", false),
        ("auth default p", false),
        ("client setinfo lib-name x", false),
        ("hello 3", true),
        ("client setname x", true),
        ("psubscribe x", true),
        ("ssubscribe x", true),
    ] {
        let mut hub = Hub::of(Compat::V72, 1);
        hub.says(0, line);
        assert_eq!(!hub.sessions[0].is_idle(), keeps, "{line}");
        assert_eq!(hub.sessions[0] != Session::new(), keeps, "{line}");
    }
}

/// Each row: a command, its reply in RESP2 and in RESP3, of a connection and of a script that asked for that.
#[test]
fn replies_have_other_shapes_in_resp3() {
    let rows = [
        ("zscore z a", "$3", ",3"),
        ("zscore z none", "_", "_"),
        ("zscore t a", "$1700000000123", ",1700000000123"),
        ("zrange z 0 -1", "[$a $b]", "[$a $b]"),
        ("zrange z 0 -1 withscores", "[$a $3 $b $5]", "[[$a ,3] [$b ,5]]"),
        ("zrevrange z 0 -1 WITHSCORES", "[$b $5 $a $3]", "[[$b ,5] [$a ,3]]"),
        ("zrangebyscore z 3 4 withscores limit 0 1", "[$a $3]", "[[$a ,3]]"),
        ("zrange nosuch 0 -1 withscores", "[]", "[]"),
        ("zincrby z 0 a", "$3", ",3"),
        ("zadd z incr 0 a", "$3", ",3"),
        ("zadd z nx incr 1 a", "_", "_"),
        ("hgetall h", "[$f $v]", "%[$f $v]"),
        ("hgetall nosuch", "[]", "%[]"),
        ("hkeys h", "[$f]", "[$f]"),
        ("hvals h", "[$v]", "[$v]"),
        ("smembers s", "[$m]", "~[$m]"),
        ("smembers nosuch", "[]", "~[]"),
        ("info nosuch", "$", "="),
        ("get nosuch", "_", "_"),
    ];
    for (protocol, hello) in [(2, "hello 2"), (3, "hello 3")] {
        let mut hub = Hub::new(1);
        for line in ["zadd z 3 a 5 b", "zadd t 1700000000123 a", "hset h f v", "sadd s m", hello] {
            hub.says(0, line);
        }
        for (line, resp2, resp3) in rows {
            let of = |version| if version == 3 { resp3 } else { resp2 };
            assert_eq!(hub.says(0, line), of(protocol), "{line}");
            let call = format!("return redis.call(unpack(ARGV))' 0 {line}");
            assert_eq!(hub.says(0, &format!("eval '{call}")), resp2, "a script starts with RESP2: {line}");
            for version in [2, 3] {
                let told = hub.says(0, &format!("eval 'redis.setresp({version}) {call}"));
                assert_eq!(told, of(version), "{line}");
            }
        }
    }
}

#[test]
fn a_script_sees_the_shapes_of_resp3_as_tables() {
    let mut hub = Hub::new(1);
    for line in ["zadd z 3 a", "hset h f v", "sadd s m"] {
        hub.says(0, line);
    }
    for (expression, expected) in [
        ("call(\"zscore\", \"z\", \"a\").double + 1", ":4"),
        ("tostring(call(\"zscore\", \"z\", \"none\"))", "$nil"),
        ("call(\"zrevrange\", \"z\", 0, 0, \"withscores\")[1][2].double", ":3"),
        ("call(\"hgetall\", \"h\").map.f", "$v"),
        ("tostring(call(\"smembers\", \"s\").set.m)", "$true"),
        ("call(\"info\", \"nosuch\").verbatim_string.format", "$txt"),
        ("call(\"info\", \"nosuch\").verbatim_string.string", "$"),
    ] {
        let script = format!("eval 'redis.setresp(3) local call = redis.call return {expression}' 0");
        assert_eq!(hub.says(0, &script), expected, "{expression}");
    }
}

/// Whoever writes replies asks the session in which protocol, after the command.
#[test]
fn a_session_says_how_replies_are_written() {
    let (mut node, mut session) = (Node::new(Compat::V70), Session::new());
    for (line, expected) in [
        ("get nosuch", "$-1\r\n"),
        (
            "subscribe c d",
            "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nd\r\n:2\r\n",
        ),
        (
            "unsubscribe",
            "*3\r\n$11\r\nunsubscribe\r\n$1\r\nc\r\n:1\r\n*3\r\n$11\r\nunsubscribe\r\n$1\r\nd\r\n:0\r\n",
        ),
        (
            "hello 3",
            "%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$5\r\nproto\r\n:3\r\n$2\r\nid\r\n:1\r\n\
             $4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0\r\n",
        ),
        ("get nosuch", "_\r\n"),
        (
            "subscribe c d",
            ">3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n>3\r\n$9\r\nsubscribe\r\n$1\r\nd\r\n:2\r\n",
        ),
        ("ssubscribe c", ">3\r\n$10\r\nssubscribe\r\n$1\r\nc\r\n:1\r\n"),
        ("info nosuch", "=4\r\ntxt:\r\n"),
        ("multi", "+OK\r\n"),
        ("psubscribe a b", "+QUEUED\r\n"),
        ("get nosuch", "+QUEUED\r\n"),
        (
            "exec",
            "*2\r\n>3\r\n$10\r\npsubscribe\r\n$1\r\na\r\n:3\r\n>3\r\n$10\r\npsubscribe\r\n$1\r\nb\r\n:4\r\n_\r\n",
        ),
        ("reset", "+RESET\r\n"),
        ("get nosuch", "$-1\r\n"),
    ] {
        let (command, mut log) = (command(line), Log::default());
        let answer = node.apply_in(super::WALL, None, &command, &mut session, &Audience::default(), &mut log);
        let Answer::Now(reply) = answer else { panic!("{line} waits") };
        let mut bytes = Vec::new();
        encode_reply(&reply, session.protocol(), &mut bytes);
        assert_eq!(Bytes::from(bytes), Bytes::from(expected), "{line}: {}", show(&reply));
    }
    assert_eq!(session.protocol(), Protocol::Resp2);
}
