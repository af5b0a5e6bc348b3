//! What a client does: one workload, its lengths, its extensions. A key that is not the workload's own is refused.

use super::super::error::{InputErrorKind, Wrong};
use super::super::shape::{NestedKeys, NumberOrQuantiles, Task as Kind, WorkKeys};
use super::number::{ranged, span_ms};
use super::quantiles;
use crate::lock::Recipe;
use crate::time::Span;
use crate::world::{Ack, Extend, Length, Nested, Task, Workload};
use std::ops::Range;
use toml::Spanned;

/// The most cycles, writes and extensions a client may be asked for.
const REPEATS_MAX: i64 = 1_000_000;

/// The workload of these keys; `table` is where a missing key is missed.
pub(super) fn workload(
    keys: &WorkKeys,
    kind: &Kind,
    table: &Range<usize>,
    lock: &Recipe,
) -> Result<Workload, Wrong> {
    let missing =
        |key: &str| Wrong::new(InputErrorKind::MissingKey, table.clone(), format!("missing key `{key}`"));
    let span = |number: &Option<Spanned<i64>>, key: &str, otherwise: Span| {
        number.as_ref().map_or(Ok(otherwise), |number| span_ms(number, key, 0))
    };
    strangers(keys, kind)?;
    let work = length(keys.work_ms.as_ref().ok_or_else(|| missing("work_ms"))?, "work_ms")?;
    let cycles = keys.cycles.as_ref().ok_or_else(|| missing("cycles"))?;
    let none = Ok(Length::Of(Span::ZERO));
    Ok(Workload {
        task: task(keys, kind, &missing)?,
        extend: extend(keys, &work, lock)?,
        nested: keys.nested.as_ref().map(|keys| nested(keys.get_ref(), &work)).transpose()?,
        cycles: ranged(cycles, "cycles", 1..=REPEATS_MAX)? as u32,
        work,
        patience: span(&keys.patience_ms, "patience_ms", Span::ZERO)?,
        again: span(&keys.again_ms, "again_ms", lock.pause())?,
        think: keys.think_ms.as_ref().map_or(none, |think| length(think, "think_ms"))?,
        holder: *keys.holder.as_ref().ok_or_else(|| missing("holder"))?.get_ref(),
        ack: keys.ack.as_ref().map_or(Ack::Await, |ack| *ack.get_ref()),
    })
}

/// One client's own table has the keys of all workloads, of which only those of this one mean something.
fn strangers(keys: &WorkKeys, kind: &Kind) -> Result<(), Wrong> {
    fn at<V>(key: &Option<Spanned<V>>) -> Option<Range<usize>> {
        key.as_ref().map(Spanned::span)
    }
    let owned = [
        ("writes", at(&keys.writes), "hold"),
        ("write_every_ms", at(&keys.write_every_ms), "leader"),
        ("nested", at(&keys.nested), "hold"),
        ("extend_at_ms", at(&keys.extend_at_ms), "hold or stock"),
        ("extend_every_ms", at(&keys.extend_every_ms), "hold, stock or leader"),
        ("ack", at(&keys.ack), "hold, stock or leader"),
        ("think_ms", at(&keys.think_ms), "hold, stock, leader or submit"),
    ];
    let name = kind.name();
    for (key, place, owners) in owned {
        let own = owners.split([',', ' ']).any(|owner| owner == name);
        if let Some(span) = place.filter(|_| !own) {
            let message =
                format!("`{key}` belongs to the workload {owners}; the workload {name} has no such key");
            let instead = match (key, kind) {
                ("writes", Kind::Leader) => Some("write_every_ms"),
                ("write_every_ms", Kind::Hold) => Some("writes"),
                ("extend_at_ms", Kind::Leader) => Some("extend_every_ms"),
                _ => None,
            };
            return Err(Wrong::contradiction(span, message).maybe_meant(instead.map(str::to_owned)));
        }
    }
    Ok(())
}

fn task(keys: &WorkKeys, kind: &Kind, missing: &impl Fn(&str) -> Wrong) -> Result<Task, Wrong> {
    match kind {
        Kind::Hold => {
            let writes = match &keys.writes {
                Some(writes) => ranged(writes, "writes", 0..=REPEATS_MAX)? as u32,
                None => 1,
            };
            Ok(Task::Hold { writes })
        }
        Kind::Stock => match &keys.ack {
            Some(ack) if *ack.get_ref() == Ack::FireAndForget => {
                let message =
                    "a buyer waits for the store's answer; the workload stock needs ack = \"await\"";
                Err(Wrong::contradiction(ack.span(), message).meant("ack = \"await\""))
            }
            Some(_) | None => Ok(Task::Stock),
        },
        Kind::Cron { period_ms } => Ok(Task::Cron { period: span_ms(period_ms, "period_ms", 1)? }),
        Kind::Leader => {
            let every = keys.write_every_ms.as_ref().ok_or_else(|| missing("write_every_ms"))?;
            Ok(Task::Leader { write_every: span_ms(every, "write_every_ms", 1)? })
        }
        Kind::Submit => Ok(Task::Submit),
    }
}

fn length(keys: &Spanned<NumberOrQuantiles>, key: &str) -> Result<Length, Wrong> {
    match keys.get_ref() {
        NumberOrQuantiles::Number(number) => {
            span_ms(&Spanned::new(keys.span(), *number), key, 0).map(Length::Of)
        }
        NumberOrQuantiles::Quantiles(inner) => {
            quantiles::quantiles(inner, key, quantiles::Unit::Milliseconds).map(Length::Drawn)
        }
    }
}

/// The longest that it can take.
fn longest(length: &Length) -> Span {
    match length {
        Length::Of(span) => *span,
        Length::Drawn(of) => Span(of.max()),
    }
}

fn extend(keys: &WorkKeys, work: &Length, lock: &Recipe) -> Result<Extend, Wrong> {
    let needs = |key: &str, span: Range<usize>| match lock.policy() {
        Some(_) => {
            let message = format!("`{key}` needs a lock that extends: extension is \"none\"");
            Err(Wrong::contradiction(span, message).meant("extension = \"compare\""))
        }
        None => {
            let message = format!("`{key}` is not for {}: it has no call that prolongs a hold", lock.name());
            Err(Wrong::contradiction(span, message))
        }
    };
    match (&keys.extend_at_ms, &keys.extend_every_ms) {
        (Some(_), Some(every)) => {
            let message = "`extend_at_ms` and `extend_every_ms` are both set; keep one of them";
            Err(Wrong::contradiction(every.span(), message))
        }
        (None, Some(every)) if !lock.extends() => needs("extend_every_ms", every.span()),
        (None, Some(every)) => Ok(Extend::Every(span_ms(every, "extend_every_ms", 1)?)),
        (Some(list), None) if !lock.extends() && !list.get_ref().is_empty() => {
            needs("extend_at_ms", list.span())
        }
        (Some(list), None) => extend_at(list.get_ref(), longest(work)).map(Extend::At),
        (None, None) => Ok(Extend::At(Vec::new())),
    }
}

fn nested(keys: &NestedKeys, work: &Length) -> Result<Nested, Wrong> {
    let (at, work) = (span_ms(&keys.at_ms, "at_ms", 0)?, longest(work));
    if at >= work {
        let message = format!("acquiring again after {at} comes too late: `work_ms` is over at {work}");
        return Err(Wrong::contradiction(keys.at_ms.span(), message));
    }
    let optional = |number: &Option<Spanned<i64>>, key: &str| {
        number.as_ref().map(|number| span_ms(number, key, 1)).transpose()
    };
    Ok(Nested { at, length: optional(&keys.for_ms, "for_ms")?, ttl: optional(&keys.ttl_ms, "ttl_ms")? })
}

fn extend_at(list: &[Spanned<i64>], work: Span) -> Result<Vec<Span>, Wrong> {
    let mut extend_at: Vec<Span> = Vec::new();
    for number in list {
        let at = span_ms(number, "extend_at_ms", 0)?;
        if extend_at.last().is_some_and(|before| at <= *before) {
            return Err(Wrong::contradiction(number.span(), "`extend_at_ms` must rise"));
        }
        if at >= work {
            let message = format!("an extension after {at} comes too late: `work_ms` is over at {work}");
            return Err(Wrong::contradiction(number.span(), message));
        }
        extend_at.push(at);
    }
    Ok(extend_at)
}
