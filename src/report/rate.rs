//! A rate with its interval, from the counts of many runs.
//!
//! The share is that of violating runs among those that exercised the oracle, with an exact interval; the figure
//! per grant has an approximate one. Must not mix the two, and must not write a rate without its counts.

use crate::check::OracleName;
use crate::sim::OracleTally;
use crate::stats::{Interval, Ratio, bootstrap, clopper_pearson, negative_binomial};
use serde::Serialize;

/// By which rule runs ended up in a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// The number of runs was fixed before, or cut by something that has nothing to do with their outcome: the
    /// interval is Clopper and Pearson's.
    Fixed,
    /// Runs went on until this count of violations was reached: the interval is that of the negative binomial.
    UntilThis,
    /// Runs went on until another count was reached: Clopper and Pearson's interval is only approximate.
    UntilOther,
    /// Each run had some of the hazards of a profile only, so the runs are no sample of it: there is no rate.
    Swarm,
}

/// One oracle's figures over many runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// Runs in which it applies.
    pub runs: u64,
    /// Runs that exercised it.
    pub exercised: u64,
    /// Grants of all runs in which it applies.
    pub grants: u64,
    /// Runs that violated it.
    pub violations: u64,
    /// Violating runs among those that exercised it; none exercised it: `None`.
    pub rate: Option<Ratio>,
    /// The two-sided 95 % interval of `rate`.
    pub interval: Option<Interval>,
    /// Which interval it is.
    pub sampling: Sampling,
    /// Violating runs per grant; without grants: `None`.
    pub per_grant: Option<Ratio>,
    /// Its approximate 95 % interval; `None` without a violation, because resampling cannot see what never came.
    pub per_grant_approximate: Option<Interval>,
}

impl Rate {
    /// The figures of an oracle.
    pub fn of(oracle: OracleName, tally: &OracleTally, sampling: Sampling) -> Self {
        let total = tally.per_grant.total();
        let sampled = sampling != Sampling::Swarm;
        Self {
            runs: tally.runs,
            exercised: tally.exercised,
            grants: total.whole,
            violations: tally.violated,
            rate: Ratio::of(tally.violated, tally.exercised).filter(|_| sampled),
            interval: interval(tally.violated, tally.exercised, sampling),
            sampling,
            per_grant: Ratio::of(total.part, total.whole).filter(|_| sampled),
            per_grant_approximate: bootstrap(&tally.per_grant, oracle as u64).filter(|_| sampled),
        }
    }
}

/// The interval of so many hits in so many trials under this rule.
pub(super) fn interval(hits: u64, trials: u64, sampling: Sampling) -> Option<Interval> {
    match sampling {
        Sampling::Fixed | Sampling::UntilOther => clopper_pearson(hits, trials),
        Sampling::UntilThis => negative_binomial(hits, trials),
        Sampling::Swarm => None,
    }
}
