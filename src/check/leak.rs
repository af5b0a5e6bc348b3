//! `leak`: a caller was told that it does not hold, all voters were reachable, and its key still blocks others
//! after the bound.
//!
//! The world watches the bound: two node timeouts and the largest latency after the caller was told. Exercised
//! once a key was written and a watch was judged: a watch that became void judged nothing, and before the first
//! write there is nothing to leak. *n/a* where nobody asks voters.

use super::mark::{Mark, written_by};
use super::monitor::Monitor;
use super::oracle::OracleName;
use super::scope::Scope;
use crate::history::{Fact, Record, WatchEnd, WatchKind};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Leak {
    /// No key was written.
    Clean,
    /// A key was written.
    Written,
    /// A watch was met after that.
    Judged,
}

impl Leak {
    pub(super) fn new() -> Self {
        Self::Clean
    }

    pub(super) fn applies(scope: &Scope) -> bool {
        scope.asks
    }
}

impl Monitor for Leak {
    fn oracle(&self) -> OracleName {
        OracleName::Leak
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        if let Fact::WatchOver { watch, end } = record.fact
            && watch.kind == WatchKind::Leak
        {
            match (end, &*self) {
                (WatchEnd::Missed, _) => return Some((Mark::WatchBegan(watch), Mark::WatchMissed(watch))),
                (WatchEnd::Met, Self::Written) => *self = Self::Judged,
                (WatchEnd::Met, Self::Clean | Self::Judged) | (WatchEnd::Void, _) => {}
            }
        } else if *self == Self::Clean && written_by(&record.fact).is_some() {
            *self = Self::Written;
        }
        None
    }

    fn exercised(&self) -> bool {
        *self == Self::Judged
    }
}
