//! `lost-update`: after an accepted purchase, stock left and orders do not add up to the stock at the start; or what
//! must be done once, a period's job or an order, was accepted a second time.
//!
//! Exercised once two clients have read the same thing and one write that depends on it was accepted. The same stock
//! is the one stock that all buyers share, not an equal count: under a lock that works no two buyers ever read the
//! same count before it is sold out. The same period or order is that with the same number, whatever the answers
//! were: under a lock that works the second to look is told that it is done. What was looked at is kept by number
//! until the oracle is exercised, at most one entry for each cycle. *n/a* without a workload that has an invariant.

use super::distinct::Distinct;
use super::mark::Mark;
use super::monitor::Monitor;
use super::oracle::OracleName;
use super::scope::Scope;
use crate::history::{Access, Fact, Record};
use crate::name::ClientId;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LostUpdate {
    seen: Seen,
}

/// What decides whether it is exercised.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Seen {
    /// Nothing was seen that would do: for the stock, and for each item.
    NotEnough { stock: Shared, items: BTreeMap<u32, Shared> },
    /// It is exercised.
    Enough,
}

/// Who read one thing, and whether a write that depends on it was accepted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Shared {
    readers: Distinct<ClientId>,
    accepted: bool,
}

impl Shared {
    const NOTHING: Self = Self { readers: Distinct::None, accepted: false };

    fn is_enough(&self) -> bool {
        self.accepted && self.readers.two()
    }
}

impl Seen {
    fn note(&mut self, item: Option<u32>, change: impl FnOnce(&mut Shared)) {
        let Self::NotEnough { stock, items } = self else { return };
        let shared = match item {
            Some(item) => items.entry(item).or_insert(Shared::NOTHING),
            None => stock,
        };
        change(shared);
        if shared.is_enough() {
            *self = Self::Enough;
        }
    }
}

impl LostUpdate {
    pub(super) fn new() -> Self {
        Self { seen: Seen::NotEnough { stock: Shared::NOTHING, items: BTreeMap::new() } }
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.invariant
    }
}

impl Monitor for LostUpdate {
    fn oracle(&self) -> OracleName {
        OracleName::LostUpdate
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        if let Fact::StoreRead { client, .. } = record.fact {
            self.seen.note(None, |stock| stock.readers.see(client));
        } else if let Fact::StoreLooked { client, item, .. } = record.fact {
            self.seen.note(Some(item), |known| known.readers.see(client));
        } else if let Fact::StoreWrite { grant, accepted: true, access, .. } = record.fact {
            match access {
                Access::Write => {}
                Access::Buy { left, orders, start, .. } => {
                    self.seen.note(None, |stock| stock.accepted = true);
                    if left.checked_add(orders) != Some(start) {
                        return Some((Mark::StoreRead(grant), Mark::StoreWrite { grant, accepted: true }));
                    }
                }
                Access::Run { item, times } => {
                    self.seen.note(Some(item), |known| known.accepted = true);
                    if times > 1 {
                        let run = |times| Mark::Ran { item, times };
                        return Some((run(times - 1), run(times)));
                    }
                }
            }
        }
        None
    }

    fn exercised(&self) -> bool {
        self.seen == Seen::Enough
    }
}
