//! Commands and replies as bytes: RESP2 and RESP3, both ways.
//!
//! Decoding looks at a buffer that may end anywhere: it answers a value and how many bytes it took, or that
//! more bytes are needed, or that no further byte could help. A longer buffer never changes an answer other
//! than "more". Must not keep state between calls, and must not allocate for a length before the bytes are
//! there. Source: Redis 7.0.15.

mod commands;
mod encode;
mod inline;
mod line;
mod replies;

pub use commands::{CommandError, decode_command};
pub use encode::{encode_command, encode_reply};
pub use replies::{ReplyError, decode_reply};

/// The version of the protocol that replies are written in. Commands look the same in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    /// Five kinds of reply; what else there is becomes the nearest of them.
    Resp2,
    /// Every kind of reply has its own mark.
    Resp3,
}

/// What a buffer begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded<T> {
    /// A value in the first `used` bytes.
    Done {
        /// The value.
        value: T,
        /// How many bytes it took, at least 1.
        used: usize,
    },
    /// The beginning of a value.
    Incomplete,
}

/// Longest bulk either way: Redis' `proto-max-bulk-len` as it comes.
pub const BULK_MAX: usize = 512 << 20;
/// Longest line either way: an inline command, a count, a status.
pub const LINE_MAX: usize = 64 << 10;
/// How deep the arrays of a reply may nest when decoded.
pub const DEPTH_MAX: usize = 1_024;
