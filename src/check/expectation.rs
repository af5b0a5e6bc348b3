//! What a file expects of a run: oracles by name, witnesses by count.

use super::oracle::{Expected, OracleName};
use super::witness::WitnessName;
use std::collections::BTreeMap;

/// The table `[expect]`. The oracles named are exactly those that are judged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expectation {
    /// How each named oracle shall end.
    pub oracles: BTreeMap<OracleName, Expected>,
    /// How often each named witness shall be observed.
    pub witnesses: BTreeMap<WitnessName, CountRange>,
}

/// How often something shall be observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountRange {
    /// At least this often.
    pub min: u64,
    /// At most this often; `None` is no limit.
    pub max: Option<u64>,
}

impl CountRange {
    /// Exactly this often.
    pub const fn exactly(count: u64) -> Self {
        Self { min: count, max: Some(count) }
    }
}
