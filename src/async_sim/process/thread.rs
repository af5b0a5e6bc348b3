//! A process whose code blocks: synchronous code that calls something which must wait for a reply.
//!
//! The code has a thread of its own, inside a madsim runtime of its own, so that the standard library's clocks
//! and entropy are virtual there; its one entry lasts as long as the code, so that the clock is exact. Owner
//! and code take turns: exactly one of them runs. Must not be given code that waits by any other means than
//! [`Blocking::wait_until`]: a `std::thread::sleep` or a socket really waits, and virtual time stands still
//! meanwhile. The code must not start threads: madsim forbids it with a panic.

use super::blocking::Blocking;
use super::clock::VirtualClock;
use super::{Process, Ran, Stirred, panic};
use crate::time::{Span, WallTime};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// What starts a blocking process, on its own thread.
pub(crate) type ThreadMain = Box<dyn FnOnce(Blocking) + Send>;

/// A process of blocking code.
pub(crate) struct ThreadProcess {
    stirred: Stirred,
    elapsed: Span,
    /// The present moment, at which the code goes on. Its end ends the thread.
    turns: Option<Sender<Span>>,
    reports: Receiver<Report>,
    thread: Option<JoinHandle<()>>,
    last: Report,
}

/// Why the code gave up its turn.
#[derive(Clone, Debug)]
pub(super) enum Report {
    Blocked { deadline: Option<Span> },
    Over(Ran),
}

impl ThreadProcess {
    /// A process that has not run yet.
    pub(crate) fn new(seed: u64, wall: WallTime, stirred: Stirred, main: ThreadMain) -> Self {
        let (turns, taken) = channel();
        let (reported, reports) = channel();
        let thread = std::thread::spawn(move || live(seed, wall, main, taken, &reported));
        let last = Report::Blocked { deadline: None };
        Self { stirred, elapsed: Span::ZERO, turns: Some(turns), reports, thread: Some(thread), last }
    }

    fn turn(&mut self) {
        match &self.last {
            Report::Blocked { .. } => {
                let turns = self.turns.as_ref().expect("the process exists");
                turns.send(self.elapsed).expect("the code waits for its turn");
                self.last = self.reports.recv().expect("the code ends its turn by a report");
            }
            Report::Over(_) => {}
        }
    }

    fn deadline(&self) -> Option<Span> {
        match &self.last {
            Report::Blocked { deadline } => *deadline,
            Report::Over(_) => None,
        }
    }

    fn outcome(&self) -> Ran {
        match &self.last {
            Report::Blocked { .. } => Ran::Resting,
            Report::Over(ran) => ran.clone(),
        }
    }
}

impl Process for ThreadProcess {
    fn elapsed(&self) -> Span {
        self.elapsed
    }

    fn settle(&mut self, to: Span) -> Ran {
        self.elapsed = self.elapsed.max(to);
        self.turn();
        self.outcome()
    }

    fn run(&mut self, to: Span) -> Ran {
        self.turn();
        while !self.stirred.is_set() {
            match self.deadline().filter(|deadline| *deadline < to) {
                Some(deadline) => {
                    self.elapsed = self.elapsed.max(deadline);
                    self.turn();
                }
                None => {
                    self.elapsed = self.elapsed.max(to);
                    break;
                }
            }
        }
        self.outcome()
    }
}

impl Drop for ThreadProcess {
    fn drop(&mut self) {
        drop(self.turns.take());
        if let Some(thread) = self.thread.take() {
            // Its panics are caught at its root.
            drop(thread.join());
        }
    }
}

/// The whole life of the code's thread.
fn live(seed: u64, wall: WallTime, main: ThreadMain, turns: Receiver<Span>, reports: &Sender<Report>) {
    let Ok(first) = turns.recv() else { return };
    let clock = VirtualClock::new(seed, wall);
    clock.hand.reach(first);
    let blocking = Blocking::new(clock.hand.clone(), turns, reports.clone());
    // Caught inside madsim, which would write about the panic of a task.
    let life = async move { catch_unwind(AssertUnwindSafe(|| main(blocking))) };
    let ran = match clock.runtime.block_on(life) {
        Ok(()) => Ran::Ended,
        Err(payload) => Ran::Panicked(panic::text(&*payload)),
    };
    // Nobody hears it after a crash.
    drop(reports.send(Report::Over(ran)));
}
