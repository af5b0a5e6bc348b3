//! `continuity`: an extension succeeded after another client was granted in between.
//!
//! Exercised once an extension was answered after another client's newer grant: it succeeded, failed by an
//! answer (gone, or too late), or told the holder of a loss that an answer showed. An extension that nobody
//! answered, and a loss by the clock alone, exercise nothing. *n/a* with fewer than two clients, or where no hold
//! is ever prolonged. Where a client is spoken of here, all readers are one (`readers.rs`).

use super::mark::Mark;
use super::monitor::{Monitor, client_of};
use super::newest::Newest;
use super::oracle::OracleName;
use super::readers::Readers;
use super::scope::Scope;
use crate::canon::Canon;
use crate::history::{Fact, Record};
use crate::lock::{ExtendFailure, LossReason};
use crate::name::{ClientId, GrantId};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Continuity {
    readers: Readers,
    /// The newest grant of all, and whose it is.
    newest: Option<(GrantId, ClientId)>,
    /// The newest grant of anybody else.
    others: Newest,
    answered: bool,
}

impl Continuity {
    pub(super) fn new(readers: &Readers) -> Self {
        Self { readers: readers.clone(), newest: None, others: Newest::none(), answered: false }
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.clients >= 2 && scope.extends
    }

    fn on_granted(&mut self, grant: GrantId, client: ClientId) {
        if let Some((last, owner)) = self.newest
            && owner != client
        {
            self.others.see(last);
        }
        self.newest = Some((grant, client));
    }

    /// The newest grant of another client, if it is newer than this one.
    fn overtaken(&self, grant: GrantId, client: ClientId) -> Option<GrantId> {
        match self.newest {
            Some((newest, owner)) if owner != client => Some(newest).filter(|newest| *newest > grant),
            Some(_) | None => self.others.newer_than(grant),
        }
    }
}

impl Monitor for Continuity {
    fn oracle(&self) -> OracleName {
        OracleName::Continuity
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        if let Fact::Granted { call, grant, .. } = record.fact {
            self.on_granted(grant, self.readers.party(call.client));
        } else if let Fact::Extended { grant, .. } = record.fact {
            if let Some(rival) = self.overtaken(grant, self.readers.party(client_of(record)?)) {
                return Some((Mark::Granted(rival), Mark::Extended(grant)));
            }
        } else if let Fact::ExtendFailed { grant, why: ExtendFailure::Gone | ExtendFailure::TooLate }
        | Fact::LossTold { grant, why: LossReason::Gone } = record.fact
        {
            self.answered |= self.overtaken(grant, self.readers.party(client_of(record)?)).is_some();
        }
        None
    }

    fn exercised(&self) -> bool {
        self.answered
    }

    fn assume_exercised(&mut self) {
        self.answered = true;
    }

    fn kept(&self, kept: &mut Vec<GrantId>) {
        kept.extend(self.newest.map(|(grant, _)| grant));
        self.others.kept(kept);
    }

    fn retire(&mut self, live: &[GrantId]) {
        self.newest = self.newest.filter(|(newest, _)| live.iter().any(|grant| grant < newest));
        self.others.retire(live);
    }

    fn canonical(&mut self, canon: &mut Canon) {
        if let Some((grant, _)) = &mut self.newest {
            canon.grant(grant);
        }
        self.others.canonical(canon);
    }
}
