//! The whole data of a server at one moment: what a full resynchronisation sends and what a file gives back.
//!
//! Shares its keys with the server it was taken from until either changes. Must not judge expiry.

use super::entry::{Entry, Stored};
use super::keyspace::Keyspace;
use crate::canon::Canon;
use bytes::Bytes;

/// All keys that are physically present, expired or not. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot(pub(super) Keyspace);

impl Snapshot {
    /// No keys.
    pub fn empty() -> Self {
        Self(Keyspace::new())
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.0.slots().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.slots().is_empty()
    }

    /// What a key holds.
    pub fn stored(&self, key: &[u8]) -> Option<Stored> {
        self.0.stored(key)
    }

    /// All keys, ascending.
    pub fn keys(&self) -> impl Iterator<Item = &Bytes> {
        self.0.slots().iter().map(|slot| &slot.key)
    }

    /// Does what the entry says, as a whole.
    pub fn replay(&mut self, entry: &Entry) {
        for effect in entry.effects() {
            self.0.put(&effect.key, effect.after.as_ref());
        }
    }

    /// Takes part in a pass that makes states with equal futures equal. The deadlines belong to the process that
    /// the pass has turned to.
    pub fn canonical(&mut self, canon: &mut Canon) {
        self.0.canonical(canon);
    }
}
