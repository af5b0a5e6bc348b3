//! What stands at the edge of long work: the progress bar, Ctrl-C, the time limit, the speed.
//!
//! The only place that reads a real clock. Nothing of it reaches a result but the flag of cancellation.

use crate::sim::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// Long work in progress.
pub(super) struct Watch {
    bar: ProgressBar,
    cancelled: Arc<AtomicBool>,
    /// Dropped at the end: the thread that waits for the time limit then goes.
    _limit: Option<Sender<()>>,
    since: Instant,
}

/// How long it took.
pub(super) struct Took(Duration);

impl Watch {
    /// Begins to watch. The first Ctrl-C and the time limit set the flag, a second Ctrl-C ends the process.
    pub(super) fn begin(steps: u64, limit_s: Option<u64>) -> Self {
        let cancelled = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&cancelled);
        // Fails only where a handler is set already; then Ctrl-C does what it did before.
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(INTERRUPTED);
            }
        });
        #[expect(clippy::disallowed_methods, reason = "the speed is for a person and no part of a result")]
        let since = Instant::now();
        Self { bar: bar(steps), _limit: limit_s.map(|limit| alarm(limit, &cancelled)), cancelled, since }
    }

    /// The same for work of which nobody knows how long it is.
    pub(super) fn open(limit_s: Option<u64>) -> Self {
        let mut watch = Self::begin(0, limit_s);
        let style = ProgressStyle::with_template("{spinner} {wide_msg}").expect("a template of known keys");
        watch.bar = ProgressBar::new_spinner().with_style(style);
        watch
    }

    /// Says how far it has come.
    pub(super) fn note(&self, text: impl FnOnce() -> String) {
        if !self.bar.is_hidden() {
            self.bar.set_message(text());
            self.bar.tick();
        }
    }

    /// Since it began, in milliseconds.
    pub(super) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Whether it shall end early.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// The flag that ends the work early.
    pub(super) fn cancelled(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// Shows how far it has come.
    pub(super) fn show(&self, progress: Progress) {
        self.bar.set_position(progress.done);
        if progress.violating > 0 {
            self.bar.set_message(format!("{} violating", progress.violating));
        }
    }

    /// Prints something while the bar is not in its way.
    pub(super) fn beside(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Takes the bar away.
    pub(super) fn end(self) -> Took {
        self.bar.finish_and_clear();
        Took(self.since.elapsed())
    }
}

impl Took {
    /// How many runs were done per second, in a line for stderr.
    pub(super) fn runs(&self, runs: u64) -> String {
        let ms = self.0.as_millis().max(1);
        let per_second = u128::from(runs) * 1_000 / ms;
        format!("{runs} schedules in {}.{:03} s: {per_second} schedules/s\n", ms / 1_000, ms % 1_000)
    }

    /// How much was done per second, in a line for stderr.
    pub(super) fn speed(&self, runs: u64, events: u64) -> String {
        let ms = self.0.as_millis().max(1);
        let per_second = |count: u64| u128::from(count) * 1_000 / ms;
        format!(
            "{runs} schedules in {}.{:03} s: {} schedules/s, {} events/s\n",
            ms / 1_000,
            ms % 1_000,
            per_second(runs),
            per_second(events)
        )
    }
}

/// Drawn on stderr if that is a terminal, else nowhere.
fn bar(steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} seeds, {eta} left {msg}");
    ProgressBar::new(steps).with_style(style.expect("a template of known keys"))
}

/// Sets the flag after so many seconds, unless what is returned is dropped before.
fn alarm(limit_s: u64, flag: &Arc<AtomicBool>) -> Sender<()> {
    let (sender, receiver) = mpsc::channel();
    let flag = Arc::clone(flag);
    std::thread::spawn(move || match receiver.recv_timeout(Duration::from_secs(limit_s)) {
        Err(RecvTimeoutError::Timeout) => flag.store(true, Ordering::Relaxed),
        Ok(()) | Err(RecvTimeoutError::Disconnected) => {}
    });
    sender
}

/// What a shell reports of a process that Ctrl-C ended.
const INTERRUPTED: i32 = 130;
