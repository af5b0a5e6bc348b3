//! Bounded expectations: leak, stuck, unavailable, silent-loss.
//!
//! A watch is begun by the system when its conditions arise, voided when they no longer hold, and judged when
//! its bound is reached. What each bound is says `bounds.rs`. Must not look at the clock: the system
//! says when a watch is due.

use crate::canon::Canon;
use crate::history::{Watch, WatchEnd, WatchKind};
use crate::name::{ClientId, VoterId};
use crate::time::{Span, WorldTime};

/// A watch that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Running {
    pub(crate) watch: Watch,
    pub(crate) due: WorldTime,
    /// Voters that no fault has touched since it began, by bit.
    pub(crate) untouched: u32,
}

impl Running {
    /// How the watch ends if what it expects has not come and a quorum of untouched voters would have let it.
    pub(crate) fn unless_touched(&self, quorum: u8) -> WatchEnd {
        match self.untouched.count_ones() >= u32::from(quorum) {
            true => WatchEnd::Missed,
            false => WatchEnd::Void,
        }
    }
}

/// All watches that have not ended, in the order in which they began.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Watches {
    pub(crate) running: Vec<Running>,
}

impl Watches {
    pub(crate) fn new() -> Self {
        Self { running: Vec::new() }
    }

    /// The first moment at which a bound has passed. Bounds are closed: what comes at `due` comes in time.
    pub(crate) fn next_over(&self) -> Option<WorldTime> {
        self.running.iter().map(|running| running.due + Span(1)).min()
    }

    /// Takes out every watch that `wanted` picks.
    pub(crate) fn take(&mut self, wanted: impl Fn(&Running) -> bool) -> Vec<Running> {
        if !self.running.iter().any(&wanted) {
            return Vec::new();
        }
        let (taken, kept) = self.running.drain(..).partition(|running| wanted(running));
        self.running = kept;
        taken
    }

    /// A fault touched these voters for these clients.
    pub(crate) fn touch(&mut self, voters: u32, client: impl Fn(ClientId) -> bool) {
        for running in &mut self.running {
            if client(running.watch.call.client) {
                running.untouched &= !voters;
            }
        }
    }

    /// A key of this client was written or prolonged: the remaining life that others' `stuck` counted on is no
    /// longer it, so they are not judged but begun anew.
    pub(crate) fn outdate(&mut self, writer: ClientId) {
        let others = |running: &&mut Running| {
            running.watch.kind == WatchKind::Stuck && running.watch.call.client != writer
        };
        self.running.iter_mut().filter(others).for_each(|running| running.untouched = 0);
    }

    pub(crate) fn canonical(&mut self, canon: &mut Canon) {
        for running in &mut self.running {
            canon.world(&mut running.due);
            canon.call(&mut running.watch.call);
            canon.voter_bits(&mut running.untouched);
        }
    }
}

/// The bit of a voter; none for one beyond the 32 that a set holds, which no deployment has.
pub(crate) fn bit(voter: VoterId) -> u32 {
    1_u32.checked_shl(voter.0.into()).unwrap_or(0)
}
