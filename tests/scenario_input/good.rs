//! What good files say.

use super::{GOOD, changed, good, planned};
use fencepost::check::{CountRange, Expected, OracleName, WitnessName};
use fencepost::lock::{Basis, Counting, Extension, NonceLife, Protocol, Taking, Ttl, Wait, WaitFor};
use fencepost::name::{ClientId, NodeId, Process, VoterId};
use fencepost::plan::{CutHow, Fault, FaultKind, MessageFate, OrderTerm, PauseScope, WayCut, When};
use fencepost::time::{ClockKind, Span, WorldTime};
use fencepost::world::{Ack, Connections, Extend, Holder, Length, StoreMode, Task};

#[test]
fn what_a_good_file_says() {
    let scenario = good(GOOD);
    let setup = &scenario.setup;
    assert_eq!((scenario.name.as_str(), scenario.origin.as_str()), ("some-name", "folder/some-name.toml"));
    assert_eq!((scenario.title.as_str(), scenario.claim.as_str()), ("a title", "a claim"));
    assert_eq!((scenario.seed, scenario.protocol, scenario.text.as_str()), (1, Protocol::Redlock, GOOD));
    assert_eq!((setup.limit, setup.settle), (WorldTime(60_000_000), Span::from_ms(25_000)));
    assert_eq!((setup.nodes.len(), setup.clients.len()), (5, 2));
    assert_eq!(setup.connections, Connections::Closed);
    assert_eq!((setup.store.mode, setup.store.stock), (StoreMode::Plain, 0));
    assert_eq!((scenario.latency.min(), setup.latency_max), (200, Span(5_000)));
    let client = &setup.clients[1];
    assert_eq!((client.start, client.offset), (WorldTime(4_000_000), Span::ZERO));
    assert_eq!(client.policy.ttl, Ttl::Of(Span::from_ms(10_000)));
    assert_eq!((client.policy.voters, client.policy.quorum), (5, 3));
    let work = &client.workload;
    assert_eq!(work.task, Task::Hold { writes: 1 });
    assert_eq!((work.holder, work.ack, work.cycles), (Holder::Never, Ack::Await, 1));
    assert_eq!(
        (&work.work, work.patience, &work.think),
        (&Length::Of(Span::from_ms(8_000)), Span::ZERO, &Length::Of(Span::ZERO))
    );
    assert_eq!(work.again, client.policy.retry.delay);
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
    assert_eq!((second.policy.ttl, second.policy.basis), (Ttl::Never, Basis::UntilReleased));
    assert_eq!((first.policy.ttl, first.workload.holder), (Ttl::Of(Span::from_ms(10_000)), Holder::Never));
    assert_eq!((second.workload.holder, second.workload.again), (Holder::Leaves, Span::from_ms(5)));
    assert_eq!(second.workload.task, Task::Hold { writes: 2 });
    assert_eq!(second.workload.work, first.workload.work);
    assert_eq!(scenario.setup.connections, Connections::Open);
}

#[test]
fn unsound_values_are_taken_where_they_are_meant() {
    let keys = "ttl_ms = 10_000\nunsound = true\ncounting = \"replies\"\ntaking = \"setnx-expire\"\n\
                extension = \"blind\"\nnonce = \"constant\"";
    let policy = good(&changed("ttl_ms = 10_000", keys)).setup.clients[1].policy.clone();
    assert_eq!((policy.counting, policy.taking), (Counting::Replies, Taking::SetnxExpire));
    assert_eq!((policy.extension, policy.nonce), (Extension::Blind, NonceLife::Constant));
    let spec = good(&changed("ttl_ms = 10_000", "ttl_ms = 10_000")).setup.clients[1].policy.clone();
    assert_eq!((spec.counting, spec.taking), (Counting::Grants, Taking::SetNxPx));
}

#[test]
fn single_none_and_stock() {
    let single = changed("[lock.redlock]", "[lock.single]\nrenewal = \"watchdog\"");
    let policy = good(&single).setup.clients[0].policy.clone();
    assert_eq!((policy.voters, policy.quorum, policy.extension), (1, 1, Extension::Compare));

    let none = changed("[lock.redlock]\nlike   = \"spec\"\nttl_ms = 10_000", "[lock.none]")
        .replace("workload.hold", "workload.stock")
        .replace("[network]", "[store]\nmode = \"nonce-cas\"\nstock = 7\n[network]");
    let setup = good(&none).setup;
    assert_eq!((setup.clients[0].policy.protocol, setup.clients[0].policy.quorum), (Protocol::None, 0));
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
    let wait = |text: &str| good(text).setup.clients[1].policy.wait;
    assert_eq!(wait(&single("")), Wait { replicas: WaitFor::None, limit: Span::from_ms(50) });
    let all = wait(&single("wait = \"all\"\nwait_ms = 1_000"));
    assert_eq!(all, Wait { replicas: WaitFor::All, limit: Span::from_ms(1_000) });
    let own = single("wait = \"all\"")
        .replace("[network]", "[[client]]\nid = \"client-2\"\nlock = { wait = \"any\" }\n[network]");
    assert_eq!(wait(&own), Wait { replicas: WaitFor::Any, limit: Span::from_ms(50) });
}
