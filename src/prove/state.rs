//! One state of the graph: a canonical system and its monitors, what may still go wrong, and how a step changes them.
//!
//! A tick begins with faults: those in force may end, others may begin. Then every client at rest chooses to stay so or
//! to start; it rests until nothing of its last attempt is in flight. Then everything that is due in the tick happens:
//! timers, and messages, whose delay of 0 up to the bound is chosen when they are sent. Which order of what is due is
//! explored is in `choices.rs`. What leaves no choice happens at once and is no state of its own.
//!
//! Ends of promises that a clock brings count as the last thing of their tick unless their own client does something
//! that comes after: bounds are closed, so what touches overlaps ([`Touch`]).

use super::choices::Choice;
use super::kind::Kind;
use super::seen::{GRANTED, Seen, TOUCHED, exercised, happened, violated, witnessed};
use super::terms::{Terms, Touch, Will};
use crate::check::{Mark, OracleName, Outcome, Panel, Violation, WitnessLatches, WitnessName};
use crate::history::{Fact, PromiseEnd, Record};
use crate::lock::{Draw, LockCore, Until};
use crate::name::{ClientId, GrantId, Nonce, VoterId};
use crate::plan::{Learn, Quantiles};
use crate::time::{MonoTime, Now, Span, WallTime, WorldTime};
use crate::world::{Asked, Draws, Event, GroupEvent, Place, Renaming, Stretch, System, TimerKind, Trail};

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State<C> {
    /// The world and its clients, in canonical form.
    pub system: System<C>,
    /// The monitors.
    pub panel: Panel,
    /// What has been witnessed, where a search looks for that.
    pub(crate) latches: Option<Box<WitnessLatches>>,
    /// Which clients have chosen in this tick whether to start or to finish, by bit.
    pub(crate) asked: u16,
    /// The smallest nonce that the state does not use.
    fresh: u64,
    /// How many calls of acquire are left, where they are counted.
    calls: Option<u8>,
    /// How many faults of each kind allowed have happened, in the menu's order.
    spent: Vec<u8>,
    /// The faults in force.
    pub(crate) running: Vec<Running>,
    pub(crate) phase: Phase,
    /// Ends of promises that a clock brought in this tick, not told to the monitors yet.
    ended: Vec<Record>,
    /// What clients are to learn, and in how many ticks.
    pub(crate) lessons: Vec<(ClientId, VoterId, u8)>,
    /// How many ticks each client has rested since it was refused, where that decides when it calls again.
    rested: Vec<u8>,
}

/// A fault in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Running {
    pub(crate) slot: u32,
    /// For how many ticks.
    pub(crate) ticks: u8,
}

/// How far the beginning of a tick has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Phase {
    /// The world goes on under other terms than those under which it came here.
    Root,
    /// Faults in force from this one on may end.
    Ends(u8),
    /// Faults from this slot on may begin.
    Begins(u32),
    /// The rest of the tick.
    Open,
}

/// What happened between two states, in order, as the earlier state names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// An event; of a request's timer also what it asks; of a message also the rank of its connection.
    Event { event: Event, asked: Option<Asked>, rank: usize },
    /// A message was lost; the rank of its connection.
    Lost { place: Place, rank: usize },
    /// A fault began.
    Began(u32),
    /// A fault ended.
    Over(u32),
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
    /// The state at the start, before anything settles.
    pub(crate) fn new(
        system: System<C>,
        panel: Panel,
        latches: Option<Box<WitnessLatches>>,
        terms: &Terms,
    ) -> Self {
        let clients = match terms.will {
            Will::Together(..) => usize::from(terms.scope.clients),
            Will::Free | Will::Alone(_) => 0,
        };
        Self {
            system,
            panel,
            latches,
            asked: 0,
            fresh: 0,
            calls: terms.scope.calls,
            spent: vec![0; terms.menu.allowed.len()],
            running: Vec::new(),
            phase: Phase::Begins(0),
            ended: Vec::new(),
            lessons: Vec::new(),
            rested: vec![u8::MAX; clients],
        }
    }

    /// The same world under other terms: with everything over that could go wrong, and nothing judged.
    pub(crate) fn under(&self, panel: Panel, terms: &Terms) -> Self {
        let mut state = Self::new(self.system.clone(), panel, None, terms);
        (state.fresh, state.calls, state.phase) = (self.fresh, self.calls, Phase::Root);
        state.lessons.clone_from(&self.lessons);
        state.canonical(terms);
        state
    }

    /// The clients that could call now and have nobody to wait for: no fault is in force and all others are at rest.
    pub(crate) fn waiters(&self) -> impl Iterator<Item = ClientId> {
        let busy = self.system.clients().filter(|client| !self.system.is_idle(*client)).count();
        let calm = self.running.is_empty() && busy <= 1;
        let waits = move |client: &ClientId| {
            calm && (self.system.wants(*client) || (busy == 0 && self.system.is_idle(*client)))
        };
        self.system.clients().filter(waits)
    }

    /// Whether no fault of any kind may happen any more.
    pub(crate) fn has_spent_all(&self, terms: &Terms) -> bool {
        let total: u32 = self.spent.iter().map(|spent| u32::from(*spent)).sum();
        total >= u32::from(terms.menu.total)
    }

    /// Whether a fault of this kind may still happen.
    pub(crate) fn affords(&self, kind: Kind, terms: &Terms) -> bool {
        let place = terms.menu.allowed.iter().position(|allowed| allowed.kind == kind);
        !self.has_spent_all(terms)
            && place.is_some_and(|place| self.spent[place] < terms.menu.allowed[place].budget)
    }

    pub(crate) fn spend(&mut self, kind: Kind, terms: &Terms) {
        if let Some(place) = terms.menu.allowed.iter().position(|allowed| allowed.kind == kind) {
            self.spent[place] += 1;
        }
    }

    /// Whether a client at rest may, and must, call now.
    pub(crate) fn calls_now(&self, client: ClientId, terms: &Terms) -> (bool, bool) {
        let left = self.calls != Some(0);
        match terms.will {
            Will::Free => (left, false),
            Will::Alone(willing) => (client == willing, client == willing),
            Will::Together(least, most) => {
                let rested = self.rested[usize::from(client.0)];
                (rested >= least, rested >= most)
            }
        }
    }

    /// A client has chosen, and is not asked again in this tick.
    pub(crate) fn answer(&mut self, client: ClientId) {
        self.asked |= bit(client);
    }

    /// Lets an event happen; says whether a judged oracle sees it in an order across processes.
    pub(crate) fn handle(&mut self, event: Event, terms: &Terms, seen: &mut Seen) -> bool {
        let (asked, rank) = match event {
            Event::Timer(client, TimerKind::Request(request)) => (self.system.asked(client, request), 0),
            Event::Deliver(lane, _) => (None, self.system.lane_rank(lane)),
            Event::Timer(..) | Event::FaultBegin(_) | Event::FaultEnd(_) | Event::Group(_) => (None, 0),
        };
        if let Event::Timer(client, TimerKind::User) = event {
            self.answer(client);
            if self.system.is_idle(client) {
                self.calls = self.calls.map(|calls| calls.saturating_sub(1));
                if let Some(rested) = self.rested.get_mut(usize::from(client.0)) {
                    *rested = 0;
                }
            }
        }
        if let Event::Group(GroupEvent::Learn(client, voter)) = event {
            self.lessons.retain(|known| (known.0, known.1) != (client, voter));
        }
        seen.note(Done::Event { event, asked, rank });
        self.step(event, terms, seen)
    }

    /// Whether a judged oracle sees what happens in an order across processes.
    fn step(&mut self, event: Event, terms: &Terms, seen: &mut Seen) -> bool {
        let mut trail = Trail::default();
        let mut fresh = Fresh(self.fresh);
        self.system.step(event, &mut fresh, &mut trail);
        self.fresh = fresh.0;
        let waiting = self.ended.len();
        self.after(&trail, terms, seen);
        // An end that is told before others of this tick is seen as much as one that is cut.
        let told = terms.sight.promises && self.ended.len() < waiting;
        told || trail.records.iter().any(|record| terms.sight.sees(&record.fact))
    }

    /// What was sent waits for a decision; what happened is judged.
    fn after(&mut self, trail: &Trail, terms: &Terms, seen: &mut Seen) {
        for sent in &trail.sent {
            let place = Place { lane: sent.lane, direction: sent.direction, behind: 0 };
            if self.system.is_notice_sent(sent) {
                continue;
            }
            if terms.bound(&place) > 0 || self.may_go_wrong(&place, terms) {
                self.system.leave_undecided(sent.lane, sent.direction, sent.serial);
            }
        }
        for lesson in &trail.lessons {
            let ticks = match lesson.learn {
                Learn::After(span) => span.0 / super::Scope::TICK.0,
                Learn::Soon | Learn::Never => 0,
            };
            self.lessons.retain(|known| (known.0, known.1) != (lesson.client, lesson.voter));
            self.lessons.push((lesson.client, lesson.voter, ticks as u8));
        }
        self.judge(trail, terms, seen);
    }

    /// Whether a message of this lane can still be lost or late beyond its bound.
    pub(crate) fn may_go_wrong(&self, place: &Place, terms: &Terms) -> bool {
        let node = matches!(place.lane.peer, crate::name::Process::Node(_));
        (node && self.affords(Kind::MessageLoss, terms))
            || Terms::late(place).is_some_and(|kind| self.affords(kind, terms))
    }

    /// A fault begins.
    pub(crate) fn begin(&mut self, slot: u32, at_once: bool, terms: &Terms, seen: &mut Seen) {
        let offer = &terms.slots[slot as usize];
        self.spend(offer.kind, terms);
        seen.note(Done::Began(slot));
        self.step(Event::FaultBegin(slot), terms, seen);
        match offer.lasts {
            None => self.system.rearm(slot),
            Some(_) if at_once => self.over(slot, terms, seen),
            Some(_) => self.running.push(Running { slot, ticks: 0 }),
        }
    }

    /// A fault in force ends.
    pub(crate) fn over(&mut self, slot: u32, terms: &Terms, seen: &mut Seen) {
        self.running.retain(|running| running.slot != slot);
        seen.note(Done::Over(slot));
        self.step(Event::FaultEnd(slot), terms, seen);
        self.system.rearm(slot);
    }

    pub(crate) fn lose(&mut self, place: Place, terms: &Terms, seen: &mut Seen) {
        seen.note(Done::Lost { place, rank: self.system.lane_rank(place.lane) });
        seen.marks |= happened(Kind::MessageLoss);
        self.spend(Kind::MessageLoss, terms);
        self.system.lose(place);
    }

    pub(crate) fn tick(&mut self, terms: &Terms, seen: &mut Seen) {
        seen.note(Done::Tick);
        seen.ticks += 1;
        for record in std::mem::take(&mut self.ended) {
            self.tell(&record, terms, seen);
        }
        self.asked = 0;
        self.system.end_wait();
        for (_, _, ticks) in &mut self.lessons {
            *ticks = ticks.saturating_sub(1);
        }
        for running in &mut self.running {
            running.ticks += 1;
        }
        for (index, rested) in self.rested.iter_mut().enumerate() {
            let idle = self.system.is_idle(ClientId(index as u16));
            *rested = if idle { rested.saturating_add(1) } else { 0 };
        }
        self.phase = Phase::Ends(0);
        let mut trail = Trail::default();
        let next = self.system.now() + super::Scope::TICK;
        self.system.advance(next, &mut trail);
        self.after(&trail, terms, seen);
    }

    fn judge(&mut self, trail: &Trail, terms: &Terms, seen: &mut Seen) {
        seen.tell(&trail.records);
        for record in &trail.records {
            if let Fact::PromiseEnded { why: PromiseEnd::Reached, .. } = record.fact
                && terms.touch == Touch::Overlaps
            {
                self.ended.push(record.clone());
                continue;
            }
            if let Fact::ReleaseBegan { grant } | Fact::PromiseBegan { grant, .. } = record.fact {
                self.tell_end(grant, terms, seen);
            }
            self.tell(record, terms, seen);
            if let Fact::FaultBegan { index, effective: true, .. } = record.fact {
                seen.marks |= happened(terms.slots[index as usize].kind);
            }
            if let Fact::Granted { .. } = record.fact {
                seen.marks |= GRANTED;
            }
        }
    }

    /// The end of this promise comes before what its client does now.
    fn tell_end(&mut self, grant: GrantId, terms: &Terms, seen: &mut Seen) {
        let is_own = |record: &Record| ended_grant(record) == Some(grant);
        if let Some(at) = self.ended.iter().position(is_own) {
            let record = self.ended.remove(at);
            self.tell(&record, terms, seen);
        }
    }

    fn tell(&mut self, record: &Record, terms: &Terms, seen: &mut Seen) {
        if let Some(latches) = &mut self.latches {
            latches.on_record(record);
        }
        let mut violations: Vec<Violation> = Vec::new();
        let ends = |grant: GrantId| self.ended.iter().any(|record| ended_grant(record) == Some(grant));
        let mut record = std::borrow::Cow::Borrowed(record);
        // A write in the very tick in which its promise ends may still be inside.
        if let Fact::StoreWrite { grant, promised: false, .. } = record.fact
            && ends(grant)
            && let Fact::StoreWrite { promised, .. } = &mut record.to_mut().fact
        {
            *promised = true;
        }
        let instant = ends_at_once(&record);
        if instant
            && terms.touch == Touch::Apart
            && let Fact::Granted { ahead, .. } | Fact::Extended { ahead, .. } = &mut record.to_mut().fact
        {
            *ahead = true;
        }
        self.panel.on_record(&record, &mut violations);
        for violation in violations {
            seen.marks |= violated(violation.oracle);
            if instant && violation.oracle == OracleName::PromiseEmpty {
                seen.marks |= TOUCHED;
            }
            if let Mark::PromiseBegan(grant) | Mark::Granted(grant) = violation.first
                && ends(grant)
            {
                seen.marks |= TOUCHED;
            }
        }
    }

    /// What has been exercised and witnessed so far; only where latches are kept.
    pub(crate) fn witness(&self, seen: &mut Seen) {
        let Some(latches) = &self.latches else { return };
        for (name, _) in WitnessName::TEXTS {
            if latches.seen(name) {
                seen.marks |= witnessed(name);
            }
        }
        for (oracle, outcome) in self.panel.outcomes() {
            if matches!(outcome, Outcome::Held | Outcome::Violated(_)) {
                seen.marks |= exercised(oracle);
            }
        }
    }

    pub(crate) fn canonical(&mut self, terms: &Terms) -> Renaming {
        let live = self.system.live_grants();
        let Self { system, panel, latches, ended, .. } = self;
        panel.retire(&live);
        let mut grants: Vec<_> = panel.live_grants().collect();
        if let Some(latches) = latches {
            latches.retire(&live);
            grants.extend(latches.live_grants());
        }
        grants.extend(ended.iter().filter_map(ended_grant));
        let renaming = system.canonical(grants, |canon| {
            panel.canonical(canon);
            if let Some(latches) = latches {
                latches.canonical(canon);
            }
            for record in ended.iter_mut() {
                record.at = WorldTime::ZERO;
                record.now = Now { mono: MonoTime(0), wall: WallTime(0) };
                if let Fact::PromiseEnded { grant, .. } = &mut record.fact {
                    canon.grant(grant);
                }
            }
        });
        self.fresh = renaming.nonces;
        for running in &mut self.running {
            running.slot = terms.moved(running.slot, &renaming.voters);
        }
        self.running.sort_unstable();
        self.lessons.sort_unstable();
        self.ended.sort_unstable_by_key(ended_grant);
        for client in self.system.clients() {
            if self.asked & bit(client) != 0 && !self.is_askable(client, terms) {
                self.asked &= !bit(client);
            }
        }
        renaming
    }

    /// Makes a choice, lets everything happen that leaves none, and returns to canonical form. Says how names
    /// changed.
    pub(crate) fn choose(&mut self, choice: Choice, terms: &Terms, seen: &mut Seen) -> Renaming {
        self.apply(choice, terms, seen);
        self.settle(terms, seen);
        self.witness(seen);
        self.canonical(terms)
    }
}

/// Whether a grant or an extension ends in the very instant of its decision: its promise is empty by a point.
fn ends_at_once(record: &Record) -> bool {
    let (Fact::Granted { until, ahead: false, .. } | Fact::Extended { until, ahead: false, .. }) =
        record.fact
    else {
        return false;
    };
    match until {
        Until::Mono(end) => end == record.now.mono,
        Until::Wall(end) => end == record.now.wall,
        Until::Released | Until::Lost | Until::Untold => false,
    }
}

fn ended_grant(record: &Record) -> Option<GrantId> {
    if let Fact::PromiseEnded { grant, .. } = record.fact { Some(grant) } else { None }
}

pub(crate) fn bit(client: ClientId) -> u16 {
    1 << client.0
}
