//! The canonical form of a whole system: equal futures, equal values.
//!
//! Identities in flight come before the cores and counters that issue them. The present becomes world time 0.

use super::client::Counts;
use super::lane::Body;
use super::server::Server;
use super::state::World;
use super::system::System;
use crate::canon::{Canon, IdKind};
use crate::lock::LockCore;
use crate::name::{GrantId, Process, Route, VoterId};
use crate::resp::Reply;
use crate::time::{Now, WorldTime};

/// What a canonical form did to names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Renaming {
    /// How many distinct nonces the state uses: the smallest that it does not.
    pub nonces: u64,
    /// The old place of each voter, by new place.
    pub voters: Vec<u8>,
}

/// What is seen at and around one voter, without any name that the order of voters decides.
type Surroundings = Vec<(u16, u8, u8, u8)>;

impl<C: LockCore> System<C> {
    /// The order in which voters are put. Voters that look alike keep their order: that merges fewer states and
    /// is as right.
    fn voter_order(&self) -> Vec<u8> {
        let places = 0..self.setup().nodes.len() as u8;
        let ordered = self.clients.iter().any(|client| client.traits.0.ordered_voters);
        if ordered || !self.world.groups.is_empty() || !self.setup().plan.faults.is_empty() {
            return places.collect();
        }
        let mut seen: Vec<(Surroundings, u8)> =
            places.map(|place| (self.surroundings(place), place)).collect();
        seen.sort();
        seen.into_iter().map(|(_, place)| place).collect()
    }

    fn surroundings(&self, place: u8) -> Surroundings {
        let voter = VoterId(place);
        let mut seen = Vec::new();
        if let Some(held) = &self.world.redis(voter).held {
            let left = self.world.redis(voter).remaining(self.world.now).0;
            let own = self.clients[usize::from(held.writer.client.0)].call() == held.writer;
            // Two numbers of the key's life, in one entry each, so that entries stay small.
            seen.push((held.writer.client.0, u8::from(own), 0, 0));
            seen.push(((left >> 32) as u16, (left >> 24) as u8, (left >> 16) as u8, (left >> 8) as u8));
        }
        for lane in self.world.links.iter().filter(|lane| lane.id.peer == Process::Node(voter.into())) {
            for (way, packet) in
                lane.requests.iter().map(|p| (0, p)).chain(lane.replies.iter().map(|p| (1, p)))
            {
                let operation = match packet.name.route {
                    Route::Command { operation, .. } => operation as u8,
                    Route::Connect { .. } | Route::Store { .. } => u8::MAX,
                };
                let answer =
                    u8::from(matches!(&packet.body, Body::Answer { reply, .. } if *reply == Reply::OK));
                seen.push((lane.id.client.0, operation, way | answer << 1, packet.wait));
            }
            seen.push((lane.id.client.0, u8::MAX, 0, 0));
        }
        seen
    }
}

impl<C: LockCore> System<C> {
    /// The grants that can still act: those whose promise runs or that somebody is inside or releasing with, and
    /// those named by a message to the store.
    pub fn live_grants(&self) -> Vec<GrantId> {
        let held = self.world.ledger.holds.iter().map(|hold| hold.grant);
        let used = self.clients.iter().filter_map(|client| client.user.grant());
        held.chain(used).chain(self.world.links.grants()).collect()
    }

    /// The nodes of each voter as they depend on each other; `before` are the servers' clocks before the pass.
    fn canonical_groups(&mut self, canon: &mut Canon, before: &[Now]) {
        let World { groups, links, fixed, routes, .. } = &mut self.world;
        let mut replicas = before[fixed.0.nodes.len()..].iter();
        for (voter, group) in groups.iter_mut().enumerate() {
            let mut clocks = vec![before[voter]];
            clocks.extend(replicas.by_ref().take(group.members.len() - 1));
            group.canonical(canon, &clocks, links, VoterId(voter as u8));
        }
        routes.canonical();
    }

    /// Rewrites the system, and lets `beside` take part with what lives beside it (monitors). `beside_grants`
    /// are the grants that it refers to. Returns how many distinct nonces the state uses: the smallest that it
    /// does not.
    ///
    /// Numbers in names are dropped: a canonical system is for comparing and continuing, not for naming. Where
    /// no core cares which voter is which, voters are put in order of what is at and around them; the old places
    /// are returned by new place.
    pub fn canonical(
        &mut self,
        beside_grants: impl IntoIterator<Item = GrantId>,
        beside: impl FnOnce(&mut Canon),
    ) -> Renaming {
        let mut canon = Canon::new(self.world.now);
        let order = self.voter_order();
        canon.reorder_voters(&order);
        canon.by_voter(&mut self.world.servers);
        canon.grants(self.live_grants().into_iter().chain(beside_grants));
        let mut before = Vec::new();
        for Server::Redis(server) in &mut self.world.servers {
            before.push(server.clocks.now(self.world.now));
            server.canonical(&mut canon, before[before.len() - 1]);
        }
        self.canonical_groups(&mut canon, &before);
        self.world.store.canonical(&mut canon);
        self.world.links.canonical(&mut canon);
        for client in &mut self.clients {
            canon.enter(&mut client.clocks);
            client.driver.canonical(client.id, &mut canon);
            client.driver.connects = self.world.links.numbers(client.id);
            client.user.canonical(&mut canon);
            self.world.ledger.canonical_of(client.id, &mut canon);
            client.core.canonical(client.id, &mut canon);
        }
        self.world.ledger.watches.canonical(&mut canon);
        beside(&mut canon);
        for client in &mut self.clients {
            client.incarnation = 1;
            // It is reset by the next call.
            client.wrote &= !client.user.is_idle();
            client.counts = Counts::ZERO;
            client.forget_idle_call();
            client.forget_idle_lengths();
            canon.id(IdKind::Call(client.id), &mut client.present);
            canon.counter(IdKind::Call(client.id), &mut client.counts.calls);
        }
        canon.counter(IdKind::Grant, &mut self.world.ledger.granted);
        self.world.serial = 0;
        self.world.now = WorldTime::ZERO;
        self.world.next_fact = super::state::NextFact::Stale;
        Renaming { nonces: canon.nonces(), voters: order }
    }
}
