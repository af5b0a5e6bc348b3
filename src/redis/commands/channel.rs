//! Channels: PUBLISH, SUBSCRIBE, UNSUBSCRIBE; by pattern PSUBSCRIBE, PUNSUBSCRIBE; of a shard SPUBLISH, SSUBSCRIBE,
//! SUNSUBSCRIBE.
//!
//! A connection of RESP2 that hears channels may do little else, which `node.rs` checks. Where Redis answers in the
//! order of its storage, channels and patterns ascend here. A node is no cluster: its shard channels are names of
//! their own and nothing more. Absent compared with Redis: PUBSUB. Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::exec::Exec;
use super::super::node::{Node, Request};
use super::super::session::{Message, Session, Space, Topic};
use super::shape;
use crate::resp::Reply;
use bytes::Bytes;

/// PUBLISH: how many times the message is heard at this moment, by channel and by pattern.
pub(in crate::redis) fn publish(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    Ok(publish_in(Space::Global, exec, args))
}

/// SPUBLISH: the same of a shard channel.
pub(in crate::redis) fn spublish(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    Ok(publish_in(Space::Shard, exec, args))
}

fn publish_in(space: Space, exec: &mut Exec<'_>, args: &[Bytes]) -> Reply {
    let message = Message { space, channel: args[0].clone(), payload: args[1].clone() };
    let count = exec.audience.count(&message);
    exec.log.published.push(message);
    Reply::Int(count as i64)
}

macro_rules! subscribing {
    ($($(#[$doc:meta])* $name:ident = $run:ident($topic:ident);)*) => {$(
        $(#[$doc])*
        pub(in crate::redis) fn $name(
            _: &mut Node,
            request: &mut Request<'_>,
            args: &[Bytes],
        ) -> Result<Reply, CommandError> {
            Ok($run(request.session, Topic::$topic, stringify!($name), args))
        }
    )*};
}
subscribing! {
    /// SUBSCRIBE: one confirmation for each channel.
    subscribe = join(Channel);
    /// UNSUBSCRIBE: from these channels, or from all.
    unsubscribe = leave(Channel);
    /// PSUBSCRIBE: to all channels that a pattern names.
    psubscribe = join(Pattern);
    /// PUNSUBSCRIBE: from these patterns, or from all.
    punsubscribe = leave(Pattern);
    /// SSUBSCRIBE: to shard channels.
    ssubscribe = join(Shard);
    /// SUNSUBSCRIBE: from these shard channels, or from all.
    sunsubscribe = leave(Shard);
}

fn join(session: &mut Session, topic: Topic, word: &'static str, names: &[Bytes]) -> Reply {
    let one = |name: &Bytes| {
        session.subscribe(topic, name);
        confirmation(session, topic, word, Reply::Bulk(name.clone()))
    };
    several(names.iter().map(one).collect())
}

fn leave(session: &mut Session, topic: Topic, word: &'static str, names: &[Bytes]) -> Reply {
    let names = if names.is_empty() { session.names(topic) } else { names.to_vec() };
    if names.is_empty() {
        return confirmation(session, topic, word, Reply::Null);
    }
    let one = |name: &Bytes| {
        session.unsubscribe(topic, name);
        confirmation(session, topic, word, Reply::Bulk(name.clone()))
    };
    several(names.iter().map(one).collect())
}

fn several(mut confirmations: Vec<Reply>) -> Reply {
    if confirmations.len() == 1 { confirmations.remove(0) } else { Reply::Several(confirmations) }
}

/// The count is of channels and patterns together, and of shard channels alone.
fn confirmation(session: &Session, topic: Topic, word: &'static str, name: Reply) -> Reply {
    let word = Reply::Bulk(Bytes::from_static(word.as_bytes()));
    let count = Reply::Int(session.count(topic.space()) as i64);
    shape::push(session.protocol(), vec![word, name, count])
}
