//! Commands on strings: GET, SET, SETNX, INCR and their relatives; what names several keys is in `strings.rs`.
//!
//! The options of SET are read in `set_options.rs`. Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::exec::{Deadline, Exec};
use super::super::keyspace::Slot;
use super::super::number;
use super::super::value::Value;
use super::set_options::{Condition, ExpiryForm, OldValue, SetOptions, lifetime};
use crate::resp::Reply;
use bytes::Bytes;

/// GET: the string, or null.
pub(in crate::redis) fn get(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    string_of(exec.live(&args[0]))
}

/// SET with all its options. The expiry is checked before anything else, then the type of the old value if
/// GET asks for it, then the condition.
pub(in crate::redis) fn set(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let (key, value) = (&args[0], &args[1]);
    let options = SetOptions::read(&args[2..], exec.compat)?;
    let deadline = options.deadline(exec.now())?;
    let old = exec.live(key);
    let found = old.is_some();
    let (done, refused) = match options.old_value {
        OldValue::Ignored => (Reply::OK, Reply::Null),
        OldValue::Answered => {
            let old = string_of(old)?;
            (old.clone(), old)
        }
    };
    let go_on = match &options.condition {
        Condition::Always => true,
        Condition::IfMissing => !found,
        Condition::IfThere => found,
        Condition::IfEqual(wanted) => text_of(exec.live(key))? == Some(wanted),
    };
    if !go_on {
        return Ok(refused);
    }
    exec.write(key, Value::String(value.clone()), deadline);
    Ok(done)
}

/// SETNX: 1 if the key was missing and is written now, without a deadline.
pub(in crate::redis) fn setnx(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let (key, value) = (&args[0], &args[1]);
    if exec.live(key).is_some() {
        return Ok(Reply::Int(0));
    }
    exec.write(key, Value::String(value.clone()), Deadline::Clear);
    Ok(Reply::Int(1))
}

/// SETEX: the value, with a life in seconds.
pub(in crate::redis) fn setex(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let deadline = lifetime("setex", ExpiryForm::Ex, &args[1], exec.now())?;
    exec.write(&args[0], Value::String(args[2].clone()), deadline);
    Ok(Reply::OK)
}

/// PSETEX: the value, with a life in milliseconds.
pub(in crate::redis) fn psetex(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let deadline = lifetime("psetex", ExpiryForm::Px, &args[1], exec.now())?;
    exec.write(&args[0], Value::String(args[2].clone()), deadline);
    Ok(Reply::OK)
}

/// GETSET: the old string, or null; the new one has no deadline.
pub(in crate::redis) fn getset(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let old = string_of(exec.live(&args[0]))?;
    exec.write(&args[0], Value::String(args[1].clone()), Deadline::Clear);
    Ok(old)
}

/// GETDEL: the string, which is gone afterwards, or null.
pub(in crate::redis) fn getdel(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let old = string_of(exec.live(&args[0]))?;
    exec.remove(&args[0]);
    Ok(old)
}

/// STRLEN: how many bytes the string has; 0 if the key is missing.
pub(in crate::redis) fn strlen(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    Ok(Reply::Int(text_of(exec.live(&args[0]))?.map_or(0, Bytes::len) as i64))
}

/// GETRANGE: the bytes from one index to another, both included; negative ones count from the end.
pub(in crate::redis) fn getrange(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let (start, stop) = (number::integer(&args[1])?, number::integer(&args[2])?);
    let text = text_of(exec.live(&args[0]))?;
    // Redis answers the empty text where both count from the end and cross, and does not cut before it compares.
    let crossed = start < 0 && stop < 0 && start > stop;
    Ok(Reply::Bulk(match text {
        Some(text) if !crossed => {
            // What lies before the beginning means the beginning, for the end of the range too.
            let length = text.len() as i64;
            let stop = if stop < 0 { stop.saturating_add(length).max(0) } else { stop };
            text.slice(number::range(start, stop, text.len()))
        }
        Some(_) | None => Bytes::new(),
    }))
}

/// DELEX: as DEL, or with IFEQ or IFNE only while the string is, or is not, this one.
///
/// **Source** Redis 8.4, `DELEX`; its conditions on digests are refused as unknown.
pub(in crate::redis) fn delex(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let (condition, wanted) = match args {
        [key] => return Ok(Reply::Int(i64::from(exec.remove(key)))),
        [_, condition, wanted] => (condition, wanted),
        [..] => return Err(CommandError::WrongArity("delex")),
    };
    let Some(slot) = exec.live(&args[0]) else { return Ok(Reply::Int(0)) };
    let Value::String(text) = &slot.value else { return Err(CommandError::ConditionOnOtherType) };
    let meets = match condition.to_ascii_lowercase().as_slice() {
        b"ifeq" => text == wanted,
        b"ifne" => text != wanted,
        _ => return Err(CommandError::UnknownCondition),
    };
    Ok(Reply::Int(i64::from(meets && exec.remove(&args[0]))))
}

/// DELIFEQ: deletes the string if it is this one.
///
/// **Source** Valkey 9.0, `DELIFEQ`.
pub(in crate::redis) fn delifeq(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let meets = text_of(exec.live(&args[0]))? == Some(&args[1]);
    Ok(Reply::Int(i64::from(meets && exec.remove(&args[0]))))
}

/// INCR: a missing key counts as 0. A key that exists keeps its deadline and its writer.
pub(in crate::redis) fn incr(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    add(exec, &args[0], 1)
}

/// DECR: as INCR by -1.
pub(in crate::redis) fn decr(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    add(exec, &args[0], -1)
}

/// INCRBY: as INCR by a given number.
pub(in crate::redis) fn incrby(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    add(exec, &args[0], number::integer(&args[1])?)
}

/// DECRBY: as INCR by a given number's opposite.
pub(in crate::redis) fn decrby(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let by = number::integer(&args[1])?.checked_neg().ok_or(CommandError::DecrementOverflow)?;
    add(exec, &args[0], by)
}

fn add(exec: &mut Exec<'_>, key: &Bytes, by: i64) -> Result<Reply, CommandError> {
    let old = text_of(exec.live(key))?.map(|text| number::integer(text)).transpose()?;
    let new = old.unwrap_or(0).checked_add(by).ok_or(CommandError::Overflow)?;
    let value = Value::String(number::text(new));
    match old {
        Some(_) => exec.update(key, |stored| *stored = value),
        None => exec.write(key, value, Deadline::Clear),
    }
    Ok(Reply::Int(new))
}

/// The string as a reply, null if the key is missing.
pub(super) fn string_of(slot: Option<&Slot>) -> Result<Reply, CommandError> {
    Ok(text_of(slot)?.map_or(Reply::Null, |text| Reply::Bulk(text.clone())))
}

fn text_of(slot: Option<&Slot>) -> Result<Option<&Bytes>, CommandError> {
    match slot.map(|slot| &slot.value) {
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Hash(_) | Value::List(_) | Value::Set(_) | Value::Scored(_)) => {
            Err(CommandError::WrongType)
        }
        None => Ok(None),
    }
}
