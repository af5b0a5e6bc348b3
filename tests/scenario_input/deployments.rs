//! Replicated deployments: their keys, their faults, and what is refused of both.

use super::{Bad, GOOD, Kind, bad, changed, good, refuse};
use fencepost::name::{ClientId, NodeId, Process, VoterId};
use fencepost::plan::{CutHow, Death, Deferral, Fault, Learn, MessageFate, WayCut};
use fencepost::time::{Span, WorldTime};
use fencepost::world::{DiskSetup, MinReplicas, NodeSetup, Persistence, ReplicaSetup};

const STEP: &str = r#"clock-step = { at_ms = 3_950, of = "node-3", clock = "wall", by_ms = 11_000 }"#;

/// The good file with three nodes, four replicas behind two of them, and this plan.
fn replicated(entries: &[&str]) -> String {
    let nodes = "topology = \"replicated\"\nnodes = 3\nreplicas = [3, 0, 1]";
    let plan = entries.join("\n[[plan]]\n");
    changed("nodes = 5", nodes).replace(STEP, &plan)
}

fn node(voter: u8) -> NodeId {
    NodeId::first(VoterId(voter))
}

fn replica(voter: u8, number: u8) -> NodeId {
    NodeId::replica(VoterId(voter), number)
}

#[test]
fn every_key_of_a_deployment() {
    let text = changed(
        "nodes = 5",
        "topology = \"replicated\"\nnodes = 2\nreplicas = [2, 1]\npersistence = \"aof-everysec\"\nfsync_ms = 30\n\
         offset_ms = [0, -5]\nreplica_offset_ms = [1, 2, 3]\nlag_ms = 40\nrestart_delay_ms = [0, 700]\n\
         min_replicas = { count = 1, max_lag_s = 3 }",
    )
    .replace("node-3", "node-2");
    let min_replicas = Some(MinReplicas { count: 1, max_lag_s: 3 });
    let expected = |offset, restart_delay, replicas: &[i64]| NodeSetup {
        offset: Span::from_ms(offset),
        persistence: Persistence::AofEverysec,
        disk: DiskSetup { fsync: Span::from_ms(30), ..DiskSetup::USUAL },
        restart_delay: Span::from_ms(restart_delay),
        replicas: replicas.iter().map(|offset| ReplicaSetup { offset: Span::from_ms(*offset) }).collect(),
        lag: Span::from_ms(40),
        min_replicas,
        ..NodeSetup::plain(fencepost::redis::Compat::V72)
    };
    assert_eq!(good(&text).setup.nodes, [expected(0, 0, &[1, 2]), expected(-5, 700, &[3])]);
}

#[test]
fn every_persistence_has_its_disk() {
    for (keys, persistence, disk) in [
        ("persistence = \"none\"", Persistence::None, DiskSetup::USUAL),
        ("persistence = \"aof-always\"", Persistence::AofAlways, DiskSetup::USUAL),
        (
            "persistence = \"rdb\"\nsave_every_ms = 5",
            Persistence::Rdb,
            DiskSetup { save_every: Span::from_ms(5), ..DiskSetup::USUAL },
        ),
        (
            "persistence = \"aof-no\"\nflush_every_ms = 6",
            Persistence::AofNo,
            DiskSetup { flush_every: Span::from_ms(6), ..DiskSetup::USUAL },
        ),
    ] {
        let setup = good(&changed("nodes = 5", &format!("nodes = 5\n{keys}"))).setup;
        assert_eq!((setup.nodes[4].persistence, setup.nodes[4].disk), (persistence, disk), "{keys}");
    }
}

#[test]
fn every_fault_of_a_deployment() {
    let plan = good(&replicated(&[
        r#"power-loss = { at_ms = 1, of = "replica-1.2", for_ms = 2 }"#,
        r#"shutdown = { at_ms = 1, of = ["node-1", "replica-3.1"], for_us = 2_500 }"#,
        r#"promote = { at_ms = 1, of = "replica-1.1" }"#,
        r#"promote = { at_ms = 1, of = "node-1", learn_ms = 500, except = { client-2 = "never", client-1 = 7 } }"#,
        r#"promote = { at_ms = 1, of = "node-1", learn_ms = "never", except = { client-2 = "soon" }, except_us = { client-1 = 9 } }"#,
        r#"demote = { at_ms = 2, of = "node-3" }"#,
        r#"lag = { at_ms = 2, of = "replicas", by_us = 1_500, for_ms = 4 }"#,
        r#"clock-step = { at_us = 9, of = "replica-3.1", by_us = -3 }"#,
    ]))
    .setup
    .plan;
    let (ms, us) = (|ms| Some(Span::from_ms(ms)), |us| Some(Span(us)));
    let kill = |node, death| Fault::Kill { node, death };
    let promote = |node, learn, except: &[_]| Fault::Promote { node, learn, except: except.to_vec() };
    let after = |ms| Learn::After(Span::from_ms(ms));
    let (one, two) = (ClientId(0), ClientId(1));
    let lag = |node| Fault::Lag { node, by: Span(1_500) };
    let process = Process::Node(replica(2, 1));
    let expected = [
        (ms(2), kill(replica(0, 2), Death::Power)),
        (us(2_500), kill(node(0), Death::Shutdown)),
        (us(2_500), kill(replica(2, 1), Death::Shutdown)),
        (None, promote(replica(0, 1), Learn::Soon, &[])),
        (None, promote(node(0), after(500), &[(one, after(7)), (two, Learn::Never)])),
        (None, promote(node(0), Learn::Never, &[(one, Learn::After(Span(9))), (two, Learn::Soon)])),
        (None, Fault::Demote { node: node(2) }),
        (ms(4), lag(replica(0, 1))),
        (ms(4), lag(replica(0, 2))),
        (ms(4), lag(replica(0, 3))),
        (ms(4), lag(replica(2, 1))),
        (None, Fault::ClockStep { process, clock: fencepost::time::ClockKind::Wall, by: Span(-3) }),
    ];
    let found: Vec<_> = plan.faults.iter().map(|planned| (planned.lasts, planned.fault.clone())).collect();
    assert_eq!(found, expected);
}

#[test]
fn one_cut_may_part_clients_and_nodes() {
    let cut = |between: &str| {
        let entry =
            format!("cut = {{ at_ms = 0, between = {between}, direction = \"both\", how = \"black-hole\" }}");
        let plan = good(&replicated(&[&entry])).setup.plan;
        let faults = plan.faults.into_iter().map(|planned| {
            let Fault::Cut { one, other, way: WayCut::Both, how: CutHow::BlackHole } = planned.fault else {
                panic!("{planned:?}")
            };
            (one, other)
        });
        faults.collect::<Vec<_>>()
    };
    let (one, two) = (Process::Client(ClientId(0)), Process::Client(ClientId(1)));
    let (first, second) = (Process::Node(node(0)), Process::Node(replica(0, 1)));
    assert_eq!(cut(r#"["node-1", "replica-1.1"]"#), [(vec![first], vec![second])]);
    assert_eq!(cut(r#"["node-1", "client-2"]"#), [(vec![two], vec![first])]);
    assert_eq!(
        cut(r#"[["client-1", "node-1"], ["client-2", "replica-1.1"]]"#),
        [(vec![one], vec![second]), (vec![two], vec![first]), (vec![first], vec![second])]
    );
}

#[test]
fn microseconds_and_deferrals() {
    let plan = good(&replicated(&[
        r#"message = { name = "client-1#1>store:write.1:request", delay_us = 12 }"#,
        r#"defer = { of = "client-2", firing = 3, until_us = 4_000_001 }"#,
        r#"defer = { of = "client-2", firing = 4, until_ms = 5 }"#,
        r#"order = { at_ms = 1, of = "replica-1.1", first = "client-1#1>node-1:acquire.1.set.1:request", then = "messages" }"#,
    ]))
    .setup
    .plan;
    assert_eq!(plan.messages[0].fate, MessageFate::Delay(Span(12)));
    let deferral = |firing, until| Deferral { client: ClientId(1), firing, until: WorldTime(until) };
    assert_eq!(plan.deferrals, [deferral(3, 4_000_001), deferral(4, 5_000)]);
    assert_eq!(plan.orders[0].of, Process::Node(replica(0, 1)));
}

/// A bad deployment: more keys in its table, and what is said of them.
fn deployed(
    keys: &str,
    kind: Kind,
    place: (usize, usize),
    says: &'static str,
    meant: Option<&'static str>,
) -> Bad {
    bad(changed("nodes = 5", keys), kind, place, says, meant)
}

#[test]
fn deployments_that_contradict_themselves() {
    let one = "topology = \"replicated\"\nnodes = 5\nreplicas = 1\n";
    let replicated = Some("topology = \"replicated\"");
    refuse(vec![
        deployed("nodes = 5\nreplicas = 1", Kind::Contradiction, (13, 12), "`replicas` needs", replicated),
        deployed("nodes = 5\nlag_ms = 1", Kind::Contradiction, (13, 10), "`lag_ms` needs", replicated),
        deployed(
            "nodes = 5\nmin_replicas = { count = 1, max_lag_s = 3 }",
            Kind::Contradiction,
            (13, 16),
            "independent nodes have none",
            replicated,
        ),
        deployed(
            "topology = \"replicated\"\nnodes = 5",
            Kind::MissingKey,
            (12, 12),
            "how many replicas",
            Some("replicas = 1"),
        ),
        deployed(
            &one.replace("replicas = 1", "replicas = [0, 0, 0, 0, 0]"),
            Kind::Contradiction,
            (14, 12),
            "at least one",
            Some("replicas = 1"),
        ),
        deployed(&one.replace("= 1", "= [1, 2]"), Kind::Contradiction, (14, 12), "5 are needed", None),
        deployed(&one.replace("= 1", "= 9"), Kind::Range, (14, 12), "between 0 and 8", Some("8")),
        deployed(&one.replace("replicated", "replicate"), Kind::Value, (12, 12), "known", Some("replicated")),
        deployed(
            &format!("{one}min_replicas = {{ count = 2, max_lag_s = 3 }}"),
            Kind::Contradiction,
            (15, 26),
            "no write would ever be accepted",
            Some("count = 1"),
        ),
        deployed(
            &format!("{one}min_replicas = {{ count = 1, max_lag_s = 0 }}"),
            Kind::Range,
            (15, 41),
            "`max_lag_s`",
            Some("1"),
        ),
        deployed(
            "nodes = 5\nfsync_ms = 1",
            Kind::Contradiction,
            (13, 12),
            "nothing else uses it",
            Some("persistence = \"aof-everysec\""),
        ),
        deployed(
            "nodes = 5\npersistence = \"aof-always\"\nsave_every_ms = 1",
            Kind::Contradiction,
            (14, 17),
            "is for persistence \"rdb\"",
            Some("persistence = \"rdb\""),
        ),
        deployed(
            "nodes = 5\npersistence = \"aof-no\"\nflush_every_ms = 0",
            Kind::Range,
            (14, 18),
            "between 1 and",
            Some("1"),
        ),
    ]);
}

#[test]
fn plans_of_deployments_that_cannot_be() {
    let entry = |text: &str| replicated(&[text]);
    let promote = |keys: &str| entry(&format!("promote = {{ at_ms = 0, {keys} }}"));
    let wrong = |text, kind, column, says, meant| bad(text, kind, (33, column), says, meant);
    refuse(vec![
        wrong(
            promote("of = \"replica-1.4\""),
            Kind::Name,
            29,
            "3 replicas behind node-1",
            Some("replica-1.3"),
        ),
        wrong(
            promote("of = \"replica-2.1\""),
            Kind::Name,
            29,
            "no replica behind node-2",
            Some("replica-3.1"),
        ),
        wrong(promote("of = \"replica-7.1\""), Kind::Name, 29, "has 3 nodes", Some("replica-3.1")),
        wrong(promote("of = \"replca-1.1\""), Kind::Name, 29, "not a process", Some("replica-1.1")),
        wrong(promote("of = \"node-2\""), Kind::Contradiction, 29, "node-2 has none", Some("replica-1.1")),
        wrong(promote("of = \"client-1\""), Kind::Name, 29, "cannot suffer", Some("replica-1.1")),
        wrong(
            promote("of = \"node-1\", learn_ms = \"later\""),
            Kind::Value,
            50,
            "`later` is not known here",
            None,
        ),
        wrong(
            promote("of = \"node-1\", learn_ms = 1, learn_us = 1"),
            Kind::Contradiction,
            64,
            "both set",
            None,
        ),
        wrong(
            promote("of = \"node-1\", except = { client-9 = 1 }"),
            Kind::Name,
            50,
            "no client-9",
            Some("client-2"),
        ),
        wrong(
            promote("of = \"node-1\", except = { store = 1 }"),
            Kind::Name,
            50,
            "no client",
            Some("client-1"),
        ),
        wrong(
            promote("of = \"node-1\", except = { client-1 = 1 }, except_us = { client-1 = 1 }"),
            Kind::Contradiction,
            80,
            "client-1 is named twice",
            None,
        ),
        wrong(
            entry("demote = { at_ms = 0, of = \"nodes\" }"),
            Kind::Contradiction,
            28,
            "`demote` needs replicas",
            Some("replica-1.1"),
        ),
        wrong(entry("lag = { at_ms = 0, of = \"replicas\" }"), Kind::MissingKey, 25, "`by_ms`", None),
        wrong(
            entry("kill = { at_ms = 0, of = \"node-1\", for_ms = 1, for_us = 1 }"),
            Kind::Contradiction,
            57,
            "both set",
            None,
        ),
        wrong(
            entry("defer = { of = \"node-1\", firing = 1, until_ms = 1 }"),
            Kind::Name,
            16,
            "no timers",
            Some("client-1"),
        ),
        wrong(
            entry("defer = { of = \"client-1\", firing = 0, until_ms = 1 }"),
            Kind::Range,
            37,
            "`firing`",
            Some("1"),
        ),
        wrong(entry("defer = { of = \"client-1\", firing = 1 }"), Kind::MissingKey, 9, "`until_ms`", None),
    ]);
    let twice = "defer = { of = \"client-1\", firing = 2, until_ms = 1 }";
    refuse(vec![bad(replicated(&[twice, twice]), Kind::Contradiction, (35, 37), "already deferred", None)]);
    assert!(GOOD.contains(STEP), "the plan is replaced");
}
