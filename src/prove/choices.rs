//! What can happen next in a state, and what happens without a choice.
//!
//! One reduction: what happens at different processes commutes, so where nothing more can reach a process in this tick,
//! and no judged oracle sees what is due there in an order across processes, that is taken first, in every order among
//! itself. What an oracle sees is never taken first: a promise that begins before another's ends overlaps it.

use super::kind::Kind;
use super::seen::{GRANTED, Seen, happened};
use super::state::{Phase, State, bit};
use super::terms::{Terms, Will};
use crate::lock::LockCore;
use crate::name::{ClientId, Direction, Process};
use crate::world::{Event, GroupEvent, LaneId, TimerKind};

/// What can happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// The client that is asked stays as it is in this tick: at rest, or at work.
    Stay(ClientId),
    /// This happens.
    Handle(Event),
    /// What was just sent is delayed so: one digit for each message, to the base of its bound plus one, in the order of
    /// their lanes, the first lowest.
    Delay(u32),
    /// Of what was just sent, this is lost.
    Lose(u8),
    /// Of what was just sent, this is so many ticks later than its bound.
    Late(u8, u8),
    /// The fault of this slot begins.
    Begin(u32),
    /// The fault of this slot begins and ends at once.
    Flash(u32),
    /// The fault of this slot, which is in force, ends.
    End(u32),
    /// The fault of this slot stays in force for this tick.
    Last(u32),
    /// No more faults begin now.
    Calm,
}

/// A choice, and the state after it before anything settles, where finding out took a copy anyway.
type Offer<C> = (Choice, Option<Box<(State<C>, Seen)>>);

/// A state that follows another.
pub(crate) struct Next<C> {
    pub(crate) choice: Choice,
    pub(crate) state: State<C>,
    pub(crate) seen: Seen,
}

/// More steps than this without a choice are a fault of ours.
const SETTLING: usize = 100_000;

impl<C: LockCore> State<C> {
    /// Every state that can follow, in the order of choices.
    pub(crate) fn expand(&self, terms: &Terms) -> Vec<Next<C>> {
        let finish = |(choice, stepped): Offer<C>| {
            let (mut state, mut seen) = match stepped {
                Some(stepped) => *stepped,
                None => {
                    let (mut state, mut seen) = (self.clone(), Seen::default());
                    state.apply(choice, terms, &mut seen);
                    (state, seen)
                }
            };
            state.settle(terms, &mut seen);
            state.witness(&mut seen);
            state.canonical(terms);
            Next { choice, state, seen }
        };
        self.offers(terms).into_iter().map(finish).collect()
    }

    /// What can happen next; nothing if the world has ended.
    pub(crate) fn offers(&self, terms: &Terms) -> Vec<Offer<C>> {
        let bare = |choices: Vec<Choice>| choices.into_iter().map(|choice| (choice, None)).collect();
        if self.system.is_undecided() {
            return bare(self.waits(terms));
        }
        let faults = self.fault_choices(terms);
        if !faults.is_empty() {
            return bare(faults);
        }
        if let Some((client, must)) = self.asking(terms) {
            let stay = if must { None } else { Some(Choice::Stay(client)) };
            let go = Choice::Handle(Event::Timer(client, TimerKind::User));
            let mut choices: Vec<Choice> = stay.into_iter().chain([go]).collect();
            // Before a start nothing is lost by a fault that comes later.
            if !self.system.is_idle(client) {
                choices.extend(self.faults_before(Process::Client(client), terms));
            }
            return bare(choices);
        }
        let due = self.due_first(terms);
        // A state that was shown although nothing is chosen in it goes on.
        if due.is_empty() && terms.exposes && !self.is_over(terms) {
            return bare(vec![Choice::Calm]);
        }
        due
    }

    /// Makes a choice, and no more.
    pub(crate) fn apply(&mut self, choice: Choice, terms: &Terms, seen: &mut Seen) {
        match choice {
            Choice::Stay(client) => self.answer(client),
            Choice::Handle(event) => {
                self.handle(event, terms, seen);
            }
            Choice::Delay(mut code) => {
                for place in self.system.undecided() {
                    let base = u32::from(terms.bound(&place)) + 1;
                    self.system.decide(place, (code % base) as u8, false);
                    code /= base;
                }
            }
            Choice::Lose(index) => {
                let place = self.system.undecided()[usize::from(index)];
                self.lose(place, terms, seen);
            }
            Choice::Late(index, ticks) => {
                let place = self.system.undecided()[usize::from(index)];
                if let Some(kind) = Terms::late(&place) {
                    self.spend(kind, terms);
                    seen.marks |= happened(kind);
                }
                self.system.decide(place, terms.bound(&place) + ticks, true);
            }
            Choice::Begin(slot) => {
                if self.phase != Phase::Open {
                    self.phase = Phase::Begins(terms.first_of_kind(slot));
                }
                self.begin(slot, false, terms, seen);
            }
            Choice::Flash(slot) => {
                if self.phase != Phase::Open {
                    self.phase = Phase::Begins(terms.first_of_kind(slot));
                }
                self.begin(slot, true, terms, seen);
            }
            // Those behind it move up.
            Choice::End(slot) => self.over(slot, terms, seen),
            Choice::Last(_) => {
                if let Phase::Ends(at) = self.phase {
                    self.phase = Phase::Ends(at + 1);
                }
            }
            Choice::Calm => self.phase = Phase::Open,
        }
    }

    /// Lets everything happen that leaves no choice.
    pub(crate) fn settle(&mut self, terms: &Terms, seen: &mut Seen) {
        let begun = seen.ticks;
        for step in 0..SETTLING {
            // A world in which nobody chooses anything may go round for ever, which only states can show.
            let waits = terms.will != Will::Free && seen.ticks > begun;
            let lonely = || self.phase == Phase::Open && self.waiters().next().is_some();
            if waits || (step > 0 && terms.exposes && lonely()) {
                return;
            }
            // Who waited for a grant waits no more.
            if terms.will != Will::Free && seen.marks & GRANTED != 0 {
                return;
            }
            if self.system.is_undecided() {
                match self.waits(terms).as_slice() {
                    [one] => self.apply(*one, terms, seen),
                    [] | [_, _, ..] => return,
                }
                continue;
            }
            self.pass_phases(terms, seen);
            if !self.fault_choices(terms).is_empty() {
                return;
            }
            if let Some((client, must)) = self.asking(terms) {
                if !must {
                    return;
                }
                self.handle(Event::Timer(client, TimerKind::User), terms, seen);
                continue;
            }
            let due = self.due(terms);
            if due.is_empty() {
                if self.is_over(terms) {
                    return;
                }
                self.tick(terms, seen);
                continue;
            }
            if let [(process, event)] = due.as_slice()
                && self.faults_before(*process, terms).next().is_none()
            {
                self.handle(*event, terms, seen);
                continue;
            }
            let Some((choice, stepped)) = self.forced(&due, terms) else { return };
            match stepped {
                // The copy wrote nothing down.
                Some(stepped) if seen.done.is_none() => {
                    let (state, more) = *stepped;
                    *self = state;
                    seen.marks |= more.marks;
                    seen.ticks += more.ticks;
                }
                Some(_) | None => self.apply(choice, terms, seen),
            }
        }
        unreachable!("something happens for ever without a choice");
    }

    /// Passes what of the beginning of a tick leaves no choice.
    fn pass_phases(&mut self, terms: &Terms, seen: &mut Seen) {
        while let Phase::Ends(at) = self.phase {
            let Some(running) = self.running.get(usize::from(at)).copied() else {
                self.phase = Phase::Begins(0);
                break;
            };
            let (least, most) = terms.slots[running.slot as usize].lasts.unwrap_or((0, 0));
            if running.ticks >= most {
                self.over(running.slot, terms, seen);
            } else if running.ticks < least {
                self.phase = Phase::Ends(at + 1);
            } else {
                return;
            }
        }
        if let Phase::Begins(from) = self.phase
            && self.beginnings(from, terms).is_empty()
        {
            self.phase = Phase::Open;
        }
    }

    /// The choices about faults at the beginning of a tick; none if it is past or leaves no choice.
    fn fault_choices(&self, terms: &Terms) -> Vec<Choice> {
        match self.phase {
            Phase::Root => vec![Choice::Calm],
            Phase::Open => Vec::new(),
            Phase::Ends(at) => {
                let running = self.running.get(usize::from(at));
                running
                    .map_or(Vec::new(), |running| vec![Choice::Last(running.slot), Choice::End(running.slot)])
            }
            Phase::Begins(from) => {
                let mut choices = self.beginnings(from, terms);
                if !choices.is_empty() {
                    choices.insert(0, Choice::Calm);
                }
                choices
            }
        }
    }

    fn beginnings(&self, from: u32, terms: &Terms) -> Vec<Choice> {
        if self.has_spent_all(terms) {
            return Vec::new();
        }
        let slots = terms.slots.iter().enumerate().skip(from as usize);
        let offered = slots.filter(|(_, slot)| slot.offered.at_ticks());
        offered.flat_map(|(slot, _)| self.ways_to_begin(slot as u32, terms)).collect()
    }

    /// How this slot's fault could happen now: lasting, at once, or not at all.
    fn ways_to_begin(&self, slot: u32, terms: &Terms) -> impl Iterator<Item = Choice> + use<C> {
        let offer = &terms.slots[slot as usize];
        let same = |running: &&super::state::Running| {
            let other = &terms.slots[running.slot as usize];
            (other.kind, other.at) == (offer.kind, offer.at)
        };
        let free = self.affords(offer.kind, terms)
            && !self.running.iter().any(|running| same(&running))
            && self.system.bites(slot);
        let (flash, lasting) = match offer.lasts {
            None => (false, true),
            Some((least, most)) => (least == 0, most > 0),
        };
        let lasting = (free && lasting).then_some(Choice::Begin(slot));
        let flash = (free && flash).then_some(Choice::Flash(slot));
        lasting.into_iter().chain(flash)
    }

    /// The faults that could happen directly before something at this process.
    fn faults_before(&self, process: Process, terms: &Terms) -> impl Iterator<Item = Choice> {
        let open = if self.has_spent_all(terms) { &[][..] } else { &terms.slots[..] };
        let slots = open.iter().enumerate();
        let here = slots.filter(move |(_, slot)| slot.at == process && slot.offered.before_events());
        here.flat_map(|(slot, _)| self.ways_to_begin(slot as u32, terms))
    }

    /// The choices about what was just sent.
    fn waits(&self, terms: &Terms) -> Vec<Choice> {
        let places = self.system.undecided();
        let combinations =
            places.iter().fold(1, |product, place| product * (u32::from(terms.bound(place)) + 1));
        let mut choices: Vec<Choice> = (0..combinations).map(Choice::Delay).collect();
        for (index, place) in places.iter().enumerate() {
            let is_node = matches!(place.lane.peer, Process::Node(_));
            if is_node && self.affords(Kind::MessageLoss, terms) && self.system.is_command(*place) {
                choices.push(Choice::Lose(index as u8));
            }
            let late = Terms::late(place).filter(|kind| self.affords(*kind, terms));
            if let Some(allowed) = late.and_then(|kind| terms.menu.of(kind))
                && (!is_node || self.system.is_command(*place))
            {
                let ticks = allowed.ticks.0.max(1)..=allowed.ticks.1;
                choices.extend(ticks.map(|ticks| Choice::Late(index as u8, ticks)));
            }
        }
        choices
    }

    /// The client whose turn it is to choose between rest and start, or work and finish, and whether it must go on.
    fn asking(&self, terms: &Terms) -> Option<(ClientId, bool)> {
        self.system.clients().find_map(|client| {
            if self.asked & bit(client) != 0 || !self.has_user_timer(client) {
                return None;
            }
            if self.system.is_idle(client) {
                let (may, must) = self.calls_now(client, terms);
                return (may && self.system.is_drained(client)).then_some((client, must));
            }
            self.lingers(client, terms).then_some((client, false))
        })
    }

    /// Whether what is chosen here is how long a client waits before it calls again.
    pub(crate) fn chooses_wait(&self, terms: &Terms) -> bool {
        !self.system.is_undecided()
            && self.fault_choices(terms).is_empty()
            && self.asking(terms).is_some_and(|(client, must)| !must && self.system.is_idle(client))
    }

    fn has_user_timer(&self, client: ClientId) -> bool {
        self.system.due_timers(client).contains(&TimerKind::User)
    }

    fn lingers(&self, client: ClientId, terms: &Terms) -> bool {
        let scope = &terms.scope;
        scope.work_more > 0
            && self.system.may_linger(client, super::Scope::ticks(scope.work + scope.work_more))
    }

    /// Whether a choice of this client about the tick can still matter.
    pub(crate) fn is_askable(&self, client: ClientId, terms: &Terms) -> bool {
        self.system.is_idle(client) || self.lingers(client, terms)
    }

    /// Whether nothing will ever be due again.
    fn is_over(&self, terms: &Terms) -> bool {
        let rests = |client: ClientId| match terms.will {
            Will::Free => self.system.is_idle(client) && !self.calls_now(client, terms).0,
            Will::Alone(willing) => self.system.is_idle(client) && client != willing,
            Will::Together(..) => false,
        };
        self.running.is_empty() && self.system.is_quiet() && self.system.clients().all(rests)
    }

    /// Everything that is due, with the process at which it happens: nodes and the store before clients.
    fn due(&self, terms: &Terms) -> Vec<(Process, Event)> {
        let mut due: Vec<(Process, Event)> = Vec::new();
        for (lane, direction) in self.system.deliverables() {
            if self.system.wait(lane, direction) == 0 {
                due.push((target(lane, direction), Event::Deliver(lane, direction)));
            }
        }
        due.extend(self.system.group_events());
        for (client, voter, ticks) in &self.lessons {
            let process = Process::Client(*client);
            if *ticks == 0 && self.system.can_learn(*client, *voter) {
                due.push((process, Event::Group(GroupEvent::Learn(*client, *voter))));
            }
        }
        for client in self.system.clients() {
            let asked = self.asked & bit(client) != 0;
            let held_back = self.system.is_idle(client) || (asked && self.lingers(client, terms));
            let timers = self.system.due_timers(client).into_iter();
            let timers = timers.filter(|kind| *kind != TimerKind::User || !held_back);
            due.extend(timers.map(|kind| (Process::Client(client), Event::Timer(client, kind))));
        }
        let is_client = |process: &Process| matches!(process, Process::Client(_));
        due.sort_by_key(|(process, _)| is_client(process));
        due
    }

    /// What [`Self::due_first`] would offer if it is only one thing, found with fewer copies: of two things at a process
    /// that nothing can reach at least two are offered, whether it is looked at alone or not.
    fn forced(&self, due: &[(Process, Event)], terms: &Terms) -> Option<Offer<C>> {
        if let Some((process, event)) = due.iter().find(|(_, event)| self.is_prompt(event)) {
            let alone = self.faults_before(*process, terms).next().is_none();
            return alone.then_some((Choice::Handle(*event), None));
        }
        for (process, event) in due {
            if self.can_be_reached(*process, due, terms) {
                continue;
            }
            let several = due.iter().filter(|(at, _)| at == process).count() > 1;
            if several || self.faults_before(*process, terms).next().is_some() {
                return None;
            }
            match process {
                Process::Node(_) => return Some((Choice::Handle(*event), None)),
                Process::Store if !terms.sight.store => return Some((Choice::Handle(*event), None)),
                Process::Store => {}
                Process::Client(_) => {
                    let (mut state, mut seen) = (self.clone(), Seen::default());
                    if !state.handle(*event, terms, &mut seen) {
                        return Some((Choice::Handle(*event), Some(Box::new((state, seen)))));
                    }
                }
            }
        }
        None
    }

    /// What is due and has to be looked at here: at the first process that nothing more can reach in this tick and
    /// where nothing is seen, or all.
    fn due_first(&self, terms: &Terms) -> Vec<Offer<C>> {
        let due = self.due(terms);
        if let Some((process, event)) = due.iter().find(|(_, event)| self.is_prompt(event)) {
            let faults = self.faults_before(*process, terms).map(|choice| (choice, None));
            return [(Choice::Handle(*event), None)].into_iter().chain(faults).collect();
        }
        let mut stepped: Vec<Option<(State<C>, Seen)>> = due.iter().map(|_| None).collect();
        let mut closed = None;
        let mut last = None;
        for (process, _) in &due {
            if last == Some(*process) || self.can_be_reached(*process, &due, terms) {
                last = Some(*process);
                continue;
            }
            last = Some(*process);
            if self.is_unseen(*process, &due, &mut stepped, terms) {
                closed = Some(*process);
                break;
            }
        }
        let mut offers: Vec<Offer<C>> = Vec::new();
        let mut before: Vec<Process> = Vec::new();
        for ((process, event), stepped) in due.iter().zip(stepped) {
            if closed.is_none_or(|closed| closed == *process) {
                offers.push((Choice::Handle(*event), stepped.map(Box::new)));
                if !before.contains(process) {
                    before.push(*process);
                }
            }
        }
        for process in before {
            offers.extend(self.faults_before(process, terms).map(|choice| (choice, None)));
        }
        offers
    }

    /// Whether this comes before all else that is due: what a kernel says of a connection, and what nodes of one voter
    /// tell each other. Their latency is nobody's choice; only a fault may come before them.
    fn is_prompt(&self, event: &Event) -> bool {
        match event {
            Event::Deliver(lane, direction) => self.system.is_notice(*lane, *direction),
            Event::Group(GroupEvent::Ship(_) | GroupEvent::Arrive(..)) => true,
            Event::Group(GroupEvent::Timer(..) | GroupEvent::Learn(..))
            | Event::Timer(..)
            | Event::FaultBegin(_)
            | Event::FaultEnd(_) => false,
        }
    }

    /// Whether a fault at a node that its clients hear of can still happen.
    fn may_break(&self, terms: &Terms) -> bool {
        [Kind::NodeCrashKeeping, Kind::NodeCrashLosing, Kind::Failover]
            .iter()
            .any(|kind| self.affords(*kind, terms))
    }

    /// Whether something else could still come to this process in this tick and be handled before one of those that are
    /// due there.
    fn can_be_reached(&self, process: Process, due: &[(Process, Event)], terms: &Terms) -> bool {
        if self.system.is_entangled() {
            return due.iter().any(|(at, _)| *at != process);
        }
        match process {
            // Answers come from the client's own requests. A fault at a node, offered before whatever is due there, may
            // reach every client that has a connection to it.
            Process::Client(client) => due.iter().any(|(at, event)| match event {
                Event::Deliver(lane, Direction::Request) => {
                    lane.client == client || (matches!(at, Process::Node(_)) && self.may_break(terms))
                }
                Event::Group(_) => *at != process,
                Event::Deliver(_, Direction::Reply)
                | Event::Timer(..)
                | Event::FaultBegin(_)
                | Event::FaultEnd(_) => false,
            }),
            // Requests come from clients that act in this tick, or see one of their requests answered; behind a
            // request that is due here on the same connection they queue. Nodes of one voter reach each other.
            Process::Node(_) | Process::Store => {
                let reconnects = terms.scope.on_timeout == crate::world::OnTimeout::Reconnect;
                let queues = |client: ClientId| {
                    let mut here = due.iter().filter(|(at, _)| *at == process);
                    !reconnects
                        && here.any(
                            |(_, event)| matches!(event, Event::Deliver(lane, _) if lane.client == client),
                        )
                };
                let voter = |process: &Process| match process {
                    Process::Node(node) => Some(node.voter),
                    Process::Store | Process::Client(_) => None,
                };
                let sibling = |at: &Process| {
                    terms.scope.replicas > 0
                        && *at != process
                        && voter(at).is_some()
                        && voter(at) == voter(&process)
                };
                due.iter().any(|(at, event)| sibling(at) || acts(event).is_some_and(|client| !queues(client)))
            }
        }
    }

    /// Whether no judged oracle sees in an order across processes what is due here. Keeps the steps it took to know.
    fn is_unseen(
        &self,
        process: Process,
        due: &[(Process, Event)],
        stepped: &mut [Option<(State<C>, Seen)>],
        terms: &Terms,
    ) -> bool {
        match process {
            Process::Node(_) => return true,
            Process::Store => return !terms.sight.store,
            Process::Client(_) => {}
        }
        let own = due.iter().enumerate().filter(|(_, (at, _))| *at == process);
        own.into_iter().all(|(place, (_, event))| {
            let (mut state, mut seen) = (self.clone(), Seen::default());
            let sighted = state.handle(*event, terms, &mut seen);
            stepped[place] = Some((state, seen));
            !sighted
        })
    }
}

fn target(lane: LaneId, direction: Direction) -> Process {
    match direction {
        Direction::Request => lane.peer,
        Direction::Reply => Process::Client(lane.client),
    }
}

/// The client that acts in this event, or may act on its answer.
fn acts(event: &Event) -> Option<ClientId> {
    match event {
        Event::Deliver(lane, _) => Some(lane.client),
        Event::Timer(client, _) | Event::Group(GroupEvent::Learn(client, _)) => Some(*client),
        Event::Group(GroupEvent::Ship(_) | GroupEvent::Arrive(..) | GroupEvent::Timer(..))
        | Event::FaultBegin(_)
        | Event::FaultEnd(_) => None,
    }
}
