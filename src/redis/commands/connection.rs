//! Commands on the connection itself: PUBLISH, SUBSCRIBE, UNSUBSCRIBE, WATCH, UNWATCH, MULTI, EXEC, DISCARD.
//!
//! Connections speak RESP2: one that hears channels may do little else, which `node.rs` checks. Absent compared with
//! Redis: patterns, shard channels, RESET, QUIT. Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::exec::Exec;
use super::super::node::{Node, Request};
use super::super::session::{Message, Queue};
use crate::resp::Reply;
use bytes::Bytes;

/// PUBLISH: how many connections hear the channel at this moment.
pub(in crate::redis) fn publish(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let (channel, payload) = (args[0].clone(), args[1].clone());
    let count = exec.audience.count(&channel);
    exec.log.published.push(Message { channel, payload });
    Ok(Reply::Int(count as i64))
}

/// SUBSCRIBE: one confirmation for a channel; for several an array of them, which Redis sends one after the other.
pub(in crate::redis) fn subscribe(
    _: &mut Node,
    request: &mut Request<'_>,
    args: &[Bytes],
) -> Result<Reply, CommandError> {
    Ok(confirmed(args.iter().map(|channel| {
        let count = request.session.subscribe(channel);
        confirmation("subscribe", Reply::Bulk(channel.clone()), count)
    })))
}

/// UNSUBSCRIBE: from these channels, or from all.
pub(in crate::redis) fn unsubscribe(
    _: &mut Node,
    request: &mut Request<'_>,
    args: &[Bytes],
) -> Result<Reply, CommandError> {
    let channels = if args.is_empty() { request.session.channels().to_vec() } else { args.to_vec() };
    if channels.is_empty() {
        return Ok(confirmation("unsubscribe", Reply::Null, 0));
    }
    Ok(confirmed(channels.iter().map(|channel| {
        let count = request.session.unsubscribe(channel);
        confirmation("unsubscribe", Reply::Bulk(channel.clone()), count)
    })))
}

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
    let one = |words: &[Bytes]| node.run(request, words).unwrap_or_else(|error| error.reply());
    Ok(Reply::Array(queue.commands.iter().map(|command| command.words()).map(one).collect()))
}

fn confirmed(confirmations: impl Iterator<Item = Reply>) -> Reply {
    let mut all: Vec<Reply> = confirmations.collect();
    if all.len() == 1 { all.remove(0) } else { Reply::Array(all) }
}

fn confirmation(kind: &'static str, channel: Reply, count: usize) -> Reply {
    let kind = Reply::Bulk(Bytes::from_static(kind.as_bytes()));
    Reply::Array(vec![kind, channel, Reply::Int(count as i64)])
}
