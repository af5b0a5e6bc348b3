//! `promise-unbacked`: inside a promise a rival could win the smallest quorum that any client uses.
//!
//! The world counts the votes at every change; this compares. A shared grant's rival is whoever shares nothing. What the owner's own release frees lies outside
//! its promise, because the call of release ends it first. How far the first such moment lies from the promised
//! end is a figure of a run: see `margin.rs`. Exercised by one promise. *n/a* where nobody asks voters.

use super::mark::Mark;
use super::monitor::Monitor;
use super::oracle::OracleName;
use super::scope::Scope;
use crate::history::{Fact, Record};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PromiseUnbacked {
    promised: bool,
}

impl PromiseUnbacked {
    pub(super) fn new() -> Self {
        Self { promised: false }
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.asks
    }
}

impl Monitor for PromiseUnbacked {
    fn oracle(&self) -> OracleName {
        OracleName::PromiseUnbacked
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        if let Fact::Backing { grant, winnable, quorum, promised: true, .. } = record.fact
            && winnable >= quorum
        {
            return Some((Mark::PromiseBegan(grant), Mark::Unbacked(grant)));
        }
        self.promised |= matches!(record.fact, Fact::PromiseBegan { .. });
        None
    }

    fn exercised(&self) -> bool {
        self.promised
    }
}
