//! Runs the code of every client of one run: the explorer's door to it.
//!
//! One process per life of a client, all on one thread of the operating system, one running at a time. A client's clock
//! in the world and the clock inside its process are the same: the hub never lets a process see a moment that the world
//! has not reached for it, and never runs one that stands still. Must not decide what happens in the world.

use super::clock::{Clock, Kind};
use super::port::Port;
use super::process::{Process, Ran, Stirred};
use super::sim::{Habits, Place, Sim};
use super::sockets::Sockets;
use super::workload::Kept;
use crate::lock::{ConnectionId, Draw, LinkState, Terms};
use crate::name::{ClientId, VoterId};
use crate::sim::Outside;
use crate::time::{MonoTime, Now, Span, WallTime};
use crate::world::{Act, Arrival};
use std::path::Path;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// Starts the process of a client's life.
pub(super) trait Start {
    /// The process, not yet run, with this seed, wall clock at its beginning, and mark of having acted.
    fn start(&self, seed: u64, wall: WallTime, stirred: Stirred, birth: Birth) -> Box<dyn Process>;
}

/// What the code of a process is given, before its clock runs.
pub(super) struct Birth {
    port: Port,
    terms: Terms,
    incarnation: u16,
    habits: Arc<Habits>,
    base: MonoTime,
    wall_ahead: i64,
    kept: Arc<Mutex<Kept>>,
    draws: Arc<Mutex<dyn FnMut() -> Draw + Send>>,
    sockets: Option<Sockets>,
}

/// All clients of one run.
pub(super) struct Hub<'a> {
    start: &'a dyn Start,
    slots: Vec<Slot>,
    /// Where sockets are made, if the code connects by itself; it goes when the processes are gone.
    folder: Option<TempDir>,
}

/// A client.
pub(super) struct Slot {
    terms: Terms,
    habits: Arc<Habits>,
    seed: u64,
    /// When its first process begins its code, and what its wall clock is ahead of its monotonic one.
    begins: MonoTime,
    wall_ahead: i64,
    incarnation: u16,
    /// Whether a life is to begin at that moment.
    expected: bool,
    /// To whom a connection is open before its first process begins.
    ready: Vec<VoterId>,
    /// How far its workload has come.
    kept: Arc<Mutex<Kept>>,
    draws: Arc<Mutex<dyn FnMut() -> Draw + Send>>,
    life: Option<Life>,
}

/// A living process.
struct Life {
    base: MonoTime,
    port: Port,
    process: Box<dyn Process>,
    /// How often it has woken itself since its clock last moved.
    wakes: u32,
}

/// How often code may wake itself at one moment.
const WAKES_MAX: u32 = 50_000;

impl Birth {
    /// What the code is given; called inside the process, where clocks are its own.
    pub(super) fn sim(self, kind: Kind) -> Sim {
        let Self { port, terms, incarnation, habits, base, wall_ahead, kept, draws, sockets } = self;
        let clock = Clock::begin(kind, base, wall_ahead);
        Sim { port, place: Arc::new(Place { terms, incarnation, habits, clock, kept, draws, sockets }) }
    }
}

impl Slot {
    pub(super) fn new(
        terms: Terms,
        habits: Habits,
        seed: u64,
        (first, begins): (Now, Span),
        ready: Vec<VoterId>,
        draws: impl FnMut() -> Draw + Send + 'static,
    ) -> Self {
        let kept = Arc::new(Mutex::new(Kept::new(habits.workload.cycles)));
        Self {
            terms,
            habits: Arc::new(habits),
            seed,
            begins: first.mono + begins,
            wall_ahead: first.wall.0 - first.mono.0,
            incarnation: 0,
            expected: true,
            ready,
            kept,
            draws: Arc::new(Mutex::new(draws)),
            life: None,
        }
    }

    /// Begins a life.
    fn begin(&mut self, start: &dyn Start, folder: Option<&Path>, now: MonoTime) {
        self.incarnation += 1;
        let life = || format!("{}-{}", self.terms.client.0, self.incarnation);
        self.expected = false;
        let stirred = Stirred::default();
        let port = Port::new(stirred.clone(), std::mem::take(&mut self.ready));
        let birth = Birth {
            port: port.clone(),
            terms: self.terms.clone(),
            incarnation: self.incarnation,
            habits: Arc::clone(&self.habits),
            base: now,
            wall_ahead: self.wall_ahead,
            kept: Arc::clone(&self.kept),
            draws: Arc::clone(&self.draws),
            sockets: folder.map(|folder| Sockets::new(folder.into(), life())),
        };
        let seed = self.seed ^ u64::from(self.incarnation) << 48;
        let process = start.start(seed, WallTime(now.0 + self.wall_ahead), stirred, birth);
        self.life = Some(Life { base: now, port, process, wakes: 0 });
    }
}

impl Life {
    /// Whether the code has done anything that the world does not know.
    fn has_acted(&self) -> bool {
        self.port.lock().has_acted()
    }

    fn now(&self) -> MonoTime {
        self.base + self.process.elapsed()
    }

    fn take_acts(&self) -> Vec<Act> {
        self.port.lock().take_acts()
    }

    fn next_alarm(&self) -> Option<MonoTime> {
        self.port.lock().next_alarm()
    }

    /// Everything that is due at this moment happens.
    fn settle(&mut self, client: ClientId, now: MonoTime) {
        self.port.lock().ring(now);
        let ran = self.process.settle(now - self.base);
        self.check(client, ran);
    }

    /// A panic of the code is the test's: nothing can be judged without it.
    fn check(&self, client: ClientId, ran: Ran) {
        if let Some(failure) = self.port.lock().failure() {
            panic!("{client}: {failure}");
        }
        match ran {
            Ran::Resting | Ran::Ended => {}
            Ran::Panicked(text) => panic!("the code of {client} panicked: {text}"),
            Ran::Spins => {
                panic!("{client} lets no time pass: its tasks were polled millions of times at one moment")
            }
        }
    }

    /// Runs up to `until`, or until the code has done something.
    fn run(
        &mut self,
        client: ClientId,
        now: MonoTime,
        until: MonoTime,
        shows: &dyn Fn(MonoTime) -> MonoTime,
    ) -> bool {
        if now > self.now() {
            self.settle(client, now);
        }
        while !self.has_acted() {
            let alarm = self.next_alarm();
            if let Some(alarm) = alarm.filter(|alarm| *alarm <= self.now()) {
                self.wakes += 1;
                assert!(
                    self.wakes < WAKES_MAX,
                    "{client} lets no time pass: it has woken itself fifty thousand times at one moment"
                );
                self.settle(client, alarm);
                continue;
            }
            self.wakes = 0;
            let bound = alarm.map_or(until, |alarm| shows(alarm).min(until));
            if bound > self.now() {
                let ran = self.process.run(bound - self.base);
                self.check(client, ran);
            }
            if self.has_acted() {
                break;
            }
            if bound >= until {
                return false;
            }
            self.settle(client, bound);
        }
        true
    }
}

impl<'a> Hub<'a> {
    pub(super) fn new(start: &'a dyn Start, slots: Vec<Slot>, folder: Option<TempDir>) -> Self {
        Self { start, slots, folder }
    }
}

impl Outside for Hub<'_> {
    fn run(
        &mut self,
        client: ClientId,
        now: MonoTime,
        until: MonoTime,
        shows: &dyn Fn(MonoTime) -> MonoTime,
    ) -> Option<(MonoTime, Vec<Act>)> {
        let folder = self.folder.as_ref().map(TempDir::path);
        let slot = &mut self.slots[usize::from(client.0)];
        if slot.life.is_none() {
            let begins = shows(slot.begins).max(now);
            if !slot.expected || begins >= until {
                return None;
            }
            slot.begin(self.start, folder, begins);
            slot.life.as_mut()?.settle(client, begins);
        }
        let life = slot.life.as_mut()?;
        life.run(client, now, until, shows).then(|| (life.now(), life.take_acts()))
    }

    fn take(&mut self, client: ClientId, now: Now, arrivals: Vec<Arrival>) -> Vec<Act> {
        let folder = self.folder.as_ref().map(TempDir::path);
        let slot = &mut self.slots[usize::from(client.0)];
        for arrival in arrivals {
            match (arrival, &mut slot.life) {
                (Arrival::Died, life) => {
                    *life = None;
                    slot.ready.clear();
                    // A life that had not begun was one nevertheless.
                    slot.incarnation += u16::from(std::mem::take(&mut slot.expected));
                }
                (Arrival::Rose, _) => {
                    (slot.begins, slot.expected) = (slot.begins.max(now.mono), true);
                    if slot.begins == now.mono {
                        slot.begin(self.start, folder, now.mono);
                    }
                }
                (arrival, Some(life)) => life.port.lock().arrive(arrival),
                (Arrival::Link { voter, connection, state }, None) => {
                    let gone = connection == ConnectionId(0) && state != LinkState::Up;
                    slot.ready.retain(|ready| !gone || *ready != voter);
                }
                (_, None) => {}
            }
        }
        if slot.life.is_none() && slot.expected && slot.begins <= now.mono {
            slot.begin(self.start, folder, now.mono);
        }
        let Some(life) = &mut slot.life else { return Vec::new() };
        life.settle(client, now.mono);
        life.take_acts()
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        self.port.lock().mute();
    }
}
