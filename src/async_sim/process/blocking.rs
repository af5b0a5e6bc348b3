//! How blocking code waits: it gives its turn back to the owner of the process.
//!
//! Must not wait for real time, and must not be used from another thread than the code's own.

use super::clock::Hand;
use super::thread::Report;
use crate::time::Span;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

/// The code's handle on its process. Clones are the same.
#[derive(Clone)]
pub(crate) struct Blocking(Arc<Ends>);

struct Ends {
    hand: Hand,
    turns: Mutex<Receiver<Span>>,
    reports: Sender<Report>,
}

impl Blocking {
    pub(super) fn new(hand: Hand, turns: Receiver<Span>, reports: Sender<Report>) -> Self {
        Self(Arc::new(Ends { hand, turns: Mutex::new(turns), reports }))
    }

    /// How far the process's clock has come, rounded down.
    #[cfg(test)]
    pub(crate) fn elapsed(&self) -> Span {
        self.0.hand.elapsed()
    }

    /// Blocks until `ready` holds or the clock has reached `deadline`, and returns whether `ready` holds; it is
    /// asked first, so that what arrived at the deadline arrived in time.
    ///
    /// # Panics
    /// Unwinds if the process is dropped meanwhile. Code that waits again while it unwinds, in a drop, is told
    /// that its deadline has come.
    pub(crate) fn wait_until(&self, deadline: Option<Span>, ready: impl Fn() -> bool) -> bool {
        let Ends { hand, turns, reports } = &*self.0;
        let turns = turns.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if ready() {
                return true;
            }
            if deadline.is_some_and(|deadline| hand.elapsed() >= deadline) {
                return false;
            }
            // An owner that crashes the process hears no report and gives no turn.
            drop(reports.send(Report::Blocked { deadline }));
            match turns.recv() {
                Ok(present) => hand.reach(present),
                Err(_) if std::thread::panicking() => {
                    if let Some(deadline) = deadline {
                        hand.reach(deadline);
                    }
                    return false;
                }
                Err(_) => {
                    drop(turns);
                    resume_unwind(Box::new(Crashed));
                }
            }
        }
    }
}

/// The payload that ends the thread of a dropped process: without a message, for it is no failure.
struct Crashed;
