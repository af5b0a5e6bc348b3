//! What every kind of process promises, kind by kind.
//!
//! Must not measure real time, except in the ignored measurement.

mod ends;
mod madsim;
mod repeat;
mod sockets;
mod thread;
mod tokio;

use super::{Main, Process};
use crate::time::{ProcessClocks, Span, WallTime};
use std::future::Future;
use std::sync::{Arc, Mutex};

const WALL: WallTime = ProcessClocks::WALL_START;

/// What the code of a process noted. Clones are the same.
struct Notes<T>(Arc<Mutex<Vec<T>>>);

impl<T> Clone for Notes<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Notes<T> {
    fn new() -> Self {
        Self(Arc::default())
    }

    fn add(&self, note: T) {
        self.0.lock().unwrap().push(note);
    }

    fn take(&self) -> Vec<T> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

fn main_of<F: Future<Output = ()> + 'static>(code: impl FnOnce() -> F + 'static) -> Main {
    Box::new(|| Box::pin(code()))
}

const fn us(us: i64) -> Span {
    Span(us)
}

const fn ms(ms: i64) -> Span {
    Span::from_ms(ms)
}

/// Lets time pass up to `to` without regard to what the process does meanwhile.
fn pass(process: &mut dyn Process, to: Span) {
    process.run(to);
    assert_eq!(process.elapsed(), to);
}
