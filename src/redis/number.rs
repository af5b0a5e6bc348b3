//! Numbers as Redis reads them: strictly.
//!
//! Must not be lenient: no sign but minus, no space, no leading zero, no fraction.
//! Source: Redis 7.0.15.

use super::error::CommandError;
use bytes::Bytes;

/// The 64-bit integer that this text writes in the one way Redis accepts.
///
/// # Errors
/// [`CommandError::NotAnInteger`] for any other text.
pub(super) fn integer(text: &[u8]) -> Result<i64, CommandError> {
    strict(text).ok_or(CommandError::NotAnInteger)
}

/// As [`integer`], without saying what the number was for.
pub(super) fn strict(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let plain = match digits.first()? {
        b'0' => text.len() == 1,
        b'1'..=b'9' => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    // `parse` refuses what does not fit; the text was checked to be ASCII.
    plain.then(|| std::str::from_utf8(text).ok()?.parse().ok())?
}

/// The decimal text of an integer.
pub(super) fn text(number: i64) -> Bytes {
    Bytes::from(number.to_string())
}
