//! A client process: a core, its driver, the user's code, two clocks, and what pauses it.
//!
//! Inputs reach the core here, and its outputs become messages, timers and the user's next state. Facts about
//! promises go to the ledger through [`Scene`]. Must not touch a node: everything goes over links.

pub(crate) use super::counts::Counts;
use super::driver::{Driver, Errand, Pending, PendingState};
use super::event::{Draws, Stretch, TimerKind};
pub(crate) use super::fixed::Fixed;
use super::scene::Scene;
use super::setup::{ClientSetup, Extend, Holder, Length, OfflineQueue, Task, Workload};
use super::user::{Deed, Moment, Section, Step, User};
use crate::history::Fact;
use crate::lock::{Caller, CoreTraits, Hand, Input, LockCore, Output, UnknownReason, WakeReason};
use crate::name::{CallId, ClientId, GrantId, MessageName, Name, Point, PointName, Process, Route, Worker};
use crate::time::{MonoTime, Now, ProcessClocks, Span, WorldTime};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The only caller of each core: one handle, one user.
pub(crate) const CALLER: Caller = Caller(0);

/// A client process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Client<C> {
    pub(crate) id: ClientId,
    pub(crate) core: C,
    /// What the core says of itself, which never changes.
    pub(crate) traits: Fixed<CoreTraits>,
    /// Who does what it does; never changes.
    pub(crate) hand: Hand,
    pub(crate) clocks: ProcessClocks,
    pub(crate) incarnation: u16,
    pub(crate) alive: bool,
    pub(crate) pauses: Pauses,
    pub(crate) driver: Driver,
    pub(crate) user: User,
    pub(crate) cycles_left: u32,
    /// How long the present cycle works inside.
    pub(crate) work: Span,
    /// How long it thinks afterwards.
    pub(crate) think: Span,
    pub(crate) counts: Counts,
    /// The number of the present or last call of acquire; 0 before the first.
    pub(crate) present: u32,
    /// Whether a voter has applied a write of the present call.
    pub(crate) wrote: bool,
}

/// Pauses in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pauses {
    pub(crate) process: u16,
    pub(crate) user: u16,
    pub(crate) watchdog: u16,
    /// Added to every timer while a late-timer fault lasts.
    pub(crate) late: Span,
}

impl<C: Hash> Hash for Client<C> {
    /// In few words. Of the counts only the calls: all others are 0 in a canonical system, and no other is kept by
    /// its hash.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self {
            id,
            core,
            traits: _,
            hand: _,
            clocks,
            incarnation,
            alive,
            pauses,
            driver,
            user,
            cycles_left,
            work,
            think,
            counts,
            present,
            wrote,
        } = self;
        let Pauses { process, user: code, watchdog, late } = *pauses;
        let word = |parts: [u16; 4]| parts.iter().fold(0, |word, part| word << 16 | u64::from(*part));
        state.write_u64(word([id.0, *incarnation, u16::from(*alive), u16::from(*wrote)]));
        state.write_u64(word([process, code, watchdog, 0]));
        state.write_i64(late.0);
        state.write_u64(u64::from(*cycles_left) << 32 | u64::from(*present));
        state.write_i64(work.0);
        state.write_i64(think.0);
        state.write_u32(counts.calls);
        core.hash(state);
        clocks.hash(state);
        driver.hash(state);
        user.hash(state);
    }
}

impl Pauses {
    pub(crate) const NONE: Self = Self { process: 0, user: 0, watchdog: 0, late: Span::ZERO };

    pub(crate) fn stops(&self, worker: Worker) -> bool {
        self.process > 0
            || match worker {
                Worker::User => self.user > 0,
                Worker::Watchdog => self.watchdog > 0,
            }
    }
}

impl<C: LockCore> Client<C> {
    pub(crate) fn new(id: ClientId, index: usize, setup: &ClientSetup, core: C) -> Self {
        let clocks = ProcessClocks::new(index, setup.offset);
        let user = match setup.workload.cycles {
            0 => User::Done,
            _ => User::Resting { at: clocks.now(WorldTime::ZERO).mono + (setup.start - WorldTime::ZERO) },
        };
        Self {
            id,
            traits: Fixed(Arc::new(core.describe())),
            hand: core.hand(),
            core,
            clocks,
            incarnation: 1,
            alive: true,
            pauses: Pauses::NONE,
            driver: Driver::new(),
            user,
            cycles_left: setup.workload.cycles,
            work: Span::ZERO,
            think: Span::ZERO,
            counts: Counts::ZERO,
            present: 0,
            wrote: false,
        }
    }

    pub(crate) fn process(&self) -> Process {
        Process::Client(self.id)
    }

    pub(crate) fn now(&self, at: WorldTime) -> Now {
        self.clocks.now(at)
    }

    /// Whether nothing keeps it from acting in time: it lives, no worker is paused, its clocks are true.
    pub(crate) fn is_able(&self) -> bool {
        let Pauses { process, user, watchdog, late } = self.pauses;
        self.alive && (process, user, watchdog, late) == (0, 0, 0, Span::ZERO) && self.clocks.is_true_rate()
    }

    /// The present or last call of acquire.
    pub(crate) fn call(&self) -> CallId {
        CallId { client: self.id, number: self.present }
    }

    /// The lengths of a cycle decide nothing once it is over: the next draws its own.
    pub(crate) fn forget_idle_lengths(&mut self) {
        if self.user.is_idle() {
            (self.work, self.think) = (Span::ZERO, Span::ZERO);
        }
    }

    /// Which call was the last decides nothing once it is over.
    pub(crate) fn forget_idle_call(&mut self) {
        if self.user.is_idle() {
            (self.present, self.wrote) = (0, false);
        }
    }

    /// The timer that is due next, and the world time at which it is: the earliest deadline among those whose
    /// worker is not paused; at one deadline requests, then wakes, then the user.
    pub(crate) fn next_timer(&self, setup: &ClientSetup, at: WorldTime) -> Option<(WorldTime, TimerKind)> {
        let mut best: Option<(MonoTime, TimerKind)> = None;
        self.timers(setup, self.now(at), |due, kind| {
            if best.is_none_or(|(known, _)| due < known) {
                best = Some((due, kind));
            }
        });
        let (due, kind) = best?;
        Some((self.clocks.mono_reaches(due, at)?, kind))
    }

    /// Every timer that is due at `at`: requests, then wakes, then the user.
    pub(crate) fn due_timers(&self, setup: &ClientSetup, at: WorldTime) -> Vec<TimerKind> {
        let (now, mut due_now) = (self.now(at), Vec::new());
        self.timers(setup, now, |due, kind| {
            if due <= now.mono {
                due_now.push(kind);
            }
        });
        due_now
    }

    /// Offers every timer whose worker is not paused, with its deadline, the present at the earliest.
    fn timers(&self, setup: &ClientSetup, now: Now, mut offer: impl FnMut(MonoTime, TimerKind)) {
        if !self.alive || self.pauses.process > 0 {
            return;
        }
        // A late timer is one that was set; what is to be done at once is no timer.
        let late = self.pauses.late;
        let mut offer = |due: Moment, kind: TimerKind| match due {
            Moment::AtOnce => offer(now.mono, kind),
            Moment::At(due) => offer((due + late).max(now.mono), kind),
        };
        for pending in &self.driver.pending {
            if !self.pauses.stops(pending.label.worker) {
                let due = match pending.state {
                    PendingState::Kept(_) => continue,
                    PendingState::Queued(_) | PendingState::Sent => Moment::At(pending.limit_at),
                    PendingState::Unsent(_) | PendingState::Answered(_) | PendingState::Broken(_) => {
                        Moment::AtOnce
                    }
                };
                offer(due, TimerKind::Request(pending.request));
            }
        }
        for (reason, due) in &self.driver.wakes {
            if !self.pauses.stops(reason.worker()) {
                offer(Moment::At(*due), TimerKind::Wake(*reason));
            }
        }
        for redial in &self.driver.redials {
            if let Some(at) = redial.at {
                offer(Moment::At(at), TimerKind::Redial(redial.voter, redial.connection));
            }
        }
        if !self.pauses.stops(Worker::User)
            && let Some(due) = self.user_due(setup, now)
        {
            offer(due, TimerKind::User);
        }
    }

    fn user_due(&self, setup: &ClientSetup, now: Now) -> Option<Moment> {
        if self.hand == Hand::Outside {
            return None;
        }
        match &self.user {
            User::Resting { at } | User::Again { at, .. } => Some(Moment::At(*at)),
            User::Declining { .. } => Some(Moment::AtOnce),
            User::Inside(section) => section.next(&setup.workload, self.work, now).map(|(at, _)| at),
            User::Calling { .. } | User::Unwinding { .. } | User::Releasing { .. } | User::Done => None,
        }
    }

    /// Fires a timer.
    pub(crate) fn on_timer(&mut self, kind: TimerKind, scene: &mut Scene<'_>, draws: &mut dyn Draws) {
        if !self.alive {
            return;
        }
        self.counts.firings += 1;
        match kind {
            TimerKind::User => self.on_user(scene, draws),
            TimerKind::Wake(reason) => self.on_wake(reason, scene, draws),
            TimerKind::Redial(voter, connection) => self.redial(voter, connection, scene),
            TimerKind::Request(request) => {
                if self.send_late(request, scene) {
                    return;
                }
                if scene.fixed().offline_queue == OfflineQueue::On && self.driver.is_queued(request) {
                    self.driver.keep_unknown(request);
                    return self.feed(Input::Unknown { request, why: UnknownReason::TimedOut }, scene);
                }
                let Some(pending) = self.driver.take(request) else { return };
                let input = match pending.state {
                    PendingState::Answered(reply) => Input::Reply { request, reply },
                    PendingState::Broken(why) => Input::Unknown { request, why },
                    PendingState::Unsent(_) | PendingState::Queued(_) => {
                        Input::Unknown { request, why: UnknownReason::NotSent }
                    }
                    // It was answered long ago.
                    PendingState::Kept(_) => return,
                    PendingState::Sent => {
                        scene.record(self, Fact::TimedOut { name: pending.name });
                        self.after_timeout(pending.voter, pending.connection, scene);
                        Input::Unknown { request, why: UnknownReason::TimedOut }
                    }
                };
                self.feed(input, scene);
            }
        }
    }

    fn on_wake(&mut self, reason: WakeReason, scene: &mut Scene<'_>, draws: &mut dyn Draws) {
        self.driver.quiet(reason);
        let draw = draws.draw(self.id);
        self.feed(Input::Wake { reason, draw }, scene);
    }

    fn on_user(&mut self, scene: &mut Scene<'_>, draws: &mut dyn Draws) {
        let now = self.now(scene.at());
        match &self.user {
            User::Resting { .. } => self.begin_cycle(now, scene, draws),
            User::Again { patience_end, .. } if now.mono < *patience_end => {
                let patience_end = *patience_end;
                self.acquire(patience_end, scene, draws);
            }
            User::Again { .. } => self.end_cycle(scene),
            User::Declining { grant } => {
                let grant = *grant;
                self.release(grant, scene);
            }
            User::Inside(section) => {
                let next = section.next(&scene.setup(self.id).workload, self.work, now);
                match next {
                    Some((_, Deed::Reenter)) => self.reenter(scene, draws),
                    Some((_, deed)) => self.on_deed(deed, now, scene),
                    None => {}
                }
            }
            User::Calling { .. } | User::Unwinding { .. } | User::Releasing { .. } | User::Done => {}
        }
    }

    /// The item that the present cycle is about.
    pub(crate) fn item(&self, workload: &Workload) -> u32 {
        workload.cycles - self.cycles_left
    }

    /// Wants the lock, unless the cycle is a period that has not begun, or is over.
    fn begin_cycle(&mut self, now: Now, scene: &mut Scene<'_>, draws: &mut dyn Draws) {
        let workload = &scene.setup(self.id).workload;
        if let Task::Cron { period } = workload.task {
            let wait = until_period(self.item(workload), period, now);
            if wait > Span::ZERO {
                // A wall clock that stands still shall not wake anybody without pause.
                self.user = User::Resting { at: now.mono + wait.max(Span::from_ms(1)) };
                return;
            }
            let missed = u32::try_from(-wait.0 / period.0).unwrap_or(u32::MAX).min(self.cycles_left);
            self.cycles_left -= missed;
            if self.cycles_left == 0 {
                self.user = User::Done;
                return scene.record(self, Fact::Done);
            }
        }
        let patience = workload.patience;
        self.draw_lengths(scene, draws);
        self.acquire(now.mono + patience, scene, draws);
    }

    /// The lengths of the cycle that begins.
    fn draw_lengths(&mut self, scene: &mut Scene<'_>, draws: &mut dyn Draws) {
        let workload = &scene.setup(self.id).workload;
        let cycle = self.item(workload);
        let mut length = |length: &Length, stretch| match length {
            Length::Of(span) => *span,
            Length::Drawn(of) => draws.length(self.id, cycle, stretch, of),
        };
        let (work, think) = (length(&workload.work, Stretch::Work), length(&workload.think, Stretch::Think));
        (self.work, self.think) = (work, think);
    }

    fn acquire(&mut self, patience_end: MonoTime, scene: &mut Scene<'_>, draws: &mut dyn Draws) {
        self.counts.calls += 1;
        self.present = self.counts.calls;
        self.counts.acquires += 1;
        self.wrote = false;
        let call = self.call();
        self.user = User::Calling { call, patience_end };
        scene.record(self, Fact::AcquireBegan { call });
        self.point(Point::Acquire(self.counts.acquires), scene);
        scene.call_began(self, call);
        scene.begin_count(self);
        let ttl = self.traits.0.ttl;
        self.feed(Input::Acquire { caller: CALLER, ttl, draw: draws.draw(self.id) }, scene);
    }

    pub(crate) fn release(&mut self, grant: GrantId, scene: &mut Scene<'_>) {
        self.counts.releases += 1;
        self.user = User::Releasing { grant };
        scene.record(self, Fact::ReleaseBegan { grant });
        self.point(Point::Release(self.counts.releases), scene);
        scene.released(self, grant);
        self.feed(Input::Release { caller: CALLER }, scene);
    }

    /// The cycle is over: rest until the next, or be done.
    pub(crate) fn end_cycle(&mut self, scene: &mut Scene<'_>) {
        let workload = &scene.setup(self.id).workload;
        if workload.cycles != Workload::ENDLESS {
            self.cycles_left = self.cycles_left.saturating_sub(1);
        }
        if self.cycles_left == 0 {
            self.user = User::Done;
            scene.record(self, Fact::Done);
        } else {
            let now = self.now(scene.at());
            let wait = match workload.task {
                Task::Cron { period } => until_period(self.item(workload), period, now).max(Span::ZERO),
                Task::Hold { .. } | Task::Stock | Task::Leader { .. } | Task::Submit => self.think,
            };
            self.user = User::Resting { at: now.mono + wait };
        }
    }

    fn on_deed(&mut self, deed: Deed, now: Now, scene: &mut Scene<'_>) {
        use crate::history::SectionEnd;
        let Workload { holder, extend, .. } = &scene.setup(self.id).workload;
        let User::Inside(section) = &mut self.user else { return };
        match deed {
            Deed::Ask => {
                section.step = Step::Doubting;
                self.feed(Input::Check { caller: CALLER }, scene);
            }
            Deed::LeaveWarned => self.leave(SectionEnd::Lost, scene),
            // The timer runs on the monotonic clock; a promise on a slower wall clock may not be over yet.
            Deed::LeaveExpired if !section.is_over(now) => {}
            Deed::LeaveExpired => self.leave(SectionEnd::Expired, scene),
            Deed::Finish => self.leave(SectionEnd::Finished, scene),
            Deed::Reenter => unreachable!("it needs a nonce, which a deed has not"),
            Deed::GiveBack => self.give_back(scene),
            Deed::Check => {
                let (asks, over) = match holder {
                    Holder::Never => (false, false),
                    Holder::BeforeWrite | Holder::Leaves => (false, section.is_over(now)),
                    Holder::Remote => (true, false),
                };
                if let (false, Step::Working { read }) = (over, section.step) {
                    section.step = if asks { Step::Asking { read } } else { Step::Checked { read } };
                }
                self.counts.checks += 1;
                let point = PointName {
                    client: self.id,
                    incarnation: self.incarnation,
                    point: Point::WriteCheck(self.counts.checks),
                };
                scene.record(self, Fact::Reached { point });
                self.point(point.point, scene);
                if over {
                    self.leave(SectionEnd::Expired, scene);
                } else if asks {
                    self.feed(Input::Check { caller: CALLER }, scene);
                }
            }
            Deed::Write => self.write(scene),
            Deed::Extend => {
                if let Step::Working { read } = section.step {
                    section.step = Step::Extending { read };
                }
                section.extends += 1;
                if let Extend::Every(_) = extend {
                    section.extended = Some(now.mono);
                }
                self.counts.extends += 1;
                let grant = section.grant;
                scene.record(self, Fact::ExtendBegan { grant });
                self.point(Point::Extend(self.counts.extends), scene);
                let ttl = self.traits.0.ttl;
                self.feed(Input::Extend { caller: CALLER, ttl }, scene);
            }
        }
    }

    fn leave(&mut self, why: crate::history::SectionEnd, scene: &mut Scene<'_>) {
        self.give_up_inner(scene);
        let User::Inside(section) = &self.user else { return };
        let grant = section.grant;
        self.counts.leaves += 1;
        scene.left(self, grant, why);
        self.point(Point::Leave(self.counts.leaves), scene);
        self.unwind(grant, scene);
    }

    pub(crate) fn point(&self, point: Point, scene: &mut Scene<'_>) {
        scene.name(Name::Point(PointName { client: self.id, incarnation: self.incarnation, point }));
    }

    /// Gives the core an input and does what it says.
    pub(crate) fn feed(&mut self, input: Input, scene: &mut Scene<'_>) {
        let mut outputs = Vec::new();
        self.core.on_input(self.now(scene.at()), input, &mut outputs);
        for output in outputs {
            self.on_output(output, scene);
        }
    }

    fn on_output(&mut self, output: Output, scene: &mut Scene<'_>) {
        match output {
            Output::Send { request, voter, connection, command, limit, label } => {
                let name = MessageName {
                    client: self.id,
                    incarnation: self.incarnation,
                    route: Route::Command {
                        voter,
                        operation: label.operation,
                        number: label.number,
                        command: crate::name::CommandName::of(command.name()),
                        occurrence: label.occurrence,
                    },
                    direction: crate::name::Direction::Request,
                };
                let limit_at = self.now(scene.at()).mono + limit;
                let errand = Errand { command, by: self.call() };
                let state = match self.pauses.stops(label.worker) {
                    true => PendingState::Unsent(errand),
                    false => self.transmit((voter, connection), name, request, errand, scene),
                };
                self.driver.keep(Pending { request, voter, connection, label, name, limit_at, state });
            }
            Output::Connect { voter, connection } => {
                let peer = Process::Node(scene.world.address(self.id, voter));
                if scene.world.links.current(self.id, peer, connection).is_none() {
                    self.connect(peer, connection, scene);
                }
            }
            Output::Wake { at, reason } => self.driver.set_wake(reason, at),
            Output::Quiet { reason } => self.driver.quiet(reason),
            Output::Attempt { number } => {
                scene.record(self, Fact::AttemptBegan { call: self.call(), number });
            }
            Output::Granted { .. }
            | Output::Refused { .. }
            | Output::Extended { .. }
            | Output::ExtendFailed { .. }
            | Output::Checked { .. }
            | Output::Released { .. }
            | Output::Lost { .. } => self.on_outcome(output, scene),
        }
    }

    /// Dies: nothing of its memory survives; what it sent may still arrive. What is left to do waits for its
    /// next life: a cycle in progress is begun again, one that had not begun keeps its time.
    pub(crate) fn die(&mut self, now: MonoTime) {
        self.alive = false;
        self.driver = Driver::new();
        self.user = match self.user {
            User::Resting { at } => User::Resting { at },
            User::Done => User::Done,
            User::Calling { .. }
            | User::Again { .. }
            | User::Declining { .. }
            | User::Inside(_)
            | User::Unwinding { .. }
            | User::Releasing { .. } => User::Resting { at: now },
        };
    }

    /// Begins a new life with a fresh core, and the cycles that were not finished.
    pub(crate) fn rise(&mut self, core: C) {
        self.alive = true;
        self.incarnation += 1;
        self.core = core;
        let (calls, firings) = (self.counts.calls, self.counts.firings);
        self.counts = Counts { calls, firings, ..Counts::ZERO };
    }

    pub(crate) fn enter(&mut self, section: Section, scene: &mut Scene<'_>) {
        self.counts.enters += 1;
        scene.entered(self, section.grant);
        self.user = User::Inside(section);
        self.point(Point::Enter(self.counts.enters), scene);
        self.begin_work(scene);
    }
}

/// How long until this period begins by the wall clock; not positive once it has.
fn until_period(item: u32, period: Span, now: Now) -> Span {
    let begin = ProcessClocks::WALL_START + Span(period.0.saturating_mul(i64::from(item)));
    begin - now.wall
}
