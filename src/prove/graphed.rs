//! The same graph for our own search.
//!
//! Must not add semantics.

use super::choices::{Choice, Next};
use super::graph::Marks;
use super::model::ScopeModel;
use super::search::{Graph, Step};
use super::seen::Seen;
use super::state::State;
use crate::lock::LockCore;

impl<C: LockCore + Send + Sync> Graph for ScopeModel<C> {
    type State = State<C>;
    type Choice = Choice;

    fn starts(&self) -> Vec<Self::State> {
        vec![self.start(&mut Seen::default()).0]
    }

    fn choices(&self, state: &Self::State, out: &mut Vec<Self::Choice>) {
        out.extend(state.offers(self.terms()).into_iter().map(|(choice, _)| choice));
    }

    fn follow(&self, state: &Self::State, choice: Self::Choice) -> Step<Self::State> {
        let (mut state, mut seen) = (state.clone(), Seen::default());
        state.choose(choice, self.terms(), &mut seen);
        self.step(state, &seen)
    }

    fn expand(&self, state: &Self::State, out: &mut Vec<(Self::Choice, Step<Self::State>)>) {
        let steps = state.expand(self.terms()).into_iter();
        out.extend(steps.map(|Next { choice, state, seen }| (choice, self.step(state, &seen))));
    }
}

impl<C: LockCore> ScopeModel<C> {
    fn step(&self, state: State<C>, seen: &Seen) -> Step<State<C>> {
        Step { last: self.is_last(seen), state, marks: Marks(seen.marks), ticks: seen.ticks }
    }
}
