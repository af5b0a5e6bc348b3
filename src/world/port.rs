//! What a client does with its connections: opening them, sending, taking what arrives. The third part of
//! [`super::client`].
//!
//! A connection that breaks is never used again: the next command to a node opens another. Must not know what
//! a core means by what it sends.

use super::client::Client;
use super::driver::{Errand, PendingState};
use super::lane::{Body, LaneId, LaneState, Packet, StoreAnswer};
use super::scene::Scene;
use super::setup::{OfflineQueue, OnTimeout};
use super::user::{Step, User};
use crate::history::{Fact, LostWhy};
use crate::lock::{ConnectionId, Hand, Input, LinkState, LockCore, RequestId};
use crate::name::{GrantId, MessageName, Name, NodeId, Process, VoterId};

impl<C: LockCore> Client<C> {
    /// Sends a command whose worker was paused, if its limit has not passed meanwhile.
    pub(crate) fn send_late(&mut self, request: RequestId, scene: &mut Scene<'_>) -> bool {
        let now = self.now(scene.at()).mono;
        let Some(pending) = self.driver.find(request) else { return false };
        let PendingState::Unsent(errand) = &pending.state else { return false };
        if now >= pending.limit_at {
            return false;
        }
        let (to, name, errand) = ((pending.voter, pending.connection), pending.name, errand.clone());
        let state = self.transmit(to, name, request, errand, scene);
        if let Some(pending) = self.driver.find(request) {
            pending.state = state;
        }
        true
    }

    /// Sends a command, or opens the connection first.
    pub(crate) fn transmit(
        &mut self,
        (voter, connection): (VoterId, ConnectionId),
        name: MessageName,
        request: RequestId,
        errand: Errand,
        scene: &mut Scene<'_>,
    ) -> PendingState {
        let peer = Process::Node(scene.world.address(self.id, voter));
        match scene.world.links.current(self.id, peer, connection).map(|lane| (lane.id, lane.state)) {
            Some((lane, LaneState::Open)) => {
                let Errand { command, by } = errand;
                let body = Body::Command { request, command, by };
                scene.send(self, lane, name, body);
                PendingState::Sent
            }
            Some((_, LaneState::Opening | LaneState::Abandoned)) => PendingState::Queued(errand),
            None => {
                if !self.driver.will_redial(voter, connection) {
                    self.connect(peer, connection, scene);
                }
                PendingState::Queued(errand)
            }
        }
    }

    /// A driver that blocks gives up the connection: whatever else it waits for on it will not be answered.
    pub(crate) fn after_timeout(&mut self, voter: VoterId, connection: ConnectionId, scene: &mut Scene<'_>) {
        if scene.fixed().on_timeout == OnTimeout::Keep {
            return;
        }
        let peer = Process::Node(scene.world.address(self.id, voter));
        let lane = scene.world.links.current(self.id, peer, connection).map(|lane| lane.id);
        if let Some(lane) = lane.and_then(|lane| scene.world.links.get_mut(lane)) {
            lane.state = LaneState::Abandoned;
            self.driver.break_all(voter, connection, scene.fixed().offline_queue);
        }
    }

    /// Opens a connection that was broken, if it is still down.
    pub(crate) fn redial(&mut self, voter: VoterId, connection: ConnectionId, scene: &mut Scene<'_>) {
        let Some(redial) = self.driver.redial_mut(voter, connection) else { return };
        redial.at = None;
        let peer = Process::Node(scene.world.address(self.id, voter));
        if scene.world.links.current(self.id, peer, connection).is_none() {
            self.connect(peer, connection, scene);
        }
    }

    pub(crate) fn connect(&mut self, peer: Process, connection: ConnectionId, scene: &mut Scene<'_>) {
        let Process::Node(NodeId { voter, .. }) = peer else { return };
        let number = self.driver.next_connect(voter, connection);
        let lane = LaneId { client: self.id, peer, connection, number, incarnation: self.incarnation };
        scene.world.links.open(lane, LaneState::Opening);
        let name = MessageName {
            client: self.id,
            incarnation: self.incarnation,
            route: lane.handshake(voter),
            direction: crate::name::Direction::Request,
        };
        scene.send(self, lane, name, Body::Connect);
    }

    /// Handles a message of the network.
    pub(crate) fn on_packet(&mut self, lane: LaneId, packet: Packet, scene: &mut Scene<'_>) {
        let closed = scene.world.links.get(lane).is_none_or(|lane| lane.state == LaneState::Abandoned);
        let gone = !self.alive || lane.incarnation != self.incarnation;
        if packet.body.is_notice() {
            if !gone && !closed {
                self.on_broken(lane, scene);
            }
            return;
        }
        if gone || closed {
            let why = if gone { LostWhy::Down } else { LostWhy::Reset };
            scene.record(self, Fact::MessageLost { name: packet.name, why });
            return;
        }
        scene.record(self, Fact::Handled { name: packet.name });
        scene.name(Name::Message(packet.name));
        if self.hand == Hand::Outside {
            return self.arrive(lane, packet.name, packet.body, scene);
        }
        match packet.body {
            Body::Accept => self.on_accept(lane, scene),
            Body::Answer { request, reply } => match self.driver.find(request) {
                None => self.feed(Input::Late { request, reply }, scene),
                Some(pending) if self.pauses.stops(pending.label.worker) => {
                    pending.state = PendingState::Answered(reply);
                }
                Some(_) => {
                    self.driver.take(request);
                    self.feed(Input::Reply { request, reply }, scene);
                }
            },
            Body::Push { message } => {
                if let Process::Node(NodeId { voter, .. }) = lane.peer {
                    self.feed(Input::Push { voter, message }, scene);
                }
            }
            Body::StoreAnswer { grant, answer } => self.on_store(grant, answer, scene),
            Body::Refuse | Body::Reset | Body::Connect | Body::Command { .. } | Body::StoreRequest(_) => {
                unreachable!("notices are taken before, and a client is never sent a request")
            }
        }
    }

    fn on_accept(&mut self, lane: LaneId, scene: &mut Scene<'_>) {
        let Process::Node(NodeId { voter, .. }) = lane.peer else { return };
        if let Some(lane) = scene.world.links.get_mut(lane) {
            lane.state = LaneState::Open;
        }
        let (connection, state) = (lane.connection, LinkState::Up);
        self.driver.end_redial(voter, connection);
        self.feed(Input::Link { voter, connection, state }, scene);
        let mut index = 0;
        while index < self.driver.pending.len() {
            let pending = &mut self.driver.pending[index];
            index += 1;
            let waits = matches!(pending.state, PendingState::Queued(_) | PendingState::Kept(_));
            if (pending.voter, pending.connection) != (voter, connection) || !waits {
                continue;
            }
            let (name, request) = (pending.name, pending.request);
            let stopped = self.pauses.stops(pending.label.worker);
            let errand = match &pending.state {
                PendingState::Queued(errand) if stopped => {
                    pending.state = PendingState::Unsent(errand.clone());
                    continue;
                }
                PendingState::Queued(errand) | PendingState::Kept(errand) => errand.clone(),
                PendingState::Unsent(_)
                | PendingState::Sent
                | PendingState::Answered(_)
                | PendingState::Broken(_) => continue,
            };
            // What was kept goes out whichever worker stands still, and nobody waits for its answer.
            if let PendingState::Kept(_) = pending.state {
                index -= 1;
                self.driver.pending.remove(index);
            } else {
                pending.state = PendingState::Sent;
            }
            let Errand { command, by } = errand;
            scene.send(self, lane, name, Body::Command { request, command, by });
        }
    }

    /// The connection could not be opened or broke. The one to the store is opened anew at once; to a node the
    /// next command does it.
    fn on_broken(&mut self, id: LaneId, scene: &mut Scene<'_>) {
        let Some(lane) = scene.world.links.get_mut(id) else { return };
        let state = match lane.state {
            LaneState::Opening => LinkState::Refused,
            LaneState::Open | LaneState::Abandoned => LinkState::Reset,
        };
        lane.state = LaneState::Abandoned;
        if self.hand == Hand::Outside {
            return self.broke(id, state, scene);
        }
        if let Process::Node(NodeId { voter, .. }) = id.peer {
            let (connection, queue) = (id.connection, scene.fixed().offline_queue);
            self.driver.break_all(voter, connection, queue);
            if queue == OfflineQueue::On {
                let now = self.now(scene.at()).mono;
                self.driver.plan_redial(voter, connection, now);
            }
            self.feed(Input::Link { voter, connection, state }, scene);
            return;
        }
        scene.world.links.open(LaneId { number: id.number + 1, ..id }, LaneState::Open);
        if let User::Inside(section) = &mut self.user {
            // The store's answer will not come: the code goes on as after an error it ignores.
            section.step = match section.step {
                Step::Claiming | Step::Reading | Step::Writing => Step::Working { read: None },
                step @ (Step::Arrived
                | Step::Doubting
                | Step::Working { .. }
                | Step::Asking { .. }
                | Step::Checked { .. }
                | Step::Extending { .. }
                | Step::Nesting { .. }) => step,
            };
        }
    }

    /// Takes an answer of the store, unless the section that asked for it is over.
    fn on_store(&mut self, grant: GrantId, answer: StoreAnswer, scene: &mut Scene<'_>) {
        let now = self.now(scene.at()).mono;
        let User::Inside(section) = &mut self.user else { return };
        if section.grant != grant {
            return;
        }
        match (answer, section.step) {
            (StoreAnswer::Claimed, Step::Claiming) => {
                section.since = now;
                section.step = Step::Working { read: None };
                self.read(scene);
            }
            (StoreAnswer::Stock(left), Step::Reading) => {
                section.since = now;
                section.step = Step::Working { read: Some(left) };
            }
            (StoreAnswer::Times(times), Step::Reading) => {
                section.since = now;
                section.step = Step::Working { read: Some(i64::from(times)) };
            }
            (StoreAnswer::Written, Step::Writing) => section.step = Step::Working { read: None },
            (StoreAnswer::Refused, Step::Writing) => {
                section.step = Step::Working { read: None };
                section.warned = true;
            }
            // Answers to writes that nobody waits for.
            (
                StoreAnswer::Claimed
                | StoreAnswer::Stock(_)
                | StoreAnswer::Times(_)
                | StoreAnswer::Written
                | StoreAnswer::Refused,
                Step::Arrived
                | Step::Doubting
                | Step::Claiming
                | Step::Reading
                | Step::Working { .. }
                | Step::Asking { .. }
                | Step::Checked { .. }
                | Step::Writing
                | Step::Extending { .. }
                | Step::Nesting { .. },
            ) => {}
        }
    }
}
