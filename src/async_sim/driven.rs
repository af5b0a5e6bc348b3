//! A lock core as asynchronous code: its caller awaits what the core decides, and a task beside it drives the core.
//!
//! What is open, what is due and what has to be done says a [`Desk`], which knows nothing of a simulation; here are only
//! its connections, timers and wakers, and the words by which the world is told. Code that drives cores elsewhere needs
//! its own of these and the same desk.
//!
//! One thing happens at a time, as in the world's own driver: at one instant what has arrived, by voter and connection;
//! then requests whose limit has passed; then wakes; then whoever sleeps by [`Driven::sleep_until`]. The caller has the
//! turn after each. Must not retry or decide anything: the core does.

use super::driving::{CALLER, Shared, Told, drive};
use super::sim::Sim;
use crate::lock::{
    ExtendFailure, Found, Input, LockCore, LossReason, OnTimeout, RefuseReason, Released, Until,
};
use crate::name::Nonce;
use crate::time::MonoTime;
use crate::world::Act;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A lock whose core runs in the task that [`Driven::new`] returns. It has one caller, who holds it once at most.
///
/// A call that is dropped before it is done goes on; one of acquire is cancelled. Connections stay open when the handle
/// is dropped, as long as the task runs.
pub struct Driven<C> {
    shared: Arc<Mutex<Shared<C>>>,
}

/// What a call of acquire brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The value that proves it.
    pub nonce: Nonce,
    /// Until when it is promised.
    pub until: Until,
    /// Its fence, of a fenced lock.
    pub fence: Option<i64>,
}

impl<C: LockCore> Driven<C> {
    /// A lock with this core, and what drives it: to be spawned on the runtime of the process, where it runs for good.
    ///
    /// The world recognises its holds as the core does where the core is a shipped one that a trial lends its eyes
    /// ([`Trial::driven`](super::Trial::driven)).
    pub fn new(
        sim: &Sim,
        core: C,
        on_timeout: OnTimeout,
    ) -> (Self, impl Future<Output = ()> + Send + use<C>) {
        let shared = Shared::new(sim, core, on_timeout);
        let shared = Arc::new(Mutex::new(shared));
        (Self { shared: Arc::clone(&shared) }, drive(shared))
    }

    /// Calls acquire. The plan may have the call given up: then it is refused as cancelled.
    ///
    /// # Errors
    /// The lock said so.
    pub async fn acquire(&mut self) -> Result<Grant, RefuseReason> {
        self.acquire_by(None).await
    }

    /// The same for a caller who, refused before this moment, will call again: it wants the lock until then, as far as
    /// oracles ask who does. If it does not call again after all it says so by [`Act::GiveUp`].
    ///
    /// # Errors
    /// The lock said so.
    pub async fn acquire_persisting(&mut self, until: MonoTime) -> Result<Grant, RefuseReason> {
        self.acquire_by(Some(until)).await
    }

    async fn acquire_by(&mut self, patience_end: Option<MonoTime>) -> Result<Grant, RefuseReason> {
        {
            let mut shared = self.lock();
            shared.told = Told::default();
            shared.tell_world(Act::Acquire);
            if let Some(until) = patience_end {
                shared.tell_world(Act::Persist { until });
            }
            let (ttl, draw) = (shared.ttl(), shared.draw());
            shared.feed(Input::Acquire { caller: CALLER, ttl, draw });
        }
        let call = Calling { shared: &self.shared };
        let acquired = poll_fn(|context| {
            let mut shared = lock(call.shared);
            if shared.told.acquired.is_none() && shared.poll_cancelled(context) {
                shared.feed(Input::Cancel { caller: CALLER });
            }
            shared.poll_told(context, |told| told.acquired.take())
        })
        .await;
        std::mem::forget(call);
        acquired
    }

    /// Prolongs the hold to the whole life of its keys, from now.
    ///
    /// # Errors
    /// The lock could not.
    pub async fn extend(&mut self) -> Result<Until, ExtendFailure> {
        {
            let mut shared = self.lock();
            shared.told.extended = None;
            shared.tell_world(Act::Extend);
            let ttl = shared.ttl();
            shared.feed(Input::Extend { caller: CALLER, ttl });
        }
        self.told(|told| told.extended.take()).await
    }

    /// Asks the voters whether they still carry the hold.
    pub async fn check(&mut self) -> Found {
        {
            let mut shared = self.lock();
            shared.told.checked = None;
            shared.feed(Input::Check { caller: CALLER });
        }
        self.told(|told| told.checked.take()).await
    }

    /// Gives the hold back.
    pub async fn release(&mut self) -> Released {
        {
            let mut shared = self.lock();
            shared.told.released = None;
            shared.tell_world(Act::Release);
            shared.feed(Input::Release { caller: CALLER });
        }
        self.told(|told| told.released.take()).await
    }

    /// Until when the present hold is promised, extensions included; `None` without one, and after its loss was told.
    pub fn until(&self) -> Option<Until> {
        self.lock().told.until
    }

    /// Waits until the holder is told that its hold is lost.
    pub async fn lost(&self) -> LossReason {
        self.told(|told| told.lost).await
    }

    /// Sleeps until the process's clock shows this, and until the lock has taken whatever else has come by then.
    pub async fn sleep_until(&self, at: MonoTime) {
        let id = self.lock().set_sleeper(at);
        let sleep = Sleeping { shared: &self.shared, id };
        poll_fn(|context| lock(sleep.shared).poll_sleeper(id, context)).await;
    }

    async fn told<T>(&self, mut take: impl FnMut(&mut Told) -> Option<T>) -> T {
        poll_fn(|context| self.lock().poll_told(context, &mut take)).await
    }

    fn lock(&self) -> MutexGuard<'_, Shared<C>> {
        lock(&self.shared)
    }
}

/// A panic of the code while it held the lock is the test's: nothing goes on after it.
pub(super) fn lock<C>(shared: &Mutex<Shared<C>>) -> MutexGuard<'_, Shared<C>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call of acquire: whoever drops it gives it up, or gives back what it did not take.
struct Calling<'a, C: LockCore> {
    shared: &'a Mutex<Shared<C>>,
}

impl<C: LockCore> Drop for Calling<'_, C> {
    fn drop(&mut self) {
        let mut shared = lock(self.shared);
        match shared.told.acquired.take() {
            None => shared.feed(Input::Cancel { caller: CALLER }),
            Some(Ok(_)) => {
                shared.tell_world(Act::Release);
                shared.feed(Input::Release { caller: CALLER });
            }
            Some(Err(_)) => {}
        }
    }
}

/// A sleep: whoever drops it wakes no more.
struct Sleeping<'a, C> {
    shared: &'a Mutex<Shared<C>>,
    id: u64,
}

impl<C> Drop for Sleeping<'_, C> {
    fn drop(&mut self) {
        lock(self.shared).drop_sleeper(self.id);
    }
}

impl<C> std::fmt::Debug for Driven<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driven").finish_non_exhaustive()
    }
}
