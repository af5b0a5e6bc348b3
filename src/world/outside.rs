//! The port of a client whose code runs outside of the world: what it does, and what reaches it.
//!
//! The code does what a core, its driver and a workload do for other clients: it connects, sends, decides, enters, writes
//! and leaves, and says so by an [`Act`] at the moment it does it; the world derives the same facts from it. What is
//! delivered to such a client is an [`Arrival`] of the trail, for whoever runs the code. Must not know what the code is:
//! an explorer hands both over.
//!
//! An act that cannot be, such as a release of nothing, is an error of the code or of its adapter, and says so.

use super::act::{Act, Answer, Arrival, Ask, Impossible};
use super::client::Client;
use super::event::Trail;
use super::lane::{self, Body, LaneId, LaneState, StoreAnswer, StoreRequest};
use super::nested::Inner;
use super::scene::Scene;
use super::seat::Seat;
use super::system::System;
use super::user::{Section, Step, User};
use crate::history::Fact;
use crate::lock::{
    ConnectionId, Described, Hand, Label, LinkState, LockCore, Output, RequestId, Stored, Until,
};
use crate::name::{
    CallId, ClientId, CommandName, Direction, GrantId, MessageName, NodeId, Nonce, Operation, Point,
    PointName, Process, Route, StoreAccess, VoterId,
};
use crate::resp::Command;
use crate::time::{MonoTime, Now};

impl<C: LockCore> System<C> {
    /// The clients whose code runs outside of the world.
    pub fn outsiders(&self) -> Vec<ClientId> {
        self.clients.iter().filter(|client| client.hand == Hand::Outside).map(|client| client.id).collect()
    }

    /// What the clocks of a client show.
    pub fn client_now(&self, client: ClientId) -> Now {
        self.clients[usize::from(client.0)].now(self.world.now)
    }

    /// What the clocks of a client will show at a time to come, as they run at present.
    pub fn client_at(&self, client: ClientId, at: crate::time::WorldTime) -> Now {
        self.clients[usize::from(client.0)].now(at)
    }

    /// When the monotonic clock of a client shows this reading; `None` if it never will as it runs at present.
    pub fn reads_at(&self, client: ClientId, mono: MonoTime) -> Option<crate::time::WorldTime> {
        self.clients[usize::from(client.0)].clocks.mono_reaches(mono, self.world.now)
    }

    /// Whether the process of a client can run: it lives and does not stand still.
    pub fn runs(&self, client: ClientId) -> bool {
        let client = &self.clients[usize::from(client.0)];
        client.alive && client.pauses.process == 0
    }

    /// Whether something may reach a client that it has not asked for, or that another client decides: it hears a
    /// channel, or waits for an item of a list.
    pub fn listens(&self, client: ClientId) -> bool {
        let listens = |seat: &Seat| seat.session.is_subscribed() || seat.session.is_blocked();
        self.world.seats.iter().any(|seat| seat.lane.client == client && listens(seat))
    }

    /// The code of a client did this now.
    ///
    /// # Errors
    /// If it cannot have.
    pub fn act(&mut self, id: ClientId, act: Act, out: &mut Trail) -> Result<(), Impossible> {
        let client = &mut self.clients[usize::from(id.0)];
        assert!(client.alive && client.hand == Hand::Outside, "only living code outside of the world acts");
        let done = client.act(act, &mut Scene { world: &mut self.world, out });
        self.settle_facts(out);
        self.world.links.sweep();
        self.world.forget_seats();
        self.world.ledger.sweep();
        done.map_err(|what| Impossible { client: id, what })
    }
}

impl<C: LockCore> Client<C> {
    fn act(&mut self, act: Act, scene: &mut Scene<'_>) -> Result<(), &'static str> {
        match act {
            Act::Connect { voter, connection, carries } => {
                let peer = Process::Node(scene.world.address(self.id, voter));
                if scene.world.links.current(self.id, peer, connection).is_some() {
                    return Err("opens a connection that is open");
                }
                self.connect(peer, connection, scene);
                let lane = scene.world.links.current(self.id, peer, connection).map(|lane| lane.id);
                if let Some(lane) = lane.and_then(|lane| scene.world.links.get_mut(lane)) {
                    lane.carries = carries;
                }
            }
            Act::Close { voter, connection } => self.hang_up(voter, connection, scene),
            Act::Send { voter, connection, request, command, label, back } => {
                self.send_outside((voter, connection), (request, command), label, back, scene);
            }
            Act::Acquire => return self.acquire_outside(scene),
            Act::Attempt { number } => {
                scene.record(self, Fact::AttemptBegan { call: self.call(), number });
            }
            Act::Await => {
                self.counts.awaits += 1;
                self.point(Point::Await(self.counts.awaits), scene);
            }
            Act::Granted { until, fence, nonce } => return self.granted_outside(until, fence, nonce, scene),
            Act::Refused(why) => {
                let User::Calling { call, patience_end } = self.user else {
                    return Err("was refused without a call of acquire");
                };
                scene.refused(self, call, why);
                self.counts.refusals += 1;
                self.point(Point::Refused(self.counts.refusals), scene);
                self.rest(scene);
                let at = self.now(scene.at()).mono;
                if at < patience_end {
                    self.user = User::Again { call, at, patience_end };
                }
            }
            Act::Persist { until } => {
                let User::Calling { patience_end, .. } = &mut self.user else {
                    return Err("persists without a call of acquire");
                };
                *patience_end = until;
            }
            Act::GiveUp => {
                let User::Again { .. } = self.user else { return Err("gives up what it does not want") };
                self.rest(scene);
            }
            Act::Done => {
                self.user = User::Done;
                self.cycles_left = 0;
                scene.record(self, Fact::Done);
            }
            Act::Enter(_)
            | Act::Check
            | Act::Ask(_)
            | Act::Extend
            | Act::Extended(_)
            | Act::ExtendFailed(..)
            | Act::Lost(_)
            | Act::Leave(_)
            | Act::Release
            | Act::Released(_) => return self.act_holding(act, scene),
        }
        Ok(())
    }

    /// What only a holder does, from its entry to the end of its release.
    fn act_holding(&mut self, act: Act, scene: &mut Scene<'_>) -> Result<(), &'static str> {
        match act {
            Act::Ask(ask) => return self.ask_outside(ask, scene),
            Act::Check => {
                self.counts.checks += 1;
                let point = Point::WriteCheck(self.counts.checks);
                let name = PointName { client: self.id, incarnation: self.incarnation, point };
                scene.record(self, Fact::Reached { point: name });
                self.point(point, scene);
            }
            Act::Enter(fence) => return self.enter_outside(fence, scene),
            Act::Extend => {
                let grant = self.user.grant().ok_or("prolongs nothing")?;
                self.counts.extends += 1;
                scene.record(self, Fact::ExtendBegan { grant });
                self.point(Point::Extend(self.counts.extends), scene);
            }
            Act::Extended(until) => {
                self.on_outcome(Output::Extended { caller: super::client::CALLER, until }, scene);
            }
            Act::ExtendFailed(why, still) => {
                self.on_outcome(Output::ExtendFailed { caller: super::client::CALLER, why, still }, scene);
            }
            Act::Lost(why) => {
                self.on_outcome(Output::Lost { caller: super::client::CALLER, why }, scene);
            }
            Act::Leave(why) => {
                let User::Inside(section) = &self.user else { return Err("leaves without being inside") };
                let grant = section.grant;
                self.counts.leaves += 1;
                scene.left(self, grant, why);
                self.point(Point::Leave(self.counts.leaves), scene);
                self.user = User::Declining { grant };
            }
            Act::Release => {
                let User::Declining { grant } = self.user else {
                    return Err("releases what it does not hold, or while it is inside");
                };
                self.counts.releases += 1;
                self.user = User::Releasing { grant };
                scene.record(self, Fact::ReleaseBegan { grant });
                self.point(Point::Release(self.counts.releases), scene);
                scene.released(self, grant);
            }
            Act::Released(how) => {
                let User::Releasing { grant } = self.user else { return Err("ends no release") };
                scene.record(self, Fact::ReleaseEnded { grant, how });
                scene.expect_gone(self);
                scene.count(self, grant, 0);
                self.rest(scene);
            }
            Act::Connect { .. }
            | Act::Close { .. }
            | Act::Send { .. }
            | Act::Acquire
            | Act::Attempt { .. }
            | Act::Await
            | Act::Granted { .. }
            | Act::Refused(_)
            | Act::Persist { .. }
            | Act::GiveUp
            | Act::Done => unreachable!("not only holders do this"),
        }
        Ok(())
    }

    /// Wants nothing until it says so.
    fn rest(&mut self, scene: &mut Scene<'_>) {
        self.user = User::Resting { at: self.now(scene.at()).mono };
    }

    fn hang_up(&mut self, voter: VoterId, connection: ConnectionId, scene: &mut Scene<'_>) {
        for node in scene.world.nodes().filter(|node| node.voter == voter).collect::<Vec<_>>() {
            let lane =
                scene.world.links.current(self.id, Process::Node(node), connection).map(|lane| lane.id);
            if let Some(lane) = lane.and_then(|lane| scene.world.links.get_mut(lane)) {
                lane.state = LaneState::Abandoned;
            }
        }
    }

    /// Sends on the connection of this number, if it is open: what is written to one that broke is lost.
    fn send_outside(
        &mut self,
        (voter, connection): (VoterId, ConnectionId),
        (request, command): (RequestId, Command),
        label: Label,
        back: u32,
        scene: &mut Scene<'_>,
    ) {
        let nodes: Vec<NodeId> = scene.world.nodes().filter(|node| node.voter == voter).collect();
        let lane = nodes
            .into_iter()
            .find_map(|node| scene.world.links.current(self.id, Process::Node(node), connection))
            .filter(|lane| lane.state == LaneState::Open)
            .map(|lane| lane.id);
        let Some(lane) = lane else { return };
        let command_name = CommandName::of(command.name());
        let Label { worker: _, operation, number, occurrence } = label;
        let route = Route::Command { voter, operation, number, command: command_name, occurrence };
        let direction = Direction::Request;
        let name = MessageName { client: self.id, incarnation: self.incarnation, route, direction };
        let by = CallId { client: self.id, number: self.counts.calls.saturating_sub(back) };
        scene.send(self, lane, name, Body::Command { request, command, by });
        // A command may leave the process after its caller has given the call up: its key is to go all the same.
        let over = matches!(self.user, User::Resting { .. } | User::Again { .. } | User::Done);
        if operation == Operation::Acquire && over && by == self.call() && !scene.is_watched(by) {
            scene.expect_gone(self);
        }
    }

    fn acquire_outside(&mut self, scene: &mut Scene<'_>) -> Result<(), &'static str> {
        match self.user {
            User::Resting { .. } | User::Again { .. } => {}
            User::Calling { .. }
            | User::Declining { .. }
            | User::Inside(_)
            | User::Unwinding { .. }
            | User::Releasing { .. } => {
                return Err(
                    "calls acquire while it calls, holds or releases: a client process has one caller",
                );
            }
            User::Done => return Err("calls acquire after its code has ended"),
        }
        self.counts.calls += 1;
        self.present = self.counts.calls;
        self.counts.acquires += 1;
        self.wrote = false;
        let call = self.call();
        self.user = User::Calling { call, patience_end: self.now(scene.at()).mono };
        scene.record(self, Fact::AcquireBegan { call });
        self.point(Point::Acquire(self.counts.acquires), scene);
        scene.call_began(self, call);
        scene.begin_count(self);
        Ok(())
    }

    fn granted_outside(
        &mut self,
        until: Until,
        fence: Option<i64>,
        nonce: Option<Nonce>,
        scene: &mut Scene<'_>,
    ) -> Result<(), &'static str> {
        let User::Calling { call, .. } = self.user else {
            return Err("was granted without a call of acquire");
        };
        let known = nonce.or_else(|| scene.world.nonce_of(call));
        let grant = scene.granted(self, known.unwrap_or(Nonce(0)), until, fence);
        if known.is_none() {
            scene.leave_unbacked(grant);
        }
        self.counts.grants += 1;
        self.point(Point::Granted(self.counts.grants), scene);
        scene.count(self, grant, 1);
        self.user = User::Declining { grant };
        Ok(())
    }

    fn enter_outside(&mut self, fence: Option<i64>, scene: &mut Scene<'_>) -> Result<(), &'static str> {
        let User::Declining { grant } = self.user else { return Err("enters without a grant") };
        let hold = scene.world.ledger.get(grant);
        let (nonce, until) = hold.map_or((Nonce(0), Until::Untold), |hold| (hold.nonce, hold.until));
        let since = self.now(scene.at()).mono;
        let section = Section {
            grant,
            nonce,
            fence,
            until,
            since,
            writes: 0,
            extends: 0,
            wrote: None,
            extended: None,
            step: Step::Working { read: None },
            inner: Inner::Over,
            warned: false,
        };
        self.counts.enters += 1;
        scene.entered(self, grant);
        self.user = User::Inside(section);
        self.point(Point::Enter(self.counts.enters), scene);
        Ok(())
    }

    fn ask_outside(&mut self, ask: Ask, scene: &mut Scene<'_>) -> Result<(), &'static str> {
        let User::Inside(section) = &self.user else { return Err("asks the store without being inside") };
        let access = ask.access();
        let ask = match ask {
            Ask::Claim => lane::Ask::Claim,
            Ask::Stock => lane::Ask::Read,
            Ask::Write => lane::Ask::Write,
            Ask::Buy { read } => lane::Ask::Buy { read },
        };
        let request = StoreRequest { grant: section.grant, nonce: section.nonce, fence: section.fence, ask };
        let number = match access {
            StoreAccess::Claim => &mut self.counts.claims,
            StoreAccess::Read => &mut self.counts.reads,
            StoreAccess::Write => &mut self.counts.writes,
        };
        *number += 1;
        let number = *number;
        let (client, incarnation) = (self.id, self.incarnation);
        let route = Route::Store { access, number };
        let name = MessageName { client, incarnation, route, direction: Direction::Request };
        let lane = scene.world.links.current(client, Process::Store, ConnectionId(0)).map(|lane| lane.id);
        let lane = lane.expect("a living client has a connection to the store");
        scene.send(self, lane, name, Body::StoreRequest(request));
        if access == StoreAccess::Write {
            self.point(Point::WriteSend(number), scene);
        }
        Ok(())
    }

    /// Hands over what was delivered to code outside of the world.
    pub(super) fn arrive(&mut self, lane: LaneId, name: MessageName, body: Body, scene: &mut Scene<'_>) {
        let connection = lane.connection;
        let arrival = match (body, lane.peer) {
            (Body::StoreAnswer { grant, answer }, _) => self.stored(name, grant, answer),
            (Body::Accept, Process::Node(NodeId { voter, .. })) => {
                if let Some(lane) = scene.world.links.get_mut(lane) {
                    lane.state = LaneState::Open;
                }
                Some(Arrival::Link { voter, connection, state: LinkState::Up })
            }
            (Body::Answer { request, reply }, Process::Node(node)) => {
                Some(Arrival::Reply { voter: node.voter, connection, request, reply })
            }
            (Body::Push { message }, Process::Node(node)) => {
                Some(Arrival::Push { voter: node.voter, connection, message })
            }
            (
                Body::Accept
                | Body::Answer { .. }
                | Body::Push { .. }
                | Body::Refuse
                | Body::Reset
                | Body::Connect
                | Body::Command { .. }
                | Body::StoreRequest(_),
                _,
            ) => None,
        };
        scene.out.arrivals.extend(arrival.map(|arrival| (self.id, arrival)));
    }

    /// Hands over that a connection could not be opened or broke. The one to the store is opened anew at once.
    pub(super) fn broke(&mut self, id: LaneId, state: LinkState, scene: &mut Scene<'_>) {
        let arrival = match id.peer {
            Process::Node(NodeId { voter, .. }) => Arrival::Link { voter, connection: id.connection, state },
            Process::Store | Process::Client(_) => {
                scene.world.links.open(LaneId { number: id.number + 1, ..id }, LaneState::Open);
                Arrival::StoreBroke
            }
        };
        scene.out.arrivals.push((self.id, arrival));
    }

    fn stored(&mut self, name: MessageName, grant: GrantId, answer: StoreAnswer) -> Option<Arrival> {
        let Route::Store { access, number } = name.route else { return None };
        let User::Inside(section) = &mut self.user else { return None };
        if section.grant != grant {
            return None;
        }
        section.warned |= answer == StoreAnswer::Refused;
        let answer = match answer {
            StoreAnswer::Claimed | StoreAnswer::Written => Answer::Taken,
            StoreAnswer::Refused => Answer::Refused,
            StoreAnswer::Stock(left) => Answer::Stock(left),
            StoreAnswer::Times(times) => Answer::Stock(i64::from(times)),
        };
        Some(Arrival::Store { access, number, answer })
    }
}

impl super::state::World {
    /// By what the hold of a call is recognised: the text that most nodes carry for it, or the only field of a hash; of
    /// several the least. Nothing is recognised by 0. `None`: the client's values are there, but nobody can say which of
    /// their parts is this hold.
    fn nonce_of(&self, call: CallId) -> Option<Nonce> {
        let mut counted: Vec<(Nonce, usize)> = Vec::new();
        let mut unclear = false;
        for held in self.voters().filter_map(|voter| self.seen(call.client, voter)) {
            if held.writer.client != call.client {
                continue;
            }
            let text = match &held.value {
                Stored::Text(text) if held.writer == call => Some(text),
                Stored::Hash(pairs) if held.writer == call && pairs.len() == 1 => Some(&pairs[0].0),
                Stored::Text(_) | Stored::Hash(_) | Stored::Other => None,
            };
            let Some(nonce) = text.map(|text| Described::nonce_of(text)) else {
                unclear = true;
                continue;
            };
            match counted.iter_mut().find(|(known, _)| *known == nonce) {
                Some((_, count)) => *count += 1,
                None => counted.push((nonce, 1)),
            }
        }
        counted.sort_unstable_by_key(|(nonce, count)| (std::cmp::Reverse(*count), nonce.0));
        match counted.first() {
            Some((nonce, _)) => Some(*nonce),
            None => (!unclear).then_some(Nonce(0)),
        }
    }
}
