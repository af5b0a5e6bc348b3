//! The members of a set.
//!
//! Must not know keys or commands. Source: Redis 7.0.15.

use bytes::Bytes;

/// The members of a set, ascending, each once. Redis answers them in the order of a hash table; here the order is
/// that of their bytes, which no client may rely on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Members(Vec<Bytes>);

impl Members {
    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none; true only while a command is at work.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = &Bytes> {
        self.0.iter()
    }

    /// Whether it is one of them.
    pub fn contains(&self, member: &[u8]) -> bool {
        self.place(member).is_ok()
    }

    /// Adds a member; true if it was not there before.
    pub(super) fn insert(&mut self, member: Bytes) -> bool {
        self.place(&member).map_err(|at| self.0.insert(at, member)).is_err()
    }

    /// Removes a member; true if it was there.
    pub(super) fn remove(&mut self, member: &[u8]) -> bool {
        self.place(member).map(|at| self.0.remove(at)).is_ok()
    }

    /// Rewrites every member, and sorts again.
    pub(super) fn rewrite(&mut self, each: impl FnMut(&mut Bytes)) {
        self.0.iter_mut().for_each(each);
        self.0.sort();
    }

    fn place(&self, member: &[u8]) -> Result<usize, usize> {
        self.0.binary_search_by(|known| known.as_ref().cmp(member))
    }
}
