//! The text of a failed test: what went wrong, in which scope, the shortest schedule, how to go on.
//!
//! With the feature `cli` the schedule is the timeline of a run; without it, a line for each record. Must not decide
//! whether a test fails.

use super::proving::Proving;
use crate::check::{Expectation, Expected, OracleName};
use crate::lock::LockCore;
use crate::prove::{Counterexample, Ended, Finding, Kind, LEFT_OUT, Proof, REPLAY_SEED, Replay, seeded};
use crate::scenario::Scenario;
use crate::sim::{Explorer, Keep, RunResult};
use std::collections::BTreeMap;

/// The whole text.
pub(super) fn page<C: LockCore>(proving: &Proving<C>, proof: &Proof, faults: &[String]) -> String {
    let mut text = String::new();
    for fault in faults {
        text.push('\n');
        text.push_str(fault);
    }
    let (name, effort) = (proving.core().describe().protocol, &proof.effort);
    text.push_str(&format!("\n{name} was proved in this scope, and what is said holds for nothing else:\n"));
    text.push_str(&scope(proving));
    let ended = match effort.ended {
        Ended::Exhausted => "exhausted",
        Ended::Answered => "answered before it was exhausted",
        Ended::Limit | Ended::Stopped => "NOT exhausted",
    };
    text.push_str(&format!("  searched   {} unique states, {ended}\n", effort.states));
    for (index, what) in LEFT_OUT.iter().enumerate() {
        text.push_str(&format!("  {:10} {what}\n", if index == 0 { "left out" } else { "" }));
    }
    text.push_str(
        "\nTo go on: `.run()` returns the proof, with the choices and the plan of each schedule; `.judging(&[…])` asks \
         for one oracle alone; a smaller scope shows the same with less around it.\n",
    );
    text
}

/// A violation, with its schedule.
pub(super) fn violated<C: LockCore>(
    proving: &Proving<C>,
    oracle: OracleName,
    found: &Counterexample,
) -> String {
    let model = proving.model();
    // The timeline numbers the evidence of what is expected.
    let oracles = BTreeMap::from([(oracle, Expected::Violated)]);
    let expect = Expectation { oracles, witnesses: BTreeMap::new() };
    let scenario = Scenario { expect: Some(expect), ..seeded(&model, &found.plan, found.end) };
    let run = Explorer::new(&scenario).run_cores(model.cores().to_vec(), REPLAY_SEED, Keep::Records);
    let (sentence, schedule) = schedule(&scenario, &run, oracle);
    let kinds: Vec<&str> = found.faults.iter().map(|kind| kind.text()).collect();
    let after = match kinds.as_slice() {
        [] => "without any fault".to_owned(),
        kinds => format!("after {}", kinds.join(", ")),
    };
    let steps = found.path.len();
    let doubt = match found.replay {
        Replay::Agrees => String::new(),
        Replay::Touches => {
            "  margin 0: two intervals touch in one instant, which in finer time they may miss\n".to_owned()
        }
        Replay::Untold => "  not confirmed by the seeded world: a plan cannot say all of this schedule, or a search ended early\n".to_owned(),
        Replay::Disagrees => format!(
            "  the seeded world does not confirm this schedule, which is a fault of fencepost; please report it with \
             its plan:\n  {:?}\n",
            found.plan
        ),
    };
    format!(
        "{oracle} is violated, {after}: {sentence}\n{doubt}  none is shorter; {steps} choices, as a run:\n\n{schedule}"
    )
}

/// Something that says less than held.
pub(super) fn not_held(oracle: OracleName, finding: &Finding, proof: &Proof) -> String {
    let why = match finding {
        Finding::NotExercised => {
            "is not exercised in any schedule of the scope, which says nothing: let clients call more often, work \
             longer or write"
        }
        Finding::NotApplicable => {
            "cannot arise in the scope, which says nothing: it needs at least two clients, and what it is about"
        }
        Finding::Unknown | Finding::Held | Finding::Violated(_) => {
            return format!(
                "{oracle} is unknown, not held: only {} states were looked at. Raise `.states_max(…)`, or make the scope \
                 smaller\n",
                proof.effort.states
            );
        }
    };
    format!("{oracle} {why}\n")
}

/// A fault that was allowed in vain.
pub(super) fn never_happened(kind: Kind) -> String {
    format!("no {} ever took effect, so that allowing it says nothing\n", kind.text())
}

#[cfg(feature = "cli")]
fn scope<C: LockCore>(proving: &Proving<C>) -> String {
    let lines = crate::report::scope_lines(proving.scope(), proving.menu(), &proving.core().describe());
    lines.into_iter().map(|(label, text)| format!("  {label:10} {text}\n")).collect()
}

#[cfg(not(feature = "cli"))]
fn scope<C: LockCore>(proving: &Proving<C>) -> String {
    format!("  scope      {:?}\n  faults     {:?}\n", proving.scope(), proving.menu())
}

/// The sentence of the run and its timeline.
#[cfg(feature = "cli")]
fn schedule(scenario: &Scenario, result: &RunResult, oracle: OracleName) -> (String, String) {
    use crate::report::{Length, Story, event, timeline};
    let story = Story { scenario, result };
    (event(story, oracle), timeline(story, Length::Short))
}

/// The records of the run that judges look at, a line each.
#[cfg(not(feature = "cli"))]
fn schedule(_: &Scenario, result: &RunResult, oracle: OracleName) -> (String, String) {
    let told = result.records.iter().filter(|record| !record.fact.is_traffic());
    let lines = told.map(|record| {
        let (s, us) = (record.at.0 / 1_000_000, record.at.0 % 1_000_000);
        format!("  {s:>4}.{us:06} {:10} {:?}\n", record.process.to_string(), record.fact)
    });
    (format!("{oracle} was violated"), lines.collect())
}
