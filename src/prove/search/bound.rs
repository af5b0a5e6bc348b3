//! How unlikely it is that the search took two different states for one.
//!
//! Must not be left out where a search ends with "held".

use std::fmt;

/// The chance that any two of the states met share a fingerprint is below one in two to the power of this.
///
/// **Shape** n states make n(n-1)/2 pairs, each with a chance of 2^-64 if the hash is as good as chance; n² / 2^65 is
/// rounded up to a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CollisionBound {
    /// The exponent, 1 to 65.
    pub bits: u32,
}

impl CollisionBound {
    /// The bound for so many states.
    pub const fn of(states: u32) -> Self {
        let pairs = states as u128 * states as u128;
        // The least power of two that is not below n² has this exponent.
        let above = match pairs.checked_sub(1) {
            None | Some(0) => 0,
            Some(less) => 128 - less.leading_zeros(),
        };
        Self { bits: 65 - above }
    }
}

impl fmt::Display for CollisionBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "below 1 in 2^{}", self.bits)
    }
}
