//! The states that are reached from the starts before a goal, with a shortest walk to each.
//!
//! Must not follow an edge that carries a goal mark.

use super::{Edges, Marks, Walk};

/// A breadth-first tree over edges without a goal mark.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// Reached states, nearest first.
    order: Vec<u32>,
    /// The state before, `ROOT` for a start, `UNREACHED` for a state that is not reached.
    parents: Vec<u32>,
    choices: Vec<u16>,
}

impl Reach {
    pub(super) fn new(edges: &Edges, goal: Marks) -> Self {
        let states = edges.states() as usize;
        let mut order = Vec::new();
        let mut parents = vec![UNREACHED; states];
        let mut choices = vec![0; states];
        for start in edges.starts() {
            if parents[*start as usize] == UNREACHED {
                parents[*start as usize] = ROOT;
                order.push(*start);
            }
        }
        let mut next = 0;
        while let Some(from) = order.get(next).copied() {
            next += 1;
            for edge in edges.of(from).iter().filter(|edge| !edge.marks.meets(goal)) {
                let target = edge.target as usize;
                if parents[target] == UNREACHED {
                    (parents[target], choices[target]) = (from, edge.choice);
                    order.push(edge.target);
                }
            }
        }
        Self { order, parents, choices }
    }

    /// The reached states, nearest first.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// A shortest walk to a reached state.
    pub(super) fn walk(&self, edges: &Edges, state: u32) -> Walk {
        let (mut at, mut choices) = (state, Vec::new());
        while self.parents[at as usize] != ROOT {
            assert_ne!(self.parents[at as usize], UNREACHED, "the state is reached");
            choices.push(self.choices[at as usize]);
            at = self.parents[at as usize];
        }
        choices.reverse();
        let start = edges.starts().iter().position(|start| *start == at).expect("roots are starts");
        Walk { start, choices }
    }
}

const UNREACHED: u32 = u32::MAX;
const ROOT: u32 = u32::MAX - 1;
