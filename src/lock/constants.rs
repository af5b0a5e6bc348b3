//! What never changes over the life of a core, shared by all its copies.
//!
//! Must not hold anything that a transition changes: states that differ only here never meet in one search.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// Constants behind one pointer.
#[derive(Debug)]
pub(super) struct Constants<T>(Arc<T>);

impl<T> Constants<T> {
    pub(super) fn new(constants: T) -> Self {
        Self(Arc::new(constants))
    }
}

impl<T> Clone for Constants<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Constants<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: PartialEq> PartialEq for Constants<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl<T: Eq> Eq for Constants<T> {}

impl<T> Hash for Constants<T> {
    /// Adds nothing: within one search all copies of a core share their constants, so a hash would be pure cost.
    fn hash<H: Hasher>(&self, _state: &mut H) {}
}
