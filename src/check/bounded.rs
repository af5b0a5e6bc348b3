//! `stuck`, `unavailable`, `silent-loss`: what was due within a bound did not come.
//!
//! One monitor for the three, because the world does all that tells them apart: it begins a watch when the
//! conditions arise, knows the bound, and ends the watch. Each is exercised once a watch was judged: one that became
//! void, because what it rests on changed or the run ended, judged nothing. A watch begins:
//! - `stuck`: a client is willing, the others idle, the last fault over. Bound: the largest remaining life of the
//!   lock keys, one call of acquire, and the workload's wait before it. *n/a* where nobody asks voters.
//! - `unavailable`: a call of acquire began while a quorum was up and reachable and nobody else held or wanted the
//!   lock. Bound: one call of acquire. *n/a* where nobody asks voters.
//! - `silent-loss`: a hold vanished while its holder was inside. Bound: one renewal period and one node timeout.
//!   *n/a* where nothing renews, because without a watchdog no holder could know.

use super::mark::Mark;
use super::monitor::Monitor;
use super::oracle::OracleName;
use super::scope::Scope;
use crate::history::{Fact, Record, WatchEnd, WatchKind};

/// Which of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bound {
    Stuck,
    Unavailable,
    SilentLoss,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Bounded {
    bound: Bound,
    judged: bool,
}

impl Bounded {
    pub(super) fn new(bound: Bound) -> Self {
        Self { bound, judged: false }
    }
}

impl Bound {
    pub(super) fn applies(self, scope: &Scope) -> bool {
        match self {
            Self::Stuck | Self::Unavailable => scope.asks,
            Self::SilentLoss => scope.renews,
        }
    }

    fn watch(self) -> WatchKind {
        match self {
            Self::Stuck => WatchKind::Stuck,
            Self::Unavailable => WatchKind::Unavailable,
            Self::SilentLoss => WatchKind::SilentLoss,
        }
    }
}

impl Monitor for Bounded {
    fn oracle(&self) -> OracleName {
        match self.bound {
            Bound::Stuck => OracleName::Stuck,
            Bound::Unavailable => OracleName::Unavailable,
            Bound::SilentLoss => OracleName::SilentLoss,
        }
    }

    fn on_record(&mut self, record: &Record) -> Option<(Mark, Mark)> {
        let Fact::WatchOver { watch, end } = record.fact else { return None };
        if watch.kind != self.bound.watch() {
            return None;
        }
        match end {
            WatchEnd::Missed => Some((Mark::WatchBegan(watch), Mark::WatchMissed(watch))),
            WatchEnd::Met => {
                self.judged = true;
                None
            }
            WatchEnd::Void => None,
        }
    }

    fn exercised(&self) -> bool {
        self.judged
    }
}
