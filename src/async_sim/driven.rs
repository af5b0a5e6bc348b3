//! A lock core as asynchronous code: its caller awaits what the core decides, and a task beside it drives the core.
//!
//! What is open, what is due and what has to be done says a [`Desk`], which knows nothing of a simulation; here are only
//! its connections, timers and wakers, and the words by which the world is told. Code that drives cores elsewhere needs
//! its own of these and the same desk.
//!
//! One thing happens at a time, as in the world's own driver: at one instant what has arrived, by voter and connection;
//! then requests whose limit has passed; then wakes; then whoever sleeps by [`Driven::sleep_until`]. The caller has the
//! turn after each. Must not retry or decide anything: the core does.

use super::port::{Heard, Reads};
use super::sim::Sim;
use super::wire::Wire;
use crate::lock::{
    Caller, ConnectionId, Desk, Duty, ExtendFailure, Found, Input, LinkState, LockCore, LossReason,
    OnTimeout, Output, RefuseReason, Released, Until,
};
use crate::name::{Nonce, VoterId};
use crate::time::MonoTime;
use crate::world::Act;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

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

/// What the caller and the task share.
struct Shared<C> {
    sim: Sim,
    desk: Desk<C>,
    /// By voter and connection.
    lines: Vec<Line>,
    /// The timer of what is due next.
    alarm: Option<(MonoTime, Pending<()>)>,
    sleepers: Vec<Sleeper>,
    last_sleeper: u64,
    /// The task, while it waits.
    task: Option<Waker>,
    told: Told,
    caller: Option<Waker>,
}

/// A connection that the desk asked for.
struct Line {
    to: (VoterId, ConnectionId),
    state: LineState,
}

enum LineState {
    Opening(Pending<io::Result<Wire>>),
    Open(Wire),
}

type Pending<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Who waits for a moment.
struct Sleeper {
    id: u64,
    at: MonoTime,
    woken: bool,
    waker: Option<Waker>,
}

/// Outcomes that the caller has not taken.
#[derive(Default)]
struct Told {
    acquired: Option<Result<Grant, RefuseReason>>,
    extended: Option<Result<Until, ExtendFailure>>,
    checked: Option<Found>,
    released: Option<Released>,
    lost: Option<LossReason>,
    /// What the core believes of the hold, from the grant to its loss or release.
    until: Option<Until>,
}

/// The one caller of the core.
const CALLER: Caller = Caller(0);

impl<C: LockCore> Driven<C> {
    /// A lock with this core, and what drives it: to be spawned on the runtime of the process, where it runs for good.
    pub fn new(
        sim: &Sim,
        core: C,
        on_timeout: OnTimeout,
    ) -> (Self, impl Future<Output = ()> + Send + use<C>) {
        let mut shared = Shared {
            sim: sim.clone(),
            desk: Desk::new(core, on_timeout),
            lines: Vec::new(),
            alarm: None,
            sleepers: Vec::new(),
            last_sleeper: 0,
            task: None,
            told: Told::default(),
            caller: None,
        };
        for to in sim.ready() {
            shared.desk.opened(to.0, to.1);
            shared.connect(to);
        }
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
            shared.sim.tell(Act::Acquire);
            if let Some(until) = patience_end {
                shared.sim.tell(Act::Persist { until });
            }
            let (ttl, draw) = (shared.desk.traits().ttl, shared.sim.draw());
            shared.feed(Input::Acquire { caller: CALLER, ttl, draw });
        }
        let call = Calling { shared: &self.shared };
        let acquired = poll_fn(|context| {
            let mut shared = lock(call.shared);
            if shared.told.acquired.is_none() && shared.sim.port.lock().poll_cancelled(context) {
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
            shared.sim.tell(Act::Extend);
            let ttl = shared.desk.traits().ttl;
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
            shared.sim.tell(Act::Release);
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
fn lock<C>(shared: &Mutex<Shared<C>>) -> MutexGuard<'_, Shared<C>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does one thing after the other for as long as it is let.
async fn drive<C: LockCore>(shared: Arc<Mutex<Shared<C>>>) {
    loop {
        poll_fn(|context| lock(&shared).poll_step(context)).await;
        let mut yielded = false;
        poll_fn(|context| {
            if std::mem::replace(&mut yielded, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
}

impl<C: LockCore> Shared<C> {
    fn feed(&mut self, input: Input) {
        let (now, mut duties) = (self.sim.now(), Vec::new());
        self.desk.feed(now, input, &mut duties);
        self.perform(duties);
        // What is due next may have changed.
        if let Some(task) = self.task.take() {
            task.wake();
        }
    }

    /// One thing: the first that has arrived or is due.
    fn poll_step(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.task = Some(context.waker().clone());
        if self.poll_lines(context).is_ready() {
            return Poll::Ready(());
        }
        loop {
            let (now, mut duties, sim) = (self.sim.now(), Vec::new(), &self.sim);
            if self.desk.fire(now, || sim.draw(), &mut duties) {
                self.perform(duties);
                return Poll::Ready(());
            }
            let asleep = self.sleepers.iter_mut().filter(|sleeper| !sleeper.woken);
            let first = asleep.min_by_key(|sleeper| sleeper.at);
            let sleeps = first.as_ref().map(|sleeper| sleeper.at);
            if let Some(sleeper) = first.filter(|sleeper| sleeper.at <= now.mono) {
                sleeper.woken = true;
                sleeper.waker.take().into_iter().for_each(Waker::wake);
                return Poll::Ready(());
            }
            let due = self.desk.next_due(now.mono).into_iter().chain(sleeps).min();
            if self.alarm.as_ref().map(|(at, _)| *at) != due {
                let set = |at| (at, sleep(self.sim.clone(), at));
                self.alarm = due.map(set);
            }
            let Some((_, alarm)) = &mut self.alarm else { return Poll::Pending };
            ready!(alarm.as_mut().poll(context));
            self.alarm = None;
        }
    }

    /// The first connection of which there is anything to hand over.
    fn poll_lines(&mut self, context: &mut Context<'_>) -> Poll<()> {
        for index in 0..self.lines.len() {
            let (line, mut duties) = (&mut self.lines[index], Vec::new());
            let (to, now) = (line.to, self.sim.now());
            match &mut line.state {
                LineState::Opening(opening) => match opening.as_mut().poll(context) {
                    Poll::Pending => continue,
                    Poll::Ready(Ok(wire)) => {
                        line.state = LineState::Open(wire);
                        self.desk.linked(now, to, LinkState::Up, &mut duties);
                    }
                    Poll::Ready(Err(_)) => {
                        self.lines.remove(index);
                        self.desk.linked(now, to, LinkState::Refused, &mut duties);
                    }
                },
                LineState::Open(wire) => match wire.poll_heard(context) {
                    Poll::Pending => continue,
                    Poll::Ready(Ok(Heard::Reply(reply))) => self.desk.replied(now, to, reply, &mut duties),
                    Poll::Ready(Ok(Heard::Missing(count))) => self.desk.missing(to, count),
                    Poll::Ready(Ok(Heard::Push(message))) => {
                        self.desk.feed(now, Input::Push { voter: to.0, message }, &mut duties);
                    }
                    Poll::Ready(Err(_)) => {
                        self.lines.remove(index);
                        self.desk.linked(now, to, LinkState::Reset, &mut duties);
                    }
                },
            }
            self.perform(duties);
            return Poll::Ready(());
        }
        Poll::Pending
    }

    fn perform(&mut self, duties: Vec<Duty>) {
        for duty in duties {
            match duty {
                Duty::Connect { voter, connection } => self.connect((voter, connection)),
                Duty::HangUp { voter, connection } => {
                    self.lines.retain(|line| line.to != (voter, connection));
                }
                Duty::Send { voter, connection, command, label } => {
                    let line = self.lines.iter().find(|line| line.to == (voter, connection));
                    if let Some(Line { state: LineState::Open(wire), .. }) = line {
                        // If it is broken, the desk hears of that next.
                        let _ = wire.send_as(command, label);
                    }
                }
                Duty::Tell(output) => self.tell(output),
            }
        }
    }

    /// Opens a connection. One that was open before the process began is open at once.
    fn connect(&mut self, to: (VoterId, ConnectionId)) {
        let at = self.lines.partition_point(|line| line.to < to);
        let mut opening: Pending<_> = Box::pin(Wire::open_as(self.sim.port.clone(), to, Reads::Numbered));
        let state = match opening.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok(wire)) => LineState::Open(wire),
            Poll::Ready(Err(_)) | Poll::Pending => LineState::Opening(opening),
        };
        self.lines.insert(at, Line { to, state });
    }

    /// Tells the world and the caller.
    fn tell(&mut self, output: Output) {
        let (sim, told) = (&self.sim, &mut self.told);
        match output {
            Output::Attempt { number } => return sim.tell(Act::Attempt { number }),
            Output::Granted { caller: _, nonce, until, fence } => {
                told.acquired = Some(Ok(Grant { nonce, until, fence }));
                told.until = Some(until);
                sim.tell(Act::Granted { until, fence, nonce: Some(nonce) });
            }
            Output::Refused { caller: _, why } => {
                told.acquired = Some(Err(why));
                sim.tell(Act::Refused(why));
            }
            Output::Extended { caller: _, until } => {
                told.extended = Some(Ok(until));
                told.until = Some(until);
                sim.tell(Act::Extended(until));
            }
            Output::ExtendFailed { caller: _, why, still } => {
                told.extended = Some(Err(why));
                told.until = still;
                sim.tell(Act::ExtendFailed(why, still));
            }
            Output::Checked { caller: _, found } => told.checked = Some(found),
            Output::Released { caller: _, how } => {
                told.released = Some(how);
                told.until = None;
                sim.tell(Act::Released(how));
            }
            Output::Lost { caller: _, why } => {
                told.lost = Some(why);
                told.until = None;
                sim.tell(Act::Lost(why));
            }
            Output::Send { .. } | Output::Connect { .. } | Output::Wake { .. } | Output::Quiet { .. } => {
                unreachable!("the desk does these itself")
            }
        }
        if let Some(caller) = self.caller.take() {
            caller.wake();
        }
    }

    fn poll_told<T>(
        &mut self,
        context: &mut Context<'_>,
        mut take: impl FnMut(&mut Told) -> Option<T>,
    ) -> Poll<T> {
        match take(&mut self.told) {
            Some(told) => Poll::Ready(told),
            None => {
                self.caller = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    fn set_sleeper(&mut self, at: MonoTime) -> u64 {
        self.last_sleeper += 1;
        self.sleepers.push(Sleeper { id: self.last_sleeper, at, woken: false, waker: None });
        if let Some(task) = self.task.take() {
            task.wake();
        }
        self.last_sleeper
    }

    fn poll_sleeper(&mut self, id: u64, context: &mut Context<'_>) -> Poll<()> {
        let sleeper = self.sleepers.iter_mut().find(|sleeper| sleeper.id == id);
        match sleeper.filter(|sleeper| !sleeper.woken) {
            None => Poll::Ready(()),
            Some(sleeper) => {
                sleeper.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

fn sleep(sim: Sim, at: MonoTime) -> Pending<()> {
    Box::pin(async move { sim.sleep_until(at).await })
}

/// A call of acquire: whoever drops it gives it up.
struct Calling<'a, C: LockCore> {
    shared: &'a Mutex<Shared<C>>,
}

impl<C: LockCore> Drop for Calling<'_, C> {
    fn drop(&mut self) {
        lock(self.shared).feed(Input::Cancel { caller: CALLER });
    }
}

/// A sleep: whoever drops it wakes no more.
struct Sleeping<'a, C> {
    shared: &'a Mutex<Shared<C>>,
    id: u64,
}

impl<C> Drop for Sleeping<'_, C> {
    fn drop(&mut self) {
        lock(self.shared).sleepers.retain(|sleeper| sleeper.id != self.id);
    }
}

impl<C> std::fmt::Debug for Driven<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driven").finish_non_exhaustive()
    }
}
