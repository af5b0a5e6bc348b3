//! What is hunted: a scenario whose runs differ by seed, and perhaps by a plan drawn from it.
//!
//! Must not decide which seeds are run.

use super::cores::{Make, cores};
use super::judged::{Keep, RunResult};
use super::run::Explorer;
use crate::lock::{Core, LockCore};
use crate::plan::Plan;
use crate::scenario::Scenario;
use std::borrow::Cow;

/// Anything that makes one run of one seed, always the same.
pub trait Runs: Sync {
    /// The run of this seed.
    fn run(&self, seed: u64, keep: Keep) -> RunResult;

    /// The scenario of this seed, with the plan that its run was under.
    fn scenario(&self, seed: u64) -> Cow<'_, Scenario>;
}

/// Where the plan of a seed comes from.
#[derive(Clone, Copy)]
pub enum Plans<'a> {
    /// Every seed is run under the file's own plan.
    Kept,
    /// Every seed has a plan of its own, which is this pure function of it.
    Drawn(&'a (dyn Fn(u64) -> Plan + Sync)),
}

/// A scenario and its plans.
#[derive(Clone, Debug)]
pub struct Subject<'a, C = Core> {
    scenario: &'a Scenario,
    explorer: Explorer<'a, C>,
    plans: Plans<'a>,
}

impl<'a> Subject<'a> {
    /// Makes it ready to be run under many seeds.
    pub fn new(scenario: &'a Scenario, plans: Plans<'a>) -> Self {
        Self::with(scenario, plans, &cores)
    }
}

impl<'a, C: LockCore> Subject<'a, C> {
    /// The same with cores of any kind.
    pub fn with(scenario: &'a Scenario, plans: Plans<'a>, make: Make<'_, C>) -> Self {
        Self { scenario, explorer: Explorer::with(scenario, make), plans }
    }
}

impl<C: LockCore> Runs for Subject<'_, C> {
    fn run(&self, seed: u64, keep: Keep) -> RunResult {
        match self.plans {
            Plans::Kept => self.explorer.run(seed, keep),
            Plans::Drawn(draw) => self.explorer.under(draw(seed)).run(seed, keep),
        }
    }

    fn scenario(&self, seed: u64) -> Cow<'_, Scenario> {
        match self.plans {
            Plans::Kept => Cow::Borrowed(self.scenario),
            Plans::Drawn(draw) => {
                let mut scenario = self.scenario.clone();
                scenario.setup.plan = draw(seed);
                Cow::Owned(scenario)
            }
        }
    }
}

impl std::fmt::Debug for Plans<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Kept => "Kept",
            Self::Drawn(_) => "Drawn",
        })
    }
}
