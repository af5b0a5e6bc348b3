//! The note that a process has done something others can see.
//!
//! Set by the streams of the code, read by the process, reset by its owner. Must not say what was done.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;

/// A shared flag. Clones are the same flag.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stirred(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    set: AtomicBool,
    watcher: Mutex<Option<Waker>>,
}

impl Stirred {
    /// Notes that something was done.
    pub(crate) fn set(&self) {
        self.0.set.store(true, Ordering::SeqCst);
        let watcher = self.0.watcher.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(watcher) = watcher {
            watcher.wake();
        }
    }

    /// Whether something was done since the last reset.
    pub(crate) fn is_set(&self) -> bool {
        self.0.set.load(Ordering::SeqCst)
    }

    /// Resets the flag and returns what it was.
    pub(crate) fn reset(&self) -> bool {
        self.0.set.swap(false, Ordering::SeqCst)
    }

    /// Wakes `watcher`, and no earlier one, at the next [`Self::set`]. madsim's scheduler says nothing when its
    /// tasks come to rest, so that whoever waits for the flag there must be woken by it.
    pub(super) fn watch(&self, watcher: &Waker) {
        *self.0.watcher.lock().unwrap_or_else(PoisonError::into_inner) = Some(watcher.clone());
    }

    /// Forgets the watcher.
    pub(super) fn unwatch(&self) {
        *self.0.watcher.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
