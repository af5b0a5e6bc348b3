//! Commands that touch no key: PING, TIME.
//!
//! Must not read a real clock. Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::exec::Exec;
use crate::resp::Reply;
use bytes::Bytes;

/// PING, with an optional message to echo.
pub(in crate::redis) fn ping(_: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    match args {
        [] => Ok(Reply::Status(Bytes::from_static(b"PONG"))),
        [message] => Ok(Reply::Bulk(message.clone())),
        [_, _, ..] => Err(CommandError::WrongArity("ping")),
    }
}

/// TIME: seconds and the microseconds within the second, both as text without padding.
pub(in crate::redis) fn time(exec: &mut Exec<'_>, _: &[Bytes]) -> Result<Reply, CommandError> {
    let micros = exec.wall.0;
    let part = |number: i64| Reply::Bulk(number.to_string().into());
    Ok(Reply::Array(vec![part(micros.div_euclid(1_000_000)), part(micros.rem_euclid(1_000_000))]))
}
