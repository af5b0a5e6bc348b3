//! Numbers within their ranges, and milliseconds as spans.

use super::super::error::{InputErrorKind, Wrong};
use crate::time::Span;
use std::ops::RangeInclusive;
use toml::Spanned;

/// The longest time a file may name, in milliseconds: 30 days. Products of times, voters and retries then stay
/// far below 2^63 microseconds.
pub(super) const LONGEST_MS: i64 = 30 * 24 * 3_600 * 1_000;

/// The number, if it lies in `range`.
pub(super) fn ranged(number: &Spanned<i64>, key: &str, range: RangeInclusive<i64>) -> Result<i64, Wrong> {
    in_range(*number.get_ref(), number.span(), key, range)
}

/// As [`ranged`], for a number whose span is known apart from it.
pub(super) fn in_range(
    number: i64,
    span: std::ops::Range<usize>,
    key: &str,
    range: RangeInclusive<i64>,
) -> Result<i64, Wrong> {
    if range.contains(&number) {
        return Ok(number);
    }
    let (least, most) = range.clone().into_inner();
    let cap = if most == LONGEST_MS && key.ends_with("_ms") { " (30 days)" } else { "" };
    let message = format!("`{key}` is {number}; it must lie between {least} and {most}{cap}");
    let nearest = if number < least { least } else { most };
    Err(Wrong::new(InputErrorKind::Range, span, message).meant(nearest.to_string()))
}

/// A time in milliseconds, at least `least`.
pub(super) fn span_ms(number: &Spanned<i64>, key: &str, least: i64) -> Result<Span, Wrong> {
    ranged(number, key, least..=LONGEST_MS).map(Span::from_ms)
}

/// A time in milliseconds that may be left out.
pub(super) fn optional_ms(
    number: Option<&Spanned<i64>>,
    key: &str,
    least: i64,
) -> Result<Option<Span>, Wrong> {
    number.map(|number| span_ms(number, key, least)).transpose()
}

/// A distance in milliseconds, forward or back.
pub(super) fn distance_ms(number: &Spanned<i64>, key: &str) -> Result<Span, Wrong> {
    ranged(number, key, -LONGEST_MS..=LONGEST_MS).map(Span::from_ms)
}
