//! Parity of drivers: a shipped core behind the async door ends as it does in the plain explorer.
//!
//! The same scenario, seed and plan, played twice: by the plain explorer, whose world drives the core and does the
//! workload, and as async code on real tokio, where a `Driven` drives the core over the connections of a process of its
//! own. Verdict, outcomes of all oracles, end, and the commands of the run (`fencepost::history::commands`) must be equal,
//! every moment and every clock reading included. Must not loosen that.

use fencepost::async_sim;
use fencepost::check::Outcome;
use fencepost::history::{command_digest, commands};
use fencepost::name::Process;
use fencepost::plan::{Plan, PlannedFault, Slots};
use fencepost::scenario::{parse, parse_profile, shipped, shipped_profiles};
use fencepost::sim::{RunResult, plans, run};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// How the two runs differ first, if they do.
fn difference(plain: &RunResult, driven: &RunResult) -> Option<String> {
    let (one, other) = (commands(&plain.records), commands(&driven.records));
    let mut firsts = Vec::new();
    for track in one.keys().chain(other.keys()) {
        let of = |tracks: &BTreeMap<_, Vec<_>>| tracks.get(track).cloned().unwrap_or_default();
        let (one, other) = (of(&one), of(&other));
        if one != other {
            let at = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
            let moment = one.get(at).or(other.get(at)).map(|record| record.at);
            firsts.push((moment, format!("{track:?}: plain {:?}, driven {:?}", one.get(at), other.get(at))));
        }
    }
    if let Some((_, first)) = firsts.into_iter().min() {
        return Some(first);
    }
    assert_eq!(command_digest(&plain.records), command_digest(&driven.records));
    let kinds = |result: &RunResult| -> Vec<_> {
        result.outcomes.iter().map(|(oracle, outcome)| (*oracle, std::mem::discriminant(outcome))).collect()
    };
    if kinds(plain) != kinds(driven) {
        let differs = plain.outcomes.iter().zip(&driven.outcomes);
        let same =
            |one: &Outcome, other: &Outcome| std::mem::discriminant(one) == std::mem::discriminant(other);
        let differs: Vec<_> = differs.filter(|(one, other)| !same(&one.1, &other.1)).collect();
        // Whether somebody began while another's promise ran is decided by who comes first where both happen in one
        // microsecond. Timers of code are no events of the explorer, so that ties between clients may go the other way.
        let witness = |outcome: &Outcome| matches!(outcome, Outcome::Held | Outcome::NotExercised);
        let tied = differs.iter().all(|(one, other)| witness(&one.1) && witness(&other.1)) && ties(plain);
        if !tied {
            return Some(format!("{differs:?}"));
        }
        return None;
    }
    if (plain.ending, plain.end) != (driven.ending, driven.end) {
        return Some(format!("{:?} {:?}, {:?} {:?}", plain.ending, plain.end, driven.ending, driven.end));
    }
    (plain.judgement != driven.judgement).then(|| format!("{:?}, {:?}", plain.judgement, driven.judgement))
}

/// Whether two clients do something in the same microsecond.
fn ties(result: &RunResult) -> bool {
    let told = result.records.iter().filter(|record| !record.fact.is_traffic());
    let by = told.filter(|record| matches!(record.process, Process::Client(_)));
    by.clone().zip(by.skip(1)).any(|(one, next)| one.at == next.at && one.process != next.process)
}

/// Those of the shipped scenarios that fit, with their own latencies. Left out are plans that order things of one instant:
/// those are events of the explorer, which knows no timers of code.
#[test]
fn shipped_scenarios_end_as_in_the_plain_explorer() {
    let (mut compared, mut failed) = (0, Vec::new());
    for (name, text) in shipped() {
        let scenario = parse(name, text).expect("a shipped scenario");
        let plan = &scenario.setup.plan;
        let directed = !plan.orders.is_empty() || !plan.deferrals.is_empty();
        let Ok(code) = async_sim::scenario_text(name, text).driven() else { continue };
        if directed || code.unfit().is_some() {
            continue;
        }
        compared += 1;
        let difference = difference(&run(&scenario, scenario.seed), &code.run());
        failed.extend(difference.map(|difference| format!("{name}: {difference}")));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert_eq!(compared, 129, "so many scenarios are compared");
}

/// The tables of one lock, how many nodes it has and what its clients do besides.
#[derive(Clone, Copy, Debug)]
struct Row {
    lock: &'static str,
    nodes: u8,
    more: &'static str,
}

const ROWS: [Row; 8] = [
    Row { lock: "[lock.redlock]\nlike = \"spec\"\nttl_ms = 4_000\nnode_timeout_ms = 50", nodes: 3, more: "" },
    Row { lock: "[lock.redlock]\nlike = \"spec\"\nttl_ms = 4_000\nnode_timeout_ms = 50", nodes: 5, more: "" },
    Row {
        lock: "[lock.redlock]\nlike = \"spec\"\nttl_ms = 4_000\nnode_timeout_ms = 50",
        nodes: 5,
        more: "on_timeout = \"reconnect\"",
    },
    Row { lock: "[lock.single]\nlike = \"spec\"\nttl_ms = 4_000\nnode_timeout_ms = 50", nodes: 1, more: "" },
    Row {
        lock: "[lock.single]\nlike = \"spec\"\nttl_ms = 4_000\nnode_timeout_ms = 50",
        nodes: 1,
        more: "connections = \"open\"",
    },
    Row {
        lock: "[lock.single]\nlike = \"spec\"\nttl_ms = 4_000\nnode_timeout_ms = 50\nfence = \"incr\"",
        nodes: 1,
        more: "",
    },
    Row {
        lock: "[lock.redlock]\nlike = \"spec\"\nttl_ms = 4_000\nnode_timeout_ms = 50\nrenewal = \"watchdog\"",
        nodes: 3,
        more: "",
    },
    Row {
        lock: "[lock.redlock]\nlike = \"spec\"\nttl_ms = 4_000\nnode_timeout_ms = 50\nrenewal = \"watchdog\"",
        nodes: 3,
        more: "on_timeout = \"reconnect\"",
    },
];

/// Two to four clients that contend for one lock, for long enough to meet faults; constant latency.
fn text(row: Row, clients: u16, seed: u64, work_ms: u64, gap_ms: u64) -> String {
    let starts: Vec<String> = (0..u64::from(clients)).map(|client| (client * gap_ms).to_string()).collect();
    format!(
        r#"format = 1
title = "parity"
claim = "The same, driven from outside."
source = ["parity"]

[run]
seed = {seed}
limit_ms = 120_000
settle_ms = 10_000

[deployment]
topology = "independent"
nodes = {nodes}
persistence = "none"
compat = "7.2"

{lock}

[clients]
count = {clients}
start_ms = [{starts}]

[clients.workload.hold]
cycles = 4
work_ms = {work_ms}
writes = 2
patience_ms = 6_000
ack = "await"
holder = "never"
think_ms = 700

[network]
latency_us = 1_000
{more}
"#,
        nodes = row.nodes,
        lock = row.lock,
        more = row.more,
        starts = starts.join(", "),
    )
}

/// Profiles whose faults code outside can suffer, most of them; what it cannot is taken out of their plans.
const PROFILES: [&str; 7] = [
    "everything",
    "partitions",
    "crash-restart",
    "client-pauses",
    "drift-beyond",
    "nodes-down-2",
    "node-clock-steps",
];

/// How many plans are tried: `PROPTEST_CASES`, or enough for a few seconds.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(96)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plans_end_as_in_the_plain_explorer(
        (profile, plan) in (0..PROFILES.len()).prop_flat_map(|at| {
            let (name, text) = shipped_profiles().find(|(name, _)| *name == PROFILES[at]).expect("it is shipped");
            let profile = parse_profile(name, text).expect("a shipped profile");
            (Just(PROFILES[at]), plans(&profile, Slots { clients: 4, nodes: 5, replicated: 0 }))
        }),
        row in 0..ROWS.len(),
        (clients, seed) in (2_u16..=4, 0_u64..1_000_000),
        (work_ms, gap_ms) in (prop_oneof![Just(0_u64), 1_u64..6_000], prop_oneof![Just(0_u64), 1_u64..3_000]),
    ) {
        let text = text(ROWS[row], clients, seed, work_ms, gap_ms);
        let mut scenario = parse("parity", &text).expect("a scenario");
        let driven = |plan: Plan| async_sim::scenario_text("parity", &text).plan(plan).driven().expect("it fits");
        let one = |fault: &PlannedFault| Plan { faults: vec![fault.clone()], ..Plan::empty() };
        let mut plan = plan;
        plan.faults.retain(|fault| driven(one(fault)).unfit().is_none());
        scenario.setup.plan = plan.clone();
        let difference = difference(&run(&scenario, seed), &driven(plan).run());
        prop_assert!(difference.is_none(), "{profile}, {:?}: {}", ROWS[row], difference.unwrap_or_default());
    }
}
