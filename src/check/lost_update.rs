//! `lost-update`: after an accepted purchase, stock left and orders do not add up to the stock at the start.
//!
//! Exercised once two clients have read the stock and one purchase was accepted. "The same stock" of the text
//! is the one item that all buyers share, not an equal count: under a lock that works no two buyers ever read
//! the same count before it is sold out. *n/a* without the workload `stock`.

use super::distinct::Distinct;
use super::mark::Mark;
use super::monitor::Monitor;
use super::oracle::OracleName;
use super::scope::Scope;
use crate::history::{Access, Fact, Record};
use crate::name::ClientId;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LostUpdate {
    readers: Distinct<ClientId>,
    accepted: bool,
}

impl LostUpdate {
    pub(super) fn new() -> Self {
        Self { readers: Distinct::None, accepted: false }
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.stock
    }
}

impl Monitor for LostUpdate {
    fn oracle(&self) -> OracleName {
        OracleName::LostUpdate
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        if let Fact::StoreRead { client, .. } = record.fact {
            self.readers.see(client);
        } else if let Fact::StoreWrite {
            grant,
            accepted: true,
            access: Access::Buy { left, orders, start, .. },
            ..
        } = record.fact
        {
            self.accepted = true;
            if left.checked_add(orders) != Some(start) {
                return Some((Mark::StoreRead(grant), Mark::StoreWrite { grant, accepted: true }));
            }
        }
        None
    }

    fn exercised(&self) -> bool {
        self.accepted && self.readers.two()
    }
}
