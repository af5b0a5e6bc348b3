//! All monitors of a run, side by side.
//!
//! The same value judges a seeded run and lives in a prover's state. Must not know what any monitor judges.

use super::bounded::{Bound, Bounded};
use super::continuity::Continuity;
use super::false_refusal::FalseRefusal;
use super::fence_order::FenceOrder;
use super::foreign_change::ForeignChange;
use super::hold_count::HoldCount;
use super::leak::Leak;
use super::lost_update::LostUpdate;
use super::monitor::Seat;
use super::oracle::OracleName;
use super::orphan::Orphan;
use super::promise_empty::PromiseEmpty;
use super::promise_overlap::PromiseOverlap;
use super::promise_unbacked::PromiseUnbacked;
use super::scope::Scope;
use super::section_overlap::SectionOverlap;
use super::stale_write::StaleWrite;
use super::unfair::Unfair;
use super::valid_write_refused::ValidWriteRefused;
use super::violation::{Outcome, Violation};
use crate::canon::{Canon, Gather};
use crate::history::Record;
use crate::name::GrantId;
use std::hash::{Hash, Hasher};

/// One monitor per oracle that applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    promise_overlap: Seat<PromiseOverlap>,
    promise_empty: Seat<PromiseEmpty>,
    promise_unbacked: Seat<PromiseUnbacked>,
    section_overlap: Seat<SectionOverlap>,
    stale_write: Seat<StaleWrite>,
    valid_write_refused: Seat<ValidWriteRefused>,
    lost_update: Seat<LostUpdate>,
    fence_order: Seat<FenceOrder>,
    foreign_change: Seat<ForeignChange>,
    continuity: Seat<Continuity>,
    false_refusal: Seat<FalseRefusal>,
    orphan: Seat<Orphan>,
    leak: Seat<Leak>,
    stuck: Seat<Bounded>,
    unavailable: Seat<Bounded>,
    silent_loss: Seat<Bounded>,
    unfair: Seat<Unfair>,
    hold_count: Seat<HoldCount>,
}

/// Calls one method of every seat.
macro_rules! each_seat {
    ($panel:ident.$method:ident($($argument:expr),*)) => {{
        $panel.promise_overlap.$method($($argument),*);
        $panel.promise_empty.$method($($argument),*);
        $panel.promise_unbacked.$method($($argument),*);
        $panel.section_overlap.$method($($argument),*);
        $panel.stale_write.$method($($argument),*);
        $panel.valid_write_refused.$method($($argument),*);
        $panel.lost_update.$method($($argument),*);
        $panel.fence_order.$method($($argument),*);
        $panel.foreign_change.$method($($argument),*);
        $panel.continuity.$method($($argument),*);
        $panel.false_refusal.$method($($argument),*);
        $panel.orphan.$method($($argument),*);
        $panel.leak.$method($($argument),*);
        $panel.stuck.$method($($argument),*);
        $panel.unavailable.$method($($argument),*);
        $panel.silent_loss.$method($($argument),*);
        $panel.unfair.$method($($argument),*);
        $panel.hold_count.$method($($argument),*);
    }};
}

impl Hash for Panel {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut gather = Gather::new(state);
        each_seat!(self.hash(&mut gather));
        gather.flush();
    }
}

impl Panel {
    /// The panel for a run of this scope.
    pub fn new(scope: &Scope) -> Self {
        let readers = &scope.readers;
        let bounded = |bound: Bound| Seat::new(bound.applies(scope), Bounded::new(bound));
        Self {
            promise_overlap: Seat::new(PromiseOverlap::applies(scope), PromiseOverlap::new(readers)),
            promise_empty: Seat::new(true, PromiseEmpty::new()),
            promise_unbacked: Seat::new(PromiseUnbacked::applies(scope), PromiseUnbacked::new()),
            section_overlap: Seat::new(SectionOverlap::applies(scope), SectionOverlap::new(readers)),
            stale_write: Seat::new(StaleWrite::applies(scope), StaleWrite::new()),
            valid_write_refused: Seat::new(ValidWriteRefused::applies(scope), ValidWriteRefused::new()),
            lost_update: Seat::new(LostUpdate::applies(scope), LostUpdate::new()),
            fence_order: Seat::new(FenceOrder::applies(scope), FenceOrder::new()),
            foreign_change: Seat::new(ForeignChange::applies(scope), ForeignChange::new()),
            continuity: Seat::new(Continuity::applies(scope), Continuity::new(readers)),
            false_refusal: Seat::new(FalseRefusal::applies(scope), FalseRefusal::new()),
            orphan: Seat::new(Orphan::applies(scope), Orphan::new()),
            leak: Seat::new(Leak::applies(scope), Leak::new()),
            stuck: bounded(Bound::Stuck),
            unavailable: bounded(Bound::Unavailable),
            silent_loss: bounded(Bound::SilentLoss),
            unfair: Seat::new(Unfair::applies(scope), Unfair::new(readers)),
            hold_count: Seat::new(HoldCount::applies(scope), HoldCount::new()),
        }
    }

    /// Takes the next record of the run and appends what it completed. Each oracle reports its first violation
    /// only.
    pub fn on_record(&mut self, record: &Record, violations: &mut Vec<Violation>) {
        each_seat!(self.on_record(record, violations));
    }

    /// How this oracle stands. *n/a* too for one that was left out by [`Self::restrict`].
    pub fn outcome(&self, oracle: OracleName) -> Outcome {
        self.judged(oracle).unwrap_or(Outcome::NotApplicable)
    }

    /// How every oracle stands that was not left out, in the order of [`OracleName`].
    pub fn outcomes(&self) -> impl Iterator<Item = (OracleName, Outcome)> + '_ {
        let all = OracleName::TEXTS.iter().map(|(oracle, _)| *oracle);
        all.filter_map(|oracle| self.judged(oracle).map(|outcome| (oracle, outcome)))
    }

    /// The same panel with only these monitors running; for speed.
    #[must_use]
    pub fn restrict(mut self, oracles: &[OracleName]) -> Self {
        each_seat!(self.keep_if_in(oracles));
        self
    }

    /// The same panel, looking for violations only: the oracles that a prover judges forget by what they were exercised,
    /// and say *held* unless they are violated. No violation is found or missed by it. For a prover, which then owes a
    /// witness of its own that they are exercised. `fence-order` alone keeps what it has seen: it judges by that.
    #[must_use]
    pub fn assume_exercised(mut self) -> Self {
        each_seat!(self.assume_exercised());
        self
    }

    /// The grants that monitors still keep. The world declares them to [`Canon::grants`] with its own.
    pub fn live_grants(&self) -> impl Iterator<Item = GrantId> {
        let mut kept = Vec::new();
        each_seat!(self.kept(&mut kept));
        kept.into_iter()
    }

    /// Drops the grants that can no longer matter, told which can still act: those that a client may still
    /// extend, enter, write or release with, and those named by a message to the store that is on its way.
    /// Changes no outcome, neither one that stands nor one to come. To be called before [`Self::live_grants`].
    pub fn retire(&mut self, live: &[GrantId]) {
        each_seat!(self.retire(live));
    }

    /// Renames what monitors keep, and drops evidence, which no future depends on.
    pub fn canonical(&mut self, canon: &mut Canon) {
        each_seat!(self.canonical(canon));
    }

    /// `None` if left out.
    fn judged(&self, oracle: OracleName) -> Option<Outcome> {
        match oracle {
            OracleName::PromiseOverlap => self.promise_overlap.outcome(),
            OracleName::PromiseEmpty => self.promise_empty.outcome(),
            OracleName::PromiseUnbacked => self.promise_unbacked.outcome(),
            OracleName::SectionOverlap => self.section_overlap.outcome(),
            OracleName::StaleWrite => self.stale_write.outcome(),
            OracleName::ValidWriteRefused => self.valid_write_refused.outcome(),
            OracleName::LostUpdate => self.lost_update.outcome(),
            OracleName::FenceOrder => self.fence_order.outcome(),
            OracleName::ForeignChange => self.foreign_change.outcome(),
            OracleName::Continuity => self.continuity.outcome(),
            OracleName::FalseRefusal => self.false_refusal.outcome(),
            OracleName::Orphan => self.orphan.outcome(),
            OracleName::Leak => self.leak.outcome(),
            OracleName::Stuck => self.stuck.outcome(),
            OracleName::Unavailable => self.unavailable.outcome(),
            OracleName::SilentLoss => self.silent_loss.outcome(),
            OracleName::Unfair => self.unfair.outcome(),
            OracleName::HoldCount => self.hold_count.outcome(),
        }
    }
}
