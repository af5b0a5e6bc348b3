//! Drills for a person at a terminal.

use super::{DrillStory, runs, short, trouble, unpinned, vain};
use crate::check::{Expected, OracleName};
use crate::report::table::{Align, table};
use crate::sim::{DrillRow, Over};

/// One lock in a line: what it breaks, and what held.
pub fn drill_line(row: &DrillRow) -> String {
    let named = |wanted: &dyn Fn(Over) -> bool| {
        let names = OracleName::TEXTS.iter().filter(|(oracle, _)| wanted(row.over(*oracle)));
        names.map(|(_, text)| *text).collect::<Vec<_>>().join(", ")
    };
    let broken = named(&|over| matches!(over, Over::Violated { .. }));
    let held = named(&|over| matches!(over, Over::Held { .. }));
    let pins = if unpinned(row).is_empty() { "as pinned" } else { "NOT as pinned" };
    format!(
        "{}  {pins}\n    violated  {}\n    held      {}\n",
        row.preset.name,
        if broken.is_empty() { "nothing" } else { &broken },
        if held.is_empty() { "nothing" } else { &held },
    )
}

/// Every lock and oracle: the verdict, the smallest known drill that breaks it, and the line that shows it.
pub fn drills_text(story: DrillStory<'_>) -> String {
    let mut text = format!("{} runs of {} drills\n", runs(&story), story.drills.len());
    for row in story.rows {
        text.push_str(&format!("\n{}: {}\n{}\n", row.preset.name, row.preset.title, row.preset.why));
        let lines = OracleName::TEXTS.iter().filter_map(|(oracle, name)| match row.over(*oracle) {
            Over::NotApplicable | Over::NotExercised => None,
            over @ Over::Held { drills } => {
                Some(vec![(*name).to_owned(), short(over), format!("in {drills} drills")])
            }
            over @ Over::Violated { drill, seed, .. } => {
                Some(vec![(*name).to_owned(), short(over), story.repro(row, drill, seed)])
            }
        });
        text.push_str(&table(["oracle", "ends", "smallest known plan"], [Align::Left; 3], lines));
        if !vain(&story, row).is_empty() {
            text.push_str(&format!("no grant at all in {}\n", vain(&story, row).join(", ")));
        }
        text.push_str(&format!("to be safe: {}\n", row.preset.advice));
        for line in trouble(&story, row) {
            text.push_str(&format!("trouble: {line}\n"));
        }
        for (oracle, pinned, found) in unpinned(row) {
            let word = |end: Option<Expected>| match end {
                None => "not exercised",
                Some(Expected::Held) => "held",
                Some(Expected::Violated) => "violated",
                Some(Expected::NotExercised) => "not exercised",
            };
            text.push_str(&format!("not as pinned: {oracle} is {}, pinned {}\n", word(found), word(pinned)));
        }
    }
    text
}
