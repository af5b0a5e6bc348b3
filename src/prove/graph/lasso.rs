//! Ways that go round for ever and never reach a goal.
//!
//! Must not judge whether such a way is bad: a fixed retry delay makes one, chance leaves it.

use super::components::Components;
use super::reach::Reach;
use super::{Edges, Lasso, Marks};
use std::collections::VecDeque;

/// A cycle that is reachable from a start, stem and cycle without an edge that carries a mark of `goal`; none if
/// there is no such cycle among the states that were expanded.
///
/// **Shape** no stem to any such cycle is shorter, and no cycle through the state where the stem ends.
pub fn lasso_without(edges: &Edges, goal: Marks) -> Option<Lasso> {
    let reach = Reach::new(edges, goal);
    nearest(edges, goal, &reach, &Components::new(edges, goal, &reach))
}

/// The same, where what is reached and its components are known already.
pub(super) fn nearest(edges: &Edges, goal: Marks, reach: &Reach, components: &Components) -> Option<Lasso> {
    let first = reach.order().iter().copied().find(|state| components.is_cyclic(*state))?;
    let (cycle, ticks) = round(edges, goal, components, first);
    Some(Lasso { stem: reach.walk(edges, first), cycle, ticks })
}

/// The shortest way from a state of a cycle back to itself: its choices and how long it takes.
fn round(edges: &Edges, goal: Marks, components: &Components, first: u32) -> (Vec<u16>, u64) {
    let mut before: Vec<Option<(u32, u16, u16)>> = vec![None; edges.states() as usize];
    let mut queue = VecDeque::from([first]);
    while before[first as usize].is_none() {
        let from = queue.pop_front().expect("a cycle leads back to each of its states");
        let inside = edges.of(from).iter().filter(|edge| components.are_together(edge.target, first));
        for edge in inside.filter(|edge| !edge.marks.meets(goal)) {
            let known = &mut before[edge.target as usize];
            if known.is_none() {
                *known = Some((from, edge.choice, edge.ticks));
                queue.push_back(edge.target);
            }
        }
    }
    let (mut at, mut cycle, mut length) = (first, Vec::new(), 0);
    while cycle.is_empty() || at != first {
        let (from, choice, ticks) = before[at as usize].expect("the way back is complete");
        cycle.push(choice);
        length += u64::from(ticks);
        at = from;
    }
    cycle.reverse();
    (cycle, length)
}
