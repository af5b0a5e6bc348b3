//! Witnesses: that what "held" rests on is exercised, and that what should happen happens, somewhere in the graph.
//!
//! Walks through the graph by a fixed stream of choices find nearly all of it at once. What they do not find is searched
//! for, in a graph whose states keep what was seen on the way to them. Must not judge.

use super::graph::Marks;
use super::model::ScopeModel;
use super::search::{End, Graph, Keep, Limits, Progress, Search};
use super::seen::Seen;
use crate::lock::LockCore;
use crate::sim::{Concern, stream};
use rand_core::Rng;
use std::ops::ControlFlow;

/// How many walks, and how many choices each.
const WALKS: u32 = 32;
const CHOICES: usize = 300;

/// What was looked for and found.
pub(crate) struct Witnessed {
    pub(crate) marks: u64,
    /// Unique states of the search, if it took one.
    pub(crate) states: u64,
    /// Whether what was not found is nowhere.
    pub(crate) exhausted: bool,
}

/// Looks for marks in a graph whose question is [`super::Question::Exercised`]: for those `wanted` on walks, and for
/// those `owed` everywhere.
pub(crate) fn witness<C: LockCore>(
    model: &ScopeModel<C>,
    wanted: u64,
    owed: u64,
    threads: usize,
    limits: Limits,
    watch: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Witnessed {
    let mut marks = walks(model, wanted | owed);
    if marks & owed == owed {
        return Witnessed { marks, states: 0, exhausted: true };
    }
    let missing = Marks(owed & !marks);
    let search = Search { threads, wanted: missing, limits, keep: Keep::Paths };
    let found = search.run(model, watch);
    marks |= found.marks().0;
    let exhausted = matches!(found.end(), End::Exhausted | End::Wanted);
    Witnessed { marks, states: u64::from(found.states()), exhausted }
}

fn walks<C: LockCore>(model: &ScopeModel<C>, wanted: u64) -> u64 {
    let mut marks = 0;
    for walk in 0..WALKS {
        // Which walk is taken decides nothing but how soon something is seen.
        let mut chance = stream(0, Concern::Walk, walk);
        let mut seen = Seen::default();
        let (mut state, _) = model.start(&mut seen);
        let mut choices = Vec::new();
        for _ in 0..CHOICES {
            choices.clear();
            model.choices(&state, &mut choices);
            if choices.is_empty() {
                break;
            }
            let place = (u64::from(chance.next_u32()) * choices.len() as u64) >> 32;
            let choice = choices[place as usize];
            state.choose(choice, model.terms(), &mut seen);
            marks |= seen.marks;
            if marks & wanted == wanted {
                return marks;
            }
        }
    }
    marks
}
