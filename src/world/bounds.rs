//! When bounded expectations begin, are voided, and are judged; and what is left when all has settled.

use super::client::Client;
use super::event::Trail;
use super::ledger::Hold;
use super::scene::Scene;
use super::server::Held;
use super::setup::{Holder, StoreMode};
use super::system::System;
use super::user::User;
use super::watch::Running;
use crate::history::{Fact, Watch, WatchEnd, WatchKind};
use crate::lock::{CoreTraits, LockCore};
use crate::name::{CallId, ClientId, GrantId, NodeId, Process, VoterId};

impl<C: LockCore> System<C> {
    /// Begins and voids watches after a change of who is busy or of a fault.
    pub(crate) fn review_watches(&mut self, out: &mut Trail) {
        self.review_stuck(out);
        let running = self.world.ledger.watches.running.clone();
        for watch in running.iter().map(|running| running.watch) {
            if watch.kind == WatchKind::Unavailable {
                let client = watch.call.client;
                let quorum = self.quorum_of(client);
                if !self.world.is_available(client, quorum, watch.call) {
                    self.end(watch, WatchEnd::Void, out);
                }
            }
        }
    }

    /// `stuck`: faults over, one client willing, all others idle.
    fn review_stuck(&mut self, out: &mut Trail) {
        let mut busy = self.world.busy.iter().enumerate().filter(|(_, busy)| **busy).map(|(index, _)| index);
        let alone = match (busy.next(), busy.next()) {
            (Some(index), None) => Some(ClientId(index as u16)),
            (None | Some(_), _) => None,
        };
        let willing = alone.filter(|client| self.world.faults_over() && self.can_win(*client));
        let call = willing.and_then(|client| self.clients[usize::from(client.0)].user.willing());
        let running = self.world.ledger.watches.running.iter().find(|r| r.watch.kind == WatchKind::Stuck);
        let running = running.map(|running| running.watch);
        match (running, call) {
            (Some(watch), Some(call)) if watch.call.client == call.client => {}
            (Some(watch), _) => self.end(watch, WatchEnd::Void, out),
            (None, Some(call)) => self.begin_stuck(call, out),
            (None, None) => {}
        }
    }

    /// Whether enough voters are left for this client: some may be dead or paused for good.
    fn can_win(&self, client: ClientId) -> bool {
        self.world.reachable(client).count_ones() >= u32::from(self.quorum_of(client))
    }

    /// The bound: the longest remaining life of a lock key, one call of acquire, and the workload's own wait
    /// between two calls, which is not the lock's.
    fn begin_stuck(&mut self, call: CallId, out: &mut Trail) {
        let client = &self.clients[usize::from(call.client.0)];
        let traits = &client.traits.0;
        if traits.quorum == 0 || traits.call_max >= CoreTraits::ENDLESS {
            return;
        }
        let now = self.world.now;
        let due = now + self.world.remaining() + traits.call_max;
        let due = due + self.setup().clients[usize::from(call.client.0)].workload.again;
        let (process, clocks) = (client.process(), client.now(now));
        let watch = Watch { kind: WatchKind::Stuck, call };
        self.world.begin_watch(process, clocks, Running { watch, due, untouched: u32::MAX }, out);
    }

    /// Fewer voters than its quorum still carry this hold while its owner is inside: it should be told, if its
    /// library renews and so can know.
    pub(crate) fn on_thinned(&mut self, index: usize, out: &mut Trail) {
        let (grant, call) = (self.world.ledger.holds[index].grant, self.world.ledger.holds[index].call);
        let client = &self.clients[usize::from(call.client.0)];
        Scene { world: &mut self.world, out }.record(client, Fact::HoldThinned { grant });
        let traits = &client.traits.0;
        if let Some(period) = traits.renewal.filter(|_| !self.was_told(client, grant)) {
            let due = self.world.now + period + traits.node_timeout;
            let reachable = if client.is_able() { self.world.reachable(client.id) } else { 0 };
            let (process, now) = (client.process(), client.now(self.world.now));
            let watch = Watch { kind: WatchKind::SilentLoss, call };
            self.world.begin_watch(process, now, Running { watch, due, untouched: reachable }, out);
        }
    }

    /// Whether its library told a holder of a loss before: it has nothing to learn. Where a store, its own look or a failed
    /// extension may have warned it instead, nobody can tell, and it is watched.
    fn was_told(&self, client: &Client<C>, grant: GrantId) -> bool {
        let setup = &self.world.fixed.0;
        let workload = &setup.clients[usize::from(client.id.0)].workload;
        let only_library = setup.store.mode == StoreMode::Plain
            && workload.holder != Holder::Remote
            && !workload.task.steps_down();
        let warned =
            matches!(&client.user, User::Inside(section) if section.grant == grant && section.warned);
        only_library && warned
    }

    /// Judges every watch whose bound has passed.
    pub(crate) fn judge_due(&mut self, out: &mut Trail) {
        let now = self.world.now;
        let due: Vec<_> = self.world.ledger.watches.running.iter().filter(|r| r.due < now).copied().collect();
        for running in due {
            let call = running.watch.call;
            let end = match running.watch.kind {
                WatchKind::Stuck if running.untouched == u32::MAX => WatchEnd::Missed,
                // Something came between that it could not know of: it begins anew.
                WatchKind::Stuck => {
                    self.world.review = true;
                    WatchEnd::Void
                }
                WatchKind::Unavailable => running.unless_touched(self.quorum_of(call.client)),
                WatchKind::Leak => self.judge_leak(call, running.untouched),
                WatchKind::SilentLoss => self.knowable_loss(call, running.untouched),
            };
            self.end(running.watch, end, out);
        }
    }

    /// Whether a call left anything behind, where no fault came between.
    fn judge_leak(&self, call: CallId, untouched: u32) -> WatchEnd {
        let Some(carriers) = self.left_behind(call) else { return WatchEnd::Void };
        let kept = |voter: &&VoterId| untouched & super::watch::bit(**voter) != 0;
        match (carriers.is_empty(), carriers.iter().find(kept)) {
            (true, _) => WatchEnd::Met,
            (false, Some(_)) => WatchEnd::Missed,
            (false, None) => WatchEnd::Void,
        }
    }

    /// The voters that still carry what a call left behind after its caller was told that it holds nothing. Where holds
    /// are counted or shared a value outlives the call that created it, so the caller's own entry is looked for, by the
    /// nonce of its grant; of a call that was refused no nonce is known, and what it created counts unless others hold
    /// by it. `None` where that cannot be told: its client holds by the same entry, or has called again.
    fn left_behind(&self, call: CallId) -> Option<Vec<VoterId>> {
        let client = &self.clients[usize::from(call.client.0)];
        let Some(tally) = self.world.ledger.tallies.of(call.client) else {
            return Some(self.world.carriers(call).collect());
        };
        let holds = |hold: &Hold| hold.client() == call.client && (hold.is_promised() || hold.inside);
        if tally.call != call || self.world.ledger.holds.iter().any(holds) {
            return None;
        }
        let held = |voter: &VoterId| self.world.seen(call.client, *voter);
        Some(match tally.nonce {
            Some(nonce) => {
                let backs = |held: &Held| client.core.backs(nonce, &held.value);
                self.world.voters().filter(|voter| held(voter).is_some_and(backs)).collect()
            }
            None => {
                let used = |held: &Held| self.world.ledger.holds.iter().any(|hold| self.backs(hold, held));
                self.world.carriers(call).filter(|voter| !held(voter).is_some_and(used)).collect()
            }
        })
    }

    /// Whether this value counts as this hold.
    fn backs(&self, hold: &Hold, held: &Held) -> bool {
        self.clients[usize::from(hold.client().0)].core.backs(hold.nonce, &held.value)
    }

    /// Whether a value that a call of `writer` created may be a hold of `client`.
    fn may_share(&self, client: ClientId, writer: ClientId) -> bool {
        let counts = self.clients[usize::from(client.0)].traits.0.reentrant;
        (client == writer && counts) || self.world.share(client, writer)
    }

    /// What a command of `by` at this node did to others who hold by the value that `owner` had created: whose value it
    /// is to count as, and whether the command left it to all of them. Where one client's second hold or readers share
    /// a value, it is also that of whoever lost a hold by the command.
    pub(crate) fn whose(
        &self,
        by: CallId,
        owner: CallId,
        before: Option<&Held>,
        node: NodeId,
    ) -> (CallId, bool) {
        let Some(before) = before.filter(|_| self.may_share(by.client, owner.client)) else {
            return (owner, false);
        };
        let after = self.world.redis(node).held.as_ref();
        let robbed = self.world.ledger.holds.iter().find(|hold| {
            let backs = |held: &Held| self.backs(hold, held);
            let others = hold.call != by && (hold.is_promised() || hold.inside);
            others && backs(before) && !after.is_some_and(backs)
        });
        match robbed {
            Some(hold) => (hold.call, false),
            None => (owner, owner != by),
        }
    }

    /// A renewal learns of a loss only if so many voters answer that they do not carry the hold that a quorum is out of
    /// reach whatever the others say.
    fn knowable_loss(&self, call: CallId, untouched: u32) -> WatchEnd {
        let traits = &self.clients[usize::from(call.client.0)].traits.0;
        let carriers = self.world.carriers(call).map(super::watch::bit).fold(0, |bits, bit| bits | bit);
        match (untouched & !carriers).count_ones() > u32::from(traits.voters - traits.quorum) {
            true => WatchEnd::Missed,
            false => WatchEnd::Void,
        }
    }

    fn quorum_of(&self, client: ClientId) -> u8 {
        self.clients[usize::from(client.0)].traits.0.quorum
    }

    pub(crate) fn end(&mut self, watch: Watch, end: WatchEnd, out: &mut Trail) {
        let client = &self.clients[usize::from(watch.call.client.0)];
        let (process, now) = (client.process(), client.now(self.world.now));
        self.world.end_watches(process, now, |known| known == watch, end, out);
    }

    /// All has settled: says so, and what is left over.
    pub fn settle(&mut self, out: &mut Trail) {
        self.world.record(Process::Store, Fact::Settled, out);
        for node in self.world.voters().flat_map(|voter| self.world.addressed(voter)).collect::<Vec<_>>() {
            let Some(writer) = self.world.redis(node).held.as_ref().map(|held| held.writer) else {
                continue;
            };
            let answers = |hold: &&Hold| {
                hold.is_promised() && (hold.call == writer || self.may_share(hold.client(), writer.client))
            };
            let promised = self.world.ledger.holds.iter().any(|hold| answers(&hold));
            let client = &self.clients[usize::from(writer.client.0)];
            let attempting = client.alive && client.user.willing() == Some(writer);
            let excused = promised || attempting;
            let fact = Fact::LeftOver { node: node.voter, writer, excused };
            self.world.record(Process::Node(node), fact, out);
        }
    }
}
