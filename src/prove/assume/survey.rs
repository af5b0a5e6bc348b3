//! All sets of a subject's kinds, for every oracle, within one fault, then within two, and so on.
//!
//! Must not drop what stayed undecided.

use super::super::ask::Model;
use super::super::kind::Kind;
use super::super::lattice::{Kinds, Lattice};
use super::super::proof::{Counterexample, Replay};
use super::super::prover::Options;
use super::Subject;
pub use super::judge::Effort;
use super::judge::{Judge, Judged};
use crate::check::OracleName;
use std::ops::ControlFlow;

/// How far a survey goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How many threads search. Nothing but the time depends on it.
    pub threads: usize,
    /// The most unique states of one search, within one fault, within two, and so on: as many bounds as there are
    /// numbers.
    pub states_max: Vec<u32>,
    /// The most memory of one search, in bytes, by estimate.
    pub bytes_max: u64,
}

impl Bounds {
    /// The limits of a search within so many faults.
    pub(super) fn options(&self, faults: u8) -> Options {
        let place = usize::from(faults.max(1)) - 1;
        let states_max = self.states_max.get(place).or(self.states_max.last()).copied().unwrap_or(0);
        Options { threads: self.threads, states_max, bytes_max: self.bytes_max }
    }
}

/// What is being asked while a survey runs.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// The subject's name.
    pub subject: &'a str,
    /// Which oracle.
    pub oracle: OracleName,
    /// The bound on all faults together.
    pub faults: u8,
    /// The kinds allowed.
    pub kinds: &'a [Kind],
    /// States of this search so far.
    pub states: u64,
}

/// What a lock rests on: a row for each oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// The lock in its deployment.
    pub subject: Subject,
    /// In the order asked.
    pub rows: Vec<Row>,
    /// Kinds that searches allowed and that never took effect: to be called safe against them means nothing.
    pub idle: Vec<Kind>,
    /// The searches that it took.
    pub effort: Effort,
    /// Whether it came to its end. If not, what is missing counts as undecided.
    pub is_complete: bool,
}

/// One oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Which.
    pub oracle: OracleName,
    /// How it ends if nothing goes wrong.
    pub without: Without,
    /// Within 1 fault, within 2, …; empty if it says nothing even without faults.
    pub within: Vec<Within>,
}

/// How an oracle ends if nothing goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Without {
    /// It holds.
    Held,
    /// It is violated: no assumption helps.
    Violated,
    /// No schedule exercises it.
    NotExercised,
    /// It cannot arise.
    NotApplicable,
    /// The search was not exhausted.
    Unknown,
}

/// All sets within a bound on the faults of a run.
///
/// **Shape** lists are sorted by size, smallest first for what breaks and largest first for what holds, then by kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Within {
    /// The bound.
    pub faults: u8,
    /// Sets that break while every smaller one inside holds.
    pub minimal: Vec<Break>,
    /// Sets that break; some smaller one inside is undecided.
    pub perhaps_minimal: Vec<Break>,
    /// Sets that hold while every larger one around breaks.
    pub safe: Vec<Vec<Kind>>,
    /// Sets that hold; some larger one around is undecided.
    pub perhaps_larger: Vec<Vec<Kind>>,
    /// The smallest undecided sets and the largest: undecided is what lies between one of these and one of those.
    pub undecided: (Vec<Vec<Kind>>, Vec<Vec<Kind>>),
}

/// A set that breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// Its kinds.
    pub kinds: Vec<Kind>,
    /// The world in which exactly these may happen.
    pub model: Model,
    /// The shortest schedule there.
    pub found: Counterexample,
}

impl Matrix {
    /// The counterexamples that the seeded world does not confirm: faults of ours.
    pub fn disagreements(&self) -> impl Iterator<Item = (OracleName, &Break)> {
        self.breaks()
            .filter(|(_, _, broken)| broken.found.replay == Replay::Disagrees)
            .map(|(oracle, _, broken)| (oracle, broken))
    }

    /// All breaking sets that are listed, with their bound.
    pub fn breaks(&self) -> impl Iterator<Item = (OracleName, u8, &Break)> {
        self.rows.iter().flat_map(|row| {
            row.within
                .iter()
                .flat_map(|within| within.breaks().map(|broken| (row.oracle, within.faults, broken)))
        })
    }
}

impl Within {
    /// The breaking sets that are listed, minimal or perhaps so.
    pub fn breaks(&self) -> impl Iterator<Item = &Break> {
        self.minimal.iter().chain(&self.perhaps_minimal)
    }

    /// The listed breaking set inside of this one, if it breaks.
    pub fn broken(&self, kinds: &[Kind]) -> Option<&Break> {
        self.breaks().find(|broken| broken.kinds.iter().all(|kind| kinds.contains(kind)))
    }

    /// Whether this set holds.
    pub fn is_safe(&self, kinds: &[Kind]) -> bool {
        let all = self.safe.iter().chain(&self.perhaps_larger);
        all.into_iter().any(|safe| kinds.iter().all(|kind| safe.contains(kind)))
    }
}

/// Surveys all sets within one fault, two, and so on, as many as `bounds` has numbers for.
///
/// # Panics
/// If answers contradict each other, which is a fault of ours.
pub fn survey(
    subject: &Subject,
    bounds: &Bounds,
    watch: &mut dyn FnMut(&Asking<'_>) -> ControlFlow<()>,
) -> Matrix {
    let mut judge = Judge::new(subject, bounds, watch);
    let faults_max = bounds.states_max.len() as u8;
    let rows: Vec<Row> =
        subject.oracles().map(|oracle| row(&mut judge, subject, oracle, faults_max)).collect();
    let idle = judge.allowed.minus(judge.happened);
    Matrix {
        subject: subject.clone(),
        rows,
        idle: subject.named(idle),
        effort: judge.effort,
        is_complete: !judge.stopped,
    }
}

fn row(judge: &mut Judge<'_>, subject: &Subject, oracle: OracleName, faults_max: u8) -> Row {
    let without = match judge.world(oracle, 0, Kinds::NONE) {
        Judged::Held => Without::Held,
        Judged::Broken(_) => Without::Violated,
        Judged::NotExercised => Without::NotExercised,
        Judged::NotApplicable => Without::NotApplicable,
        Judged::Unknown => Without::Unknown,
    };
    let within = match without {
        Without::Held | Without::Violated | Without::Unknown => {
            (1..=faults_max).map(|faults| within(judge, subject, oracle, faults)).collect()
        }
        Without::NotExercised | Without::NotApplicable => Vec::new(),
    };
    Row { oracle, without, within }
}

fn within(judge: &mut Judge<'_>, subject: &Subject, oracle: OracleName, faults: u8) -> Within {
    let kinds = subject.kinds.len() as u32;
    let lattice = Lattice { kinds, faults_max: faults.into(), asks_max: usize::MAX };
    let found = lattice.survey(|set| judge.ask(oracle, faults, set));
    let mut broken = |sets: &[Kinds]| -> Vec<Break> {
        let shown = sets.iter().rev().filter_map(|set| {
            let (model, found) = judge.shortest(oracle, faults, *set)?;
            Some(Break { kinds: subject.named(*set), model, found })
        });
        shown.collect()
    };
    let (minimal, perhaps_minimal) = (broken(&found.minimal_breaking), broken(&found.breaking));
    let named = |sets: &[Kinds]| -> Vec<Vec<Kind>> { sets.iter().map(|set| subject.named(*set)).collect() };
    Within {
        faults,
        minimal: sorted(minimal),
        perhaps_minimal: sorted(perhaps_minimal),
        safe: named(&found.maximal_safe),
        perhaps_larger: named(&found.safe),
        undecided: (named(&found.undecided_minimal), named(&found.undecided_maximal)),
    }
}

/// Smallest first, then in the order of tables.
fn sorted(mut broken: Vec<Break>) -> Vec<Break> {
    broken.sort_by_key(|broken| {
        let places: Vec<usize> = broken.kinds.iter().map(|kind| kind.place()).collect();
        (places.len(), places)
    });
    broken
}
