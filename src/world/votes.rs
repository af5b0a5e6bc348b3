//! What the world knows of who holds, who could win and who can be reached: what facts and bounds rest on.
//!
//! Of a voter with several nodes those count that living clients address: a group says yes to a rival if any of them
//! is up, primary, and free or carries the rival's value. Against a shared hold only whoever shares nothing is a rival: a
//! value that another reader created keeps such a rival out, so it gives no vote, and where the holder's own entry is
//! gone from it the holder does not count it as its own either. Must not change anything.

use super::client::Client;
use super::lane::LaneId;
use super::server::Held;
use super::state::World;
use super::watch::bit;
use crate::lock::{ConnectionId, CoreTraits, LockCore, Stored};
use crate::name::{CallId, ClientId, Direction, NodeId, Process, VoterId};
use crate::time::{Span, WorldTime};

impl World {
    /// The voters whose node that this client addresses is up, primary, runs, answers, writes, is not slowed, and can
    /// talk with it both ways over a connection that is not broken, by bit.
    pub(crate) fn reachable(&self, client: ClientId) -> u32 {
        let serves = |voter: &VoterId| {
            let node = self.address(client, *voter);
            let (server, peer) = (self.redis(node), Process::Node(node));
            let connection = ConnectionId(0);
            let lane = LaneId { client, peer, connection, number: 1, incarnation: 1 };
            let current = self.links.current(client, peer, connection);
            server.is_up()
                && self.is_primary(node)
                && !self.refuses_writes(node)
                && current.is_none_or(|lane| lane.torn.is_none())
                && self.slowed(peer) == Span::ZERO
                && server.pauses == 0
                && self.error_of(node).is_none()
                && self.cut(lane, Direction::Request).is_none()
                && self.cut(lane, Direction::Reply).is_none()
        };
        self.voters().take(self.asked.into()).filter(serves).map(bit).sum()
    }

    /// The lock key at the node of a voter that a client addresses.
    pub(crate) fn seen(&self, client: ClientId, voter: VoterId) -> Option<&Held> {
        self.redis(self.address(client, voter)).held.as_ref()
    }

    /// The voters where the caller finds a value written by this call.
    pub(crate) fn carriers(&self, call: CallId) -> impl Iterator<Item = VoterId> {
        let carries =
            move |voter: &VoterId| self.seen(call.client, *voter).is_some_and(|held| held.writer == call);
        self.voters().filter(carries)
    }

    /// How many voters carry one and the same value written by this call: keys of two attempts with nonces of
    /// their own are no quorum together.
    pub(crate) fn carried(&self, call: CallId) -> u8 {
        let mut values: Vec<&Stored> = Vec::new();
        values.extend(self.carriers(call).filter_map(|voter| Some(&self.seen(call.client, voter)?.value)));
        let alike = |value: &&Stored| values.iter().filter(|other| other.has_owners_of(value)).count() as u8;
        values.iter().map(alike).max().unwrap_or(0)
    }

    /// When a call that begins now must have succeeded, if nothing slows the client itself, a quorum is up and
    /// reachable and nobody else holds or wants the lock. A live key of another call counts as held.
    pub(crate) fn unavailable_due<C: LockCore>(&self, client: &Client<C>, call: CallId) -> Option<WorldTime> {
        let traits = &client.traits.0;
        let asks = traits.quorum > 0 && client.is_able() && traits.call_max < CoreTraits::ENDLESS;
        (asks && self.is_available(client.id, traits.quorum, call)).then(|| self.now + traits.call_max)
    }

    /// Whether a quorum is up and reachable for this client and nobody else holds or wants the lock.
    pub(crate) fn is_available(&self, client: ClientId, quorum: u8, call: CallId) -> bool {
        let others_want = self.busy.iter().enumerate().any(|(id, busy)| *busy && id != usize::from(client.0));
        let carries = |node: NodeId| self.redis(node).held.as_ref().is_some_and(|held| held.writer != call);
        let held = self.voters().any(|voter| self.addressed(voter).any(carries));
        !others_want
            && !held
            && !self.ledger.others_hold(client)
            && self.reachable(client).count_ones() >= u32::from(quorum)
    }

    /// The longest remaining life of a lock key at a node that counts.
    pub(crate) fn remaining(&self) -> Span {
        let nodes = self.voters().flat_map(|voter| self.addressed(voter));
        let left = nodes.map(|node| self.redis(node).remaining(self.now));
        left.max().unwrap_or(Span::ZERO)
    }

    /// How many votes a rival could win against a nonce of `holder` that `backs` recognises, and how many voters
    /// carry it where its holder looks.
    pub(crate) fn votes(&self, holder: ClientId, backs: impl Fn(&Stored) -> bool) -> (u8, u8) {
        let (mut free, mut own) = (0, 0);
        let mut rivals: Vec<(&Stored, u8)> = Vec::new();
        for voter in self.voters().take(self.asked.into()) {
            if self.routes.is_trivial() {
                let server = self.redis(voter);
                match &server.held {
                    _ if !server.is_up() => {}
                    None => free += 1,
                    Some(held) if backs(&held.value) => own += 1,
                    Some(held) if self.share(holder, held.writer.client) => {}
                    Some(held) => add(&mut rivals, &held.value),
                }
                continue;
            }
            own += u8::from(self.seen(holder, voter).is_some_and(|held| backs(&held.value)));
            let says = self.rivals_at(holder, voter, &backs);
            match says {
                Says::Anybody => free += 1,
                Says::Only(values) => values.into_iter().for_each(|value| add(&mut rivals, value)),
            }
        }
        (free + rivals.iter().map(|(_, count)| *count).max().unwrap_or(0), own)
    }

    /// Whether the grants of this client are shared.
    pub(crate) fn is_reader(&self, client: ClientId) -> bool {
        self.readers.0.binary_search(&client).is_ok()
    }

    /// Whether grants of these two are shared, and so compatible.
    pub(crate) fn share(&self, one: ClientId, other: ClientId) -> bool {
        self.is_reader(one) && self.is_reader(other)
    }

    /// To whom a voter of several nodes would say yes.
    fn rivals_at(&self, holder: ClientId, voter: VoterId, backs: impl Fn(&Stored) -> bool) -> Says<'_> {
        let mut values: Vec<&Stored> = Vec::new();
        let grants = |node: &NodeId| self.redis(*node).is_up() && self.is_primary(*node);
        for node in self.addressed(voter).filter(grants) {
            match &self.redis(node).held {
                None => return Says::Anybody,
                Some(held) if backs(&held.value) => {}
                Some(held) if values.iter().any(|known| known.has_owners_of(&held.value)) => {}
                Some(held) if self.share(holder, held.writer.client) => {}
                Some(held) => values.push(&held.value),
            }
        }
        Says::Only(values)
    }
}

/// Whom a voter could still serve.
enum Says<'a> {
    /// Whoever asks.
    Anybody,
    /// Whoever carries one of these.
    Only(Vec<&'a Stored>),
}

fn add<'a>(rivals: &mut Vec<(&'a Stored, u8)>, value: &'a Stored) {
    match rivals.iter_mut().find(|(known, _)| known.has_owners_of(value)) {
        Some((_, count)) => *count += 1,
        None => rivals.push((value, 1)),
    }
}
