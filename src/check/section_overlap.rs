//! `section-overlap`: two clients are inside the section at once; a paused client is still inside. Readers may be.
//!
//! Where a client is spoken of here, all readers are one (`readers.rs`).
//!
//! At one instant the order of records decides. Exercised by sections of two clients and an attempt begun while
//! another client was inside. *n/a* with fewer than two clients.

use super::distinct::Distinct;
use super::mark::Mark;
use super::monitor::{Monitor, client_of};
use super::occupancy::Occupancy;
use super::oracle::OracleName;
use super::readers::Readers;
use super::scope::Scope;
use crate::canon::Canon;
use crate::history::{Fact, Record};
use crate::name::{ClientId, GrantId};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SectionOverlap {
    readers: Readers,
    inside: Occupancy,
    entered: Distinct<ClientId>,
    contended: bool,
}

impl SectionOverlap {
    pub(super) fn new(readers: &Readers) -> Self {
        Self {
            readers: readers.clone(),
            inside: Occupancy::empty(),
            entered: Distinct::None,
            contended: false,
        }
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.clients >= 2
    }
}

impl Monitor for SectionOverlap {
    fn oracle(&self) -> OracleName {
        OracleName::SectionOverlap
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        if let Fact::SectionEntered { grant } = record.fact {
            let client = self.readers.party(client_of(record)?);
            if let Some(rival) = self.inside.rival_of(client) {
                return Some((Mark::SectionEntered(rival), Mark::SectionEntered(grant)));
            }
            self.inside.begin(grant, client);
            self.entered.see(client);
        } else if let Fact::SectionLeft { grant, .. } = record.fact {
            self.inside.end(grant);
        } else if let Fact::AttemptBegan { call, .. } = record.fact {
            self.contended |= self.inside.rival_of(self.readers.party(call.client)).is_some();
        }
        None
    }

    fn exercised(&self) -> bool {
        self.contended && self.entered.two()
    }

    fn assume_exercised(&mut self) {
        (self.entered, self.contended) = (Distinct::Two, true);
    }

    fn kept(&self, kept: &mut Vec<GrantId>) {
        self.inside.kept(kept);
    }

    fn canonical(&mut self, canon: &mut Canon) {
        self.inside.canonical(canon);
    }
}
