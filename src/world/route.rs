//! Which node of each voter every client addresses, and how clients learn of a promotion.
//!
//! Cores know voters only: message names do too, so a failover renames nothing. Must not promote: `failover.rs` does.

use super::client::Client;
use super::event::{Lesson, Readiness, Trail};
use super::lane::LaneState;
use super::scene::Scene;
use super::setup::{OfflineQueue, Setup};
use super::state::World;
use super::system::System;
use super::watch::bit;
use crate::history::{Cause, Fact};
use crate::lock::{ConnectionId, Hand, Input, LinkState, LockCore};
use crate::name::{ClientId, Direction, NodeId, Process, VoterId};
use crate::plan::Learn;

/// What every client knows of every voter. Empty where no voter has replicas: there is nothing to know.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Routes {
    voters: usize,
    /// The member addressed, by client and voter.
    members: Vec<u8>,
    /// Whether a client lives, by client. The dead address nobody.
    living: Vec<bool>,
    pub(super) lessons: Vec<Pending>,
}

/// A promotion that a client has yet to learn of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pending {
    client: ClientId,
    voter: VoterId,
    to: u8,
    pub(super) serial: u32,
}

impl Routes {
    pub(crate) fn new(setup: &Setup) -> Self {
        let (voters, clients) = (setup.nodes.len(), setup.clients.len());
        let replicated = setup.nodes.iter().any(|node| !node.replicas.is_empty());
        let count = if replicated { clients } else { 0 };
        Self { voters, members: vec![0; count * voters], living: vec![true; count], lessons: Vec::new() }
    }

    /// Whether there is nothing to know: every client addresses the only node of each voter.
    pub(crate) fn is_trivial(&self) -> bool {
        self.living.is_empty()
    }

    fn at(&self, client: ClientId, voter: VoterId) -> usize {
        usize::from(client.0) * self.voters + usize::from(voter.0)
    }

    fn member(&self, client: ClientId, voter: VoterId) -> u8 {
        self.members.get(self.at(client, voter)).copied().unwrap_or(0)
    }

    /// The members of a voter that living clients address, by bit.
    fn addressed(&self, voter: VoterId) -> u32 {
        let living = self.living.iter().enumerate().filter(|(_, living)| **living);
        let members = living.map(|(client, _)| self.member(ClientId(client as u16), voter));
        members.fold(0, |bits, member| bits | 1 << member)
    }

    /// News in flight has no serial in a canonical state.
    pub(super) fn canonical(&mut self) {
        self.lessons.iter_mut().for_each(|lesson| lesson.serial = 0);
        self.lessons.sort_by_key(|lesson| (lesson.client, lesson.voter));
    }

    /// The serial of what this client is to learn about this voter.
    pub(super) fn serial_of(&self, client: ClientId, voter: VoterId) -> Option<u32> {
        let own = |known: &&Pending| (known.client, known.voter) == (client, voter);
        self.lessons.iter().find(own).map(|known| known.serial)
    }

    fn forget(&mut self, client: ClientId, voter: Option<VoterId>) {
        let meant = |known: &Pending| known.client == client && voter.is_none_or(|one| one == known.voter);
        self.lessons.retain(|known| !meant(known));
    }
}

impl World {
    /// The node of a voter that a client addresses.
    pub(crate) fn address(&self, client: ClientId, voter: VoterId) -> NodeId {
        NodeId { voter, member: self.routes.member(client, voter) }
    }

    /// The nodes of a voter that living clients address; where none lives, its present primary.
    pub(crate) fn addressed(&self, voter: VoterId) -> impl Iterator<Item = NodeId> + use<> {
        let bits = match self.routes.is_trivial() {
            true => 1,
            false => match self.routes.addressed(voter) {
                0 => 1 << self.present_primary(voter).member,
                bits => bits,
            },
        };
        (0..32_u8)
            .take_while(move |member| bits >> member != 0)
            .filter(move |member| bits >> member & 1 != 0)
            .map(move |member| NodeId { voter, member })
    }

    pub(crate) fn is_addressed(&self, node: NodeId) -> bool {
        self.routes.is_trivial() || self.addressed(node.voter).any(|known| known == node)
    }

    /// A client died: what it knew dies with it.
    pub(crate) fn forget_routes(&mut self, client: ClientId) {
        if !self.routes.is_trivial() {
            self.routes.living[usize::from(client.0)] = false;
            self.routes.forget(client, None);
            self.stir(Cause::Failover);
        }
    }

    /// A node was promoted: every living client is to learn of it, in its own time. The latest promotion wins.
    pub(crate) fn teach(
        &mut self,
        node: NodeId,
        promotion: u32,
        learn: impl Fn(ClientId) -> Learn,
        out: &mut Trail,
    ) {
        let clients = (0..self.routes.living.len() as u16).map(ClientId);
        for client in clients.filter(|client| self.routes.living[usize::from(client.0)]).collect::<Vec<_>>() {
            self.routes.forget(client, Some(node.voter));
            let learn = learn(client);
            if learn == Learn::Never {
                continue;
            }
            self.serial += 1;
            let (voter, serial) = (node.voter, self.serial);
            self.routes.lessons.push(Pending { client, voter, to: node.member, serial });
            out.lessons.push(Lesson { client, voter, promotion, learn, serial });
        }
    }

    /// The cut-free way between a client and a node, both ways.
    pub(crate) fn is_open(&self, client: ClientId, node: NodeId) -> bool {
        let (peer, connection) = (Process::Node(node), ConnectionId(0));
        let lane = super::lane::LaneId { client, peer, connection, number: 1, incarnation: 1 };
        self.cut(lane, Direction::Request).is_none() && self.cut(lane, Direction::Reply).is_none()
    }
}

impl<C: LockCore> System<C> {
    /// Whether a client can learn of the promotion that was filed under `serial`.
    pub(super) fn lesson_ready(&self, client: ClientId, voter: VoterId, serial: u32) -> Readiness {
        let lessons = self.world.routes.lessons.iter();
        let own = |known: &&Pending| (known.client, known.voter, known.serial) == (client, voter, serial);
        let Some(lesson) = lessons.copied().find(|known| own(&known)) else { return Readiness::Never };
        let node = NodeId { voter, member: lesson.to };
        let stands = self.clients[usize::from(client.0)].pauses.process > 0;
        match stands || !self.world.is_open(client, node) {
            true => Readiness::Later,
            false => Readiness::Now,
        }
    }

    /// A client learns which node it is to address: it lets go of its connection to the one it knew.
    pub(super) fn learn(&mut self, client: ClientId, voter: VoterId, out: &mut Trail) {
        let lessons = self.world.routes.lessons.iter();
        let lesson = lessons.copied().find(|known| (known.client, known.voter) == (client, voter));
        let Some(lesson) = lesson else { return };
        self.world.routes.forget(client, Some(voter));
        let old = self.world.address(client, voter);
        let to = NodeId { voter, member: lesson.to };
        if old == to {
            return;
        }
        let at = self.world.routes.at(client, voter);
        self.world.routes.members[at] = lesson.to;
        self.world.ledger.watches.touch(bit(voter), |_| true);
        self.world.reroute(&mut self.clients[usize::from(client.0)], old, to, out);
    }

    /// A client starts anew: it asks who is primary.
    pub(super) fn route_anew(&mut self, client: ClientId, out: &mut Trail) {
        if self.world.routes.is_trivial() {
            return;
        }
        self.world.routes.living[usize::from(client.0)] = true;
        for voter in self.world.voters() {
            let (old, to) = (self.world.address(client, voter), self.world.present_primary(voter));
            let at = self.world.routes.at(client, voter);
            self.world.routes.members[at] = to.member;
            if old != to {
                let client = &self.clients[usize::from(client.0)];
                Scene { world: &mut self.world, out }.record(client, Fact::Rerouted { to });
            }
        }
        self.world.stir(Cause::Failover);
        self.world.facts_stale();
    }
}

impl World {
    fn reroute<C: LockCore>(&mut self, client: &mut Client<C>, old: NodeId, to: NodeId, out: &mut Trail) {
        let mut scene = Scene { world: self, out };
        scene.record(client, Fact::Rerouted { to });
        let lanes: Vec<_> =
            scene.world.links.used(client.id, Process::Node(old)).map(|lane| lane.id).collect();
        for id in lanes {
            let Some(lane) = scene.world.links.get_mut(id) else { continue };
            lane.state = LaneState::Abandoned;
            if client.hand == Hand::Outside {
                // Its code learns by its connection, as from a client library that follows the primary.
                client.broke(id, LinkState::Reset, &mut scene);
                continue;
            }
            let (voter, connection, state) = (to.voter, id.connection, LinkState::Reset);
            client.driver.break_all(voter, connection, scene.fixed().offline_queue);
            if scene.fixed().offline_queue == OfflineQueue::On {
                let now = client.now(scene.at()).mono;
                client.driver.plan_redial(voter, connection, now);
            }
            client.feed(Input::Link { voter, connection, state }, &mut scene);
        }
        scene.world.review = true;
        scene.world.stir(Cause::Failover);
        scene.world.facts_stale();
        scene.out.touched.push(client.id);
    }
}
