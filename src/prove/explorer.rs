//! The graph for stateright's Explorer: a person walks through it, choice by choice.
//!
//! Choices are told by `wording.rs`; what a record says in words is given by whoever shows it. A state shows what
//! happened on the way to it. Must not add semantics: states and steps are those of [`ScopeModel`].

use super::choices::Choice;
use super::model::ScopeModel;
use super::state::State;
use super::telling::{Step, Told};
use super::wording::{choice_words, sent_words};
use crate::lock::LockCore;
use crate::world::Setup;
use stateright::{Model, Property};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::net::SocketAddr;

/// Tells records in words, a line each; the world is the model's, in which faults are numbered by what may happen.
pub type Narrator = fn(&Setup, &[Told]) -> String;

/// A graph to walk through.
#[derive(Clone, Debug)]
pub struct Explorable<C> {
    model: ScopeModel<C>,
    narrator: Narrator,
}

/// A state with what happened on the way to it; two are equal if the states are.
#[derive(Clone)]
pub struct Seen<C> {
    /// The state.
    pub state: State<C>,
    /// How many ticks have passed on the way.
    pub tick: u32,
    /// What happened between the state before and this one, in words.
    pub told: String,
}

impl<C: LockCore> Explorable<C> {
    /// The graph of a model, told by `narrator`.
    pub fn new(model: ScopeModel<C>, narrator: Narrator) -> Self {
        Self { model, narrator }
    }

    /// Serves the Explorer at this address, until the process ends.
    ///
    /// # Panics
    /// If the address is not one of the machine itself, or is in use.
    pub fn serve(self, address: SocketAddr, threads: usize) {
        assert!(
            address.ip().is_loopback(),
            "{address} can be reached from elsewhere, and the Explorer asks nobody who he is"
        );
        let _ = self.checker().threads(threads).serve(address);
    }

    fn arrive(&self, before: u32, chosen: &str, step: Step<C>) -> Seen<C> {
        let told: Vec<Told> = step.told.into_iter().map(|told| told.later(before)).collect();
        let lines = (self.narrator)(self.model.setup(), &told);
        let passed = match step.ticks {
            0 => String::new(),
            1 => "a tick has passed\n".to_owned(),
            ticks => format!("{ticks} ticks have passed\n"),
        };
        Seen { state: step.state, tick: before + step.ticks, told: format!("{chosen}{lines}{passed}") }
    }
}

impl<C: LockCore> Model for Explorable<C> {
    type State = Seen<C>;
    type Action = Choice;

    fn init_states(&self) -> Vec<Self::State> {
        vec![self.arrive(0, "", self.model.opening())]
    }

    fn actions(&self, seen: &Self::State, actions: &mut Vec<Self::Action>) {
        self.model.actions(&seen.state, actions);
    }

    fn next_state(&self, last: &Self::State, action: Self::Action) -> Option<Self::State> {
        let mut chosen = choice_words(self.model.terms(), action);
        for message in sent_words(self.model.terms(), &last.state, action) {
            chosen.push_str(&format!("; {message}"));
        }
        chosen.push('\n');
        Some(self.arrive(last.tick, &chosen, self.model.step_from(&last.state, action)))
    }

    fn format_action(&self, action: &Self::Action) -> String {
        choice_words(self.model.terms(), *action)
    }

    fn format_step(&self, last: &Self::State, action: Self::Action) -> Option<String> {
        self.next_state(last, action).map(|next| next.told)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("held", |explored: &Self, seen: &Seen<C>| {
            !explored.model.is_violated(&seen.state)
        })]
    }
}

impl<C: PartialEq> PartialEq for Seen<C> {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

impl<C: Eq> Eq for Seen<C> {}

impl<C: Hash> Hash for Seen<C> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
    }
}

/// The Explorer shows states by this.
impl<C> fmt::Debug for Seen<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told)
    }
}
