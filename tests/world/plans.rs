//! Random plans over random small worlds: whatever goes wrong, a run ends, is the same twice, and its records
//! hang together.

use super::scripted::{Voice, Watched};
use super::story::{Given, given, text};
use fencepost::history::{Digest, Fact, Record};
use fencepost::name::{ClientId, Direction, GrantId, MessageName, NodeId, Process, Route, VoterId, Worker};
use fencepost::plan::{
    CutHow, Death, Fault, FaultKind, MessageDirective, MessageFate, OrderDirective, OrderTerm, PauseKind,
    PauseScope, Plan, PlannedFault, WayCut, When,
};
use fencepost::scenario::Scenario;
use fencepost::sim::{Explorer, Keep, RunResult};
use fencepost::time::{ClockKind, Span, WorldTime};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The last millisecond at which a fault may begin.
const WINDOW: u64 = 600;

fn any_given() -> impl Strategy<Value = Given> {
    let lock = prop_oneof![
        Just(("single", "ttl_ms = 100\nretries = 1\nretry_delay_ms = 5")),
        Just(("single", "ttl_ms = 90\nextension = \"recreate\"\nrenewal = \"watchdog\"")),
        Just(("single", "ttl_ms = 100\nfence = \"incr\"\nnonce = \"handle\"")),
        Just(("redlock", "ttl_ms = 100\nretries = 2\nretry_delay_ms = 5\ndriver_retries = 1")),
        Just(("redlock", "ttl_ms = 90\nclock = \"wall\"\nextension = \"compare\"\nrenewal = \"watchdog\"")),
        Just(("redlock", "ttl_ms = 100\nbasis = \"until-released\"\nasking = \"serial\"")),
        Just(("none", "")),
    ];
    let work = (
        0_u32..120,
        prop_oneof![Just("never"), Just("before-write"), Just("leaves")],
        any::<bool>(),
        prop_oneof![Just(0), Just(300)],
        1_u32..30,
    );
    let store = prop_oneof![Just("plain"), Just("nonce-cas")];
    let latency = prop_oneof![Just((0, 0)), Just((1_000, 1_000)), Just((200, 30_000))];
    let network = (any::<bool>(), any::<bool>());
    (lock, 1_u8..=4, work, store, latency, network).prop_map(|(lock, clients, work, store, latency, network)| {
        let (work_ms, holder, stock, patience, again) = work;
        let common = format!(
            "cycles = 2\nwork_ms = {work_ms}\nholder = \"{holder}\"\npatience_ms = {patience}\nagain_ms = {again}"
        );
        let nodes = match lock.0 {
            "redlock" => 3,
            _ => 1,
        };
        let (open, keep) = network;
        let network = format!(
            "connections = \"{}\"\non_timeout = \"{}\"",
            if open { "open" } else { "closed" },
            if keep { "keep" } else { "reconnect" }
        );
        let base = Given { nodes, clients, network, latency_us: latency, ..given() };
        let base = base.lock(lock.0, lock.1);
        let work = match stock {
            true => ("stock", common),
            false => ("hold", format!("{common}\nwrites = 2")),
        };
        let stock = if stock { "\nstock = 3" } else { "" };
        Given { work, store: format!("mode = \"{store}\"{stock}"), limit_ms: 8_000, settle_ms: 500, ..base }
    })
}

fn any_process() -> impl Strategy<Value = Process> {
    prop_oneof![
        (0_u16..5).prop_map(|index| Process::Client(ClientId(index))),
        (0_u8..4).prop_map(|index| Process::Node(NodeId::first(VoterId(index)))),
        Just(Process::Store),
    ]
}

fn any_fault() -> impl Strategy<Value = Fault> {
    let clock = prop_oneof![Just(ClockKind::Mono), Just(ClockKind::Wall)];
    let kind = prop_oneof![Just(PauseKind::Stop), Just(PauseKind::Suspend)];
    let worker = prop_oneof![Just(Worker::User), Just(Worker::Watchdog)];
    let way = prop_oneof![Just(WayCut::Both), Just(WayCut::Requests), Just(WayCut::Replies)];
    let how = prop_oneof![Just(CutHow::Reset), Just(CutHow::Hold), Just(CutHow::BlackHole)];
    let client = || (0_u16..5).prop_map(ClientId);
    let node = || (0_u8..4).prop_map(VoterId);
    let ms = |from: i64, to: i64| (from..to).prop_map(Span::from_ms);
    let peers = proptest::collection::vec(any_process(), 1..4);
    prop_oneof![
        (any_process(), kind)
            .prop_map(|(process, kind)| Fault::Pause { scope: PauseScope::Process(process), kind }),
        (client(), worker).prop_map(|(client, worker)| Fault::Pause {
            scope: PauseScope::Worker(client, worker),
            kind: PauseKind::Stop
        }),
        client().prop_map(|client| Fault::Crash { client }),
        node().prop_map(|node| Fault::Kill { node: node.into(), death: Death::Process }),
        (any_process(), ms(-300, 300)).prop_map(|(process, by)| Fault::ClockStep {
            process,
            clock: ClockKind::Wall,
            by
        }),
        (any_process(), -999_999_i32..3_000_000).prop_map(|(process, ppm)| Fault::ClockRate {
            process,
            clocks: vec![ClockKind::Mono, ClockKind::Wall],
            ppm
        }),
        (any_process(), clock).prop_map(|(process, clock)| Fault::ClockFreeze { process, clock }),
        (proptest::collection::vec(client(), 1..4), peers, way, how).prop_map(
            |(clients, peers, way, how)| Fault::Cut {
                one: clients.into_iter().map(Process::Client).collect(),
                other: peers,
                way,
                how,
            }
        ),
        (node(), ms(1, 60)).prop_map(|(node, by)| Fault::Slow { node: node.into(), by }),
        node().prop_map(|node| Fault::Evict { node: node.into(), key: None }),
        (any_process(), ms(1, 60)).prop_map(|(process, by)| Fault::LateTimer { process, by }),
        node().prop_map(|node| Fault::ErrorReply { node: node.into(), text: "BUSY".into() }),
        node().prop_map(|node| Fault::FlushScripts { node: node.into() }),
    ]
}

fn any_planned() -> impl Strategy<Value = PlannedFault> {
    let names =
        ["client-1#1:acquire.1", "client-1#1:write.1.check", "client-2#1:enter.1", "client-1#1:granted.1"];
    let mut after: Vec<When> = names.iter().map(|name| When::After(name.parse().unwrap())).collect();
    for name in ["client-1#1>node-1:acquire.1.set.1:request", "client-1#1>node-1:acquire.1.set.1:reply"] {
        after.push(When::After(name.parse().unwrap()));
    }
    let when = prop_oneof![
        4 => (0..WINDOW).prop_map(|ms| When::At(WorldTime(ms * 1_000))),
        1 => proptest::sample::select(after),
    ];
    let lasts = prop_oneof![5 => (1_i64..400).prop_map(|ms| Some(Span::from_ms(ms))), 1 => Just(None)];
    (when, lasts, any_fault()).prop_map(|(when, lasts, fault)| {
        let lasts = lasts.filter(|_| !fault.is_instant());
        PlannedFault { when, lasts, fault }
    })
}

fn any_message() -> impl Strategy<Value = MessageDirective> {
    let commands =
        ["acquire.1.set.1", "acquire.2.set.1", "acquire.1.eval.1", "release.1.eval.1", "extend.1.eval.1"];
    let direction = prop_oneof![Just("request"), Just("reply")];
    let name = (1..4, 1..4, proptest::sample::select(commands.to_vec()), direction);
    let fate = prop_oneof![
        Just(MessageFate::Lose),
        (0_i64..200).prop_map(|ms| MessageFate::Delay(Span::from_ms(ms)))
    ];
    (name, fate).prop_map(|((client, node, command, direction), fate)| {
        let name = format!("client-{client}#1>node-{node}:{command}:{direction}");
        MessageDirective { name: name.parse().unwrap(), fate }
    })
}

fn any_order() -> impl Strategy<Value = OrderDirective> {
    (0..WINDOW, any_process(), any::<bool>()).prop_map(|(ms, of, timers)| {
        let (first, then) = match timers {
            true => (OrderTerm::Timers, OrderTerm::Messages),
            false => (OrderTerm::Messages, OrderTerm::Timers),
        };
        OrderDirective { at: WorldTime(ms * 1_000), of, first, then }
    })
}

fn any_scenario() -> impl Strategy<Value = Scenario> {
    let faults = proptest::collection::vec(any_planned(), 0..7);
    let messages = proptest::collection::vec(any_message(), 0..3);
    let orders = proptest::collection::vec(any_order(), 0..3);
    (any_given(), faults, messages, orders).prop_map(|(given, faults, messages, orders)| {
        let mut scenario = given.scenario();
        scenario.setup.plan.faults = faults;
        scenario.setup.plan.messages = messages;
        scenario.setup.plan.orders = orders;
        scenario
    })
}

fn run(scenario: &Scenario) -> RunResult {
    let cores = (0..scenario.setup.clients.len())
        .map(|index| Watched::new(index, &scenario.setup, Voice::Silent))
        .collect();
    Explorer::new(scenario).run_cores(cores, 7, Keep::Records)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_run_ends_is_the_same_twice_and_hangs_together(scenario in any_scenario()) {
        let first = run(&scenario);
        let second = fencepost::sim::run(&scenario, 7);
        prop_assert_eq!(first.digest, second.digest);
        prop_assert_eq!(&first.records, &second.records);
        prop_assert!(first.end <= scenario.setup.limit);
        if let Err(broken) = Sound::of(&scenario.setup.plan).all(&first.records) {
            return Err(TestCaseError::fail(broken));
        }
    }

    #[test]
    fn a_fault_changes_nothing_before_it(scenario in any_scenario(), which in any::<proptest::sample::Index>()) {
        if scenario.setup.plan.faults.is_empty() {
            return Ok(());
        }
        let with = run(&scenario).records;
        let index = which.index(scenario.setup.plan.faults.len());
        let began = with.iter().position(|record| {
            matches!(record.fact, Fact::FaultBegan { index: known, .. } if known as usize == index)
        });
        let mut without = scenario.clone();
        // Kept in its place, aimed at nobody: the other faults keep their numbers.
        without.setup.plan.faults[index].fault = Fault::Crash { client: ClientId(999) };
        without.setup.plan.faults[index].when = When::At(WorldTime(u64::MAX));
        let without = run(&without).records;
        let common = began.map_or(with.len().min(without.len()), |began| began);
        let end = |records: &[Record]| {
            let mut digest = Digest::new();
            let judged = |r: &&Record| !matches!(r.fact, Fact::WatchBegan { .. } | Fact::WatchOver { .. });
            records.iter().filter(judged).for_each(|record| digest.push(record));
            digest.finish()
        };
        let at = with.get(common).map_or(WorldTime(u64::MAX), |record| record.at);
        let before = |records: &[Record]| records.iter().filter(|r| r.at < at).cloned().collect::<Vec<_>>();
        if began.is_some() {
            prop_assert_eq!(end(&before(&with)), end(&before(&without)));
        }
    }
}

/// What is known while records are read.
#[derive(Default)]
struct Sound {
    at: WorldTime,
    calls: BTreeMap<ClientId, u32>,
    promised: BTreeSet<GrantId>,
    inside: BTreeSet<GrantId>,
    sent: BTreeSet<MessageName>,
    arrived: BTreeSet<MessageName>,
    lives: BTreeMap<ClientId, u16>,
    dead: BTreeSet<Process>,
    paused: BTreeMap<Process, u32>,
    /// Per fault of the plan, the process that it pauses.
    pauses: Vec<Option<Process>>,
}

impl Sound {
    fn of(plan: &Plan) -> Self {
        let paused = |planned: &PlannedFault| match planned.fault {
            Fault::Pause { scope: PauseScope::Process(process), .. } => Some(process),
            _ => None,
        };
        Self { pauses: plan.faults.iter().map(paused).collect(), ..Self::default() }
    }

    fn all(mut self, records: &[Record]) -> Result<(), String> {
        for (index, record) in records.iter().enumerate() {
            if !self.one(record) {
                return Err(format!(
                    "record {index} at {}: {} {}",
                    record.at,
                    record.process,
                    text(&record.fact)
                ));
            }
        }
        Ok(())
    }

    /// Whether the record can follow those before it.
    fn one(&mut self, record: &Record) -> bool {
        if record.at < self.at {
            return false;
        }
        self.at = record.at;
        match &record.fact {
            Fact::AcquireBegan { call } => {
                let last = self.calls.insert(call.client, call.number).unwrap_or(0);
                call.number == last + 1
            }
            Fact::Granted { call, .. } | Fact::Refused { call, .. } => {
                self.calls.get(&call.client) == Some(&call.number)
            }
            Fact::PromiseBegan { grant, .. } => self.promised.insert(*grant),
            Fact::PromiseEnded { grant, .. } => self.promised.remove(grant),
            Fact::SectionEntered { grant } => self.inside.insert(*grant),
            Fact::SectionLeft { grant, .. } => self.inside.remove(grant),
            Fact::Sent { name } => self.sent.insert(*name),
            Fact::Handled { name } => {
                // A kernel accepts connections for a process that stands still.
                let kernel =
                    matches!(name.route, Route::Connect { .. }) && name.direction == Direction::Request;
                let stands = self.paused.get(&record.process).is_some_and(|count| *count > 0);
                let life = self.lives.get(&name.client).copied().unwrap_or(1);
                let old = name.direction == Direction::Reply && name.incarnation != life;
                let dead = self.dead.contains(&record.process);
                self.sent.contains(name) && self.arrived.insert(*name) && !dead && !old && (kernel || !stands)
            }
            Fact::MessageLost { name, .. } => self.sent.contains(name) && self.arrived.insert(*name),
            Fact::Started { incarnation } => {
                let Process::Client(client) = record.process else { return false };
                self.dead.remove(&record.process);
                *incarnation == self.lives.insert(client, *incarnation).unwrap_or(1) + 1
            }
            fact => self.fault(record.process, fact),
        }
    }

    fn fault(&mut self, process: Process, fact: &Fact) -> bool {
        match fact {
            Fact::FaultBegan { kind: FaultKind::Crash, effective: true, .. } => self.dead.insert(process),
            Fact::FaultBegan { index, .. } => {
                if let Some(paused) = self.pauses[*index as usize] {
                    *self.paused.entry(paused).or_default() += 1;
                }
                true
            }
            Fact::FaultEnded { index, .. } => {
                if let Some(paused) = self.pauses[*index as usize] {
                    *self.paused.entry(paused).or_default() -= 1;
                }
                true
            }
            _ => true,
        }
    }
}
