//! A distribution as a few quantiles with straight lines between them, in integers.
//!
//! Must not draw anything: whoever has a uniform fraction asks for the value at it. Lines are kept as slopes in
//! 64 binary digits, so that a look-up is one multiplication and equal on every machine.

/// A distribution.
///
/// **Units** those of the values given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quantiles {
    points: Vec<Quantile>,
    lines: Vec<Line>,
}

/// One quantile: `permille` of all draws are below `value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantile {
    /// The position, `0..=1000`.
    pub permille: u16,
    /// The value there.
    pub value: i64,
}

/// The straight line from one quantile to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Line {
    /// Where it begins, as a fraction of 2^64.
    start: u64,
    /// The value there.
    value: i64,
    /// Rise of the value over the whole range of fractions, in 2^-64 of it, rounded down.
    slope: u64,
}

/// Why quantiles are no distribution. `index` counts the given points from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantilesError {
    /// Position 0 or position 1000 is missing.
    #[error("the smallest and the largest value (p0 and p100) are both needed")]
    Ends,
    /// A position does not come after the one before it.
    #[error("positions must rise")]
    Position {
        /// Which point.
        index: usize,
    },
    /// A value lies below the one before it.
    #[error("values must not fall from one quantile to the next")]
    Falling {
        /// Which point.
        index: usize,
    },
    /// A value is beyond the cap.
    #[error("values must lie within 2^52 of zero")]
    Cap {
        /// Which point.
        index: usize,
    },
}

impl Quantiles {
    /// Values lie within this distance of zero.
    pub const CAP: i64 = 1 << 52;

    /// A distribution through these points.
    ///
    /// **Shape** positions rise strictly from 0 to 1000; values never fall.
    ///
    /// # Errors
    /// The first point that breaks this.
    pub fn new(points: Vec<Quantile>) -> Result<Self, QuantilesError> {
        let ends = (points.first().map(|p| p.permille), points.last().map(|p| p.permille));
        if ends != (Some(0), Some(1_000)) || points.len() < 2 {
            return Err(QuantilesError::Ends);
        }
        if let Some(index) = points.iter().position(|point| point.value.unsigned_abs() > Self::CAP as u64) {
            return Err(QuantilesError::Cap { index });
        }
        for (before, pair) in points.windows(2).enumerate() {
            let index = before + 1;
            if pair[1].permille <= pair[0].permille {
                return Err(QuantilesError::Position { index });
            }
            if pair[1].value < pair[0].value {
                return Err(QuantilesError::Falling { index });
            }
        }
        let lines = points.windows(2).map(|pair| Line::between(pair[0], pair[1])).collect();
        Ok(Self { points, lines })
    }

    /// The points it goes through, from the smallest.
    pub fn points(&self) -> &[Quantile] {
        &self.points
    }

    /// The smallest value.
    pub fn min(&self) -> i64 {
        self.points[0].value
    }

    /// The largest value.
    pub fn max(&self) -> i64 {
        self.points[self.points.len() - 1].value
    }

    /// The value at `fraction` of 2^64; never falls when the fraction rises.
    ///
    /// **Rounding** down, at most 1 below the exact line rounded down. The largest value itself is reached only
    /// where the last quantiles are equal, because a fraction is always less than 1.
    pub fn at(&self, fraction: u64) -> i64 {
        let after = self.lines.partition_point(|line| line.start <= fraction);
        let line = self.lines[after - 1];
        let run = u128::from(fraction - line.start);
        line.value + ((run * u128::from(line.slope)) >> 64) as i64
    }
}

impl Line {
    fn between(from: Quantile, to: Quantile) -> Self {
        let start = fraction_of(from.permille);
        let run = fraction_of(to.permille) - start;
        let rise = u128::from((to.value - from.value).unsigned_abs());
        // Rise is at most 2^53 and run at least 2^64 / 1000 - 1 > 2^54: the slope fits 64 bits.
        let slope = u64::try_from((rise << 64) / run).expect("the cap keeps every slope below 1");
        let start = u64::try_from(start).expect("only the last position is a whole");
        Self { start, value: from.value, slope }
    }
}

/// The smallest fraction of 2^64 at or above this position.
fn fraction_of(permille: u16) -> u128 {
    (u128::from(permille) << 64).div_ceil(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(points: &[(u16, i64)]) -> Result<Quantiles, QuantilesError> {
        Quantiles::new(
            points.iter().map(|(permille, value)| Quantile { permille: *permille, value: *value }).collect(),
        )
    }

    fn any_quantiles() -> impl Strategy<Value = Quantiles> {
        let inner = proptest::collection::btree_set(1_u16..1_000, 0..6);
        (inner, proptest::collection::vec(-Quantiles::CAP..=Quantiles::CAP, 8)).prop_map(
            |(inner, mut values)| {
                values.sort_unstable();
                let places = std::iter::once(0).chain(inner).chain([1_000]);
                of(&places.zip(values).collect::<Vec<_>>()).unwrap()
            },
        )
    }

    #[test]
    fn what_is_no_distribution_is_refused() {
        assert_eq!(of(&[]), Err(QuantilesError::Ends));
        assert_eq!(of(&[(0, 1)]), Err(QuantilesError::Ends));
        assert_eq!(of(&[(0, 1), (990, 2)]), Err(QuantilesError::Ends));
        assert_eq!(of(&[(0, 1), (500, 2), (500, 3), (1_000, 4)]), Err(QuantilesError::Position { index: 2 }));
        assert_eq!(of(&[(0, 1), (500, 3), (1_000, 2)]), Err(QuantilesError::Falling { index: 2 }));
        assert_eq!(of(&[(0, 1), (1_000, i64::MAX)]), Err(QuantilesError::Cap { index: 1 }));
    }

    #[test]
    fn points_and_middles_of_lines() {
        let latency = of(&[(0, 200), (500, 500), (990, 2_000), (1_000, 5_000)]).unwrap();
        assert_eq!(latency.at(0), 200);
        assert_eq!(latency.at(1 << 62), 350);
        assert_eq!(latency.at(1 << 63), 500);
        assert_eq!(latency.at(u64::MAX), 4_999);
        assert_eq!((latency.min(), latency.max()), (200, 5_000));
    }

    proptest! {
        #[test]
        fn never_falls_and_stays_inside(quantiles in any_quantiles(), a: u64, b: u64) {
            let (low, high) = (a.min(b), a.max(b));
            prop_assert!(quantiles.at(low) <= quantiles.at(high));
            prop_assert!(quantiles.min() <= quantiles.at(low) && quantiles.at(high) <= quantiles.max());
        }

        #[test]
        fn close_to_the_exact_line(quantiles in any_quantiles(), fraction: u64) {
            let places = quantiles.points().windows(2);
            let pair = places
                .rev()
                .find(|pair| fraction_of(pair[0].permille) <= u128::from(fraction))
                .unwrap();
            // (value1 - value0) * (fraction - start) / run, in tens of bits less than 128.
            let start = fraction_of(pair[0].permille);
            let run = fraction_of(pair[1].permille) - start;
            let (rise, along) = ((pair[1].value - pair[0].value) as u128, u128::from(fraction) - start);
            let exact = pair[0].value + (rise * along / run) as i64;
            let value = quantiles.at(fraction);
            prop_assert!(value == exact || value == exact - 1, "{value} for {exact}");
        }
    }
}
