//! Witnesses: that what "held" rests on is exercised, and that what should happen happens, somewhere in the graph.
//!
//! Walks through the graph by a fixed stream of choices find nearly all of it at once. What they do not find is searched
//! for, in a graph whose states keep what was seen on the way to them. Must not judge.

use super::graph::Marks;
use super::model::ScopeModel;
use super::search::{End, Graph, Keep, Limits, Progress, Search};
use super::seen::Seen;
use crate::lock::LockCore;
use std::ops::ControlFlow;

/// How many walks, and how many choices each.
const WALKS: usize = 32;
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
        let mut chance = Chance::new(walk as u64);
        let mut seen = Seen::default();
        let (mut state, _) = model.start(&mut seen);
        let mut choices = Vec::new();
        for _ in 0..CHOICES {
            choices.clear();
            model.choices(&state, &mut choices);
            if choices.is_empty() {
                break;
            }
            let choice = choices[chance.below(choices.len() as u64) as usize];
            state.choose(choice, model.terms(), &mut seen);
            marks |= seen.marks;
            if marks & wanted == wanted {
                return marks;
            }
        }
    }
    marks
}

/// A fixed stream of numbers: which walk is taken decides nothing but how soon something is seen.
///
/// **Source** G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
struct Chance(u64);

impl Chance {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(mixed ^ (mixed >> 31)) * u128::from(bound)) >> 64) as u64
    }
}
