//! `stale-write`: the store accepted a write of an older grant after one of a newer grant.
//!
//! Two grants of one client count as well: its late write is as stale as anybody's. Readers do
//! not write; one that does is judged as anybody, too. Exercised by two grants
//! whose writes reached the store, accepted or refused. *n/a* where nobody writes.

use super::distinct::Distinct;
use super::mark::Mark;
use super::monitor::Monitor;
use super::newest::Newest;
use super::oracle::OracleName;
use super::scope::Scope;
use crate::canon::Canon;
use crate::history::{Fact, Record};
use crate::name::GrantId;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct StaleWrite {
    accepted: Newest,
    writers: Distinct<GrantId>,
}

impl StaleWrite {
    pub(super) fn new() -> Self {
        Self { accepted: Newest::none(), writers: Distinct::None }
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.writes
    }
}

impl Monitor for StaleWrite {
    fn oracle(&self) -> OracleName {
        OracleName::StaleWrite
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        let Fact::StoreWrite { grant, accepted, .. } = record.fact else { return None };
        self.writers.see(grant);
        if accepted {
            if let Some(newer) = self.accepted.newer_than(grant) {
                let first = Mark::StoreWrite { grant: newer, accepted };
                return Some((first, Mark::StoreWrite { grant, accepted }));
            }
            self.accepted.see(grant);
        }
        None
    }

    fn exercised(&self) -> bool {
        self.writers.two()
    }

    fn assume_exercised(&mut self) {
        self.writers = Distinct::Two;
    }

    fn kept(&self, kept: &mut Vec<GrantId>) {
        self.accepted.kept(kept);
        kept.extend(self.writers.name());
    }

    fn retire(&mut self, live: &[GrantId]) {
        self.accepted.retire(live);
        self.writers.retire(live);
    }

    fn canonical(&mut self, canon: &mut Canon) {
        self.accepted.canonical(canon);
        if let Some(grant) = self.writers.name_mut() {
            canon.grant(grant);
        }
    }
}
