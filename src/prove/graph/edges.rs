//! A graph in memory: all edges, state by state.
//!
//! Must not interpret anything. The analyses beside this file read it; the search fills it.

use super::{Marks, Walk};

/// An edge. Sixteen bytes, because there are tens of millions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The number of the state it leads to.
    pub target: u32,
    /// The place of its choice among the choices of the state it leaves, from 0.
    pub choice: u16,
    /// How long it takes, in ticks.
    pub ticks: u16,
    /// What happens on it.
    pub marks: Marks,
}

/// The edges of a graph.
///
/// **Shape** states are numbered from 0 without gaps. The edges of one state are together, in the order of its
/// choices.
#[derive(Clone, Debug)]
pub struct Edges {
    starts: Vec<u32>,
    edges: Vec<Edge>,
    /// Where each state's edges end; they begin where the state before ends.
    ends: Vec<usize>,
    expanded: Vec<bool>,
}

impl Edges {
    pub(crate) fn new() -> Self {
        Self { starts: Vec::new(), edges: Vec::new(), ends: Vec::new(), expanded: Vec::new() }
    }

    /// A graph from its rows: the edges of each state, or none for a state whose successors are unknown.
    ///
    /// # Panics
    /// If a start or a target is not the number of a row.
    pub fn from_rows(starts: Vec<u32>, rows: &[Option<Vec<Edge>>]) -> Self {
        let mut made = Self::new();
        for (number, row) in (0..).zip(rows) {
            match row {
                Some(row) => made.push(number, row.iter().copied()),
                None => made.skip_to(number + 1),
            }
        }
        let ends = made.edges.iter().map(|edge| edge.target).chain(starts.iter().copied());
        assert!(ends.into_iter().all(|state| state < made.states()), "a graph has all states it speaks of");
        made.starts = starts;
        made
    }

    /// Takes the edges of a state. Those of smaller numbers that were not given are unknown from here on.
    pub(crate) fn push(&mut self, number: u32, edges: impl Iterator<Item = Edge>) {
        assert!(number as usize >= self.ends.len(), "states come in the order of their numbers");
        self.skip_to(number);
        self.edges.extend(edges);
        self.ends.push(self.edges.len());
        self.expanded.push(true);
    }

    /// Fills up with states whose successors are unknown, until there are `states`.
    pub(crate) fn skip_to(&mut self, states: u32) {
        self.ends.resize(states as usize, self.edges.len());
        self.expanded.resize(states as usize, false);
    }

    pub(crate) fn set_starts(&mut self, starts: Vec<u32>) {
        self.starts = starts;
    }

    /// How many states there are.
    pub fn states(&self) -> u32 {
        u32::try_from(self.ends.len()).expect("states have numbers of 32 bits")
    }

    /// How many edges there are.
    pub fn count(&self) -> usize {
        self.edges.len()
    }

    /// The number of each start. Equal starts have equal numbers.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The edges of a state; none for one that was not expanded.
    pub fn of(&self, state: u32) -> &[Edge] {
        let state = state as usize;
        let from = state.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[from..self.ends[state]]
    }

    /// Whether the successors of a state are known.
    pub fn is_expanded(&self, state: u32) -> bool {
        self.expanded[state as usize]
    }

    /// The states that a walk visits: the start, then one per choice.
    ///
    /// # Panics
    /// If the walk is not one of this graph.
    pub fn trace(&self, walk: &Walk) -> Vec<u32> {
        let mut at = self.starts[walk.start];
        let mut states = vec![at];
        for choice in &walk.choices {
            at = self.of(at)[usize::from(*choice)].target;
            states.push(at);
        }
        states
    }

    /// How many bytes it takes, at least.
    pub fn bytes(&self) -> u64 {
        let row = size_of::<usize>() + size_of::<bool>();
        (self.edges.len() * size_of::<Edge>() + self.ends.len() * row) as u64
    }
}
