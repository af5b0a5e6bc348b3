//! When a client learns of a promotion: a time, or one of two words.

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// `learn_ms = 500`, `"soon"` or `"never"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum Learning {
    /// So many milliseconds after the promotion; any integer.
    After(i64),
    /// One latency after it.
    Soon,
    /// Not at all.
    Never,
}

impl<'de> Deserialize<'de> for Learning {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LearningVisitor)
    }
}

struct LearningVisitor;

impl Visitor<'_> for LearningVisitor {
    type Value = Learning;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a time, \"soon\" or \"never\"")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Learning, E> {
        Ok(Learning::After(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Learning, E> {
        match text {
            "soon" => Ok(Learning::Soon),
            "never" => Ok(Learning::Never),
            _ => Err(E::unknown_variant(text, &["soon", "never"])),
        }
    }
}
