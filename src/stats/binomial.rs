//! The upper tail of a binomial distribution, to 10 digits for any number of trials.
//!
//! The tail is a regularized incomplete beta function: a factor in front of a continued fraction. Written with
//! logarithms of factorials the factor loses a digit with every tenfold of trials; as a probability around the
//! expected count, by the distance from Stirling's formula, it loses none. Must not know what is counted.
//!
//! **Source** Loader 2000, Fast and accurate computation of binomial probabilities; NIST Digital Library of
//! Mathematical Functions, 8.17.22 for the continued fraction; Lentz 1976, Applied Optics 15, for its evaluation.

use std::f64::consts::TAU;

/// The chance of at least `hits` in `trials`, each with the probability `p`.
pub(super) fn at_least(hits: u64, trials: u64, p: f64) -> f64 {
    if hits == 0 {
        return 1.0;
    }
    if p <= 0.0 || p >= 1.0 {
        return if p >= 1.0 { 1.0 } else { 0.0 };
    }
    let (a, b) = (hits as f64, (trials - hits + 1) as f64);
    let front = exactly(hits, trials, p) * (1.0 - p);
    // The fraction converges fast below the mean of the beta distribution, and beyond it from the other side.
    if p < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, p)
    } else {
        1.0 - front * (a / b) * fraction(b, a, 1.0 - p)
    }
}

/// The chance of exactly so many.
fn exactly(hits: u64, trials: u64, p: f64) -> f64 {
    let (k, n) = (hits as f64, trials as f64);
    if hits == 0 {
        return (n * (-p).ln_1p()).exp();
    }
    if hits == trials {
        return (n * p.ln()).exp();
    }
    let rest = n - k;
    let stirling = beyond_stirling(n) - beyond_stirling(k) - beyond_stirling(rest);
    let deviance = deviance(k, n * p) + deviance(rest, n * (1.0 - p));
    (stirling - deviance).exp() * (n / (TAU * k * rest)).sqrt()
}

/// By how much the logarithm of `n!` exceeds Stirling's formula.
fn beyond_stirling(n: f64) -> f64 {
    if n < 16.0 {
        let factorial: f64 = (2..=n as u64).map(|factor| factor as f64).product();
        return factorial.ln() - (n + 0.5) * n.ln() + n - TAU.sqrt().ln();
    }
    let square = n * n;
    let terms = [1.0 / 1_188.0, -1.0 / 1_680.0, 1.0 / 1_260.0, -1.0 / 360.0, 1.0 / 12.0];
    terms.iter().fold(0.0, |sum, term| sum / square + term) / n
}

/// `x ln(x / mean) + mean - x`, without cancellation where the two are close.
fn deviance(x: f64, mean: f64) -> f64 {
    if (x - mean).abs() >= 0.1 * (x + mean) {
        return x * (x / mean).ln() + mean - x;
    }
    let v = (x - mean) / (x + mean);
    let mut sum = (x - mean) * v;
    let mut power = 2.0 * x * v;
    for odd in (3..).step_by(2) {
        power *= v * v;
        let next = sum + power / f64::from(odd);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// The continued fraction of the incomplete beta function, without the factor in front.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let nonzero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut above, mut below, mut value) = (1.0, 0.0, 1.0);
    for step in 1..=STEPS {
        let m = f64::from(step / 2);
        let term = if step % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        below = 1.0 / nonzero(1.0 + term * below);
        above = nonzero(1.0 + term / above);
        let change = above * below;
        value *= change;
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    1.0 / value
}

/// Stands for 0 where one would be divided by.
const TINY: f64 = 1e-300;

/// About ten times the root of as many trials as anybody will run.
const STEPS: u32 = 1_000_000;
