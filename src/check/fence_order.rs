//! `fence-order`: fences do not rise with grants, in the order of their decisions.
//!
//! Exercised by two fences. *n/a* where no client's lock is fenced.

use super::mark::Mark;
use super::monitor::Monitor;
use super::oracle::OracleName;
use super::scope::Scope;
use crate::history::{Fact, Record};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum FenceOrder {
    /// No fence yet.
    None,
    /// One fence, this.
    One(i64),
    /// At least two, rising up to this.
    Rising(i64),
}

impl FenceOrder {
    pub(super) fn new() -> Self {
        Self::None
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
        let Fact::Granted { grant, fence: Some(fence), .. } = record.fact else { return None };
        match *self {
            Self::None => *self = Self::One(fence),
            Self::One(last) | Self::Rising(last) if fence <= last => {
                return Some((Mark::Fence(last), Mark::Granted(grant)));
            }
            Self::One(_) | Self::Rising(_) => *self = Self::Rising(fence),
        }
        None
    }

    fn exercised(&self) -> bool {
        matches!(self, Self::Rising(_))
    }
}
