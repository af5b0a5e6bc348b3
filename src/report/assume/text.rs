//! One lock's assumptions as a page.
//!
//! Must not leave out the scope, nor what stayed undecided.

use super::super::prove::model_lines;
use super::AssumptionStory;
use super::words::{absence, broken, faults, set, without};
use crate::prove::assume::{Absence, Matrix, Within};
use crate::prove::{Kind, LEFT_OUT};

/// The pages of all locks of the story.
pub fn assumptions_text(story: AssumptionStory<'_>) -> String {
    let pages: Vec<String> = story.matrices.iter().map(|matrix| page(matrix, story.states_max)).collect();
    pages.join("\n")
}

fn page(matrix: &Matrix, states_max: &[u32]) -> String {
    let model = &matrix.subject.model;
    let mut text = format!("{}: {}\n", model.name, model.title);
    for row in &matrix.rows {
        text.push_str(&format!("\n{}: {} without faults\n", row.oracle, without(row.without)));
        text.push_str(&row.within.iter().map(told).collect::<String>());
    }
    text.push('\n');
    for (label, line) in scope(matrix, states_max) {
        text.push_str(&format!("{label:10} {line}\n"));
    }
    text
}

fn told(within: &Within) -> String {
    let mut text = format!("  within {}\n", faults(within.faults));
    let mut lines = |label: &str, sets: Vec<String>| {
        for set in sets {
            text.push_str(&format!("    {label:9} {set}\n"));
        }
    };
    lines("breaks", within.minimal.iter().map(broken).collect());
    lines(
        "breaks",
        within.perhaps_minimal.iter().map(|set| format!("{}, perhaps not minimal", broken(set))).collect(),
    );
    lines("safe", within.safe.iter().map(|kinds| set(kinds)).collect());
    lines(
        "safe",
        within.perhaps_larger.iter().map(|kinds| format!("{}, perhaps not maximal", set(kinds))).collect(),
    );
    let (least, most) = &within.undecided;
    lines("undecided", least.iter().map(|kinds| format!("from {}", set(kinds))).collect());
    lines("undecided", most.iter().map(|kinds| format!("up to {}", set(kinds))).collect());
    text
}

/// All that "safe" depends on, line by line, each with its label.
pub(super) fn scope(matrix: &Matrix, states_max: &[u32]) -> Vec<(&'static str, String)> {
    let subject = &matrix.subject;
    // What restarts keep depends on the set, and which faults there are too.
    let mut lines: Vec<(&'static str, String)> =
        model_lines(&subject.model).into_iter().filter(|(label, _)| *label != "faults").collect();
    lines.push(("faults", kinds(matrix)));
    if !subject.absent.is_empty() {
        lines.push(("n/a", absent(&subject.absent)));
    }
    if !matrix.idle.is_empty() {
        lines.push(("idle", format!("{} never took effect", set(&matrix.idle))));
    }
    let effort = matrix.effort;
    let most: Vec<String> = states_max.iter().map(u32::to_string).collect();
    lines.push((
        "searched",
        format!(
            "{} searches, {} states; at most {} in one within 1, 2, … faults",
            effort.searches,
            effort.states,
            most.join(", ")
        ),
    ));
    let left = LEFT_OUT.iter().enumerate();
    lines.extend(left.map(|(index, what)| (if index == 0 { "left out" } else { "" }, (*what).to_owned())));
    lines
}

fn kinds(matrix: &Matrix) -> String {
    let subject = &matrix.subject;
    let kinds = subject.kinds.iter().map(|(kind, (least, most))| match (least, most) {
        (0, 0) => kind.text().to_owned(),
        _ => format!("{} {least} to {most}", kind.text()),
    });
    let keeps = subject.kinds.iter().any(|(kind, _)| *kind == Kind::NodeCrashKeeping);
    let keeps = if keeps { "; with node-crash-keeping nodes keep everything over a restart" } else { "" };
    format!("in ticks: {}{keeps}", kinds.collect::<Vec<_>>().join(", "))
}

/// Kinds that cannot happen, reason by reason.
fn absent(absent: &[(Kind, Absence)]) -> String {
    let mut reasons: Vec<(Absence, Vec<&str>)> = Vec::new();
    for (kind, why) in absent {
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, kinds)) => kinds.push(kind.text()),
            None => reasons.push((*why, vec![kind.text()])),
        }
    }
    let told = reasons.into_iter().map(|(why, kinds)| format!("{}: {}", absence(why), kinds.join(", ")));
    told.collect::<Vec<_>>().join("; ")
}
