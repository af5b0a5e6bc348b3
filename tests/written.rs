//! A scenario that is written and read again is the same one, whatever its plan, and so is its run.
//!
//! Must not look at the text where the reader can: what counts is what is read of it.

use fencepost::name::{ClientId, Name, NodeId, Process, VoterId, Worker};
use fencepost::plan::{
    CutHow, Death, Deferral, Fault, Learn, MessageDirective, MessageFate, OrderDirective, OrderTerm,
    PauseKind, PauseScope, Plan, PlannedFault, WayCut, When,
};
use fencepost::scenario::{Edits, Scenario, parse, shipped, write};
use fencepost::sim;
use fencepost::time::{ClockKind, Span, WorldTime};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

const REPLICATED: &str = r#"# Two voters with replicas.
format = 1
title  = "a title"
claim  = "a claim"
source = ["a source"]

[run]
seed      = 1          # the seed
limit_ms  = 60_000
settle_ms = 25_000

[deployment]
topology = "replicated"
nodes    = 3
replicas = [2, 1, 0]   # five nodes and a half

[lock.redlock]
like   = "spec"
ttl_ms = 10_000

[clients]
count    = 3
start_ms = [0, 1_000, 2_000]

[clients.workload.hold]
cycles      = 3        # each
work_ms     = 900
patience_ms = 5_000
holder      = "never"

[[client]]
id       = "client-3"
workload = { cycles = 2, work_ms = 100 }

[network]
latency_us = { p0 = 200, p50 = 500, p99 = 2_000, p100 = 5_000 }

# This plan is replaced.
[[plan]]
kill = { at_ms = 7, of = "node-1" }

[[plan]]
message = { name = "client-1#1>store:write.1:request", lose = true }

[expect]
promise-overlap = "held"   # or is it?
orphan          = "held"

[expect.witness]
kill = 1
"#;

fn scenario() -> Scenario {
    parse("replicated.toml", REPLICATED).expect("a good file")
}

fn clients() -> Vec<Process> {
    (0..3).map(|index| Process::Client(ClientId(index))).collect()
}

fn nodes() -> Vec<NodeId> {
    let node = |voter, member| NodeId { voter: VoterId(voter), member };
    vec![node(0, 0), node(0, 1), node(0, 2), node(1, 0), node(1, 1), node(2, 0)]
}

fn node() -> impl Strategy<Value = NodeId> {
    select(nodes())
}

fn process() -> impl Strategy<Value = Process> {
    prop_oneof![select(clients()), node().prop_map(Process::Node)]
}

/// Up to twelve seconds, often a whole number of milliseconds or seconds.
fn span() -> impl Strategy<Value = Span> {
    prop_oneof![
        1..12_000_000_i64,
        (1..12_000_i64).prop_map(|ms| ms * 1_000),
        (1..12_i64).prop_map(|s| s * 1_000_000)
    ]
    .prop_map(Span)
}

fn at() -> impl Strategy<Value = WorldTime> {
    span().prop_map(|span| WorldTime::ZERO + span)
}

fn learn() -> impl Strategy<Value = Learn> {
    prop_oneof![Just(Learn::Soon), Just(Learn::Never), span().prop_map(Learn::After)]
}

fn when() -> impl Strategy<Value = When> {
    let names = ["client-1#1:enter.1", "client-2#1:granted.1", "client-1#1>node-1:acquire.1.set.1:reply"];
    let after = select(names.to_vec()).prop_map(|name| When::After(name.parse::<Name>().expect("a name")));
    prop_oneof![4 => at().prop_map(When::At), 1 => after]
}

fn clock() -> impl Strategy<Value = ClockKind> {
    select(vec![ClockKind::Mono, ClockKind::Wall])
}

fn cut() -> impl Strategy<Value = Fault> {
    let servers: Vec<Process> = nodes().into_iter().map(Process::Node).chain([Process::Store]).collect();
    let of_clients = (subsequence(clients(), 1..=3), subsequence(servers, 1..=4));
    let inside =
        Just((vec![Process::Node(nodes()[0])], vec![Process::Node(nodes()[1]), Process::Node(nodes()[2])]));
    let ways = select(vec![WayCut::Both, WayCut::Requests, WayCut::Replies]);
    let hows = select(vec![CutHow::Reset, CutHow::Hold, CutHow::BlackHole]);
    (prop_oneof![3 => of_clients, 1 => inside], ways, hows).prop_map(|((one, other), way, how)| Fault::Cut {
        one,
        other,
        way,
        how,
    })
}

fn fault() -> impl Strategy<Value = Fault> {
    let client = (0..3_u16).prop_map(ClientId);
    let worker = select(vec![Worker::User, Worker::Watchdog]);
    let kinds = select(vec![PauseKind::Stop, PauseKind::Suspend]);
    let deaths = select(vec![Death::Process, Death::Power, Death::Shutdown]);
    let clocks =
        select(vec![vec![ClockKind::Mono], vec![ClockKind::Wall], vec![ClockKind::Mono, ClockKind::Wall]]);
    let by = (any::<bool>(), span()).prop_map(|(back, by)| if back { Span(-by.0) } else { by });
    let member = select(nodes()[..5].to_vec());
    let except = proptest::collection::btree_map((0..3_u16).prop_map(ClientId), learn(), 0..3);
    let text = select(vec!["BUSY a \"quoted\" \\ reply", "LOADING é"]);
    prop_oneof![
        (process(), kinds)
            .prop_map(|(process, kind)| Fault::Pause { scope: PauseScope::Process(process), kind }),
        (client.clone(), worker).prop_map(|(client, worker)| Fault::Pause {
            scope: PauseScope::Worker(client, worker),
            kind: PauseKind::Stop
        }),
        client.clone().prop_map(|client| Fault::Crash { client }),
        client.prop_map(|client| Fault::Cancel { client }),
        (node(), deaths).prop_map(|(node, death)| Fault::Kill { node, death }),
        (process(), by).prop_map(|(process, by)| Fault::ClockStep { process, clock: ClockKind::Wall, by }),
        (process(), clocks, 1..90_000_i32).prop_map(|(process, clocks, ppm)| Fault::ClockRate {
            process,
            clocks,
            ppm: ppm - 45_001
        }),
        (process(), clock()).prop_map(|(process, clock)| Fault::ClockFreeze { process, clock }),
        cut(),
        (node(), span()).prop_map(|(node, by)| Fault::Slow { node, by }),
        (node(), any::<bool>())
            .prop_map(|(node, named)| Fault::Evict { node, key: named.then(|| "some \"key\"\n".into()) }),
        (process(), span()).prop_map(|(process, by)| Fault::LateTimer { process, by }),
        (node(), text).prop_map(|(node, text)| Fault::ErrorReply { node, text: text.into() }),
        node().prop_map(|node| Fault::FlushScripts { node }),
        (member.clone(), learn(), except).prop_map(|(node, learn, except)| Fault::Promote {
            node,
            learn,
            except: except.into_iter().collect()
        }),
        member.clone().prop_map(|node| Fault::Demote { node }),
        (member, span()).prop_map(|(node, by)| Fault::Lag { node, by }),
    ]
}

fn planned() -> impl Strategy<Value = PlannedFault> {
    (when(), proptest::option::of(span()), fault()).prop_map(|(when, lasts, fault)| PlannedFault {
        when,
        lasts: lasts.filter(|_| !fault.is_instant()),
        fault,
    })
}

fn plan() -> impl Strategy<Value = Plan> {
    let names = [
        "client-1#1>node-1:acquire.1.set.1:request",
        "client-2#1>node-3:acquire.1.set.1:reply",
        "client-1#1>store:write.1:request",
        "client-3#1>node-2:connect.1:request",
    ]
    .map(|name| name.parse().expect("a message"));
    let fate = || prop_oneof![Just(MessageFate::Lose), span().prop_map(MessageFate::Delay)];
    let messages = subsequence(names.to_vec(), 0..=4).prop_flat_map(move |names| {
        let fates = proptest::collection::vec(fate(), names.len());
        fates.prop_map(move |fates| {
            let both = names.iter().zip(fates);
            both.map(|(name, fate)| MessageDirective { name: *name, fate }).collect::<Vec<_>>()
        })
    });
    let reply = OrderTerm::Message(names[1]);
    let terms = select(vec![
        (OrderTerm::Messages, OrderTerm::Timers),
        (OrderTerm::Timers, reply),
        (reply, OrderTerm::Messages),
    ]);
    let order = (at(), terms).prop_map(|(at, (first, then))| OrderDirective {
        at,
        of: Process::Client(ClientId(1)),
        first,
        then,
    });
    let deferrals = proptest::collection::btree_map((0..3_u16, 1..5_u32), at(), 0..3).prop_map(|chosen| {
        let each = chosen.into_iter();
        each.map(|((client, firing), until)| Deferral { client: ClientId(client), firing, until }).collect()
    });
    (proptest::collection::vec(planned(), 0..6), messages, proptest::collection::vec(order, 0..3), deferrals)
        .prop_map(|(faults, messages, orders, deferrals)| Plan { faults, messages, orders, deferrals })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(250) })]

    /// Every plan can be written, and is read again as it was; the run is the same.
    #[test]
    fn what_is_read_is_what_was_written(plan in plan(), seed in 0..1_u64 << 53) {
        let mut scenario = scenario();
        scenario.setup.plan = plan;
        let text = write(&scenario, &Edits::seed(&scenario, seed));
        let again = parse("replicated.toml", &text);
        prop_assert!(again.is_ok(), "{}\n{text}", again.unwrap_err());
        let again = again.unwrap();
        prop_assert_eq!(&again.setup, &scenario.setup, "{}", text);
        prop_assert_eq!((again.seed, &again.latency, &again.expect), (seed, &scenario.latency, &scenario.expect));
        let (one, other) = (sim::run(&scenario, seed), sim::run(&again, seed));
        prop_assert_eq!(one.digest, other.digest);
        prop_assert_eq!(one, other);
    }
}

#[test]
fn every_shipped_file_is_written_as_it_is_read() {
    for (name, text) in shipped() {
        let scenario = parse(name, text).expect("a shipped file");
        let text = write(&scenario, &Edits::seed(&scenario, 99));
        let again = parse(name, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again, Scenario { seed: 99, text, ..scenario }, "{name}");
    }
}

#[test]
fn what_is_not_replaced_stays_as_it_was() {
    let scenario = scenario();
    let text = write(&scenario, &Edits::seed(&scenario, 7));
    let changed =
        REPLICATED.replace("seed      = 1 ", "seed      = 7 ").replace("# This plan is replaced.\n", "");
    assert_eq!(text, changed);
    let none = Plan::empty();
    let text = write(&scenario, &Edits { plan: &none, ..Edits::seed(&scenario, 1) });
    assert!(!text.contains("plan") && text.contains("# or is it?"), "{text}");
}

#[test]
fn a_plan_comes_before_the_expectations() {
    let without = parse("x.toml", &REPLICATED.replace("[[plan]]\nkill = { at_ms = 7, of = \"node-1\" }\n\n[[plan]]\nmessage = { name = \"client-1#1>store:write.1:request\", lose = true }\n", ""))
        .expect("no plan");
    let plan = scenario().setup.plan;
    let text = write(&without, &Edits { plan: &plan, ..Edits::seed(&without, 1) });
    assert!(
        text.find("[[plan]]") > text.find("latency_us") && text.find("[[plan]]") < text.find("[expect]"),
        "{text}"
    );
    assert_eq!(parse("x.toml", &text).expect("it is read").setup.plan, plan);
}

#[test]
fn less_work_is_written_where_it_is_said() {
    let scenario = scenario();
    let none = Plan::empty();
    let edits = Edits {
        plan: &none,
        clients: Some(2),
        cycles: Some(2),
        work: Some(Span::from_ms(50)),
        only: Some(fencepost::check::OracleName::Orphan),
        ..Edits::seed(&scenario, 1)
    };
    let text = write(&scenario, &edits);
    let less = parse("x.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(less.setup.clients.len(), 2);
    for client in &less.setup.clients {
        assert_eq!(client.workload.cycles, 2);
        assert_eq!(client.workload.work, fencepost::world::Length::Of(Span::from_ms(50)));
    }
    assert!(text.contains("cycles      = 2        # each") && !text.contains("client-3"), "{text}");
    let expect = less.expect.expect("one oracle");
    assert_eq!(expect.oracles.keys().collect::<Vec<_>>(), [&fencepost::check::OracleName::Orphan]);
    assert!(expect.witnesses.is_empty());
    // The last client's own table says less than asked for: it stays.
    let text = write(
        &scenario,
        &Edits { cycles: Some(9), work: Some(Span::from_ms(500)), ..Edits::seed(&scenario, 1) },
    );
    assert!(text.contains("{ cycles = 2, work_ms = 100 }") && text.contains("work_ms     = 500"), "{text}");
}
