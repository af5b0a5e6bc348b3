//! Lines that end in CR LF, and the numbers in them.
//!
//! Must not look beyond the longest allowed line, so that the answer does not depend on how bytes arrive.

use super::LINE_MAX;

/// The first line of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'b> {
    /// Without its end, and how many bytes it took with it.
    Whole(&'b [u8], usize),
    /// The end has not arrived.
    Incomplete,
    /// No end within [`LINE_MAX`] bytes.
    TooLong,
}

/// The line at the start of `bytes`. The byte after CR is skipped unchecked, as Redis does.
pub(super) fn line(bytes: &[u8]) -> Line<'_> {
    let searched = &bytes[..bytes.len().min(LINE_MAX + 1)];
    match searched.iter().position(|byte| *byte == b'\r') {
        Some(end) if end + 2 <= bytes.len() => Line::Whole(&bytes[..end], end + 2),
        Some(_) => Line::Incomplete,
        None if bytes.len() > LINE_MAX => Line::TooLong,
        None => Line::Incomplete,
    }
}

/// A number without sign (but minus), space or leading zero.
pub(super) fn integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let plain = match digits.first()? {
        b'0' => text.len() == 1,
        _ => digits.iter().all(u8::is_ascii_digit),
    };
    plain.then(|| std::str::from_utf8(text).ok()?.parse().ok())?
}
