//! Commands on several strings at once: MGET, MSET, MSETNX.
//!
//! Must not look at options: there are none. Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::exec::{Deadline, Exec};
use super::super::value::Value;
use super::string::string_of;
use crate::resp::Reply;
use bytes::Bytes;

/// MGET: each string, or null where the key is missing or holds another type.
pub(in crate::redis) fn mget(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let one = |key: &Bytes| string_of(exec.live(key)).unwrap_or(Reply::Null);
    Ok(Reply::Array(args.iter().map(one).collect()))
}

/// MSET: overwrites each key, whatever it held, and clears its deadline.
pub(in crate::redis) fn mset(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    write(exec, pairs(args, "mset")?);
    Ok(Reply::OK)
}

/// MSETNX: 1 if all keys were missing and are written now; 0 if any was there, and none is written.
pub(in crate::redis) fn msetnx(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let pairs = pairs(args, "msetnx")?;
    if pairs.clone().any(|(key, _)| exec.live(key).is_some()) {
        return Ok(Reply::Int(0));
    }
    write(exec, pairs);
    Ok(Reply::Int(1))
}

fn pairs<'a>(
    args: &'a [Bytes],
    name: &'static str,
) -> Result<impl Iterator<Item = (&'a Bytes, &'a Bytes)> + Clone, CommandError> {
    if !args.len().is_multiple_of(2) {
        return Err(CommandError::WrongArity(name));
    }
    Ok(args.chunks_exact(2).map(|pair| (&pair[0], &pair[1])))
}

fn write<'a>(exec: &mut Exec<'_>, pairs: impl Iterator<Item = (&'a Bytes, &'a Bytes)>) {
    for (key, value) in pairs {
        exec.write(key, Value::String(value.clone()), Deadline::Clear);
    }
}
