//! One state of the graph: a canonical system and its monitors, and what can happen in it.
//!
//! A tick begins with every client at rest choosing to stay so or to start; it rests until nothing of its last
//! attempt is in flight. Then everything that is due in the tick happens: timers, and messages, whose delay of
//! 0 up to the bound is chosen when they are sent. The order of what is due is a choice, but for one reduction: what
//! happens at different processes commutes, so where nothing more can reach a process in this tick, and no oracle
//! that is judged here sees what is due there, that is taken first, in every order among itself. What an oracle
//! sees is never taken first: a promise that begins before another's ends overlaps it. What leaves no choice
//! happens at once and is no state of its own.

use super::scope::Scope;
use crate::check::Panel;
use crate::history::Fact;
use crate::lock::{Draw, LockCore};
use crate::name::{ClientId, Direction, Nonce, Process, VoterId};
use crate::plan::Quantiles;
use crate::time::Span;
use crate::world::{Draws, Event, LaneId, Renaming, Stretch, System, TimerKind, Trail};

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State<C> {
    /// The world and its clients, in canonical form.
    pub system: System<C>,
    /// The monitors.
    pub panel: Panel,
    /// Which clients at rest have chosen in this tick whether to start, by bit.
    asked: u16,
    /// The smallest nonce that the state does not use.
    fresh: u64,
}

/// What can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// The client at rest whose turn it is stays so in this tick.
    Rest,
    /// This happens.
    Handle(Event),
    /// What was just sent is delayed so: one digit to the base of the bound plus one for each message, in the order
    /// of their lanes, the first lowest.
    Delay(u32),
}

/// What happened between two states, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// An event, as the earlier state names it; of a request's timer also the voter it asks.
    Event(Event, Option<VoterId>),
    /// The tick ended.
    Tick,
}

/// Hands out the smallest unused nonces, and no jitter.
pub(crate) struct Fresh(pub(crate) u64);

impl Draws for Fresh {
    fn draw(&mut self, _: ClientId) -> Draw {
        self.0 += 1;
        Draw { nonce: Nonce(self.0 - 1), jitter: 0 }
    }

    fn length(&mut self, _: ClientId, _: u32, _: Stretch, of: &Quantiles) -> Span {
        Span(of.max())
    }
}

impl<C: LockCore> State<C> {
    /// The state at the start, and the places of the voters in it.
    pub fn new(system: System<C>, panel: Panel, scope: &Scope) -> (Self, Vec<u8>) {
        let mut state = Self { system, panel, asked: 0, fresh: 0 };
        state.settle(scope, &mut Vec::new());
        let renaming = state.canonical();
        (state, renaming.voters)
    }

    /// What can happen next; nothing if the world has ended.
    pub fn choices(&self, scope: &Scope, out: &mut Vec<Choice>) {
        let undecided = self.system.undecided();
        if undecided > 0 {
            let combinations = u32::from(scope.delay + 1).pow(undecided);
            out.extend((0..combinations).map(Choice::Delay));
        } else if let Some(client) = self.asking() {
            out.extend([Choice::Rest, Choice::Handle(Event::Timer(client, TimerKind::User))]);
        } else {
            out.extend(self.due_first().into_iter().map(Choice::Handle));
        }
    }

    /// Makes a choice, lets everything happen that leaves none, and returns to canonical form. Says how names
    /// changed, and appends what happened.
    pub(crate) fn choose(&mut self, choice: Choice, scope: &Scope, done: &mut Vec<Done>) -> Renaming {
        match choice {
            Choice::Delay(code) => self.system.decide(scope.delay + 1, code),
            Choice::Rest => self.answer(),
            Choice::Handle(event) => {
                self.answer();
                self.handle(event, scope, done);
            }
        }
        self.settle(scope, done);
        self.canonical()
    }

    /// The client that was asked whether it starts has chosen.
    fn answer(&mut self) {
        if let Some(client) = self.asking() {
            self.asked |= bit(client);
        }
    }

    fn handle(&mut self, event: Event, scope: &Scope, done: &mut Vec<Done>) {
        let voter = match event {
            Event::Timer(client, TimerKind::Request(request)) => self.system.voter_asked(client, request),
            Event::Timer(..)
            | Event::Deliver(..)
            | Event::FaultBegin(_)
            | Event::FaultEnd(_)
            | Event::Group(_) => None,
        };
        done.push(Done::Event(event, voter));
        let mut trail = Trail::default();
        let mut fresh = Fresh(self.fresh);
        self.system.step(event, &mut fresh, &mut trail);
        self.fresh = fresh.0;
        if scope.delay > 0 {
            for sent in &trail.sent {
                self.system.leave_undecided(sent.lane, sent.direction, sent.serial);
            }
        }
        self.judge(&trail);
    }

    /// Lets everything happen that leaves no choice.
    fn settle(&mut self, scope: &Scope, done: &mut Vec<Done>) {
        while self.system.undecided() == 0 && self.asking().is_none() {
            match self.due_first().as_slice() {
                [] if self.is_over() => return,
                [] => self.tick(done),
                [event] => self.handle(*event, scope, done),
                [_, _, ..] => return,
            }
        }
    }

    /// Whether nothing will ever be due again.
    fn is_over(&self) -> bool {
        let ahead = |client| self.system.next_timer(client).is_some() || !self.system.is_drained(client);
        !self.system.clients().any(ahead)
    }

    fn tick(&mut self, done: &mut Vec<Done>) {
        done.push(Done::Tick);
        let mut trail = Trail::default();
        self.asked = 0;
        self.system.end_wait();
        let next = self.system.now() + Scope::TICK;
        self.system.advance(next, &mut trail);
        self.judge(&trail);
    }

    /// The client whose turn it is to choose between rest and start.
    fn asking(&self) -> Option<ClientId> {
        self.system.clients().find(|client| {
            self.asked & bit(*client) == 0
                && self.system.is_idle(*client)
                && self.system.is_drained(*client)
                && self.system.due_timers(*client).contains(&TimerKind::User)
        })
    }

    /// The due events that have to be looked at here: those of the first process that nothing more can reach in
    /// this tick and where nothing is seen, or all.
    fn due_first(&self) -> Vec<Event> {
        let mut due: Vec<(Process, Event)> = Vec::new();
        for (lane, direction) in self.system.deliverables() {
            if self.system.wait(lane, direction) == 0 {
                due.push((target(lane, direction), Event::Deliver(lane, direction)));
            }
        }
        for client in self.system.clients() {
            let timers = self.system.due_timers(client).into_iter();
            let timers = timers.filter(|kind| *kind != TimerKind::User || !self.system.is_idle(client));
            due.extend(timers.map(|kind| (Process::Client(client), Event::Timer(client, kind))));
        }
        // Servers first: whether an oracle sees a client's event takes a step of a copy to know.
        let is_client = |process: &Process| matches!(process, Process::Client(_));
        let servers = due.iter().map(|(process, _)| *process).filter(|process| !is_client(process));
        let clients = due.iter().map(|(process, _)| *process).filter(is_client);
        let mut processes = servers.chain(clients);
        let closed = processes.find(|process| {
            let mut own = due.iter().filter(|(at, _)| at == process).map(|(_, event)| *event);
            !can_be_reached(*process, &due) && !own.any(|event| self.is_seen(event))
        });
        let wanted = |process: &Process| closed.is_none_or(|closed| closed == *process);
        due.iter().filter(|(process, _)| wanted(process)).map(|(_, event)| *event).collect()
    }

    /// Whether an oracle that is judged here sees anything of this event. What servers do none of them sees.
    fn is_seen(&self, event: Event) -> bool {
        if matches!(event, Event::Deliver(_, Direction::Request)) {
            return false;
        }
        let mut trail = Trail::default();
        self.system.clone().step(event, &mut Fresh(self.fresh), &mut trail);
        trail.records.iter().any(|record| {
            matches!(
                record.fact,
                Fact::AttemptBegan { .. }
                    | Fact::Granted { .. }
                    | Fact::Extended { .. }
                    | Fact::PromiseBegan { .. }
                    | Fact::PromiseEnded { .. }
                    | Fact::SectionEntered { .. }
                    | Fact::SectionLeft { .. }
            )
        })
    }

    fn judge(&mut self, trail: &Trail) {
        let mut violations = Vec::new();
        for record in &trail.records {
            self.panel.on_record(record, &mut violations);
        }
    }

    fn canonical(&mut self) -> Renaming {
        let Self { system, panel, asked, fresh } = self;
        panel.retire(&system.live_grants());
        let grants: Vec<_> = panel.live_grants().collect();
        for client in system.clients().filter(|client| !system.is_idle(*client)) {
            *asked &= !bit(client);
        }
        let renaming = system.canonical(grants, |canon| panel.canonical(canon));
        *fresh = renaming.nonces;
        renaming
    }
}

fn target(lane: LaneId, direction: Direction) -> Process {
    match direction {
        Direction::Request => lane.peer,
        Direction::Reply => Process::Client(lane.client),
    }
}

/// Whether another message could still come to this process in this tick and be handled before one of those that are
/// due there.
fn can_be_reached(process: Process, due: &[(Process, Event)]) -> bool {
    match process {
        // Answers come from the client's own requests.
        Process::Client(client) => due.iter().any(
            |(_, event)| matches!(event, Event::Deliver(lane, Direction::Request) if lane.client == client),
        ),
        // Requests come from clients that act in this tick, or see one of their requests answered; behind a
        // request that is due here they queue.
        Process::Node(_) | Process::Store => {
            let queues = |client: ClientId| {
                let mut here = due.iter().filter(|(at, _)| *at == process);
                here.any(|(_, event)| matches!(event, Event::Deliver(lane, _) if lane.client == client))
            };
            due.iter().any(|(_, event)| acts(event).is_some_and(|client| !queues(client)))
        }
    }
}

fn bit(client: ClientId) -> u16 {
    1 << client.0
}

/// The client that acts in this event, or may act on its answer.
fn acts(event: &Event) -> Option<ClientId> {
    match event {
        Event::Deliver(lane, _) => Some(lane.client),
        Event::Timer(client, _) => Some(*client),
        Event::FaultBegin(_) | Event::FaultEnd(_) | Event::Group(_) => None,
    }
}
