//! A reply, as a value of RESP3; RESP2 has fewer shapes for the same facts.

use bytes::Bytes;

/// What a server answers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reply {
    /// `+OK`
    Status(Bytes),
    /// `-ERR …`, without the leading minus.
    Error(Bytes),
    /// `:1`
    Int(i64),
    /// `$3 foo`
    Bulk(Bytes),
    /// RESP2 `$-1`, RESP3 `_`.
    Null,
    /// RESP2 `*-1`, RESP3 `_`.
    NullArray,
    /// `*2 …`
    Array(Vec<Reply>),
    /// RESP3 `%`, RESP2 a flat array.
    Map(Vec<(Reply, Reply)>),
    /// RESP3 `~`, RESP2 an array.
    Set(Vec<Reply>),
    /// RESP3 `,`, RESP2 a bulk of the same text. Kept as text so that it stays exact and hashable.
    Double(Bytes),
    /// RESP3 `#`, RESP2 `:1` or `:0`.
    Bool(bool),
    /// RESP3 `(`, RESP2 a bulk.
    BigNumber(Bytes),
    /// RESP3 `=`, RESP2 a bulk of the text.
    Verbatim {
        /// Three letters, such as `txt`.
        format: [u8; 3],
        /// The text.
        text: Bytes,
    },
    /// RESP3 `>`, RESP2 an array. What is sent to whoever hears a channel; in RESP3 confirmations of (un)subscribing too.
    Push(Vec<Reply>),
    /// Several replies to one command, one after the other: confirmations for several channels.
    Several(Vec<Reply>),
}

impl Reply {
    /// `+OK`
    pub const OK: Self = Self::Status(Bytes::from_static(b"OK"));

    /// An error with this text.
    pub fn error(text: impl Into<Bytes>) -> Self {
        Self::Error(text.into())
    }

    /// Whether this is an error reply.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }
}
