//! Drills, told: what each lock breaks and with how little, to a person, as a file to keep, and to a program.
//!
//! Must not judge: [`DrillRow::over`] says how an oracle ended over all drills.

mod json;
mod markdown;
mod text;

pub use json::drills_json;
pub use markdown::drills_markdown;
pub use text::{drill_line, drills_text};

use crate::check::{Expected, OracleName};
use crate::scenario::Scenario;
use crate::sim::{DRILL_RUNS, DrillCell, DrillRow, Over};

/// What there is to tell.
#[derive(Clone, Copy, Debug)]
pub struct DrillStory<'a> {
    /// The drills, in their order.
    pub drills: &'a [Scenario],
    /// The locks that were drilled.
    pub rows: &'a [DrillRow],
    /// The command that makes the same.
    pub command: &'a str,
    /// The title of the file.
    pub title: &'a str,
}

impl DrillStory<'_> {
    /// The line that runs this lock in this drill.
    fn repro(&self, row: &DrillRow, drill: usize, seed: u64) -> String {
        let drill = &self.drills[drill];
        let seed = if seed == drill.seed { String::new() } else { format!(" --seed {seed}") };
        format!("run {} --like {}{seed}", drill.origin, row.preset.name)
    }

    /// How many things go wrong in a drill.
    fn faults(&self, drill: usize) -> usize {
        let plan = &self.drills[drill].setup.plan;
        plan.faults.len() + plan.messages.len()
    }
}

/// Where a lock ended otherwise than its preset says: the oracle, what is pinned, what came out.
pub fn unpinned(row: &DrillRow) -> Vec<(OracleName, Option<Expected>, Option<Expected>)> {
    let (pinned, found) = (&row.preset.expect, row.verdicts());
    let named = OracleName::TEXTS.iter().map(|(oracle, _)| *oracle);
    named
        .map(|oracle| (oracle, pinned.get(&oracle).copied(), found.get(&oracle).copied()))
        .filter(|(_, pinned, found)| pinned != found)
        .collect()
}

/// What went wrong with the drills themselves.
fn trouble(story: &DrillStory<'_>, row: &DrillRow) -> Vec<String> {
    row.faults()
        .map(|(drill, cell)| {
            let name = &story.drills[drill].name;
            match cell {
                DrillCell::Refused(error) => format!("{name} cannot be run with it: {}", error.message),
                DrillCell::Divergent { seed } => format!("two runs of {name} under seed {seed} differ"),
                DrillCell::NotApplicable | DrillCell::Ended { .. } => unreachable!("only faults are listed"),
            }
        })
        .collect()
}

/// The drills in which nobody ever got the lock, by name.
fn vain<'a>(story: &DrillStory<'a>, row: &DrillRow) -> Vec<&'a str> {
    row.vain().map(|drill| story.drills[drill].name.as_str()).collect()
}

/// A verdict in a word or two.
fn short(over: Over) -> String {
    match over {
        Over::NotApplicable => "n/a".to_owned(),
        Over::NotExercised => "-".to_owned(),
        Over::Held { .. } => "held".to_owned(),
        Over::Violated { .. } => "violated".to_owned(),
    }
}

/// How many runs stand behind a story.
pub(super) fn runs(story: &DrillStory<'_>) -> u64 {
    (story.rows.len() * story.drills.len()) as u64 * DRILL_RUNS
}
