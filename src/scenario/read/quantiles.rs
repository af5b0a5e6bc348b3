//! Quantiles by name, in the unit of their key.

use super::super::error::Wrong;
use super::super::shape::QuantileKeys;
use super::number::{LONGEST_MS, ranged};
use crate::plan::{Quantile, Quantiles, QuantilesError};
use std::ops::{Range, RangeInclusive};

/// The unit of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Microseconds,
    Milliseconds,
}

impl Unit {
    /// How many microseconds it is.
    pub(super) fn us(self) -> i64 {
        match self {
            Self::Microseconds => 1,
            Self::Milliseconds => 1_000,
        }
    }

    /// The largest number of it that a file may name.
    pub(super) fn most(self) -> i64 {
        LONGEST_MS * 1_000 / self.us()
    }
}

/// The distribution in microseconds. `of` is the key that holds the quantiles.
pub(super) fn quantiles(keys: &QuantileKeys, of: &str, unit: Unit) -> Result<Quantiles, Wrong> {
    scaled(keys, of, (0..=unit.most(), unit.us()))
}

/// The distribution in the unit of the key. Every value must lie in `range`.
pub(super) fn plain(keys: &QuantileKeys, of: &str, range: RangeInclusive<i64>) -> Result<Quantiles, Wrong> {
    scaled(keys, of, (range, 1))
}

fn scaled(
    keys: &QuantileKeys,
    of: &str,
    (range, unit): (RangeInclusive<i64>, i64),
) -> Result<Quantiles, Wrong> {
    let inner = [
        (100, "p10", &keys.p10),
        (250, "p25", &keys.p25),
        (500, "p50", &keys.p50),
        (750, "p75", &keys.p75),
        (900, "p90", &keys.p90),
        (950, "p95", &keys.p95),
        (990, "p99", &keys.p99),
        (999, "p99_9", &keys.p99_9),
    ];
    let inner = inner.into_iter().filter_map(|(at, key, number)| Some((at, key, number.as_ref()?)));
    let all = std::iter::once((0, "p0", &keys.p0)).chain(inner).chain([(1_000, "p100", &keys.p100)]);
    let (mut points, mut places): (Vec<Quantile>, Vec<(&str, Range<usize>)>) = Default::default();
    for (permille, key, number) in all {
        let value = ranged(number, key, range.clone())? * unit;
        points.push(Quantile { permille, value });
        places.push((key, number.span()));
    }
    Quantiles::new(points).map_err(|error| match error {
        QuantilesError::Falling { index }
        | QuantilesError::Position { index }
        | QuantilesError::Cap { index } => {
            let (key, before) = (places[index].0, places[index - 1].0);
            let message =
                format!("the quantiles of `{of}` must not fall: `{key}` is smaller than `{before}`");
            Wrong::contradiction(places[index].1.clone(), message)
        }
        QuantilesError::Ends => unreachable!("p0 and p100 are keys that must be there"),
    })
}

/// Always this.
pub(super) fn constant(value: i64) -> Quantiles {
    let point = |permille| Quantile { permille, value };
    Quantiles::new(vec![point(0), point(1_000)]).expect("two equal points within the cap never fall")
}
