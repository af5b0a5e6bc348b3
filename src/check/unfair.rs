//! `unfair`: a first-come lock served a call before another one that had come earlier and still waited.
//!
//! A call comes when a node has executed its first command to acquire: what overtakes on the way there is not the lock's
//! doing. It is served when one of its commands takes a hold at a node, or when it is granted, whichever is first: what
//! overtakes on the way back is not the lock's doing either. From coming to being served it waits, unless it is
//! refused or its client crashes. A second call of whoever is inside takes no place in the line, and readers do not
//! wait for each other. Exercised once two calls waited at once. *n/a* with fewer than two clients, or where no client's
//! lock is first-come on one voter: several voters have no common line.

use super::mark::Mark;
use super::monitor::{Monitor, client_of};
use super::oracle::OracleName;
use super::readers::Readers;
use super::scope::Scope;
use crate::canon::Canon;
use crate::history::{Fact, HoldChange, Record};
use crate::name::{CallId, ClientId, MessageName, Operation, Route};
use crate::plan::FaultKind;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Unfair {
    readers: Readers,
    /// The calls that are not decided: those that wait in the order in which they came.
    open: Vec<(CallId, Stage)>,
    /// The clients that are inside.
    inside: Vec<ClientId>,
    two: bool,
}

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// It began.
    Begun,
    /// It waits.
    Waiting,
    /// It took its hold, and does not know yet.
    Served,
}

impl Unfair {
    pub(super) fn new(readers: &Readers) -> Self {
        Self { readers: readers.clone(), open: Vec::new(), inside: Vec::new(), two: false }
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.fifo && scope.clients >= 2
    }

    fn stage(&self, call: CallId) -> Option<Stage> {
        self.open.iter().find(|(known, _)| *known == call).map(|(_, stage)| *stage)
    }

    fn end(&mut self, call: CallId) {
        self.open.retain(|(known, _)| *known != call);
    }

    /// Goes to the end of the line.
    fn come(&mut self, call: CallId) {
        self.end(call);
        let party = self.readers.party(call.client);
        let waits = |(known, stage): &(CallId, Stage)| {
            *stage == Stage::Waiting && self.readers.party(known.client) != party
        };
        self.two |= self.open.iter().any(waits);
        self.open.push((call, Stage::Waiting));
    }

    /// The call that came first of those that still wait, if it is not this one's own or a fellow reader's and came
    /// before this one.
    fn passed_over(&self, call: CallId) -> Option<CallId> {
        let party = self.readers.party(call.client);
        let before = self.open.iter().take_while(|(known, stage)| *known != call || *stage == Stage::Begun);
        let waits = |(known, stage): &&(CallId, Stage)| {
            *stage == Stage::Waiting && self.readers.party(known.client) != party
        };
        before.into_iter().find(waits).map(|(known, _)| *known)
    }

    fn serve(&mut self, call: CallId) -> Option<CallId> {
        let passed = self.passed_over(call);
        if let Some((_, stage)) = self.open.iter_mut().find(|(known, _)| *known == call) {
            *stage = Stage::Served;
        }
        passed
    }

    fn on_applied(&mut self, call: CallId, change: Option<HoldChange>) -> Option<(Mark, Mark)> {
        let stage = self.stage(call)?;
        let takes = change.is_some_and(|change| change.effect.takes(Operation::Acquire));
        match (stage, takes) {
            (Stage::Served, _) | (Stage::Waiting, false) => None,
            (Stage::Begun, false) => {
                self.come(call);
                None
            }
            (Stage::Begun | Stage::Waiting, true) => {
                let passed = self.serve(call)?;
                Some((Mark::Came(passed), Mark::Served(call)))
            }
        }
    }
}

impl Monitor for Unfair {
    fn oracle(&self) -> OracleName {
        OracleName::Unfair
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        if let Fact::AcquireBegan { call } = record.fact {
            if !self.inside.contains(&call.client) {
                // Whatever this client called for before is over, also if nobody said so.
                self.open.retain(|(open, _)| open.client != call.client);
                self.open.push((call, Stage::Begun));
            }
        } else if let Fact::Applied { name, by, change } = &record.fact {
            if acquires(name) {
                return self.on_applied(*by, *change);
            }
        } else if let Fact::Granted { call, grant, .. } = record.fact {
            let served = matches!(self.stage(call), None | Some(Stage::Served));
            let passed = if served { None } else { self.serve(call) };
            self.end(call);
            return passed.map(|passed| (Mark::Came(passed), Mark::Granted(grant)));
        } else if let Fact::Refused { call, .. } = record.fact {
            self.end(call);
        } else if let Fact::SectionEntered { .. } = record.fact {
            let client = client_of(record)?;
            if let Err(place) = self.inside.binary_search(&client) {
                self.inside.insert(place, client);
            }
        } else if let Fact::SectionLeft { .. } = record.fact {
            let client = client_of(record)?;
            self.inside.retain(|known| *known != client);
        } else if let Fact::FaultBegan { kind: FaultKind::Crash, effective: true, .. } = record.fact {
            let client = client_of(record)?;
            self.open.retain(|(call, _)| call.client != client);
        }
        None
    }

    fn exercised(&self) -> bool {
        self.two
    }

    fn canonical(&mut self, canon: &mut Canon) {
        self.open.iter_mut().for_each(|(call, _)| canon.call(call));
    }
}

/// Whether the message belongs to an attempt to acquire.
fn acquires(name: &MessageName) -> bool {
    matches!(name.route, Route::Command { operation: Operation::Acquire, .. })
}
