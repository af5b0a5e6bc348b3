//! What is searched: states, choices, and what following a choice does.
//!
//! Must not be implemented with anything but pure functions of the state: a path is kept as places of choices and
//! replayed later.

use crate::prove::graph::Marks;
use std::fmt::Debug;
use std::hash::Hash;

/// A graph that is generated while it is searched.
pub trait Graph: Sync {
    /// A state, in a form in which equal futures are equal values. Its `Hash` must write all of it.
    type State: Send + Hash;
    /// What is chosen in a state.
    type Choice: Copy + Send + Sync + Debug;

    /// The states to begin with. Equal ones are met once.
    fn starts(&self) -> Vec<Self::State>;

    /// Appends what can be chosen in a state, in a fixed order, at most 65 536 choices.
    fn choices(&self, state: &Self::State, out: &mut Vec<Self::Choice>);

    /// Follows one of the choices.
    fn follow(&self, state: &Self::State, choice: Self::Choice) -> Step<Self::State>;

    /// Follows all of them, in their order: for graphs that find both at once.
    fn expand(&self, state: &Self::State, out: &mut Vec<(Self::Choice, Step<Self::State>)>) {
        let mut choices = Vec::new();
        self.choices(state, &mut choices);
        out.extend(choices.into_iter().map(|choice| (choice, self.follow(state, choice))));
    }
}

/// What comes of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<S> {
    /// The successor.
    pub state: S,
    /// What happened on the way.
    pub marks: Marks,
    /// How long it took, in ticks.
    pub ticks: u32,
    /// Whether the successor is not expanded. It counts as a state all the same. One that is also reached by a step
    /// that is not the last counts as another state, so that what lies behind it is never lost.
    pub last: bool,
}
