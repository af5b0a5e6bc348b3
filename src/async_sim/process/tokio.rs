//! A process whose code runs on real tokio, unmodified.
//!
//! A current-thread runtime with a paused clock, entered from inside a madsim runtime, so that tokio's timers
//! and the standard library's clocks and entropy are virtual and seeded. One order is one entry. Must not touch
//! what the code does: no hook of panics, no replacement of a crate. The code must not start threads
//! (`spawn_blocking` included): madsim forbids it with a panic. Entropy is virtual where it is drawn through the
//! C library's `getrandom`, as the standard library and `getrandom` 0.3 and 0.4 do; version 0.2, and so `rand`
//! 0.8, makes the system call itself and draws real entropy, which no seed repeats.
//!
//! # Time
//! tokio's timers fire on ticks of one millisecond since the runtime began, deadlines rounded up, and between
//! ticks nothing happens. A paused clock advances by whole milliseconds, so [`TokioProcess::run`] first jumps to
//! the next tick where the present is between two; from then on every advance ends exactly at a timer. A timer
//! of its own on the last tick before the bound keeps the clock from passing it. The rest up to the bound is
//! made good when the next order begins, before any code runs.

use super::clock::{VirtualClock, duration};
use super::gate::{Gate, Spins};
use super::{Drivers, Main, Process, Ran, Stirred, panic};
use crate::time::{Span, WallTime};
use std::future::poll_fn;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::runtime::{Builder, LocalOptions, LocalRuntime, RngSeed};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// A process on tokio.
pub(crate) struct TokioProcess {
    clock: VirtualClock,
    gate: Arc<Gate>,
    stirred: Stirred,
    seed: u64,
    drivers: Drivers,
    elapsed: Span,
    stage: Stage,
}

enum Stage {
    Unborn(Main),
    Alive(Alive),
    Gone,
}

/// The runtime. It begins with the first order, because an entry to madsim made earlier would leave the
/// standard clock ahead of tokio's.
struct Alive {
    runtime: LocalRuntime,
    began: Instant,
    main: MainTask,
}

enum MainTask {
    Going(JoinHandle<()>),
    Over(Ran),
}

#[derive(Clone, Copy)]
enum Order {
    Settle,
    Run { to: Span },
}

impl TokioProcess {
    /// A process that has not run yet.
    pub(crate) fn new(seed: u64, wall: WallTime, stirred: Stirred, drivers: Drivers, main: Main) -> Self {
        let clock = VirtualClock::new(seed, wall);
        let gate = Arc::new(Gate::new(clock.hand.time.clone(), drivers));
        Self { clock, gate, stirred, seed, drivers, elapsed: Span::ZERO, stage: Stage::Unborn(main) }
    }

    /// Settles at `present`, then does what else is ordered.
    fn obey(&mut self, present: Span, what: Order) -> Ran {
        let Self { clock, gate, stirred, seed, drivers, elapsed, stage } = self;
        let order = async {
            let alive = Alive::of(stage, gate, *seed, *drivers);
            let Alive { runtime, began, main } = alive;
            runtime.block_on(async {
                let mut course = Course { gate, stirred, began: *began };
                course.settle(present).await;
                let reached = match what {
                    Order::Settle => present,
                    Order::Run { to } => course.run(to).await.unwrap_or(to.max(present)),
                };
                (reached, main.outcome().await)
            })
        };
        match catch_unwind(AssertUnwindSafe(|| clock.runtime.block_on(order))) {
            Ok((reached, ran)) => {
                *elapsed = reached;
                ran
            }
            Err(payload) if payload.is::<Spins>() => Ran::Spins,
            Err(payload) => resume_unwind(payload),
        }
    }
}

impl Process for TokioProcess {
    fn elapsed(&self) -> Span {
        self.elapsed
    }

    fn settle(&mut self, to: Span) -> Ran {
        self.obey(self.elapsed.max(to), Order::Settle)
    }

    fn run(&mut self, to: Span) -> Ran {
        self.obey(self.elapsed, Order::Run { to })
    }
}

impl Drop for TokioProcess {
    /// Drops the tasks where they ran. What they start meanwhile never runs, and a panic ends here.
    fn drop(&mut self) {
        let Self { clock, stage, .. } = self;
        let stage = mem::replace(stage, Stage::Gone);
        let dropped =
            || clock.runtime.block_on(async { drop(catch_unwind(AssertUnwindSafe(|| drop(stage)))) });
        drop(catch_unwind(AssertUnwindSafe(dropped)));
    }
}

impl Alive {
    fn of<'a>(stage: &'a mut Stage, gate: &Arc<Gate>, seed: u64, drivers: Drivers) -> &'a mut Self {
        *stage = match mem::replace(stage, Stage::Gone) {
            Stage::Unborn(main) => Stage::Alive(Self::begin(main, gate, seed, drivers)),
            Stage::Alive(alive) => Stage::Alive(alive),
            Stage::Gone => unreachable!("a process is ordered only while it exists"),
        };
        let Stage::Alive(alive) = stage else { unreachable!("the process has just begun") };
        alive
    }

    fn begin(main: Main, gate: &Arc<Gate>, seed: u64, drivers: Drivers) -> Self {
        let (on_park, on_unpark, on_poll) = (Arc::clone(gate), Arc::clone(gate), Arc::clone(gate));
        let mut builder = Builder::new_current_thread();
        if drivers == Drivers::TimeAndSockets {
            // A run takes about 1.4 times as long, which only those pay who need it.
            builder.enable_io();
        }
        let runtime = builder
            .enable_time()
            .start_paused(true)
            .rng_seed(RngSeed::from_bytes(&seed.to_le_bytes()))
            .on_thread_park(move || on_park.on_park())
            .on_thread_unpark(move || on_unpark.on_unpark())
            .on_before_task_poll(move |_| on_poll.on_poll())
            .build_local(LocalOptions::default())
            .expect("a runtime that looks at sockets needs three descriptors: raise `ulimit -n`");
        let began = {
            let _entered = runtime.enter();
            Instant::now()
        };
        // A task like those that it spawns: no order then polls it without cause, as a root would be.
        let main = runtime.spawn_local(async move { main().await });
        Self { runtime, began, main: MainTask::Going(main) }
    }
}

impl MainTask {
    async fn outcome(&mut self) -> Ran {
        if let Self::Going(task) = self {
            if !task.is_finished() {
                return Ran::Resting;
            }
            *self = Self::Over(match task.await {
                Ok(()) => Ran::Ended,
                Err(error) => Ran::Panicked(panic::text(&*error.into_panic())),
            });
        }
        match self {
            Self::Going(_) => unreachable!("the task is over"),
            Self::Over(ran) => ran.clone(),
        }
    }
}

/// The passing of time during one order, from inside the runtime.
struct Course<'a> {
    gate: &'a Gate,
    stirred: &'a Stirred,
    began: Instant,
}

impl Course<'_> {
    async fn settle(&mut self, to: Span) {
        let by = (self.began + duration(to)).saturating_duration_since(Instant::now());
        self.gate.jump(by).await;
    }

    /// Returns the moment at which it ended early, if it did.
    async fn run(&mut self, to: Span) -> Option<Span> {
        let last = Span((to.0 - 1).div_euclid(TICK) * TICK);
        let mut bound = pin!(tokio::time::sleep_until(self.began + duration(last)));
        // A timer exists from its first poll on.
        poll_fn(|cx| Poll::Ready(bound.as_mut().poll(cx).is_ready())).await;
        loop {
            let present = self.present();
            if self.stirred.is_set() {
                return Some(present);
            }
            if present >= last {
                return None;
            }
            match present.0 % TICK {
                0 => self.gate.advance_to_timer().await,
                past => self.gate.jump(duration(Span(TICK - past))).await,
            }
        }
    }

    fn present(&self) -> Span {
        Span(self.began.elapsed().as_micros() as i64)
    }
}

/// The grain of tokio's timers, in microseconds.
const TICK: i64 = 1_000;
