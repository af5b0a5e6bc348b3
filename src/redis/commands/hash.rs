//! Commands on hashes: HSET, HSETNX, HGET, HMGET, HGETALL, HKEYS, HVALS, HDEL, HEXISTS, HINCRBY, HLEN.
//!
//! Changing fields keeps the key's writer and deadline; a hash whose last field goes is deleted with both.
//! Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::exec::{Deadline, Exec};
use super::super::number;
use super::super::value::{Fields, Value};
use super::container::find;
use super::shape;
use crate::resp::Reply;
use bytes::Bytes;

/// HSET: how many fields are new.
pub(in crate::redis) fn hset(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let (key, pairs) = (&args[0], &args[1..]);
    if pairs.len() % 2 != 0 {
        return Err(CommandError::WrongArity("hset"));
    }
    fields(exec, key)?;
    let mut added = 0;
    change(exec, key, |fields| {
        for pair in pairs.chunks_exact(2) {
            added += i64::from(fields.insert(pair[0].clone(), pair[1].clone()));
        }
    });
    Ok(Reply::Int(added))
}

/// HGET: the field's value, or null.
pub(in crate::redis) fn hget(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let value = fields(exec, &args[0])?.and_then(|fields| fields.of(&args[1]));
    Ok(value.map_or(Reply::Null, |value| Reply::Bulk(value.clone())))
}

/// HDEL: how many of the fields were there.
pub(in crate::redis) fn hdel(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let (key, names) = (&args[0], &args[1..]);
    let Some(known) = fields(exec, key)? else { return Ok(Reply::Int(0)) };
    let mut rest = known.clone();
    let removed = names.iter().filter(|name| rest.remove(name)).count() as i64;
    if rest.is_empty() {
        exec.remove(key);
    } else if removed > 0 {
        exec.update(key, |value| *value = Value::Hash(rest));
    }
    Ok(Reply::Int(removed))
}

/// HEXISTS: 1 if the field is there.
pub(in crate::redis) fn hexists(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let there = fields(exec, &args[0])?.is_some_and(|fields| fields.of(&args[1]).is_some());
    Ok(Reply::Int(i64::from(there)))
}

/// HINCRBY: a missing field counts as 0.
pub(in crate::redis) fn hincrby(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let (key, field) = (&args[0], &args[1]);
    let by = number::integer(&args[2])?;
    let old = match fields(exec, key)?.and_then(|fields| fields.of(field)) {
        Some(text) => number::strict(text).ok_or(CommandError::HashValueNotAnInteger)?,
        None => 0,
    };
    let new = old.checked_add(by).ok_or(CommandError::Overflow)?;
    change(exec, key, |fields| {
        fields.insert(field.clone(), number::text(new));
    });
    Ok(Reply::Int(new))
}

/// HLEN: how many fields there are.
pub(in crate::redis) fn hlen(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    Ok(Reply::Int(fields(exec, &args[0])?.map_or(0, Fields::len) as i64))
}

/// HSETNX: 1 if the field was missing and is set now.
pub(in crate::redis) fn hsetnx(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    if fields(exec, &args[0])?.is_some_and(|fields| fields.of(&args[1]).is_some()) {
        return Ok(Reply::Int(0));
    }
    hset(exec, args)
}

/// HMGET: the value of each field, or null.
pub(in crate::redis) fn hmget(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let known = fields(exec, &args[0])?;
    let value = |name: &Bytes| known.and_then(|fields| fields.of(name));
    let replies = args[1..].iter().map(|name| value(name).cloned().map_or(Reply::Null, Reply::Bulk));
    Ok(Reply::Array(replies.collect()))
}

/// HGETALL: each field, followed by its value. Redis answers in the order of its storage, here fields ascend.
pub(in crate::redis) fn hgetall(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let protocol = exec.protocol;
    let known = fields(exec, &args[0])?.into_iter().flat_map(Fields::iter);
    let pairs = known.map(|(field, value)| (Reply::Bulk(field.clone()), Reply::Bulk(value.clone())));
    Ok(shape::map(protocol, pairs))
}

/// HKEYS: all fields.
pub(in crate::redis) fn hkeys(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    all(exec, args, |field, _| field)
}

/// HVALS: all values.
pub(in crate::redis) fn hvals(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    all(exec, args, |_, value| value)
}

fn all(
    exec: &mut Exec<'_>,
    args: &[Bytes],
    of: impl for<'f> Fn(&'f Bytes, &'f Bytes) -> &'f Bytes,
) -> Result<Reply, CommandError> {
    let known = fields(exec, &args[0])?.into_iter().flat_map(Fields::iter);
    Ok(Reply::Array(known.map(|(field, value)| Reply::Bulk(of(field, value).clone())).collect()))
}

/// The fields of a live hash; `None` if the key is missing.
fn fields<'e>(exec: &'e mut Exec<'_>, key: &[u8]) -> Result<Option<&'e Fields>, CommandError> {
    find(exec, key)
}

/// Changes the fields of a hash, creating it if the key is missing. The key's type was checked before.
fn change(exec: &mut Exec<'_>, key: &Bytes, work: impl FnOnce(&mut Fields)) {
    if exec.live(key).is_none() {
        let mut fields = Fields::default();
        work(&mut fields);
        exec.write(key, Value::Hash(fields), Deadline::Clear);
        return;
    }
    exec.update(key, |value| match value {
        Value::Hash(fields) => work(fields),
        Value::String(_) | Value::List(_) | Value::Set(_) | Value::Scored(_) => {
            unreachable!("the key's type was checked before")
        }
    });
}
