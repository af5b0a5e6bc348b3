//! A proof as one line of a list, and the lines above and below it.
//!
//! Must fit any terminal that wraps: what matters most comes first.

use super::ProofStory;
use super::ended::{ended_text, finding, pin, word};
use super::scope::{counted, short};
use crate::prove::{Finding, ProgressFinding};

/// The line above a list of so many models.
pub fn prove_head(models: usize) -> String {
    format!("{}, each line as it ends\n", counted(models as u64, "model"))
}

/// One line, with the name as wide as `width`.
pub fn prove_line(story: ProofStory<'_>, width: usize) -> String {
    let effort = &story.proof.effort;
    let parts = [
        format!("{:width$}", story.model.name),
        format!("{:15}", word(story)),
        findings(story),
        short(story.model),
        format!("{} in {}", counted(effort.states, "state"), speed(story)),
        ended_text(effort.ended).to_owned(),
        pin(story).to_owned(),
    ];
    format!("{}\n", parts.join("  "))
}

/// The line below it: how many there were, and how many were not as expected.
pub fn prove_sum(stories: &[ProofStory<'_>], skipped: usize) -> String {
    let count = |code: u8| stories.iter().filter(|story| story.verdict.exit_code() == code).count();
    let states: u64 = stories.iter().map(|story| story.proof.effort.states + story.proof.effort.beside).sum();
    let ms: u64 = stories.iter().map(|story| story.took_ms).sum();
    let mut parts = vec![format!("{} as expected", count(0))];
    for (code, what) in
        [(1, "not as expected"), (2, "inconclusive"), (70, "where the seeded world disagrees")]
    {
        if count(code) > 0 {
            parts.push(format!("{} {what}", count(code)));
        }
    }
    if skipped > 0 {
        parts.push(format!("{skipped} not looked at"));
    }
    format!("{}; {states} states in {}\n", parts.join(", "), seconds(ms))
}

/// How long it took, and how many states a second, all searches together.
pub(super) fn speed(story: ProofStory<'_>) -> String {
    let effort = &story.proof.effort;
    let all = u128::from(effort.states + effort.beside);
    let rate = all * 1_000 / u128::from(story.took_ms.max(1));
    format!("{} ({rate}/s)", seconds(story.took_ms))
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03} s", ms / 1_000, ms % 1_000)
}

/// `held promise-overlap, promise-empty; violated section-overlap`.
pub(super) fn findings(story: ProofStory<'_>) -> String {
    let mut groups: Vec<(&'static str, Vec<String>)> = Vec::new();
    for (oracle, found) in &story.proof.findings {
        let word = finding(found);
        match groups.iter_mut().find(|(known, _)| *known == word) {
            Some((_, oracles)) => oracles.push(oracle.to_string()),
            None => groups.push((word, vec![oracle.to_string()])),
        }
    }
    let mut parts: Vec<String> =
        groups.into_iter().map(|(word, oracles)| format!("{word} {}", oracles.join(", "))).collect();
    if story.proof.findings.iter().any(|(_, found)| *found == Finding::Held) {
        let seen = story.proof.witnesses.iter().filter(|(_, seen)| *seen);
        let seen: Vec<String> = seen.map(|(name, _)| name.to_string()).collect();
        parts.push(format!("witnessed {}", seen.join(", ")));
    }
    parts.extend(story.proof.progress.as_ref().map(|found| match found {
        ProgressFinding::Within { ticks, .. } => {
            format!("granted within {}", counted(u64::from(*ticks), "tick"))
        }
        ProgressFinding::Endless { way_out: true, .. } => "may never be granted, with a way out".to_owned(),
        ProgressFinding::Endless { way_out: false, .. } => "may never be granted".to_owned(),
        ProgressFinding::DeadEnd { .. } => "may come to a dead end".to_owned(),
        ProgressFinding::Unknown => "progress unknown".to_owned(),
    }));
    parts.join("; ")
}
