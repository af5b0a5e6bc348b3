//! A crate under every profile, and the shipped lock of its frame under the same plans and seeds.
//!
//! Every run of the crate is made twice. Must not choose what is told.

use crate::adapters::{Frame, Published};
use fencepost::async_sim::Code;
use fencepost::check::{OracleName, Outcome};
use fencepost::scenario::{Drawn, Locator, Scenario, find_profile, parse, parse_profile};
use fencepost::sim::{Keep, Plans, RunResult, Runs, Subject, plan_under, under};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;

/// A crate and its rows.
pub(crate) struct Surveyed {
    pub(crate) published: &'static Published,
    pub(crate) rows: Vec<Row>,
}

/// A crate under one profile.
pub(crate) struct Row {
    pub(crate) profile: &'static str,
    pub(crate) frame: Frame,
    /// Nothing where the crate cannot suffer it.
    pub(crate) cells: BTreeMap<OracleName, Cell>,
}

/// How one oracle ended, over all seeds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    pub(crate) published: Count,
    pub(crate) shipped: Count,
    /// The seeds that violate it for the crate, each with whether the shipped lock violates it too.
    pub(crate) seeds: Vec<(u64, bool)>,
}

/// Runs that exercised it, and that violated it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) exercised: u64,
    pub(crate) violated: u64,
}

/// The profiles of the comparison, in its order, and why none of the crates can suffer it, if they cannot.
pub(crate) const PROFILES: [(&str, Option<&str>); 14] = [
    ("calm", None),
    ("slow-network", None),
    ("client-pauses", None),
    ("client-suspends", None),
    ("node-clock-steps", None),
    ("drift-within", None),
    ("drift-beyond", None),
    ("partitions", None),
    ("crash-restart", None),
    ("nodes-down-1", None),
    ("nodes-down-2", None),
    ("failover", None),
    ("split-brain", None),
    (
        "everything",
        Some("it holds late timers of clients, and the timers of these crates are their runtime's"),
    ),
];

pub(crate) const SEEDS: Range<u64> = 1..21;

/// The frame of a profile: what aims at replicas needs some.
pub(crate) fn frame(published: &Published, profile: &str) -> Frame {
    if ["failover", "split-brain"].contains(&profile) { published.replicated } else { published.frame }
}

pub(crate) fn code(published: &Published, profile: &str) -> Code {
    (published.code)(published.in_frame(frame(published, profile)).profile(profile))
}

pub(crate) fn of(published: &'static Published) -> Surveyed {
    let jobs = Mutex::new(PROFILES.iter().enumerate().rev().collect::<Vec<_>>());
    let rows = Mutex::new(BTreeMap::new());
    let worker = || {
        while let Some((place, (profile, unfit))) = { jobs.lock().expect("no panic").pop() } {
            let row = row(published, profile, unfit.is_some());
            eprintln!("{} {profile}", published.name);
            rows.lock().expect("no panic").insert(place, row);
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
    Surveyed { published, rows: rows.into_inner().expect("no panic").into_values().collect() }
}

pub(crate) fn row(published: &Published, profile: &'static str, unfit: bool) -> Row {
    let frame = frame(published, profile);
    let mut cells: BTreeMap<OracleName, Cell> = BTreeMap::new();
    if unfit {
        return Row { profile, frame, cells };
    }
    let (code, spec) = (code(published, profile), Spec::new(frame.name, frame.text, profile));
    for seed in SEEDS {
        let result = code.run_seed(seed).1;
        let shipped: BTreeMap<_, _> = spec.run(seed).outcomes.into_iter().collect();
        for (oracle, outcome) in outcomes(&result) {
            let cell = cells.entry(oracle).or_default();
            cell.published.add(outcome);
            cell.shipped.add(shipped[&oracle]);
            if let Outcome::Violated(_) = outcome {
                cell.seeds.push((seed, matches!(shipped[&oracle], Outcome::Violated(_))));
            }
        }
    }
    Row { profile, frame, cells }
}

/// How the oracles that apply ended. Those of a bound do not where the crate states no longest call: `held` would say
/// that a bound without an end was kept.
pub(crate) fn outcomes(result: &RunResult) -> Vec<(OracleName, Outcome)> {
    let endless =
        result.locks.iter().any(|lock| lock.call_max >= result.end - fencepost::time::WorldTime::ZERO);
    let bounded = |oracle| endless && matches!(oracle, OracleName::Stuck | OracleName::Unavailable);
    let applies =
        |(oracle, outcome): &(OracleName, Outcome)| !bounded(*oracle) && *outcome != Outcome::NotApplicable;
    result.outcomes.iter().copied().filter(applies).collect()
}

impl Row {
    /// The oracles that the crate violates.
    pub(crate) fn broken(&self) -> impl Iterator<Item = OracleName> {
        self.cells.iter().filter(|(_, cell)| cell.published.violated > 0).map(|(oracle, _)| *oracle)
    }
}

impl Count {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Held => self.exercised += 1,
            Outcome::Violated(_) => (self.exercised, self.violated) = (self.exercised + 1, self.violated + 1),
            Outcome::NotExercised | Outcome::NotApplicable => {}
        }
    }
}

/// The shipped lock of a frame under a profile.
pub(crate) struct Spec {
    scenario: Scenario,
    profile: fencepost::plan::Profile,
}

impl Spec {
    pub(crate) fn new(frame: &str, text: &str, name: &str) -> Self {
        let Ok(Locator::Shipped { text: profile, .. }) = find_profile(name) else {
            panic!("{name} is shipped")
        };
        let profile = parse_profile(name, profile).expect("what is shipped can be read");
        let scenario = parse(frame, text).expect("a frame can be read");
        let scenario = under(&scenario, &profile, Drawn::Profile(name.to_owned()));
        Self { scenario, profile }
    }

    pub(crate) fn run(&self, seed: u64) -> RunResult {
        let plan = |seed| plan_under(&self.scenario, &self.profile, seed);
        Subject::new(&self.scenario, Plans::Drawn(&plan)).run(seed, Keep::Nothing)
    }
}
