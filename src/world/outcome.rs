//! What a client does with its core's outcomes and with the section: the second half of [`super::client`].

use super::client::Client;
use super::lane::{Ask, Body, StoreRequest};
use super::ledger::is_ahead;
use super::nested::Inner;
use super::scene::Scene;
use super::setup::{Ack, Holder, StoreMode, Task};
use super::user::{Section, Step, User};
use crate::history::Fact;
use crate::lock::{ConnectionId, Found, LockCore, Output, RefuseReason, Until};
use crate::name::{Direction, MessageName, Nonce, Point, Process, Route, StoreAccess};
use crate::time::Span;

impl<C: LockCore> Client<C> {
    /// Takes one outcome of the core.
    pub(crate) fn on_outcome(&mut self, outcome: Output, scene: &mut Scene<'_>) {
        match outcome {
            Output::Granted { caller: _, nonce, until, fence } if self.is_nesting() => {
                self.on_inner_granted((nonce, until, fence), scene);
            }
            Output::Granted { caller: _, nonce, until, fence } => self.on_granted(nonce, until, fence, scene),
            Output::Refused { caller: _, why } if self.is_nesting() => self.on_inner_refused(why, scene),
            Output::Refused { caller: _, why } => self.on_refused(why, scene),
            Output::Extended { caller: _, until } => self.on_extended(until, scene),
            Output::ExtendFailed { caller: _, why, still } => {
                if let Some(grant) = self.user.grant() {
                    scene.record(self, Fact::ExtendFailed { grant, why });
                    if still.is_none() {
                        scene.told(self);
                    }
                }
                let steps_down = scene.setup(self.id).workload.task.steps_down();
                if let User::Inside(section) = &mut self.user {
                    section.step = after_extension(section.step);
                    section.warned |= steps_down;
                }
            }
            Output::Lost { caller: _, why } => {
                for grant in [self.user.grant(), self.user.held_second()].into_iter().flatten() {
                    scene.record(self, Fact::LossTold { grant, why });
                    scene.told(self);
                    scene.lost(self, grant);
                }
                if let User::Inside(section) = &mut self.user {
                    section.warned = true;
                }
            }
            Output::Checked { caller: _, found } => {
                if let Some(grant) = self.user.grant() {
                    scene.record(self, Fact::CheckEnded { grant, found });
                }
                self.on_checked(found, scene);
            }
            Output::Released { .. } if self.on_inner_released(&outcome, scene) => {}
            Output::Released { caller: _, how } => {
                if let User::Releasing { grant } = self.user {
                    scene.record(self, Fact::ReleaseEnded { grant, how });
                    scene.expect_gone(self);
                    scene.count(self, grant, 0);
                    self.end_cycle(scene);
                }
            }
            Output::Send { .. }
            | Output::Connect { .. }
            | Output::Wake { .. }
            | Output::Quiet { .. }
            | Output::Attempt { .. } => unreachable!("a duty is no outcome"),
        }
    }

    fn on_extended(&mut self, until: Until, scene: &mut Scene<'_>) {
        match self.user {
            // The call of release has ended the promise for good.
            User::Releasing { grant } => {
                let ahead = is_ahead(until, self.now(scene.at()));
                scene.record(self, Fact::Extended { grant, until, ahead });
            }
            User::Declining { grant } | User::Inside(Section { grant, .. }) => {
                scene.extended(self, grant, until);
                // What was prolonged is the key, and with it both holds.
                if let Some(second) = self.user.held_second() {
                    scene.extended(self, second, until);
                }
            }
            User::Unwinding { outer, .. } => scene.extended(self, outer, until),
            User::Resting { .. } | User::Calling { .. } | User::Again { .. } | User::Done => {}
        }
        if let User::Inside(section) = &mut self.user {
            section.until = until;
            section.step = after_extension(section.step);
        }
    }

    fn on_granted(&mut self, nonce: Nonce, until: Until, fence: Option<i64>, scene: &mut Scene<'_>) {
        assert!(matches!(self.user, User::Calling { .. }), "a core grants a call that is open");
        let now = self.now(scene.at());
        let grant = scene.granted(self, nonce, until, fence);
        self.counts.grants += 1;
        self.point(Point::Granted(self.counts.grants), scene);
        scene.count(self, grant, 1);
        let holder = scene.setup(self.id).workload.holder;
        let step = match holder {
            Holder::BeforeWrite | Holder::Leaves if !is_ahead(until, now) => {
                self.user = User::Declining { grant };
                return;
            }
            Holder::Never | Holder::BeforeWrite | Holder::Leaves => Step::Working { read: None },
            Holder::Remote => Step::Arrived,
        };
        let (since, writes, extends, warned) = (now.mono, 0, 0, false);
        let (wrote, extended) = (None, None);
        let inner = Inner::Ahead;
        let section = Section {
            grant,
            nonce,
            fence,
            until,
            since,
            writes,
            extends,
            wrote,
            extended,
            step,
            inner,
            warned,
        };
        self.enter(section, scene);
    }

    /// Goes on where it was waiting for the answer, if the answer is that it holds; else it will leave.
    fn on_checked(&mut self, found: Found, scene: &mut Scene<'_>) {
        let now = self.now(scene.at()).mono;
        let User::Inside(section) = &mut self.user else { return };
        let read = match section.step {
            Step::Doubting => None,
            Step::Asking { read } => read,
            // The look was cut short by what ended the section's wait.
            Step::Arrived
            | Step::Claiming
            | Step::Reading
            | Step::Working { .. }
            | Step::Checked { .. }
            | Step::Writing
            | Step::Extending { .. }
            | Step::Nesting { .. } => return,
        };
        match (found, section.step) {
            (Found::Held, Step::Asking { read }) => section.step = Step::Checked { read },
            (Found::Held, _) => {
                section.since = now;
                section.step = Step::Working { read };
                self.begin_work(scene);
            }
            (Found::Gone | Found::Unknown, _) => {
                section.step = Step::Working { read };
                section.warned = true;
            }
        }
    }

    fn on_refused(&mut self, why: RefuseReason, scene: &mut Scene<'_>) {
        let User::Calling { call, patience_end } = self.user else { return };
        let now = self.now(scene.at()).mono;
        scene.refused(self, call, why);
        self.counts.refusals += 1;
        self.point(Point::Refused(self.counts.refusals), scene);
        if now < patience_end {
            // Whoever calls again at once would never let time pass.
            let at = now + scene.setup(self.id).workload.again.max(Span(1));
            self.user = User::Again { call, at, patience_end };
        } else {
            self.end_cycle(scene);
        }
    }

    /// The first step inside the section: claim the store, read it, or just work.
    pub(crate) fn begin_work(&mut self, scene: &mut Scene<'_>) {
        let claims = scene.world.fixed.0.store.mode == StoreMode::NonceCas;
        let User::Inside(section) = &mut self.user else { return };
        if section.step == Step::Arrived {
            return;
        }
        if claims {
            section.step = Step::Claiming;
            self.counts.claims += 1;
            self.ask(StoreAccess::Claim, self.counts.claims, Ask::Claim, scene);
        } else {
            self.read(scene);
        }
    }

    /// Asks the store for what the work depends on, if it depends on anything.
    pub(crate) fn read(&mut self, scene: &mut Scene<'_>) {
        let workload = &scene.setup(self.id).workload;
        let ask = match workload.task {
            Task::Hold { .. } | Task::Leader { .. } => return,
            Task::Stock => Ask::Read,
            Task::Cron { .. } | Task::Submit => Ask::Look { item: self.item(workload) },
        };
        let User::Inside(section) = &mut self.user else { return };
        section.step = Step::Reading;
        self.counts.reads += 1;
        self.ask(StoreAccess::Read, self.counts.reads, ask, scene);
    }

    /// Sends the write that was decided.
    pub(crate) fn write(&mut self, scene: &mut Scene<'_>) {
        let now = self.now(scene.at()).mono;
        let workload = &scene.setup(self.id).workload;
        let item = self.item(workload);
        let User::Inside(section) = &mut self.user else { return };
        let Step::Checked { read } = section.step else { return };
        section.writes += 1;
        let ask = match (workload.task, read) {
            (Task::Hold { .. } | Task::Leader { .. }, _) | (Task::Stock, None) => Ask::Write,
            (Task::Stock, Some(read)) => Ask::Buy { read },
            (Task::Cron { .. } | Task::Submit, _) => Ask::Run { item },
        };
        if let Task::Leader { .. } = workload.task {
            section.wrote = Some(now);
        }
        section.step = match workload.ack {
            Ack::Await => Step::Writing,
            Ack::FireAndForget => Step::Working { read },
        };
        self.counts.writes += 1;
        self.ask(StoreAccess::Write, self.counts.writes, ask, scene);
        self.point(Point::WriteSend(self.counts.writes), scene);
    }

    fn ask(&mut self, access: StoreAccess, number: u32, ask: Ask, scene: &mut Scene<'_>) {
        let User::Inside(section) = &self.user else { return };
        let request = StoreRequest { grant: section.grant, nonce: section.nonce, fence: section.fence, ask };
        let (client, incarnation) = (self.id, self.incarnation);
        let route = Route::Store { access, number };
        let name = MessageName { client, incarnation, route, direction: Direction::Request };
        let lane = scene.world.links.current(client, Process::Store, ConnectionId(0)).map(|lane| lane.id);
        let lane = lane.expect("a living client has a connection to the store");
        scene.send(self, lane, name, Body::StoreRequest(request));
    }
}

fn after_extension(step: Step) -> Step {
    match step {
        Step::Extending { read } => Step::Working { read },
        Step::Arrived
        | Step::Doubting
        | Step::Claiming
        | Step::Reading
        | Step::Working { .. }
        | Step::Asking { .. }
        | Step::Checked { .. }
        | Step::Writing
        | Step::Nesting { .. } => step,
    }
}
