//! Runs as clusters: how many had how much of something, and how much of it went wrong.
//!
//! Grants of one run share its plan and its seed, so a figure per grant is a ratio over whole runs. As counts
//! of equal runs, memory does not grow with their number. Must not hold floats.

use std::collections::BTreeMap;

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cluster {
    /// What is divided by: grants, or calls.
    pub whole: u64,
    /// What is divided: violations, or calls that were granted.
    pub part: u64,
}

/// How often each cluster came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Clusters(BTreeMap<Cluster, u64>);

impl Clusters {
    /// None yet.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Takes one more run.
    pub fn push(&mut self, cluster: Cluster) {
        *self.0.entry(cluster).or_insert(0) += 1;
    }

    /// Takes all of another's.
    pub fn merge(&mut self, other: &Self) {
        for (cluster, count) in &other.0 {
            *self.0.entry(*cluster).or_insert(0) += count;
        }
    }

    /// The different clusters and how often each came, by size.
    pub fn counts(&self) -> impl Iterator<Item = (Cluster, u64)> + '_ {
        self.0.iter().map(|(cluster, count)| (*cluster, *count))
    }

    /// How many runs there were.
    pub fn runs(&self) -> u64 {
        self.0.values().sum()
    }

    /// The sums over all runs.
    pub fn total(&self) -> Cluster {
        self.counts().fold(Cluster { whole: 0, part: 0 }, |sum, (cluster, count)| Cluster {
            whole: sum.whole + cluster.whole * count,
            part: sum.part + cluster.part * count,
        })
    }
}
