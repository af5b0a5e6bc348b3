//! Sixty-four bits that stand for a state.
//!
//! xxh3-64 over the bytes that the state's `Hash` writes: numbers little-endian, `usize` as 64 bits, so that the
//! fingerprint is the same on every machine of that byte order, in every process. (Slices of numbers are written as
//! they lie in memory.) A state writes hundreds of small pieces; collecting them and hashing once is quicker than a
//! streaming hash, and than mixing each piece. Must not use a random key.

use std::hash::{Hash, Hasher};
use xxhash_rust::xxh3::xxh3_64;

/// Takes fingerprints, with room that is used again.
#[derive(Clone, Debug)]
pub struct Fingerprinter {
    bytes: Written,
}

impl Fingerprinter {
    /// One without room yet.
    pub const fn new() -> Self {
        Self { bytes: Written(Vec::new()) }
    }

    /// The fingerprint of a value.
    pub fn of(&mut self, value: &impl Hash) -> u64 {
        self.bytes.0.clear();
        value.hash(&mut self.bytes);
        self.bytes.finish()
    }
}

impl Default for Fingerprinter {
    fn default() -> Self {
        Self::new()
    }
}

#[derive(Clone, Debug)]
struct Written(Vec<u8>);

impl Hasher for Written {
    fn finish(&self) -> u64 {
        xxh3_64(&self.0)
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.0.push(number);
    }

    #[inline]
    fn write_u16(&mut self, number: u16) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    #[inline]
    fn write_u128(&mut self, number: u128) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as i64 as u64);
    }
}
