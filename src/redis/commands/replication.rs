//! WAIT and ROLE, as far as a server process alone can answer them.
//!
//! Who has acknowledged what is known outside: a world answers both itself where a client calls them. Must not
//! wait. Source: Redis 7.0.15 and 7.2.6.

use super::super::error::CommandError;
use super::super::exec::Exec;
use super::super::number;
use super::super::standing::Role;
use crate::resp::{Command, Reply};
use crate::time::{UnixMs, WallTime};
use bytes::Bytes;

/// WAIT: how many replicas are connected, at once. From a script of 7.2 that is the answer: a script's commands
/// have no offset of their own, so that every connected replica has acknowledged them, and no script blocks.
pub(in crate::redis) fn wait(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    match exec.standing.role {
        Role::Primary => {}
        Role::Replica => return Err(CommandError::WaitOnReplica),
    }
    arguments(args, exec.now())?;
    Ok(Reply::Int(exec.standing.replicas.into()))
}

/// ROLE: of a primary without replicas, or of a replica without a link.
pub(in crate::redis) fn role(exec: &mut Exec<'_>, _: &[Bytes]) -> Result<Reply, CommandError> {
    let bulk = |text: &'static str| Reply::Bulk(Bytes::from_static(text.as_bytes()));
    Ok(Reply::Array(match exec.standing.role {
        Role::Primary => vec![bulk("master"), Reply::Int(0), Reply::Array(Vec::new())],
        Role::Replica => vec![bulk("slave"), bulk(""), Reply::Int(0), bulk("connect"), Reply::Int(-1)],
    }))
}

/// The two numbers of `WAIT replicas timeout`: how many replicas must have acknowledged, of any sign, and after how
/// many milliseconds to answer anyway, 0 for never.
///
/// For whoever executes WAIT in the server's place, once [`Node::apply`](super::super::Node::apply) has answered
/// the command with an integer: then every earlier check has passed. `wall` is the server's clock.
///
/// # Errors
/// The reply that the server gives: wrong arity, not integers, a timeout below zero or beyond 64 bits from now.
///
/// **Source** Redis 7.0.15, `WAIT`.
pub fn wait_arguments(wall: WallTime, command: &Command) -> Result<(i64, i64), Reply> {
    let words = command.words();
    let read = match words {
        [_, args @ ..] if args.len() == 2 => arguments(args, wall.unix_ms()),
        _ => Err(CommandError::WrongArity("wait")),
    };
    read.map_err(|error| error.reply())
}

fn arguments(args: &[Bytes], now: UnixMs) -> Result<(i64, i64), CommandError> {
    let replicas = number::integer(&args[0])?;
    let timeout = number::strict(&args[1]).ok_or(CommandError::TimeoutNotAnInteger)?;
    if timeout < 0 {
        return Err(CommandError::TimeoutNegative);
    }
    timeout.checked_add(now.0).ok_or(CommandError::TimeoutOutOfRange)?;
    Ok((replicas, timeout))
}
