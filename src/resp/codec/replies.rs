//! Replies from bytes, both versions at once: their marks do not clash.
//!
//! RESP3 attributes are read over. Must not nest deeper than the limit, whatever the bytes say.

use super::line::{Line, integer, line};
use super::{BULK_MAX, DEPTH_MAX, Decoded};
use crate::resp::Reply;
use bytes::Bytes;

/// Bytes that are no reply; a client closes the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum ReplyError {
    /// A reply starts with a mark that does not exist.
    #[error("no reply starts with byte {0}")]
    UnknownMark(u8),
    /// A number, length, truth value or double is none.
    #[error("malformed value after mark '{}'", char::from(*.0))]
    Malformed(u8),
    /// A line or a bulk is over its limit.
    #[error("reply over the size limit")]
    TooLong,
    /// Arrays nest deeper than the limit.
    #[error("reply nests too deep")]
    TooDeep,
}

/// The reply at the start of `bytes`.
///
/// # Errors
/// No further bytes could make this a reply.
pub fn decode_reply(bytes: &[u8]) -> Result<Decoded<Reply>, ReplyError> {
    let mut reader = Reader { bytes, at: 0 };
    match reader.reply(0) {
        Ok(value) => Ok(Decoded::Done { value, used: reader.at }),
        Err(Ended::Incomplete) => Ok(Decoded::Incomplete),
        Err(Ended::Wrong(error)) => Err(error),
    }
}

enum Ended {
    Incomplete,
    Wrong(ReplyError),
}

impl From<ReplyError> for Ended {
    fn from(error: ReplyError) -> Self {
        Self::Wrong(error)
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    fn reply(&mut self, depth: usize) -> Result<Reply, Ended> {
        if depth > DEPTH_MAX {
            return Err(ReplyError::TooDeep.into());
        }
        let (mark, text) = self.marked()?;
        let malformed = ReplyError::Malformed(mark);
        let copy = || Bytes::copy_from_slice(text);
        match mark {
            b'+' => Ok(Reply::Status(copy())),
            b'-' => Ok(Reply::Error(copy())),
            b':' => Ok(Reply::Int(integer(text).ok_or(malformed)?)),
            b'$' if text == b"-1" => Ok(Reply::Null),
            b'$' => Ok(Reply::Bulk(Bytes::copy_from_slice(self.bulk(text, malformed)?))),
            b'!' => Ok(Reply::Error(Bytes::copy_from_slice(self.bulk(text, malformed)?))),
            b'=' => match self.bulk(text, malformed)? {
                [a, b, c, b':', text @ ..] => {
                    Ok(Reply::Verbatim { format: [*a, *b, *c], text: Bytes::copy_from_slice(text) })
                }
                _ => Err(malformed.into()),
            },
            b'*' if text == b"-1" => Ok(Reply::NullArray),
            b'*' => Ok(Reply::Array(self.items(text, malformed, depth)?)),
            b'~' => Ok(Reply::Set(self.items(text, malformed, depth)?)),
            b'>' => Ok(Reply::Push(self.items(text, malformed, depth)?)),
            b'%' => Ok(Reply::Map(self.pairs(text, malformed, depth)?)),
            b'|' => {
                self.pairs(text, malformed, depth)?;
                self.reply(depth + 1)
            }
            b'_' if text.is_empty() => Ok(Reply::Null),
            b'#' if text == b"t" => Ok(Reply::Bool(true)),
            b'#' if text == b"f" => Ok(Reply::Bool(false)),
            b',' if is_double(text) => Ok(Reply::Double(copy())),
            b'(' if is_big_number(text) => Ok(Reply::BigNumber(copy())),
            b'_' | b'#' | b',' | b'(' => Err(malformed.into()),
            _ => Err(ReplyError::UnknownMark(mark).into()),
        }
    }

    /// The mark and the rest of its line. An unknown mark is an error before its line ends.
    fn marked(&mut self) -> Result<(u8, &'b [u8]), Ended> {
        let rest = &self.bytes[self.at..];
        let mark = *rest.first().ok_or(Ended::Incomplete)?;
        if !b"+-:$!=*~>%|_#,(".contains(&mark) {
            return Err(ReplyError::UnknownMark(mark).into());
        }
        match line(rest) {
            Line::Whole(text, used) => {
                self.at += used;
                Ok((mark, &text[1..]))
            }
            Line::Incomplete => Err(Ended::Incomplete),
            Line::TooLong => Err(ReplyError::TooLong.into()),
        }
    }

    fn bulk(&mut self, length: &[u8], malformed: ReplyError) -> Result<&'b [u8], Ended> {
        let length = count(length, malformed)?;
        if length > BULK_MAX {
            return Err(ReplyError::TooLong.into());
        }
        let end = self.at + length;
        if self.bytes.len() < end + 2 {
            return Err(Ended::Incomplete);
        }
        let text = &self.bytes[self.at..end];
        self.at = end + 2;
        Ok(text)
    }

    fn items(&mut self, length: &[u8], malformed: ReplyError, depth: usize) -> Result<Vec<Reply>, Ended> {
        // Grows as items arrive: the announced count is not believed.
        let mut items = Vec::new();
        for _ in 0..count(length, malformed)? {
            items.push(self.reply(depth + 1)?);
        }
        Ok(items)
    }

    fn pairs(
        &mut self,
        length: &[u8],
        malformed: ReplyError,
        depth: usize,
    ) -> Result<Vec<(Reply, Reply)>, Ended> {
        let mut pairs = Vec::new();
        for _ in 0..count(length, malformed)? {
            let key = self.reply(depth + 1)?;
            pairs.push((key, self.reply(depth + 1)?));
        }
        Ok(pairs)
    }
}

fn count(text: &[u8], malformed: ReplyError) -> Result<usize, ReplyError> {
    integer(text).and_then(|count| usize::try_from(count).ok()).ok_or(malformed)
}

fn is_double(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok())
}

fn is_big_number(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}
