//! The witness `hand-over`: a grant after another client's grant ended by release.
//!
//! Only the grant decided last before counts, and only if the call of release cut its promise: a holder that
//! overran its end and then released handed nothing over.

use super::sighting::Sighting;
use crate::canon::Canon;
use crate::history::{Fact, PromiseEnd, Record};
use crate::name::{ClientId, GrantId};

/// What became of the grant decided last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum HandOver {
    /// Nothing yet, or nothing that can be handed over any more.
    Nothing,
    /// It may still be released.
    Granted(GrantId, ClientId),
    /// It was released by this client.
    Released(ClientId),
}

impl Sighting for HandOver {
    fn new() -> Self {
        Self::Nothing
    }

    fn on_record(&mut self, record: &Record) -> bool {
        if let Fact::Granted { call, grant, .. } = record.fact {
            let handed = matches!(*self, Self::Released(client) if client != call.client);
            *self = Self::Granted(grant, call.client);
            return handed;
        }
        if let Fact::PromiseEnded { grant, why: PromiseEnd::Released } = record.fact
            && let Self::Granted(last, client) = *self
            && last == grant
        {
            *self = Self::Released(client);
        }
        false
    }

    fn kept(&self, kept: &mut Vec<GrantId>) {
        match self {
            Self::Granted(grant, _) => kept.push(*grant),
            Self::Nothing | Self::Released(_) => {}
        }
    }

    fn retire(&mut self, live: &[GrantId]) {
        if matches!(self, Self::Granted(grant, _) if !live.contains(grant)) {
            *self = Self::Nothing;
        }
    }

    fn canonical(&mut self, canon: &mut Canon) {
        match self {
            Self::Granted(grant, _) => canon.grant(grant),
            Self::Nothing | Self::Released(_) => {}
        }
    }
}
