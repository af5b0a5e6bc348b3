//! `fence-order`: fences do not rise with grants, in the order of their decisions.
//!
//! A re-entry may carry the fence of the hold that it is
//! inside again. Exercised by two fences. *n/a* where no client's lock is fenced.

use super::mark::Mark;
use super::monitor::Monitor;
use super::oracle::OracleName;
use super::scope::Scope;
use crate::history::{Fact, Record};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FenceOrder {
    seen: Fences,
    /// Whether the grant that comes next is a re-entry.
    again: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Fences {
    /// No fence yet.
    None,
    /// One fence, this.
    One(i64),
    /// At least two, rising up to this.
    Rising(i64),
}

impl FenceOrder {
    pub(super) fn new() -> Self {
        Self { seen: Fences::None, again: false }
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.fenced
    }
}

impl Monitor for FenceOrder {
    fn oracle(&self) -> OracleName {
        OracleName::FenceOrder
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        self.again |= matches!(record.fact, Fact::Reentered { .. });
        let Fact::Granted { grant, fence, .. } = record.fact else { return None };
        let again = std::mem::take(&mut self.again);
        let fence = fence?;
        match self.seen {
            Fences::None => self.seen = Fences::One(fence),
            Fences::One(last) | Fences::Rising(last) if again && fence == last => {}
            Fences::One(last) | Fences::Rising(last) if fence <= last => {
                return Some((Mark::Fence(last), Mark::Granted(grant)));
            }
            Fences::One(_) | Fences::Rising(_) => self.seen = Fences::Rising(fence),
        }
        None
    }

    fn exercised(&self) -> bool {
        matches!(self.seen, Fences::Rising(_))
    }
}
