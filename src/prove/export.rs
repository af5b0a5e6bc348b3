//! A path of the graph as a plan: the same choices, with a time for each, for the seeded explorer.
//!
//! Every step gets a microsecond of its own inside its tick, so that no two are due at one instant; a timer
//! keeps the moment at which it is due, or is deferred. A message's delay becomes a directive. The plan must
//! then violate the same oracle in the seeded world: whoever exports, runs it.

use super::model::ScopeModel;
use super::state::{Choice, Done, Fresh};
use crate::lock::LockCore;
use crate::name::{ClientId, Direction, MessageName, NodeId, Process, VoterId};
use crate::plan::{Deferral, MessageDirective, MessageFate, Plan};
use crate::time::{Span, WorldTime};
use crate::world::{Event, LaneId, System, TimerKind, Trail};

/// An exported path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// What makes the seeded explorer take the path.
    pub plan: Plan,
    /// When the last step happens.
    pub end: WorldTime,
}

/// A message on its way: where it queues, its serial, its name, when it was sent.
#[derive(Clone, Copy, Debug)]
struct Flight {
    serial: u32,
    name: MessageName,
    sent: WorldTime,
}

/// The same path walked by a system that keeps its names and its time.
struct Walk<C> {
    system: System<C>,
    now: WorldTime,
    flights: Vec<Flight>,
    firings: Vec<u32>,
    nonces: Fresh,
    plan: Plan,
    trail: Trail,
}

/// Turns a path, as choices from the start of the model, into a plan.
///
/// # Panics
/// If the path is not one of the model's.
pub fn export<C: LockCore>(model: &ScopeModel<C>, path: &[Choice]) -> Export {
    let clients = model.cores().len();
    let mut walk = Walk {
        system: model.system(),
        now: WorldTime::ZERO,
        flights: Vec::new(),
        firings: vec![0; clients],
        nonces: Fresh(0),
        plan: Plan::empty(),
        trail: Trail::default(),
    };
    let (mut state, mut voters) = model.start();
    let mut ticks = 0;
    for choice in path {
        let mut done = Vec::new();
        let renaming = state.choose(*choice, model.scope(), &mut done);
        for step in done {
            match step {
                Done::Tick => ticks += 1,
                Done::Event(event, voter) => {
                    walk.now = walk.now.max(WorldTime::ZERO + super::Scope::ticks(ticks));
                    walk.step(event, voter, &voters);
                }
            }
        }
        voters = renaming.voters.iter().map(|place| voters[usize::from(*place)]).collect();
    }
    // What the path leaves in flight stays there.
    for flight in &walk.flights {
        let fate = MessageFate::Delay(super::Scope::ticks(ticks + 1_000));
        walk.plan.messages.push(MessageDirective { name: flight.name, fate });
    }
    for (index, firings) in walk.firings.iter().enumerate() {
        let until = walk.now + super::Scope::ticks(1_000);
        walk.plan.deferrals.push(Deferral { client: ClientId(index as u16), firing: firings + 1, until });
    }
    Export { plan: walk.plan, end: walk.now }
}

/// The event with the voter's place in the walk: `voters` lists them by place in the canonical state.
fn unordered(event: Event, voters: &[u8]) -> Event {
    match event {
        Event::Deliver(lane, direction) => {
            let peer = match lane.peer {
                Process::Node(node) => {
                    let voter = VoterId(voters[usize::from(node.voter.0)]);
                    Process::Node(NodeId { voter, ..node })
                }
                Process::Store | Process::Client(_) => lane.peer,
            };
            Event::Deliver(LaneId { peer, ..lane }, direction)
        }
        Event::Timer(..) | Event::FaultBegin(_) | Event::FaultEnd(_) | Event::Group(_) => event,
    }
}

impl<C: LockCore> Walk<C> {
    /// Takes an event as a state of the graph names it; `voters` lists the walk's voters by their place there.
    fn step(&mut self, event: Event, voter: Option<VoterId>, voters: &[u8]) {
        let voter = voter.map(|voter| VoterId(voters[usize::from(voter.0)]));
        let event = match unordered(event, voters) {
            Event::Deliver(lane, direction) => {
                self.now += Span(1);
                self.arrive(lane, direction);
                Event::Deliver(lane, direction)
            }
            Event::Timer(client, kind) => self.fire(client, kind, voter),
            other @ (Event::FaultBegin(_) | Event::FaultEnd(_) | Event::Group(_)) => other,
        };
        self.system.advance(self.now, &mut self.trail);
        self.system.step(event, &mut self.nonces, &mut self.trail);
        for sent in self.trail.sent.drain(..) {
            self.flights.push(Flight { serial: sent.serial, name: sent.name, sent: self.now });
        }
        self.trail.clear();
    }

    fn arrive(&mut self, lane: LaneId, direction: Direction) {
        let (serial, _) = self.system.deliverable(lane, direction).expect("a path delivers what is there");
        let place = self.flights.iter().position(|flight| flight.serial == serial);
        let flight = self.flights.swap_remove(place.expect("what is delivered was sent"));
        let fate = MessageFate::Delay(self.now - flight.sent);
        self.plan.messages.push(MessageDirective { name: flight.name, fate });
    }

    /// The walk's own clocks run microseconds late, so the timer may be due a little after the tick.
    fn fire(&mut self, client: ClientId, chosen: TimerKind, voter: Option<VoterId>) -> Event {
        self.now += Span(1);
        let kind = loop {
            self.system.advance(self.now, &mut self.trail);
            let due = self.system.due_timers(client);
            let same = |kind: &TimerKind| match kind {
                TimerKind::Request(request) => {
                    voter.is_some() && self.system.voter_asked(client, *request) == voter
                }
                TimerKind::User | TimerKind::Wake(_) => *kind == chosen,
            };
            if let Some(kind) = due.into_iter().find(same) {
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
