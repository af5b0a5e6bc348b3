//! Walked scripts against Lua's run of the same: the reply, the keys, the changes and the random state.

use super::super::super::change::Log;
use super::super::super::keyspace::Keyspace;
use super::super::super::node::Compat;
use super::super::super::session::Audience;
use super::super::super::standing::Standing;
use super::super::vm::Vm;
use super::super::{Ending, Job, Random, load, run, run_in_lua};
use crate::name::{CallId, ClientId};
use crate::time::WallTime;
use bytes::Bytes;
use proptest::prelude::*;

#[derive(Clone, Debug, PartialEq)]
struct Server {
    keys: Keyspace,
    random: Random,
    log: Log,
}

impl Server {
    fn new() -> Self {
        Self { keys: Keyspace::new(), random: Random::AT_START, log: no_log() }
    }
}

/// Nothing done yet.
fn no_log() -> Log {
    Log::default()
}

fn words(words: &[&str]) -> Vec<Bytes> {
    words.iter().map(|word| Bytes::copy_from_slice(word.as_bytes())).collect()
}

/// Runs a script both ways on one server and answers whether it was walked.
fn both_ways(server: &mut Server, job: Job<'_>) -> Result<(Ending, bool), TestCaseError> {
    load(job.text).expect("the generator writes Lua");
    let mut in_lua = server.clone();
    let expected = run_in_lua(job, &mut in_lua.keys, &mut in_lua.random, &mut in_lua.log);
    let mut probe = server.clone();
    let walked = Vm::on_thread(|vm| vm.walk(job, &mut probe.keys, &mut probe.log)).is_some();
    let ending = run(job, &mut server.keys, &mut server.random, &mut server.log);
    prop_assert_eq!(&ending, &expected);
    prop_assert_eq!(&*server, &in_lua);
    Ok((ending, walked))
}

fn job<'a>(text: &'a Bytes, keys: &'a [Bytes], argv: &'a [Bytes], ms: i64) -> Job<'a> {
    let writer = Some(CallId { client: ClientId(1), number: ms as u32 });
    let wall = WallTime(1_700_000_000_000_456 + ms * 1_000);
    static NOBODY: std::sync::LazyLock<Audience> = std::sync::LazyLock::new(Audience::default);
    let audience = &*NOBODY;
    Job { text, keys, argv, wall, writer, compat: Compat::V70, standing: Standing::ALONE, audience }
}

/// Mostly what goes well; the rest is refused by commands or by Lua.
fn any_atom() -> impl Strategy<Value = String> {
    let fine = [
        "KEYS[1]", "KEYS[2]", "ARGV[1]", "ARGV[2]", "'v'", "'1'", "1", "2", "0", "100", "2.5", "#KEYS",
        "#ARGV", "#ARGV[1]",
    ];
    let odd = [
        "KEYS[3]",
        "ARGV[3]",
        "ARGV[1.5]",
        "true",
        "false",
        "nil",
        "a",
        "b",
        "c",
        "-1",
        "1e300",
        "redis",
        "redis.call",
        "KEYS",
        "unknown",
        "a.ok",
        "math.random(9)",
        "'get'",
        "'px'",
    ];
    prop_oneof![19 => prop::sample::select(fine.to_vec()), 1 => prop::sample::select(odd.to_vec())]
        .prop_map(str::to_owned)
}

fn any_call(argument: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    let fine = [
        "get",
        "get",
        "del",
        "del",
        "exists",
        "type",
        "pttl",
        "persist",
        "set VALUE",
        "set VALUE",
        "set VALUE 'px' 100",
        "set VALUE 'nx' 'px' '50'",
        "set VALUE 'get'",
        "pexpire 100",
        "pexpire -1",
        "pexpire VALUE",
        "incr",
        "hset 'f' VALUE",
        "hget 'f'",
        "hlen",
        "lpush VALUE",
        "lpop",
        "llen",
        "zadd 1 VALUE",
        "zscore VALUE",
        "publish VALUE",
    ];
    let odd = [
        "get VALUE",
        "set",
        "nosuch",
        "eval",
        "set VALUE VALUE",
        "hincrby VALUE VALUE",
        "hincrby 'f' 1",
        "lrange 0 -1",
        "blpop 0",
    ];
    let shape =
        prop_oneof![19 => prop::sample::select(fine.to_vec()), 1 => prop::sample::select(odd.to_vec())];
    let call = prop::sample::select(vec!["call", "call", "pcall"]);
    let key = prop::sample::select(vec!["KEYS[1]", "KEYS[1]", "KEYS[2]", "'k'"]);
    (call, shape, key, argument).prop_map(|(call, shape, key, argument)| {
        let mut words = shape.split(' ');
        let name = words.next().expect("a split has a part");
        let rest: String = words.map(|word| format!(", {}", word.replace("VALUE", &argument))).collect();
        format!("redis.{call}('{name}', {key}{rest})")
    })
}

/// What compares with numbers.
fn any_count() -> impl Strategy<Value = &'static str> {
    let counts = [
        "redis.call('exists', KEYS[1])",
        "redis.call('pttl', 'k')",
        "redis.call('del', 'l')",
        "1",
        "0",
        "#ARGV",
    ];
    prop::sample::select(counts.to_vec())
}

fn any_value() -> BoxedStrategy<String> {
    any_atom()
        .boxed()
        .prop_recursive(3, 12, 4, |inner| {
            let operator = prop::sample::select(vec!["==", "==", "~=", "and", "or"]);
            let order = prop::sample::select(vec!["<", "<=", ">", ">="]);
            prop_oneof![
                3 => any_call(inner.clone()),
                2 => (inner.clone(), operator, inner.clone()).prop_map(|(l, o, r)| format!("({l} {o} {r})")),
                1 => (any_count(), order, any_count()).prop_map(|(l, o, r)| format!("({l} {o} {r})")),
                1 => inner.prop_map(|value| format!("not {value}")),
            ]
        })
        .boxed()
}

fn any_block() -> BoxedStrategy<String> {
    let line = prop_oneof![
        3 => any_call(any_atom().boxed()),
        2 => (prop::sample::select(vec!["a", "b", "c"]), any_value()).prop_map(|(to, value)| format!("{to} = {value}")),
        1 => (any_value(), any_value()).prop_map(|(a, b)| format!("a, b = {a}, {b}")),
    ];
    line.boxed()
        .prop_recursive(3, 10, 3, |inner| {
            prop_oneof![
                2 => (inner.clone(), inner.clone()).prop_map(|(first, second)| format!("{first}\n{second}")),
                2 => (any_value(), inner.clone(), inner.clone())
                    .prop_map(|(test, yes, no)| format!("if {test} then\n{yes}\nelse\n{no}\nend")),
                1 => (any_value(), inner, any_value())
                    .prop_map(|(test, yes, value)| format!("if {test} then {yes} return {value} end")),
            ]
        })
        .boxed()
}

fn any_script() -> impl Strategy<Value = String> {
    let last = prop_oneof![
        2 => any_value().prop_map(|value| format!("return {value}")),
        1 => any_call(any_atom().boxed()).prop_map(|call| format!("return {call}")),
        1 => (any_value(), any_value()).prop_map(|(a, b)| format!("return {a}, {b}")),
        1 => Just(String::new()),
    ];
    (prop::bool::weighted(0.1), any_block(), last).prop_map(|(read_only, block, last)| {
        let first = if read_only { "#!lua flags=no-writes\n" } else { "" };
        format!("{first}local a, b, c = 1\n{block}\n{last}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn a_walked_script_does_what_lua_does(
        scripts in prop::collection::vec((any_script(), 0i64..200), 1..8),
        argv in prop::collection::vec(prop::sample::select(vec!["v", "w", "1", "100", "-5", "px", ""]), 2..4),
    ) {
        let (keys, argv) = (words(&["k", "l"]), words(&argv));
        let mut server = Server::new();
        for (script, ms) in &scripts {
            let text = Bytes::copy_from_slice(script.as_bytes());
            both_ways(&mut server, job(&text, &keys, &argv, *ms))?;
        }
    }
}

/// Each line: a script, and whether it is walked on a server where `k` holds `v`.
#[test]
fn what_is_walked_and_what_is_left_to_lua() {
    let cases = [
        (include_str!("../../../lock/scripts/compare_and_delete.lua"), true),
        (include_str!("../../../lock/scripts/compare_and_pexpire.lua"), true),
        (include_str!("../../../lock/scripts/recreate.lua"), true),
        (include_str!("../../../lock/scripts/acquire_fenced.lua"), true),
        (include_str!("../../../lock/scripts/reobtain.lua"), true),
        (include_str!("../../../lock/scripts/compare_and_pexpireat.lua"), true),
        (
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end",
            true,
        ),
        ("redis.call('set', KEYS[1], 'w') redis.call('incr', KEYS[2]) return {1}", false),
        ("redis.call('set', KEYS[1], 'w') redis.call('incr', KEYS[1]) return 1", false),
        ("redis.call('set', KEYS[1], 'w') return redis.call('set', KEYS[1], 'x', 'get')", true),
        ("redis.call('del', KEYS[1]) return redis", false),
        ("redis.call('del', KEYS[1]) return redis.call('time')", false),
        ("for _ = 1, 1 do redis.call('del', KEYS[1]) end", false),
        ("return math.random(10)", false),
        ("return redis.call('get')", false),
    ];
    for (script, expected) in cases {
        let (keys, argv) = (words(&["k", "l"]), words(&["v", "100"]));
        let mut server = Server::new();
        let setup = Bytes::from_static(b"redis.call('set', 'k', 'v')");
        both_ways(&mut server, job(&setup, &keys, &argv, 0)).expect("equal both ways");
        let text = Bytes::copy_from_slice(script.as_bytes());
        let (_, walked) = both_ways(&mut server, job(&text, &keys, &argv, 1)).expect("equal both ways");
        assert_eq!(walked, expected, "{script}");
    }
}

#[test]
fn large_words_are_left_to_lua() {
    let text = Bytes::from_static(b"return redis.call('set', KEYS[1], ARGV[1], 'get')");
    let (keys, argv) = (words(&["k"]), words(&[&"x".repeat(40 << 20)]));
    let mut server = Server::new();
    let (_, walked) = both_ways(&mut server, job(&text, &keys, &argv, 0)).expect("equal both ways");
    assert!(!walked, "the argument is large");
    let mut filled = Server::new();
    let mut log = no_log();
    let (wall, standing, audience) = (WallTime(0), Standing::ALONE, Audience::default());
    let (keys_of, compat, log) = (&mut filled.keys, Compat::V70, &mut log);
    let mut exec = super::Exec {
        keys: keys_of,
        wall,
        writer: None,
        standing,
        compat,
        protocol: super::Protocol::Resp2,
        audience: &audience,
        log,
    };
    let value = super::super::super::value::Value::String(argv[0].clone());
    exec.write(&keys[0], value, super::super::super::exec::Deadline::Clear);
    let small = words(&["y"]);
    let (_, walked) = both_ways(&mut filled, job(&text, &keys, &small, 0)).expect("equal both ways");
    assert!(!walked, "the reply is large");
}
