//! `foreign-change`: a command of one acquire call changed or removed a live value that another call wrote,
//! whatever nonce it carries. Compatible holds are excepted: the world says whether a change left the value to all who
//! hold by it (`history::HoldChange::compatible`).
//!
//! Exercised by one release or extension that a node executed, with or without effect; the message names the
//! operation. *n/a* where nobody asks voters.

use super::mark::Mark;
use super::monitor::Monitor;
use super::oracle::OracleName;
use super::scope::Scope;
use crate::history::{Fact, Record};
use crate::name::{MessageName, Operation, Route};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ForeignChange {
    executed: bool,
}

impl ForeignChange {
    pub(super) fn new() -> Self {
        Self { executed: false }
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.asks
    }
}

impl Monitor for ForeignChange {
    fn oracle(&self) -> OracleName {
        OracleName::ForeignChange
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        let Fact::Applied { name, by, change } = &record.fact else { return None };
        if let Some(owner) = change.and_then(|change| change.owner)
            && owner != *by
            && !change.is_some_and(|change| change.compatible)
        {
            return Some((Mark::Wrote(owner), Mark::Changed { by: *by, owner }));
        }
        self.executed |= gives_or_prolongs(name);
        None
    }

    fn exercised(&self) -> bool {
        self.executed
    }

    fn assume_exercised(&mut self) {
        self.executed = true;
    }
}

/// Whether the message belongs to a release or an extension.
fn gives_or_prolongs(name: &MessageName) -> bool {
    match name.route {
        Route::Command { operation, .. } => match operation {
            Operation::Extend | Operation::Release => true,
            Operation::Acquire | Operation::Check | Operation::Aside => false,
        },
        Route::Connect { .. } | Route::Further { .. } | Route::Push { .. } | Route::Store { .. } => false,
    }
}
