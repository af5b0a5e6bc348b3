//! The digest that identifies a run: xxh3-64 over the encoding of every record, in order.
//!
//! Must not depend on the machine: the encoding is explicit and little-endian (`encoding.rs`), the hash fixed.
//! Two runs with one digest under one version are the same run, as far as 64 bits can tell.

use super::encoding::{CAPACITY, ENCODING_VERSION, encode_into};
use super::fact::Record;
use xxhash_rust::xxh3::Xxh3;

/// A digest in progress.
#[derive(Clone)]
pub struct Digest {
    hash: Xxh3,
    /// Encoded and not yet hashed, up to `length`. Records are encoded in place and hashed in blocks: copying or
    /// hashing each by itself would wait for bytes that were only just stored.
    pending: Box<[u8; BLOCK]>,
    length: usize,
}

/// How much is encoded before it is hashed.
const BLOCK: usize = 4_096;

impl Digest {
    /// The digest of a run of which nothing happened yet.
    pub fn new() -> Self {
        let mut hash = Xxh3::new();
        hash.update(&ENCODING_VERSION.to_le_bytes());
        Self { hash, pending: Box::new([0; BLOCK]), length: 0 }
    }

    /// Takes the next record of the run.
    #[inline]
    pub fn push(&mut self, record: &Record) {
        if self.length > BLOCK - CAPACITY {
            self.hash.update(&self.pending[..self.length]);
            self.length = 0;
        }
        let room = self.pending[self.length..].first_chunk_mut().expect("a record fits behind the last");
        self.length += encode_into(record, room);
    }

    /// The digest of all records so far.
    pub fn finish(&self) -> u64 {
        let mut hash = self.hash.clone();
        hash.update(&self.pending[..self.length]);
        hash.digest()
    }
}

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Digest({:016x})", self.finish())
    }
}
