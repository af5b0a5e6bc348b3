//! The margin of `promise-unbacked`: how far from the promised end a rival could first win.
//!
//! Per promise: the first moment at which a rival could win, not caused by the owner's own release, minus the
//! moment at which the promise ended. Negative: unbacked inside. A promise that a release, a loss or a crash cut
//! short never reached its promised end, so what happens after it says nothing about the margin; one that was
//! unbacked before the cut counts against the cut. Figures of a run, with world times: not for a prover's state.

use crate::history::{Cause, Fact, PromiseEnd, Record};
use crate::name::GrantId;
use crate::time::{Span, WorldTime};

/// The smallest margin of a run so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Margin {
    /// At most one entry per grant, in no order that matters.
    open: Vec<(GrantId, Stage)>,
    smallest: Option<(GrantId, Span)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// It runs and has been backed throughout.
    Backed,
    /// It runs, and a rival could win since then.
    Unbacked(WorldTime),
    /// It reached its end then, backed; a rival could not win yet.
    Over(WorldTime),
}

impl Default for Margin {
    fn default() -> Self {
        Self::new()
    }
}

impl Margin {
    /// No promise yet.
    pub const fn new() -> Self {
        Self { open: Vec::new(), smallest: None }
    }

    /// Takes the next record of the run.
    pub fn on_record(&mut self, record: &Record) {
        if let Fact::PromiseBegan { grant, .. } = record.fact {
            self.on_began(grant);
        } else if let Fact::PromiseEnded { grant, why } = record.fact {
            self.on_ended(record.at, grant, why);
        } else if let Fact::Backing { grant, winnable, quorum, promised, cause } = record.fact
            && winnable >= quorum
        {
            self.on_winnable(record.at, grant, promised, cause);
        }
    }

    /// The smallest margin among the promises whose margin is known at `now`, and the grant it is of. A promise
    /// that still runs unbacked counts as if it ended now. `None` if none is known: a rival never could win.
    pub fn smallest(&self, now: WorldTime) -> Option<(GrantId, Span)> {
        let running = self.open.iter().filter_map(|(grant, stage)| match stage {
            Stage::Unbacked(since) => Some((*grant, *since - now)),
            Stage::Backed | Stage::Over(_) => None,
        });
        running.chain(self.smallest).min_by_key(|(grant, margin)| (*margin, *grant))
    }

    fn on_began(&mut self, grant: GrantId) {
        match self.stage(grant) {
            // The interval that an extension replaced: it is one promise with a later end.
            Some(Stage::Backed | Stage::Unbacked(_)) => {}
            Some(stage @ Stage::Over(_)) => *stage = Stage::Backed,
            None => self.open.push((grant, Stage::Backed)),
        }
    }

    fn on_ended(&mut self, at: WorldTime, grant: GrantId, why: PromiseEnd) {
        if why == PromiseEnd::Replaced {
            return;
        }
        let Some(stage) = self.stage(grant) else { return };
        match (*stage, why) {
            (Stage::Unbacked(since), _) => self.note(grant, since - at),
            (Stage::Backed, PromiseEnd::Reached) => *stage = Stage::Over(at),
            (Stage::Backed | Stage::Over(_), _) => self.forget(grant),
        }
    }

    fn on_winnable(&mut self, at: WorldTime, grant: GrantId, promised: bool, cause: Cause) {
        let Some(stage) = self.stage(grant) else { return };
        match *stage {
            Stage::Backed if promised => *stage = Stage::Unbacked(at),
            // Its own command after its own end: a late release.
            Stage::Over(_) if cause == Cause::Own => self.forget(grant),
            Stage::Over(end) => self.note(grant, at - end),
            Stage::Backed | Stage::Unbacked(_) => {}
        }
    }

    fn stage(&mut self, grant: GrantId) -> Option<&mut Stage> {
        self.open.iter_mut().find(|(known, _)| *known == grant).map(|(_, stage)| stage)
    }

    fn note(&mut self, grant: GrantId, margin: Span) {
        self.forget(grant);
        if self.smallest.is_none_or(|(_, known)| margin < known) {
            self.smallest = Some((grant, margin));
        }
    }

    fn forget(&mut self, grant: GrantId) {
        self.open.retain(|(known, _)| *known != grant);
    }
}
