//! The words around a call of acquire: what code says by running its futures through here.
//!
//! A call may be given up at any of its awaits, if the plan says so: its future is dropped there, as by a `select!` or a
//! timeout around it. Must not interpret what a lock returns beyond success and failure: what it promises says whoever
//! calls.

use super::sim::Sim;
use crate::history::SectionEnd;
use crate::lock::{RefuseReason, Released, Until};
use crate::world::Act;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// Why there is no grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotGranted<E> {
    /// The lock said so.
    #[error("not granted: {0}")]
    Refused(E),
    /// The plan had the call given up.
    #[error("the call was given up")]
    Cancelled,
}

/// A call of acquire that will be made, and what its grant means.
#[must_use = "nothing is called before `work` or `work_then`"]
pub struct Hold<'a, A, G> {
    sim: &'a Sim,
    acquire: A,
    until: Box<dyn FnOnce(&G) -> Until + Send + 'a>,
    fence: FenceOf<'a, G>,
}

/// The fence of a grant, if there is one.
type FenceOf<'a, G> = Box<dyn FnOnce(&G) -> Option<i64> + Send + 'a>;

/// The inside of a lock that takes the work as a future and acquires and releases by itself.
#[derive(Clone, Debug)]
pub struct Inside {
    sim: Sim,
}

impl Sim {
    /// Calls acquire, works inside the section, leaves it, and releases by dropping what acquire returned.
    ///
    /// # Errors
    /// There was no grant.
    pub async fn section<G, E, T>(
        &self,
        acquire: impl Future<Output = Result<G, E>>,
        work: impl AsyncFnOnce(&mut G) -> T,
    ) -> Result<T, NotGranted<E>> {
        self.hold(acquire).work(work).await
    }

    /// The same, where there is more to say: until when the grant is promised, its fence, how it is released.
    pub fn hold<'a, A, G, E>(&'a self, acquire: A) -> Hold<'a, A, G>
    where
        A: Future<Output = Result<G, E>>,
    {
        Hold { sim: self, acquire, until: Box::new(|_| Until::Untold), fence: Box::new(|_| None) }
    }

    /// Calls a lock that takes the work as a future: `sim.enclosed(|inside| lock.run(inside.work(until, async { … })))`.
    /// The call may be given up until its work begins.
    ///
    /// # Errors
    /// There was no grant. A failure after the work is told as a release of which nobody knows how it ended.
    pub async fn enclosed<T, E, F>(&self, call: impl FnOnce(Inside) -> F) -> Result<T, NotGranted<E>>
    where
        F: Future<Output = Result<T, E>>,
    {
        self.call();
        let Some(result) = self.until_given_up(call(Inside { sim: self.clone() })).await else {
            self.tell(Act::Refused(RefuseReason::Cancelled));
            return Err(NotGranted::Cancelled);
        };
        let releases = self.port.lock().labels.phase() == super::labels::Phase::Releasing;
        match (&result, releases) {
            (Ok(_), true) => self.tell(Act::Released(Released::Confirmed)),
            (Err(_), true) => self.tell(Act::Released(Released::Unknown)),
            (Ok(_) | Err(_), false) => self.tell(Act::Refused(RefuseReason::Unknown)),
        }
        result.map_err(NotGranted::Refused)
    }

    /// Runs a future until the plan has the call given up: then it is dropped. Every time it waits is an await.
    async fn until_given_up<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = Box::pin(future);
        poll_fn(|context| {
            let calls = self.port.lock().labels.phase() == super::labels::Phase::Acquiring;
            if calls && self.port.lock().poll_cancelled(context) {
                return Poll::Ready(None);
            }
            let polled = future.as_mut().poll(context);
            let calls = self.port.lock().labels.phase() == super::labels::Phase::Acquiring;
            if polled.is_pending() && calls {
                self.tell(Act::Await);
            }
            polled.map(Some)
        })
        .await
    }
}

impl<'a, A, G, E> Hold<'a, A, G>
where
    A: Future<Output = Result<G, E>>,
{
    /// Until when a grant is promised. Without this no promise is told, and oracles of promises are not exercised.
    pub fn until(self, until: impl FnOnce(&G) -> Until + Send + 'a) -> Self {
        Self { until: Box::new(until), ..self }
    }

    /// The fence of a grant.
    pub fn fence(self, fence: impl FnOnce(&G) -> i64 + Send + 'a) -> Self {
        Self { fence: Box::new(|held| Some(fence(held))), ..self }
    }

    /// Calls, works inside the section, and releases by dropping what acquire returned.
    ///
    /// # Errors
    /// There was no grant.
    pub async fn work<T>(self, work: impl AsyncFnOnce(&mut G) -> T) -> Result<T, NotGranted<E>> {
        let sim = self.sim;
        let (done, held) = self.inside(work).await?;
        drop(held);
        sim.tell(Act::Released(Released::Unknown));
        Ok(done)
    }

    /// Calls, works inside the section, and releases like this; what the release returned comes second.
    ///
    /// # Errors
    /// There was no grant.
    pub async fn work_then<T, R, F>(
        self,
        work: impl AsyncFnOnce(&mut G) -> T,
        release: impl AsyncFnOnce(G) -> Result<R, F>,
    ) -> Result<(T, Result<R, F>), NotGranted<E>> {
        let sim = self.sim;
        let (done, held) = self.inside(work).await?;
        let released = release(held).await;
        let how = if released.is_ok() { Released::Confirmed } else { Released::Unknown };
        sim.tell(Act::Released(how));
        Ok((done, released))
    }

    async fn inside<T>(self, work: impl AsyncFnOnce(&mut G) -> T) -> Result<(T, G), NotGranted<E>> {
        let Self { sim, acquire, until, fence } = self;
        sim.call();
        let mut held = match sim.until_given_up(acquire).await {
            Some(Ok(held)) => held,
            Some(Err(error)) => {
                sim.tell(Act::Refused(RefuseReason::Unknown));
                return Err(NotGranted::Refused(error));
            }
            None => {
                sim.tell(Act::Refused(RefuseReason::Cancelled));
                return Err(NotGranted::Cancelled);
            }
        };
        let fence = fence(&held);
        sim.enter(until(&held), fence).await;
        let done = work(&mut held).await;
        sim.leave();
        Ok((done, held))
    }
}

impl Inside {
    /// The work, for the lock to run once it holds: with the end of its promise, told at that moment.
    pub async fn work<T>(self, until: impl FnOnce() -> Until, work: impl Future<Output = T>) -> T {
        self.sim.enter(until(), None).await;
        let done = pin!(work).await;
        self.sim.leave();
        done
    }
}

impl Sim {
    async fn enter(&self, until: Until, fence: Option<i64>) {
        self.tell(Act::Granted { until, fence, nonce: None });
        self.tell(Act::Enter(fence));
        self.turn().await;
    }

    fn leave(&self) {
        self.tell(Act::Leave(SectionEnd::Finished));
        self.tell(Act::Release);
    }
}

impl<A: std::fmt::Debug, G> std::fmt::Debug for Hold<'_, A, G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hold").field("acquire", &self.acquire).finish_non_exhaustive()
    }
}
