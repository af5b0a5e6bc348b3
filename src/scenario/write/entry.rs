//! A plan as `[[plan]]` entries: one for each fault and directive, in an order that is read back as the same plan.
//!
//! Must not leave anything out: no arm of a fault is a wildcard.

use crate::name::{ClientId, Process, Worker};
use crate::plan::{
    CutHow, Death, Fault, FaultKind, Learn, MessageFate, OrderTerm, PauseKind, PauseScope, Plan,
    PlannedFault, WayCut, When,
};
use crate::time::{ClockKind, Span, WorldTime};
use bytes::Bytes;
use std::fmt::Display;

/// The text of the whole plan.
pub(super) fn entries(plan: &Plan) -> String {
    let faults = plan.faults.iter().map(fault);
    let messages = plan.messages.iter().map(|directive| {
        let fate = match directive.fate {
            MessageFate::Lose => "lose = true".to_owned(),
            MessageFate::Delay(delay) => span("delay", delay),
        };
        format!("message = {{ name = \"{}\", {fate} }}", directive.name)
    });
    let orders = plan.orders.iter().map(|order| {
        let (at, of) = (time("at", order.at), quoted(&order.of));
        format!("order = {{ {at}, of = {of}, first = {}, then = {} }}", term(order.first), term(order.then))
    });
    let deferrals = plan.deferrals.iter().map(|deferral| {
        let (of, until) = (quoted(&deferral.client), time("until", deferral.until));
        format!("defer = {{ of = {of}, firing = {}, {until} }}", grouped(i64::from(deferral.firing)))
    });
    let all = faults.chain(messages).chain(orders).chain(deferrals);
    all.map(|entry| format!("\n[[plan]]\n{entry}\n")).collect()
}

fn fault(planned: &PlannedFault) -> String {
    let mut keys = vec![match planned.when {
        When::At(at) => time("at", at),
        When::After(name) => format!("after = {}", quoted(&name)),
    }];
    keys.extend(said(&planned.fault));
    if let Some(lasts) = planned.lasts.filter(|_| !planned.fault.is_instant()) {
        keys.push(span("for", lasts));
    }
    format!("{} = {{ {} }}", word(planned.fault.kind()), keys.join(", "))
}

/// The key of an entry; both kinds of pause are one.
fn word(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Stop | FaultKind::Suspend => "pause",
        FaultKind::Crash
        | FaultKind::Kill
        | FaultKind::PowerLoss
        | FaultKind::Shutdown
        | FaultKind::ClockStep
        | FaultKind::ClockRate
        | FaultKind::ClockFreeze
        | FaultKind::Cut
        | FaultKind::Slow
        | FaultKind::Evict
        | FaultKind::LateTimer
        | FaultKind::ErrorReply
        | FaultKind::FlushScripts
        | FaultKind::Promote
        | FaultKind::Demote
        | FaultKind::Lag
        | FaultKind::Cancel
        | FaultKind::Message => kind.text(),
    }
}

/// What is done to whom.
fn said(fault: &Fault) -> Vec<String> {
    match fault {
        Fault::Pause { scope, kind } => pause(*scope, *kind),
        Fault::Crash { client } | Fault::Cancel { client } => vec![of(client)],
        Fault::Kill { node, death: Death::Process | Death::Power | Death::Shutdown }
        | Fault::FlushScripts { node }
        | Fault::Demote { node } => vec![of(node)],
        Fault::ClockStep { process, clock: _, by } => vec![of(process), span("by", *by)],
        Fault::ClockRate { process, clocks, ppm } => {
            let which = match clocks.as_slice() {
                [one] => Some(clock(*one)),
                _ => None,
            };
            let ppm = format!("ppm = {}", grouped(i64::from(*ppm)));
            [Some(of(process)), which, Some(ppm)].into_iter().flatten().collect()
        }
        Fault::ClockFreeze { process, clock: which } => vec![of(process), clock(*which)],
        Fault::Cut { one, other, way, how } => cut(one, other, *way, *how),
        Fault::Slow { node, by } | Fault::Lag { node, by } => vec![of(node), span("by", *by)],
        Fault::LateTimer { process, by } => vec![of(process), span("by", *by)],
        Fault::Evict { node, key } => {
            let key = key.as_ref().map(|key| format!("key = {}", text(key)));
            std::iter::once(of(node)).chain(key).collect()
        }
        Fault::ErrorReply { node, text: reply } => vec![of(node), format!("text = {}", text(reply))],
        Fault::Promote { node, learn, except } => promote(of(node), *learn, except),
    }
}

fn pause(scope: PauseScope, kind: PauseKind) -> Vec<String> {
    let kind = match kind {
        PauseKind::Stop => "kind = \"stop\"",
        PauseKind::Suspend => "kind = \"suspend\"",
    };
    let (whose, worker) = match scope {
        PauseScope::Process(process) => (of(&process), None),
        PauseScope::Worker(client, worker @ (Worker::User | Worker::Watchdog)) => {
            (of(&client), Some(format!("worker = {}", quoted(&worker))))
        }
    };
    [Some(whose), worker, Some(kind.to_owned())].into_iter().flatten().collect()
}

fn cut(one: &[Process], other: &[Process], way: WayCut, how: CutHow) -> Vec<String> {
    let side = |processes: &[Process]| match processes {
        [process] => quoted(process),
        several => format!("[{}]", several.iter().map(quoted).collect::<Vec<_>>().join(", ")),
    };
    let way = match way {
        WayCut::Both => "both",
        WayCut::Requests => "requests",
        WayCut::Replies => "replies",
    };
    let how = match how {
        CutHow::Reset => "reset",
        CutHow::Hold => "hold",
        CutHow::BlackHole => "black-hole",
    };
    let between = format!("between = [{}, {}]", side(one), side(other));
    vec![between, format!("direction = \"{way}\""), format!("how = \"{how}\"")]
}

fn promote(of: String, learn: Learn, except: &[(ClientId, Learn)]) -> Vec<String> {
    let mut keys = vec![of];
    keys.extend(match learn {
        Learn::Soon => None,
        Learn::After(after) => Some(span("learn", after)),
        Learn::Never => Some("learn_ms = \"never\"".to_owned()),
    });
    let (mut ms, mut us) = (Vec::new(), Vec::new());
    for (client, learn) in except {
        match learn {
            Learn::Soon => ms.push(format!("{client} = \"soon\"")),
            Learn::Never => ms.push(format!("{client} = \"never\"")),
            Learn::After(after) if after.0 % 1_000 == 0 => {
                ms.push(format!("{client} = {}", grouped(after.0 / 1_000)));
            }
            Learn::After(after) => us.push(format!("{client} = {}", grouped(after.0))),
        }
    }
    let tables = [("except", ms), ("except_us", us)].into_iter().filter(|(_, named)| !named.is_empty());
    keys.extend(tables.map(|(key, named)| format!("{key} = {{ {} }}", named.join(", "))));
    keys
}

fn term(term: OrderTerm) -> String {
    match term {
        OrderTerm::Messages => "\"messages\"".to_owned(),
        OrderTerm::Timers => "\"timers\"".to_owned(),
        OrderTerm::Message(name) => quoted(&name),
    }
}

fn clock(clock: ClockKind) -> String {
    match clock {
        ClockKind::Mono => "clock = \"mono\"".to_owned(),
        ClockKind::Wall => "clock = \"wall\"".to_owned(),
    }
}

fn of(whom: &impl Display) -> String {
    format!("of = {}", quoted(whom))
}

/// A name in quotes; names need no escapes.
fn quoted(name: &impl Display) -> String {
    format!("\"{name}\"")
}

/// Any text in quotes.
fn text(bytes: &Bytes) -> String {
    let text = std::str::from_utf8(bytes).expect("texts of a plan are UTF-8");
    toml_edit::Value::from(text).to_string()
}

fn time(key: &str, time: WorldTime) -> String {
    span(key, time - WorldTime::ZERO)
}

/// A time under its key, in milliseconds if it is a whole number of them.
fn span(key: &str, span: Span) -> String {
    match span.0 % 1_000 {
        0 => format!("{key}_ms = {}", grouped(span.0 / 1_000)),
        _ => format!("{key}_us = {}", grouped(span.0)),
    }
}

/// A number with its digits in groups of three.
fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let sign = if number < 0 { "-" } else { "" };
    let mut text = sign.to_owned();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}
