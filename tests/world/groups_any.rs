//! Random plans over replicated deployments: a run ends, is the same twice, and replicas follow their primaries' streams
//! without a gap.

use super::story::{Given, given, text};
use fencepost::history::{Fact, Record};
use fencepost::name::{ClientId, NodeId, Process, VoterId};
use fencepost::plan::{CutHow, Death, Fault, Learn, PauseKind, PauseScope, PlannedFault, WayCut, When};
use fencepost::scenario::Scenario;
use fencepost::time::{ClockKind, Span, WorldTime};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn any_given() -> impl Strategy<Value = Given> {
    let persistence = prop_oneof![Just("none"), Just("rdb"), Just("aof-always"), Just("aof-everysec")];
    let lock = prop_oneof![
        Just((1, "single", "ttl_ms = 100\nretries = 2\nretry_delay_ms = 5")),
        Just((1, "single", "ttl_ms = 100\nnode_timeout_ms = 60\nwait = \"any\"\nwait_ms = 20")),
        Just((1, "single", "ttl_ms = 100\nfence = \"incr\"")),
        Just((3, "redlock", "ttl_ms = 90\nextension = \"compare\"\nrenewal = \"watchdog\"")),
    ];
    let min = prop_oneof![Just(""), Just("min_replicas = { count = 1, max_lag_s = 1 }\n")];
    let lag = prop_oneof![Just(0), Just(7)];
    let latency = prop_oneof![Just((0, 0)), Just((1_000, 1_000)), Just((200, 9_000))];
    (persistence, lock, 1_u8..3, min, lag, latency).prop_map(
        |(persistence, (nodes, name, keys), replicas, min, lag, latency_us)| {
            let deployment = format!(
                "topology = \"replicated\"\nreplicas = {replicas}\npersistence = \"{persistence}\"\nlag_ms = {lag}\n{min}"
            );
            let base = Given { nodes, deployment, clients: 2, latency_us, limit_ms: 9_000, settle_ms: 500, ..given() };
            base.lock(name, keys).work("cycles = 3\nwork_ms = 60\nwrites = 1\nholder = \"never\"\npatience_ms = 400")
        },
    )
}

fn any_fault() -> impl Strategy<Value = Fault> {
    let node = || (0_u8..3, 0_u8..3).prop_map(|(voter, member)| NodeId { voter: VoterId(voter), member });
    let learn = || prop_oneof![Just(Learn::Soon), Just(Learn::Never), Just(Learn::After(Span::from_ms(90)))];
    let death = prop_oneof![Just(Death::Process), Just(Death::Power), Just(Death::Shutdown)];
    let how = prop_oneof![Just(CutHow::Reset), Just(CutHow::Hold), Just(CutHow::BlackHole)];
    let way = prop_oneof![Just(WayCut::Both), Just(WayCut::Requests), Just(WayCut::Replies)];
    let kind = prop_oneof![Just(PauseKind::Stop), Just(PauseKind::Suspend)];
    prop_oneof![
        3 => (node(), learn(), learn()).prop_map(|(node, learn, other)| Fault::Promote {
            node,
            learn,
            except: vec![(ClientId(1), other)]
        }),
        2 => node().prop_map(|node| Fault::Demote { node }),
        2 => (node(), death).prop_map(|(node, death)| Fault::Kill { node, death }),
        1 => (node(), 1_i64..80).prop_map(|(node, by)| Fault::Lag { node, by: Span::from_ms(by) }),
        1 => (node(), kind).prop_map(|(node, kind)| Fault::Pause {
            scope: PauseScope::Process(Process::Node(node)),
            kind
        }),
        2 => (node(), node(), way, how).prop_map(|(one, other, way, how)| Fault::Cut {
            one: vec![Process::Node(one)],
            other: vec![Process::Node(NodeId { voter: one.voter, ..other })],
            way,
            how
        }),
        1 => (node(), any_how()).prop_map(|(node, how)| Fault::Cut {
            one: vec![Process::Client(ClientId(0))],
            other: vec![Process::Node(node)],
            way: WayCut::Both,
            how
        }),
        1 => Just(Fault::Crash { client: ClientId(0) }),
        1 => (node(), -3_000_i64..3_000).prop_map(|(node, by)| Fault::ClockStep {
            process: Process::Node(node),
            clock: ClockKind::Wall,
            by: Span::from_ms(by)
        }),
        1 => node().prop_map(|node| Fault::Evict { node, key: None }),
    ]
}

fn any_how() -> impl Strategy<Value = CutHow> {
    prop_oneof![Just(CutHow::Reset), Just(CutHow::Hold), Just(CutHow::BlackHole)]
}

fn any_scenario() -> impl Strategy<Value = Scenario> {
    let lasts = prop_oneof![5 => (1_i64..500).prop_map(|ms| Some(Span::from_ms(ms))), 1 => Just(None)];
    let planned = (0_u64..1_200, lasts, any_fault()).prop_map(|(ms, lasts, fault)| PlannedFault {
        when: When::At(WorldTime(ms * 1_000)),
        lasts: lasts.filter(|_| !fault.is_instant()),
        fault,
    });
    (any_given(), proptest::collection::vec(planned, 0..9)).prop_map(|(given, faults)| {
        let mut scenario = given.scenario();
        scenario.setup.plan.faults = faults;
        scenario
    })
}

/// Every replica applies its primary's entries one by one; only a whole state lets it skip, and nothing but that or its
/// own restart lets it go back.
fn follows(records: &[Record]) -> Result<(), String> {
    let mut places: BTreeMap<Process, (NodeId, Option<u32>)> = BTreeMap::new();
    for record in records {
        match &record.fact {
            Fact::Resynced { from } => {
                places.insert(record.process, (*from, None));
            }
            Fact::Replicated { from, entry } => {
                let start = (NodeId { member: 0, ..*from }, Some(0));
                let (known, last) = *places.get(&record.process).unwrap_or(&start);
                let next = last.is_none_or(|last| *entry == last + 1);
                if known != *from || !next {
                    return Err(format!(
                        "{} {}: {} after {known} {last:?}",
                        record.at,
                        record.process,
                        text(&record.fact)
                    ));
                }
                places.insert(record.process, (*from, Some(*entry)));
            }
            _ => {}
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_replicated_run_ends_is_the_same_twice_and_follows(scenario in any_scenario()) {
        let first = fencepost::sim::run(&scenario, 7);
        let second = fencepost::sim::run(&scenario, 7);
        prop_assert_eq!(first.digest, second.digest);
        prop_assert!(first.end <= scenario.setup.limit);
        if let Err(broken) = follows(&first.records) {
            return Err(TestCaseError::fail(broken));
        }
    }
}
