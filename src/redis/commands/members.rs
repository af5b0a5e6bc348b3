//! Commands on sets: SADD, SREM, SISMEMBER, SMEMBERS, SCARD.
//!
//! Must not rely on an order of members. Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::exec::Exec;
use super::super::members::Members;
use super::container::{change, find};
use super::shape;
use crate::resp::Reply;
use bytes::Bytes;

/// SADD: how many of the members are new.
pub(in crate::redis) fn sadd(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let added = change(exec, &args[0], |members: &mut Members| {
        Ok(args[1..].iter().filter(|member| members.insert((*member).clone())).count())
    })?;
    Ok(Reply::Int(added as i64))
}

/// SREM: how many of the members were there.
pub(in crate::redis) fn srem(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let removed = change(exec, &args[0], |members: &mut Members| {
        Ok(args[1..].iter().filter(|member| members.remove(member)).count())
    })?;
    Ok(Reply::Int(removed as i64))
}

/// SISMEMBER: 1 if it is one of them.
pub(in crate::redis) fn sismember(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let there = find::<Members>(exec, &args[0])?.is_some_and(|members| members.contains(&args[1]));
    Ok(Reply::Int(i64::from(there)))
}

/// SMEMBERS: all members.
pub(in crate::redis) fn smembers(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let protocol = exec.protocol;
    let members = find::<Members>(exec, &args[0])?.into_iter().flat_map(Members::iter);
    Ok(shape::set(protocol, members.cloned().map(Reply::Bulk)))
}

/// SCARD: how many members there are.
pub(in crate::redis) fn scard(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    Ok(Reply::Int(find::<Members>(exec, &args[0])?.map_or(0, Members::len) as i64))
}
