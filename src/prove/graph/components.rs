//! Strongly connected components of what is reached before a goal: where a walk can go round for ever.
//!
//! Must not recurse: a component may hold millions of states.
//!
//! **Source** Tarjan 1972, "Depth-first search and linear graph algorithms", with an explicit stack.

use super::reach::Reach;
use super::{Edges, Marks};

/// The components, and the reached states in an order in which all successors outside the own component come
/// first.
#[derive(Clone, Debug)]
pub(super) struct Components {
    of: Vec<u32>,
    cyclic: Vec<bool>,
    finished: Vec<u32>,
}

impl Components {
    pub(super) fn new(edges: &Edges, goal: Marks, reach: &Reach) -> Self {
        let states = edges.states() as usize;
        let mut search = DepthFirst {
            edges,
            goal,
            found: vec![0; states],
            low: vec![0; states],
            count: 0,
            path: Vec::new(),
            open: Vec::new(),
            made: Self { of: vec![NONE; states], cyclic: Vec::new(), finished: Vec::new() },
        };
        for root in reach.order() {
            if search.found[*root as usize] == 0 {
                search.from(*root);
            }
        }
        search.made
    }

    /// Whether a cycle leads through this state.
    pub(super) fn is_cyclic(&self, state: u32) -> bool {
        self.cyclic[self.of[state as usize] as usize]
    }

    /// Whether two states are on a common cycle, or the same.
    pub(super) fn are_together(&self, one: u32, other: u32) -> bool {
        self.of[one as usize] == self.of[other as usize]
    }

    /// The reached states, successors first where no cycle forbids it.
    pub(super) fn finished(&self) -> &[u32] {
        &self.finished
    }
}

/// One depth-first pass.
struct DepthFirst<'a> {
    edges: &'a Edges,
    goal: Marks,
    /// When each state was found, from 1; 0 before.
    found: Vec<u32>,
    /// The earliest found state of the own component that is known to be reachable.
    low: Vec<u32>,
    count: u32,
    /// The states being visited, each with its next edge.
    path: Vec<(u32, usize)>,
    /// The states whose component is not complete.
    open: Vec<u32>,
    made: Components,
}

impl DepthFirst<'_> {
    fn from(&mut self, root: u32) {
        self.enter(root);
        while let Some((state, next)) = self.path.last_mut() {
            let state = *state;
            let Some(edge) = self.edges.of(state).get(*next) else {
                self.leave(state);
                continue;
            };
            *next += 1;
            let target = edge.target as usize;
            if edge.marks.meets(self.goal) {
                continue;
            }
            if self.found[target] == 0 {
                self.enter(edge.target);
            } else if self.made.of[target] == NONE {
                let low = &mut self.low[state as usize];
                *low = (*low).min(self.found[target]);
            }
        }
    }

    fn enter(&mut self, state: u32) {
        self.count += 1;
        self.found[state as usize] = self.count;
        self.low[state as usize] = self.count;
        self.path.push((state, 0));
        self.open.push(state);
    }

    fn leave(&mut self, state: u32) {
        self.path.pop();
        let low = self.low[state as usize];
        if let Some((parent, _)) = self.path.last() {
            let above = &mut self.low[*parent as usize];
            *above = (*above).min(low);
        }
        if low != self.found[state as usize] {
            return;
        }
        let component = u32::try_from(self.made.cyclic.len()).expect("no more components than states");
        let from =
            self.open.iter().rposition(|open| *open == state).expect("a component's first state is open");
        let members = self.open.split_off(from);
        for member in &members {
            self.made.of[*member as usize] = component;
        }
        let loops = |edge: &&super::Edge| edge.target == state && !edge.marks.meets(self.goal);
        let cyclic = members.len() > 1 || self.edges.of(state).iter().any(|edge| loops(&edge));
        self.made.cyclic.push(cyclic);
        self.made.finished.extend(members);
    }
}

const NONE: u32 = u32::MAX;
