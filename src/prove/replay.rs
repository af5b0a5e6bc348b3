//! A counterexample as an ordinary scenario: the model's world, the plan of the path, one expectation.
//!
//! What is written here is read by the door that every scenario comes through, and run by the seeded explorer: that
//! is the check on the prover. Must not search. `spelled.rs` writes the text.

use super::ask::Model;
use super::spelled::{Frame, spelled};
use crate::check::{OracleName, Outcome};
use crate::history::Fact;
use crate::name::Process;
use crate::plan::{MessageFate, Plan};
use crate::scenario::{Edits, Scenario, parse, write};
use crate::sim::{Explorer, Keep, RunResult};
use crate::time::{Span, WorldTime};
use crate::world::{Setup, Workload};

/// The seed of every replay: a counterexample leaves nothing to it but nonces.
pub const REPLAY_SEED: u64 = 1;

/// The latency of whatever the plan does not direct, in microseconds.
pub(super) const LATENCY_US: i64 = 1;

/// How long the world may go on after the path.
const AFTERWARDS: Span = Span(3_600_000_000);

/// The model's world as a scenario that takes the path of `plan` until `end` and expects `oracle` to be violated.
/// Messages that are as fast as any are not in its plan.
///
/// Clients of a model call for ever; here each wants no more sections than the busiest one asked for on the path,
/// so that the run ends by itself. Its text can be written to a file and run.
///
/// # Panics
/// If the plan is not one of this model, or the scope holds what a scenario file cannot say.
pub fn counterexample(model: &Model, oracle: OracleName, plan: &Plan, end: WorldTime) -> Scenario {
    scenario(model, Some(oracle), plan, end)
}

/// The model's world as a scenario that takes the path of `plan` until `end` and expects nothing.
///
/// # Panics
/// As [`counterexample`].
pub fn schedule(model: &Model, plan: &Plan, end: WorldTime) -> Scenario {
    scenario(model, None, plan, end)
}

fn scenario(model: &Model, oracle: Option<OracleName>, plan: &Plan, end: WorldTime) -> Scenario {
    let plan = &terse(plan);
    let world = model.scope.setup(model.policy.clone());
    let limit = end + latest(plan) + AFTERWARDS;
    let frame = |cycles| Frame { model, oracle, setup: &world, cycles, limit };
    let endless = finished(&frame(1), plan);
    let cycles = cycles(endless, plan, end);
    let scenario = finished(&frame(cycles), plan);
    assert_eq!(
        scenario.setup,
        expected(&world, &scenario.setup, plan, cycles),
        "what is written of a world is that world"
    );
    scenario
}

/// Runs a counterexample: how the oracle ended, if it was violated not later than `end`, and the whole run.
///
/// # Panics
/// As [`counterexample`].
pub fn replay(model: &Model, oracle: OracleName, plan: &Plan, end: WorldTime) -> (Outcome, RunResult) {
    let scenario = counterexample(model, oracle, plan, end);
    let result = crate::sim::run(&scenario, REPLAY_SEED);
    let outcome = result.outcomes.iter().find(|(name, _)| *name == oracle).map(|(_, outcome)| *outcome);
    let outcome = match outcome {
        // What happens after the path is no part of it.
        Some(Outcome::Violated(violation)) if violation.at > end => Outcome::Held,
        Some(outcome) => outcome,
        None => Outcome::NotApplicable,
    };
    (outcome, result)
}

/// The scenario as whoever opens its file would read it.
fn finished(frame: &Frame<'_>, plan: &Plan) -> Scenario {
    let origin = format!("{}.toml", frame.model.name);
    let bare = read(&origin, &spelled(frame));
    let text = write(&bare, &Edits { plan, ..Edits::seed(&bare, REPLAY_SEED) });
    read(&origin, &text)
}

fn read(origin: &str, text: &str) -> Scenario {
    parse(origin, text).unwrap_or_else(|error| panic!("what is written can be read: {error}\n{text}"))
}

/// The plan without directives that say what happens anyway.
pub(super) fn terse(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    plan.messages.retain(|directive| directive.fate != MessageFate::Delay(Span(LATENCY_US)));
    plan
}

/// How many sections a client must want at most for the path to happen: as many as calls that the busiest began.
fn cycles(scenario: Scenario, plan: &Plan, end: WorldTime) -> u32 {
    let mut setup = Setup { plan: plan.clone(), limit: end, ..scenario.setup.clone() };
    for client in &mut setup.clients {
        client.workload.cycles = Workload::ENDLESS;
    }
    let clients = setup.clients.len();
    let endless = Scenario { setup, ..scenario };
    let result = Explorer::new(&endless).run(REPLAY_SEED, Keep::Records);
    let mut calls = vec![0; clients];
    for record in &result.records {
        if let (Process::Client(client), Fact::AcquireBegan { .. }) = (record.process, &record.fact)
            && record.at <= end
        {
            calls[usize::from(client.0)] += 1;
        }
    }
    calls.into_iter().max().unwrap_or(0).max(1)
}

/// The longest that a message of the plan is on its way, or how late its last timer is.
fn latest(plan: &Plan) -> Span {
    let delays = plan.messages.iter().map(|directive| match directive.fate {
        MessageFate::Delay(delay) => delay,
        MessageFate::Lose => Span::ZERO,
    });
    let timers = plan.deferrals.iter().map(|deferral| deferral.until - WorldTime::ZERO);
    let faults = plan.faults.iter().filter_map(|fault| fault.lasts);
    delays.chain(timers).chain(faults).max().unwrap_or(Span::ZERO)
}

/// The model's world with all that a replay says differently.
fn expected(world: &Setup, read: &Setup, plan: &Plan, cycles: u32) -> Setup {
    let mut setup = Setup {
        plan: plan.clone(),
        limit: read.limit,
        settle: read.settle,
        latency_max: Span(LATENCY_US),
        ..world.clone()
    };
    for (client, read) in setup.clients.iter_mut().zip(&read.clients) {
        client.workload.cycles = cycles;
        // No lock has no times, whatever a scope fits into them.
        if client.lock.voters() == 0 {
            client.lock = read.lock.clone();
        }
    }
    setup
}
