//! `promise-overlap`: two promises of different clients intersect that are not both shared.
//!
//! A client's own promises are compatible with each other, and so are those of readers: where a client is spoken of here,
//! all readers are one (`readers.rs`).
//!
//! Promises are half-open, and at one instant the order of records decides: an end recorded before a beginning
//! does not touch it. Exercised by grants of two clients and an attempt begun inside another client's promise.
//! *n/a* with fewer than two clients.

use super::distinct::Distinct;
use super::mark::Mark;
use super::monitor::Monitor;
use super::occupancy::Occupancy;
use super::oracle::OracleName;
use super::readers::Readers;
use super::scope::Scope;
use crate::canon::Canon;
use crate::history::{Fact, Record};
use crate::name::{ClientId, GrantId};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PromiseOverlap {
    readers: Readers,
    running: Occupancy,
    granted: Distinct<ClientId>,
    contended: bool,
}

impl PromiseOverlap {
    pub(super) fn new(readers: &Readers) -> Self {
        Self {
            readers: readers.clone(),
            running: Occupancy::empty(),
            granted: Distinct::None,
            contended: false,
        }
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.clients >= 2
    }
}

impl Monitor for PromiseOverlap {
    fn oracle(&self) -> OracleName {
        OracleName::PromiseOverlap
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        if let Fact::PromiseBegan { grant, call } = record.fact {
            if let Some(rival) = self.running.rival_of(self.readers.party(call.client)) {
                return Some((Mark::PromiseBegan(rival), Mark::PromiseBegan(grant)));
            }
            self.running.begin(grant, self.readers.party(call.client));
        } else if let Fact::PromiseEnded { grant, .. } = record.fact {
            self.running.end(grant);
        } else if let Fact::Granted { call, .. } = record.fact {
            self.granted.see(self.readers.party(call.client));
        } else if let Fact::AttemptBegan { call, .. } = record.fact {
            self.contended |= self.running.rival_of(self.readers.party(call.client)).is_some();
        }
        None
    }

    fn exercised(&self) -> bool {
        self.contended && self.granted.two()
    }

    fn assume_exercised(&mut self) {
        (self.granted, self.contended) = (Distinct::Two, true);
    }

    fn kept(&self, kept: &mut Vec<GrantId>) {
        self.running.kept(kept);
    }

    fn canonical(&mut self, canon: &mut Canon) {
        self.running.canonical(canon);
    }
}
