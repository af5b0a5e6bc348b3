//! The script cache: texts under their SHA-1, for the life of the process.
//!
//! Must not compile anything: compiled chunks belong to a thread, not to a value. Source: Redis 7.0.15.

use bytes::Bytes;
use sha1::{Digest, Sha1};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The SHA-1 of a script's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Sha([u8; 20]);

impl Sha {
    /// The digest of a text.
    pub(super) fn of(text: &[u8]) -> Self {
        Self(Sha1::digest(text).into())
    }

    /// The digest that 40 hexadecimal digits of any case write.
    pub(super) fn from_hex(text: &[u8]) -> Option<Self> {
        if text.len() != 40 {
            return None;
        }
        let mut bytes = [0; 20];
        for (byte, digits) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            let digit = |at: usize| char::from(digits[at]).to_digit(16);
            *byte = (digit(0)? * 16 + digit(1)?) as u8;
        }
        Some(Self(bytes))
    }

    /// 40 lower-case hexadecimal digits.
    pub(super) fn hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// All cached scripts, ascending by digest. Compared and hashed by digest alone: the text follows from it.
#[derive(Clone, Debug)]
pub(super) struct ScriptCache(Option<Arc<Vec<(Sha, Bytes)>>>);

impl ScriptCache {
    pub(super) fn new() -> Self {
        Self(None)
    }

    /// The text under this digest.
    pub(super) fn text(&self, sha: Sha) -> Option<&Bytes> {
        self.place(sha).ok().map(|at| &self.scripts()[at].1)
    }

    /// Caches a text; nothing happens if it is there.
    pub(super) fn insert(&mut self, sha: Sha, text: &Bytes) {
        if let Err(at) = self.place(sha) {
            Arc::make_mut(self.0.get_or_insert_default()).insert(at, (sha, text.clone()));
        }
    }

    fn scripts(&self) -> &[(Sha, Bytes)] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    fn place(&self, sha: Sha) -> Result<usize, usize> {
        self.scripts().binary_search_by(|(known, _)| known.cmp(&sha))
    }
}

impl PartialEq for ScriptCache {
    fn eq(&self, other: &Self) -> bool {
        let place = |cache: &Self| cache.scripts().as_ptr_range();
        let digests = || self.scripts().iter().map(|(sha, _)| sha);
        place(self) == place(other) || digests().eq(other.scripts().iter().map(|(sha, _)| sha))
    }
}

impl Eq for ScriptCache {}

impl Hash for ScriptCache {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.scripts().len());
        for (sha, _) in self.scripts() {
            sha.hash(state);
        }
    }
}
