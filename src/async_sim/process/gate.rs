//! The gate between tokio's scheduler and the orders of a process's owner.
//!
//! tokio tells through hooks when it has nothing to run and when its clock has moved. At rest, the gate either
//! hands control to the root future, which then decides what comes next, or lets tokio's paused clock advance
//! once, to the next timer. Where code has sockets, rest is when nothing more comes from them. Must not decide
//! how far time passes: that is `tokio.rs`.
//!
//! # Two clocks
//! Code reads tokio's clock and, through madsim, the standard library's. The second follows the first exactly,
//! except that madsim adds 50 to 99 ns after each order. An order that moves the clock absorbs that; code that
//! is run by a further order at the same moment reads a standard clock that leads by it. Such a lead, once
//! seen, is kept for good: were it taken back, a sleep would look too short by it. So a duration by the
//! standard clock is never shorter than by tokio's, and longer by less than 100 ns for each order at an
//! unchanged moment that ran code.

use super::Drivers;
use madsim::time::TimeHandle;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;
use tokio::time::Instant;

/// Shared by the root future and the scheduler's hooks.
pub(super) struct Gate {
    time: TimeHandle,
    drivers: Drivers,
    state: Mutex<State>,
}

struct State {
    at_rest: AtRest,
    /// The root future, while it waits for rest.
    root: Option<Waker>,
    /// How far the standard clock leads tokio's, as code has seen it.
    lead: Duration,
    /// At which moment tasks were polled last, and how often.
    polled: Option<Instant>,
    polls: u32,
    /// Whether a task was polled since the root future was last told of rest.
    ran: bool,
}

/// The payload that ends a runtime whose tasks never come to rest: without a message, for its owner says it.
pub(super) struct Spins;

/// How many polls there may be at one moment.
const POLLS_MAX: u32 = 2_000_000;

/// What happens when no task can go on.
#[derive(Clone, Copy)]
enum AtRest {
    /// The root future goes on.
    Return,
    /// The root future has been told and is about to go on.
    Returned,
    /// The clock advances from this moment, once.
    Advance(Instant),
}

impl Gate {
    pub(super) fn new(time: TimeHandle, drivers: Drivers) -> Self {
        let (root, lead, polled) = (None, Duration::ZERO, None);
        let state = State { at_rest: AtRest::Return, root, lead, polled, polls: 0, ran: false };
        Self { time, drivers, state: Mutex::new(state) }
    }

    /// Waits until no task can go on at the present moment.
    pub(super) async fn rest(&self) {
        self.state().at_rest = AtRest::Return;
        self.returned().await;
        self.read_sockets().await;
    }

    /// Lets the clock advance to the next timer, which must exist, and waits until no task can go on there.
    pub(super) async fn advance_to_timer(&self) {
        self.state().at_rest = AtRest::Advance(Instant::now());
        self.returned().await;
        self.read_sockets().await;
    }

    /// Goes on until nothing more comes from a socket. A park looks at sockets once, without waiting; with a paused clock it
    /// then advances whatever it found, for what is readable is no wake-up to it. So time may go on only after a look
    /// before which no task was polled: nothing can have been written since the one before.
    async fn read_sockets(&self) {
        while self.drivers == Drivers::TimeAndSockets && std::mem::take(&mut self.state().ran) {
            self.state().at_rest = AtRest::Return;
            self.returned().await;
        }
    }

    /// Sets the clock forward by `by` at once and waits until no task can go on. Tasks that were woken before
    /// run first, for tokio looks at its timers only when those have run (or after 61 polls, as it does always).
    pub(super) async fn jump(&self, by: Duration) {
        let mut jump = std::pin::pin!(tokio::time::advance(by));
        poll_fn(|cx| {
            let jumped = jump.as_mut().poll(cx);
            self.follow();
            jumped
        })
        .await;
        self.rest().await;
    }

    /// The scheduler has nothing to run.
    pub(super) fn on_park(&self) {
        let mut state = self.state();
        match state.at_rest {
            AtRest::Return => state.at_rest = AtRest::Returned,
            AtRest::Returned | AtRest::Advance(_) => return,
        }
        // Taken, not cloned: a waker left here would keep the runtime alive, which owns the gate.
        let root = state.root.take();
        drop(state);
        if let Some(root) = root {
            root.wake();
        }
    }

    /// The scheduler goes on, perhaps at a later moment.
    pub(super) fn on_unpark(&self) {
        self.follow();
        let mut state = self.state();
        // tokio may come back without having advanced, if something unparked it before.
        if matches!(state.at_rest, AtRest::Advance(from) if Instant::now() > from) {
            state.at_rest = AtRest::Return;
        }
    }

    /// A task is about to run and may read both clocks.
    ///
    /// # Panics
    /// Unwinds with [`Spins`] if tasks wake one another for ever and no time passes.
    pub(super) fn on_poll(&self) {
        let present = Instant::now();
        let ahead = self.time.now_instant().saturating_duration_since(present.into_std());
        let mut state = self.state();
        state.lead = state.lead.max(ahead);
        state.polls = if state.polled == Some(present) { state.polls + 1 } else { 0 };
        state.polled = Some(present);
        state.ran = true;
        if state.polls == POLLS_MAX {
            drop(state);
            std::panic::resume_unwind(Box::new(Spins));
        }
    }

    /// Moves the standard clock to where tokio's is.
    fn follow(&self) {
        let target = Instant::now().into_std() + self.state().lead;
        self.time.advance(target.saturating_duration_since(self.time.now_instant()));
    }

    async fn returned(&self) {
        poll_fn(|cx| {
            let mut state = self.state();
            match state.at_rest {
                AtRest::Returned => Poll::Ready(()),
                AtRest::Return | AtRest::Advance(_) => {
                    state.root = Some(cx.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
