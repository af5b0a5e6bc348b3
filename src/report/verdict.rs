//! The verdict in words: per oracle, over the run, and how it compares with the file.
//!
//! Must not judge: it repeats what `check` decided.

use super::Story;
use super::choose::evidence;
use super::table::{Align, table};
use super::timeline::numbering;
use crate::check::{Doubt, Expected, Mismatch, OracleName, Outcome, Verdict};
use crate::name::MessageName;

/// The judged oracles and how they ended: those that the file names, without such a table all that apply.
pub(super) fn judged(story: Story<'_>) -> Vec<(OracleName, Outcome)> {
    let outcomes = story.result.outcomes.iter().copied();
    match &story.scenario.expect {
        Some(expect) => outcomes.filter(|(oracle, _)| expect.oracles.contains_key(oracle)).collect(),
        None => outcomes.filter(|(_, outcome)| *outcome != Outcome::NotApplicable).collect(),
    }
}

/// One line per judged oracle: how it ended, what was expected, by which records.
pub(super) fn oracles(story: Story<'_>) -> String {
    let (proofs, numbers) = (evidence(story), numbering(story));
    let number = |index: usize| numbers.iter().position(|proof| *proof == index).map_or(0, |place| place + 1);
    let rows = judged(story).into_iter().map(|(oracle, outcome)| {
        let expected = story.scenario.expect.as_ref().and_then(|expect| expect.oracles.get(&oracle));
        let comparison = match expected {
            Some(expected) if expected.is_met_by(outcome) => "as expected".to_owned(),
            Some(expected) => format!("EXPECTED {}", expected_text(*expected)),
            None => String::new(),
        };
        let proof = proofs.iter().find(|(name, _)| *name == oracle);
        let proof =
            proof.map(|(_, [first, second])| format!("by [{}] then [{}]", number(*first), number(*second)));
        vec![oracle.to_string(), outcome.to_string(), comparison, proof.unwrap_or_default()]
    });
    let align = [Align::Left; 4];
    table(["oracle", "ended", "", "evidence"], align, rows)
}

/// The verdict's one word.
pub(super) fn verdict(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Held => "held",
        Verdict::Violated => "violated",
        Verdict::Inconclusive(_) => "inconclusive",
    }
}

pub(super) fn expected_text(expected: Expected) -> &'static str {
    match expected {
        Expected::Held => "held",
        Expected::Violated => "violated",
        Expected::NotExercised => "not-exercised",
    }
}

/// Why "held" would say too much.
pub(super) fn doubt(doubt: Doubt) -> String {
    match doubt {
        Doubt::NotExercised(oracle) => format!("{oracle} was not exercised"),
        Doubt::NotApplicable(oracle) => format!("{oracle} cannot arise here"),
        Doubt::NothingExercised => "no judged oracle was exercised".to_owned(),
        Doubt::UnmetFault(index) => unmet(index),
        Doubt::UnmetMessage(name) => unsent(&name),
        Doubt::UnmetOrder(index) => unordered(index),
        Doubt::Limit => LIMIT.to_owned(),
    }
}

/// How the run differs from its file.
pub(super) fn mismatch(mismatch: &Mismatch) -> String {
    match mismatch {
        Mismatch::Oracle { oracle, expected, found } => {
            format!("{oracle} was expected to be {} and ended {found}", expected_text(*expected))
        }
        Mismatch::Witness { name, expected, found } => {
            let range = match (expected.min, expected.max) {
                (min, Some(max)) if min == max => format!("exactly {min}"),
                (min, Some(max)) => format!("{min} to {max}"),
                (min, None) => format!("at least {min}"),
            };
            format!("{name} was expected {range} times and was witnessed {found} times")
        }
        Mismatch::UnmetFault(index) => unmet(*index),
        Mismatch::UnmetMessage(name) => unsent(name),
        Mismatch::UnmetOrder(index) => unordered(*index),
        Mismatch::Limit => LIMIT.to_owned(),
    }
}

fn unmet(index: u32) -> String {
    format!("planned fault {} never took effect", index + 1)
}

fn unordered(index: u32) -> String {
    format!("order {} of the plan never had its two sides due together", index + 1)
}

fn unsent(name: &MessageName) -> String {
    format!("the message {name}, which the plan directs, was never sent")
}

const LIMIT: &str = "the run was still going at its limit (`limit_ms`, or 2 million events)";
