//! The witness `contention`: an attempt begun inside another client's promise, unless both read.

use super::occupancy::Occupancy;
use super::readers::Readers;
use super::sighting::Sighting;
use crate::canon::Canon;
use crate::history::{Fact, Record};
use crate::name::GrantId;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Contention {
    readers: Readers,
    running: Occupancy,
}

impl Sighting for Contention {
    fn new(readers: &Readers) -> Self {
        Self { readers: readers.clone(), running: Occupancy::empty() }
    }

    fn on_record(&mut self, record: &Record) -> bool {
        if let Fact::PromiseBegan { grant, call } = record.fact {
            self.running.begin(grant, self.readers.party(call.client));
        } else if let Fact::PromiseEnded { grant, .. } = record.fact {
            self.running.end(grant);
        } else if let Fact::AttemptBegan { call, .. } = record.fact {
            return self.running.rival_of(self.readers.party(call.client)).is_some();
        }
        false
    }

    fn kept(&self, kept: &mut Vec<GrantId>) {
        self.running.kept(kept);
    }

    fn retire(&mut self, _live: &[GrantId]) {
        // A promise that runs belongs to a live grant.
    }

    fn canonical(&mut self, canon: &mut Canon) {
        self.running.canonical(canon);
    }
}
