//! A number that is not an integer, and how it is written.
//!
//! Must not decide what is divided by what.

use serde::{Serialize, Serializer};
use std::fmt;

/// One count per another, or a bound of such a figure. Never negative and never NaN.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Ratio(f64);

impl Ratio {
    /// Nothing of something.
    pub const ZERO: Self = Self(0.0);
    /// All of something.
    pub const ONE: Self = Self(1.0);

    /// `part` per `whole`; `None` per nothing.
    pub fn of(part: u64, whole: u64) -> Option<Self> {
        (whole > 0).then(|| Self(part as f64 / whole as f64))
    }

    pub(super) fn new(value: f64) -> Self {
        assert!(value >= 0.0, "a ratio of counts is {value}");
        Self(value)
    }

    /// The number itself.
    pub fn value(self) -> f64 {
        self.0
    }

    /// As a percentage with three significant digits, of its distance from 100 % where that is smaller: `0 %`,
    /// `0.0123 %`, `47.1 %`, `99.9877 %`, `100 %`. Rounded to nearest.
    pub fn percent(self) -> String {
        let percent = self.0 * 100.0;
        let distance = (100.0 - percent).abs();
        let telling = if distance > 0.0 { percent.min(distance) } else { percent };
        if percent == 0.0 || distance == 0.0 {
            return format!("{percent:.0} %");
        }
        format!("{percent:.*} %", decimals(telling))
    }

    /// As a plain number with three significant digits: `0`, `0.0123`, `4.00`. Rounded to nearest.
    pub fn plain(self) -> String {
        if self.0 == 0.0 { "0".to_owned() } else { format!("{:.*}", decimals(self.0), self.0) }
    }
}

/// How many decimals show three significant digits, at most 15.
fn decimals(value: f64) -> usize {
    let mut decimals = 2;
    let mut shown = value;
    while shown < 1.0 && decimals < 15 {
        shown *= 10.0;
        decimals += 1;
    }
    while shown >= 10.0 && decimals > 0 {
        shown /= 10.0;
        decimals -= 1;
    }
    decimals
}

/// As [`Ratio::plain`].
impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.plain())
    }
}

/// As a number with six significant digits, so that two machines whose logarithms differ in the last bit write
/// the same.
impl Serialize for Ratio {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let short: f64 = format!("{:.5e}", self.0).parse().expect("a number just written");
        serializer.serialize_f64(short)
    }
}
