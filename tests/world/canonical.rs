//! Canonical systems: the same twice, blind to time and names, and with the same future.

use super::story::{given, text};
use fencepost::canon::Canon;
use fencepost::history::Record;
use fencepost::lock::{Core, Draw};
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

/// A system, and where its nonces come from.
struct Driven {
    system: System<Core>,
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

impl Driven {
    fn new(scenario: &Scenario, nonce: u64) -> Self {
        let setup = Arc::new(scenario.setup.clone());
        let system = System::new(Arc::clone(&setup), cores(&setup));
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
                None
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_canonical_system_has_the_same_future(
        scenario in any_scenario(),
        choices in proptest::collection::vec(any::<(u8, u8)>(), 1..150),
        every in 1_usize..6,
    ) {
        let faults = scenario.setup.plan.faults.len() as u32;
        let mut plain = Driven::new(&scenario, 1_000_000);
        let mut canonical = Driven::new(&scenario, 1_000_000);
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
    }

    #[test]
    fn a_canonical_system_knows_no_time_and_no_nonces(
        scenario in any_scenario(),
        choices in proptest::collection::vec(any::<(u8, u8)>(), 1..150),
        shift_ms in 0_u64..100_000,
        nonce in 0_u64..1_000,
    ) {
        let faults = scenario.setup.plan.faults.len() as u32;
        let mut early = Driven::new(&scenario, 1_000_000);
        let mut late = Driven::new(&scenario, nonce);
        late.system.advance(WorldTime(shift_ms * 1_000), &mut Trail::default());
        for choice in choices {
            prop_assert_eq!(early.choose(choice, faults), late.choose(choice, faults));
        }
        early.canonicalise();
        late.canonicalise();
        prop_assert_eq!(early.system, late.system);
    }
}
