//! The witness `hand-over`: a grant after another client's grant ended by release.
//!
//! Only the grant decided last before counts, and only if the call of release cut its promise: a holder that
//! overran its end and then released handed nothing over. Re-entries are passed over, and readers hand nothing to each
//! other.

use super::readers::Readers;
use super::sighting::Sighting;
use crate::canon::Canon;
use crate::history::{Fact, PromiseEnd, Record};
use crate::name::{ClientId, GrantId};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct HandOver {
    readers: Readers,
    last: Last,
    /// Whether the grant that comes next is a re-entry.
    again: bool,
}

/// What became of the grant decided last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Last {
    /// Nothing yet, or nothing that can be handed over any more.
    Nothing,
    /// It may still be released.
    Granted(GrantId, ClientId),
    /// It was released by this client.
    Released(ClientId),
}

impl Sighting for HandOver {
    fn new(readers: &Readers) -> Self {
        Self { readers: readers.clone(), last: Last::Nothing, again: false }
    }

    fn on_record(&mut self, record: &Record) -> bool {
        if let Fact::Granted { call, grant, .. } = record.fact {
            if std::mem::take(&mut self.again) {
                return false;
            }
            let party = self.readers.party(call.client);
            let handed = matches!(self.last, Last::Released(client) if client != party);
            self.last = Last::Granted(grant, party);
            return handed;
        }
        if let Fact::PromiseEnded { grant, why: PromiseEnd::Released } = record.fact
            && let Last::Granted(last, client) = self.last
            && last == grant
        {
            self.last = Last::Released(client);
        }
        self.again |= matches!(record.fact, Fact::Reentered { .. });
        false
    }

    fn kept(&self, kept: &mut Vec<GrantId>) {
        match self.last {
            Last::Granted(grant, _) => kept.push(grant),
            Last::Nothing | Last::Released(_) => {}
        }
    }

    fn retire(&mut self, live: &[GrantId]) {
        if matches!(self.last, Last::Granted(grant, _) if !live.contains(&grant)) {
            self.last = Last::Nothing;
        }
    }

    fn canonical(&mut self, canon: &mut Canon) {
        match &mut self.last {
            Last::Granted(grant, _) => canon.grant(grant),
            Last::Nothing | Last::Released(_) => {}
        }
    }
}
