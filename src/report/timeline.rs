//! The timeline: one line per record, with the actor's own clocks.
//!
//! `legend.rs` says how to read a line. Must not choose which records matter; `choose.rs` does.

use super::Story;
use super::cast::Cast;
use super::choose::{Length, choose, evidence};
use super::fact::fact;
use super::table::{Align, table};
use super::words::{Relative, seconds};
use crate::scenario::Runner;
use crate::time::ProcessClocks;

/// The timeline of a run. A short one has at most [`Length::LINES`] lines, its head line included.
pub fn timeline(story: Story<'_>, length: Length) -> String {
    let records = &story.result.records;
    let cast = Cast::of(records, story.result.end);
    let chosen = choose(story, length);
    let numbers = numbering(story);
    let rows = chosen.iter().map(|index| {
        let record = &records[*index];
        let proof = numbers.iter().position(|proof| proof == index);
        vec![
            proof.map(|number| format!("[{}]", number + 1)).unwrap_or_default(),
            seconds(record.at.0 as i64),
            record.process.to_string(),
            seconds(record.now.mono.0),
            Relative((record.now.wall - ProcessClocks::WALL_START).0).to_string(),
            fact(&story.scenario.setup.plan.faults, &cast, record),
        ]
    });
    let aligned = [Align::Left, Align::Right, Align::Left, Align::Right, Align::Right, Align::Left];
    let mut text = table(["", "world", "actor", "its mono", "its wall", "what happened"], aligned, rows);
    if chosen.len() < records.len() {
        let left = records.len() - chosen.len();
        let all = match story.scenario.runner {
            Runner::Shipped | Runner::Own(_) => "--timeline full",
            Runner::Test(_) => "FENCEPOST_TIMELINE=full",
        };
        text.push_str(&format!("     … and {left} records more: {all} shows all\n"));
    }
    text
}

/// The records that prove something, in order of time: the number in brackets is the place here, from 1.
pub(super) fn numbering(story: Story<'_>) -> Vec<usize> {
    let mut proofs: Vec<usize> = evidence(story).into_iter().flat_map(|(_, pair)| pair).collect();
    proofs.sort_unstable();
    proofs.dedup();
    proofs
}
