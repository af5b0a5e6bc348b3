//! What a search found, and the way to it.
//!
//! Must not search: `run.rs` does.

use super::bound::CollisionBound;
use super::expand::sealed;
use super::fingerprint::Fingerprinter;
use super::step::Graph;
use super::visited::Visited;
use crate::prove::graph::{Edges, Marks, Walk};
use std::hash::Hash;

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// Every state that can be reached was met.
    Exhausted,
    /// All wanted marks were seen; the level in which the last of them was seen is complete.
    Wanted,
    /// The limit of states.
    States,
    /// The limit of bytes.
    Bytes,
    /// The callback said so.
    Interrupted,
}

/// Where a mark was seen first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FirstEdge {
    /// The number of the state that the edge leaves.
    pub from: u32,
    /// The place of its choice.
    pub choice: u16,
    /// The least number of steps after which the mark can be seen, this one included.
    pub depth: u32,
}

/// What a search found. States are numbered in the order in which they are met, from 0.
#[derive(Clone, Debug)]
pub struct Searched {
    pub(super) end: End,
    pub(super) visited: Visited,
    /// The state before; a start has the number of a start, and `ROOT` below.
    pub(super) parents: Vec<u32>,
    /// The place of the choice that led here; nothing for a start.
    pub(super) choices: Vec<u16>,
    pub(super) starts: Vec<u32>,
    /// The first number of each depth.
    pub(super) levels: Vec<u32>,
    pub(super) generated: u64,
    pub(super) marks: Marks,
    pub(super) firsts: [Option<FirstEdge>; 64],
    pub(super) edges: Option<Edges>,
}

impl Searched {
    /// Why it ended.
    pub fn end(&self) -> End {
        self.end
    }

    /// How many different states were met.
    pub fn states(&self) -> u32 {
        u32::try_from(self.parents.len()).expect("states have numbers of 32 bits")
    }

    /// How many edges were followed.
    pub fn generated(&self) -> u64 {
        self.generated
    }

    /// The greatest distance of a state that was met from the starts, in steps.
    pub fn depth(&self) -> u32 {
        u32::try_from(self.levels.len().saturating_sub(1)).expect("no deeper than there are states")
    }

    /// The distance of a state from the starts, in steps.
    pub fn depth_of(&self, number: u32) -> u32 {
        let level = self.levels.partition_point(|first| *first <= number) - 1;
        u32::try_from(level).expect("no deeper than there are states")
    }

    /// All marks that were seen.
    pub fn marks(&self) -> Marks {
        self.marks
    }

    /// The first edge that carries a mark: the least depth, then the order of the frontier, then that of the choices.
    ///
    /// # Panics
    /// If `bit` is 64 or more.
    pub fn first(&self, bit: u8) -> Option<FirstEdge> {
        self.firsts[usize::from(bit)]
    }

    /// The edges, if they were kept.
    pub fn edges(&self) -> Option<&Edges> {
        self.edges.as_ref()
    }

    /// How unlikely it is that two states were taken for one.
    pub fn collision_bound(&self) -> CollisionBound {
        CollisionBound::of(self.states())
    }

    /// The number of a state, if it was met; of the expanded one if it was met in both ways.
    pub fn number_of(&self, state: &impl Hash) -> Option<u32> {
        let fingerprint = Fingerprinter::new().of(state);
        let find = |last| self.visited.find(sealed(fingerprint, last));
        find(false).or_else(|| find(true))
    }

    /// A shortest walk to a state.
    pub fn walk_to(&self, number: u32) -> Walk {
        let (mut at, mut choices) = (number, Vec::new());
        while self.parents[at as usize] != ROOT {
            choices.push(self.choices[at as usize]);
            at = self.parents[at as usize];
        }
        choices.reverse();
        let start = self.starts.iter().position(|start| *start == at).expect("a root is a start");
        Walk { start, choices }
    }

    /// A shortest walk whose last edge carries a mark, if it was seen.
    pub fn walk_over(&self, bit: u8) -> Option<Walk> {
        let first = self.first(bit)?;
        let mut walk = self.walk_to(first.from);
        walk.choices.push(first.choice);
        Some(walk)
    }

    /// The choices of a walk, replayed from its start.
    ///
    /// # Panics
    /// If the graph offers other choices than when it was searched, or leads to a state that was never met: it is
    /// not a pure function of the state.
    pub fn path<G: Graph>(&self, graph: &G, walk: &Walk) -> Vec<G::Choice> {
        let mut at = graph.starts().swap_remove(walk.start);
        let (mut steps, mut path) = (Vec::new(), Vec::new());
        for place in &walk.choices {
            let place = usize::from(*place);
            steps.clear();
            // As the search did, so that places mean the same.
            graph.expand(&at, &mut steps);
            assert!(place < steps.len(), "the graph is a pure function of the state");
            let (choice, step) = steps.swap_remove(place);
            assert!(self.number_of(&step.state).is_some(), "the graph is a pure function of the state");
            path.push(choice);
            at = step.state;
        }
        path
    }

    pub(super) fn bytes(&self) -> u64 {
        let states = self.parents.len() * (size_of::<u32>() + size_of::<u16>());
        self.visited.bytes() + states as u64 + self.edges.as_ref().map_or(0, Edges::bytes)
    }
}

/// The parent of a start.
pub(super) const ROOT: u32 = u32::MAX;
