//! Equal commands give equal replies and equal servers: twice, on any thread, whatever the thread ran before.

use super::{Server, WALL};
use bytes::Bytes;
use fencepost::redis::{Change, Compat, Node};
use fencepost::resp::{Command, Reply};
use fencepost::time::WallTime;
use proptest::prelude::*;

const SCRIPTS: [&str; 10] = [
    "return redis.call('set', KEYS[1], ARGV[1])",
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end",
    "return redis.pcall(ARGV[1], KEYS[1])",
    "return math.random(1000)",
    "local t = {} for k in pairs({a=1, b=2, [KEYS[1]]=3, [ARGV[1]]=4}) do t[#t+1] = k end return t",
    "return {tostring({}), tostring(print), ARGV}",
    "error(ARGV[1])",
    "redis.call('incr', KEYS[1]) redis.call('hset', KEYS[1], 'a', 'b')",
    "return string.format('%s %d', ARGV[1], #ARGV)",
    "local s = '' for i = 1, 300 do s = s .. ARGV[1] end return #s",
];

/// Leaves garbage, interned strings, a moved-on counter and compiled scripts in the thread's interpreter.
fn warm_up() {
    let mut server = Server::new();
    for size in [1, 50, 500] {
        let argument = "x".repeat(size);
        for script in SCRIPTS {
            server.eval(script, &["warm"], &[&argument]);
        }
        server.eval("local t = {} for i = 1, 5000 do t[i] = {i} end return #t", &[], &[]);
    }
    server.eval("while true do end", &[], &[]);
}

fn run(commands: &[(i64, Vec<Bytes>)]) -> (Node, Vec<Reply>, Vec<Change>) {
    let mut node = Node::new(Compat::V70);
    let mut changes = Vec::new();
    let replies = commands.iter().map(|(ms, words)| {
        let wall = WallTime(WALL.0 + ms * 1_000);
        node.apply(wall, None, &Command::new(words.iter().cloned()), &mut changes)
    });
    let replies = replies.collect();
    (node, replies, changes)
}

fn any_word() -> impl Strategy<Value = Bytes> {
    prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "1", "-5", "10", "nx", "XX", "px", "ex", "get", "keepttl", "0"])
            .prop_map(|text| Bytes::from_static(text.as_bytes())),
        1 => prop::collection::vec(any::<u8>(), 0..6).prop_map(Bytes::from),
    ]
}

fn any_command() -> impl Strategy<Value = Vec<Bytes>> {
    let names = [
        "set",
        "get",
        "del",
        "unlink",
        "exists",
        "expire",
        "pexpire",
        "expireat",
        "pexpireat",
        "ttl",
        "pttl",
        "persist",
        "incr",
        "type",
        "time",
        "ping",
        "hset",
        "hget",
        "hdel",
        "hexists",
        "hincrby",
        "hlen",
        "script",
        "evalsha",
        "nosuch",
    ];
    let plain = (prop::sample::select(names.to_vec()), prop::collection::vec(any_word(), 0..6));
    let plain = plain.prop_map(|(name, args)| {
        let mut words = vec![Bytes::from_static(name.as_bytes())];
        words.extend(args);
        words
    });
    let script = (prop::sample::select(SCRIPTS.to_vec()), any_word(), any_word());
    let script = script.prop_map(|(script, key, arg)| {
        vec![
            Bytes::from_static(b"eval"),
            Bytes::from_static(script.as_bytes()),
            Bytes::from_static(b"1"),
            key,
            arg,
        ]
    });
    prop_oneof![3 => plain, 1 => script]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn equal_commands_give_equal_servers(
        commands in prop::collection::vec((0i64..30, any_command()), 0..40)
    ) {
        let first = run(&commands);
        prop_assert_eq!(&run(&commands), &first, "twice on one thread");
        let other = std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                warm_up_lightly();
                run(&commands)
            });
            other.join().expect("no command panics")
        });
        prop_assert_eq!(&other, &first, "on another thread");
    }
}

fn warm_up_lightly() {
    let mut server = Server::new();
    for script in SCRIPTS {
        server.eval(script, &["warm"], &["warmth"]);
    }
}

#[test]
fn a_used_interpreter_answers_like_a_fresh_one() {
    let commands: Vec<(i64, Vec<Bytes>)> = SCRIPTS
        .iter()
        .flat_map(|script| [*script; 3])
        .map(|script| {
            let words = ["eval", script, "1", "key", "value"];
            (0, words.iter().map(|word| Bytes::copy_from_slice(word.as_bytes())).collect())
        })
        .collect();
    let fresh = std::thread::scope(|scope| scope.spawn(|| run(&commands)).join().expect("no panic"));
    let used = std::thread::scope(|scope| {
        let used = scope.spawn(|| {
            warm_up();
            run(&commands)
        });
        used.join().expect("no panic")
    });
    assert_eq!(fresh, used);
}

/// The instruction limit is exact to the step: the longest loop that still ends is the same on any interpreter.
#[test]
fn the_instruction_limit_does_not_depend_on_earlier_scripts() {
    let longest = || {
        let ends = |rounds: u64| {
            let mut server = Server::new();
            let reply = server.eval(&format!("for i = 1, {rounds} * 500 do end return 1"), &[], &[]);
            reply == ":1"
        };
        let (mut low, mut high) = (19_960, 20_040);
        assert!(ends(low) && !ends(high));
        while low + 1 < high {
            let middle = (low + high) / 2;
            if ends(middle) { low = middle } else { high = middle }
        }
        low
    };
    let fresh = std::thread::scope(|scope| scope.spawn(longest).join().expect("no panic"));
    let used = std::thread::scope(|scope| {
        let used = scope.spawn(|| {
            Server::new().eval("for i = 1, 4321 do end", &[], &[]);
            longest()
        });
        used.join().expect("no panic")
    });
    assert_eq!(fresh, used);
}
