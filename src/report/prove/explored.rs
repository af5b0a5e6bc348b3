//! What happens on a step of the graph, as lines of a timeline.
//!
//! Must not choose what matters: a step is short.

use super::super::cast::Cast;
use super::super::fact::fact;
use super::super::table::{Align, table};
use super::super::words::{Relative, seconds};
use crate::history::Record;
use crate::prove::Told;
use crate::time::ProcessClocks;
use crate::world::Setup;

/// The records of a step, without those that say only that a message was sent: tick, actor, its clocks, what happened.
/// Numbers of calls, grants and operations are those of the state, which counts anew what is still of use.
pub fn explored_text(setup: &Setup, told: &[Told]) -> String {
    let records: Vec<Record> = told.iter().map(|told| told.record.clone()).collect();
    let end = records.last().map_or(crate::time::WorldTime::ZERO, |record| record.at);
    let cast = Cast::of(&records, end);
    let shown = told.iter().filter(|told| !told.record.fact.is_traffic());
    let rows: Vec<Vec<String>> = shown
        .map(|Told { tick, record }| {
            vec![
                tick.to_string(),
                record.process.to_string(),
                seconds(record.now.mono.0),
                Relative((record.now.wall - ProcessClocks::WALL_START).0).to_string(),
                fact(&setup.plan.faults, &cast, record),
            ]
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let aligned = [Align::Right, Align::Left, Align::Right, Align::Right, Align::Left];
    table(["tick", "actor", "its mono", "its wall", "what happened"], aligned, rows)
}
