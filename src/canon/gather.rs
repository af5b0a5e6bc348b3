//! Hashing a whole state: its many small writes become few wide ones.
//!
//! A derived `Hash` writes every field and every discriminant on its own, and a hasher mixes after each. Here they
//! are laid side by side first, in a form from which they could be read back, and each full block is handed on as
//! its 128-bit digest. Must not leave anything out: what is hashed is the value's own affair.

use std::hash::Hasher;
use xxhash_rust::xxh3::xxh3_128;

/// Collects what is written and hands it on to a hasher.
#[derive(Debug)]
pub struct Gather<'h, H: Hasher> {
    to: &'h mut H,
    block: [u8; BLOCK],
    used: usize,
}

/// The length of a block: a state of a prover fills one to three.
const BLOCK: usize = 512;

/// The first byte of a number that does not fit into one.
const WIDE: u8 = u8::MAX;

impl<'h, H: Hasher> Gather<'h, H> {
    /// Collects for this hasher. What was collected reaches it with [`Gather::flush`].
    pub fn new(to: &'h mut H) -> Self {
        Self { to, block: [0; BLOCK], used: 0 }
    }

    /// Hands on what is collected.
    pub fn flush(&mut self) {
        self.to.write_u128(xxh3_128(&self.block[..self.used]));
        self.used = 0;
    }

    // A fixed length, so that it is one store.
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        match self.block.get_mut(self.used..).and_then(|rest| rest.first_chunk_mut::<N>()) {
            Some(place) => {
                *place = bytes;
                self.used += N;
            }
            None => self.spill(&bytes),
        }
    }

    /// Discriminants and lengths are small: one byte does for nearly all of them.
    #[inline(always)]
    fn put_small(&mut self, number: u64) {
        if number < u64::from(WIDE) { self.put([number as u8]) } else { self.put_wide(number) }
    }

    #[cold]
    #[inline(never)]
    fn put_wide(&mut self, number: u64) {
        self.put([WIDE]);
        self.put(number.to_le_bytes());
    }

    #[cold]
    #[inline(never)]
    fn spill(&mut self, bytes: &[u8]) {
        self.write(bytes);
    }
}

impl<H: Hasher> Hasher for Gather<'_, H> {
    fn write(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.used == BLOCK {
                self.flush();
            }
            let (now, later) = rest.split_at(rest.len().min(BLOCK - self.used));
            self.block[self.used..self.used + now.len()].copy_from_slice(now);
            self.used += now.len();
            rest = later;
        }
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.put([number]);
    }

    #[inline]
    fn write_u16(&mut self, number: u16) {
        self.put(number.to_le_bytes());
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.put(number.to_le_bytes());
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.put(number.to_le_bytes());
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.put_small(number as u64);
    }

    #[inline]
    fn write_i32(&mut self, number: i32) {
        self.put(number.to_le_bytes());
    }

    #[inline]
    fn write_i64(&mut self, number: i64) {
        self.put(number.to_le_bytes());
    }

    #[inline]
    fn write_isize(&mut self, number: isize) {
        self.put_small(number as u64);
    }

    /// Means nothing before [`Gather::flush`]: the digest is the other hasher's.
    fn finish(&self) -> u64 {
        self.to.finish()
    }
}
