//! One record in words, without its time and its actor.
//!
//! Must not leave out a fact: a full timeline shows every record. One arm per fact; arms that need more than a
//! line have a function of their own below.

use super::cast::Cast;
use super::fault::fault;
use super::words::{self, until};
use crate::history::{Access, Fact, HoldChange, Record, WatchEnd};
use crate::lock::{RefuseReason, Until};
use crate::name::{CallId, ClientId, GrantId, MessageName};
use crate::plan::PlannedFault;

/// What the record says, as a fragment after its actor's name.
pub(super) fn fact(faults: &[PlannedFault], cast: &Cast<'_>, record: &Record) -> String {
    match &record.fact {
        Fact::AcquireBegan { call } => format!("calls acquire (call {})", call.number),
        Fact::AttemptBegan { call, number } => format!("attempt {number} (call {})", call.number),
        Fact::Granted { grant, until, ahead, fence, .. } => granted(*grant, *until, *ahead, *fence),
        Fact::Reentered { grant, outer } => format!("enters again: {grant} inside {outer}"),
        Fact::Refused { call, why, carried, quorum, .. } => refused(*call, *why, *carried, *quorum),
        Fact::ExtendBegan { grant } => format!("extends {grant}"),
        Fact::Extended { grant, until: end, ahead } => {
            format!("EXTENDED {grant} {}{}", until(*end), past(*ahead))
        }
        Fact::ExtendFailed { grant, why } => format!("cannot extend {grant}: {}", words::extend_failed(*why)),
        Fact::LossTold { grant, why } => format!("is told that {grant} is lost: {}", words::loss(*why)),
        Fact::CheckEnded { grant, found } => {
            format!("asked for its own keys of {grant}: {}", words::found(*found))
        }
        Fact::ReleaseBegan { grant } => format!("releases {grant}"),
        Fact::ReleaseEnded { grant, how } => format!("released {grant}: {}", words::released(*how)),
        Fact::Reached { point } => format!("reaches {}", point.point),
        Fact::PromiseBegan { grant, .. } => format!("promise of {grant} begins"),
        Fact::PromiseEnded { grant, why } => format!("promise of {grant} ends: {}", words::promise_end(*why)),
        Fact::SectionEntered { grant } => format!("ENTERS the section with {grant}"),
        Fact::SectionLeft { grant, why } => {
            format!("leaves the section ({grant}): {}", words::section_end(*why))
        }
        Fact::Sent { name } => format!("sends {name}"),
        Fact::Delayed { name } => format!("DELAYED on purpose: {name}"),
        Fact::Handled { name } => format!("handles {name}"),
        Fact::MessageLost { name, why } => format!("{}: {name}", words::lost(*why)),
        Fact::TimedOut { name } => format!("waits no longer for {name}"),
        Fact::Applied { name, by, change } => applied(name, *by, *change),
        Fact::Blocked { name } => format!("lets {name} wait for an item"),
        Fact::Published { hearers, .. } => format!("publishes a message: {hearers} hear it"),
        Fact::HoldGone { writer, cause, .. } => format!("hold of {writer} is gone: {}", words::cause(*cause)),
        Fact::Backing { grant, winnable, quorum, promised, cause } => {
            let promise = if *promised { "" } else { ", whose promise is over" };
            let against = format!("{winnable} votes against {grant} of {}{promise}", cast.owner(*grant));
            format!("a rival could win {against} (needs {quorum}): {}", words::cause(*cause))
        }
        Fact::HoldsCounted { grant, believed, most, assured } => counted(*grant, *believed, *most, *assured),
        Fact::HoldThinned { grant } => format!("too few voters still carry {grant}"),
        Fact::StoreRead { client, stock, .. } => format!("answers {client} that {stock} are left"),
        Fact::StoreLooked { client, item, times, .. } => store_looked(*client, *item, *times),
        Fact::StoreWrite { grant, accepted, promised, access } => {
            let outside = !promised && cast.is_told(*grant);
            store_write(&cast.owner(*grant), *grant, *accepted, outside, *access)
        }
        Fact::WatchBegan { watch, due } => format!("expected by {due}: {}", words::watched(watch.kind)),
        Fact::WatchOver { watch, end } => format!("{}: {}", words::watched(watch.kind), watch_end(*end)),
        Fact::FaultBegan { index, effective, .. } => {
            let what = fault(&faults[*index as usize]);
            if *effective { format!("FAULT {what}") } else { format!("fault without effect: {what}") }
        }
        Fact::FaultEnded { index, kind } => format!("fault {} ({}) is over", index + 1, kind.text()),
        Fact::Rerouted { to } => format!("addresses {to} from here on"),
        Fact::Replicated { from, entry } => format!("applies entry {entry} of {from}'s stream"),
        Fact::Resynced { from } => format!("takes over the whole state of {from}"),
        Fact::Started { incarnation } => format!("starts, incarnation {incarnation}"),
        Fact::Done => "has nothing more to do".to_owned(),
        Fact::Settled => "all has settled".to_owned(),
        Fact::LeftOver { writer, excused, .. } => {
            let excuse = if *excused { " (its writer answers for it)" } else { "" };
            format!("a key of {writer} is left over{excuse}")
        }
    }
}

fn past(ahead: bool) -> &'static str {
    if ahead { "" } else { ", which is past" }
}

fn granted(grant: GrantId, end: Until, ahead: bool, fence: Option<i64>) -> String {
    let fence = fence.map(|fence| format!(", fence {fence}")).unwrap_or_default();
    format!("GRANTED {grant} {}{}{fence}", until(end), past(ahead))
}

fn counted(grant: GrantId, believed: u32, most: u32, assured: u32) -> String {
    let own = words::holds(believed);
    format!(
        "has {own} by its own count ({grant}); a voter carries {most} at most, a quorum {assured} at least"
    )
}

fn refused(call: CallId, why: RefuseReason, carried: u8, quorum: u8) -> String {
    let carried = match carried {
        0 => String::new(),
        carried => format!("; voters that carry its value: {carried} (quorum {quorum})"),
    };
    format!("refused (call {}): {}{carried}", call.number, words::refused(why))
}

fn applied(name: &MessageName, by: CallId, change: Option<HoldChange>) -> String {
    let Some(HoldChange { effect, owner, compatible, .. }) = change else {
        return format!("executes {name}: no hold changed");
    };
    let whose = match owner {
        Some(owner) if owner == by => "its own hold".to_owned(),
        Some(owner) if compatible => format!("the hold of {owner}, compatible with its own,"),
        Some(owner) => format!("the live hold of {owner}"),
        None => "a hold".to_owned(),
    };
    format!("{by} {} {whose} ({name})", words::effect(effect))
}

fn store_looked(client: ClientId, item: u32, times: u32) -> String {
    let done = if times == 0 { "has not been done" } else { "is done" };
    format!("answers {client} that item {} {done}", item + 1)
}

fn store_write(owner: &str, grant: GrantId, accepted: bool, outside: bool, access: Access) -> String {
    let verb = if accepted { "ACCEPTS" } else { "REFUSES" };
    let what = match access {
        Access::Write => "a write".to_owned(),
        Access::Buy { read, left, orders, .. } => {
            format!("an order (had read {read}, now {left} left and {orders} orders)")
        }
        Access::Run { item, times } => format!("item {} as done (now {times} times)", item + 1),
    };
    let outside = if outside { ", outside its promise" } else { "" };
    format!("{verb} {what} of {owner} with {grant}{outside}")
}

fn watch_end(end: WatchEnd) -> &'static str {
    match end {
        WatchEnd::Met => "came in time",
        WatchEnd::Void => "is no longer expected",
        WatchEnd::Missed => "DID NOT COME in time",
    }
}
