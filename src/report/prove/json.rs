//! Proofs for a program: one object with a schema number.
//!
//! Carries nothing that differs between two proofs of one model: neither times nor rates.

use super::super::json::SCHEMA;
use super::ended::{ended, finding, replay, shown};
use super::{ProofStory, scope};
use crate::check::Expected;
use crate::prove::{Ended, Finding, LEFT_OUT, ProgressFinding};
use serde_json::{Map, Value, json};

/// All proofs as one line; `skipped` models were not looked at.
pub fn prove_json(stories: &[ProofStory<'_>], skipped: &[String]) -> String {
    let models: Vec<Value> = stories.iter().map(|story| model(*story)).collect();
    format!("{}\n", json!({ "schema": SCHEMA, "models": models, "skipped": skipped }))
}

fn model(story: ProofStory<'_>) -> Value {
    let (model, proof) = (story.model, story.proof);
    let effort = &proof.effort;
    let scope: Map<String, Value> =
        scope::lines(model).into_iter().map(|(label, text)| (label.to_owned(), text.into())).collect();
    let pinned = model.pinned.map(|pinned| {
        let agrees = (effort.ended == Ended::Exhausted).then_some(effort.states == pinned.states);
        json!({ "states": pinned.states, "agrees": agrees })
    });
    let exhausted = effort.ended == Ended::Exhausted;
    // How much is seen before a limit differs from run to run.
    let counts = matches!(effort.ended, Ended::Exhausted | Ended::Answered);
    json!({
        "model": model.name,
        "title": model.title,
        "as_expected": story.verdict.as_expected(),
        "exit": story.verdict.exit_code(),
        "oracles": oracles(story),
        "progress": proof.progress.as_ref().map(progress),
        "ended": ended(effort.ended),
        "exhausted": exhausted,
        "states": counts.then_some(effort.states),
        "transitions": counts.then_some(effort.edges),
        "depth": counts.then_some(effort.depth),
        "collision_power": effort.collision_power,
        "pinned": pinned,
        "witnesses": names(proof.witnesses.iter().map(|(name, seen)| (name.to_string(), *seen))),
        "happened": names(proof.happened.iter().map(|(kind, seen)| (kind.text().to_owned(), *seen))),
        "scope": scope,
        "left_out": LEFT_OUT,
    })
}

fn names(all: impl Iterator<Item = (String, bool)>) -> Map<String, Value> {
    all.map(|(name, seen)| (name, seen.into())).collect()
}

fn oracles(story: ProofStory<'_>) -> Vec<Value> {
    let rows = story.proof.findings.iter().map(|(oracle, found)| {
        let expected = story.model.expect.iter().find(|(name, _)| name == oracle);
        let expected: Option<&Expected> = expected.map(|(_, expected)| expected);
        let mut row = json!({ "oracle": oracle, "ended": finding(found), "expected": expected });
        if let Finding::Violated(found) = found {
            let faults: Vec<&str> = found.faults.iter().map(|kind| kind.text()).collect();
            row["choices"] = found.path.len().into();
            row["faults"] = faults.into();
            row["replay"] = replay(found.replay).into();
            row["folder"] = shown(story, *oracle).and_then(|shown| shown.folder.clone()).into();
        }
        row
    });
    rows.collect()
}

fn progress(found: &ProgressFinding) -> Value {
    match found {
        ProgressFinding::Within { ticks, .. } => json!({ "ended": "within", "ticks": ticks }),
        ProgressFinding::Endless { stem, cycle, way_out, .. } => {
            json!({ "ended": "endless", "stem": stem.len(), "cycle": cycle.len(), "way_out": way_out })
        }
        ProgressFinding::DeadEnd { path } => json!({ "ended": "dead-end", "choices": path.len() }),
        ProgressFinding::Unknown => json!({ "ended": "unknown" }),
    }
}
