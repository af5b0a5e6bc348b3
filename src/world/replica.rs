//! What travels between the nodes of one voter: how a replica comes into step and stays there.
//!
//! A primary ships every entry to each connected replica: held for the lag, then on the wire for one latency, then
//! applied. Must not judge what clients may count on: `votes.rs` does. `feed.rs` is the link, `failover.rs` changes
//! roles, `wait.rs` and `good.rs` are what acknowledgements are for.

use super::event::{GroupEvent, Leg, NodeTimer, ParcelKind, Readiness, Shipment, StreamId, Trail, Way};
use super::feed::{Feed, Link, Load, Parcel};
use super::group::{Ghost, Part};
use super::state::World;
use crate::history::{Cause, Fact};
use crate::name::{NodeId, Process, VoterId};
use crate::plan::{CutHow, Fault, WayCut};
use crate::redis::Entry;
use crate::time::{MonoTime, Span};

/// How often a replica acknowledges by itself.
///
/// **Source** Redis 7.0.15, `replicationCron`.
pub(super) const BEAT: Span = Span::from_ms(1_000);

impl World {
    /// A primary's data changed: its connected replicas hear of it, and it may have something to expire.
    pub(super) fn spread(&mut self, node: NodeId, entry: Option<Entry>, out: &mut Trail) {
        let (Some(entry), Some(member)) = (entry, self.member_mut(node)) else { return };
        out.nodes.push(node);
        member.offset += 1;
        let number = member.offset;
        for stream in self.connected(node) {
            self.push(stream, ParcelKind::Entry, number, Load::Entry(entry.clone()), out);
        }
    }

    /// Puts a parcel behind what a primary holds back for a replica, or on the wire if it holds back nothing.
    pub(super) fn push(
        &mut self,
        stream: StreamId,
        kind: ParcelKind,
        number: u32,
        load: Load,
        out: &mut Trail,
    ) {
        let lag = self.lag(stream.replica());
        let Some(feed) = self.feed(stream) else { return };
        if lag == Span::ZERO && feed.leg(Leg::Held).is_empty() {
            return self.wire(stream, Way::Out, kind, number, load, out);
        }
        self.queue(stream, Leg::Held, Parcel { kind, number, serial: 0, load }, lag, out);
    }

    fn wire(
        &mut self,
        stream: StreamId,
        way: Way,
        kind: ParcelKind,
        number: u32,
        load: Load,
        out: &mut Trail,
    ) {
        if self.stream_cut(stream, way) == Some(CutHow::BlackHole) {
            if let Some(feed) = self.feed_mut(stream) {
                feed.holed = true;
            }
            return;
        }
        let ends = [Process::Node(stream.primary()), Process::Node(stream.replica())];
        let slow = ends.into_iter().map(|end| self.slowed(end)).fold(Span::ZERO, |sum, extra| sum + extra);
        self.queue(stream, Leg::Wire(way), Parcel { kind, number, serial: 0, load }, slow, out);
    }

    fn queue(&mut self, stream: StreamId, leg: Leg, parcel: Parcel, extra: Span, out: &mut Trail) {
        self.serial += 1;
        let (serial, number) = (self.serial, parcel.number);
        out.shipped.push(Shipment { stream, leg, parcel: parcel.kind, number, serial, extra });
        if let Some(feed) = self.feed_mut(stream) {
            feed.leg_mut(leg).push_back(Parcel { serial, ..parcel });
        }
    }

    /// How long a primary holds back what it ships to this replica.
    fn lag(&self, node: NodeId) -> Span {
        let more = self.active().filter_map(|fault| {
            let Fault::Lag { node: lagging, by } = fault else { return None };
            (*lagging == node).then_some(*by)
        });
        more.fold(self.fixed.0.nodes[usize::from(node.voter.0)].lag, |sum, by| sum + by)
    }

    /// The cut in force on a link, this way. A reset works both ways.
    pub(super) fn stream_cut(&self, stream: StreamId, way: Way) -> Option<CutHow> {
        let (primary, replica) = (Process::Node(stream.primary()), Process::Node(stream.replica()));
        let (from, to) = match way {
            Way::Out => (primary, replica),
            Way::Back => (replica, primary),
        };
        let cuts = self.active().filter_map(|fault| {
            let Fault::Cut { one, other, way, how } = fault else { return None };
            let forth = one.contains(&from) && other.contains(&to);
            let back = one.contains(&to) && other.contains(&from);
            let hit = match way {
                WayCut::Both => forth || back,
                WayCut::Requests => forth,
                WayCut::Replies => back,
            };
            (hit || (*how == CutHow::Reset && (forth || back))).then_some(*how)
        });
        cuts.min_by_key(super::state::strength)
    }

    fn is_cut(&self, stream: StreamId) -> bool {
        self.stream_cut(stream, Way::Out).is_some() || self.stream_cut(stream, Way::Back).is_some()
    }

    fn stands(&self, node: NodeId) -> bool {
        let server = self.redis(node);
        server.is_up() && server.pauses == 0
    }

    /// Whether a filed event of the nodes themselves can happen.
    pub(super) fn group_ready(&self, event: GroupEvent, stamp: u32) -> Readiness {
        let (stream, leg, by) = match event {
            GroupEvent::Ship(stream) => (stream, Leg::Held, stream.primary()),
            GroupEvent::Arrive(stream, Way::Out) => (stream, Leg::Wire(Way::Out), stream.replica()),
            GroupEvent::Arrive(stream, Way::Back) => (stream, Leg::Wire(Way::Back), stream.primary()),
            GroupEvent::Timer(..) | GroupEvent::Learn(..) => return Readiness::Now,
        };
        let Some(feed) = self.feed(stream) else { return Readiness::Never };
        let held_up = match leg {
            Leg::Held => false,
            Leg::Wire(way) => self.stream_cut(stream, way) == Some(CutHow::Hold),
        };
        match feed.leg(leg).front() {
            Some(parcel) if parcel.serial == stamp => match held_up || !self.stands(by) {
                true => Readiness::Later,
                false => Readiness::Now,
            },
            // What is before it in the queue waits itself.
            Some(_) if feed.leg(leg).iter().any(|parcel| parcel.serial == stamp) => Readiness::Later,
            Some(_) | None => Readiness::Never,
        }
    }

    /// What a primary has held back longest goes on the wire.
    pub(super) fn ship(&mut self, stream: StreamId, out: &mut Trail) {
        let parcel = self.feed_mut(stream).and_then(|feed| feed.leg_mut(Leg::Held).pop_front());
        if let Some(Parcel { kind, number, serial: _, load }) = parcel {
            self.wire(stream, Way::Out, kind, number, load, out);
        }
    }

    /// All that a primary has held back goes on the wire: it shuts down in order.
    ///
    /// **Source** Redis 7.0, SHUTDOWN: it waits for lagging replicas.
    pub(super) fn ship_all(&mut self, node: NodeId, out: &mut Trail) {
        for stream in self.followers(node) {
            while self.feed(stream).is_some_and(|feed| !feed.leg(Leg::Held).is_empty()) {
                self.ship(stream, out);
            }
        }
    }

    /// The first parcel on the wire reaches its end.
    pub(super) fn arrive(&mut self, stream: StreamId, way: Way, out: &mut Trail) {
        let parcel = self.feed_mut(stream).and_then(|feed| feed.leg_mut(Leg::Wire(way)).pop_front());
        let Some(Parcel { kind, number, serial: _, load }) = parcel else { return };
        out.unblocked = true;
        if self.stream_cut(stream, way) == Some(CutHow::BlackHole) {
            if let Some(feed) = self.feed_mut(stream) {
                feed.holed = true;
            }
            return;
        }
        match (kind, load) {
            (ParcelKind::Entry, Load::Entry(entry)) => self.replay(stream, number, &entry, out),
            (ParcelKind::Snapshot, Load::Snapshot(data)) => self.load(stream, number, data, out),
            (ParcelKind::AskAck, _) => self.acknowledge(stream, out),
            (ParcelKind::Close, _) => {
                self.hang_up(stream, out);
                self.call(stream, out);
            }
            (ParcelKind::Sync, _) => self.accept(stream, out),
            (ParcelKind::Ack, _) => self.acked(stream, number, out),
            (ParcelKind::Entry | ParcelKind::Snapshot, _) => unreachable!("a parcel carries what it is"),
        }
    }

    fn replay(&mut self, stream: StreamId, number: u32, entry: &Entry, out: &mut Trail) {
        let (node, at) = (stream.replica(), self.now);
        self.redis_mut(node).replay(at, entry);
        self.notice_keys(node, entry.effects().iter().map(|effect| &effect.key));
        if let Some(member) = self.member_mut(node) {
            member.offset = number;
        }
        self.record(Process::Node(node), Fact::Replicated { from: stream.primary(), entry: number }, out);
        self.reread(node, out);
    }

    /// A replica takes over its primary's whole state: what only it had is gone.
    fn load(&mut self, stream: StreamId, number: u32, data: crate::redis::Snapshot, out: &mut Trail) {
        let (node, at) = (stream.replica(), self.now);
        let beat = self.next_beat(node);
        self.redis_mut(node).load(at, data);
        if let Some(member) = self.member_mut(node) {
            member.offset = number;
        }
        if let Some(feed) = self.feed_mut(stream) {
            feed.beat = beat;
            feed.link = match feed.link {
                Link::Loading | Link::Up => Link::Up,
                // Its primary died after it had sent this.
                link @ (Link::Down | Link::Asking | Link::Closing) => link,
            };
        }
        out.nodes.push(node);
        self.record(Process::Node(node), Fact::Resynced { from: stream.primary() }, out);
        let before = self.redis(node).held.as_ref().map(|held| held.writer);
        self.reread(node, out);
        let after = self.redis(node).held.as_ref().map(|held| held.writer);
        if let Some(writer) = before.filter(|writer| after != Some(*writer)) {
            self.hold_gone(node, writer, Cause::Resync, out);
        }
    }

    /// Reads the lock key of a replica anew.
    fn reread(&mut self, node: NodeId, _: &mut Trail) {
        let (at, key) = (self.now, self.fixed.0.key.clone());
        let before = self.redis(node).held.clone();
        self.redis_mut(node).refresh(at, &key);
        if self.redis(node).held != before {
            self.facts_stale();
            if self.is_addressed(node) {
                self.stir(Cause::Resync);
            }
        }
    }

    /// When a replica next acknowledges by itself: at whole seconds of its monotonic clock.
    pub(super) fn next_beat(&self, node: NodeId) -> MonoTime {
        let mono = self.redis(node).clocks.now(self.now).mono;
        MonoTime((mono.0.div_euclid(BEAT.0) + 1) * BEAT.0)
    }

    /// A replica says how far it has come.
    pub(super) fn acknowledge(&mut self, stream: StreamId, out: &mut Trail) {
        let number = self.member(stream.replica()).map_or(0, |member| member.offset);
        self.wire(stream, Way::Back, ParcelKind::Ack, number, Load::Bare, out);
    }

    fn acked(&mut self, stream: StreamId, number: u32, out: &mut Trail) {
        let primary = stream.primary();
        self.refresh_good(primary, out);
        let seconds = self.wall_seconds(primary);
        if let Some(feed) = self.feed_mut(stream) {
            feed.acked = feed.acked.max(number);
            feed.acked_s = seconds;
        }
        self.settle_waits(primary, out);
    }

    /// A primary takes a replica's call: its whole state goes out, and what is executed from now on behind it.
    fn accept(&mut self, stream: StreamId, out: &mut Trail) {
        let primary = stream.primary();
        if !self.is_primary(primary) {
            return self.hang_up(stream, out);
        }
        let (seconds, number) = (self.wall_seconds(primary), self.member(primary).map_or(0, |m| m.offset));
        let data = self.redis(primary).node.snapshot();
        if let Some(feed) = self.feed_mut(stream) {
            (feed.link, feed.acked, feed.acked_s) = (Link::Loading, 0, seconds);
        }
        self.push(stream, ParcelKind::Snapshot, number, Load::Snapshot(data), out);
        if let Some(asks) = self.lead(primary).filter(|lead| !lead.waits.is_empty()).map(|lead| lead.asks) {
            self.push(stream, ParcelKind::AskAck, asks, Load::Bare, out);
        }
        self.recount(primary, out);
    }

    pub(super) fn wall_seconds(&self, node: NodeId) -> i64 {
        self.redis(node).clocks.now(self.now).wall.unix_ms().0.div_euclid(1_000)
    }

    /// A link is closed, and both ends know; the primary only if it can hear of it.
    pub(super) fn hang_up(&mut self, stream: StreamId, out: &mut Trail) {
        let primary = stream.primary();
        let silent = match self.stream_cut(stream, Way::Back) {
            Some(CutHow::Hold | CutHow::BlackHole) => !self.has_lapsed(stream),
            Some(CutHow::Reset) | None => false,
        };
        let wall = self.redis(primary).clocks.now(self.now).wall;
        let Some(feed) = self.feed_mut(stream) else { return };
        let (acked, acked_s, since) = (feed.acked, feed.acked_s, feed.silent_since.unwrap_or(wall));
        let believed = silent && feed.is_connected();
        feed.close();
        out.nodes.push(stream.replica());
        if let Some(lead) = self.lead_mut(primary).filter(|_| believed) {
            lead.ghosts.push(Ghost { to: stream.to, acked, acked_s, since });
        }
        self.recount(primary, out);
    }

    /// Primaries hear of what their replicas closed, where nothing cuts them off any more.
    fn lay_ghosts(&mut self, voter: VoterId, out: &mut Trail) {
        for member in 0..self.groups[usize::from(voter.0)].members.len() as u8 {
            let node = NodeId { voter, member };
            let cut_off = |world: &Self, ghost: &Ghost| {
                let stream = StreamId { voter, from: member, to: ghost.to };
                matches!(world.stream_cut(stream, Way::Back), Some(CutHow::Hold | CutHow::BlackHole))
            };
            let Some(lead) = self.lead(node).filter(|lead| !lead.ghosts.is_empty()) else { continue };
            let kept: Vec<Ghost> = lead.ghosts.iter().filter(|ghost| cut_off(self, ghost)).copied().collect();
            if let Some(lead) = self.lead_mut(node) {
                lead.ghosts = kept;
            }
            self.recount(node, out);
        }
    }

    /// A replica without a link calls its primary, if anybody can take the call.
    fn call(&mut self, stream: StreamId, out: &mut Trail) {
        let possible = self.feed(stream).is_some_and(|feed| feed.link == Link::Down)
            && self.stands(stream.replica())
            && self.redis(stream.primary()).is_up()
            && self.is_primary(stream.primary())
            && self.stream_cut(stream, Way::Back) != Some(CutHow::Reset);
        if !possible {
            return;
        }
        let Some(feed) = self.feed_mut(stream) else { return };
        feed.link = Link::Asking;
        feed.syncs += 1;
        let number = feed.syncs;
        self.wire(stream, Way::Back, ParcelKind::Sync, number, Load::Bare, out);
    }

    /// The process of a primary is gone: what it had sent still arrives, then its replicas hear of it.
    pub(super) fn lose_primary(&mut self, node: NodeId, out: &mut Trail) {
        for stream in self.followers(node) {
            let Some(feed) = self.feed_mut(stream) else { continue };
            let was_connected = feed.is_connected();
            feed.lose_primary();
            if was_connected {
                self.wire(stream, Way::Out, ParcelKind::Close, 0, Load::Bare, out);
            }
        }
    }

    /// After a fault began or ended: links are closed, given up and opened as the faults in force say.
    pub(super) fn reconcile(&mut self, out: &mut Trail) {
        for voter in (0..self.groups.len() as u8).map(VoterId) {
            self.lay_ghosts(voter, out);
            for stream in self.streams(voter) {
                let stream = self.retarget(stream, out);
                let lapsed = self.has_lapsed(stream);
                let reset = self.stream_cut(stream, Way::Back) == Some(CutHow::Reset);
                let (cut, stands) = (self.is_cut(stream), self.stands(stream.replica()));
                let wall = self.redis(stream.primary()).clocks.now(self.now).wall;
                let silent =
                    cut || self.redis(stream.replica()).pauses + self.redis(stream.primary()).pauses > 0;
                let Some(feed) = self.feed_mut(stream) else { continue };
                let over = (reset && feed.link != Link::Down) || (feed.holed && !cut) || (lapsed && !silent);
                match silent {
                    true => feed.silent_since = feed.silent_since.or(Some(wall)),
                    false => feed.silent_since = None,
                }
                if over {
                    self.hang_up(stream, out);
                }
                if stands {
                    self.call(stream, out);
                }
            }
        }
    }

    /// A replica follows the present primary of its voter as soon as it reaches it. Until then it goes on with the
    /// one it knows.
    fn retarget(&mut self, stream: StreamId, out: &mut Trail) -> StreamId {
        let to = StreamId { from: self.present_primary(stream.voter).member, ..stream };
        let reaches = self.stands(to.replica()) && self.stands(to.primary()) && !self.is_cut(to);
        if to == stream || !reaches {
            return stream;
        }
        self.hang_up(stream, out);
        if let Some(member) = self.member_mut(to.replica()) {
            member.part = Part::Replica(Feed::down(to.from));
        }
        to
    }

    /// A due timer of a node fires.
    pub(super) fn on_node_timer(&mut self, node: NodeId, timer: NodeTimer, out: &mut Trail) {
        out.nodes.push(node);
        match timer {
            NodeTimer::Expire => {
                let at = self.now;
                for entry in self.redis_mut(node).expire(at) {
                    self.notice_expired(node, &entry);
                    self.spread(node, Some(entry), out);
                }
            }
            NodeTimer::Acknowledge => {
                let beat = self.next_beat(node);
                let Some(stream) = self.stream_of(node) else { return };
                if let Some(feed) = self.feed_mut(stream) {
                    feed.beat = beat;
                }
                self.acknowledge(stream, out);
            }
            NodeTimer::GiveUp => {
                self.give_up_waits(node, out);
                self.give_up_items(node, out);
            }
        }
    }
}
