//! What good files say.

use super::{GOOD, changed, good, planned};
use fencepost::check::{CountRange, Expected, OracleName, WitnessName};
use fencepost::lock::{
    AfterLast, Arithmetic, Asked, Basis, Cleanup, Counting, Deciding, DriftSign, Elapsed, Extension,
    ExtensionChecks, ExtensionMoves, ExtensionQuorumOf, ExtensionWithin, Growth, NonceLife, OnError,
    OnExtensionFailure, Policy, Protocol, QuorumOf, Reacquire, Release, ReleaseKey, ReleaseScope,
    RenewalOnRelease, RenewalRearm, RenewalRounding, Repair, Start, Taking, Ttl, TtlUnit, Validity, Wait,
    WaitFor, WhenLate,
};
use fencepost::name::{ClientId, NodeId, Process, VoterId};
use fencepost::plan::{CutHow, Fault, FaultKind, MessageFate, OrderTerm, PauseScope, WayCut, When};
use fencepost::time::{ClockKind, Span, WorldTime};
use fencepost::world::{Ack, Connections, Extend, Holder, Length, Nested, StoreMode, Task};

#[test]
fn what_a_good_file_says() {
    let scenario = good(GOOD);
    let setup = &scenario.setup;
    assert_eq!((scenario.name.as_str(), scenario.origin.as_str()), ("some-name", "folder/some-name.toml"));
    assert_eq!((scenario.title.as_str(), scenario.claim.as_str()), ("a title", "a claim"));
    assert_eq!(
        (scenario.seed, scenario.setup.clients[0].lock.name(), scenario.text.as_str()),
        (1, "redlock", GOOD)
    );
    assert_eq!((setup.limit, setup.settle), (WorldTime(60_000_000), Span::from_ms(25_000)));
    assert_eq!((setup.nodes.len(), setup.clients.len()), (5, 2));
    assert_eq!(setup.connections, Connections::Closed);
    assert_eq!((setup.store.mode, setup.store.stock), (StoreMode::Plain, 0));
    assert_eq!((scenario.latency.min(), setup.latency_max), (200, Span(5_000)));
    let client = &setup.clients[1];
    assert_eq!((client.start, client.offset), (WorldTime(4_000_000), Span::ZERO));
    assert_eq!(client.lock.policy().unwrap().ttl, Ttl::Of(Span::from_ms(10_000)));
    assert_eq!((client.lock.policy().unwrap().voters, client.lock.policy().unwrap().quorum), (5, 3));
    let work = &client.workload;
    assert_eq!(work.task, Task::Hold { writes: 1 });
    assert_eq!((work.holder, work.ack, work.cycles), (Holder::Never, Ack::Await, 1));
    assert_eq!(
        (&work.work, work.patience, &work.think),
        (&Length::Of(Span::from_ms(8_000)), Span::ZERO, &Length::Of(Span::ZERO))
    );
    assert_eq!(work.again, client.lock.policy().unwrap().retry.delay);
    let expect = scenario.expect.as_ref().unwrap();
    assert_eq!(expect.oracles.iter().collect::<Vec<_>>(), [(&OracleName::Orphan, &Expected::Held)]);
}

#[test]
fn one_client_may_differ() {
    let own = r#"[[client]]
id        = "client-2"
start_ms  = 70
offset_ms = -3
lock      = { ttl = "none", unsound = true, basis = "until-released" }
workload  = { holder = "leaves", again_ms = 5, writes = 2 }

[network]
connections = "open""#;
    let scenario = good(&changed("[network]", own));
    let [first, second] = scenario.setup.clients.as_slice() else { panic!("two clients") };
    assert_eq!((second.start, second.offset), (WorldTime(70_000), Span::from_ms(-3)));
    assert_eq!(
        (second.lock.policy().unwrap().ttl, second.lock.policy().unwrap().basis),
        (Ttl::Never, Basis::UntilReleased)
    );
    assert_eq!(
        (first.lock.policy().unwrap().ttl, first.workload.holder),
        (Ttl::Of(Span::from_ms(10_000)), Holder::Never)
    );
    assert_eq!((second.workload.holder, second.workload.again), (Holder::Leaves, Span::from_ms(5)));
    assert_eq!(second.workload.task, Task::Hold { writes: 2 });
    assert_eq!(second.workload.work, first.workload.work);
    assert_eq!(scenario.setup.connections, Connections::Open);
}

#[test]
fn unsound_values_are_taken_where_they_are_meant() {
    let keys = "ttl_ms = 10_000\nunsound = true\ncounting = \"replies\"\ntaking = \"setnx-expire\"\n\
                extension = \"blind\"\nnonce = \"constant\"";
    let policy = good(&changed("ttl_ms = 10_000", keys)).setup.clients[1].lock.policy().unwrap().clone();
    assert_eq!((policy.counting, policy.taking), (Counting::Replies, Taking::SetnxExpire));
    assert_eq!((policy.extension, policy.nonce), (Extension::Blind, NonceLife::Constant));
    let spec =
        good(&changed("ttl_ms = 10_000", "ttl_ms = 10_000")).setup.clients[1].lock.policy().unwrap().clone();
    assert_eq!((spec.counting, spec.taking), (Counting::Grants, Taking::SetNxPx));
}

/// What a lock table with these keys sets.
fn policy(keys: &str) -> Policy {
    let text = changed("ttl_ms = 10_000", &format!("ttl_ms = 10_000\nunsound = true\n{keys}"));
    good(&text).setup.clients[0].lock.policy().expect("a quorum lock").clone()
}

/// A key, and whether the policy is as it says.
type Switch = (&'static str, fn(&Policy) -> bool);

#[test]
fn every_switch_is_set_by_its_key_and_off_without_it() {
    let rows: [Switch; 40] = [
        ("quorum_rule = \"half\"", |p| p.quorum == 2),
        ("quorum_rule = \"float\"", |p| p.quorum == 4),
        ("quorum_rule = \"all\"", |p| p.quorum == 5),
        ("quorum_of = \"connected\"", |p| p.quorum_of == QuorumOf::Connected),
        ("drift = { permille = 10, constant_ms = 2, sign = \"added\" }", |p| {
            p.drift_sign == DriftSign::Added
        }),
        ("start = \"call\"", |p| p.start == Start::Call),
        ("elapsed = \"whole-ms\"", |p| p.elapsed == Elapsed::WholeMs),
        ("elapsed = \"whole-s\"", |p| p.elapsed == Elapsed::WholeS),
        ("arithmetic = \"wrapping\"", |p| p.arithmetic == Arithmetic::Wrapping),
        ("validity = \"zero-passes\"", |p| p.validity == Validity::ZeroPasses),
        ("min_validity_ms = 9_000", |p| p.min_validity == Span::from_ms(9_000)),
        ("deciding = \"at-quorum\"", |p| p.deciding == Deciding::AtQuorum),
        ("deciding = \"at-quorum-of-both\"", |p| p.deciding == Deciding::AtQuorumOfBoth),
        ("on_error = \"abort-any\"", |p| p.on_error == OnError::AbortAny),
        ("on_error = \"abort-after-quorum\"", |p| p.on_error == OnError::AbortAfterQuorum),
        ("release_on_failure = \"none\"", |p| p.release_on_failure == ReleaseScope::None),
        ("release_when_late = \"none\"", |p| p.release_when_late == WhenLate::None),
        ("cleanup = \"background\"", |p| p.cleanup == Cleanup::Background),
        ("cleanup = \"callers-context\"", |p| p.cleanup == Cleanup::CallersContext),
        ("retry_growth = \"doubling\"\nretry_delay_max_ms = 900", |p| {
            (p.pace.growth, p.pace.delay_max) == (Growth::Doubling, Span::from_ms(900))
        }),
        ("retry_after_last = true", |p| p.pace.after_last == AfterLast::Waits),
        ("wait_limit_ms = 70", |p| {
            (p.pace.limit, p.pace.limit_clock) == (Some(Span::from_ms(70)), ClockKind::Mono)
        }),
        ("wait_limit_ms = 70\nwait_clock = \"wall\"", |p| p.pace.limit_clock == ClockKind::Wall),
        ("taking = \"set-nx-pxat\"", |p| p.taking == Taking::SetNxPxat),
        ("taking = \"reobtain\"", |p| p.taking == Taking::Reobtain),
        ("taking = \"setnx-expire\"\nrepair = \"zero\"", |p| p.repair == Repair::Zero),
        ("taking = \"setnx-expire\"\nrepair = \"zero-and-missing\"", |p| p.repair == Repair::ZeroAndMissing),
        ("ttl_unit = \"s\"", |p| p.ttl_unit == TtlUnit::S),
        ("ttl_unit = \"s-for-ms\"", |p| p.ttl_unit == TtlUnit::SForMs),
        ("release = \"get-then-del\"", |p| p.release == Release::GetThenDel),
        ("release = \"watch-get-del\"", |p| p.release == Release::WatchGetDel),
        ("release = \"watch-multi-exec\"", |p| p.release == Release::WatchMultiExec),
        ("release = \"delex-ifeq\"", |p| p.release == Release::DelexIfeq),
        ("release_key = \"other\"", |p| p.release_key == ReleaseKey::Other),
        ("release_asks = \"acquired\"", |p| p.release_asks == Asked::Acquired),
        ("extension = \"set-xx\"", |p| p.extension == Extension::SetXx),
        ("extension = \"set-ifeq\"", |p| p.extension == Extension::SetIfeq),
        ("extension = \"pexpireat\"", |p| p.extension == Extension::Pexpireat),
        ("extension = \"add\"", |p| p.extension == Extension::Add),
        ("node_timeout_ms = 50_000", |p| p.node_timeout == Span::from_ms(50_000)),
    ];
    assert_switches("", &rows);
    let spec = policy("");
    assert_eq!(spec, policy("retry_after_last = false\nretry_growth = \"fixed\"\nstart = \"attempt\""));
}

#[test]
fn every_switch_of_an_extension_is_set_by_its_key_and_off_without_it() {
    let rows: [Switch; 14] = [
        ("extension_quorum_of = \"acquired\"", |p| p.extension_quorum_of == ExtensionQuorumOf::Acquired),
        ("extension_within = \"validity\"", |p| p.extension_within == ExtensionWithin::Validity),
        ("extension_moves = \"nothing\"", |p| p.extension_moves == ExtensionMoves::Nothing),
        ("extension_checks = \"nothing\"", |p| p.extension_checks == ExtensionChecks::Nothing),
        ("on_extension_failure = \"tell\"", |p| p.on_extension_failure == OnExtensionFailure::Tell),
        ("on_extension_failure = \"release-all\"", |p| {
            p.on_extension_failure == OnExtensionFailure::ReleaseAll
        }),
        ("renewals_max = 3", |p| p.renewals_max == 3),
        ("renewal_permille = 667", |p| p.renewal_permille == Some(667)),
        ("renewal_permille = 600", |p| p.renewal_period(Span::from_ms(10_000)) == Span::from_ms(6_000)),
        ("renewal_rounding = \"whole-s\"", |p| p.renewal_rounding == RenewalRounding::WholeS),
        ("renewal_rearm = \"after-success\"", |p| p.renewal_rearm == RenewalRearm::AfterSuccess),
        ("renewal_rearm = \"after-reply\"", |p| p.renewal_rearm == RenewalRearm::AfterReply),
        ("reacquire = \"asks\"", |p| p.reacquire == Reacquire::Asks),
        ("renewal_on_release = \"survives\"", |p| p.renewal_on_release == RenewalOnRelease::Survives),
    ];
    assert_switches("renewal = \"watchdog\"\n", &rows);
}

/// Each row is so with its key behind the others, and not so without it.
#[track_caller]
fn assert_switches(others: &str, rows: &[Switch]) {
    let spec = policy(others);
    for (keys, is_so) in rows {
        assert!(is_so(&policy(&format!("{others}{keys}"))), "{keys}");
        assert!(!is_so(&spec), "{keys} is said without being written");
    }
}

#[test]
fn a_clients_own_quorum_replaces_a_rule() {
    let text = changed("ttl_ms = 10_000", "ttl_ms = 10_000\nquorum_rule = \"all\"")
        .replace("[network]", "[[client]]\nid = \"client-2\"\nlock = { quorum = 3 }\n\n[network]");
    let quorums: Vec<u8> =
        good(&text).setup.clients.iter().map(|client| client.lock.policy().unwrap().quorum).collect();
    assert_eq!(quorums, [5, 3]);
}

#[test]
fn single_none_and_stock() {
    let single = changed("[lock.redlock]", "[lock.single]\nrenewal = \"watchdog\"");
    let policy = good(&single).setup.clients[0].lock.policy().unwrap().clone();
    assert_eq!((policy.voters, policy.quorum, policy.extension), (1, 1, Extension::Compare));

    let none = changed("[lock.redlock]\nlike   = \"spec\"\nttl_ms = 10_000", "[lock.none]")
        .replace("workload.hold", "workload.stock")
        .replace("[network]", "[store]\nmode = \"nonce-cas\"\nstock = 7\n[network]");
    let setup = good(&none).setup;
    assert_eq!(
        (setup.clients[0].lock.policy().unwrap().protocol, setup.clients[0].lock.policy().unwrap().quorum),
        (Protocol::None, 0)
    );
    assert_eq!((setup.store.mode, setup.store.stock), (StoreMode::NonceCas, 7));
    assert_eq!(setup.clients[0].workload.task, Task::Stock);
}

#[test]
fn every_kind_of_plan_entry() {
    let entries = r#"pause = { at_us = 7, of = ["client-1", "node-2"], kind = "suspend", for_ms = 3 }
[[plan]]
cut = { after = "client-1#1:enter.1", between = ["clients", ["node-1", "store"]], direction = "replies", how = "hold" }
[[plan]]
clock-rate = { at_ms = 0, of = "nodes", ppm = -5 }
[[plan]]
error-reply = { at_ms = 0, of = "node-1", text = "LOADING x", for_ms = 1 }
[[plan]]
message = { name = "client-1#1>store:write.1:request", delay_ms = 12 }
[[plan]]
order = { at_ms = 1, of = "client-1", first = "messages", then = "client-1#1>node-1:acquire.1.set.1:reply" }"#;
    let plan = good(&planned(entries)).setup.plan;
    let kinds: Vec<FaultKind> = plan.faults.iter().map(|planned| planned.fault.kind()).collect();
    let mut expected = vec![FaultKind::Suspend, FaultKind::Suspend, FaultKind::Cut];
    expected.extend([FaultKind::ClockRate; 5]);
    expected.push(FaultKind::ErrorReply);
    assert_eq!(kinds, expected, "a list of targets is one fault for each");
    assert_eq!((plan.faults[0].when, plan.faults[0].lasts), (When::At(WorldTime(7)), Some(Span::from_ms(3))));
    let node_2 = PauseScope::Process(Process::Node(NodeId::first(VoterId(1))));
    assert!(matches!(plan.faults[1].fault, Fault::Pause { scope, .. } if scope == node_2));
    assert_eq!(
        plan.faults[2].fault,
        Fault::Cut {
            one: vec![Process::Client(ClientId(0)), Process::Client(ClientId(1))],
            other: vec![Process::Node(NodeId::first(VoterId(0))), Process::Store],
            way: WayCut::Replies,
            how: CutHow::Hold,
        }
    );
    assert_eq!(
        (plan.faults[2].when, plan.faults[2].lasts),
        (When::After("client-1#1:enter.1".parse().unwrap()), None)
    );
    let both = vec![ClockKind::Mono, ClockKind::Wall];
    assert!(matches!(&plan.faults[3].fault, Fault::ClockRate { clocks, ppm: -5, .. } if *clocks == both));
    assert_eq!(plan.messages[0].fate, MessageFate::Delay(Span::from_ms(12)));
    assert!(matches!(plan.orders[0].then, OrderTerm::Message(_)));
}

#[test]
fn witnesses_are_counts_or_bounds() {
    let text = changed(
        "orphan = \"held\"",
        "[expect.witness]\ngrants = 2\nclock-step = { min = 1 }\nhand-over = { max = 3 }",
    );
    let witnesses = good(&text).expect.unwrap().witnesses;
    assert_eq!(witnesses[&WitnessName::Grants], CountRange::exactly(2));
    assert_eq!(witnesses[&WitnessName::Fault(FaultKind::ClockStep)], CountRange { min: 1, max: None });
    assert_eq!(witnesses[&WitnessName::HandOver], CountRange { min: 0, max: Some(3) });
}

#[test]
fn a_file_that_is_nothing_but_its_ending_still_has_a_name() {
    let name = |origin: &str| fencepost::scenario::parse(origin, GOOD).unwrap().name;
    assert_eq!((name("folder/.toml"), name("a.toml.bak")), (".toml".to_owned(), "a.toml.bak".to_owned()));
}

#[test]
fn every_workload_and_its_rhythm() {
    let hold = "[clients.workload.hold]\ncycles  = 1\nwork_ms = 8_000\nholder  = \"never\"";
    let workload = |table: &str| {
        let text =
            changed(hold, table).replace("ttl_ms = 10_000", "ttl_ms = 10_000\nextension = \"compare\"");
        good(&text).setup.clients.swap_remove(1).workload
    };
    let cron =
        workload("[clients.workload.cron]\ncycles = 3\nperiod_ms = 60_000\nwork_ms = 5\nholder = \"remote\"");
    assert_eq!(cron.task, Task::Cron { period: Span::from_ms(60_000) });
    assert_eq!((cron.cycles, cron.holder, cron.ack), (3, Holder::Remote, Ack::Await));
    let leader = workload(
        "[clients.workload.leader]\ncycles = 1\nwork_ms = 90_000\nwrite_every_ms = 500\nextend_every_ms = 3_000\nholder = \"leaves\"
         [[client]]\nid = \"client-2\"\nworkload = { write_every_ms = 700 }",
    );
    assert_eq!(leader.task, Task::Leader { write_every: Span::from_ms(700) });
    assert_eq!(leader.extend, Extend::Every(Span::from_ms(3_000)));
    let submit = workload("[clients.workload.submit]\ncycles = 2\nwork_ms = 5\nholder = \"never\"");
    assert_eq!((submit.task, submit.extend), (Task::Submit, Extend::At(Vec::new())));
    // An own rhythm replaces that of all, whichever key it is said with.
    let own = format!(
        "{hold}\nextend_every_ms = 9\n[[client]]\nid = \"client-2\"\nworkload = {{ extend_at_ms = [7] }}"
    );
    assert_eq!(workload(&own).extend, Extend::At(vec![Span::from_ms(7)]));
    assert_eq!(workload(&format!("{hold}\nextend_every_ms = 9")).extend, Extend::Every(Span::from_ms(9)));
}

#[test]
fn a_second_call_inside_says_when_how_long_and_for_which_life() {
    let nested = |keys: &str| {
        let text = changed("work_ms = 8_000", &format!("work_ms = 8_000\nnested = {{ {keys} }}"));
        good(&text).setup.clients[1].workload.nested
    };
    let ms = Span::from_ms;
    let all = Nested { at: ms(7), length: Some(ms(9)), ttl: Some(ms(500)) };
    assert_eq!(nested("at_ms = 7, for_ms = 9, ttl_ms = 500"), Some(all));
    assert_eq!(nested("at_ms = 7_999"), Some(Nested { at: ms(7_999), length: None, ttl: None }));
    let own = "[[client]]\nid = \"client-2\"\nworkload = { nested = { at_ms = 5 } }\n\n[network]";
    let clients = good(&changed("[network]", own)).setup.clients;
    let nested = clients.iter().map(|client| client.workload.nested);
    assert!(nested.eq([None, Some(Nested { at: ms(5), length: None, ttl: None })]));
}

#[test]
fn lengths_are_one_number_or_drawn() {
    let text = changed(
        "work_ms = 8_000",
        "work_ms = { p0 = 1, p50 = 3, p100 = 9 }\nthink_ms = { p0 = 0, p100 = 1 }",
    );
    let workload = good(&text).setup.clients[0].workload.clone();
    let (Length::Drawn(work), Length::Drawn(think)) = (&workload.work, &workload.think) else {
        panic!("{workload:?}")
    };
    assert_eq!((work.min(), work.at(1 << 63), work.max()), (1_000, 3_000, 9_000));
    assert_eq!((think.min(), think.max()), (0, 1_000));
    // An extension may come after the shortest, not after the longest.
    let extending = text.replace("ttl_ms = 10_000", "ttl_ms = 10_000\nextension = \"compare\"");
    let at = |ms: &str| extending.replace("holder ", &format!("extend_at_ms = [{ms}]\nholder "));
    assert_eq!(good(&at("8")).setup.clients[0].workload.extend, Extend::At(vec![Span::from_ms(8)]));
    assert!(fencepost::scenario::parse("x.toml", &at("9")).is_err());
}

#[test]
fn links_have_latencies_of_their_own() {
    let links = r#"[[network.link]]
between = ["client-2", ["node-5", "store"]]
latency_us = 300
[[network.link]]
between = ["clients", "node-1"]
latency_us = { p0 = 7, p100 = 6_000 }

[[plan]]"#;
    let scenario = good(&changed("[[plan]]", links));
    let node = |index| Process::Node(NodeId::first(VoterId(index)));
    let between = |client, peer| {
        let latency = scenario.latency_between(ClientId(client), peer);
        (latency.min(), latency.max())
    };
    let (all, own, first) = ((200, 5_000), (300, 300), (7, 6_000));
    for (client, peer, wanted) in [
        (0, node(0), first),
        (1, node(0), first),
        (0, node(4), all),
        (1, node(4), own),
        (1, node(3), all),
        (0, Process::Store, all),
        (1, Process::Store, own),
    ] {
        assert_eq!(between(client, peer), wanted, "{client} {peer}");
    }
    assert_eq!(scenario.setup.latency_max, Span(6_000));
    let constant = changed("{ p0 = 200, p50 = 500, p99 = 2_000, p100 = 5_000 }", "250");
    assert_eq!(good(&constant).latency.at(1 << 40), 250);
}

#[test]
fn a_lock_that_waits_for_replicas() {
    let single = |keys: &str| changed("[lock.redlock]", &format!("[lock.single]\n{keys}"));
    let wait = |text: &str| good(text).setup.clients[1].lock.policy().unwrap().wait;
    assert_eq!(wait(&single("")), Wait { replicas: WaitFor::None, limit: Span::from_ms(50) });
    let all = wait(&single("wait = \"all\"\nwait_ms = 1_000"));
    assert_eq!(all, Wait { replicas: WaitFor::All, limit: Span::from_ms(1_000) });
    let own = single("wait = \"all\"")
        .replace("[network]", "[[client]]\nid = \"client-2\"\nlock = { wait = \"any\" }\n[network]");
    assert_eq!(wait(&own), Wait { replicas: WaitFor::Any, limit: Span::from_ms(50) });
}
