//! Canonical systems: the same twice, blind to time and names, and with the same future.

use super::counting::{Counting as Locked, Kind, Leaving, Line};
use super::steps::{Step, Steps};
use super::story::{given, text};
use fencepost::canon::Canon;
use fencepost::history::Record;
use fencepost::lock::{Core, Draw, LockCore};
use fencepost::name::{ClientId, Nonce};
use fencepost::plan::Quantiles;
use fencepost::scenario::Scenario;
use fencepost::sim::cores;
use fencepost::time::{Span, WorldTime};
use fencepost::world::{Draws, Event, Stretch, System, Trail};
use proptest::prelude::*;
use std::sync::Arc;

/// Nonces that count up, and no jitter.
struct Counting(u64);

impl Draws for Counting {
    fn draw(&mut self, _: ClientId) -> Draw {
        self.0 += 1;
        Draw { nonce: Nonce(self.0 - 1), jitter: 0 }
    }

    fn length(&mut self, _: ClientId, _: u32, _: Stretch, of: &Quantiles) -> Span {
        Span(of.max())
    }
}

/// Whatever is kept by voter follows when voters are put in another order.
#[test]
fn a_set_of_voters_follows_their_order() {
    let mut canon = Canon::new(WorldTime::ZERO);
    canon.reorder_voters(&[2, 0, 1]);
    let (mut set, mut kept) = (1 << 31 | 0b100, ["a", "b", "c"]);
    canon.voter_bits(&mut set);
    canon.by_voter(&mut kept);
    assert_eq!((set, kept), (1 << 31 | 0b001, ["c", "a", "b"]));
}

/// Connections with state: what two clients send, one step after the other, to one node.
fn any_connected() -> impl Strategy<Value = (Scenario, Vec<Steps>)> {
    let lines = [
        "subscribe c",
        "subscribe d",
        "unsubscribe",
        "publish c 7",
        "publish d 8",
        "blpop q 0.04",
        "brpop q p 0",
        "rpush q 1 3",
        "lpush p 2",
        "multi",
        "exec",
        "watch k q",
        "set k 1 px 20",
        "set k 2",
        "get k",
        "ping",
    ];
    let step = (prop::sample::select(lines.to_vec()), 0_u8..2, prop::sample::select(vec![5_u32, 30]));
    let steps = prop::collection::vec(step, 1..12).prop_map(|steps| {
        let timed = steps.into_iter().enumerate();
        timed.map(|(at, (line, connection, limit))| (at as u32 * 3, connection, line, limit)).collect()
    });
    let network = prop_oneof![Just("open"), Just("closed")];
    let keeps = prop_oneof![Just("keep"), Just("reconnect")];
    let two: (_, _) = (steps.clone(), steps);
    (two, network, keeps, any::<bool>()).prop_map(
        |((one, other), network, keeps, queue): ((Vec<Step>, Vec<Step>), _, _, _)| {
            let cut = |how: &str| {
                format!(
                    "cut = {{ at_ms = 0, between = [\"clients\", \"node-1\"], direction = \"both\", how = \"{how}\", for_ms = 1 }}"
                )
            };
            let mut base = given().plan(&[
                "crash = { at_ms = 0, of = \"client-1\", for_ms = 1 }",
                "kill = { at_ms = 0, of = \"node-1\", for_ms = 1 }",
                &cut("reset"),
                &cut("black-hole"),
                "evict = { at_ms = 0, of = \"node-1\", key = \"k\" }",
                "pause = { at_ms = 0, of = \"node-1\", kind = \"stop\", for_ms = 1 }",
                &cut("reset"),
            ]);
            base.clients = 2;
            base.network = format!(
                "connections = \"{network}\"\non_timeout = \"{keeps}\"\noffline_queue = {queue}"
            );
            let scenario = base.scenario();
            let cores = [one, other].into_iter().enumerate();
            let cores = cores.map(|(index, steps)| Steps::new(index, &scenario.setup, &steps)).collect();
            (scenario, cores)
        },
    )
}

/// A system, and where its nonces come from.
struct Driven<C> {
    system: System<C>,
    draws: Counting,
}

fn any_scenario() -> impl Strategy<Value = Scenario> {
    let lock = prop_oneof![
        Just(("single", "ttl_ms = 100\nretries = 1\nretry_delay_ms = 5", 1)),
        Just(("single", "ttl_ms = 90\nextension = \"recreate\"\nrenewal = \"watchdog\"", 1)),
        Just(("redlock", "ttl_ms = 100\nretries = 1\nretry_delay_ms = 5", 3)),
        Just((
            "redlock",
            "ttl_ms = 90\nclock = \"wall\"\nextension = \"compare\"\nrenewal = \"watchdog\"",
            3
        )),
    ];
    let holder = prop_oneof![Just("never"), Just("before-write"), Just("leaves")];
    let store = prop_oneof![Just("plain"), Just("nonce-cas")];
    let network = prop_oneof![Just("open"), Just("closed")];
    (lock, holder, store, network).prop_map(|((name, keys, nodes), holder, store, network)| {
        let cut = |at: u32| {
            format!(
                "cut = {{ at_ms = {at}, between = [\"clients\", [\"node-1\", \"store\"]], direction = \"both\", how = \"reset\", for_ms = 1 }}"
            )
        };
        let work = format!("cycles = 2\nwork_ms = 60\nwrites = 2\nholder = \"{holder}\"\npatience_ms = 200\nagain_ms = 7");
        let mut base = given().lock(name, keys).work(&work).plan(&[
            "crash = { at_ms = 0, of = \"client-1\", for_ms = 1 }",
            "kill = { at_ms = 0, of = \"node-1\", for_ms = 1 }",
            &cut(0),
            "pause = { at_ms = 0, of = \"client-2\", kind = \"suspend\", for_ms = 1 }",
            "clock-rate = { at_ms = 0, of = \"client-2\", ppm = 400_000, for_ms = 1 }",
            "clock-step = { at_ms = 0, of = \"node-1\", by_ms = 40 }",
            "crash = { at_ms = 0, of = \"client-1\", for_ms = 1 }",
        ]);
        (base.nodes, base.clients) = (nodes, 2);
        base.store = format!("mode = \"{store}\"");
        base.network = format!("connections = \"{network}\"\non_timeout = \"reconnect\"");
        base.scenario()
    })
}

/// Locks that count and share, with second calls and what befalls them. None keeps a line, which would be a text of
/// several nonces: a canonical form renames whole words.
fn any_counted() -> impl Strategy<Value = (Scenario, Vec<Locked>)> {
    let leaving = prop_oneof![Just(Leaving::Counted), Just(Leaving::Blunt), Just(Leaving::Mute)];
    let kind = (any::<bool>(), leaving).prop_map(|(shared, leaving)| Kind {
        shared,
        line: Line::None,
        leaving,
        delay: Span::from_ms(7),
        tries: 2,
    });
    let holder = prop_oneof![Just("never"), Just("before-write"), Just("leaves")];
    let nested =
        prop_oneof![Just("at_ms = 10"), Just("at_ms = 10, for_ms = 20"), Just("at_ms = 20, ttl_ms = 30")];
    (proptest::collection::vec(kind, 3), holder, nested).prop_map(|(kinds, holder, nested)| {
        let work = format!(
            "cycles = 2\nwork_ms = 60\nwrites = 2\nholder = \"{holder}\"\nnested = {{ {nested} }}\npatience_ms = 200\nagain_ms = 7"
        );
        let mut base = given().work(&work).plan(&[
            "crash = { at_ms = 0, of = \"client-1\", for_ms = 1 }",
            "kill = { at_ms = 0, of = \"node-1\", for_ms = 1 }",
            "cut = { at_ms = 0, between = [\"clients\", \"node-1\"], direction = \"both\", how = \"reset\", for_ms = 1 }",
            "pause = { at_ms = 0, of = \"client-2\", kind = \"suspend\", for_ms = 1 }",
            "clock-step = { at_ms = 0, of = \"node-1\", by_ms = 40 }",
        ]);
        base.clients = 3;
        let scenario = base.scenario();
        let key = &scenario.setup.key;
        let cores = kinds.iter().map(|kind| Locked::new(*kind, 80, key)).collect();
        (scenario, cores)
    })
}

impl Driven<Core> {
    fn shipped(scenario: &Scenario, nonce: u64) -> Self {
        Self::new(scenario, cores(&scenario.setup), nonce)
    }
}

impl<C: LockCore> Driven<C> {
    fn new(scenario: &Scenario, cores: Vec<C>, nonce: u64) -> Self {
        let system = System::new(Arc::new(scenario.setup.clone()), cores);
        Self { system, draws: Counting(nonce) }
    }

    fn canonicalise(&mut self) {
        self.draws.0 = self.system.canonical([], |_: &mut Canon| {}).nonces;
    }

    /// Lets one thing happen, chosen by two bytes, and tells what came of it, times counted from before.
    fn choose(&mut self, (kind, which): (u8, u8), faults: u32) -> Vec<String> {
        let start = self.system.now();
        let mut trail = Trail::default();
        let pick = usize::from(which);
        let event = match kind % 8 {
            0..=3 => {
                let enabled: Vec<_> = self.system.deliverables().collect();
                (!enabled.is_empty()).then(|| {
                    let (lane, direction) = enabled[pick % enabled.len()];
                    Event::Deliver(lane, direction)
                })
            }
            4..=5 => {
                let due = |client| self.system.next_timer(client).map(|(at, kind)| (at, client, kind));
                let next = self.system.clients().filter_map(due).min_by_key(|(at, client, _)| (*at, *client));
                next.map(|(at, client, kind)| {
                    self.system.advance(at, &mut trail);
                    Event::Timer(client, kind)
                })
            }
            6 => {
                self.system.advance(start + Span(i64::from(which) * 130), &mut trail);
                self.system.group_events().first().map(|(_, event)| *event)
            }
            _ => {
                let index = u32::from(which) % faults;
                // Until it has begun it can begin; afterwards ending it again does nothing.
                Some(if self.system.has_begun(index) {
                    Event::FaultEnd(index)
                } else {
                    Event::FaultBegin(index)
                })
            }
        };
        if let Some(event) = event {
            self.system.step(event, &mut self.draws, &mut trail);
        }
        let mut told: Vec<String> = trail.records.iter().map(|record| blind(record, start)).collect();
        told.push(format!("{} sent", trail.sent.len()));
        told
    }
}

/// A record without the numbers of grants, calls, messages and clocks. A canonical system does not know an earlier
/// life from a closed connection, so why an answer finds nobody is left out too.
fn blind(record: &Record, start: WorldTime) -> String {
    let words: String = text(&record.fact).chars().filter(|c| !c.is_ascii_digit() && *c != '.').collect();
    let words = words.trim_end_matches("reply Down").trim_end_matches("reply Reset");
    format!("{} {} {words}", (record.at - start).0, record.process)
}

/// The same choices lead a system and its canonical forms the same way.
fn same_future<C: LockCore>(
    (mut plain, mut canonical): (Driven<C>, Driven<C>),
    choices: Vec<(u8, u8)>,
    every: usize,
    faults: u32,
) -> Result<(), TestCaseError> {
    for (index, choice) in choices.into_iter().enumerate() {
        if index % every == 0 {
            canonical.canonicalise();
            let once = canonical.system.clone();
            canonical.canonicalise();
            prop_assert_eq!(&once, &canonical.system, "canonical twice");
        }
        let (told, same) = (plain.choose(choice, faults), canonical.choose(choice, faults));
        prop_assert_eq!(told, same, "choice {}", index);
    }
    plain.canonicalise();
    canonical.canonicalise();
    prop_assert_eq!(plain.system, canonical.system);
    Ok(())
}

/// The same choices lead two systems to one canonical form that differ in the time and in the nonces they began with.
fn same_end<C: LockCore>(
    (mut early, mut late): (Driven<C>, Driven<C>),
    choices: Vec<(u8, u8)>,
    shift_ms: u64,
    faults: u32,
) -> Result<(), TestCaseError> {
    late.system.advance(WorldTime(shift_ms * 1_000), &mut Trail::default());
    for choice in choices {
        prop_assert_eq!(early.choose(choice, faults), late.choose(choice, faults));
    }
    early.canonicalise();
    late.canonicalise();
    prop_assert_eq!(early.system, late.system);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_canonical_system_has_the_same_future(
        scenario in any_scenario(),
        choices in proptest::collection::vec(any::<(u8, u8)>(), 1..150),
        every in 1_usize..6,
    ) {
        let two = (Driven::shipped(&scenario, 1_000_000), Driven::shipped(&scenario, 1_000_000));
        same_future(two, choices, every, scenario.setup.plan.faults.len() as u32)?;
    }

    #[test]
    fn a_canonical_system_of_counted_locks_has_the_same_future(
        (scenario, cores) in any_counted(),
        choices in proptest::collection::vec(any::<(u8, u8)>(), 1..150),
        every in 1_usize..6,
    ) {
        let new = || Driven::new(&scenario, cores.clone(), 1_000_000);
        same_future((new(), new()), choices, every, scenario.setup.plan.faults.len() as u32)?;
    }

    #[test]
    fn a_canonical_system_of_connections_with_state_has_the_same_future(
        (scenario, cores) in any_connected(),
        choices in proptest::collection::vec(any::<(u8, u8)>(), 1..150),
        every in 1_usize..6,
    ) {
        let new = || Driven::new(&scenario, cores.clone(), 1_000_000);
        same_future((new(), new()), choices, every, scenario.setup.plan.faults.len() as u32)?;
    }

    #[test]
    fn a_canonical_system_of_connections_with_state_knows_no_time(
        (scenario, cores) in any_connected(),
        choices in proptest::collection::vec(any::<(u8, u8)>(), 1..150),
        shift_ms in 0_u64..100_000,
    ) {
        let new = || Driven::new(&scenario, cores.clone(), 1_000_000);
        same_end((new(), new()), choices, shift_ms, scenario.setup.plan.faults.len() as u32)?;
    }

    #[test]
    fn a_canonical_system_knows_no_time_and_no_nonces(
        scenario in any_scenario(),
        choices in proptest::collection::vec(any::<(u8, u8)>(), 1..150),
        shift_ms in 0_u64..100_000,
        nonce in 0_u64..1_000,
    ) {
        let two = (Driven::shipped(&scenario, 1_000_000), Driven::shipped(&scenario, nonce));
        same_end(two, choices, shift_ms, scenario.setup.plan.faults.len() as u32)?;
    }

    #[test]
    fn a_canonical_system_of_counted_locks_knows_no_time(
        (scenario, cores) in any_counted(),
        choices in proptest::collection::vec(any::<(u8, u8)>(), 1..150),
        shift_ms in 0_u64..100_000,
    ) {
        let new = || Driven::new(&scenario, cores.clone(), 1_000_000);
        same_end((new(), new()), choices, shift_ms, scenario.setup.plan.faults.len() as u32)?;
    }
}
