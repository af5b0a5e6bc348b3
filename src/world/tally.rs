//! How many holds of a client the voters carry, and how many it believes it has: the facts of `hold-count`.
//!
//! Kept for locks that count or share holds, and for no other. A count is told when a call was decided or a release
//! has ended, if no request of the client is open or still on its way: whatever arrives later would be counted too
//! early. A voter is counted if its client can reach it and nothing but commands has changed what it carries: a hold
//! that expired, or that a crash, an eviction or a failover took, is no miscount, and neither is one that a client left
//! behind in an earlier life. Must not judge.

use super::client::Client;
use super::lane::Body;
use super::scene::Scene;
use super::state::World;
use super::watch::bit;
use crate::canon::Canon;
use crate::history::Fact;
use crate::lock::LockCore;
use crate::name::{CallId, ClientId, Direction, GrantId, Nonce, VoterId};

/// What is known of one client's holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tally {
    /// Its last call that was made outside a section.
    pub(crate) call: CallId,
    /// By which its holds are found: that of its last grant, until it calls again.
    pub(crate) nonce: Option<Nonce>,
    /// Voters at which something other than a command changed its holds, by bit.
    spoilt: u32,
}

/// All that are kept, by client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tallies(Vec<Tally>);

impl Tally {
    fn client(&self) -> ClientId {
        self.call.client
    }
}

impl Tallies {
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn of(&self, client: ClientId) -> Option<&Tally> {
        self.0.iter().find(|tally| tally.client() == client)
    }

    fn of_mut(&mut self, client: ClientId) -> Option<&mut Tally> {
        self.0.iter_mut().find(|tally| tally.client() == client)
    }

    /// Nothing but commands changed holds so far: no longer so at these voters.
    pub(crate) fn spoil(&mut self, voters: u32, whose: impl Fn(ClientId) -> bool) {
        for tally in self.0.iter_mut().filter(|tally| whose(tally.client())) {
            tally.spoilt |= voters;
        }
    }

    /// The client died, and with it what it knew.
    pub(crate) fn forget(&mut self, client: ClientId) {
        if let Some(tally) = self.of_mut(client) {
            (tally.nonce, tally.spoilt) = (None, u32::MAX);
        }
    }

    pub(crate) fn canonical_of(&mut self, client: ClientId, canon: &mut Canon) {
        if let Some(tally) = self.of_mut(client) {
            if let Some(nonce) = &mut tally.nonce {
                canon.nonce(nonce);
            }
            canon.call(&mut tally.call);
            canon.voter_bits(&mut tally.spoilt);
        }
    }
}

/// Whether holds of this client are counted.
fn is_counted<C: LockCore>(client: &Client<C>) -> bool {
    client.traits.0.reentrant || client.traits.0.shared
}

impl Scene<'_> {
    /// A client that holds nothing calls: what is spoilt stays so only where a value of its own still lies.
    pub(crate) fn begin_count<C: LockCore>(&mut self, client: &Client<C>) {
        if !is_counted(client) {
            return;
        }
        let own: u32 =
            self.world.voters().filter(|voter| self.world.carries_of(client.id, *voter)).map(bit).sum();
        let (call, tallies) = (client.call(), &mut self.world.ledger.tallies);
        match tallies.of_mut(client.id) {
            Some(tally) => {
                (tally.call, tally.nonce) = (call, None);
                tally.spoilt &= own;
            }
            None => {
                tallies.0.push(Tally { call, nonce: None, spoilt: 0 });
                tallies.0.sort_unstable_by_key(Tally::client);
            }
        }
    }

    /// Its holds are found by this nonce from here on.
    pub(crate) fn count_by<C: LockCore>(&mut self, client: &Client<C>, nonce: Nonce) {
        if let Some(tally) = self.world.ledger.tallies.of_mut(client.id) {
            tally.nonce = Some(nonce);
        }
    }

    /// Tells how many holds the voters carry for a client that believes in so many: the hold of `grant`, and a second
    /// one inside it.
    pub(crate) fn count<C: LockCore>(&mut self, client: &Client<C>, grant: GrantId, believed: u32) {
        if !client.traits.0.reentrant || !client.driver.pending.is_empty() {
            return;
        }
        let Some(Tally { nonce: Some(nonce), spoilt, .. }) = self.world.ledger.tallies.of(client.id) else {
            return;
        };
        if self.world.links.asks(client.id) {
            return;
        }
        let sound = self.world.reachable(client.id) & !spoilt;
        let voters = self.world.voters().take(client.traits.0.voters.into());
        let carried = |voter: VoterId| {
            let held = self.world.seen(client.id, voter);
            held.map_or(0, |held| client.core.holds(*nonce, &held.value))
        };
        let (mut most, mut all) = (None, Vec::new());
        for voter in voters {
            if sound & bit(voter) == 0 {
                all.push(believed);
                continue;
            }
            let carried = carried(voter);
            most = most.max(Some(carried));
            all.push(carried);
        }
        // Of a voter that is not counted the best is assumed.
        all.sort_unstable_by(|one, other| other.cmp(one));
        let assured = all.get(usize::from(client.traits.0.quorum).saturating_sub(1));
        if let (Some(most), Some(assured)) = (most, assured) {
            let fact = Fact::HoldsCounted { grant, believed, most, assured: *assured };
            self.record(client, fact);
        }
    }
}

impl World {
    /// Whether the voter carries, where the client looks, a value that a call of this client created.
    fn carries_of(&self, client: ClientId, voter: VoterId) -> bool {
        self.seen(client, voter).is_some_and(|held| held.writer.client == client)
    }
}

impl super::lane::Links {
    /// Whether a command of this client is on its way to a node.
    fn asks(&self, client: ClientId) -> bool {
        let own = |packet: &super::lane::Packet| {
            let name = &packet.name;
            packet.lane.client == client
                && name.direction == Direction::Request
                && matches!(packet.body, Body::Command { .. })
        };
        self.packets().iter().any(own)
    }
}
