//! Commands on keys of any type: DEL, UNLINK, EXISTS, TYPE.
//!
//! Must not look at values. Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::exec::Exec;
use crate::resp::Reply;
use bytes::Bytes;

/// DEL and UNLINK: how many of the keys were there. A key named twice counts once.
pub(in crate::redis) fn del(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let removed = args.iter().filter(|key| exec.remove(key)).count();
    Ok(Reply::Int(removed as i64))
}

/// EXISTS: how many of the keys are there. A key named twice counts twice.
pub(in crate::redis) fn exists(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let there = args.iter().filter(|key| exec.live(key).is_some()).count();
    Ok(Reply::Int(there as i64))
}

/// TYPE: a status, `none` if the key is missing.
pub(in crate::redis) fn type_of(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let name = exec.live(&args[0]).map_or("none", |slot| slot.value.type_name());
    Ok(Reply::Status(Bytes::from_static(name.as_bytes())))
}
