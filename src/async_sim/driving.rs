//! The task that drives a core, and what it shares with the caller: connections, timers, outcomes not yet taken.
//!
//! Each step does one thing. Must not decide what: the desk does, and of connections the first that has anything.

use super::driven::{Grant, lock};
use super::port::{Heard, Reads};
use super::sim::Sim;
use super::wire::Wire;
use crate::lock::{
    Caller, ConnectionId, Desk, Draw, Duty, ExtendFailure, Found, Input, LinkState, LockCore, LossReason,
    OnTimeout, Output, RefuseReason, Released, Ttl, Until,
};
use crate::name::VoterId;
use crate::time::MonoTime;
use crate::world::Act;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker, ready};

/// The one caller of the core.
pub(super) const CALLER: Caller = Caller(0);

/// What the caller and the task share.
pub(super) struct Shared<C> {
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
    pub(super) told: Told,
    /// Who waits for an outcome.
    callers: Vec<Waker>,
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
pub(super) struct Told {
    pub(super) acquired: Option<Result<Grant, RefuseReason>>,
    pub(super) extended: Option<Result<Until, ExtendFailure>>,
    pub(super) checked: Option<Found>,
    pub(super) released: Option<Released>,
    pub(super) lost: Option<LossReason>,
    /// What the core believes of the hold, from the grant to its loss or release.
    pub(super) until: Option<Until>,
}

/// Does one thing after the other for as long as it is let.
pub(super) async fn drive<C: LockCore>(shared: Arc<Mutex<Shared<C>>>) {
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
    pub(super) fn new(sim: &Sim, core: C, on_timeout: OnTimeout) -> Self {
        let mut shared = Self {
            sim: sim.clone(),
            desk: Desk::new(core, on_timeout),
            lines: Vec::new(),
            alarm: None,
            sleepers: Vec::new(),
            last_sleeper: 0,
            task: None,
            told: Told::default(),
            callers: Vec::new(),
        };
        for to in sim.ready() {
            shared.desk.opened(to.0, to.1);
            shared.connect(to);
        }
        shared
    }

    pub(super) fn ttl(&self) -> Ttl {
        self.desk.traits().ttl
    }

    pub(super) fn draw(&self) -> Draw {
        self.sim.draw()
    }

    pub(super) fn tell_world(&self, act: Act) {
        self.sim.tell(act);
    }

    /// Whether the plan has the open call given up.
    pub(super) fn poll_cancelled(&self, context: &mut Context<'_>) -> bool {
        self.sim.port.lock().poll_cancelled(context)
    }

    /// The caller, or the plan, has something for the core.
    pub(super) fn feed(&mut self, input: Input) {
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
        self.callers.drain(..).for_each(Waker::wake);
    }

    pub(super) fn poll_told<T>(
        &mut self,
        context: &mut Context<'_>,
        mut take: impl FnMut(&mut Told) -> Option<T>,
    ) -> Poll<T> {
        match take(&mut self.told) {
            Some(told) => Poll::Ready(told),
            None => {
                self.callers.push(context.waker().clone());
                Poll::Pending
            }
        }
    }

    pub(super) fn set_sleeper(&mut self, at: MonoTime) -> u64 {
        self.last_sleeper += 1;
        self.sleepers.push(Sleeper { id: self.last_sleeper, at, woken: false, waker: None });
        if let Some(task) = self.task.take() {
            task.wake();
        }
        self.last_sleeper
    }

    pub(super) fn poll_sleeper(&mut self, id: u64, context: &mut Context<'_>) -> Poll<()> {
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

impl<C> Shared<C> {
    pub(super) fn drop_sleeper(&mut self, id: u64) {
        self.sleepers.retain(|sleeper| sleeper.id != id);
    }
}

fn sleep(sim: Sim, at: MonoTime) -> Pending<()> {
    Box::pin(async move { sim.sleep_until(at).await })
}
