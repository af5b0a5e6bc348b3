//! Replies that have a shape of their own in RESP3 and the nearest one in RESP2.
//!
//! Decided here and not when bytes are written, so that a caller that never says HELLO 3 sees RESP2 only, and a
//! script what `redis.setresp` asked for. Source: Redis 7.0.15.

use crate::resp::Reply;
use crate::resp::codec::Protocol;
use bytes::Bytes;

/// Pairs: a map, or one flat array.
pub(super) fn map(protocol: Protocol, pairs: impl Iterator<Item = (Reply, Reply)>) -> Reply {
    match protocol {
        Protocol::Resp2 => Reply::Array(pairs.flat_map(|(key, value)| [key, value]).collect()),
        Protocol::Resp3 => Reply::Map(pairs.collect()),
    }
}

/// Members: a set, or an array.
pub(super) fn set(protocol: Protocol, members: impl Iterator<Item = Reply>) -> Reply {
    match protocol {
        Protocol::Resp2 => Reply::Array(members.collect()),
        Protocol::Resp3 => Reply::Set(members.collect()),
    }
}

/// A double, or its text.
pub(super) fn double(protocol: Protocol, text: Bytes) -> Reply {
    match protocol {
        Protocol::Resp2 => Reply::Bulk(text),
        Protocol::Resp3 => Reply::Double(text),
    }
}

/// Text for people.
pub(super) fn verbatim(protocol: Protocol, text: Bytes) -> Reply {
    match protocol {
        Protocol::Resp2 => Reply::Bulk(text),
        Protocol::Resp3 => Reply::Verbatim { format: *b"txt", text },
    }
}

/// What belongs to no request: a push, or an array.
pub(super) fn push(protocol: Protocol, parts: Vec<Reply>) -> Reply {
    match protocol {
        Protocol::Resp2 => Reply::Array(parts),
        Protocol::Resp3 => Reply::Push(parts),
    }
}
