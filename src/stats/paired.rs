//! Two that faced the same plans: only the plans on which they differ say which is worse.
//!
//! Must not be given plans on which one of the two did not exercise the oracle.

use super::Ratio;
use super::binomial::at_least;

/// The discordant pairs of two rows, and how surprising they are.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Paired {
    /// Plans that only the first row failed.
    pub first_only: u64,
    /// Plans that only the second row failed.
    pub second_only: u64,
    /// The chance of a split at least as uneven if both were equally likely to fail; 1 without discordant pairs.
    pub p: Ratio,
}

/// McNemar's test, exact and two-sided: given how many pairs are discordant, the split is binomial with
/// probability 1/2, and twice the smaller tail is its chance, at most 1.
///
/// The observed split counts fully. The mid-p variant, which counts it by half, is smaller and does not keep its
/// promise of at most 5 % false alarms in every case; it is not used.
///
/// **Source** McNemar 1947, Note on the sampling error of the difference between correlated proportions,
/// Psychometrika 12; Fagerland, Lydersen and Laake 2013, The McNemar test for binary matched-pairs data: mid-p and
/// asymptotic are better than exact conditional, BMC Medical Research Methodology 13, for the choice.
pub fn mcnemar(first_only: u64, second_only: u64) -> Paired {
    // At probability 1/2 both tails weigh the same.
    let tail = at_least(first_only.max(second_only), first_only + second_only, 0.5);
    Paired { first_only, second_only, p: Ratio::new((2.0 * tail).min(1.0)) }
}
