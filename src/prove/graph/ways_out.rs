//! Whether a goal stays possible: from every state that is reached before it, some way leads to it.
//!
//! Weaker than "every schedule comes to it", and what can be said where chance decides. Must not say that a state is
//! stuck when a state was not expanded behind it.

use super::reach::Reach;
use super::{Edges, Marks};

/// The ways to a goal from every state of a graph.
#[derive(Clone, Debug)]
pub struct WaysOut<'a> {
    edges: &'a Edges,
    goal: Marks,
    /// How many edges it takes at least, before the one with the goal; `FAR` if no way is known.
    distances: Vec<u32>,
    /// Whether a state that was not expanded can be reached.
    is_open: Vec<bool>,
    reached: Vec<u32>,
}

/// The way to a goal from one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WayOut {
    /// The choices of a shortest way; the last edge carries the goal.
    Choices(Vec<u16>),
    /// No way leads there.
    Stuck,
    /// No way is known, and some successors are not known.
    Unknown,
}

impl<'a> WaysOut<'a> {
    /// The ways to an edge that carries a mark of `goal`.
    pub fn new(edges: &'a Edges, goal: Marks) -> Self {
        let back = Backward::new(edges);
        let all = || 0..edges.states();
        let has_goal = |state: &u32| edges.of(*state).iter().any(|edge| edge.marks.meets(goal));
        let distances = back.distances(all().filter(has_goal));
        let open = back.distances(all().filter(|state| !edges.is_expanded(*state)));
        let is_open = open.iter().map(|distance| *distance != FAR).collect();
        let mut reached = Reach::new(edges, goal).order().to_vec();
        reached.sort_unstable();
        Self { edges, goal, distances, is_open, reached }
    }

    /// The way from one state.
    pub fn from(&self, state: u32) -> WayOut {
        if self.distances[state as usize] == FAR {
            return if self.is_open[state as usize] { WayOut::Unknown } else { WayOut::Stuck };
        }
        let (mut at, mut choices) = (state, Vec::new());
        loop {
            let edges = self.edges.of(at);
            if let Some(edge) = edges.iter().find(|edge| edge.marks.meets(self.goal)) {
                choices.push(edge.choice);
                return WayOut::Choices(choices);
            }
            let nearer = |state: u32| self.distances[state as usize] < self.distances[at as usize];
            let edge = edges.iter().find(|edge| nearer(edge.target)).expect("one successor is nearer");
            choices.push(edge.choice);
            at = edge.target;
        }
    }

    /// The states that are reached from a start without a goal and from which no way leads to one, by number.
    pub fn stuck(&self) -> Vec<u32> {
        self.without_way(false)
    }

    /// The states that are reached from a start without a goal and of which too little is known, by number.
    pub fn unknown(&self) -> Vec<u32> {
        self.without_way(true)
    }

    fn without_way(&self, open: bool) -> Vec<u32> {
        let none = |state: &&u32| self.distances[**state as usize] == FAR;
        let reached = self.reached.iter().filter(none);
        reached.copied().filter(|state| self.is_open[*state as usize] == open).collect()
    }
}

/// The edges from their targets.
pub(super) struct Backward {
    sources: Vec<u32>,
    /// Where each state's sources begin.
    begins: Vec<usize>,
}

impl Backward {
    pub(super) fn new(edges: &Edges) -> Self {
        let mut begins = vec![0_usize; edges.states() as usize];
        for edge in (0..edges.states()).flat_map(|state| edges.of(state)) {
            begins[edge.target as usize] += 1;
        }
        let mut sum = 0;
        for begin in &mut begins {
            sum += *begin;
            *begin = sum;
        }
        // They are ends so far; filling from behind makes them beginnings.
        let mut sources = vec![0; sum];
        for state in (0..edges.states()).rev() {
            for edge in edges.of(state) {
                let begin = &mut begins[edge.target as usize];
                *begin -= 1;
                sources[*begin] = state;
            }
        }
        Self { sources, begins }
    }

    /// The states with an edge to this one, ascending, once for each such edge.
    pub(super) fn of(&self, state: u32) -> &[u32] {
        let state = state as usize;
        &self.sources[self.begins[state]..self.begins.get(state + 1).copied().unwrap_or(self.sources.len())]
    }

    /// How far it is from every state to the nearest of these, in edges.
    fn distances(&self, ends: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut distances = vec![FAR; self.begins.len()];
        let mut queue: Vec<u32> = ends.collect();
        queue.iter().for_each(|end| distances[*end as usize] = 0);
        let mut next = 0;
        while let Some(at) = queue.get(next).copied() {
            next += 1;
            for source in self.of(at) {
                if distances[*source as usize] == FAR {
                    distances[*source as usize] = distances[at as usize] + 1;
                    queue.push(*source);
                }
            }
        }
        distances
    }
}

const FAR: u32 = u32::MAX;
