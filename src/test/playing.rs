//! One scenario with a lock of one's own: under its own plan and seed, or hunted under many.
//!
//! A failed test carries the text of the command line: the sentence, the line that repeats it, a timeline of at most 25
//! lines. Must not judge: `check` does, against what the test expects.

use super::steer::{Steer, command};
use crate::check::{Expectation, Expected, OracleName};
use crate::lock::{LockCore, Terms};
use crate::plan::{Plan, Profile};
use crate::report::{
    HuntStory, Length, Story, divergence, divergent_text, hunt_text, run_text, telling_failure,
};
use crate::scenario::{
    COMPARE, Drawn, Locator, Runner, Scenario, find, find_profile, parse, parse_comparison, parse_profile,
    shipped_comparison, twin_scenario,
};
use crate::sim::{self, Explorer, Hunted, Keep, Plans, Request, RunResult, Runs, Seeds, Subject, own_cores};
use crate::world::Setup;
use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

/// Makes the cores of a run.
pub(super) type OwnMake<'a, C> = Box<dyn Fn(&Setup) -> Vec<C> + Sync + 'a>;

/// A scenario that is about to be played with some lock.
#[derive(Clone, Debug)]
#[must_use = "nothing is run before it is given a lock: `.with(…)`"]
pub struct Play {
    scenario: Scenario,
    profile: Option<Profile>,
    seeds: Option<Seeds>,
}

/// A scenario with a lock. It is run by [`run`](Self::run) and by the assertions.
///
/// `FENCEPOST_SEED` in the environment replaces the seed; `FENCEPOST_SEEDS=0..1000` replaces the seeds of a hunt and
/// makes one of a test with one seed.
#[must_use = "nothing is run before `assert_holds`, `assert_violates`, `assert_as_expected` or `run`"]
pub struct Playing<'a, C> {
    play: Play,
    make: OwnMake<'a, C>,
}

/// A shipped scenario (`list` shows all), or a row of the shipped comparison like `compare:single`.
///
/// # Panics
/// If nothing shipped has this name.
#[track_caller]
pub fn scenario(name: &str) -> Play {
    Play { scenario: shipped(name), profile: None, seeds: None }
}

/// A scenario of one's own: `scenario_text("late-reply", include_str!("late-reply.toml"))`.
///
/// # Panics
/// If the text cannot be read as one.
#[track_caller]
pub fn scenario_text(name: &str, text: &str) -> Play {
    let scenario = parse(name, text).unwrap_or_else(|error| panic!("{error}"));
    Play { scenario, profile: None, seeds: None }
}

/// A shipped scenario or row of the comparison under many seeds, each with a plan of its own that is drawn from a
/// shipped profile of faults. An oracle is held if every run that exercised it held and at least one did, violated if
/// one run violated it.
///
/// # Panics
/// If nothing shipped has these names, or the range is empty.
#[track_caller]
pub fn hunt(name: &str, profile: &str, seeds: Range<u64>) -> Play {
    let faults = shipped_profile(profile);
    let seeds = Seeds::new(seeds.start, seeds.end).unwrap_or_else(|error| panic!("{error}"));
    let scenario = sim::under(&shipped(name), &faults, Drawn::Profile(profile.to_owned()));
    Play { scenario: Scenario { expect: None, ..scenario }, profile: Some(faults), seeds: Some(seeds) }
}

#[cfg(feature = "async-sim")]
impl Play {
    pub(crate) fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    pub(crate) fn scenario_mut(&mut self) -> &mut Scenario {
        &mut self.scenario
    }

    pub(crate) fn profile(&self) -> Option<&Profile> {
        self.profile.as_ref()
    }

    pub(crate) fn seeds(&self) -> Option<Seeds> {
        self.seeds
    }

    /// The same under these seeds.
    #[track_caller]
    pub(crate) fn seeded(self, seeds: Range<u64>) -> Self {
        let seeds = Seeds::new(seeds.start, seeds.end).unwrap_or_else(|error| panic!("{error}"));
        Self { seeds: Some(seeds), ..self }
    }

    /// The same under plans that are drawn from a shipped profile.
    #[track_caller]
    pub(crate) fn profiled(self, profile: &str) -> Self {
        let faults = shipped_profile(profile);
        let scenario = sim::under(&self.scenario, &faults, Drawn::Profile(profile.to_owned()));
        Self { scenario: Scenario { expect: None, ..scenario }, profile: Some(faults), ..self }
    }
}

impl Play {
    /// The lock: how that of one client is made from the terms of the scenario.
    pub fn with<'a, C: LockCore>(self, make: impl Fn(&Terms) -> C + Sync + 'a) -> Playing<'a, C> {
        Playing { play: self, make: Box::new(move |setup: &Setup| own_cores(setup, &make)) }
    }
}

impl<C: LockCore> Playing<'_, C> {
    /// The run of the scenario's seed, or of the first seed of a hunt, with its records.
    ///
    /// # Panics
    /// If the lock does not fit the scenario.
    #[track_caller]
    pub fn run(&self) -> RunResult {
        let seed = Steer::read().seed.or(self.play.seeds.map(Seeds::from));
        let scenario = self.judging(self.play.scenario.expect.clone());
        self.one(&scenario, seed.unwrap_or(scenario.seed)).1
    }

    /// The test passes if each of these oracles is exercised and held, and all of the plan came about.
    ///
    /// # Panics
    /// In every other case, with the report for a person. If the lock does not fit the scenario.
    #[track_caller]
    pub fn assert_holds(&self, oracles: &[OracleName]) {
        assert!(!oracles.is_empty(), "name at least one oracle: a test of none cannot fail");
        self.assert_ends(expecting(oracles, Expected::Held));
    }

    /// The test passes if this oracle is violated, and all of the plan came about.
    ///
    /// # Panics
    /// As [`assert_holds`](Self::assert_holds).
    #[track_caller]
    pub fn assert_violates(&self, oracle: OracleName) {
        self.assert_ends(expecting(&[oracle], Expected::Violated));
    }

    /// The test passes if all ends as the file expects, witnesses included. What a shipped file expects was written for
    /// its own lock.
    ///
    /// # Panics
    /// As [`assert_holds`](Self::assert_holds); if the file expects nothing.
    #[track_caller]
    pub fn assert_as_expected(&self) {
        let Some(expect) = self.play.scenario.expect.clone() else {
            panic!("{} expects nothing: name oracles with `assert_holds`", self.play.scenario.name)
        };
        self.assert_ends(expect);
    }

    #[track_caller]
    fn assert_ends(&self, expect: Expectation) {
        let scenario = self.judging(Some(expect));
        let steer = Steer::read();
        let seeds = steer.seeds.or(self.play.seeds);
        if steer.seed.is_some() || self.play.seeds.is_none() {
            let seed = steer.seed.unwrap_or(scenario.seed);
            let (scenario, result) = self.one(&scenario, seed);
            let story = Story { scenario: &scenario, result: &result };
            assert!(result.judgement.as_expected() == Some(true), "{}", run_text(story, steer.length));
        }
        if let (Some(seeds), None) = (seeds, steer.seed) {
            self.many(&scenario, seeds, steer.length);
        }
    }

    /// The scenario as this test judges it.
    #[track_caller]
    fn judging(&self, expect: Option<Expectation>) -> Scenario {
        let scenario = Scenario { expect, runner: Runner::Test(command()), ..self.play.scenario.clone() };
        fit(&(self.make)(&scenario.setup), &scenario);
        scenario
    }

    /// One run, made twice: a lock that draws or looks at a clock is found out. Its plan comes with it.
    #[track_caller]
    fn one(&self, scenario: &Scenario, seed: u64) -> (Scenario, RunResult) {
        let mut scenario = scenario.clone();
        if let Some(profile) = &self.play.profile {
            scenario.setup.plan = sim::plan_under(&scenario, profile, seed);
        }
        let run = || Explorer::with(&scenario, &*self.make).run(seed, Keep::Records);
        let result = run();
        if let Some(difference) = divergence(Story { scenario: &scenario, result: &result }, &run()) {
            panic!("{difference}");
        }
        (scenario, result)
    }

    #[track_caller]
    fn many(&self, scenario: &Scenario, seeds: Seeds, length: Length) {
        let plan = |profile| move |seed| -> Plan { sim::plan_under(scenario, profile, seed) };
        let plan = self.play.profile.as_ref().map(plan);
        let plans = plan.as_ref().map_or(Plans::Kept, |plan| Plans::Drawn(plan));
        let subject = Subject::with(scenario, plans, &*self.make);
        let hunted = hunted(&subject, scenario, seeds);
        if hunted.judgement.as_expected() == Some(true) {
            return;
        }
        let story = HuntStory { scenario, hunted: &hunted };
        let mut text = hunt_text(story);
        if let Some(failure) = telling_failure(story) {
            let (scenario, result) = self.one(scenario, failure.seed);
            let run = run_text(Story { scenario: &scenario, result: &result }, length);
            text.push_str(&format!("\n{run}"));
        }
        panic!("{text}");
    }
}

/// A hunt on this thread alone: tests run side by side.
#[track_caller]
pub(crate) fn hunted(subject: &impl Runs, scenario: &Scenario, seeds: Seeds) -> Hunted {
    let request = Request { seeds, jobs: NonZeroUsize::MIN, until: None, keep: 1 };
    match sim::hunt(subject, request, &mut |_| {}, &AtomicBool::new(false)) {
        Ok(hunted) => hunted,
        Err(divergent) => panic!("{}", divergent_text(scenario, &divergent)),
    }
}

/// What a test expects: that these end so.
pub(crate) fn expecting(oracles: &[OracleName], expected: Expected) -> Expectation {
    let oracles = oracles.iter().map(|oracle| (*oracle, expected)).collect();
    Expectation { oracles, witnesses: BTreeMap::new() }
}

/// Whether the cores ask as many nodes as there are.
pub(super) fn fits<C: LockCore>(cores: &[C], scenario: &Scenario) -> Result<(), String> {
    let nodes = scenario.setup.nodes.len();
    let unfit = cores
        .iter()
        .map(LockCore::describe)
        .find(|traits| traits.quorum > 0 && usize::from(traits.voters) != nodes);
    unfit.map_or(Ok(()), |traits| {
        Err(format!("{} asks {} nodes, and {} has {nodes}", traits.protocol, traits.voters, scenario.name))
    })
}

#[track_caller]
fn fit<C: LockCore>(cores: &[C], scenario: &Scenario) {
    fits(cores, scenario).unwrap_or_else(|why| panic!("{why}"));
}

#[track_caller]
fn shipped(name: &str) -> Scenario {
    match find(name) {
        Ok(Locator::Shipped { text, .. }) => parse(name, text).expect("what is shipped can be read"),
        Ok(Locator::Switch(name)) => twin_scenario(&name).unwrap_or_else(|unknown| panic!("{unknown}")),
        Ok(Locator::Row { table, row }) if table == COMPARE => {
            let table = shipped_table();
            let found = table.row(&row).map(|row| row.scenario.clone());
            found.unwrap_or_else(|unknown| panic!("{unknown}{}", meant(unknown.suggestion.as_deref())))
        }
        Ok(Locator::Path(_) | Locator::Row { .. }) => {
            panic!("a test reads no files: give the text of {name} to `fencepost::test::scenario_text`")
        }
        Err(unknown) => panic!("{unknown}{}", meant(unknown.suggestion.as_deref())),
    }
}

#[track_caller]
fn shipped_profile(profile: &str) -> Profile {
    match find_profile(profile) {
        Ok(Locator::Shipped { name, text }) => {
            parse_profile(name, text).expect("what is shipped can be read")
        }
        Ok(Locator::Path(_) | Locator::Switch(_) | Locator::Row { .. }) => {
            panic!("a test reads no files, so {profile} is no profile")
        }
        Err(unknown) => panic!("{unknown}{}", meant(unknown.suggestion.as_deref())),
    }
}

/// The shipped table of comparison.
pub(super) fn shipped_table() -> crate::scenario::Comparison {
    let mut no_files = |path: &str| Err(io::Error::other(format!("{path} is not shipped")));
    parse_comparison(COMPARE, shipped_comparison(), &mut no_files).expect("what is shipped can be read")
}

/// `; did you mean …?`
pub(super) fn meant(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}
