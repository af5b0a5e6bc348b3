//! An approximate 95 % interval for a ratio over clusters, by resampling whole runs.
//!
//! As many runs are drawn with replacement as there are, their ratio is taken, and the middle 95 % of
//! [`RESAMPLES`] such ratios is the interval (percentile method). It says how much the figure would move with
//! other runs; with few runs or few violations it is too narrow. Wherever it is printed it is called approximate.
//!
//! All draws are integers: how many of *n* runs fall on one kind of cluster is binomial, and is found by comparing
//! *n* uniform numbers with the kind's share bit by bit, where only the count of undecided ones has to be kept.
//!
//! **Source** Efron 1979, Bootstrap methods: another look at the jackknife, Annals of Statistics 7; Field and
//! Welsh 2007, Bootstrapping clustered data, Journal of the Royal Statistical Society B 69.

use super::clusters::{Cluster, Clusters};
use super::{Interval, Ratio};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// How often the runs are drawn again. One less than a multiple of 40, so that the ends are order statistics.
pub const RESAMPLES: usize = 1_999;

/// The key of the stream: fixed, so that the same counts give the same interval everywhere.
const KEY: [u8; 32] = *b"fencepost: cluster bootstrap v1.";

/// The interval of the sum of parts per sum of wholes. `stream` keeps figures of one table independent.
///
/// `None` where resampling has nothing to say: fewer than two runs, no part at all, or only resamples without a
/// whole. Resamples without a whole are left out.
pub fn bootstrap(clusters: &Clusters, stream: u64) -> Option<Interval> {
    let (runs, total) = (clusters.runs(), clusters.total());
    if runs < 2 || total.part == 0 || total.whole == 0 {
        return None;
    }
    // The most common kind first: fewer draws are left for the others.
    let mut kinds: Vec<(Cluster, u64)> = clusters.counts().collect();
    kinds.sort_by_key(|(cluster, count)| (std::cmp::Reverse(*count), *cluster));
    let mut rng = ChaCha8Rng::from_seed(KEY);
    rng.set_stream(stream);
    let drawn = (0..RESAMPLES).map(|_| resample(&kinds, runs, &mut rng));
    let mut ratios: Vec<Cluster> = drawn.filter(|sum| sum.whole > 0).collect();
    ratios.sort_by(|one, other| cross(one, other).cmp(&cross(other, one)));
    let ends = (ratios.len() + 1) / 40;
    let (low, high) = (ratios.get(ends.checked_sub(1)?)?, ratios.get(ratios.len() - ends)?);
    let ratio = |sum: &Cluster| Ratio::of(sum.part, sum.whole);
    Some(Interval { low: ratio(low)?, high: ratio(high)? })
}

/// One ratio is smaller than another if its part times the other's whole is.
fn cross(one: &Cluster, other: &Cluster) -> u128 {
    u128::from(one.part) * u128::from(other.whole)
}

/// The sums over as many runs as there are, drawn with replacement.
fn resample(kinds: &[(Cluster, u64)], runs: u64, rng: &mut ChaCha8Rng) -> Cluster {
    let (mut to_draw, mut of) = (runs, runs);
    let mut sum = Cluster { whole: 0, part: 0 };
    for (cluster, count) in kinds {
        let times = binomial(to_draw, *count, of, rng);
        sum.whole += cluster.whole * times;
        sum.part += cluster.part * times;
        to_draw -= times;
        of -= count;
    }
    sum
}

/// How many of `trials` succeed, each with the probability `count` of `of`.
fn binomial(trials: u64, count: u64, of: u64, rng: &mut ChaCha8Rng) -> u64 {
    if count == of {
        return trials;
    }
    let (mut undecided, mut below, mut rest) = (trials, 0, count);
    // The binary digits of count / of, by long division. A uniform number is below it if it first differs where
    // its own digit is 0 and the other 1.
    while undecided > 0 && rest > 0 {
        rest *= 2;
        let ones = heads(undecided, rng);
        if rest >= of {
            rest -= of;
            below += undecided - ones;
            undecided = ones;
        } else {
            undecided -= ones;
        }
    }
    below
}

/// How many of so many fair coins show heads.
fn heads(coins: u64, rng: &mut ChaCha8Rng) -> u64 {
    let whole: u64 = (0..coins / 64).map(|_| u64::from(rng.next_u64().count_ones())).sum();
    let left = coins % 64;
    let last = if left == 0 { 0 } else { u64::from((rng.next_u64() >> (64 - left)).count_ones()) };
    whole + last
}
