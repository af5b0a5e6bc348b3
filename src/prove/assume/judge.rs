//! What one set of kinds does to one oracle: searched once, remembered, and carried from smaller bounds to larger ones.
//!
//! Must not answer for a set that follows from no search.

use super::super::ask::Model;
use super::super::kind::Kind;
use super::super::lattice::{Answer, Kinds};
use super::super::proof::{Counterexample, Ended, Finding, Proof};
use super::super::prover::{Sighted, prove_model};
use super::Subject;
use super::survey::{Asking, Bounds};
use crate::check::OracleName;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Asks about sets of one subject.
pub(super) struct Judge<'a> {
    subject: &'a Subject,
    bounds: &'a Bounds,
    watch: &'a mut dyn FnMut(&Asking<'_>) -> ControlFlow<()>,
    judged: BTreeMap<(OracleName, u8, Kinds), Judged>,
    /// Sets that break, each within its bound.
    broken: Vec<(OracleName, u8, Kinds)>,
    /// Kinds that some search allowed, and those that took effect in one.
    pub(super) allowed: Kinds,
    pub(super) happened: Kinds,
    pub(super) effort: Effort,
    /// Whether whoever watches said stop.
    pub(super) stopped: bool,
}

/// How much was searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Effort {
    /// Sets searched.
    pub searches: u64,
    /// Unique states of all searches together.
    pub states: u64,
}

/// What a search of one world found.
#[derive(Clone, Debug)]
pub(super) enum Judged {
    Held,
    Broken(Box<(Model, Counterexample)>),
    NotExercised,
    NotApplicable,
    Unknown,
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        subject: &'a Subject,
        bounds: &'a Bounds,
        watch: &'a mut dyn FnMut(&Asking<'_>) -> ControlFlow<()>,
    ) -> Self {
        Self {
            subject,
            bounds,
            watch,
            judged: BTreeMap::new(),
            broken: Vec::new(),
            allowed: Kinds::NONE,
            happened: Kinds::NONE,
            effort: Effort::default(),
            stopped: false,
        }
    }

    /// Whether this oracle can be violated by so many faults of these kinds.
    ///
    /// A schedule has faults of no more kinds than the bound on faults, so a larger set is as its subsets of that size
    /// are: these are searched, each for all oracles at once, and no union of them that would not fit.
    pub(super) fn ask(&mut self, oracle: OracleName, faults: u8, set: Kinds) -> Answer {
        let known = self
            .broken
            .iter()
            .filter(|(broken, within, used)| *broken == oracle && *within <= faults && set.contains(*used));
        // The smallest is the nearest to a minimal one.
        if let Some((_, _, used)) = known.min_by_key(|(_, _, used)| (used.len(), *used)) {
            return Answer::Breaks(*used);
        }
        let parts: Vec<Kinds> = match set.len() > faults.into() {
            true => set.of_size(faults.into()).flat_map(|part| self.subject.worlds(part)).collect(),
            false => self.subject.worlds(set),
        };
        let mut answer = Answer::Holds;
        for world in parts {
            match self.world(oracle, faults, world) {
                Judged::Held => {}
                Judged::Broken(found) => return Answer::Breaks(self.subject.set(&found.1.faults)),
                Judged::NotExercised | Judged::NotApplicable | Judged::Unknown => answer = Answer::Unknown,
            }
        }
        answer
    }

    /// What a search of exactly this world finds. Without kinds there are no faults, whatever the bound.
    pub(super) fn world(&mut self, oracle: OracleName, faults: u8, set: Kinds) -> Judged {
        let within = if set.is_empty() { 0 } else { faults };
        if let Some(known) = self.judged.get(&(oracle, within, set)) {
            return known.clone();
        }
        if self.stopped {
            return Judged::Unknown;
        }
        let oracles = self.together(oracle, within, set);
        let model = self.subject.world(set, faults, &oracles);
        let proof = self.prove(&model, oracle, faults, set);
        for (name, finding) in proof.findings {
            let judged = match finding {
                Finding::Violated(found) => {
                    self.broken.push((name, within, self.subject.set(&found.faults)));
                    Judged::Broken(Box::new((model.clone(), *found)))
                }
                Finding::Held => Judged::Held,
                Finding::NotExercised => Judged::NotExercised,
                Finding::NotApplicable => Judged::NotApplicable,
                Finding::Unknown => Judged::Unknown,
            };
            self.judged.insert((name, within, set), judged);
        }
        self.judged.get(&(oracle, within, set)).cloned().unwrap_or(Judged::Unknown)
    }

    /// The oracles that one search judges: all that the set is not known to break, for they will be asked as well.
    fn together(&self, oracle: OracleName, within: u8, set: Kinds) -> Vec<OracleName> {
        let is_open = |other: &OracleName| {
            let breaks = |(broken, known, used): &(OracleName, u8, Kinds)| {
                broken == other && *known <= within && set.contains(*used)
            };
            !self.broken.iter().any(breaks) && !self.judged.contains_key(&(*other, within, set))
        };
        self.subject.oracles().filter(|other| *other == oracle || is_open(other)).collect()
    }

    fn prove(&mut self, model: &Model, oracle: OracleName, faults: u8, set: Kinds) -> Proof {
        let kinds: Vec<Kind> = self.subject.named(set);
        let subject = &self.subject.model.name;
        let watch = &mut self.watch;
        let mut look = |sighted: &Sighted| {
            watch(&Asking { subject, oracle, faults, kinds: &kinds, states: sighted.states })
        };
        let proof = prove_model(model, &self.bounds.options(faults), &mut look);
        self.stopped |= proof.effort.ended == Ended::Stopped;
        self.effort.searches += 1;
        self.effort.states += proof.effort.states + proof.effort.beside;
        let took_effect = proof.happened.iter().filter(|(_, seen)| *seen).map(|(kind, _)| *kind);
        let took_effect: Vec<Kind> = took_effect.collect();
        self.allowed = self.allowed.union(set);
        self.happened = self.happened.union(self.subject.set(&took_effect));
        proof
    }

    /// The shortest schedule in which these kinds, and no others, break it: one that is known to exist within this bound.
    pub(super) fn shortest(
        &mut self,
        oracle: OracleName,
        faults: u8,
        set: Kinds,
    ) -> Option<(Model, Counterexample)> {
        let known = self
            .broken
            .iter()
            .filter(|(broken, within, used)| *broken == oracle && *within <= faults && *used == set);
        let within = known.map(|(_, within, _)| *within).min().unwrap_or(faults);
        match self.world(oracle, within, set) {
            Judged::Broken(found) => Some(*found),
            Judged::Held | Judged::NotExercised | Judged::NotApplicable | Judged::Unknown => None,
        }
    }
}
