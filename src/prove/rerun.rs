//! An exported path in the seeded world: the check on the prover.
//!
//! Must not search.

use super::model::ScopeModel;
use super::replay::{LATENCY_US, REPLAY_SEED, terse};
use crate::check::OracleName;
use crate::lock::LockCore;
use crate::plan::{Plan, Quantile, Quantiles};
use crate::scenario::{Runner, Scenario};
use crate::sim::{Explorer, Keep, RunResult};
use crate::time::WorldTime;
use crate::world::Setup;

/// Whether the seeded world violates this oracle too under the plan of a path, not later than at its end.
pub(crate) fn violates<C: LockCore>(
    model: &ScopeModel<C>,
    oracle: OracleName,
    plan: &Plan,
    end: WorldTime,
) -> bool {
    let result = rerun(model, plan, end);
    result.violations.iter().any(|violation| violation.oracle == oracle && violation.at <= end)
}

/// The seeded world under the plan of a path, to its end.
pub(crate) fn rerun<C: LockCore>(model: &ScopeModel<C>, plan: &Plan, end: WorldTime) -> RunResult {
    Explorer::new(&seeded(model, plan, end)).run_cores(model.cores().to_vec(), REPLAY_SEED, Keep::Records)
}

/// The model's world as a scenario that takes the path of `plan`, without what happens anyway, and is cut off just after
/// its `end`. It expects nothing and has no text: it is for cores of any kind, which no file can name; run it with
/// [`Explorer::run_cores`] and [`ScopeModel::cores`].
pub fn seeded<C: LockCore>(model: &ScopeModel<C>, plan: &Plan, end: WorldTime) -> Scenario {
    let limit = WorldTime(end.0 + 1);
    let setup = Setup { plan: terse(plan), limit, ..model.setup().clone() };
    let instant = [0, 1_000].map(|permille| Quantile { permille, value: LATENCY_US }).to_vec();
    Scenario {
        name: "counterexample".to_owned(),
        title: String::new(),
        claim: String::new(),
        source: Vec::new(),
        seed: REPLAY_SEED,
        latency: Quantiles::new(instant).expect("a constant is a distribution"),
        links: Vec::new(),
        like: None,
        drawn: None,
        expect: None,
        text: String::new(),
        origin: "counterexample".to_owned(),
        runner: Runner::Shipped,
        setup,
    }
}
