//! Transactions of a connection: WATCH, UNWATCH, MULTI, EXEC, DISCARD.
//!
//! Which commands run at once instead of being queued is decided in `node.rs`. Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::node::{Node, Request};
use super::super::session::Queue;
use crate::resp::Reply;
use bytes::Bytes;

/// WATCH: EXEC will do nothing if one of these keys changes before it.
pub(in crate::redis) fn watch(
    node: &mut Node,
    request: &mut Request<'_>,
    args: &[Bytes],
) -> Result<Reply, CommandError> {
    if request.session.queue.is_some() {
        return Err(CommandError::WatchInMulti);
    }
    for key in args {
        request.session.watch(key, &node.keys, request.wall.unix_ms());
    }
    Ok(Reply::OK)
}

/// UNWATCH: forgets all watched keys.
pub(in crate::redis) fn unwatch(
    _: &mut Node,
    request: &mut Request<'_>,
    _: &[Bytes],
) -> Result<Reply, CommandError> {
    request.session.unwatch();
    Ok(Reply::OK)
}

/// MULTI: commands are queued from now on.
pub(in crate::redis) fn multi(
    _: &mut Node,
    request: &mut Request<'_>,
    _: &[Bytes],
) -> Result<Reply, CommandError> {
    if request.session.queue.is_some() {
        return Err(CommandError::NestedMulti);
    }
    request.session.queue = Some(Queue { commands: Vec::new(), refused: false });
    Ok(Reply::OK)
}

/// DISCARD: forgets what was queued, and the watched keys.
pub(in crate::redis) fn discard(
    _: &mut Node,
    request: &mut Request<'_>,
    _: &[Bytes],
) -> Result<Reply, CommandError> {
    if request.session.queue.take().is_none() {
        return Err(CommandError::DiscardWithoutMulti);
    }
    request.session.unwatch();
    Ok(Reply::OK)
}

/// EXEC: the replies of what was queued; null if a watched key has changed. A command that fails does not stop the
/// rest.
pub(in crate::redis) fn exec(
    node: &mut Node,
    request: &mut Request<'_>,
    _: &[Bytes],
) -> Result<Reply, CommandError> {
    let Some(queue) = request.session.queue.take() else { return Err(CommandError::ExecWithoutMulti) };
    let touched = request.session.is_touched(&node.keys, request.wall.unix_ms());
    request.session.unwatch();
    if queue.refused {
        return Err(CommandError::Aborted);
    }
    if touched {
        return Ok(Reply::NullArray);
    }
    let one = |words: &[Bytes]| {
        // Unlike its relatives, of which one command may give several replies inside the transaction's array.
        let done = match words[0].eq_ignore_ascii_case(b"ssubscribe") {
            true => Err(CommandError::ShardInTransaction),
            false => node.run(request, words),
        };
        done.unwrap_or_else(|error| error.reply())
    };
    Ok(Reply::Array(queue.commands.iter().map(|command| command.words()).map(one).collect()))
}
