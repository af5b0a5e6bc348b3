//! Commands on strings: GET, SET, SETNX, INCR.
//!
//! The options of SET are read in `set_options.rs`. Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::exec::{Deadline, Exec};
use super::super::keyspace::Slot;
use super::super::number;
use super::super::value::Value;
use super::set_options::{Condition, OldValue, SetOptions};
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
    let options = SetOptions::read(&args[2..])?;
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
    let go_on = match options.condition {
        Condition::Always => true,
        Condition::IfMissing => !found,
        Condition::IfThere => found,
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

/// INCR: a missing key counts as 0. A key that exists keeps its deadline and its writer.
pub(in crate::redis) fn incr(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let key = &args[0];
    let old = match exec.live(key).map(|slot| &slot.value) {
        Some(Value::String(text)) => Some(number::integer(text)?),
        Some(Value::Hash(_)) => return Err(CommandError::WrongType),
        None => None,
    };
    let new = old.unwrap_or(0).checked_add(1).ok_or(CommandError::Overflow)?;
    let value = Value::String(number::text(new));
    match old {
        Some(_) => exec.update(key, |stored| *stored = value),
        None => exec.write(key, value, Deadline::Clear),
    }
    Ok(Reply::Int(new))
}

fn string_of(slot: Option<&Slot>) -> Result<Reply, CommandError> {
    match slot.map(|slot| &slot.value) {
        Some(Value::String(text)) => Ok(Reply::Bulk(text.clone())),
        Some(Value::Hash(_)) => Err(CommandError::WrongType),
        None => Ok(Reply::Null),
    }
}
