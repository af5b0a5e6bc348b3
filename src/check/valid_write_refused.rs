//! `valid-write-refused`: the store refused a holder inside its promise while no newer grant existed.
//!
//! Exercised by a write that reached the store inside its promise. *n/a* where nobody writes, or the store is
//! plain and refuses nothing. A second hold inside the same section is no newer grant.

use super::mark::Mark;
use super::monitor::Monitor;
use super::newest::Newest;
use super::oracle::OracleName;
use super::scope::Scope;
use crate::canon::Canon;
use crate::history::{Fact, Record};
use crate::name::GrantId;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ValidWriteRefused {
    granted: Newest,
    /// Whether the grant that comes next is a re-entry.
    again: bool,
    reached: bool,
}

impl ValidWriteRefused {
    pub(super) fn new() -> Self {
        Self { granted: Newest::none(), again: false, reached: false }
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.writes && scope.store_refuses
    }
}

impl Monitor for ValidWriteRefused {
    fn oracle(&self) -> OracleName {
        OracleName::ValidWriteRefused
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        if let Fact::Reentered { .. } = record.fact {
            self.again = true;
        } else if let Fact::Granted { grant, .. } = record.fact {
            if !std::mem::take(&mut self.again) {
                self.granted.see(grant);
            }
        } else if let Fact::StoreWrite { grant, accepted, promised: true, .. } = record.fact {
            self.reached = true;
            if !accepted && self.granted.newer_than(grant).is_none() {
                return Some((Mark::Granted(grant), Mark::StoreWrite { grant, accepted }));
            }
        }
        None
    }

    fn exercised(&self) -> bool {
        self.reached
    }

    fn assume_exercised(&mut self) {
        self.reached = true;
    }

    fn kept(&self, kept: &mut Vec<GrantId>) {
        self.granted.kept(kept);
    }

    fn retire(&mut self, live: &[GrantId]) {
        self.granted.retire(live);
    }

    fn canonical(&mut self, canon: &mut Canon) {
        self.granted.canonical(canon);
    }
}
