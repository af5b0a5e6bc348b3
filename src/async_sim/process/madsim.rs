//! A process whose code is written for madsim: `madsim::task::spawn`, nodes, and what madsim-tokio offers.
//!
//! Must not be used to learn more about real tokio: here madsim's own executor runs, which takes ready tasks in
//! a random order drawn from the seed. So tasks that were woken from outside and tasks whose timers came due
//! run in no fixed order. A panic of any task ends the process, as madsim has it.
//!
//! # Time
//! madsim adds 50 to 99 ns after each poll of each task. The process reports the moments that its owner ordered;
//! the clock that its code reads leads by these additions until time moves on. [`MadsimProcess::run`] stops the
//! clock a little before the bound, so that the additions do not reach the timers that are due at it; a timer
//! due in that last microsecond may fire when the next order begins.

use super::clock::VirtualClock;
use super::{Main, Process, Ran, Stirred, panic};
use crate::time::{Span, WallTime};
use madsim::runtime::NodeHandle;
use madsim::time::{Sleep, TimeHandle};
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

/// A process on madsim's executor.
pub(crate) struct MadsimProcess {
    clock: VirtualClock,
    /// The node on which the code runs, so that a drop can kill its tasks.
    node: NodeHandle,
    stirred: Stirred,
    elapsed: Span,
    stage: Stage,
}

enum Stage {
    Unborn(Main),
    Going(Rc<Cell<bool>>),
    Panicked(String),
}

impl MadsimProcess {
    /// A process that has not run yet.
    pub(crate) fn new(seed: u64, wall: WallTime, stirred: Stirred, main: Main) -> Self {
        let clock = VirtualClock::new(seed, wall);
        let node = clock.runtime.create_node().name("process").build();
        Self { clock, node, stirred, elapsed: Span::ZERO, stage: Stage::Unborn(main) }
    }

    /// Runs every ready task, then, until `until` ends, lets time pass from timer to timer.
    fn drive(&mut self, until: impl Future<Output = ()> + 'static) {
        let begin = match &self.stage {
            Stage::Unborn(_) => {
                let ended = Rc::new(Cell::new(false));
                let Stage::Unborn(main) = std::mem::replace(&mut self.stage, Stage::Going(Rc::clone(&ended)))
                else {
                    unreachable!("the process is not born")
                };
                Some((main, ended))
            }
            Stage::Going(_) => None,
            Stage::Panicked(_) => return,
        };
        let node = self.node.clone();
        // The root owns what it uses: madsim may keep it after a panic.
        let root = async move {
            if let Some(begin) = begin {
                spawn_on(&node, begin);
            }
            until.await;
        };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| self.clock.runtime.block_on(root))) {
            self.stage = Stage::Panicked(panic::text(&*payload));
        }
    }

    fn outcome(&self) -> Ran {
        match &self.stage {
            Stage::Unborn(_) => Ran::Resting,
            Stage::Going(ended) if ended.get() => Ran::Ended,
            Stage::Going(_) => Ran::Resting,
            Stage::Panicked(text) => Ran::Panicked(text.clone()),
        }
    }
}

impl Process for MadsimProcess {
    fn elapsed(&self) -> Span {
        self.elapsed
    }

    fn settle(&mut self, to: Span) -> Ran {
        self.elapsed = self.elapsed.max(to);
        // Before the executor runs: it might take a woken task before a root that moves the clock.
        self.clock.hand.reach(self.elapsed);
        self.drive(async {});
        self.outcome()
    }

    fn run(&mut self, to: Span) -> Ran {
        let ran = self.settle(self.elapsed);
        if to <= self.elapsed || self.stirred.is_set() {
            return ran;
        }
        let bound = self.clock.hand.at(to).saturating_sub(MARGIN);
        if self.clock.hand.time.elapsed() < bound {
            self.drive(stirred_or(self.stirred.clone(), self.clock.hand.time.clone(), bound));
            self.stirred.unwatch();
        }
        let present = self.clock.hand.elapsed().max(self.elapsed).min(to);
        self.elapsed = if self.stirred.is_set() { present } else { to };
        self.outcome()
    }
}

impl Drop for MadsimProcess {
    fn drop(&mut self) {
        self.clock.runtime.handle().kill(self.node.id());
        // A killed task is dropped when it is next taken; each panic of a drop ends one round.
        while catch_unwind(AssertUnwindSafe(|| self.clock.runtime.block_on(async {}))).is_err() {}
    }
}

/// Waits for the flag or the moment `bound`, whichever comes first.
async fn stirred_or(stirred: Stirred, time: TimeHandle, bound: Duration) {
    let mut sleep = pin!(sleep_until(&time, bound));
    poll_fn(|cx| {
        stirred.watch(cx.waker());
        if stirred.is_set() { Poll::Ready(()) } else { sleep.as_mut().poll(cx) }
    })
    .await;
}

/// A sleep up to the moment `bound`, which may be less than a millisecond away.
fn sleep_until(time: &TimeHandle, bound: Duration) -> Sleep {
    let deadline = time.now_instant() + bound.saturating_sub(time.elapsed());
    // A sleep lasts a millisecond at least when it is made, but not when it is reset.
    let mut sleep = time.sleep_until(deadline);
    std::pin::Pin::new(&mut sleep).reset(deadline);
    sleep
}

/// Spawns the main part on `node`. madsim has no way to spawn there what must stay on its thread, but a task
/// there may spawn it beside itself; the thread hands it over.
fn spawn_on(node: &NodeHandle, begin: (Main, Rc<Cell<bool>>)) {
    HANDOVER.with_borrow_mut(|slot| *slot = Some(begin));
    drop(node.spawn(async {
        let begin = HANDOVER.with_borrow_mut(Option::take);
        let (main, ended) = begin.expect("a process begins before the next one is let run");
        drop(madsim::task::spawn_local(async move {
            main().await;
            ended.set(true);
        }));
    }));
}

thread_local! {
    static HANDOVER: RefCell<Option<(Main, Rc<Cell<bool>>)>> = const { RefCell::new(None) };
}

/// How long before a bound the clock stops.
const MARGIN: Duration = Duration::from_micros(1);
