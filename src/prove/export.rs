//! A path of the graph as a plan: the same choices, with a time for each, for the seeded explorer.
//!
//! Every step gets a microsecond of its own inside its tick, so that no two are due at one instant, and a later one than
//! any step of an earlier tick: what a step sets an end to so many ticks ahead (a promise, a key's life) is over before
//! the steps of that tick, as it is in the graph. A timer keeps the moment at which it is due, or is
//! deferred. A message's delay becomes a directive, a fault an entry of the plan. The plan must then violate the same
//! oracle in the seeded world: whoever exports, runs it.

use super::choices::Choice;
use super::model::ScopeModel;
use super::seen::Seen;
use super::state::{Done, Fresh};
use super::terms::Terms;
use crate::lock::LockCore;
use crate::name::{ClientId, Direction, MessageName, NodeId, Process, VoterId};
use crate::plan::{Deferral, Fault, Learn, MessageDirective, MessageFate, Plan, PlannedFault, When};
use crate::time::{Span, WorldTime};
use crate::world::{Asked, Event, GroupEvent, LaneId, Place, System, TimerKind, Trail};

/// An exported path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// What makes the seeded explorer take the path.
    pub plan: Plan,
    /// When the last step happens.
    pub end: WorldTime,
    /// Whether the plan says all of it. It cannot say that of two timers of one client that are due at once the later
    /// set fires first.
    pub whole: bool,
}

/// A message on its way: where it queues, its serial, its name, when it was sent.
#[derive(Clone, Copy, Debug)]
struct Flight {
    serial: u32,
    name: MessageName,
    sent: WorldTime,
}

/// A fault of the plan that is being written.
#[derive(Clone, Copy, Debug)]
struct Open {
    slot: u32,
    place: usize,
    began: WorldTime,
}

/// The same path walked by a system that keeps its names and its time.
struct Walk<'a, C> {
    terms: &'a Terms,
    system: System<C>,
    now: WorldTime,
    /// How far behind the begin of a tick its first step comes: as far as the last step of any earlier tick.
    behind: Span,
    flights: Vec<Flight>,
    firings: Vec<u32>,
    nonces: Fresh,
    plan: Plan,
    whole: bool,
    open: Vec<Open>,
    trail: Trail,
    /// The walk's voters by their place in the canonical state.
    voters: Vec<u8>,
}

/// Turns a path, as choices from the start of the model, into a plan.
///
/// # Panics
/// If the path is not one of the model's.
pub fn export<C: LockCore>(model: &ScopeModel<C>, path: &[Choice]) -> Export {
    let mut seen = Seen { done: Some(Vec::new()), ..Seen::default() };
    let (mut state, voters) = model.start(&mut seen);
    let mut walk = Walk {
        terms: model.terms(),
        system: model.system(),
        now: WorldTime::ZERO,
        behind: Span::ZERO,
        flights: Vec::new(),
        firings: vec![0; model.cores().len()],
        nonces: Fresh(0),
        plan: Plan::empty(),
        whole: true,
        open: Vec::new(),
        trail: Trail::default(),
        voters: (0..voters.len() as u8).collect(),
    };
    let mut ticks = 0;
    walk.follow(seen.done.take().unwrap_or_default(), &mut ticks);
    walk.reorder(&voters);
    for choice in path {
        let mut seen = Seen { done: Some(Vec::new()), ..Seen::default() };
        let renaming = state.choose(*choice, model.terms(), &mut seen);
        walk.follow(seen.done.unwrap_or_default(), &mut ticks);
        walk.reorder(&renaming.voters);
    }
    walk.finish(ticks)
}

impl<C: LockCore> Walk<'_, C> {
    fn reorder(&mut self, voters: &[u8]) {
        self.voters = voters.iter().map(|place| self.voters[usize::from(*place)]).collect();
    }

    fn follow(&mut self, done: Vec<Done>, ticks: &mut i64) {
        for step in done {
            let begin = WorldTime::ZERO + super::Scope::ticks(*ticks);
            if let Done::Tick = step {
                self.behind = self.behind.max(self.now - begin);
                *ticks += 1;
                continue;
            }
            self.now = self.now.max(begin + self.behind);
            match step {
                Done::Tick => {}
                Done::Event { event, asked, rank } => self.event(event, asked, rank),
                Done::Lost { place, rank } => self.lost(place, rank),
                Done::Began(slot) => self.began(self.terms.original(slot, &self.voters)),
                Done::Over(slot) => self.over(self.terms.original(slot, &self.voters)),
            }
        }
    }

    /// What the path leaves in flight stays there, what it leaves in force lasts to the end of the last tick.
    fn finish(mut self, ticks: i64) -> Export {
        for flight in &self.flights {
            let fate = MessageFate::Delay(super::Scope::ticks(ticks + 1_000));
            self.plan.messages.push(MessageDirective { name: flight.name, fate });
        }
        for (index, firings) in self.firings.iter().enumerate() {
            let until = self.now + super::Scope::ticks(1_000);
            self.plan.deferrals.push(Deferral { client: ClientId(index as u16), firing: firings + 1, until });
        }
        let until = WorldTime::ZERO + super::Scope::ticks(ticks + 1);
        for open in &self.open {
            if self.terms.slots[open.slot as usize].lasts.is_some() {
                self.plan.faults[open.place].lasts = Some(until - open.began);
            }
        }
        Export { plan: self.plan, end: self.now, whole: self.whole }
    }

    fn voter(&self, voter: VoterId) -> VoterId {
        VoterId(self.voters.get(usize::from(voter.0)).copied().unwrap_or(voter.0))
    }

    /// The walk's connection of this rank between the same two.
    fn lane(&self, lane: LaneId, rank: usize) -> LaneId {
        let peer = match lane.peer {
            Process::Node(node) => Process::Node(NodeId { voter: self.voter(node.voter), ..node }),
            Process::Store | Process::Client(_) => lane.peer,
        };
        self.system
            .ranked_lane(LaneId { peer, ..lane }, rank)
            .expect("a path uses connections that are there")
    }

    fn event(&mut self, event: Event, asked: Option<Asked>, rank: usize) {
        let event = match event {
            Event::Deliver(lane, direction) => {
                let lane = self.lane(lane, rank);
                self.now += Span(1);
                self.arrive(lane, direction);
                Event::Deliver(lane, direction)
            }
            Event::Timer(client, kind) => {
                let asked = asked.map(|asked| Asked { voter: self.voter(asked.voter), ..asked });
                self.fire(client, kind, asked)
            }
            Event::Group(GroupEvent::Ship(_)) => event,
            Event::Group(GroupEvent::Learn(client, _)) => {
                self.now += Span(1);
                self.learned(client);
                event
            }
            Event::Group(GroupEvent::Arrive(..) | GroupEvent::Timer(..)) => {
                self.now += Span(1);
                event
            }
            Event::FaultBegin(_) | Event::FaultEnd(_) => event,
        };
        self.step(event);
    }

    fn step(&mut self, event: Event) {
        self.system.advance(self.now, &mut self.trail);
        self.system.step(event, &mut self.nonces, &mut self.trail);
        for sent in self.trail.sent.drain(..) {
            self.flights.push(Flight { serial: sent.serial, name: sent.name, sent: self.now });
        }
        self.trail.clear();
    }

    /// Takes a message off the list of those on their way. Notices have no name that a directive could use.
    fn take(&mut self, serial: u32) -> Flight {
        let place = self.flights.iter().position(|flight| flight.serial == serial);
        self.flights.swap_remove(place.expect("what is delivered was sent"))
    }

    fn arrive(&mut self, lane: LaneId, direction: Direction) {
        self.system.advance(self.now, &mut self.trail);
        let (serial, _) = self.system.deliverable(lane, direction).expect("a path delivers what is there");
        let is_notice = self.system.is_notice(lane, direction);
        let flight = self.take(serial);
        let fate = MessageFate::Delay(self.now - flight.sent);
        if !is_notice {
            self.plan.messages.push(MessageDirective { name: flight.name, fate });
        }
    }

    fn lost(&mut self, place: Place, rank: usize) {
        let place = Place { lane: self.lane(place.lane, rank), ..place };
        let serial = self.system.serial(place).expect("a path loses what is there");
        let flight = self.take(serial);
        self.plan.messages.push(MessageDirective { name: flight.name, fate: MessageFate::Lose });
        self.system.lose(place);
    }

    fn began(&mut self, slot: u32) {
        self.now += Span(1);
        let offer = &self.terms.slots[slot as usize];
        let place = self.plan.faults.len();
        let when = When::At(self.now);
        let mut fault = offer.fault.clone();
        // Who has not learned when the path ends, learns no more.
        if let Fault::Promote { except, .. } = &mut fault {
            except.iter_mut().for_each(|(_, learn)| *learn = Learn::Never);
        }
        self.plan.faults.push(PlannedFault { when, lasts: None, fault });
        self.open.push(Open { slot, place, began: self.now });
        self.step(Event::FaultBegin(slot));
        if offer.lasts.is_none() {
            self.system.rearm(slot);
        }
    }

    fn over(&mut self, slot: u32) {
        self.now += Span(1);
        let at = self.open.iter().rposition(|open| open.slot == slot).expect("a path ends what it began");
        let open = self.open.remove(at);
        self.plan.faults[open.place].lasts = Some(self.now - open.began);
        self.step(Event::FaultEnd(slot));
        self.system.rearm(slot);
    }

    /// The plan says when each client learns of the last promotion.
    fn learned(&mut self, client: ClientId) {
        let promotions = self.open.iter().rev();
        for open in promotions {
            if let Fault::Promote { except, .. } = &mut self.plan.faults[open.place].fault {
                let after = Learn::After(self.now - open.began);
                except.retain(|(known, _)| *known != client);
                except.push((client, after));
                except.sort_unstable();
                return;
            }
        }
    }

    /// The walk's own clocks run microseconds late, so the timer may be due a little after the tick.
    fn fire(&mut self, client: ClientId, chosen: TimerKind, asked: Option<Asked>) -> Event {
        self.now += Span(1);
        let kind = loop {
            self.system.advance(self.now, &mut self.trail);
            let due = self.system.due_timers(client);
            let same = |kind: &TimerKind| match kind {
                TimerKind::Request(request) => {
                    asked.is_some() && self.system.asked(client, *request) == asked
                }
                TimerKind::User | TimerKind::Wake(_) | TimerKind::Redial(..) => *kind == chosen,
            };
            if let Some(kind) = due.into_iter().find(same) {
                let first = self.system.next_timer(client).map(|(_, first)| first);
                self.whole &= first == Some(kind);
                break kind;
            }
            let (next, _) = self.system.next_timer(client).expect("a path fires timers that are set");
            self.now = next.max(self.now + Span(1));
        };
        let firing = &mut self.firings[usize::from(client.0)];
        *firing += 1;
        self.plan.deferrals.push(Deferral { client, firing: *firing, until: self.now });
        Event::Timer(client, kind)
    }
}
