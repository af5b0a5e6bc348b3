//! Which records a short timeline shows.
//!
//! Evidence first, then faults, then what happened to holds, sections and the store, then calls; within a rank
//! those closest to the last piece of evidence. Must not render.

use super::Story;
use super::verdict::judged;
use crate::check::Outcome;
use crate::history::{Cause, Fact, LostWhy, PromiseEnd, Record, WatchEnd};

/// How much of a run a timeline shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// At most [`Length::LINES`] lines: a head line, the records that matter, a line for what was left out.
    Short,
    /// Every record.
    Full,
}

impl Length {
    /// The most lines of a short timeline.
    pub const LINES: usize = 25;
}

/// The evidence of the judged violations, as indices into the records: for each violated oracle its two events.
pub(super) fn evidence(story: Story<'_>) -> Vec<(crate::check::OracleName, [usize; 2])> {
    let records = &story.result.records;
    let place = |wanted: &Record| records.iter().position(|record| std::ptr::eq(record, wanted));
    let found = judged(story).into_iter().filter_map(|(oracle, outcome)| {
        let Outcome::Violated(violation) = outcome else { return None };
        let (first, second) = violation.evidence(records)?;
        Some((oracle, [place(first)?, place(second)?]))
    });
    found.collect()
}

/// The indices of the records to show, rising.
pub(super) fn choose(story: Story<'_>, length: Length) -> Vec<usize> {
    let records = &story.result.records;
    if length == Length::Full {
        return (0..records.len()).collect();
    }
    let proofs: Vec<usize> = evidence(story).into_iter().flat_map(|(_, pair)| pair).collect();
    let centre = proofs.iter().max().copied().unwrap_or(0);
    let mut ranked: Vec<(Rank, usize, usize)> = records
        .iter()
        .enumerate()
        .map(|(index, record)| {
            let rank = if proofs.contains(&index) { Rank::Evidence } else { rank(&record.fact) };
            (rank, index.abs_diff(centre), index)
        })
        .filter(|(rank, _, _)| *rank < Rank::Never)
        .collect();
    ranked.sort_unstable();
    let mut room = Length::LINES - 1; // for the head line
    if ranked.len() < records.len() || ranked.len() > room {
        room -= 1; // for the line that counts what is left out
    }
    ranked.truncate(room);
    let mut chosen: Vec<usize> = ranked.into_iter().map(|(_, _, index)| index).collect();
    chosen.sort_unstable();
    chosen
}

/// How much a record matters; lower is shown first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Evidence,
    Fault,
    Outcome,
    Call,
    Detail,
    Never,
}

fn rank(fact: &Fact) -> Rank {
    match fact {
        Fact::FaultBegan { .. }
        | Fact::Delayed { .. }
        | Fact::MessageLost { why: LostWhy::Directive, .. }
        | Fact::WatchOver { end: WatchEnd::Missed, .. } => Rank::Fault,
        Fact::Granted { .. }
        | Fact::Refused { .. }
        | Fact::Extended { .. }
        | Fact::ExtendFailed { .. }
        | Fact::LossTold { .. }
        | Fact::SectionEntered { .. }
        | Fact::SectionLeft { .. }
        | Fact::StoreWrite { .. }
        | Fact::HoldThinned { .. }
        | Fact::HoldGone {
            cause:
                Cause::Own
                | Cause::Rival
                | Cause::ClockFault
                | Cause::Eviction
                | Cause::Restart
                | Cause::Promise
                | Cause::Failover
                | Cause::Resync,
            ..
        }
        | Fact::PromiseEnded { why: PromiseEnd::Reached | PromiseEnd::Lost | PromiseEnd::Crashed, .. }
        | Fact::Rerouted { .. }
        | Fact::Resynced { .. }
        | Fact::LeftOver { .. } => Rank::Outcome,
        Fact::AcquireBegan { .. }
        | Fact::ReleaseEnded { .. }
        | Fact::StoreRead { .. }
        | Fact::StoreLooked { .. }
        | Fact::CheckEnded { .. }
        | Fact::Reentered { .. }
        | Fact::HoldsCounted { .. }
        | Fact::FaultEnded { .. } => Rank::Call,
        Fact::AttemptBegan { .. }
        | Fact::ExtendBegan { .. }
        | Fact::ReleaseBegan { .. }
        | Fact::HoldGone { cause: Cause::Expiry, .. }
        | Fact::Blocked { .. }
        | Fact::Published { .. }
        | Fact::Done => Rank::Detail,
        Fact::PromiseBegan { .. }
        | Fact::PromiseEnded { why: PromiseEnd::Released | PromiseEnd::Replaced, .. }
        | Fact::Reached { .. }
        | Fact::Sent { .. }
        | Fact::Handled { .. }
        | Fact::MessageLost { why: LostWhy::Reset | LostWhy::BlackHole | LostWhy::Down, .. }
        | Fact::TimedOut { .. }
        | Fact::Replicated { .. }
        | Fact::Applied { .. }
        | Fact::Backing { .. }
        | Fact::WatchBegan { .. }
        | Fact::WatchOver { end: WatchEnd::Met | WatchEnd::Void, .. }
        | Fact::Started { .. }
        | Fact::Settled => Rank::Never,
    }
}
