//! The state graph as a stateright model.
//!
//! Must not add semantics: the states do everything.

use super::scope::Scope;
use super::state::{Choice, State};
use crate::check::{OracleName, Outcome, Panel};
use crate::lock::LockCore;
use crate::plan::Plan;
use crate::world::{BackingFacts, OnTimeout, Setup, System};
use stateright::{Model, Property};
use std::sync::Arc;

/// A model: cores in a scope, judged by one oracle.
#[derive(Clone, Debug)]
pub struct ScopeModel<C> {
    scope: Scope,
    setup: Arc<Setup>,
    cores: Vec<C>,
    oracle: OracleName,
    question: Question,
    panel: Panel,
}

/// What is asked of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether the oracle is violated in any schedule. States do not tell whether it was exercised.
    Violated,
    /// Whether it is exercised in some schedule: without that, held says nothing. What cannot arise in the scope,
    /// or rests on bounds or on the settled world, never is.
    Exercised,
}

impl<C: LockCore> ScopeModel<C> {
    /// The oracles that look only at what clients do.
    pub const JUDGED: [OracleName; 3] =
        [OracleName::PromiseOverlap, OracleName::PromiseEmpty, OracleName::SectionOverlap];

    /// A model of `cores`, one per client of `setup`, that asks `question` of `oracle`.
    ///
    /// # Panics
    /// If the oracle looks at what servers do: orders of servers' events against clients' are not explored. If
    /// `setup` plans anything, or lets a client have several connections to one node: canonical states drop the
    /// names that plans speak of, and messages of one client to one node are taken to be one queue.
    pub fn new(scope: Scope, setup: Setup, cores: Vec<C>, oracle: OracleName, question: Question) -> Self {
        assert!(Self::JUDGED.contains(&oracle), "{oracle} sees orders that are not explored");
        assert!(cores.len() <= 16, "a state keeps sixteen bits of clients");
        assert_eq!(setup.plan, Plan::empty(), "a state of the graph keeps no names that a plan could mean");
        assert_eq!(setup.on_timeout, OnTimeout::Keep, "one client and one node share one connection");
        let setup = Arc::new(setup);
        let panel = Panel::new(&crate::sim::check_scope(&setup, &cores)).restrict(&[oracle]);
        let panel = match question {
            Question::Violated => panel.assume_exercised(),
            Question::Exercised => panel,
        };
        Self { scope, setup, cores, oracle, question, panel }
    }

    /// The scope.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The world.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The oracle.
    pub fn oracle(&self) -> OracleName {
        self.oracle
    }

    /// The system at the start, before any canonical form.
    pub(crate) fn system(&self) -> System<C> {
        System::new(Arc::clone(&self.setup), self.cores.clone()).deriving(&[], BackingFacts::Left)
    }

    /// The first state, and the places of the voters in it.
    pub(crate) fn start(&self) -> (State<C>, Vec<u8>) {
        State::new(self.system(), self.panel.clone(), &self.scope)
    }

    pub(crate) fn cores(&self) -> &[C] {
        &self.cores
    }
}

fn is_violated<C: LockCore>(model: &ScopeModel<C>, state: &State<C>) -> bool {
    matches!(state.panel.outcome(model.oracle), Outcome::Violated(_))
}

impl<C: LockCore> Model for ScopeModel<C> {
    type State = State<C>;
    type Action = Choice;

    fn init_states(&self) -> Vec<Self::State> {
        vec![self.start().0]
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>) {
        state.choices(&self.scope, actions);
    }

    fn next_state(&self, last: &Self::State, action: Self::Action) -> Option<Self::State> {
        let mut next = last.clone();
        next.choose(action, &self.scope, &mut Vec::new());
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        match self.question {
            Question::Violated => {
                vec![Property::always("held", |model: &Self, state: &State<C>| !is_violated(model, state))]
            }
            Question::Exercised => {
                vec![Property::sometimes("exercised", |model: &Self, state: &State<C>| {
                    matches!(state.panel.outcome(model.oracle), Outcome::Held | Outcome::Violated(_))
                })]
            }
        }
    }
}
