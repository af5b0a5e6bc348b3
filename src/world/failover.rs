//! Promotions, demotions, and the ends and restarts of node processes.
//!
//! Whatever changes which node is what is here; what travels between nodes is in `replica.rs`. A demoted node keeps its
//! clients' connections: they are answered READONLY.
//!
//! **Source** Redis 7.0.15, `REPLICAOF`.

use super::event::Trail;
use super::fault::{Edge, Tear};
use super::feed::Feed;
use super::group::{Lead, Part};
use super::lane::LaneId;
use super::system::System;
use crate::history::Cause;
use crate::lock::LockCore;
use crate::name::{ClientId, NodeId, Process};
use crate::plan::{Death, Learn};
use crate::redis::{Role, Writes};

impl<C: LockCore> System<C> {
    /// Whether a node runs: an order to change its role reaches it.
    fn obeys(&self, node: NodeId) -> bool {
        let server = self.world.redis(node);
        server.is_up() && server.pauses == 0
    }

    /// Whether a promotion of this node would do anything: it runs and is a replica.
    pub(super) fn can_promote(&self, node: NodeId) -> bool {
        self.obeys(node) && !self.world.is_primary(node)
    }

    /// Whether a demotion of this node would do anything: it runs and is a stale primary.
    pub(super) fn can_demote(&self, node: NodeId) -> bool {
        self.obeys(node) && self.world.is_primary(node) && self.world.present_primary(node.voter) != node
    }

    /// A replica becomes primary at the state it has reached. What is on its way to it is lost.
    pub(super) fn promote(
        &mut self,
        node: NodeId,
        learn: Learn,
        except: &[(ClientId, Learn)],
        out: &mut Trail,
    ) {
        if !self.can_promote(node) {
            return;
        }
        if let Some(stream) = self.world.stream_of(node) {
            self.world.hang_up(stream, out);
        }
        self.world.redis_mut(node).node.set_role(Role::Primary);
        if let Some(member) = self.world.member_mut(node) {
            member.part = Part::Primary(Lead::new());
        }
        let Some(group) = self.world.groups.get_mut(usize::from(node.voter.0)) else { return };
        group.primary = node.member;
        group.promotions += 1;
        let promotion = group.promotions;
        self.world.recount(node, out);
        let of =
            |client| except.iter().find(|(known, _)| *known == client).map_or(learn, |(_, learn)| *learn);
        self.world.teach(node, promotion, of, out);
        self.world.stir(Cause::Failover);
    }

    /// A stale primary becomes a replica of the present one. Its data stays until it has synchronised.
    pub(super) fn demote(&mut self, node: NodeId, out: &mut Trail) {
        if !self.can_demote(node) {
            return;
        }
        let blocked = self.world.unblock_waits(node, out);
        for stream in self.world.followers(node) {
            self.world.hang_up(stream, out);
        }
        let from = self.world.present_primary(node.voter).member;
        let redis = &mut self.world.redis_mut(node).node;
        redis.set_role(Role::Replica);
        redis.set_writes(Writes::Allowed);
        redis.set_replicas(0);
        if let Some(member) = self.world.member_mut(node) {
            member.part = Part::Replica(Feed::down(from));
        }
        self.tear_down(|lane| blocked.contains(&lane), Tear::Requests, out);
        self.world.stir(Cause::Failover);
    }

    pub(super) fn turn_kill(&mut self, node: NodeId, death: Death, edge: Edge, out: &mut Trail) {
        let server = self.world.redis_mut(node);
        edge.count(&mut server.downs);
        match (edge, server.downs) {
            (Edge::Begin, 1) => self.fall(node, death, out),
            (Edge::End, 0) => self.start_again(node, out),
            (Edge::Begin | Edge::End, _) => {}
        }
        self.world.stir(Cause::Restart);
    }

    fn fall(&mut self, node: NodeId, death: Death, out: &mut Trail) {
        let (at, key) = (self.now(), self.setup().key.clone());
        if death == Death::Shutdown {
            self.world.ship_all(node, out);
        }
        let gone = self.world.redis_mut(node).fall(at, death, &key);
        if let Some(writer) = gone {
            self.world.hold_gone(node, writer, Cause::Restart, out);
        }
        if self.world.is_primary(node) {
            self.world.lose_primary(node, out);
            if let Some(lead) = self.world.lead_mut(node) {
                *lead = Lead::new();
            }
        } else if let Some(stream) = self.world.stream_of(node) {
            self.world.hang_up(stream, out);
        }
        if let Some(member) = self.world.member_mut(node) {
            member.offset = 0;
        }
        let dead = |lane: LaneId| lane.peer == Process::Node(node);
        self.tear_down(dead, Tear::Requests, out);
    }

    /// A node comes back as what it was: a primary as a primary, stale if another was promoted meanwhile; a replica
    /// as a replica of the present primary.
    fn start_again(&mut self, node: NodeId, out: &mut Trail) {
        let (at, key) = (self.now(), self.setup().key.clone());
        let expired = self.world.redis_mut(node).rise(at, &key);
        if let Some(writer) = expired {
            self.world.hold_gone(node, writer, Cause::Expiry, out);
        }
        let from = self.world.present_primary(node.voter).member;
        if let Some(member) = self.world.member_mut(node) {
            match &mut member.part {
                Part::Primary(_) => {}
                Part::Replica(feed) => *feed = Feed::down(from),
            }
        }
        self.world.redis_mut(node).node.set_writes(Writes::Allowed);
        self.world.recount(node, out);
        self.world.facts_stale();
    }
}
