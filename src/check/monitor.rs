//! What every monitor is, and the seat in which a panel keeps one.
//!
//! A monitor keeps only what can influence its outcome: no world time, no growing count, no evidence. What
//! happened before a violation is forgotten with it. Must not judge anything itself.

use super::mark::Mark;
use super::oracle::OracleName;
use super::violation::{Outcome, Violation};
use crate::canon::Canon;
use crate::history::Record;
use crate::name::{ClientId, GrantId, Process};
use std::fmt::Debug;
use std::hash::Hash;

/// One oracle as a finite fold over records.
pub(super) trait Monitor: Clone + Eq + Hash + Debug {
    /// Which oracle it is.
    fn oracle(&self) -> OracleName;

    /// Takes the next record; the two events if it completes a violation. Not called again after one.
    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)>;

    /// Whether the conditions under which it judges have arisen.
    fn exercised(&self) -> bool;

    /// Forgets by what it was exercised, as if it had been: what is left only looks for a violation.
    fn assume_exercised(&mut self) {}

    /// Appends the grants it still keeps.
    fn kept(&self, _kept: &mut Vec<GrantId>) {}

    /// Drops grants that can no longer matter when exactly these can still act.
    fn retire(&mut self, _live: &[GrantId]) {}

    /// Renames what it keeps.
    fn canonical(&mut self, _canon: &mut Canon) {}
}

/// The place of one monitor in a panel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Seat<M> {
    /// The oracle cannot arise in this scope.
    Inapplicable,
    /// Left out on purpose.
    LeftOut,
    /// Still judging.
    Judging(M),
    /// Violated, which is final. Boxed, because most states of a prover hold no violation.
    Violated(Box<Violation>),
}

impl<M: Monitor> Seat<M> {
    /// A seat that judges where the oracle applies.
    pub(super) fn new(applies: bool, monitor: M) -> Self {
        if applies { Self::Judging(monitor) } else { Self::Inapplicable }
    }

    #[inline]
    pub(super) fn on_record(&mut self, record: &Record, violations: &mut Vec<Violation>) {
        let Self::Judging(monitor) = self else { return };
        if let Some((first, second)) = monitor.on_record(record) {
            let violation = Violation { oracle: monitor.oracle(), at: record.at, first, second };
            violations.push(violation);
            *self = Self::Violated(Box::new(violation));
        }
    }

    /// `None` if left out.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Inapplicable => Some(Outcome::NotApplicable),
            Self::LeftOut => None,
            Self::Judging(monitor) if monitor.exercised() => Some(Outcome::Held),
            Self::Judging(_) => Some(Outcome::NotExercised),
            Self::Violated(violation) => Some(Outcome::Violated(**violation)),
        }
    }

    /// Leaves the monitor out unless it is one of these.
    pub(super) fn keep_if_in(&mut self, oracles: &[OracleName]) {
        let named = match self {
            Self::Judging(monitor) => oracles.contains(&monitor.oracle()),
            Self::Violated(violation) => oracles.contains(&violation.oracle),
            Self::Inapplicable | Self::LeftOut => true,
        };
        if !named {
            *self = Self::LeftOut;
        }
    }

    pub(super) fn assume_exercised(&mut self) {
        if let Self::Judging(monitor) = self {
            monitor.assume_exercised();
        }
    }

    pub(super) fn kept(&self, kept: &mut Vec<GrantId>) {
        if let Self::Judging(monitor) = self {
            monitor.kept(kept);
        }
    }

    pub(super) fn retire(&mut self, live: &[GrantId]) {
        if let Self::Judging(monitor) = self {
            monitor.retire(live);
        }
    }

    pub(super) fn canonical(&mut self, canon: &mut Canon) {
        match self {
            Self::Inapplicable | Self::LeftOut => {}
            Self::Judging(monitor) => monitor.canonical(canon),
            Self::Violated(violation) => violation.forget_evidence(),
        }
    }
}

/// The client at which a record was made, if it is one.
pub(super) fn client_of(record: &Record) -> Option<ClientId> {
    match record.process {
        Process::Client(client) => Some(client),
        Process::Node(_) | Process::Store => None,
    }
}
