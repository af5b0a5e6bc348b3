//! How late a goal can be: the longest of all paths, not the shortest.
//!
//! "Every schedule grants within b ticks" is a statement about the slowest schedule. Must not take a cut-off graph
//! for a finished one.

use super::components::Components;
use super::reach::Reach;
use super::{Edges, Lasso, Marks, Walk, lasso};

/// What is known about the slowest way to a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Longest {
    /// Some walk goes round for ever without a goal.
    Endless(Lasso),
    /// Some walk without a goal ends in a state that has no successors: the shortest of them. No cycle avoids the
    /// goal, as far as states were expanded.
    DeadEnd(Walk),
    /// Some walk without a goal ends in a state that was not expanded: the shortest of them. Nothing worse is
    /// known, and no bound.
    Unknown(Walk),
    /// Every walk comes to a goal.
    Within {
        /// The time until then, in ticks, the edge with the goal included, on the slowest walk.
        ticks: u64,
        /// A slowest walk; its last edge carries the goal.
        walk: Walk,
    },
}

/// The slowest of all ways from the starts to the first edge that carries a mark of `goal`.
///
/// # Panics
/// If the graph has no start.
pub fn longest(edges: &Edges, goal: Marks) -> Longest {
    assert!(!edges.starts().is_empty(), "a graph that is judged has a start");
    let reach = Reach::new(edges, goal);
    let components = Components::new(edges, goal, &reach);
    if let Some(lasso) = lasso::nearest(edges, goal, &reach, &components) {
        return Longest::Endless(lasso);
    }
    let ends = || reach.order().iter().copied().filter(|state| edges.of(*state).is_empty());
    if let Some(dead) = ends().find(|state| edges.is_expanded(*state)) {
        return Longest::DeadEnd(reach.walk(edges, dead));
    }
    if let Some(open) = ends().next() {
        return Longest::Unknown(reach.walk(edges, open));
    }
    slowest(edges, goal, components.finished())
}

/// The slowest walk where all of them end with a goal. `order` has successors first.
fn slowest(edges: &Edges, goal: Marks, order: &[u32]) -> Longest {
    let mut left = vec![0_u64; edges.states() as usize];
    let mut taken = vec![0_usize; edges.states() as usize];
    for state in order {
        for (place, edge) in edges.of(*state).iter().enumerate() {
            let rest = if edge.marks.meets(goal) { 0 } else { left[edge.target as usize] };
            let length = u64::from(edge.ticks) + rest;
            if place == 0 || length > left[*state as usize] {
                (left[*state as usize], taken[*state as usize]) = (length, place);
            }
        }
    }
    let starts = edges.starts();
    // The first of equals, so that the answer does not depend on how `max` breaks ties.
    let longest = starts.iter().map(|start| left[*start as usize]).max().expect("there is a start");
    let start = starts.iter().position(|start| left[*start as usize] == longest).expect("one is the longest");
    let (mut at, mut choices) = (starts[start], Vec::new());
    loop {
        let edge = &edges.of(at)[taken[at as usize]];
        choices.push(edge.choice);
        if edge.marks.meets(goal) {
            return Longest::Within { ticks: longest, walk: Walk { start, choices } };
        }
        at = edge.target;
    }
}
