//! What a client can reach while it acts: the rest of the world, and the trail it leaves.
//!
//! Facts about promises, sections and bounds are derived here, at the moment they become true.

use super::client::Client;
use super::event::{Sent, Trail};
use super::lane::{Body, LaneId, Packet};
use super::ledger::{Backing, Hold, Promise, is_ahead, reached_at};
use super::setup::{ClientSetup, Setup};
use super::state::World;
use super::system::BackingFacts;
use super::watch::Running;
use crate::history::{Cause, Fact, LostWhy, PromiseEnd, Record, SectionEnd, WatchEnd, WatchKind};
use crate::lock::{Hand, LockCore, RefuseReason, Until};
use crate::name::{CallId, ClientId, Direction, GrantId, MessageName, Name, Nonce, Process};
use crate::plan::MessageFate;
use crate::time::{Now, WorldTime};

/// The surroundings of a client that acts.
pub(crate) struct Scene<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) out: &'a mut Trail,
}

impl Scene<'_> {
    pub(crate) fn at(&self) -> WorldTime {
        self.world.now
    }

    pub(crate) fn setup(&self, client: ClientId) -> &ClientSetup {
        &self.fixed().clients[usize::from(client.0)]
    }

    pub(crate) fn fixed(&self) -> &Setup {
        &self.world.fixed.0
    }

    pub(crate) fn record<C: LockCore>(&mut self, client: &Client<C>, fact: Fact) {
        let (at, process) = (self.world.now, client.process());
        self.out.records.push(Record { at, process, now: client.now(at), fact });
    }

    pub(crate) fn name(&mut self, name: Name) {
        self.out.names.push(name);
    }

    /// Hands a message of a client to the network.
    pub(crate) fn send<C: LockCore>(
        &mut self,
        client: &Client<C>,
        lane: LaneId,
        name: MessageName,
        body: Body,
    ) {
        let at = self.world.now;
        self.world.transmit(client.process(), client.now(at), lane, name, body, self.out);
    }

    pub(crate) fn granted<C: LockCore>(
        &mut self,
        client: &Client<C>,
        nonce: Nonce,
        until: Until,
        fence: Option<i64>,
    ) -> GrantId {
        let at = self.world.now;
        let (call, ahead) = (client.call(), is_ahead(until, client.now(at)));
        let grant = self.world.ledger.next_grant();
        self.record(client, Fact::Granted { call, grant, until, ahead, fence });
        let promises = ahead && until != Until::Untold;
        let promise = match promises {
            true => Promise::Running { end_at: reached_at(until, &client.clocks, at) },
            false => Promise::Over,
        };
        let quorum = client.traits.0.quorum;
        let followed = self.world.backing == BackingFacts::Derived;
        let backing = if quorum == 0 || !promises || !followed { Backing::Closed } else { Backing::Unseen };
        let (inside, thinned) = (false, false);
        let hold = Hold { grant, call, nonce, until, quorum, promise, inside, backing, thinned };
        self.world.ledger.holds.push(hold);
        self.count_by(client, nonce);
        if promises {
            self.record(client, Fact::PromiseBegan { grant, call });
            self.world.stir(Cause::Promise);
        }
        self.world.facts_stale();
        for kind in [WatchKind::Stuck, WatchKind::Unavailable] {
            self.end_watch(client, kind, WatchEnd::Met);
        }
        grant
    }

    /// Nobody can tell which votes back this grant: nothing is said of them.
    pub(crate) fn leave_unbacked(&mut self, grant: GrantId) {
        if let Some(hold) = self.world.ledger.get_mut(grant) {
            (hold.backing, hold.thinned) = (Backing::Closed, true);
        }
    }

    pub(crate) fn extended<C: LockCore>(&mut self, client: &Client<C>, grant: GrantId, until: Until) {
        let at = self.world.now;
        let ahead = is_ahead(until, client.now(at));
        self.record(client, Fact::Extended { grant, until, ahead });
        let followed = self.world.backing == BackingFacts::Derived;
        let Some(hold) = self.world.ledger.get_mut(grant) else { return };
        let (was_running, call) = (hold.is_promised(), hold.call);
        hold.until = until;
        if until == Until::Untold {
            return;
        }
        if ahead {
            hold.promise = Promise::Running { end_at: reached_at(until, &client.clocks, at) };
            let closed = hold.quorum == 0 || !followed;
            hold.backing = if closed { Backing::Closed } else { Backing::Unseen };
            if !was_running {
                self.record(client, Fact::PromiseBegan { grant, call });
            }
            self.world.stir(Cause::Promise);
        } else if was_running {
            self.end_promise(client, grant, PromiseEnd::Reached);
        }
        self.world.facts_stale();
    }

    pub(crate) fn end_promise<C: LockCore>(&mut self, client: &Client<C>, grant: GrantId, why: PromiseEnd) {
        let Some(hold) = self.world.ledger.get_mut(grant) else { return };
        if hold.is_promised() {
            hold.promise = Promise::Over;
            self.record(client, Fact::PromiseEnded { grant, why });
            self.world.facts_stale();
        }
    }

    pub(crate) fn entered<C: LockCore>(&mut self, client: &Client<C>, grant: GrantId) {
        if let Some(hold) = self.world.ledger.get_mut(grant) {
            hold.inside = true;
        }
        self.record(client, Fact::SectionEntered { grant });
    }

    pub(crate) fn left<C: LockCore>(&mut self, client: &Client<C>, grant: GrantId, why: SectionEnd) {
        if let Some(hold) = self.world.ledger.get_mut(grant) {
            hold.inside = false;
        }
        self.record(client, Fact::SectionLeft { grant, why });
        // Whoever leaves without having been told shows nothing.
        self.end_watch(client, WatchKind::SilentLoss, WatchEnd::Void);
    }

    /// The holder called release: its promise ends, and what becomes of its keys is its own doing.
    pub(crate) fn released<C: LockCore>(&mut self, client: &Client<C>, grant: GrantId) {
        self.end_promise(client, grant, PromiseEnd::Released);
        if let Some(hold) = self.world.ledger.get_mut(grant) {
            hold.backing = Backing::Closed;
        }
    }

    /// The holder was told that nothing is left to believe in, which ends the suspicion of a silent loss.
    pub(crate) fn told<C: LockCore>(&mut self, client: &Client<C>) {
        self.end_watch(client, WatchKind::SilentLoss, WatchEnd::Met);
    }

    pub(crate) fn lost<C: LockCore>(&mut self, client: &Client<C>, grant: GrantId) {
        self.end_promise(client, grant, PromiseEnd::Lost);
        self.world.ledger.tallies.spoil(u32::MAX, |known| known == client.id);
        self.world.stir(Cause::Promise);
    }

    pub(crate) fn refused<C: LockCore>(&mut self, client: &Client<C>, call: CallId, why: RefuseReason) {
        let carried = self.world.carried(call);
        let (quorum, wrote) = (client.traits.0.quorum, client.wrote);
        self.record(client, Fact::Refused { call, why, carried, quorum, wrote });
        let running = self.world.ledger.watches.running.iter();
        let mine = |r: &&Running| r.watch.kind == WatchKind::Unavailable && r.watch.call.client == client.id;
        if let Some(end) = running.copied().find(|r| mine(&r)).map(|r| r.unless_touched(quorum)) {
            // Whoever gave up was not refused for want of a lock.
            let end = if why == RefuseReason::Cancelled { WatchEnd::Void } else { end };
            self.end_watch(client, WatchKind::Unavailable, end);
        }
        self.expect_gone(client);
    }

    /// A call of acquire began: watch it if it ought to succeed.
    pub(crate) fn call_began<C: LockCore>(&mut self, client: &Client<C>, call: CallId) {
        if let Some(due) = self.world.unavailable_due(client, call) {
            let reachable = self.world.reachable(client.id);
            self.begin_watch(client, WatchKind::Unavailable, call, due, reachable);
        }
    }

    /// The caller was told that it does not hold: its keys should go, where it could reach them. Watched if a
    /// write of the call took effect, or still may.
    pub(crate) fn expect_gone<C: LockCore>(&mut self, client: &Client<C>) {
        let (call, reachable) = (client.call(), self.world.reachable(client.id));
        let reached = self.world.carriers(call).all(|voter| reachable & super::watch::bit(voter) != 0);
        let traits = &client.traits.0;
        // Of code outside nobody knows which of its scripts take the lock.
        let scripted = traits.fenced || traits.reentrant || client.hand == Hand::Outside;
        if (client.wrote || self.world.links.writes(call, scripted)) && reached {
            let bound = client.traits.0.node_timeout;
            let due = self.world.now + bound + bound + self.fixed().latency_max;
            self.begin_watch(client, WatchKind::Leak, call, due, reachable);
        }
    }

    /// Whether it is watched already whether the key of this call goes.
    pub(crate) fn is_watched(&self, call: CallId) -> bool {
        let watch = crate::history::Watch { kind: WatchKind::Leak, call };
        self.world.ledger.watches.running.iter().any(|running| running.watch == watch)
    }

    fn begin_watch<C: LockCore>(
        &mut self,
        client: &Client<C>,
        kind: WatchKind,
        call: CallId,
        due: WorldTime,
        untouched: u32,
    ) {
        let at = self.world.now;
        let watch = crate::history::Watch { kind, call };
        let running = Running { watch, due, untouched };
        self.world.begin_watch(client.process(), client.now(at), running, self.out);
    }

    pub(crate) fn end_watch<C: LockCore>(&mut self, client: &Client<C>, kind: WatchKind, end: WatchEnd) {
        let (at, id) = (self.world.now, client.id);
        let wanted = |watch: crate::history::Watch| watch.kind == kind && watch.call.client == id;
        self.world.end_watches(client.process(), client.now(at), wanted, end, self.out);
    }
}

impl World {
    /// Hands a message to the network: queues it, unless a directive or a cut takes it.
    pub(crate) fn transmit(
        &mut self,
        process: crate::name::Process,
        now: Now,
        lane: LaneId,
        name: MessageName,
        body: Body,
        out: &mut Trail,
    ) {
        let at = self.now;
        let push = |out: &mut Trail, fact: Fact| out.records.push(Record { at, process, now, fact });
        push(out, Fact::Sent { name });
        let fate = self.fate(name);
        if fate.is_some() {
            let voters = if let Process::Node(node) = lane.peer { super::watch::bit(node.voter) } else { 0 };
            self.ledger.watches.touch(voters, |client| client == lane.client);
        }
        if fate == Some(MessageFate::Lose) {
            self.links.note_lost(lane, name.direction, LostWhy::Directive);
            push(out, Fact::MessageLost { name, why: LostWhy::Directive });
            return;
        }
        if let Some(MessageFate::Delay(_)) = fate {
            push(out, Fact::Delayed { name });
        }
        let connect = matches!(body, Body::Connect);
        let swallowed = self.swallowed(lane, name.direction, &body);
        if let Some(why) = swallowed.or_else(|| self.links.gap(lane, name.direction)) {
            push(out, Fact::MessageLost { name, why });
            if why != LostWhy::Reset {
                self.links.note_lost(lane, name.direction, why);
            } else {
                let body = if connect { Body::Refuse } else { Body::Reset };
                if let Some(lane) = self.links.get_mut(lane) {
                    lane.torn.get_or_insert(why);
                }
                self.notify(lane, name.reply(), body, out);
            }
            return;
        }
        self.put(lane, name, body, fate, out);
    }

    /// Sends a client the notice that its connection broke or was refused. `name` only decides how long it
    /// travels: a notice is no message.
    pub(crate) fn notify(&mut self, lane: LaneId, name: MessageName, body: Body, out: &mut Trail) {
        if self.swallowed(lane, Direction::Reply, &body).is_none() {
            self.put(lane, name, body, None, out);
        }
    }

    fn put(
        &mut self,
        lane: LaneId,
        name: MessageName,
        body: Body,
        fate: Option<MessageFate>,
        out: &mut Trail,
    ) {
        let extra = self.slowed(lane.peer);
        self.serial += 1;
        let serial = self.serial;
        let direction = name.direction;
        if self.links.push(Packet { lane, name, serial, body, wait: 0 }) {
            out.sent.push(Sent { name, lane, direction, serial, extra, fate });
        }
    }

    pub(crate) fn begin_watch(
        &mut self,
        process: crate::name::Process,
        now: Now,
        running: Running,
        out: &mut Trail,
    ) {
        let Running { watch, due, untouched: _ } = running;
        if !self.watching.contains(watch.kind) {
            return;
        }
        self.ledger.watches.running.push(running);
        out.records.push(Record { at: self.now, process, now, fact: Fact::WatchBegan { watch, due } });
        self.facts_stale();
    }

    pub(crate) fn end_watches(
        &mut self,
        process: crate::name::Process,
        now: Now,
        wanted: impl Fn(crate::history::Watch) -> bool,
        end: WatchEnd,
        out: &mut Trail,
    ) {
        for running in self.ledger.watches.take(|running| wanted(running.watch)) {
            let fact = Fact::WatchOver { watch: running.watch, end };
            out.records.push(Record { at: self.now, process, now, fact });
        }
        self.facts_stale();
    }
}
