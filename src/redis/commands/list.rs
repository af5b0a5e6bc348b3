//! Commands on lists: LPUSH, RPUSH, LPOP, RPOP, LINDEX, LRANGE, LREM, LLEN, and BLPOP and BRPOP where they do not wait.
//!
//! Must not know who waits: `session.rs` does. Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::exec::Exec;
use super::super::items::{End, Items};
use super::super::number;
use super::container::{change, find};
use crate::resp::Reply;
use bytes::Bytes;

/// LPUSH: the length afterwards. Of several items the last comes to lie at the head.
pub(in crate::redis) fn lpush(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    push(exec, args, End::Head)
}

/// RPUSH: the length afterwards.
pub(in crate::redis) fn rpush(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    push(exec, args, End::Tail)
}

/// LPOP, with an optional count.
pub(in crate::redis) fn lpop(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    pop(exec, args, End::Head, "lpop")
}

/// RPOP, with an optional count.
pub(in crate::redis) fn rpop(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    pop(exec, args, End::Tail, "rpop")
}

/// BLPOP where something is there, or nobody may wait: in a script, in a transaction.
pub(in crate::redis) fn blpop(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    pop_first(exec, args, End::Head)
}

/// BRPOP where something is there, or nobody may wait.
pub(in crate::redis) fn brpop(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    pop_first(exec, args, End::Tail)
}

/// LINDEX: the item, or null.
pub(in crate::redis) fn lindex(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let Some(items) = find::<Items>(exec, &args[0])? else { return Ok(Reply::Null) };
    let item = items.at(number::integer(&args[1])?);
    Ok(item.map_or(Reply::Null, |item| Reply::Bulk(item.clone())))
}

/// LRANGE: the items between two indices, both included.
pub(in crate::redis) fn lrange(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let (start, stop) = (number::integer(&args[1])?, number::integer(&args[2])?);
    let items = find::<Items>(exec, &args[0])?.map_or(&[][..], |items| items.between(start, stop));
    Ok(Reply::Array(items.iter().cloned().map(Reply::Bulk).collect()))
}

/// LREM: how many items were removed.
pub(in crate::redis) fn lrem(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let count = number::integer(&args[1])?;
    let removed = change(exec, &args[0], |items: &mut Items| Ok(items.remove(count, &args[2])))?;
    Ok(Reply::Int(removed as i64))
}

/// LLEN: how many items there are.
pub(in crate::redis) fn llen(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    Ok(Reply::Int(find::<Items>(exec, &args[0])?.map_or(0, Items::len) as i64))
}

fn push(exec: &mut Exec<'_>, args: &[Bytes], end: End) -> Result<Reply, CommandError> {
    let length = change(exec, &args[0], |items: &mut Items| {
        args[1..].iter().for_each(|item| items.push(end, item.clone()));
        Ok(items.len())
    })?;
    Ok(Reply::Int(length as i64))
}

fn pop(exec: &mut Exec<'_>, args: &[Bytes], end: End, name: &'static str) -> Result<Reply, CommandError> {
    let count = match args {
        [_] => None,
        [_, count] => {
            let count = number::strict(count).filter(|count| *count >= 0);
            Some(count.ok_or(CommandError::NotPositive)?)
        }
        [..] => return Err(CommandError::WrongArity(name)),
    };
    let key = &args[0];
    if find::<Items>(exec, key)?.is_none() {
        return Ok(if count.is_some() { Reply::NullArray } else { Reply::Null });
    }
    let most = count.map_or(1, |count| usize::try_from(count).unwrap_or(usize::MAX));
    let popped = change(exec, key, |items: &mut Items| {
        let count = most.min(items.len());
        Ok((0..count).map_while(|_| items.pop(end)).map(Reply::Bulk).collect::<Vec<_>>())
    })?;
    Ok(match count {
        Some(_) => Reply::Array(popped),
        None => popped.into_iter().next().unwrap_or(Reply::Null),
    })
}

fn pop_first(exec: &mut Exec<'_>, args: &[Bytes], end: End) -> Result<Reply, CommandError> {
    let (_, keys) = waiting(args, exec)?;
    for key in keys {
        if let Some(popped) = pop_one(exec, key, end)? {
            return Ok(popped);
        }
    }
    Ok(Reply::NullArray)
}

/// Takes an item of a list and answers as BLPOP does; `None` if the key is missing.
///
/// # Errors
/// The key holds another type.
pub(in crate::redis) fn pop_one(
    exec: &mut Exec<'_>,
    key: &Bytes,
    end: End,
) -> Result<Option<Reply>, CommandError> {
    if find::<Items>(exec, key)?.is_none() {
        return Ok(None);
    }
    let item = change(exec, key, |items: &mut Items| Ok(items.pop(end)))?;
    Ok(item.map(|item| Reply::Array(vec![Reply::Bulk(key.clone()), Reply::Bulk(item)])))
}

/// What BLPOP and BRPOP were told: the last millisecond of the wait, if it ends, and the keys.
///
/// # Errors
/// The time is no number, negative, or beyond 64 bits from now.
pub(in crate::redis) fn waiting<'a>(
    args: &'a [Bytes],
    exec: &Exec<'_>,
) -> Result<(Option<crate::time::UnixMs>, &'a [Bytes]), CommandError> {
    let (timeout, keys) = args.split_last().expect("the arity asks for a key and a time");
    Ok((number::timeout(timeout, exec.now())?, keys))
}
