//! What is compared of records: per process and tick, what happened, without names that states count anew.
//!
//! Must not leave out a fact that both sides tell.

use fencepost::history::{Cause, Fact, HoldChange, LostWhy, PromiseEnd, Record};
use fencepost::lock::Until;
use fencepost::name::Process;
use fencepost::prove::{Scope, Told};
use fencepost::time::{Now, Span};
use std::collections::BTreeMap;
use std::fmt;

/// What happened at one process in one tick.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(super) struct Share {
    /// What events brought, in order.
    pub(super) acted: Vec<String>,
    /// What only time brought, and what was sent, sorted.
    pub(super) loose: Vec<String>,
}

/// What happened in every tick, at every process.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Story(pub(super) BTreeMap<(u32, Process), Share>);

impl Story {
    pub(super) fn of_path(told: &[Told]) -> Self {
        let mut story = Self::default();
        for told in told {
            story.add(told.tick, &told.record);
        }
        story
    }

    /// Of a run, where a tick holds all events before the next one begins. What only time brings belongs to the begin of
    /// the next tick, as in the graph; up to a millisecond behind a begin counts as at it, for that is within its rounds.
    pub(super) fn of_run(records: &[Record]) -> Self {
        let mut story = Self::default();
        for record in records {
            let (at, tick, rounds) = (record.at.0, Scope::TICK.0 as u64, 1_000);
            let tick =
                if is_timed(&record.fact) { at.saturating_sub(rounds).div_ceil(tick) } else { at / tick };
            story.add(tick as u32, record);
        }
        story
    }

    fn add(&mut self, tick: u32, record: &Record) {
        let Some(shape) = shape(record) else { return };
        let share = self.0.entry((tick, record.process)).or_default();
        if is_loose(&record.fact) {
            share.loose.push(shape);
            share.loose.sort_unstable();
        } else {
            share.acted.push(shape);
        }
    }

    /// The first tick and process in which two differ, in words.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        let keys = self.0.keys().chain(other.0.keys());
        let first = keys.filter(|key| self.0.get(key) != other.0.get(key)).min()?;
        let (tick, process) = first;
        Some(format!(
            "in tick {tick} at {process}: the path {:#?}\nand the run {:#?}",
            self.0.get(first),
            other.0.get(first)
        ))
    }
}

impl fmt::Display for Story {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((tick, process), share) in &self.0 {
            writeln!(f, "{tick:>3} {process:10} {:?} {:?}", share.acted, share.loose)?;
        }
        Ok(())
    }
}

/// Whether its place among others of its tick is not compared.
pub(super) fn is_loose(fact: &Fact) -> bool {
    is_timed(fact) || matches!(fact, Fact::Sent { .. })
}

/// Whether only time brings it.
fn is_timed(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::PromiseEnded { why: PromiseEnd::Reached, .. } | Fact::HoldGone { cause: Cause::Expiry, .. }
    )
}

/// The end of a promise in whole ticks from now, to the nearest: a few microseconds are the rounds of a tick.
fn ahead(until: Until, now: Now) -> String {
    let ticks = |span: Span| (span.0 + Scope::TICK.0 / 2).div_euclid(Scope::TICK.0);
    match until {
        Until::Mono(end) => format!("mono +{}", ticks(end - now.mono)),
        Until::Wall(end) => format!("wall +{}", ticks(end - now.wall)),
        Until::Released | Until::Lost | Until::Untold => format!("{until:?}"),
    }
}

/// The fact without numbers; `None` if only one side tells it.
pub(super) fn shape(record: &Record) -> Option<String> {
    Some(match &record.fact {
        Fact::AcquireBegan { .. } => "acquire".to_owned(),
        Fact::AttemptBegan { .. } => "attempt".to_owned(),
        Fact::Granted { until, ahead: is_ahead, fence, .. } => {
            format!("granted {} {is_ahead} {fence:?}", ahead(*until, record.now))
        }
        Fact::Refused { why, carried, quorum, wrote, .. } => {
            format!("refused {why:?} {carried} {quorum} {wrote}")
        }
        Fact::ExtendBegan { .. } => "extends".to_owned(),
        Fact::Extended { until, ahead: is_ahead, .. } => {
            format!("extended {} {is_ahead}", ahead(*until, record.now))
        }
        Fact::ExtendFailed { why, .. } => format!("not extended {why:?}"),
        Fact::LossTold { why, .. } => format!("loss {why:?}"),
        Fact::Reentered { .. } => "enters again".to_owned(),
        Fact::HoldsCounted { believed, most, assured, .. } => format!("counted {believed} {most} {assured}"),
        Fact::CheckEnded { found, .. } => format!("found {found:?}"),
        Fact::ReleaseBegan { .. } => "releases".to_owned(),
        Fact::ReleaseEnded { how, .. } => format!("released {how:?}"),
        Fact::Reached { .. } => "reaches a point".to_owned(),
        Fact::PromiseBegan { .. } => "promise begins".to_owned(),
        Fact::PromiseEnded { why, .. } => format!("promise ends {why:?}"),
        Fact::SectionEntered { .. } => "enters".to_owned(),
        Fact::SectionLeft { why, .. } => format!("leaves {why:?}"),
        Fact::Sent { name } => format!("sends {}", name.unnumbered()),
        Fact::Handled { name } => format!("handles {}", name.unnumbered()),
        Fact::MessageLost { why: LostWhy::Directive, .. } | Fact::Delayed { .. } => return None,
        Fact::MessageLost { name, why } => format!("lost {why:?} {}", name.unnumbered()),
        Fact::TimedOut { name } => format!("gives up {}", name.unnumbered()),
        Fact::Applied { name, by, change } => {
            let change = change.map(|HoldChange { operation, effect, owner, compatible: _ }| {
                format!("{operation} {effect:?} {:?}", owner.map(|owner| owner.client))
            });
            format!("applies {} {} {change:?}", name.unnumbered(), by.client)
        }
        Fact::HoldGone { writer, cause, .. } => format!("gone {} {cause:?}", writer.client),
        Fact::StoreRead { client, stock, .. } => format!("read {client} {stock}"),
        Fact::StoreLooked { client, item, times, .. } => format!("looked {client} {item} {times}"),
        Fact::StoreWrite { accepted, promised, access, .. } => {
            format!("write {accepted} {promised} {access:?}")
        }
        Fact::FaultBegan { kind, effective, .. } => format!("fault {kind:?} {effective}"),
        Fact::FaultEnded { kind, .. } => format!("over {kind:?}"),
        Fact::Blocked { .. } => "waits".to_owned(),
        Fact::Published { hearers, .. } => format!("publishes to {hearers}"),
        Fact::Rerouted { to } => format!("addresses {to}"),
        Fact::Replicated { from, entry } => format!("applies {entry} of {from}"),
        Fact::Resynced { from } => format!("takes over {from}"),
        Fact::Started { incarnation } => format!("starts {incarnation}"),
        Fact::Done => "done".to_owned(),
        Fact::Backing { .. }
        | Fact::HoldThinned { .. }
        | Fact::WatchBegan { .. }
        | Fact::WatchOver { .. }
        | Fact::Settled
        | Fact::LeftOver { .. } => return None,
    })
}
