//! Matrices for a program: one object with a schema number.
//!
//! Carries nothing that differs between two surveys of one lock.

use super::super::json::SCHEMA;
use super::AssumptionStory;
use super::text::scope;
use super::words::{absence, break_folder, without};
use crate::check::OracleName;
use crate::prove::assume::{Break, Matrix, Row, Within};
use crate::prove::{Kind, Replay};
use serde_json::{Map, Value, json};

/// All matrices as one line.
pub fn assumptions_json(story: AssumptionStory<'_>) -> String {
    let matrices: Vec<Value> = story.matrices.iter().map(|matrix| value(matrix, story.states_max)).collect();
    let object = json!({
        "schema": SCHEMA, "version": env!("CARGO_PKG_VERSION"), "command": story.command,
        "states_max": story.states_max, "locks": matrices,
    });
    format!("{object}\n")
}

fn value(matrix: &Matrix, states_max: &[u32]) -> Value {
    let subject = &matrix.subject;
    let lines =
        scope(matrix, states_max).into_iter().filter(|(label, _)| !label.is_empty() && *label != "left out");
    let scope: Map<String, Value> = lines.map(|(label, text)| (label.to_owned(), text.into())).collect();
    let kinds =
        subject.kinds.iter().map(|(kind, (least, most))| (kind.text().to_owned(), json!([least, most])));
    let absent = subject.absent.iter().map(|(kind, why)| (kind.text().to_owned(), absence(*why).into()));
    let rows: Vec<Value> = matrix.rows.iter().map(|row| row_value(&subject.model.name, row)).collect();
    json!({
        "lock": subject.model.name, "title": subject.model.title, "scope": scope,
        "kinds": kinds.collect::<Map<_, _>>(), "not_applicable": absent.collect::<Map<_, _>>(),
        "idle": names(&matrix.idle), "complete": matrix.is_complete,
        "searches": matrix.effort.searches, "states": matrix.effort.states, "oracles": rows,
    })
}

fn row_value(subject: &str, row: &Row) -> Value {
    let within: Vec<Value> =
        row.within.iter().map(|within| within_value(subject, row.oracle, within)).collect();
    json!({ "oracle": row.oracle.text(), "without_faults": without(row.without), "within": within })
}

fn within_value(subject: &str, oracle: OracleName, within: &Within) -> Value {
    let broken = |sets: &[Break]| -> Vec<Value> {
        sets.iter().map(|broken| break_value(subject, oracle, broken)).collect()
    };
    json!({
        "faults": within.faults,
        "minimal_breaking": broken(&within.minimal),
        "breaking_perhaps_not_minimal": broken(&within.perhaps_minimal),
        "maximal_safe": sets(&within.safe),
        "safe_perhaps_not_maximal": sets(&within.perhaps_larger),
        "undecided_minimal": sets(&within.undecided.0),
        "undecided_maximal": sets(&within.undecided.1),
    })
}

fn break_value(subject: &str, oracle: OracleName, broken: &Break) -> Value {
    let replay = match broken.found.replay {
        Replay::Agrees => "agrees",
        Replay::Touches => "touches",
        Replay::Untold => "untold",
        Replay::Disagrees => "disagrees",
    };
    json!({
        "kinds": names(&broken.kinds), "struck": names(&broken.found.faults), "choices": broken.found.path.len(),
        "replay": replay, "folder": break_folder(subject, oracle, broken),
    })
}

fn names(kinds: &[Kind]) -> Vec<&'static str> {
    kinds.iter().map(|kind| kind.text()).collect()
}

fn sets(sets: &[Vec<Kind>]) -> Vec<Vec<&'static str>> {
    sets.iter().map(|set| names(set)).collect()
}
