//! What each fault does when it begins and when it ends.
//!
//! Must not decide when: the explorer does, after the plan.

use super::act::Arrival;
use super::client::CALLER;
use super::event::Trail;
use super::lane::{Body, LaneId, LaneState};
use super::ledger::Backing;
use super::scene::Scene;
use super::state::FaultState;
use super::system::System;
use super::user::User;
use crate::history::{Cause, Fact, LostWhy, PromiseEnd, SectionEnd, WatchEnd};
use crate::lock::{ConnectionId, Hand, Input, LockCore};
use crate::name::{ClientId, Direction, MessageName, NodeId, Process, Route, Worker};
use crate::plan::{CutHow, Fault, PauseKind, PauseScope};
use crate::time::ClockKind;

/// Which end of a fault's interval it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Begin,
    End,
}

impl Edge {
    pub(super) fn count(self, count: &mut u16) {
        match self {
            Self::Begin => *count += 1,
            Self::End => *count -= 1,
        }
    }
}

impl<C: LockCore> System<C> {
    /// Whether a client is dead now but will start again.
    pub(crate) fn will_rise(&self, client: ClientId) -> bool {
        let planned = self.setup().plan.faults.iter().zip(&self.world.faults);
        planned.into_iter().any(|(planned, state)| {
            *state == FaultState::Active
                && planned.lasts.is_some()
                && matches!(planned.fault, Fault::Crash { client: dead } if dead == client)
        })
    }

    /// Whether a client stands still to the end of the run.
    pub(crate) fn is_paused_for_good(&self, client: ClientId) -> bool {
        let planned = self.setup().plan.faults.iter().zip(&self.world.faults);
        planned.into_iter().any(|(planned, state)| {
            let scope = PauseScope::Process(Process::Client(client));
            *state == FaultState::Active
                && planned.lasts.is_none()
                && matches!(&planned.fault, Fault::Pause { scope: paused, .. } if *paused == scope)
        })
    }

    /// Whether a client's user code stands still to the end of the run. Its watchdog may go on.
    pub(crate) fn is_at_rest_for_good(&self, client: ClientId) -> bool {
        let planned = self.setup().plan.faults.iter().zip(&self.world.faults);
        let user = PauseScope::Worker(client, Worker::User);
        self.is_paused_for_good(client)
            || planned.into_iter().any(|(planned, state)| {
                *state == FaultState::Active
                    && planned.lasts.is_none()
                    && matches!(&planned.fault, Fault::Pause { scope, .. } if *scope == user)
            })
    }

    /// Whether this fault has begun.
    pub fn has_begun(&self, index: u32) -> bool {
        self.world.faults[index as usize] != FaultState::Ahead
    }

    pub(crate) fn begin_fault(&mut self, index: u32, out: &mut Trail) {
        let fault = self.setup().plan.faults[index as usize].fault.clone();
        let instant = fault.is_instant();
        let process = fault_process(&fault);
        self.world.faults[index as usize] = if instant { FaultState::Over } else { FaultState::Active };
        if !instant {
            let place = self.world.active.partition_point(|active| *active < index);
            self.world.active.insert(place, index);
        }
        let effective = self.is_effective(&fault);
        self.world.refresh_all_good(out);
        self.fault_record(process, Fact::FaultBegan { index, kind: fault.kind(), effective }, out);
        if self.is_aimed(&fault) {
            self.turn(&fault, Edge::Begin, out);
        }
        self.after_fault(&fault, out);
    }

    pub(crate) fn end_fault(&mut self, index: u32, out: &mut Trail) {
        if self.world.faults[index as usize] != FaultState::Active {
            return;
        }
        let fault = self.setup().plan.faults[index as usize].fault.clone();
        self.world.faults[index as usize] = FaultState::Over;
        self.world.active.retain(|active| *active != index);
        self.world.refresh_all_good(out);
        if self.is_aimed(&fault) {
            self.turn(&fault, Edge::End, out);
        }
        self.fault_record(fault_process(&fault), Fact::FaultEnded { index, kind: fault.kind() }, out);
        self.after_fault(&fault, out);
    }

    fn fault_record(&mut self, process: Process, fact: Fact, out: &mut Trail) {
        match process {
            Process::Client(id) if self.exists(process) => {
                let client = &self.clients[usize::from(id.0)];
                Scene { world: &mut self.world, out }.record(client, fact);
            }
            Process::Client(_) | Process::Node(_) | Process::Store => self.world.record(process, fact, out),
        }
    }

    /// Watches whose conditions rest on what the fault touched cannot be judged as before.
    fn after_fault(&mut self, fault: &Fault, out: &mut Trail) {
        self.world.review = true;
        self.world.facts_stale();
        out.unblocked = true;
        out.touched.extend(self.clients());
        self.world.reconcile(out);
        out.nodes.extend(self.timed_nodes());
        let voter_of = |process: &Process| match process {
            Process::Node(node) => super::watch::bit(node.voter),
            Process::Store | Process::Client(_) => 0,
        };
        let watches = &mut self.world.ledger.watches;
        match fault {
            Fault::Cut { one, other, .. } => {
                let ends = one.iter().chain(other);
                let voters = ends.map(voter_of).fold(0, |sum, bit| sum | bit);
                let between_nodes = one.iter().any(|process| matches!(process, Process::Node(_)));
                watches.touch(voters, |client| between_nodes || one.contains(&Process::Client(client)));
            }
            Fault::Pause { scope: PauseScope::Process(process), .. }
            | Fault::ClockRate { process, .. }
            | Fault::ClockFreeze { process, .. }
            | Fault::ClockStep { process, .. }
            | Fault::LateTimer { process, .. } => match process {
                Process::Client(paused) => watches.touch(u32::MAX, |client| client == *paused),
                Process::Node(_) | Process::Store => watches.touch(voter_of(process), |_| true),
            },
            Fault::Pause { scope: PauseScope::Worker(paused, _), .. }
            | Fault::Crash { client: paused }
            | Fault::Cancel { client: paused } => {
                watches.touch(u32::MAX, |client| client == *paused);
            }
            Fault::Kill { node, .. }
            | Fault::Slow { node, .. }
            | Fault::ErrorReply { node, .. }
            | Fault::FlushScripts { node }
            | Fault::Promote { node, .. }
            | Fault::Demote { node }
            | Fault::Lag { node, .. } => watches.touch(super::watch::bit(node.voter), |_| true),
            // An eviction leaves the node reachable: a holder can find out.
            Fault::Evict { .. } => {}
        }
    }

    /// Whether the deployment has this process.
    fn exists(&self, process: Process) -> bool {
        match process {
            Process::Client(id) => usize::from(id.0) < self.clients.len(),
            Process::Node(node) => self.world.has(node),
            Process::Store => true,
        }
    }

    /// Whether the deployment has what the fault is aimed at. A profile may hit what is not there, which does
    /// nothing. Cuts are looked up by name and need no target.
    fn is_aimed(&self, fault: &Fault) -> bool {
        matches!(fault, Fault::Cut { .. }) || self.exists(fault_process(fault))
    }

    /// Whether the fault does anything to anybody in the moment it begins. One that only meets a dead client or
    /// a node that is down does not, even if it is still in force when they are back.
    pub(super) fn is_effective(&self, fault: &Fault) -> bool {
        if !self.is_aimed(fault) {
            return false;
        }
        let exists = |process: &Process| {
            self.exists(*process)
                && match process {
                    Process::Client(id) => self.clients[usize::from(id.0)].alive,
                    Process::Node(_) | Process::Store => true,
                }
        };
        match fault {
            Fault::Pause { scope: PauseScope::Process(process), .. } => exists(process),
            Fault::Pause { scope: PauseScope::Worker(client, _), .. } | Fault::Crash { client } => {
                exists(&Process::Client(*client))
            }
            Fault::Cancel { client } => {
                let client = &self.clients[usize::from(client.0)];
                client.alive && matches!(client.user, User::Calling { .. })
            }
            Fault::ClockStep { process, .. }
            | Fault::ClockRate { process, .. }
            | Fault::ClockFreeze { process, .. } => exists(process),
            Fault::LateTimer { process, .. } => matches!(process, Process::Client(_)) && exists(process),
            Fault::Cut { one, other, .. } => one
                .iter()
                .filter(|side| exists(side))
                .any(|side| other.iter().any(|peer| exists(peer) && talk(*side, *peer))),
            Fault::Promote { node, .. } => self.can_promote(*node),
            Fault::Demote { node } => self.can_demote(*node),
            Fault::Lag { node, .. } => {
                self.world.redis(*node).is_up() && self.world.stream_of(*node).is_some()
            }
            Fault::Kill { node, .. } => self.world.redis(*node).is_up(),
            Fault::Slow { .. } | Fault::ErrorReply { .. } => true,
            Fault::FlushScripts { node } => self.world.redis(*node).is_up(),
            Fault::Evict { node, key } => {
                let server = self.world.redis(*node);
                let key = key.as_ref().unwrap_or(&self.setup().key);
                self.world.is_primary(*node)
                    && server.is_up()
                    && server.node.view(server.clocks.now(self.now()).wall, key).is_some()
            }
        }
    }

    fn turn(&mut self, fault: &Fault, edge: Edge, out: &mut Trail) {
        match fault {
            Fault::Pause { scope, kind } => self.turn_pause(*scope, *kind, edge, out),
            Fault::Crash { client } => match edge {
                Edge::Begin => self.crash(*client, out),
                Edge::End => self.rise(*client, out),
            },
            Fault::Cancel { client } => self.cancel(*client, out),
            Fault::Kill { node, death } => self.turn_kill(*node, *death, edge, out),
            Fault::ClockStep { process, clock, by } => {
                let at = self.now();
                self.clocks_mut(*process).clock_mut(*clock).step(at, *by);
                self.clocks_changed(*process, out);
            }
            Fault::ClockRate { process, .. } | Fault::ClockFreeze { process, .. } => {
                self.retune(*process, out);
            }
            Fault::Cut { how: CutHow::Reset, .. } if edge == Edge::Begin => self.reset_cut(fault, out),
            // These are looked up while they are in force.
            Fault::Cut { .. } | Fault::Slow { .. } | Fault::ErrorReply { .. } | Fault::Lag { .. } => {}
            Fault::Promote { node, learn, except } => self.promote(*node, *learn, except, out),
            Fault::Demote { node } => self.demote(*node, out),
            Fault::Evict { node, key } => self.evict(*node, key.clone(), out),
            Fault::LateTimer { process, by } => {
                if let Process::Client(id) = process {
                    let late = &mut self.clients[usize::from(id.0)].pauses.late;
                    *late = if edge == Edge::Begin { *late + *by } else { *late - *by };
                }
            }
            Fault::FlushScripts { node } => {
                let command = crate::resp::Command::new([
                    bytes::Bytes::from_static(b"SCRIPT"),
                    bytes::Bytes::from_static(b"FLUSH"),
                ]);
                let at = self.now();
                let server = self.world.redis_mut(*node);
                let wall = server.clocks.now(at).wall;
                server.node.apply(wall, None, &command, &mut Vec::new());
            }
        }
    }

    fn turn_pause(&mut self, scope: PauseScope, kind: PauseKind, edge: Edge, out: &mut Trail) {
        match scope {
            PauseScope::Process(process) => {
                edge.count(match process {
                    Process::Client(id) => &mut self.clients[usize::from(id.0)].pauses.process,
                    Process::Node(node) => &mut self.world.redis_mut(node).pauses,
                    Process::Store => &mut self.world.store.pauses,
                });
                if let Process::Node(node) = process {
                    // What was due meanwhile is the first thing a server does when it goes on.
                    self.world.recount(node, out);
                }
                match kind {
                    PauseKind::Stop => {}
                    PauseKind::Suspend => self.retune(process, out),
                }
            }
            PauseScope::Worker(id, Worker::User) => {
                edge.count(&mut self.clients[usize::from(id.0)].pauses.user);
            }
            PauseScope::Worker(id, Worker::Watchdog) => {
                edge.count(&mut self.clients[usize::from(id.0)].pauses.watchdog);
            }
        }
    }

    /// Makes the clocks of a process what the faults in force say, whichever of them began or ended.
    fn retune(&mut self, process: Process, out: &mut Trail) {
        let at = self.now();
        for kind in [ClockKind::Mono, ClockKind::Wall] {
            let (ppm, frozen) = self.world.tuning(process, kind);
            let clock = self.clocks_mut(process).clock_mut(kind);
            if clock.ppm() != ppm {
                clock.set_ppm(at, ppm);
            }
            if clock.is_frozen() != frozen {
                clock.set_frozen(at, frozen);
            }
        }
        self.clocks_changed(process, out);
    }

    fn clocks_mut(&mut self, process: Process) -> &mut crate::time::ProcessClocks {
        match process {
            Process::Client(id) => &mut self.clients[usize::from(id.0)].clocks,
            Process::Node(node) => &mut self.world.redis_mut(node).clocks,
            Process::Store => &mut self.world.store.clocks,
        }
    }

    /// A clock changed: promised ends and key lives are reckoned anew.
    fn clocks_changed(&mut self, process: Process, out: &mut Trail) {
        match process {
            Process::Client(id) => self.reckon(id),
            Process::Node(node) => {
                let (at, key) = (self.now(), self.setup().key.clone());
                let server = self.world.redis_mut(node);
                let before = server.held.as_ref().map(|held| held.writer);
                server.refresh(at, &key);
                match (before, server.held.is_some()) {
                    (Some(writer), false) => self.world.hold_gone(node, writer, Cause::ClockFault, out),
                    (None, true) => self.world.stir(Cause::ClockFault),
                    (Some(_), true) | (None, false) => {}
                }
            }
            Process::Store => {}
        }
    }

    fn reckon(&mut self, client: ClientId) {
        let (now, clocks) = (self.now(), &self.clients[usize::from(client.0)].clocks);
        for hold in self.world.ledger.holds.iter_mut().filter(|hold| hold.client() == client) {
            hold.reckon(clocks, now);
        }
    }

    fn evict(&mut self, node: NodeId, key: Option<bytes::Bytes>, out: &mut Trail) {
        // Replicas evict nothing (Redis 7.0, `replica-ignore-maxmemory yes`).
        if !self.world.is_primary(node) {
            return;
        }
        let (at, own) = (self.now(), self.setup().key.clone());
        let key = key.unwrap_or_else(|| own.clone());
        let (log, entry) = self.world.redis_mut(node).evict(at, &key);
        self.world.notice(node, &log);
        self.world.spread(node, entry, out);
        if key == own
            && let Some(held) = self.world.redis_mut(node).held.take()
        {
            self.world.hold_gone(node, held.writer, Cause::Eviction, out);
        }
    }

    fn reset_cut(&mut self, fault: &Fault, out: &mut Trail) {
        let Fault::Cut { one, other, .. } = fault else { return };
        let hit = |lane: LaneId| one.contains(&Process::Client(lane.client)) && other.contains(&lane.peer);
        self.tear_down(hit, Tear::Both, out);
    }

    /// Breaks connections: what is in flight is lost, in one or both directions, and the clients are told
    /// after one latency.
    pub(super) fn tear_down(&mut self, hit: impl Fn(LaneId) -> bool, tear: Tear, out: &mut Trail) {
        let torn: Vec<(LaneId, LaneState)> =
            self.world.links.iter().filter(|lane| hit(lane.id)).map(|lane| (lane.id, lane.state)).collect();
        for (id, state) in torn {
            let why = if tear == Tear::Both { LostWhy::Reset } else { LostWhy::Down };
            let Some(lane) = self.world.links.get_mut(id) else { continue };
            lane.torn.get_or_insert(why);
            // A notice that is already under way still arrives.
            let lost = self.world.links.lose(id, |packet| match packet.name.direction {
                Direction::Request => true,
                Direction::Reply => tear == Tear::Both && !packet.body.is_notice(),
            });
            for name in lost {
                self.world.record(id.peer, Fact::MessageLost { name, why }, out);
            }
            let body = match state {
                LaneState::Opening => Body::Refuse,
                LaneState::Open => Body::Reset,
                LaneState::Abandoned => continue,
            };
            let route = match id.peer {
                Process::Node(NodeId { voter, .. }) => id.handshake(voter),
                Process::Store | Process::Client(_) => {
                    Route::Store { access: crate::name::StoreAccess::Write, number: id.number }
                }
            };
            let (client, incarnation) = (id.client, id.incarnation);
            let name = MessageName { client, incarnation, route, direction: Direction::Reply };
            self.world.notify(id, name, body, out);
        }
    }

    fn crash(&mut self, id: ClientId, out: &mut Trail) {
        let client = &mut self.clients[usize::from(id.0)];
        if !client.alive {
            return;
        }
        let inside = if let User::Inside(section) = &client.user { Some(section.grant) } else { None };
        let (process, now) = (client.process(), client.now(self.world.now));
        client.die(now.mono);
        if client.hand == Hand::Outside {
            out.arrivals.push((id, Arrival::Died));
        }
        self.world.forget_routes(id);
        self.world.ledger.tallies.forget(id);
        // The dead are told nothing: no bound of theirs is met by dying.
        self.world.end_watches(process, now, |watch| watch.call.client == id, WatchEnd::Void, out);
        let client = &self.clients[usize::from(id.0)];
        let mut scene = Scene { world: &mut self.world, out };
        let own: Vec<_> = scene.world.ledger.holds.iter().filter(|hold| hold.client() == id).collect();
        let grants: Vec<_> = own.into_iter().map(|hold| hold.grant).collect();
        for grant in grants {
            scene.end_promise(client, grant, PromiseEnd::Crashed);
            if let Some(hold) = scene.world.ledger.get_mut(grant) {
                hold.backing = Backing::Closed;
            }
        }
        if let Some(grant) = inside {
            scene.left(client, grant, SectionEnd::Crashed);
        }
        for lane in self.world.links.iter_mut().filter(|lane| lane.id.client == id) {
            lane.state = LaneState::Abandoned;
        }
    }

    /// The caller gives up the call that it waits for.
    fn cancel(&mut self, id: ClientId, out: &mut Trail) {
        let client = &mut self.clients[usize::from(id.0)];
        if !client.alive || !matches!(client.user, User::Calling { .. }) {
            return;
        }
        match client.hand {
            Hand::Outside => out.arrivals.push((id, Arrival::Cancel)),
            Hand::World => {
                client.feed(Input::Cancel { caller: CALLER }, &mut Scene { world: &mut self.world, out });
            }
        }
    }

    /// Starts a client again, unless another crash still keeps it dead.
    fn rise(&mut self, id: ClientId, out: &mut Trail) {
        let is_kept =
            self.world.active().any(|fault| matches!(fault, Fault::Crash { client } if *client == id));
        if is_kept || self.clients[usize::from(id.0)].alive {
            return;
        }
        let core = self.fresh.0[usize::from(id.0)].clone();
        let client = &mut self.clients[usize::from(id.0)];
        client.rise(core);
        let incarnation = client.incarnation;
        if client.hand == Hand::Outside {
            // Its code begins anew, also if it had nothing more to do.
            client.user = User::Resting { at: client.now(self.world.now).mono };
            out.arrivals.push((id, Arrival::Rose));
        }
        let (peer, connection) = (Process::Store, ConnectionId(0));
        let lane = LaneId { client: id, peer, connection, number: 1, incarnation };
        self.world.links.open(lane, LaneState::Open);
        let client = &self.clients[usize::from(id.0)];
        Scene { world: &mut self.world, out }.record(client, Fact::Started { incarnation });
        self.route_anew(id, out);
    }
}

/// How much of a connection breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tear {
    /// The server died: what it had not handled is lost, what it had sent arrives.
    Requests,
    /// The network cut it.
    Both,
}

/// Whether anything travels between two processes: clients talk with servers, nodes with nodes of their voter.
fn talk(one: Process, other: Process) -> bool {
    match (one, other) {
        (Process::Node(one), Process::Node(other)) => one.voter == other.voter && one != other,
        (Process::Client(_), Process::Node(_) | Process::Store | Process::Client(_)) => true,
        (Process::Node(_) | Process::Store, _) => false,
    }
}

/// The process in whose lane of a timeline the fault is shown.
fn fault_process(fault: &Fault) -> Process {
    match fault {
        Fault::Pause { scope: PauseScope::Process(process), .. }
        | Fault::ClockStep { process, .. }
        | Fault::ClockRate { process, .. }
        | Fault::ClockFreeze { process, .. }
        | Fault::LateTimer { process, .. } => *process,
        Fault::Pause { scope: PauseScope::Worker(client, _), .. }
        | Fault::Crash { client }
        | Fault::Cancel { client } => Process::Client(*client),
        Fault::Cut { one, .. } => one.first().copied().unwrap_or(Process::Store),
        Fault::Kill { node, .. }
        | Fault::Slow { node, .. }
        | Fault::Evict { node, .. }
        | Fault::ErrorReply { node, .. }
        | Fault::FlushScripts { node }
        | Fault::Promote { node, .. }
        | Fault::Demote { node }
        | Fault::Lag { node, .. } => Process::Node(*node),
    }
}
