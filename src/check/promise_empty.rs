//! `promise-empty`: a grant or an extension was handed out whose end is not after its own decision.
//!
//! The world compares the two on the declared clock; this reads its answer. Exercised by one promise. Always
//! applies.

use super::mark::Mark;
use super::monitor::Monitor;
use super::oracle::OracleName;
use crate::history::{Fact, Record};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PromiseEmpty {
    promised: bool,
}

impl PromiseEmpty {
    pub(super) fn new() -> Self {
        Self { promised: false }
    }
}

impl Monitor for PromiseEmpty {
    fn oracle(&self) -> OracleName {
        OracleName::PromiseEmpty
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        if let Fact::Granted { call, grant, ahead: false, .. } = record.fact {
            return Some((Mark::AcquireBegan(call), Mark::Granted(grant)));
        }
        if let Fact::Extended { grant, ahead: false, .. } = record.fact {
            return Some((Mark::Granted(grant), Mark::Extended(grant)));
        }
        self.promised |= matches!(record.fact, Fact::PromiseBegan { .. });
        None
    }

    fn exercised(&self) -> bool {
        self.promised
    }

    fn assume_exercised(&mut self) {
        self.promised = true;
    }
}
