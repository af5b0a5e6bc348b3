//! `false-refusal`: the caller was told *taken* although a quorum carries a value that its call wrote.
//!
//! Told *unknown* it was told the truth. Exercised by a call that ended without a grant after one of its writes
//! was applied. *n/a* where nobody asks voters.

use super::mark::Mark;
use super::monitor::Monitor;
use super::oracle::OracleName;
use super::scope::Scope;
use crate::history::{Fact, Record};
use crate::lock::RefuseReason;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FalseRefusal {
    refused: bool,
}

impl FalseRefusal {
    pub(super) fn new() -> Self {
        Self { refused: false }
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.asks
    }
}

impl Monitor for FalseRefusal {
    fn oracle(&self) -> OracleName {
        OracleName::FalseRefusal
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        let Fact::Refused { call, why, carried, quorum, wrote } = record.fact else { return None };
        // A call without effect carries nothing, so a lock that asks nobody (quorum 0) never gets here.
        if why == RefuseReason::Taken && wrote && carried >= quorum {
            return Some((Mark::Wrote(call), Mark::Refused(call)));
        }
        self.refused |= wrote;
        None
    }

    fn exercised(&self) -> bool {
        self.refused
    }
}
