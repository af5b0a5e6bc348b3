//! What never changes during a run, shared by all states of it.
//!
//! Must not hold anything that a state could differ in.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The immutable part of a world, shared by all its states and no part of their value.
#[derive(Clone, Debug)]
pub(crate) struct Fixed<T>(pub(crate) Arc<T>);

impl<T> PartialEq for Fixed<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Fixed<T> {}

impl<T> Hash for Fixed<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
