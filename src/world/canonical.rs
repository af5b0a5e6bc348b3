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
use crate::name::{Direction, GrantId, Process, Route, VoterId};
use crate::resp::Reply;
use crate::time::{Now, WorldTime};
use smallvec::SmallVec;

/// What a canonical form did to names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Renaming {
    /// How many distinct nonces the state uses: the smallest that it does not.
    pub nonces: u64,
    /// The old place of each voter, by new place.
    pub voters: Vec<u8>,
}

/// What is seen at and around one voter, without any name that the order of voters decides: words in the order in
/// which they are seen.
type Surroundings = SmallVec<[u64; 8]>;

impl<C: LockCore> System<C> {
    /// The order in which voters are put. Voters that look alike keep their order: that merges fewer states and
    /// is as right.
    fn voter_order(&self) -> SmallVec<[u8; 8]> {
        let mut order: SmallVec<[u8; 8]> = (0..self.setup().nodes.len() as u8).collect();
        let ordered = self.clients.iter().any(|client| client.traits.0.ordered_voters);
        let planned = self.setup().plan.faults.len() > self.world.menu.0.len();
        if ordered || planned || !self.world.groups.is_empty() {
            return order;
        }
        let seen: SmallVec<[Surroundings; 5]> = order.iter().map(|place| self.surroundings(*place)).collect();
        order.sort_by(|one, other| seen[usize::from(*one)].cmp(&seen[usize::from(*other)]));
        order
    }

    fn surroundings(&self, place: u8) -> Surroundings {
        let voter = VoterId(place);
        let mut seen = Surroundings::new();
        // One word orders as its four parts do, one after the other.
        let word = |client: u16, a: u8, b: u8, c: u8| {
            u64::from(client) << 24 | u64::from(a) << 16 | u64::from(b) << 8 | u64::from(c)
        };
        let server = self.world.redis(voter);
        seen.push(word(server.downs, server.pauses as u8, 0, 0));
        if let Some(held) = &self.world.redis(voter).held {
            let left = self.world.redis(voter).remaining(self.world.now).0;
            let own = self.clients[usize::from(held.writer.client.0)].call() == held.writer;
            seen.push(word(held.writer.client.0, u8::from(own), 0, 0));
            // The key's life, but for its lowest byte.
            seen.push(word((left >> 32) as u16, (left >> 24) as u8, (left >> 16) as u8, (left >> 8) as u8));
        }
        let peer = Process::Node(voter.into());
        let mut packets = self.world.links.packets();
        for lane in self.world.links.iter().filter(|lane| lane.id.peer == peer) {
            packets = &packets[packets.partition_point(|packet| packet.lane < lane.id)..];
            for packet in packets.iter().take_while(|packet| packet.lane == lane.id) {
                let way = u8::from(packet.name.direction == Direction::Reply);
                let operation = match packet.name.route {
                    Route::Command { operation, .. } => operation as u8,
                    Route::Connect { .. }
                    | Route::Further { .. }
                    | Route::Push { .. }
                    | Route::Store { .. } => u8::MAX,
                };
                let answer =
                    u8::from(matches!(&packet.body, Body::Answer { reply, .. } if *reply == Reply::OK));
                seen.push(word(lane.id.client.0, operation, way | answer << 1, packet.wait));
            }
            seen.push(word(lane.id.client.0, u8::MAX, 0, 0));
        }
        for seat in self.world.seats.iter().filter(|seat| seat.lane.peer == peer) {
            let (hears, waits) = (seat.session.is_subscribed(), seat.session.is_blocked());
            seen.push(word(seat.lane.client.0, u8::MAX - 1, u8::from(hears), u8::from(waits)));
        }
        seen
    }
}

impl<C: LockCore> System<C> {
    /// The grants that can still act: those whose promise runs or that somebody is inside or releasing with, and
    /// those named by a message to the store.
    pub fn live_grants(&self) -> Vec<GrantId> {
        self.acting_grants().collect()
    }

    fn acting_grants(&self) -> impl Iterator<Item = GrantId> {
        let held = self.world.ledger.holds.iter().map(|hold| hold.grant);
        let used = self.clients.iter().filter_map(|client| client.user.grant());
        let seconds = self.clients.iter().filter_map(|client| client.user.second());
        held.chain(used).chain(seconds).chain(self.world.links.grants())
    }

    /// Holds that are shared lie in one hash, in the order of their nonces' texts. So that this order decides nothing,
    /// the owners' nonces are known before it is visited, by client.
    fn know_owners(&self, canon: &mut Canon) {
        if self.world.readers.0.is_empty() {
            return;
        }
        let mut owners = Canon::new(self.world.now);
        for client in &self.clients {
            owners.enter(&mut client.clocks.clone());
            client.core.clone().canonical(client.id, &mut owners);
        }
        canon.know(&owners);
    }

    /// The faults of a menu move with their voters.
    fn canonical_faults(&mut self, order: &[u8]) {
        let menu = std::sync::Arc::clone(&self.world.menu.0);
        if menu.is_empty() || order.iter().enumerate().all(|(new, old)| new == usize::from(*old)) {
            return;
        }
        let moved = |index: usize| {
            let Some((family, voter)) = menu[index] else { return index };
            let new = order.iter().position(|old| *old == voter.0).unwrap_or(usize::from(voter.0));
            let same = |entry: &Option<(u32, VoterId)>| *entry == Some((family, VoterId(new as u8)));
            menu.iter().position(same).unwrap_or(index)
        };
        let old = self.world.faults.clone();
        for (index, state) in old.into_iter().enumerate() {
            self.world.faults[moved(index)] = state;
        }
        for active in &mut self.world.active {
            *active = moved(*active as usize) as u32;
        }
        self.world.active.sort_unstable();
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

    /// What watched keys are told before expired ones vanish.
    fn settle_seats(&mut self) {
        let World { seats, servers, fixed, now, .. } = &mut self.world;
        for (node, session) in seats.sessions_mut() {
            if let Some(Server::Redis(server)) = World::place_in(&fixed.0, node).map(|place| &servers[place])
            {
                server.node.settle(session, server.clocks.now(*now).wall);
            }
        }
    }

    /// What nodes keep of connections; `before` are the servers' clocks before the pass.
    fn canonical_seats(&mut self, canon: &mut Canon, before: &[Now]) {
        let World { seats, links, fixed, .. } = &mut self.world;
        seats.canonical(canon, links, |canon, node| {
            if let Some(place) = World::place_in(&fixed.0, node) {
                canon.revisit(before[place]);
            }
        });
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
        self.settle_seats();
        let order = self.voter_order();
        canon.reorder_voters(&order);
        canon.by_voter(&mut self.world.servers);
        self.canonical_faults(&order);
        self.know_owners(&mut canon);
        canon.grants(self.acting_grants().chain(beside_grants));
        let mut before: SmallVec<[Now; 5]> = SmallVec::new();
        for Server::Redis(server) in &mut self.world.servers {
            before.push(server.clocks.now(self.world.now));
            server.canonical(&mut canon, before[before.len() - 1]);
        }
        self.canonical_groups(&mut canon, &before);
        self.canonical_seats(&mut canon, &before);
        self.world.store.canonical(&mut canon);
        self.world.links.canonical(&mut canon);
        for client in &mut self.clients {
            canon.enter(&mut client.clocks);
            client.driver.canonical(client.id, &mut canon);
            client.driver.connects = self.world.links.numbers(client.id);
            client.user.canonical(client.id, &mut canon);
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
        Renaming { nonces: canon.nonces(), voters: order.into_vec() }
    }
}
