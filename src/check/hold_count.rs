//! `hold-count`: voters carry more or fewer holds of a client than it was granted and has not given back.
//!
//! The world counts when a call of the client was decided or a release has ended and nothing of it is under way; what
//! it does not count, and why, says `history::Fact::HoldsCounted`. *More*: any one voter that is counted carries more
//! than is believed. *Fewer*: less than a quorum carries as many. Exercised once holds were counted after a re-entry.
//! *n/a* where no client's lock may be re-entered.

use super::mark::Mark;
use super::monitor::Monitor;
use super::oracle::OracleName;
use super::scope::Scope;
use crate::history::{Fact, Record};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum HoldCount {
    /// Nobody has entered again.
    Plain,
    /// Somebody has.
    Reentered,
    /// Holds were counted after that.
    Counted,
}

impl HoldCount {
    pub(super) fn new() -> Self {
        Self::Plain
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.reentrant
    }
}

impl Monitor for HoldCount {
    fn oracle(&self) -> OracleName {
        OracleName::HoldCount
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        if let Fact::HoldsCounted { grant, believed, most, assured } = record.fact {
            if most > believed || assured < believed {
                return Some((Mark::Granted(grant), Mark::Counted(grant)));
            }
            if *self == Self::Reentered {
                *self = Self::Counted;
            }
        } else if let (Self::Plain, Fact::Reentered { .. }) = (&*self, &record.fact) {
            *self = Self::Reentered;
        }
        None
    }

    fn exercised(&self) -> bool {
        *self == Self::Counted
    }

    fn assume_exercised(&mut self) {
        *self = Self::Counted;
    }
}
