//! `orphan`: when all has settled a hold key exists whose writer has no live promise and no attempt in progress.
//!
//! Fence counters are no hold keys. Exercised once a key was written and the world settled. *n/a* where nobody
//! asks voters.

use super::mark::{Mark, written_by};
use super::monitor::Monitor;
use super::oracle::OracleName;
use super::scope::Scope;
use crate::history::{Fact, Record};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Orphan {
    written: bool,
    settled: bool,
}

impl Orphan {
    pub(super) fn new() -> Self {
        Self { written: false, settled: false }
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.asks
    }
}

impl Monitor for Orphan {
    fn oracle(&self) -> OracleName {
        OracleName::Orphan
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        if let Fact::LeftOver { node, writer, excused: false } = record.fact {
            return Some((Mark::Wrote(writer), Mark::LeftOver { node, writer }));
        }
        self.written |= written_by(&record.fact).is_some();
        self.settled |= record.fact == Fact::Settled;
        None
    }

    fn exercised(&self) -> bool {
        self.written && self.settled
    }
}
