//! The generator behind `math.random`: Redis carries its own 48-bit linear congruential one, so that every
//! platform draws the same numbers.
//!
//! Seeded once per process, not per script, which makes its state part of the server. Source: Redis 7.0.15;
//! parameters of the POSIX `drand48` family.

/// The generator's 48-bit state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::redis) struct Random(u64);

impl Random {
    /// The state of a process that has just started: Redis 7.0.15 does not seed it, so that it is the family's
    /// own first state (the first three of `math.random(1000000)` are 396465, 840486, 353337).
    pub(in crate::redis) const AT_START: Self = Self::seeded(0x1234_ABCD);

    /// The state after `math.randomseed`: the low 32 bits of the seed count.
    pub(super) const fn seeded(seed: i32) -> Self {
        Self(((seed as u32 as u64) << 16) | LOW_WORD)
    }

    /// The next 31-bit number.
    pub(super) const fn draw(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(FACTOR).wrapping_add(ADDEND) & MASK;
        (self.0 >> 17) as u32
    }
}

const FACTOR: u64 = 0x5_DEEC_E66D;
const ADDEND: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;
const LOW_WORD: u64 = 0x330E;
