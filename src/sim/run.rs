//! The loop: the earliest enabled event happens, its trail is judged, what was sent is filed.
//!
//! Must not know what any event means. A message that cannot be handled yet (a paused target, a held link) is
//! parked and filed again when something is unblocked.

use super::cores::{Make, cores};
use super::judged::{Judge, Keep, Owed, RunResult};
use super::latency::{fraction, lesson_fraction, parcel_fraction};
use super::outside::{Nobody, Outside, Outsider};
use super::queue::{Due, Queue};
use super::streams::Streams;
use crate::check::Ending;
use crate::lock::{Core, LockCore};
use crate::name::{ClientId, Direction, MessageName, Name, NodeId};
use crate::plan::{Learn, MessageFate, OrderTerm, Plan, When};
use crate::scenario::Scenario;
use crate::time::{Span, WorldTime};
use crate::world::{
    Act, Arrival, Event, GroupEvent, LaneId, Leg, Lesson, Readiness, Setup, Shipment, StreamId, System, Trail,
};
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
pub struct Explorer<'a, C = Core> {
    scenario: &'a Scenario,
    setup: Arc<Setup>,
    cores: Vec<C>,
    events_max: u64,
    owed: Owed,
}

/// One run in progress.
struct Run<'a, C> {
    /// Who runs the code of clients outside of the world, which these are, and how far they have come.
    outside: &'a mut dyn Outside,
    outsiders: Vec<(ClientId, Outsider)>,
    scenario: &'a Scenario,
    /// The scenario's, perhaps with another plan.
    setup: Arc<Setup>,
    system: System<C>,
    seed: u64,
    streams: Streams,
    queue: Queue,
    /// What faults come directly after, and which.
    afters: Vec<(Name, u32)>,
    /// Messages that are due but could not be handled.
    parked: Vec<Due>,
    /// Per lane and direction, when its last message is due: it is a queue.
    last_due: LastDue<(LaneId, Direction)>,
    /// The same for each leg of a replication link.
    last_shipped: LastDue<(StreamId, Leg)>,
    /// Per node that has timers, the stamp of its filed timer.
    node_stamps: Vec<(NodeId, u32)>,
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
    /// Makes a scenario ready for the shipped cores that it names.
    pub fn new(scenario: &'a Scenario) -> Self {
        Self::with(scenario, &cores)
    }
}

impl<'a, C: LockCore> Explorer<'a, C> {
    /// Makes a scenario ready for cores of any kind.
    pub fn with(scenario: &'a Scenario, make: Make<'_, C>) -> Self {
        let setup = Arc::new(scenario.setup.clone());
        let owed = if scenario.drawn.is_some() { Owed::Nothing } else { Owed::Everything };
        Self { scenario, cores: make(&setup), setup, events_max: EVENTS_MAX, owed }
    }

    /// The same, but a run that has not come to its end after so many events is stopped as at its limit. Without
    /// this call it may take 2 million.
    pub fn at_most(self, events: u64) -> Self {
        Self { events_max: events, ..self }
    }

    /// The same under another plan, of which not everything needs to come about.
    #[must_use]
    pub fn under(&self, plan: Plan) -> Self {
        let setup = Setup { plan, ..(*self.setup).clone() };
        Self { setup: Arc::new(setup), owed: Owed::Nothing, ..self.clone() }
    }

    /// Runs it under a seed.
    pub fn run(&self, seed: u64, keep: Keep) -> RunResult {
        self.run_cores(self.cores.clone(), seed, keep)
    }

    /// Runs it with other cores, one per client.
    pub fn run_cores<D: LockCore>(&self, cores: Vec<D>, seed: u64, keep: Keep) -> RunResult {
        self.run_outside(cores, seed, keep, &mut Nobody)
    }

    /// Runs it where the code of some clients runs outside of the world: those whose core says so.
    ///
    /// # Panics
    /// If that code does what cannot be, such as releasing what it does not hold.
    pub fn run_outside<D: LockCore>(
        &self,
        cores: Vec<D>,
        seed: u64,
        keep: Keep,
        outside: &mut dyn Outside,
    ) -> RunResult {
        let judge = Judge::new(self.scenario, (&self.setup, self.owed), &cores, keep);
        let system = System::new(Arc::clone(&self.setup), cores);
        let clients = self.setup.clients.len();
        let outsiders = system.outsiders().into_iter().map(|client| (client, Outsider::default())).collect();
        let run = Run {
            outside,
            outsiders,
            scenario: self.scenario,
            setup: Arc::clone(&self.setup),
            system,
            seed,
            streams: Streams::new(seed, clients),
            queue: Queue::default(),
            afters: Vec::new(),
            parked: Vec::new(),
            last_due: LastDue::NONE,
            last_shipped: LastDue::NONE,
            node_stamps: Vec::new(),
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
        let limit = self.setup.limit;
        self.file_planned();
        for client in self.system.clients() {
            self.file_timer(client);
        }
        for node in self.system.timed_nodes() {
            self.file_node_timer(node);
        }
        loop {
            self.note_quiet();
            let end = self.quiet_since.map(|since| since + self.setup.settle);
            let next = self.queue.peek();
            // Code outside may act for ever at one moment.
            if self.events_left > 0
                && self.outsiders_act(next.into_iter().chain(end).fold(limit, WorldTime::min))
            {
                continue;
            }
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
        for (index, planned) in self.setup.plan.faults.iter().enumerate() {
            match planned.when {
                When::At(at) => self.queue.file(Due::new(at, Event::FaultBegin(index as u32), 0)),
                When::After(name) => self.afters.push((name, index as u32)),
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

    fn file_node_timer(&mut self, node: NodeId) {
        let at = self.node_stamps.iter().position(|(known, _)| *known == node).unwrap_or_else(|| {
            self.node_stamps.push((node, 0));
            self.node_stamps.len() - 1
        });
        let stamp = &mut self.node_stamps[at].1;
        *stamp += 1;
        if let Some((at, timer)) = self.system.next_node_timer(node) {
            self.queue.file(Due::new(at, Event::Group(GroupEvent::Timer(node, timer)), *stamp));
        }
    }

    /// A parcel of a replication link: held for its lag, or on the wire for one latency.
    fn file_shipment(&mut self, shipment: &Shipment) {
        let Shipment { stream, leg, serial, extra, .. } = *shipment;
        let (latency, event) = match leg {
            Leg::Held => (extra, GroupEvent::Ship(stream)),
            Leg::Wire(way) => {
                let drawn = self.scenario.latency.at(parcel_fraction(self.seed, shipment));
                (Span(drawn) + extra, GroupEvent::Arrive(stream, way))
            }
        };
        let now = self.system.now();
        let due = now + latency;
        let last = self.last_shipped.of((stream, leg), now);
        *last = if self.system.leads(shipment) { due } else { due.max(*last) };
        self.queue.file(Due::new(*last, Event::Group(event), serial));
    }

    fn file_lesson(&mut self, lesson: &Lesson) {
        let after = match lesson.learn {
            Learn::Soon => Span(self.scenario.latency.at(lesson_fraction(self.seed, lesson))),
            Learn::After(span) => span,
            Learn::Never => return,
        };
        let event = Event::Group(GroupEvent::Learn(lesson.client, lesson.voter));
        self.queue.file(Due::new(self.system.now() + after, event, lesson.serial));
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

    /// Lets the code outside of the world run up to this moment, and takes over what the first of it that acts does;
    /// whether any did.
    fn outsiders_act(&mut self, bound: WorldTime) -> bool {
        if self.outsiders.is_empty() {
            return false;
        }
        if self.hand_over(bound) {
            return true;
        }
        let (now, mut first) = (self.system.now(), None);
        let running = (0..self.outsiders.len()).filter(|place| self.system.runs(self.outsiders[*place].0));
        let (mut places, listeners): (Vec<_>, Vec<_>) =
            running.partition(|place| !self.system.listens(self.outsiders[*place].0));
        // Whoever listens comes last: what the others do by then bounds how far it may run.
        places.extend(&listeners);
        let horizon = self.horizon(bound, listeners.len());
        let (steps, mut bound) = (horizon < bound, horizon);
        for place in places {
            let client = self.outsiders[place].0;
            if self.outsiders[place].1.done.is_none() && bound > now {
                let until = self.system.client_at(client, bound).mono;
                let mono = self.system.client_now(client).mono;
                let system = &self.system;
                let shows = |reading| {
                    let at = system.reads_at(client, reading);
                    at.map_or(reading, |at| system.client_at(client, at).mono)
                };
                self.outsiders[place].1.done = self.outside.run(client, mono, until, &shows);
            }
            let done = self.outsiders[place].1.done.as_ref();
            let at = done.and_then(|(mono, _)| self.system.reads_at(client, *mono)).map(|at| at.max(now));
            if let Some(at) = at.filter(|at| *at < bound) {
                (bound, first) = (at, Some(place));
            }
        }
        let Some(place) = first else {
            if steps {
                self.advance(horizon);
            }
            return steps;
        };
        self.advance(bound);
        let (client, done) = (self.outsiders[place].0, self.outsiders[place].1.done.take());
        self.acts(client, done.map_or_else(Vec::new, |(_, acts)| acts));
        true
    }

    /// How far clients outside may run before this moment. Of several that listen each may be reached by what another is
    /// about to do, so they go in steps of the shortest way to one another.
    fn horizon(&self, at: WorldTime, listeners: usize) -> WorldTime {
        let way = Span(self.scenario.latency.at(0).max(1));
        if listeners > 1 { at.min(self.system.now() + way + way) } else { at }
    }

    /// The code of a client did this now: one step, directly after which faults may come.
    fn acts(&mut self, client: ClientId, acts: Vec<Act>) {
        for act in acts {
            self.judge.count_event();
            self.events_left = self.events_left.saturating_sub(1);
            let done = self.system.act(client, act, &mut self.trail);
            done.unwrap_or_else(|impossible| panic!("{impossible}"));
        }
        self.absorb();
    }

    /// Hands over what has reached a client outside, unless more reaches anybody at this instant; whether anything was. One
    /// client at a time, in index order, each with what is due at it: as the events of one instant go everywhere.
    fn hand_over(&mut self, next: WorldTime) -> bool {
        let now = self.system.now();
        // The dead are buried; whoever stands still takes nothing.
        let takes = |system: &System<C>, client: ClientId, outsider: &Outsider| {
            let runs = system.runs(client) || outsider.inbox.contains(&Arrival::Died);
            !outsider.inbox.is_empty() && outsider.done.is_none() && runs
        };
        let last =
            self.outsiders.iter().rposition(|(client, outsider)| takes(&self.system, *client, outsider));
        let Some(last) = last.filter(|_| next > now) else { return false };
        for place in 0..=last {
            let (client, outsider) = &mut self.outsiders[place];
            let client = *client;
            let due = outsider.settled != Some(now) && outsider.done.is_none() && self.system.runs(client);
            if !due && !takes(&self.system, client, outsider) {
                continue;
            }
            outsider.settled = Some(now);
            let arrivals = std::mem::take(&mut outsider.inbox);
            let (handed, now) = (!arrivals.is_empty(), self.system.client_now(client));
            let acts = self.outside.take(client, now, arrivals);
            if handed || !acts.is_empty() {
                self.acts(client, acts);
                return true;
            }
        }
        false
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
            Event::Group(GroupEvent::Timer(node, _)) => self.node_stamps.contains(&(node, due.stamp)),
            Event::Group(event) => match self.system.readiness(event, due.stamp) {
                Readiness::Now => true,
                Readiness::Never => false,
                Readiness::Later => {
                    self.parked.push(*due);
                    false
                }
            },
        }
    }

    /// An order directive for this instant may put something else first. It is met once both of its terms were due.
    fn reorder(&mut self, due: Due) -> Due {
        let (Some(process), now) = (due.process(), due.at.max(self.system.now())) else { return due };
        for (index, order) in self.setup.plan.orders.iter().enumerate() {
            if order.at != now || order.of != process || !self.is_live(&due) {
                continue;
            }
            let (system, stamps) = (&self.system, Stamps(&self.stamps, &self.node_stamps));
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
        is_live(&self.system, Stamps(&self.stamps, &self.node_stamps), due)
    }

    fn step(&mut self, event: Event) {
        self.system.step(event, &mut self.streams, &mut self.trail);
        self.judge.count_event();
        self.events_left = self.events_left.saturating_sub(1);
        if let Event::FaultBegin(index) = event {
            let lasts = self.setup.plan.faults[index as usize].lasts;
            let instant = self.setup.plan.faults[index as usize].fault.is_instant();
            if let Some(lasts) = lasts.filter(|_| !instant) {
                let end = self.system.now() + lasts + self.system.restart_delay(index);
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
            let drawn = self
                .scenario
                .latency_between(sent.lane.client, sent.lane.peer)
                .at(fraction(self.seed, &sent.name));
            let latency = match sent.fate {
                Some(MessageFate::Delay(delay)) => delay,
                Some(MessageFate::Lose) | None => Span(drawn) + sent.extra,
            };
            let now = self.system.now();
            let last = self.last_due.of((sent.lane, sent.direction), now);
            let due = now + latency;
            // What was queued before it may have been lost with its connection: nothing is left to wait for.
            *last = if self.system.is_first(&sent) { due } else { due.max(*last) };
            let event = Event::Deliver(sent.lane, sent.direction);
            self.queue.file(Due::new(*last, event, sent.serial));
        }
        for shipment in trail.shipped.drain(..) {
            self.file_shipment(&shipment);
        }
        for lesson in trail.lessons.drain(..) {
            self.file_lesson(&lesson);
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
        trail.nodes.sort_unstable();
        trail.nodes.dedup();
        for node in trail.nodes.drain(..) {
            self.file_node_timer(node);
        }
        for (client, arrival) in trail.arrivals.drain(..) {
            let place = self.outsiders.iter_mut().find(|(known, _)| *known == client);
            let Some((_, outsider)) = place else { continue };
            if arrival == Arrival::Died {
                *outsider = Outsider::default();
            }
            outsider.inbox.push(arrival);
        }
        let mut triggered = Vec::new();
        for name in trail.names.drain(..) {
            let after = self.afters.iter().filter(|(trigger, _)| *trigger == name);
            triggered.extend(after.map(|(_, index)| *index));
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

/// When the last of what queues in each place is due, sorted by place; of places where that is past, some.
struct LastDue<K> {
    dues: Vec<(K, WorldTime)>,
    /// How many there may be before those that are past are dropped: a client that connects again and again queues in
    /// ever new places.
    most: usize,
}

impl<K: Ord + Copy> LastDue<K> {
    const NONE: Self = Self { dues: Vec::new(), most: 64 };

    fn of(&mut self, place: K, now: WorldTime) -> &mut WorldTime {
        if self.dues.len() >= self.most {
            self.dues.retain(|(_, due)| *due > now);
            self.most = 64.max(2 * self.dues.len());
        }
        let at = self.dues.binary_search_by_key(&place, |(known, _)| *known).unwrap_or_else(|at| {
            self.dues.insert(at, (place, WorldTime::ZERO));
            at
        });
        &mut self.dues[at].1
    }
}

/// The stamps of the filed timers: of clients, and of nodes.
#[derive(Clone, Copy)]
struct Stamps<'a>(&'a [u32], &'a [(NodeId, u32)]);

/// The message that a filed event delivers, if it can.
fn name_of<C: LockCore>(system: &System<C>, due: &Due) -> Option<MessageName> {
    match due.event {
        Event::Deliver(lane, direction) => system.deliverable(lane, direction).map(|(_, name)| name),
        Event::FaultEnd(_) | Event::FaultBegin(_) | Event::Timer(..) | Event::Group(_) => None,
    }
}

/// Whether a filed message or timer could happen now.
fn is_live<C: LockCore>(system: &System<C>, stamps: Stamps<'_>, due: &Due) -> bool {
    match due.event {
        Event::Timer(client, _) => due.stamp == stamps.0[usize::from(client.0)],
        Event::Group(GroupEvent::Timer(node, _)) => stamps.1.contains(&(node, due.stamp)),
        Event::Group(event) => system.readiness(event, due.stamp) == Readiness::Now,
        Event::Deliver(lane, direction) => {
            system.deliverable(lane, direction).is_some_and(|(serial, _)| serial == due.stamp)
        }
        Event::FaultEnd(_) | Event::FaultBegin(_) => false,
    }
}
