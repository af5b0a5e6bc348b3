//! One client process, as blocking code sees it.
//!
//! Everything that asynchronous code does with a [`Sim`] blocking code does by [`BlockingSim::wait`], which gives the turn
//! to the world until the future is done. Must not spawn: nothing runs while the code runs.

use super::process::Blocking;
use super::sim::Sim;
use std::ops::Deref;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake};

/// A client process whose code blocks. Clones are the same process.
#[derive(Clone)]
pub struct BlockingSim {
    sim: Sim,
    blocking: Blocking,
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl BlockingSim {
    pub(super) fn new(sim: Sim, blocking: Blocking) -> Self {
        Self { sim, blocking }
    }

    /// Blocks until a future of [`Sim`], [`Wire`](super::Wire) or [`Store`](super::Store) is done. Futures that need a
    /// runtime do not work here.
    pub fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        let flag = Arc::new(Flag(AtomicBool::new(false)));
        let waker = Arc::clone(&flag).into();
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return value;
            }
            self.blocking.wait_until(None, || flag.0.swap(false, Ordering::SeqCst));
        }
    }
}

impl Deref for BlockingSim {
    type Target = Sim;

    fn deref(&self) -> &Sim {
        &self.sim
    }
}

impl std::fmt::Debug for BlockingSim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.sim.fmt(f)
    }
}
