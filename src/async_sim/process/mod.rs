//! One client process: a place where unmodified code runs on a virtual clock that only its owner moves.
//!
//! Three kinds behind one contract: [`TokioProcess`] for code on real tokio, [`MadsimProcess`] for code on
//! madsim's own executor, [`ThreadProcess`] for blocking code. A process must not know Redis, a network or
//! another process: what its code shows to others leaves through streams of the owner, which note it in
//! [`Stirred`]. Start reading at `tokio.rs`.
//!
//! What belongs to a thread of the operating system (the keys of `RandomState`, `rand::thread_rng`) is shared
//! by all processes of the first two kinds on it and begins anew only on a fresh thread. An owner that wants a
//! run to repeat creates and runs its processes on a thread of its own.

mod blocking;
mod clock;
mod gate;
mod madsim;
mod panic;
mod stirred;
#[cfg(test)]
mod tests;
mod thread;
mod tokio;

pub(crate) use self::{
    blocking::Blocking, madsim::MadsimProcess, panic::text as panic_text, stirred::Stirred,
    thread::ThreadProcess, tokio::TokioProcess,
};

use crate::time::Span;
use std::future::Future;
use std::pin::Pin;

/// What starts an asynchronous process: called inside its runtime when it is first let run.
pub(crate) type Main = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()>>>>;

/// What the runtime of a process looks at while no task can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drivers {
    /// Timers only.
    Time,
    /// Sockets of the operating system too, by which its code talks to itself.
    TimeAndSockets,
}

/// What a process did when it was last let run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ran {
    /// Every task waits.
    Resting,
    /// The main part has finished; tasks that it spawned may go on.
    Ended,
    /// The main part has panicked, with this text; tasks that it spawned may go on where the kind says so.
    Panicked(String),
    /// Its tasks were polled millions of times at one moment: they never come to rest, and the process is of no
    /// more use.
    Spins,
}

/// A process that its owner lets run, one order at a time.
pub(crate) trait Process {
    /// How far its clock has come since the process began, rounded down.
    fn elapsed(&self) -> Span;

    /// Sets the clock forward to `to` at once, as for code that stood still until then: tasks that were woken
    /// from outside run first and see the clock at `to`, then timers that came due fire, late, then everything
    /// runs until no task can go on. If `to` is not after the present, the clock stays.
    fn settle(&mut self, to: Span) -> Ran;

    /// Lets time pass up to, not including, `to`: each timer fires at its own time. Ends early at the first
    /// moment at which [`Stirred`] is set once everything has come to rest, the present moment included;
    /// [`Self::elapsed`] is then that moment, otherwise `to`.
    fn run(&mut self, to: Span) -> Ran;
}
