//! Many integers in bounded memory: exact below 2 048, else one bucket per 1/1 024 of a power of two.
//!
//! Must not hold floats: it is filled during runs and its percentiles are printed in reports that are compared
//! byte for byte.

use std::collections::BTreeMap;

/// A count per bucket. At most 56 320 buckets, however many values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Histogram {
    counts: BTreeMap<u32, u64>,
    total: u64,
}

/// A bucket holds so many of the leading bits of its values.
const BITS: u32 = 10;

impl Histogram {
    /// Empty.
    pub const fn new() -> Self {
        Self { counts: BTreeMap::new(), total: 0 }
    }

    /// Takes one more value.
    pub fn push(&mut self, value: u64) {
        *self.counts.entry(bucket(value)).or_insert(0) += 1;
        self.total += 1;
    }

    /// Takes all of another's.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, count) in &other.counts {
            *self.counts.entry(*bucket).or_insert(0) += count;
        }
        self.total += other.total;
    }

    /// How many values it took.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The smallest value that at least `permille` of 1 000 of all values do not exceed (nearest rank); 0 is the
    /// smallest of all, 1 000 the largest. `None` if there are no values.
    ///
    /// **Rounding** up to the largest value of its bucket, by less than 1/1 024 of it.
    ///
    /// # Panics
    /// `permille` above 1 000.
    pub fn percentile(&self, permille: u32) -> Option<u64> {
        assert!(permille <= 1_000, "{permille} of 1000");
        let rank = (u128::from(self.total) * u128::from(permille)).div_ceil(1_000).max(1);
        let mut passed = 0_u128;
        let reached = self.counts.iter().find(|(_, count)| {
            passed += u128::from(**count);
            passed >= rank
        });
        reached.map(|(bucket, _)| largest(*bucket))
    }
}

/// Values with the same leading bits share a bucket; the order of buckets is that of their values.
fn bucket(value: u64) -> u32 {
    let shift = (u64::BITS - value.leading_zeros()).saturating_sub(BITS + 1);
    (shift << BITS) + (value >> shift) as u32
}

/// The largest value of a bucket.
fn largest(bucket: u32) -> u64 {
    let shift = (bucket >> BITS).saturating_sub(1);
    let leading = u64::from(bucket - (shift << BITS));
    (leading << shift) | ((1 << shift) - 1)
}
