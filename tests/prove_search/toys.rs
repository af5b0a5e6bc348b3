//! Graphs to be searched, and a search of the plainest kind to compare with.
//!
//! Must not use anything of the search under test but its contract.

use fencepost::prove::graph::Marks;
use fencepost::prove::search::{Graph, Step};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// An edge of a table: target, marks, ticks, last.
pub(crate) type Row = Vec<(u32, u64, u32, bool)>;

/// A graph that is written down.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) starts: Vec<u32>,
    pub(crate) rows: Vec<Row>,
}

impl Graph for Table {
    type State = u32;
    type Choice = usize;

    fn starts(&self) -> Vec<u32> {
        self.starts.clone()
    }

    fn choices(&self, state: &u32, out: &mut Vec<usize>) {
        // Backwards, so that a choice is not its own place.
        out.extend((0..self.rows[*state as usize].len()).rev());
    }

    fn follow(&self, state: &u32, choice: usize) -> Step<u32> {
        let (state, marks, ticks, last) = self.rows[*state as usize][choice];
        Step { state, marks: Marks(marks), ticks, last }
    }
}

/// Tables of at most `states` states, with few marks, and steps that are the last now and then.
pub(crate) fn tables(states: u32, degree: usize) -> impl Strategy<Value = Table> {
    (1..=states).prop_flat_map(move |states| {
        let marks = prop_oneof![4 => Just(0), 1 => 0..16_u64];
        let edge = (0..states, marks, 0..4_u32, prop::bool::weighted(0.1));
        let row = prop::collection::vec(edge, 0..=degree);
        let starts = prop::collection::vec(0..states, 1..4);
        (starts, prop::collection::vec(row, states as usize))
            .prop_map(|(starts, rows)| Table { starts, rows })
    })
}

/// Digits that count up by themselves and wrap: levels of many thousand states.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digits {
    pub(crate) count: usize,
    pub(crate) base: u8,
}

impl Graph for Digits {
    type State = Vec<u8>;
    type Choice = usize;

    fn starts(&self) -> Vec<Vec<u8>> {
        vec![vec![0; self.count]]
    }

    fn choices(&self, _: &Vec<u8>, out: &mut Vec<usize>) {
        out.extend(0..self.count);
    }

    fn follow(&self, state: &Vec<u8>, choice: usize) -> Step<Vec<u8>> {
        let mut state = state.clone();
        state[choice] = (state[choice] + 1) % self.base;
        // One mark per digit that wraps, and one where all are highest.
        let wraps = if state[choice] == 0 { Marks(1 << choice) } else { Marks::NONE };
        let full = state.iter().all(|digit| digit + 1 == self.base);
        Step { state, marks: wraps.union(if full { FULL } else { Marks::NONE }), ticks: 1, last: false }
    }
}

/// All digits are highest.
pub(crate) const FULL: Marks = Marks::bit(63);

/// What a plain search finds.
#[derive(Debug)]
pub(crate) struct Plain {
    /// States in the order in which they are met, each with its depth and whether it is not expanded.
    pub(crate) met: Vec<(u32, u32, bool)>,
    pub(crate) generated: u64,
    pub(crate) marks: Marks,
    /// Per mark: the number of the state, the place of the choice, the depth.
    pub(crate) firsts: BTreeMap<u8, (u32, u16, u32)>,
    /// Per expanded state: targets, by number.
    pub(crate) rows: Vec<Option<Vec<u32>>>,
}

pub(crate) fn plain(table: &Table) -> Plain {
    let (mut met, mut numbers) = (Vec::new(), BTreeMap::new());
    for start in &table.starts {
        numbers.entry((*start, false)).or_insert_with(|| {
            met.push((*start, 0, false));
            met.len() as u32 - 1
        });
    }
    let mut found =
        Plain { met, generated: 0, marks: Marks::NONE, firsts: BTreeMap::new(), rows: Vec::new() };
    let mut at = 0;
    while let Some((state, depth, last)) = found.met.get(at).copied() {
        at += 1;
        if last {
            found.rows.push(None);
            continue;
        }
        let mut row = Vec::new();
        let mut offered = Vec::new();
        table.choices(&state, &mut offered);
        for (place, choice) in offered.into_iter().enumerate() {
            let step = table.follow(&state, choice);
            found.generated += 1;
            found.marks = found.marks.union(step.marks);
            for bit in step.marks.bits() {
                found.firsts.entry(bit).or_insert((at as u32 - 1, place as u16, depth + 1));
            }
            row.push(*numbers.entry((step.state, step.last)).or_insert_with(|| {
                found.met.push((step.state, depth + 1, step.last));
                found.met.len() as u32 - 1
            }));
        }
        found.rows.push(Some(row));
    }
    found
}
