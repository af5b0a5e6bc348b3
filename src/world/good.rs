//! `min-replicas-to-write`: how many good replicas a primary has, as it knows.
//!
//! A primary counts at whole seconds of its monotonic clock, and at once when a replica connects or disconnects. The
//! seconds are no events: whoever wants the count calls [`World::refresh_good`] first, which works out what was true
//! at the last whole second. Must be called before anything that the count rests on changes: acknowledgements, clocks,
//! pauses.
//!
//! **Source** Redis 7.0.15, `min-replicas-to-write`, `min-replicas-max-lag`, `refreshGoodSlavesCount`.

use super::event::Trail;
use super::replica::BEAT;
use super::setup::MinReplicas;
use super::state::World;
use super::watch::bit;
use crate::name::NodeId;
use crate::redis::Writes;
use crate::time::{MonoTime, WallTime, WorldTime};

/// What a primary knew when it last counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Good {
    /// When that was looked at last.
    seen: WorldTime,
    mono: MonoTime,
    enough: bool,
}

impl Good {
    /// Nothing looked at yet.
    pub(super) fn unknown() -> Self {
        Self { seen: WorldTime::ZERO, mono: MonoTime(i64::MIN), enough: true }
    }

    pub(super) fn canonical(&mut self, canon: &mut crate::canon::Canon) {
        canon.world(&mut self.seen);
        canon.mono_deadline(&mut self.mono);
    }
}

impl World {
    fn wanted(&self, node: NodeId) -> Option<MinReplicas> {
        let wanted = self.fixed.0.nodes[usize::from(node.voter.0)].min_replicas;
        wanted.filter(|wanted| wanted.count > 0 && wanted.max_lag_s > 0)
    }

    /// Whether replicas of this voter acknowledge by themselves where anybody can see it.
    pub(super) fn is_counted(&self, node: NodeId) -> bool {
        self.wanted(node).is_some()
    }

    /// Whether a primary refuses to write, as far as it was last looked at.
    pub(crate) fn refuses_writes(&self, node: NodeId) -> bool {
        self.lead(node).is_some_and(|lead| !lead.good.enough)
    }

    /// Works out what was true at the primary's last whole second, if one has passed since it was looked at.
    pub(super) fn refresh_good(&mut self, node: NodeId, out: &mut Trail) {
        let Some(good) = self.lead(node).map(|lead| lead.good).filter(|_| self.is_counted(node)) else {
            return;
        };
        let server = self.redis(node);
        if !server.is_up() || server.pauses > 0 {
            return;
        }
        let clocks = server.clocks;
        let mono = clocks.now(self.now).mono;
        let second = MonoTime(mono.0.div_euclid(BEAT.0) * BEAT.0);
        if good.mono == MonoTime(i64::MIN) {
            return self.recount(node, out);
        }
        if second <= good.mono {
            // Nothing to count, but the clock may be about to change: what it showed before is no longer asked for.
            let now = self.now;
            if let Some(lead) = self.lead_mut(node) {
                lead.good.seen = now;
            }
            return;
        }
        let then = clocks.mono_reaches(second, good.seen).unwrap_or(self.now);
        self.count(node, clocks.now(then).wall, out);
    }

    /// The same for every primary: a fault is about to change what their counts rest on.
    pub(super) fn refresh_all_good(&mut self, out: &mut Trail) {
        if self.groups.is_empty() {
            return;
        }
        for node in self.nodes().collect::<Vec<_>>() {
            self.refresh_good(node, out);
        }
    }

    /// Counts at once: a replica connected or disconnected, or the primary starts or goes on.
    pub(super) fn recount(&mut self, node: NodeId, out: &mut Trail) {
        let connected = (self.connected(node).len() + self.ghosts(node).count()) as u8;
        if self.lead(node).is_none() {
            return;
        }
        self.redis_mut(node).node.set_replicas(connected);
        let server = self.redis(node);
        if self.is_counted(node) && server.is_up() && server.pauses == 0 {
            let wall = server.clocks.now(self.now).wall;
            self.count(node, wall, out);
        }
    }

    fn count(&mut self, node: NodeId, wall: WallTime, out: &mut Trail) {
        let Some(wanted) = self.wanted(node) else { return };
        let seconds = wall.unix_ms().0.div_euclid(1_000);
        let fresh = |acked_s: i64| seconds - acked_s <= i64::from(wanted.max_lag_s);
        let connected = self.connected(node).into_iter();
        let good = connected.filter(|stream| self.feed(*stream).is_some_and(|feed| fresh(feed.acked_s)));
        let ghosts = self.ghosts(node).filter(|ghost| fresh(ghost.acked_s));
        let enough = good.count() + ghosts.count() >= usize::from(wanted.count);
        let (seen, mono) = (self.now, self.redis(node).clocks.now(self.now).mono);
        let Some(lead) = self.lead_mut(node) else { return };
        let was = std::mem::replace(&mut lead.good, Good { seen, mono, enough }).enough;
        if was != enough {
            let writes = if enough { Writes::Allowed } else { Writes::TooFewReplicas };
            self.redis_mut(node).node.set_writes(writes);
            self.ledger.watches.touch(bit(node.voter), |_| true);
            self.review = true;
            out.unblocked = true;
        }
    }
}
