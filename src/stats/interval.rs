//! Exact two-sided 95 % intervals for the probability behind a count.
//!
//! Both invert the tails of a binomial distribution, 2.5 % on each side, so they cover the true probability in at
//! least 95 of 100 experiments, whatever it is. Must not be used for figures per grant: grants of one run are not
//! independent.
//!
//! Tails are monotone in the probability, so bounds are found by bisection, because ready-made inverses trade
//! accuracy at the edges for speed. They are right to 10 significant digits; reports show 6.

use super::Ratio;
use super::binomial::at_least;

/// A range, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Interval {
    /// Its lower end.
    pub low: Ratio,
    /// Its upper end.
    pub high: Ratio,
}

/// How much probability may lie beyond each end.
const TAIL: f64 = 0.025;

/// The interval for the probability of what came `hits` times in `trials`, where `trials` was fixed before.
///
/// `None` without trials: nothing is known. 0 hits have the lower end 0, as many hits as trials the upper end 1.
///
/// # Panics
/// More hits than trials.
///
/// **Source** Clopper and Pearson 1934, The use of confidence or fiducial limits illustrated in the case of the
/// binomial, Biometrika 26.
pub fn clopper_pearson(hits: u64, trials: u64) -> Option<Interval> {
    assert!(hits <= trials, "{hits} hits in {trials} trials");
    (trials > 0).then(|| Interval { low: lower(hits, trials), high: upper(hits, trials) })
}

/// The interval for the probability of what came for the `hits`-th time in trial number `trials`, where `hits`
/// was fixed before and trials went on until then.
///
/// The lower end is that of [`clopper_pearson`]; the upper one is that of `hits - 1` in `trials - 1`, because the
/// last trial is a hit by the rule of stopping. `None` without trials or hits.
///
/// # Panics
/// More hits than trials.
///
/// **Source** Lui 1995, Confidence limits for the population prevalence rate based on the negative binomial
/// distribution, Statistics in Medicine 14.
pub fn negative_binomial(hits: u64, trials: u64) -> Option<Interval> {
    assert!(hits <= trials, "{hits} hits in {trials} trials");
    (hits > 0).then(|| Interval {
        low: lower(hits, trials),
        high: if trials > hits { upper(hits - 1, trials - 1) } else { Ratio::ONE },
    })
}

/// The probability at which so many hits or more have a chance of [`TAIL`].
fn lower(hits: u64, trials: u64) -> Ratio {
    if hits == 0 {
        return Ratio::ZERO;
    }
    Ratio::new(root(|p| at_least(hits, trials, p) < TAIL))
}

/// The probability at which so many hits or fewer have a chance of [`TAIL`].
fn upper(hits: u64, trials: u64) -> Ratio {
    if hits == trials {
        return Ratio::ONE;
    }
    Ratio::new(root(|p| at_least(hits + 1, trials, p) < 1.0 - TAIL))
}

/// Where a condition that holds from 0 on ceases to hold, as exactly as a float can tell.
fn root(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    loop {
        // Halving the ratio instead of the difference reaches small probabilities with all their digits.
        let middle =
            if low == 0.0 && high > 1e-300 && high < 1e-3 { high / 16.0 } else { (low + high) / 2.0 };
        if middle <= low || middle >= high || high - low <= high * 4.0 * f64::EPSILON {
            return (low + high) / 2.0;
        }
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
}
