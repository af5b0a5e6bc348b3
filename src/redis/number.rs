//! Numbers as Redis reads them: strictly.
//!
//! Must not be lenient: no sign but minus, no space, no leading zero, no fraction.
//! Source: Redis 7.0.15.

use super::error::CommandError;
use crate::time::UnixMs;
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

/// A decimal number, read exactly: what a double would hold is no concern of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decimal {
    /// Beyond all integers on the negative side.
    Lowest,
    /// This integer.
    Whole(i64),
    /// Above this integer and below the next.
    Above(i64),
    /// Beyond all integers on the positive side.
    Highest,
}

/// The number that this text writes, times ten to the power of `shift`: sign, digits, fraction, exponent, or
/// `inf`. `None` for any other text, among them `nan`.
pub(super) fn decimal(text: &[u8], shift: i64) -> Option<Decimal> {
    let text = std::str::from_utf8(text).ok()?;
    let (negative, rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let beyond = if negative { Decimal::Lowest } else { Decimal::Highest };
    if rest.eq_ignore_ascii_case("inf") || rest.eq_ignore_ascii_case("infinity") {
        return Some(beyond);
    }
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    // Where the point lies, counted from the first digit.
    let point = whole.len() as i64 + i64::from(exponent) + shift;
    let significant = digits.trim_start_matches('0');
    let point = point - (digits.len() - significant.len()) as i64;
    if significant.is_empty() {
        return Some(Decimal::Whole(0));
    }
    if point > LONGEST {
        return Some(beyond);
    }
    let split = usize::try_from(point).unwrap_or(0).min(significant.len());
    let (before, behind) = if point < 0 { ("", significant) } else { significant.split_at(split) };
    let missing = usize::try_from(point).unwrap_or(0) - split;
    let size: i64 = format!("0{before}{}", "0".repeat(missing)).parse().ok()?;
    let is_whole = behind.bytes().all(|digit| digit == b'0');
    Some(match (is_whole, negative) {
        (true, false) => Decimal::Whole(size),
        (true, true) => Decimal::Whole(-size),
        (false, false) => Decimal::Above(size),
        (false, true) => Decimal::Above(-size - 1),
    })
}

/// Every integer of so many digits fits into 64 bits.
const LONGEST: i64 = 18;

/// The decimal text of an integer.
pub(super) fn text(number: i64) -> Bytes {
    Bytes::from(number.to_string())
}

/// The places from one index to another, both included, of a sequence of this length. Negative indices count from
/// the end, -1 being the last; what lies outside is cut off.
pub(super) fn range(start: i64, stop: i64, length: usize) -> std::ops::Range<usize> {
    let length = length as i64;
    let from_end = |index: i64| if index < 0 { index.saturating_add(length) } else { index };
    let (start, stop) = (from_end(start).max(0), from_end(stop).min(length - 1));
    if start > stop { 0..0 } else { start as usize..stop as usize + 1 }
}

/// The last millisecond of a wait of so many seconds, rounded up to a whole millisecond, from `now` on; `None` for 0,
/// which is for ever.
///
/// # Errors
/// No number; a negative one; beyond 64 bits from now.
pub(super) fn timeout(text: &[u8], now: UnixMs) -> Result<Option<UnixMs>, CommandError> {
    let ms = match decimal(text, 3).ok_or(CommandError::TimeoutNotAFloat)? {
        Decimal::Whole(ms) => ms,
        Decimal::Above(ms) => ms + 1,
        Decimal::Lowest | Decimal::Highest => return Err(CommandError::TimeoutOutOfRange),
    };
    if ms < 0 {
        return Err(CommandError::TimeoutNegative);
    }
    let until = now.0.checked_add(ms).ok_or(CommandError::TimeoutOutOfRange)?;
    Ok((ms > 0).then_some(UnixMs(until)))
}
