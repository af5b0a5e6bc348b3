//! A graph's edges the other way round: from where a state is reached.
//!
//! Must not give edges a meaning.

use super::Edges;

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
}
