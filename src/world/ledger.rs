//! The grants that still matter: their promises, who is inside with them, and how well they are backed.
//!
//! Must not decide anything: it keeps what the system derives facts from. A hold is forgotten once its promise
//! is over, nobody is inside with it, and a rival could win against it.

use super::tally::Tallies;
use super::watch::Watches;
use crate::canon::Canon;
use crate::lock::Until;
use crate::name::{CallId, ClientId, GrantId, Nonce};
use crate::time::{Now, ProcessClocks, WorldTime};
use smallvec::SmallVec;

/// One grant and what became of it so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Hold {
    pub(crate) grant: GrantId,
    pub(crate) call: CallId,
    pub(crate) nonce: Nonce,
    pub(crate) until: Until,
    /// How many votes it needs.
    pub(crate) quorum: u8,
    pub(crate) promise: Promise,
    pub(crate) inside: bool,
    pub(crate) backing: Backing,
    /// Whether fewer voters than its quorum have been seen to carry it while it was inside.
    pub(crate) thinned: bool,
}

/// Whether the promise runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Promise {
    /// Until this world time as the clocks run at present; `None` while no clock ends it.
    Running { end_at: Option<WorldTime> },
    /// Over.
    Over,
}

/// Whether a rival's chances are still followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Backing {
    /// Not looked at yet.
    Unseen,
    /// A rival could win this many votes.
    Winnable(u8),
    /// The owner took it back, or a rival could win after the promise: no more to learn.
    Closed,
}

/// All grants that still matter, by age.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ledger {
    pub(crate) holds: SmallVec<[Hold; 1]>,
    pub(crate) granted: u32,
    pub(crate) watches: Watches,
    /// How many holds voters should carry; empty where no lock counts or shares them.
    pub(crate) tallies: Tallies,
}

impl Hold {
    pub(crate) fn client(&self) -> ClientId {
        self.call.client
    }

    pub(crate) fn is_promised(&self) -> bool {
        matches!(self.promise, Promise::Running { .. })
    }

    /// The world time at which its promise ends, if it runs and a clock ends it.
    pub(crate) fn end_at(&self) -> Option<WorldTime> {
        match self.promise {
            Promise::Running { end_at } => end_at,
            Promise::Over => None,
        }
    }

    /// Computes the end anew: after a grant, an extension, or a change of its client's clocks.
    pub(crate) fn reckon(&mut self, clocks: &ProcessClocks, now: WorldTime) {
        if let Promise::Running { end_at } = &mut self.promise {
            *end_at = reached_at(self.until, clocks, now);
        }
    }

    fn is_spent(&self) -> bool {
        !self.is_promised() && !self.inside && self.backing == Backing::Closed
    }
}

/// The first world time not before `now` at which the declared clock has reached `until`.
pub(crate) fn reached_at(until: Until, clocks: &ProcessClocks, now: WorldTime) -> Option<WorldTime> {
    match until {
        Until::Mono(end) => clocks.mono_reaches(end, now),
        Until::Wall(end) => clocks.wall_reaches(end, now),
        Until::Released | Until::Lost | Until::Untold => None,
    }
}

/// Whether `until` lies after this reading: the promise is not over by its own clock.
pub(crate) fn is_ahead(until: Until, now: Now) -> bool {
    match until {
        Until::Mono(end) => end > now.mono,
        Until::Wall(end) => end > now.wall,
        Until::Released | Until::Lost | Until::Untold => true,
    }
}

impl Ledger {
    pub(crate) fn new() -> Self {
        Self { holds: SmallVec::new(), granted: 0, watches: Watches::new(), tallies: Tallies::new() }
    }

    pub(crate) fn get(&self, grant: GrantId) -> Option<&Hold> {
        self.holds.iter().find(|hold| hold.grant == grant)
    }

    pub(crate) fn get_mut(&mut self, grant: GrantId) -> Option<&mut Hold> {
        self.holds.iter_mut().find(|hold| hold.grant == grant)
    }

    pub(crate) fn next_grant(&mut self) -> GrantId {
        self.granted += 1;
        GrantId(self.granted)
    }

    /// The number of the grant that comes next.
    pub(crate) fn upcoming(&self) -> GrantId {
        GrantId(self.granted + 1)
    }

    /// The nonce of another promise of the same client that runs beside this one: a second hold.
    pub(crate) fn second_of(&self, index: usize) -> Option<Nonce> {
        let hold = &self.holds[index];
        let beside = |other: &&Hold| {
            other.client() == hold.client() && other.grant != hold.grant && other.is_promised()
        };
        self.holds.iter().find(|other| hold.is_promised() && beside(other)).map(|other| other.nonce)
    }

    /// Whether anybody but `client` has a running promise or is inside.
    pub(crate) fn others_hold(&self, client: ClientId) -> bool {
        self.holds.iter().any(|hold| hold.client() != client && (hold.is_promised() || hold.inside))
    }

    pub(crate) fn sweep(&mut self) {
        if self.holds.iter().any(Hold::is_spent) {
            self.holds.retain(|hold| !hold.is_spent());
        }
    }

    /// Visits the holds of one client, whose local times are the present ones of the pass.
    pub(crate) fn canonical_of(&mut self, client: ClientId, canon: &mut Canon) {
        for hold in self.holds.iter_mut().filter(|hold| hold.call.client == client) {
            canon.grant(&mut hold.grant);
            canon.call(&mut hold.call);
            canon.nonce(&mut hold.nonce);
            canonical_until(&mut hold.until, canon);
            if let Promise::Running { end_at: Some(end_at) } = &mut hold.promise {
                canon.world(end_at);
            }
        }
        self.tallies.canonical_of(client, canon);
    }
}

/// Visits the end of a promise.
pub(crate) fn canonical_until(until: &mut Until, canon: &mut Canon) {
    match until {
        Until::Mono(end) => canon.mono_deadline(end),
        Until::Wall(end) => canon.wall_deadline(end),
        Until::Released | Until::Lost | Until::Untold => {}
    }
}
