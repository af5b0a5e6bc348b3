//! Drills: every lock under every plan of a fixed list, and how each oracle ends.
//!
//! A drill is a scenario whose lock is replaced. What a lock breaks with the fewest things going wrong is what a person
//! wants to see first, so drills are ordered by how many faults their plan has. Threads take whole rows, so the outcome
//! does not depend on their number. Must not print, and must not know any library.

use super::compare::in_parallel;
use super::cores::cores;
use super::judged::Keep;
use super::run::Explorer;
use crate::check::{Ending, Expected, OracleName, Outcome, WitnessName};
use crate::lock::{LockCore, Reacquire};
use crate::name::{Process, Worker};
use crate::plan::{Fault, PauseScope};
use crate::scenario::{InputError, Preset, Scenario, with_lock};
use crate::world::{ClientSetup, Extend};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

/// How often each drill is run: jitter and nonces differ, the plan does not.
pub const DRILL_RUNS: u64 = 8;

/// One lock under all drills.
#[derive(Clone, Debug)]
pub struct DrillRow {
    /// The lock.
    pub preset: Preset,
    /// By drill, in their order.
    pub cells: Vec<DrillCell>,
}

/// One lock in one drill.
#[derive(Clone, Debug)]
pub enum DrillCell {
    /// Nothing of the plan can hit this lock: it asks none of the nodes that suffer.
    NotApplicable,
    /// The drill cannot be run with this lock.
    Refused(InputError),
    /// Two runs of one seed differed: a bug of ours.
    Divergent {
        /// The seed.
        seed: u64,
    },
    /// It was run.
    Ended {
        /// How each oracle ended that applies.
        ends: BTreeMap<OracleName, DrillEnd>,
        /// The fewest grants of a run.
        grants: u64,
    },
}

/// How an oracle ended over the runs of a drill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DrillEnd {
    /// It judged nothing in any run.
    NotExercised,
    /// Exercised, and violated in no run.
    Held,
    /// Violated.
    Violated {
        /// The first seed in which it is.
        seed: u64,
    },
}

/// How an oracle ended over all drills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Over {
    /// In no drill anything applied.
    NotApplicable,
    /// It judged nothing in any drill.
    NotExercised,
    /// Exercised in so many drills, and violated in none.
    Held {
        /// How many.
        drills: usize,
    },
    /// Violated, with the fewest things going wrong in this drill.
    Violated {
        /// The index of the drill.
        drill: usize,
        /// The first seed.
        seed: u64,
        /// In how many drills it is violated.
        drills: usize,
    },
}

/// Drills in their order: by how much goes wrong in their plan, then by name.
pub fn in_order(mut drills: Vec<Scenario>) -> Vec<Scenario> {
    let wrong = |drill: &Scenario| {
        let plan = &drill.setup.plan;
        plan.faults.len() + plan.messages.len() + plan.orders.len()
    };
    drills.sort_by(|one, other| (wrong(one), &one.name).cmp(&(wrong(other), &other.name)));
    drills
}

/// Runs every preset through every drill. `None`: cancelled before this row was complete.
pub fn drill_all(
    presets: &[Preset],
    drills: &[Scenario],
    jobs: NonZeroUsize,
    progress: &mut (dyn FnMut(usize) + Send),
    cancel: &AtomicBool,
) -> Vec<Option<DrillRow>> {
    let rows: Mutex<Vec<Option<DrillRow>>> = Mutex::new(vec![None; presets.len()]);
    let told = Mutex::new((progress, 0));
    in_parallel(jobs, presets.len(), cancel, |index| {
        let preset = &presets[index];
        let cells = drills.iter().map(|drill| drill_one(preset, drill)).collect();
        let row = DrillRow { preset: preset.clone(), cells };
        rows.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(row);
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        told.1 += 1;
        let done = told.1;
        (told.0)(done);
    });
    rows.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Runs one lock through one drill.
pub fn drill_one(preset: &Preset, drill: &Scenario) -> DrillCell {
    let scenario = match with_lock(drill, preset) {
        Ok(scenario) => scenario,
        Err(error) => return DrillCell::Refused(error),
    };
    if extends(drill) && !extends(&scenario) {
        // What happens to an extension happens to nobody here.
        return DrillCell::NotApplicable;
    }
    drill_scenario(&scenario)
}

/// Runs a drill with the lock that it has.
pub fn drill_scenario(scenario: &Scenario) -> DrillCell {
    if !can_hit(scenario) {
        return DrillCell::NotApplicable;
    }
    if wants_second_hold(scenario) && !takes_second_call(scenario) {
        return DrillCell::NotApplicable;
    }
    let explorer = Explorer::new(scenario);
    let mut ends: BTreeMap<OracleName, DrillEnd> = BTreeMap::new();
    let mut grants = u64::MAX;
    for seed in scenario.seed..scenario.seed + DRILL_RUNS {
        let result = explorer.run(seed, Keep::Nothing);
        if !result.violations.is_empty() && explorer.run(seed, Keep::Nothing).digest != result.digest {
            return DrillCell::Divergent { seed };
        }
        grants = grants.min(result.witnesses.of(WitnessName::Grants));
        // A run that was cut short shows what it violated, and nothing else.
        let whole = result.ending == Ending::Settled;
        for (oracle, outcome) in result.outcomes {
            let end = match outcome {
                Outcome::NotApplicable => continue,
                Outcome::Held if !whole => DrillEnd::NotExercised,
                Outcome::NotExercised => DrillEnd::NotExercised,
                Outcome::Held => DrillEnd::Held,
                Outcome::Violated(_) => DrillEnd::Violated { seed },
            };
            let known = ends.entry(oracle).or_insert(end);
            // The first violating seed stays.
            if !matches!(known, DrillEnd::Violated { .. }) {
                *known = (*known).max(end);
            }
        }
    }
    DrillCell::Ended { ends, grants }
}

impl DrillRow {
    /// How an oracle ended over all drills.
    pub fn over(&self, oracle: OracleName) -> Over {
        let ends = self.cells.iter().enumerate().filter_map(|(index, cell)| match cell {
            DrillCell::Ended { ends, .. } => ends.get(&oracle).map(|end| (index, *end)),
            DrillCell::NotApplicable | DrillCell::Refused(_) | DrillCell::Divergent { .. } => None,
        });
        let ends: Vec<_> = ends.collect();
        let held = ends.iter().filter(|(_, end)| *end == DrillEnd::Held).count();
        let mut violated = ends.iter().filter_map(|(drill, end)| match end {
            DrillEnd::Violated { seed } => Some((*drill, *seed)),
            DrillEnd::Held | DrillEnd::NotExercised => None,
        });
        match violated.next() {
            Some((drill, seed)) => Over::Violated { drill, seed, drills: 1 + violated.count() },
            None if held > 0 => Over::Held { drills: held },
            None if ends.is_empty() => Over::NotApplicable,
            None => Over::NotExercised,
        }
    }

    /// How every oracle ended over all drills, as a preset pins it: what is not applicable or not exercised is left out.
    pub fn verdicts(&self) -> BTreeMap<OracleName, Expected> {
        let ended = OracleName::TEXTS.iter().filter_map(|(oracle, _)| match self.over(*oracle) {
            Over::NotApplicable | Over::NotExercised => None,
            Over::Held { .. } => Some((*oracle, Expected::Held)),
            Over::Violated { .. } => Some((*oracle, Expected::Violated)),
        });
        ended.collect()
    }

    /// The drills in a run of which nobody was ever granted the lock.
    pub fn vain(&self) -> impl Iterator<Item = usize> + '_ {
        self.cells.iter().enumerate().filter_map(|(index, cell)| match cell {
            DrillCell::Ended { grants: 0, .. } => Some(index),
            DrillCell::Ended { .. }
            | DrillCell::NotApplicable
            | DrillCell::Refused(_)
            | DrillCell::Divergent { .. } => None,
        })
    }

    /// The drills that could not be run, with the reason.
    pub fn faults(&self) -> impl Iterator<Item = (usize, &DrillCell)> {
        self.cells.iter().enumerate().filter(|(_, cell)| match cell {
            DrillCell::Refused(_) | DrillCell::Divergent { .. } => true,
            DrillCell::NotApplicable | DrillCell::Ended { .. } => false,
        })
    }
}

/// Whether a holder calls for a longer life.
fn extends(scenario: &Scenario) -> bool {
    scenario.setup.clients.iter().any(|client| match &client.workload.extend {
        Extend::At(times) => !times.is_empty(),
        Extend::Every(_) => true,
    })
}

/// Whether a holder calls acquire again.
fn wants_second_hold(scenario: &Scenario) -> bool {
    scenario.setup.clients.iter().any(|client| client.workload.nested.is_some())
}

/// Whether a second call of a holder reaches anybody: most locks refuse it where it is made.
fn takes_second_call(scenario: &Scenario) -> bool {
    let asks =
        |client: &ClientSetup| client.lock.policy().is_some_and(|policy| policy.reacquire == Reacquire::Asks);
    cores(&scenario.setup).iter().any(|core| core.describe().reentrant)
        || scenario.setup.clients.iter().any(asks)
}

/// Whether anything of the plan concerns this lock. Who asks only the first node does not notice what the others
/// suffer.
fn can_hit(scenario: &Scenario) -> bool {
    let plan = &scenario.setup.plan;
    if plan.faults.is_empty() {
        return true;
    }
    let asked = scenario.setup.clients.iter().map(|client| client.lock.voters()).max().unwrap_or(0);
    let renews = cores(&scenario.setup).iter().any(|core| core.describe().renewal.is_some());
    let concerns = |process: &Process| match process {
        Process::Client(_) | Process::Store => true,
        Process::Node(node) => node.voter.0 < asked,
    };
    plan.faults.iter().any(|planned| match &planned.fault {
        Fault::Pause { scope: PauseScope::Process(process), .. }
        | Fault::ClockStep { process, .. }
        | Fault::ClockRate { process, .. }
        | Fault::ClockFreeze { process, .. }
        | Fault::LateTimer { process, .. } => concerns(process),
        Fault::Pause { scope: PauseScope::Worker(_, Worker::Watchdog), .. } => renews,
        Fault::Pause { scope: PauseScope::Worker(_, Worker::User), .. }
        | Fault::Crash { .. }
        | Fault::Cancel { .. } => true,
        Fault::Kill { node, .. }
        | Fault::Slow { node, .. }
        | Fault::Evict { node, .. }
        | Fault::ErrorReply { node, .. }
        | Fault::FlushScripts { node }
        | Fault::Promote { node, .. }
        | Fault::Demote { node }
        | Fault::Lag { node, .. } => concerns(&Process::Node(*node)),
        Fault::Cut { other, .. } => other.iter().any(concerns),
    })
}
