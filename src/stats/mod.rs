//! What counts come to: intervals, tests, resampling, percentiles.
//!
//! The only module with floats; nothing that a run or a verdict depends on comes from here. It takes counts and
//! gives back [`Ratio`]s, which know how they are written, so that nobody else handles a float. It knows no
//! oracle and no run, and is deterministic: resampling draws from a stream with a pinned key, by integers.
//! `interval.rs` is exact, from the tails in `binomial.rs`, `bootstrap.rs` approximate, `paired.rs` compares two that faced the same plans,
//! `clusters.rs` and `histogram.rs` are the integer counts that they start from.

mod binomial;
mod bootstrap;
mod clusters;
mod histogram;
mod interval;
mod paired;
mod ratio;

pub use bootstrap::{RESAMPLES, bootstrap};
pub use clusters::{Cluster, Clusters};
pub use histogram::Histogram;
pub use interval::{Interval, clopper_pearson, negative_binomial};
pub use paired::{Paired, mcnemar};
pub use ratio::Ratio;
