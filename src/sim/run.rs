//! The loop: the earliest enabled event happens, its trail is judged, what was sent is filed.
//!
//! Must not know what any event means. A message that cannot be handled yet (a paused target, a held link) is
//! parked and filed again when something is unblocked.

use super::cores::cores;
use super::judged::{Judge, Keep, RunResult};
use super::latency::fraction;
use super::queue::{Due, Queue};
use super::streams::Streams;
use crate::check::Ending;
use crate::lock::{Core, LockCore};
use crate::name::{ClientId, Direction, MessageName};
use crate::plan::{MessageFate, OrderTerm, When};
use crate::scenario::Scenario;
use crate::time::{Span, WorldTime};
use crate::world::{Event, LaneId, Setup, System, Trail};
use std::sync::Arc;

/// How many events a run may take. Where messages and waits take hardly any time, millions of events happen long
/// before `limit_ms`, and all their records are kept: this ends such a run before memory does.
const EVENTS_MAX: u64 = 2_000_000;

/// Runs a scenario under a seed. The same scenario and seed give the same result on every machine.
pub fn run(scenario: &Scenario, seed: u64) -> RunResult {
    Explorer::new(scenario).run(seed, Keep::Records)
}

/// A scenario made ready to be run under many seeds.
#[derive(Clone, Debug)]
pub struct Explorer<'a> {
    scenario: &'a Scenario,
    setup: Arc<Setup>,
    cores: Vec<Core>,
    events_max: u64,
}

/// One run in progress.
struct Run<'a, C> {
    scenario: &'a Scenario,
    system: System<C>,
    seed: u64,
    streams: Streams,
    queue: Queue,
    /// Messages that are due but could not be handled.
    parked: Vec<Due>,
    /// Per lane and direction, when its last message is due: it is a queue.
    last_due: LastDue,
    /// Per client, the stamp of its filed timer; older ones are void.
    stamps: Vec<u32>,
    judge: Judge,
    trail: Trail,
    /// How many more events may happen.
    events_left: u64,
    /// Since when nothing has gone wrong and nobody has had anything to do.
    quiet_since: Option<WorldTime>,
}

impl<'a> Explorer<'a> {
    /// Makes a scenario ready.
    pub fn new(scenario: &'a Scenario) -> Self {
        let setup = Arc::new(scenario.setup.clone());
        Self { scenario, cores: cores(&setup), setup, events_max: EVENTS_MAX }
    }

    /// The same, but a run that has not come to its end after so many events is stopped as at its limit. Without
    /// this call it may take 2 million.
    pub fn at_most(self, events: u64) -> Self {
        Self { events_max: events, ..self }
    }

    /// Runs it under a seed.
    pub fn run(&self, seed: u64, keep: Keep) -> RunResult {
        self.run_cores(self.cores.clone(), seed, keep)
    }

    /// Runs it with somebody else's cores, one per client.
    pub fn run_cores<C: LockCore>(&self, cores: Vec<C>, seed: u64, keep: Keep) -> RunResult {
        let judge = Judge::new(self.scenario, &cores, keep);
        let system = System::new(Arc::clone(&self.setup), cores);
        let clients = self.setup.clients.len();
        let run = Run {
            scenario: self.scenario,
            system,
            seed,
            streams: Streams::new(seed, clients),
            queue: Queue::default(),
            parked: Vec::new(),
            last_due: LastDue(Vec::new()),
            stamps: vec![0; clients],
            judge,
            trail: Trail::default(),
            events_left: self.events_max,
            quiet_since: None,
        };
        run.finish()
    }
}

impl<C: LockCore> Run<'_, C> {
    fn finish(mut self) -> RunResult {
        let limit = self.scenario.setup.limit;
        self.file_planned();
        for client in self.system.clients() {
            self.file_timer(client);
        }
        loop {
            self.note_quiet();
            let end = self.quiet_since.map(|since| since + self.scenario.setup.settle);
            let next = self.queue.peek();
            // A run that its limit cuts short has not settled: nothing left over may be judged.
            if let Some(end) = end.filter(|end| *end <= limit && next.is_none_or(|next| next > *end)) {
                self.advance(end);
                self.system.settle(&mut self.trail);
                self.absorb();
                return self.judge.finish(end, Ending::Settled, self.seed);
            }
            match next {
                Some(_) if self.events_left == 0 => {
                    let now = self.system.now();
                    return self.judge.finish(now, Ending::Limit, self.seed);
                }
                Some(next) if next <= limit => {}
                Some(_) | None => {
                    self.advance(limit);
                    self.absorb();
                    return self.judge.finish(limit, Ending::Limit, self.seed);
                }
            }
            self.happen();
        }
    }

    /// Fault edges still to come keep the run from being quiet.
    fn note_quiet(&mut self) {
        if self.queue.faults > 0 || !self.system.is_done() {
            self.quiet_since = None;
        } else if self.quiet_since.is_none() {
            self.quiet_since = Some(self.system.now());
        }
    }

    fn file_planned(&mut self) {
        for (index, planned) in self.scenario.setup.plan.faults.iter().enumerate() {
            if let When::At(at) = planned.when {
                self.queue.file(Due::new(at, Event::FaultBegin(index as u32), 0));
            }
        }
    }

    fn file_timer(&mut self, client: ClientId) {
        let stamp = &mut self.stamps[usize::from(client.0)];
        *stamp += 1;
        if let Some((at, kind)) = self.system.next_timer(client) {
            self.queue.file(Due::new(at, Event::Timer(client, kind), *stamp));
        }
    }

    fn happen(&mut self) {
        let Some(due) = self.queue.pop() else { return };
        let due = self.reorder(due);
        if !self.is_current(&due) {
            return;
        }
        self.advance(due.at.max(self.system.now()));
        self.step(due.event);
    }

    /// Lets time pass. What becomes true by itself on the way concerns nobody's timers.
    fn advance(&mut self, to: WorldTime) {
        self.system.advance(to, &mut self.trail);
    }

    /// Whether a filed event can happen; parks a message that has to wait.
    fn is_current(&mut self, due: &Due) -> bool {
        match due.event {
            Event::FaultEnd(_) => true,
            Event::FaultBegin(index) => !self.system.has_begun(index),
            Event::Timer(client, _) => due.stamp == self.stamps[usize::from(client.0)],
            Event::Deliver(lane, direction) => match self.system.deliverable(lane, direction) {
                Some((serial, _)) if serial == due.stamp => true,
                Some(_) | None => {
                    self.parked.push(*due);
                    false
                }
            },
        }
    }

    /// An order directive for this instant may put something else first. It is met once both of its terms were due.
    fn reorder(&mut self, due: Due) -> Due {
        let (Some(process), now) = (due.process(), due.at.max(self.system.now())) else { return due };
        for (index, order) in self.scenario.setup.plan.orders.iter().enumerate() {
            if order.at != now || order.of != process || !self.is_live(&due) {
                continue;
            }
            let (system, stamps) = (&self.system, &self.stamps);
            let is = |due: &Due, term: OrderTerm| due.is(term, name_of(system, due));
            let other = |term: OrderTerm| {
                move |other: &Due| {
                    other.process() == Some(process) && is(other, term) && is_live(system, stamps, other)
                }
            };
            if is(&due, order.first) && self.queue.any(now, other(order.then)) {
                self.judge.order_met(index);
            } else if is(&due, order.then)
                && let Some(first) = self.queue.take(now, other(order.first))
            {
                self.judge.order_met(index);
                self.queue.file(due);
                return first;
            }
        }
        due
    }

    fn is_live(&self, due: &Due) -> bool {
        is_live(&self.system, &self.stamps, due)
    }

    fn step(&mut self, event: Event) {
        self.system.step(event, &mut self.streams, &mut self.trail);
        self.judge.count_event();
        self.events_left = self.events_left.saturating_sub(1);
        if let Event::FaultBegin(index) = event {
            let lasts = self.scenario.setup.plan.faults[index as usize].lasts;
            let instant = self.scenario.setup.plan.faults[index as usize].fault.is_instant();
            if let Some(lasts) = lasts.filter(|_| !instant) {
                let end = self.system.now() + lasts;
                self.queue.file(Due::new(end, Event::FaultEnd(index), 0));
            }
        }
        self.absorb();
    }

    /// Judges the trail and files what follows from it; faults that come directly after something happen here.
    fn absorb(&mut self) {
        let mut trail = std::mem::take(&mut self.trail);
        for record in trail.records.drain(..) {
            self.judge.on_record(record);
        }
        for sent in trail.sent.drain(..) {
            let drawn = self.scenario.latency.at(fraction(self.seed, &sent.name));
            let latency = match sent.fate {
                Some(MessageFate::Delay(delay)) => delay,
                Some(MessageFate::Lose) | None => Span(drawn) + sent.extra,
            };
            let last = self.last_due.of(sent.lane, sent.direction);
            let due = self.system.now() + latency;
            // What was queued before it may have been lost with its connection: nothing is left to wait for.
            *last = if self.system.is_first(&sent) { due } else { due.max(*last) };
            let event = Event::Deliver(sent.lane, sent.direction);
            self.queue.file(Due::new(*last, event, sent.serial));
        }
        if std::mem::take(&mut trail.unblocked) {
            let now = self.system.now();
            for parked in self.parked.drain(..) {
                self.queue.file(parked.postponed(now));
            }
        }
        trail.touched.sort_unstable();
        trail.touched.dedup();
        for client in trail.touched.drain(..) {
            self.file_timer(client);
        }
        let mut triggered = Vec::new();
        for name in trail.names.drain(..) {
            let faults = self.scenario.setup.plan.faults.iter().enumerate();
            let after = faults.filter(|(_, planned)| planned.when == When::After(name));
            triggered.extend(after.map(|(index, _)| index as u32));
        }
        trail.clear();
        self.trail = trail;
        for index in triggered {
            if !self.system.has_begun(index) {
                self.step(Event::FaultBegin(index));
            }
        }
    }
}

/// When the last message of each lane and direction is due, sorted by lane.
struct LastDue(Vec<(LaneId, [WorldTime; 2])>);

impl LastDue {
    fn of(&mut self, lane: LaneId, direction: Direction) -> &mut WorldTime {
        let at = self.0.binary_search_by_key(&lane, |(known, _)| *known).unwrap_or_else(|at| {
            self.0.insert(at, (lane, [WorldTime::ZERO; 2]));
            at
        });
        &mut self.0[at].1[usize::from(direction == Direction::Reply)]
    }
}

/// The message that a filed event delivers, if it can.
fn name_of<C: LockCore>(system: &System<C>, due: &Due) -> Option<MessageName> {
    match due.event {
        Event::Deliver(lane, direction) => system.deliverable(lane, direction).map(|(_, name)| name),
        Event::FaultEnd(_) | Event::FaultBegin(_) | Event::Timer(..) => None,
    }
}

/// Whether a filed message or timer could happen now.
fn is_live<C: LockCore>(system: &System<C>, stamps: &[u32], due: &Due) -> bool {
    match due.event {
        Event::Timer(client, _) => due.stamp == stamps[usize::from(client.0)],
        Event::Deliver(lane, direction) => {
            system.deliverable(lane, direction).is_some_and(|(serial, _)| serial == due.stamp)
        }
        Event::FaultEnd(_) | Event::FaultBegin(_) => false,
    }
}
