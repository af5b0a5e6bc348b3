//! A game on a graph: one side chooses in some states, its opponent in all others; which states can the first force to
//! a goal.
//!
//! Backward induction with counters, linear in the edges. Must not know who the sides are.

use super::backward::Backward;
use super::edges::Edges;
use super::marks::Marks;

/// The states from which the side that owns `own` states forces an edge with a goal, whatever its opponent does.
///
/// **Shape** one entry per state. A state without successors, or that was not expanded, forces nothing.
///
/// # Panics
/// If there is not one entry of `own` for each state.
pub fn forcing(edges: &Edges, goal: Marks, own: &[bool]) -> Vec<bool> {
    let states = edges.states();
    assert_eq!(own.len(), states as usize, "every state has an owner");
    let back = Backward::new(edges);
    let mut forced = vec![false; own.len()];
    // How many edges of an opponent's state do not lead to a goal yet.
    let mut left = vec![0_u32; own.len()];
    let mut open = Vec::new();
    for state in 0..states {
        let out = edges.of(state);
        let to_goal = out.iter().filter(|edge| edge.marks.meets(goal)).count();
        left[state as usize] = (out.len() - to_goal) as u32;
        let wins = if own[state as usize] { to_goal > 0 } else { !out.is_empty() && to_goal == out.len() };
        if wins {
            forced[state as usize] = true;
            open.push(state);
        }
    }
    while let Some(state) = open.pop() {
        let mut last = None;
        for before in back.of(state) {
            let place = *before as usize;
            if forced[place] || last == Some(before) {
                continue;
            }
            last = Some(before);
            // Each edge into a forced state is counted once: every state is forced once.
            let into =
                edges.of(*before).iter().filter(|edge| edge.target == state && !edge.marks.meets(goal));
            let into = into.count() as u32;
            if into == 0 {
                continue;
            }
            if !own[place] {
                left[place] = left[place].saturating_sub(into);
            }
            if own[place] || left[place] == 0 {
                forced[place] = true;
                open.push(*before);
            }
        }
    }
    forced
}
