//! How one oracle ended, and the two events that prove a violation.
//!
//! Must not render text: reports look the marks up in the history.

use super::mark::Mark;
use super::oracle::OracleName;
use crate::history::Record;
use crate::time::WorldTime;

/// An oracle was violated: when, and by which two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Violation {
    /// Which oracle.
    pub oracle: OracleName,
    /// When the second event happened; 0 in a canonical form.
    pub at: WorldTime,
    /// What the second event contradicts.
    pub first: Mark,
    /// The event that completed the violation.
    pub second: Mark,
}

/// How one oracle ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Exercised and never violated.
    Held,
    /// Violated, first by this.
    Violated(Violation),
    /// The conditions under which it judges never arose.
    NotExercised,
    /// It cannot arise in this scope.
    NotApplicable,
}

impl Violation {
    /// The two events in the history that they come from.
    ///
    /// The second is the last record of its instant that fits, the first the last one before it that fits.
    /// `None` if the history does not hold them, or if this is a canonical form.
    pub fn evidence<'a>(&self, records: &'a [Record]) -> Option<(&'a Record, &'a Record)> {
        let second =
            records.iter().rposition(|record| record.at == self.at && self.second.matches(record))?;
        let first = records[..second].iter().rfind(|record| self.first.matches(record))?;
        Some((first, &records[second]))
    }

    /// Drops everything that no future depends on.
    pub(super) fn forget_evidence(&mut self) {
        self.at = WorldTime::ZERO;
        (self.first, self.second) = (Mark::Forgotten, Mark::Forgotten);
    }
}

impl Outcome {
    /// Its text: `held`, `violated`, `not-exercised`, `n/a`.
    pub fn text(&self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Violated(_) => "violated",
            Self::NotExercised => "not-exercised",
            Self::NotApplicable => "n/a",
        }
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.text())
    }
}
