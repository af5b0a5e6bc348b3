//! The same graph for stateright: to cross-check our own search, and for its Explorer.
//!
//! Must not add semantics.

use super::choices::Choice;
use super::model::ScopeModel;
use super::seen::Seen;
use super::state::State;
use crate::check::Outcome;
use crate::lock::LockCore;
use stateright::{Model, Property};

impl<C: LockCore> ScopeModel<C> {
    /// Whether an oracle asked for is violated in this state.
    pub fn is_violated(&self, state: &State<C>) -> bool {
        self.oracles().any(|oracle| matches!(state.panel.outcome(oracle), Outcome::Violated(_)))
    }
}

impl<C: LockCore> Model for ScopeModel<C> {
    type State = State<C>;
    type Action = Choice;

    fn init_states(&self) -> Vec<Self::State> {
        vec![self.start(&mut Seen::default()).0]
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>) {
        if !self.is_violated(state) {
            actions.extend(state.offers(self.terms()).into_iter().map(|(choice, _)| choice));
        }
    }

    fn next_state(&self, last: &Self::State, action: Self::Action) -> Option<Self::State> {
        let mut next = last.clone();
        next.choose(action, self.terms(), &mut Seen::default());
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("held", |model: &Self, state: &State<C>| !model.is_violated(state))]
    }
}
