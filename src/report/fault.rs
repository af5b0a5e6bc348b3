//! What a planned fault does, in words.
//!
//! Must not know whether it took effect.

use super::words::human;
use crate::name::{ClientId, NodeId};
use crate::plan::{CutHow, Death, Fault, Learn, PauseKind, PauseScope, PlannedFault, WayCut};
use crate::time::{ClockKind, Span};

/// What the fault does, as a clause in the past: `node-3's wall clock stepped by +11 s`.
pub(super) fn fault(planned: &PlannedFault) -> String {
    let what = clause(&planned.fault);
    match planned.lasts {
        Some(span) if !planned.fault.is_instant() => format!("{what} for {}", human(span)),
        Some(_) | None => what,
    }
}

fn clause(fault: &Fault) -> String {
    match fault {
        Fault::Pause { scope, kind } => {
            let how = match kind {
                PauseKind::Stop => "stood still",
                PauseKind::Suspend => "was suspended with its machine",
            };
            match scope {
                PauseScope::Process(process) => format!("{process} {how}"),
                PauseScope::Worker(client, worker) => format!("the {worker} worker of {client} {how}"),
            }
        }
        Fault::Crash { client } => format!("{client} crashed"),
        Fault::Kill { node, death: Death::Process } => format!("{node} was killed"),
        Fault::Kill { node, death: Death::Power } => format!("the machine of {node} lost power"),
        Fault::Kill { node, death: Death::Shutdown } => format!("{node} shut down in order"),
        Fault::ClockStep { process, clock, by } => {
            let forward = if *by > Span::ZERO { "+" } else { "" };
            format!("{process}'s {} clock stepped by {forward}{}", clock_name(*clock), human(*by))
        }
        Fault::ClockRate { process, clocks, ppm } => {
            format!("{process}'s {} ran {ppm:+} ppm off", clock_names(clocks))
        }
        Fault::ClockFreeze { process, clock } => format!("{process}'s {} clock froze", clock_name(*clock)),
        Fault::Cut { one, other, way, how } => {
            let how = match how {
                CutHow::Reset => "reset",
                CutHow::Hold => "bytes held back",
                CutHow::BlackHole => "black hole",
            };
            let way = match way {
                WayCut::Both => "",
                WayCut::Requests => ", requests only",
                WayCut::Replies => ", replies only",
            };
            let were = if one.len() == 1 { "was" } else { "were" };
            format!("{} {were} cut off from {} ({how}{way})", list(one), list(other))
        }
        Fault::Slow { node, by } => format!("messages of {node} took {} longer each way", human(*by)),
        Fault::Evict { node, key: Some(key) } => format!("{node} evicted {}", key.escape_ascii()),
        Fault::Evict { node, key: None } => format!("{node} evicted the lock's key"),
        Fault::LateTimer { process, by } => format!("timers of {process} fired {} late", human(*by)),
        Fault::ErrorReply { node, text } => {
            format!("{node} answered everything with \"{}\"", text.escape_ascii())
        }
        Fault::FlushScripts { node } => format!("{node} forgot its scripts"),
        Fault::Promote { node, learn, except } => promoted(node, *learn, except),
        Fault::Demote { node } => format!("{node} was demoted"),
        Fault::Cancel { client } => format!("{client} gave up its call"),
        Fault::Lag { node, by } => format!("{node} was fed {} late", human(*by)),
    }
}

/// `replica-1.1 was promoted`, and who learns of it when, unless all do at once.
fn promoted(node: &NodeId, learn: Learn, except: &[(ClientId, Learn)]) -> String {
    let learns = |who: &str, learn: Learn| match learn {
        Learn::Soon => format!("{who} at once"),
        Learn::After(after) => format!("{who} {} later", human(after)),
        Learn::Never => format!("{who} never"),
    };
    let all = (learn != Learn::Soon).then(|| learns("clients learn of it", learn));
    let others = except.iter().map(|(client, learn)| learns(&format!("{client} learns of it"), *learn));
    let all: Vec<String> = all.into_iter().chain(others).collect();
    match all.as_slice() {
        [] => format!("{node} was promoted"),
        all => format!("{node} was promoted ({})", all.join(", ")),
    }
}

fn clock_name(clock: ClockKind) -> &'static str {
    match clock {
        ClockKind::Mono => "monotonic",
        ClockKind::Wall => "wall",
    }
}

fn clock_names(clocks: &[ClockKind]) -> String {
    match clocks {
        [one] => format!("{} clock", clock_name(*one)),
        _ => "clocks".to_owned(),
    }
}

/// `node-1`, `node-1 and node-2`, `node-1, node-2 and node-3`.
pub(super) fn list<T: std::fmt::Display>(items: &[T]) -> String {
    let texts: Vec<String> = items.iter().map(T::to_string).collect();
    match texts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => "nobody".to_owned(),
    }
}
