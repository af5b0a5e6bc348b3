//! Numbers within their ranges, and milliseconds as spans.

use super::super::error::{InputErrorKind, Wrong};
use crate::time::Span;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;

/// The longest time a file may name, in milliseconds: 30 days. Products of times, voters and retries then stay
/// far below 2^63 microseconds.
pub(super) const LONGEST_MS: i64 = 30 * 24 * 3_600 * 1_000;

/// The number, if it lies in `range`.
pub(crate) fn ranged(number: &Spanned<i64>, key: &str, range: RangeInclusive<i64>) -> Result<i64, Wrong> {
    in_range(*number.get_ref(), number.span(), key, range)
}

/// As [`ranged`], for a number whose span is known apart from it.
pub(super) fn in_range(
    number: i64,
    span: Range<usize>,
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

/// A time that may be written in milliseconds or in microseconds, under one of two keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaled<'a> {
    /// Under the first key.
    pub(super) ms: Option<&'a Spanned<i64>>,
    /// Under the second key.
    pub(super) us: Option<&'a Spanned<i64>>,
    /// The two keys.
    pub(super) keys: [&'static str; 2],
}

impl Scaled<'_> {
    /// The key that was used; the first if none was.
    pub(super) fn key(&self) -> &'static str {
        self.keys[usize::from(self.ms.is_none() && self.us.is_some())]
    }

    /// The time and its place, at least `least` in the unit that was used; `None` if it was left out.
    pub(super) fn span(&self, least: i64) -> Result<Option<(Span, Range<usize>)>, Wrong> {
        let [ms_key, us_key] = self.keys;
        let most_us = LONGEST_MS * 1_000;
        let least_us = if least < 0 { least * 1_000 } else { least };
        match (self.ms, self.us) {
            (Some(_), Some(us)) => {
                let message = format!("`{ms_key}` and `{us_key}` are both set; keep one of them");
                Err(Wrong::contradiction(us.span(), message))
            }
            (Some(ms), None) => Ok(Some((Span::from_ms(ranged(ms, ms_key, least..=LONGEST_MS)?), ms.span()))),
            (None, Some(us)) => Ok(Some((Span(ranged(us, us_key, least_us..=most_us)?), us.span()))),
            (None, None) => Ok(None),
        }
    }

    /// As [`Self::span`], but it must not be left out of the entry at `entry`.
    pub(super) fn needed(&self, least: i64, entry: &Range<usize>) -> Result<(Span, Range<usize>), Wrong> {
        self.span(least)?.ok_or_else(|| {
            let message = format!("missing key `{}`", self.keys[0]);
            Wrong::new(InputErrorKind::MissingKey, entry.clone(), message)
        })
    }
}

/// A distance in milliseconds, forward or back.
pub(super) fn distance_ms(number: &Spanned<i64>, key: &str) -> Result<Span, Wrong> {
    ranged(number, key, -LONGEST_MS..=LONGEST_MS).map(Span::from_ms)
}

/// How many runs there shall be.
pub(in crate::scenario) fn ranged_count(number: &Spanned<i64>, key: &str) -> Result<u64, Wrong> {
    ranged(number, key, 1..=1_000_000_000).map(i64::unsigned_abs)
}
