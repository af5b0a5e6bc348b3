//! All locks side by side as a file to keep.
//!
//! The same bytes wherever and however often it is made.

use super::AssumptionStory;
use super::text::scope;
use super::words::{Cell, break_folder, broken, cell, faults, set, without};
use crate::check::OracleName;
use crate::prove::Kind;
use crate::prove::assume::{Break, Matrix, Row, Within};

/// Where the smallest plans are, beside the file.
const FAILURES: &str = "failures";

/// The file.
pub fn assumptions_markdown(story: AssumptionStory<'_>) -> String {
    let mut text = opening(story);
    for oracle in oracles(story) {
        text.push_str(&format!("\n## {oracle}\n\n{}", alone(story, oracle)));
        text.push_str(&together(story, oracle));
    }
    text.push_str("\n## Scopes\n\nEvery *safe* above holds in these worlds and in no other.\n");
    for matrix in story.matrices {
        let model = &matrix.subject.model;
        text.push_str(&format!("\n### {}\n\n{}. {}\n\n", model.name, model.title, model.claim));
        for (label, line) in scope(matrix, story.states_max) {
            // What the abstraction leaves out is the same everywhere, and is said once.
            if !label.is_empty() && label != "left out" {
                text.push_str(&format!("- **{label}**: {line}\n"));
            }
        }
    }
    text
}

fn opening(story: AssumptionStory<'_>) -> String {
    let rows: String = story
        .matrices
        .iter()
        .map(|matrix| format!("| `{}` | {} |\n", matrix.subject.model.name, matrix.subject.model.title))
        .collect();
    let left: String = crate::prove::LEFT_OUT.iter().map(|what| format!("- {what}\n")).collect();
    format!(
        "# Under which assumptions a Redis lock is safe\n\n\
         Made by `{command}` of fencepost {version}. Every kind of fault is an assumption that is dropped. For each lock \
         and oracle the table says which kinds break it, each alone and two at once, by looking at *every* schedule of \
         a small world: the same lock code against the same Redis node as in every run of this package.\n\n\
         ## How to read it\n\n\
         The bound is on **all faults of a run together**. *Within 1 fault* one fault of one kind may happen, once; the \
         first table of each oracle says what that does. *Within 2 faults* two may, of one kind or of two.\n\n\
         - **breaks**: a schedule with these faults violates the oracle. The link leads to its folder: the shortest \
         schedule, as a scenario that the seeded simulator runs, and that violates the same oracle there.\n\
         - **margin 0**: it breaks only by two intervals that touch in a single instant; in finer time they may miss.\n\
         - **safe**: all schedules with these faults were looked at, and none violates it. It holds in the scope that \
         is listed below, and says nothing about larger ones.\n\
         - **unknown**: a search met more states than its limit (within 1, 2, … faults: {states_max}) before it was over. Nothing is concluded from it.\n\
         - `n/a`: the kind cannot happen in this deployment, or the oracle cannot arise. That is not *safe*.\n\n\
         A *minimal* breaking set breaks while every smaller set inside it is safe; a *maximal* safe set is safe while \
         every larger one breaks. All sets of kinds are decided by these two lists, except those that are undecided. \
         Nodes either all keep everything over a restart or keep nothing: a set with both kinds of crash stands for \
         either.\n\n\
         ```sh\n\
         cargo run --release -- prove --assumptions redlock-3                  # one column again\n\
         cargo run --release -- run reports/{FAILURES}/FOLDER/scenario.toml    # a schedule, with its timeline\n\
         ```\n\n\
         What the abstraction leaves out, everywhere:\n\n{left}\n\
         ## Locks\n\n| name | lock |\n|---|---|\n{rows}",
        command = story.command,
        version = env!("CARGO_PKG_VERSION"),
        states_max = story.states_max.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
    )
}

/// The oracles that any lock is asked, in their order.
fn oracles(story: AssumptionStory<'_>) -> Vec<OracleName> {
    let mut all: Vec<OracleName> =
        story.matrices.iter().flat_map(|matrix| matrix.rows.iter().map(|row| row.oracle)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn asked(story: AssumptionStory<'_>, oracle: OracleName) -> impl Iterator<Item = (&Matrix, &Row)> {
    let rows = story.matrices.iter().map(move |matrix| {
        let row = matrix.rows.iter().find(|row| row.oracle == oracle);
        row.map(|row| (matrix, row))
    });
    rows.flatten()
}

/// Kinds as rows, locks as columns, one fault.
fn alone(story: AssumptionStory<'_>, oracle: OracleName) -> String {
    let columns: Vec<(&Matrix, &Row)> = asked(story, oracle).collect();
    let names: String =
        columns.iter().map(|(matrix, _)| format!(" {} |", matrix.subject.model.name)).collect();
    let mut text = format!("| within 1 fault |{names}\n|---|{}\n", "---|".repeat(columns.len()));
    let cells: String = columns.iter().map(|(_, row)| format!(" {} |", without(row.without))).collect();
    text.push_str(&format!("| *no fault* |{cells}\n"));
    for (kind, name) in Kind::TEXTS {
        let cells = columns.iter().map(|(matrix, row)| {
            let within = row.within.iter().find(|within| within.faults == 1);
            format!(" {} |", cell_text(matrix, row.oracle, cell(matrix, row, within, kind)))
        });
        text.push_str(&format!("| {name} |{}\n", cells.collect::<String>()));
    }
    text
}

fn cell_text(matrix: &Matrix, oracle: OracleName, cell: Cell<'_>) -> String {
    match cell {
        Cell::Absent => "n/a".to_owned(),
        Cell::Silent(why) => without(why).to_owned(),
        Cell::Breaks(found) => linked("breaks", &matrix.subject.model.name, oracle, found),
        Cell::Safe => "safe".to_owned(),
        Cell::Idle => "no effect".to_owned(),
        Cell::Unknown => "unknown".to_owned(),
    }
}

fn linked(text: &str, subject: &str, oracle: OracleName, found: &Break) -> String {
    match break_folder(subject, oracle, found) {
        Some(folder) => format!("[{text}]({FAILURES}/{folder}/scenario.toml)"),
        None => format!("{text} (margin 0)"),
    }
}

/// What two faults do beyond one, lock by lock.
fn together(story: AssumptionStory<'_>, oracle: OracleName) -> String {
    let mut text = String::new();
    for (matrix, row) in asked(story, oracle) {
        let mut before: Option<&Within> = None;
        for within in &row.within {
            text.push_str(&bounded(matrix, oracle, before, within));
            before = Some(within);
        }
    }
    text
}

fn bounded(matrix: &Matrix, oracle: OracleName, before: Option<&Within>, within: &Within) -> String {
    let name = &matrix.subject.model.name;
    let mut text = format!("\n**{name}**, within {}:\n\n", faults(within.faults));
    let is_known = |found: &Break| before.is_some_and(|before| before.broken(&found.kinds).is_some());
    let mut lines = |label: &str, sets: Vec<String>| {
        if !sets.is_empty() {
            text.push_str(&format!("- {label}: {}\n", sets.join("; ")));
        }
    };
    let told = |found: &Break| match break_folder(name, oracle, found) {
        Some(folder) => format!("[{}]({FAILURES}/{folder}/scenario.toml)", broken(found)),
        None => broken(found),
    };
    let fresh =
        |sets: &[Break]| -> Vec<String> { sets.iter().filter(|found| !is_known(found)).map(told).collect() };
    let all = |sets: &[Vec<Kind>]| -> Vec<String> { sets.iter().map(|kinds| set(kinds)).collect() };
    let label = if before.is_some() { "minimal breaking, besides those above" } else { "minimal breaking" };
    lines(label, fresh(&within.minimal));
    lines("breaking, perhaps not minimal", fresh(&within.perhaps_minimal));
    lines("maximal safe", all(&within.safe));
    lines("safe, perhaps not maximal", all(&within.perhaps_larger));
    lines("smallest undecided", all(&within.undecided.0));
    lines("largest undecided", all(&within.undecided.1));
    text
}
