//! The witness `expiry-under-load`: a grant after another client's key expired while its holder was inside.
//!
//! A key that a clock fault carried past its end expired too. Several keys of one hold count once. Re-entries are passed
//! over, and a reader that comes to another reader sees nothing.

use super::readers::Readers;
use super::sighting::Sighting;
use crate::canon::Canon;
use crate::history::{Cause, Fact, Record};
use crate::name::{CallId, ClientId, GrantId};

/// A client's last grant, and how far it got.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Hold {
    /// Granted, not inside.
    Granted(GrantId, CallId),
    /// Inside, its keys whole.
    Inside(GrantId, CallId),
    /// A key expired while it was inside; nobody else was granted since.
    Expired,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ExpiryUnderLoad {
    readers: Readers,
    /// Whether the grant that comes next is a re-entry.
    again: bool,
    /// At most one entry per client, in client order.
    holds: Vec<(ClientId, Hold)>,
}

impl ExpiryUnderLoad {
    fn set(&mut self, client: ClientId, hold: Hold) {
        match self.holds.binary_search_by_key(&client, |(client, _)| *client) {
            Ok(place) => self.holds[place].1 = hold,
            Err(place) => self.holds.insert(place, (client, hold)),
        }
    }

    fn on_granted(&mut self, call: CallId, grant: GrantId) -> bool {
        let before = self.holds.len();
        let (readers, party) = (&self.readers, self.readers.party(call.client));
        self.holds.retain(|(client, hold)| *hold != Hold::Expired || readers.party(*client) == party);
        let seen = self.holds.len() < before;
        self.set(call.client, Hold::Granted(grant, call));
        seen
    }
}

impl Sighting for ExpiryUnderLoad {
    fn new(readers: &Readers) -> Self {
        Self { readers: readers.clone(), again: false, holds: Vec::new() }
    }

    fn on_record(&mut self, record: &Record) -> bool {
        if let Fact::Granted { call, grant, .. } = record.fact {
            return !std::mem::take(&mut self.again) && self.on_granted(call, grant);
        }
        self.again |= matches!(record.fact, Fact::Reentered { .. });
        if let Fact::SectionEntered { grant: entered } = record.fact {
            for (_, hold) in &mut self.holds {
                if let Hold::Granted(grant, call) = *hold
                    && grant == entered
                {
                    *hold = Hold::Inside(grant, call);
                }
            }
        } else if let Fact::SectionLeft { grant: left, .. } = record.fact {
            self.holds.retain(|(_, hold)| !matches!(hold, Hold::Inside(grant, _) if *grant == left));
        } else if let Fact::HoldGone { writer, cause: Cause::Expiry | Cause::ClockFault, .. } = record.fact {
            for (_, hold) in &mut self.holds {
                if matches!(hold, Hold::Inside(_, call) if *call == writer) {
                    *hold = Hold::Expired;
                }
            }
        }
        false
    }

    fn kept(&self, kept: &mut Vec<GrantId>) {
        kept.extend(self.holds.iter().filter_map(|(_, hold)| match hold {
            Hold::Granted(grant, _) | Hold::Inside(grant, _) => Some(*grant),
            Hold::Expired => None,
        }));
    }

    fn retire(&mut self, live: &[GrantId]) {
        self.holds.retain(|(_, hold)| match hold {
            Hold::Granted(grant, _) | Hold::Inside(grant, _) => live.contains(grant),
            Hold::Expired => true,
        });
    }

    fn canonical(&mut self, canon: &mut Canon) {
        for (_, hold) in &mut self.holds {
            match hold {
                Hold::Granted(grant, call) | Hold::Inside(grant, call) => {
                    canon.grant(grant);
                    canon.call(call);
                }
                Hold::Expired => {}
            }
        }
    }
}
