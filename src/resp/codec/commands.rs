//! Commands from bytes: arrays of bulks, and inline lines for people with a terminal.
//!
//! Must not know any command. The errors are what Redis answers before it closes the connection.

use super::inline;
use super::line::{Line, integer, line};
use super::{BULK_MAX, Decoded, LINE_MAX};
use crate::resp::Command;
use bytes::Bytes;

/// Bytes that are no command. The text is the error reply that Redis sends last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum CommandError {
    /// A word of an array starts with another mark.
    #[error("ERR Protocol error: expected '$', got '{}'", char::from(*.0))]
    ExpectedBulk(u8),
    /// The length of a word is no number, negative, or above the limit.
    #[error("ERR Protocol error: invalid bulk length")]
    InvalidBulkLength,
    /// The number of words is no number or above 2^31 - 1.
    #[error("ERR Protocol error: invalid multibulk length")]
    InvalidMultibulkLength,
    /// The length of a word does not end.
    #[error("ERR Protocol error: too big bulk count string")]
    TooBigBulkCount,
    /// An inline command does not end.
    #[error("ERR Protocol error: too big inline request")]
    TooBigInline,
    /// The number of words does not end.
    #[error("ERR Protocol error: too big mbulk count string")]
    TooBigMultibulkCount,
    /// An inline command with a quote that does not close, or closes inside a word.
    #[error("ERR Protocol error: unbalanced quotes in request")]
    UnbalancedQuotes,
}

/// The command at the start of `bytes`. `None` as a value is a request to be ignored: an empty line or an
/// array of no words.
///
/// # Errors
/// No further bytes could make this a command.
pub fn decode_command(bytes: &[u8]) -> Result<Decoded<Option<Command>>, CommandError> {
    match bytes.first() {
        None => Ok(Decoded::Incomplete),
        Some(b'*') => array(bytes),
        Some(_) => inline_line(bytes),
    }
}

fn array(bytes: &[u8]) -> Result<Decoded<Option<Command>>, CommandError> {
    let (count, mut used) = match line(bytes) {
        Line::Whole(text, used) => (integer(&text[1..]), used),
        Line::Incomplete => return Ok(Decoded::Incomplete),
        Line::TooLong => return Err(CommandError::TooBigMultibulkCount),
    };
    let count = count.filter(|count| *count <= i64::from(i32::MAX));
    let count = count.ok_or(CommandError::InvalidMultibulkLength)?;
    let mut words = Vec::new();
    for _ in 0..count {
        let (text, after) = match line(&bytes[used..]) {
            Line::Whole(text, after) => (text, used + after),
            Line::Incomplete => return Ok(Decoded::Incomplete),
            Line::TooLong => return Err(CommandError::TooBigBulkCount),
        };
        match text.split_first() {
            Some((b'$', length)) => {
                let length = integer(length).and_then(|length| usize::try_from(length).ok());
                let length = length.filter(|length| *length <= BULK_MAX);
                let end = after + length.ok_or(CommandError::InvalidBulkLength)?;
                // The two bytes after the word are skipped unchecked, as Redis does.
                if bytes.len() < end + 2 {
                    return Ok(Decoded::Incomplete);
                }
                words.push(Bytes::copy_from_slice(&bytes[after..end]));
                used = end + 2;
            }
            Some((mark, _)) => return Err(CommandError::ExpectedBulk(*mark)),
            None => return Err(CommandError::ExpectedBulk(b'\r')),
        }
    }
    Ok(Decoded::Done { value: (!words.is_empty()).then(|| Command::new(words)), used })
}

fn inline_line(bytes: &[u8]) -> Result<Decoded<Option<Command>>, CommandError> {
    let searched = &bytes[..bytes.len().min(LINE_MAX + 1)];
    let Some(end) = searched.iter().position(|byte| *byte == b'\n') else {
        let is_over = bytes.len() > LINE_MAX;
        return if is_over { Err(CommandError::TooBigInline) } else { Ok(Decoded::Incomplete) };
    };
    let text = bytes[..end].strip_suffix(b"\r").unwrap_or(&bytes[..end]);
    let words = inline::words(text).ok_or(CommandError::UnbalancedQuotes)?;
    Ok(Decoded::Done { value: (!words.is_empty()).then(|| Command::new(words)), used: end + 1 })
}
