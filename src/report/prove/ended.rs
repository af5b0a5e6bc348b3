//! How the parts of a proof ended, in words.
//!
//! Must not judge: it repeats what the verdict says.

use super::super::verdict::expected_text;
use super::scope::{counted, span};
use super::{ProofStory, Shown};
use crate::prove::{Difference, Doubt, Ended, Endless, Finding, Measure, Progress, ProgressFinding, Replay};

/// The one word of a finding.
pub(super) fn finding(finding: &Finding) -> &'static str {
    match finding {
        Finding::Held => "held",
        Finding::Violated(_) => "violated",
        Finding::NotExercised => "not-exercised",
        Finding::NotApplicable => "n/a",
        Finding::Unknown => "unknown",
    }
}

/// What the seeded world says of a counterexample, as JSON names it.
pub(super) fn replay(replay: Replay) -> &'static str {
    match replay {
        Replay::Agrees => "agrees",
        Replay::Touches => "touches",
        Replay::Untold => "untold",
        Replay::Disagrees => "disagrees",
    }
}

/// How the search ended, as JSON names it.
pub(super) fn ended(ended: Ended) -> &'static str {
    match ended {
        Ended::Exhausted => "exhausted",
        Ended::Answered => "answered",
        Ended::Limit => "limit",
        Ended::Stopped => "stopped",
    }
}

/// How the search ended, for a person.
pub(super) fn ended_text(end: Ended) -> &'static str {
    match end {
        Ended::Exhausted => "exhausted",
        Ended::Answered => "answered before it was exhausted",
        Ended::Limit => "NOT exhausted: a limit of states or memory",
        Ended::Stopped => "NOT exhausted: stopped",
    }
}

/// The one word of the verdict.
pub(super) fn word(story: ProofStory<'_>) -> &'static str {
    let is_measured = story.model.own.as_ref().is_some_and(|own| own.measure == Measure::Held);
    match story.verdict.exit_code() {
        0 if is_measured => "held",
        1 if is_measured => "VIOLATED",
        0 => "as expected",
        1 => "NOT AS EXPECTED",
        2 => "inconclusive",
        70.. | 3..70 => "OUR FAULT",
    }
}

/// What progress came to.
pub(super) fn progress(asked: Progress, found: &ProgressFinding) -> String {
    let ending = match found {
        ProgressFinding::Within { ticks, .. } => match asked {
            Progress::Alone { .. } => {
                format!("every schedule grants within {}", counted(u64::from(*ticks), "tick"))
            }
            Progress::Together { .. } => {
                format!(
                    "no schedule goes on without a grant: one comes within {}",
                    counted(u64::from(*ticks), "tick")
                )
            }
        },
        ProgressFinding::Endless { stem, cycle, way_out, .. } => {
            let out = if *way_out {
                "from everywhere some waits force a grant"
            } else {
                "from somewhere no waits force a grant"
            };
            format!(
                "a schedule goes on for ever without a grant: after {}, {} over and over; {out}",
                counted(stem.len() as u64, "choice"),
                counted(cycle.len() as u64, "choice")
            )
        }
        ProgressFinding::DeadEnd { path } => {
            format!("after {} nothing happens any more", counted(path.len() as u64, "choice"))
        }
        ProgressFinding::Unknown => "unknown: not all was searched".to_owned(),
    };
    format!("{ending} (asked: {})", question(asked))
}

fn question(asked: Progress) -> String {
    match asked {
        Progress::Alone { within: Some(within) } => format!("a client alone is granted within {within}"),
        Progress::Alone { within: None } => "a client alone, expected trapped".to_owned(),
        Progress::Together { retry: (least, most), expect } => {
            let expected = match expect {
                Endless::Trapped => "trapped",
                Endless::WayOut => "way-out",
                Endless::Never => "never",
            };
            let ticks = span(least.into(), most.into());
            format!("all together, {ticks} ticks between calls, expected {expected}")
        }
    }
}

/// A difference from the file.
pub(super) fn difference(story: ProofStory<'_>, difference: Difference) -> String {
    match difference {
        Difference::Oracle(oracle, expected) => {
            let found = story.proof.findings.iter().find(|(name, _)| *name == oracle);
            let ended = found.map_or("unknown", |(_, found)| finding(found));
            format!("{oracle} was expected to be {} and is {ended}", expected_text(expected))
        }
        Difference::Progress => "progress is not what was expected".to_owned(),
        Difference::Pinned { pinned, counted } => {
            format!("{counted} states were counted and {pinned} are pinned")
        }
        Difference::NotExhausted => {
            "a count is pinned, but everything asked for was violated before all states were seen".to_owned()
        }
    }
}

/// A reason why it says less than it should.
pub(super) fn doubt(doubt: Doubt) -> String {
    match doubt {
        Doubt::Unknown(oracle) => format!("{oracle} is unknown: not all states were looked at"),
        Doubt::NotExercised(oracle) => format!("{oracle} was not exercised in any schedule"),
        Doubt::Unconfirmed(oracle) => {
            format!("the schedule that violates {oracle} could not be told to the seeded world")
        }
        Doubt::NeverHappened(kind) => format!("no {} ever took effect", kind.text()),
        Doubt::Progress => "progress is unknown: not all states were looked at".to_owned(),
        Doubt::Uncounted => "the pinned count could not be compared".to_owned(),
    }
}

/// Whether the pinned count agrees.
pub(super) fn pin(story: ProofStory<'_>) -> &'static str {
    let effort = &story.proof.effort;
    match (story.model.pinned, effort.ended) {
        (None, _) => "not pinned",
        (Some(pinned), Ended::Exhausted) if pinned.states == effort.states => "as pinned",
        (Some(_), Ended::Exhausted | Ended::Answered) => "NOT AS PINNED",
        (Some(_), Ended::Limit | Ended::Stopped) => "pinned count not reached",
    }
}

/// The schedule that violates this oracle, if it was run.
pub(super) fn shown(story: ProofStory<'_>, oracle: crate::check::OracleName) -> Option<&Shown> {
    story.shown.iter().find(|shown| shown.oracle == Some(oracle))
}
