//! What an explorer needs that counts ticks instead of filing delivery times: how long each message still waits, what
//! is due, which faults of a menu can be used again.
//!
//! The waits are notes of the explorer on the messages; the world itself never looks at them. Must not choose.

use super::event::{Event, GroupEvent, Leg, Readiness, Sent, StreamId, Way};
use super::lane::{Body, Lane, LaneId, LaneState, Packet};
use super::state::FaultState;
use super::system::System;
use super::user::{Deed, User};
use crate::lock::{LockCore, RequestId};
use crate::name::{ClientId, Direction, Process, VoterId};
use crate::time::Span;

/// A message in flight, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Where it queues.
    pub lane: LaneId,
    /// Which way it travels.
    pub direction: Direction,
    /// How many are before it in its queue.
    pub behind: usize,
}

/// An unanswered request, by what it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Asked {
    /// Which voter.
    pub voter: VoterId,
    /// How many older requests of the client to the same voter are unanswered.
    pub behind: usize,
}

impl<C: LockCore> System<C> {
    /// Whether nothing that this client sent or is sent is in flight, but for what is late, and what travels on
    /// connections that it has given up.
    pub fn is_drained(&self, client: ClientId) -> bool {
        let mut own = self.world.links.packets().iter().filter(|packet| packet.lane.client == client);
        let given_up =
            |lane| self.world.links.get(lane).is_some_and(|lane| lane.state == LaneState::Abandoned);
        own.all(|packet| packet.wait & Packet::LATE != 0 || given_up(packet.lane))
    }

    /// Whether this client has called acquire and waits to be granted.
    pub fn wants(&self, client: ClientId) -> bool {
        self.clients[usize::from(client.0)].user.willing().is_some()
    }

    /// How many ticks the first message of this lane in this direction still waits.
    pub fn wait(&self, lane: LaneId, direction: Direction) -> u8 {
        self.world.links.front(lane, direction).map_or(0, |packet| packet.wait & !Packet::LATE)
    }

    /// How long this message waits is yet to be decided.
    pub fn leave_undecided(&mut self, lane: LaneId, direction: Direction, serial: u32) {
        let mut packets = self.world.links.packets_mut().iter_mut();
        if let Some(packet) =
            packets.find(|packet| (packet.queue(), packet.serial) == ((lane, direction), serial))
        {
            packet.wait = Packet::UNDECIDED;
        }
    }

    /// The messages that wait for a decision about their wait, in the order of their lanes.
    pub fn undecided(&self) -> Vec<Place> {
        let (mut places, mut queue, mut behind) = (Vec::new(), None, 0);
        for packet in self.world.links.packets() {
            behind = if queue == Some(packet.queue()) { behind + 1 } else { 0 };
            queue = Some(packet.queue());
            if packet.wait == Packet::UNDECIDED {
                places.push(Place { lane: packet.lane, direction: packet.name.direction, behind });
            }
        }
        places
    }

    /// Whether any message waits for a decision.
    pub fn is_undecided(&self) -> bool {
        self.world.links.packets().iter().any(|packet| packet.wait == Packet::UNDECIDED)
    }

    fn packet(&self, place: Place) -> Option<&Packet> {
        let own = |packet: &&Packet| packet.queue() == (place.lane, place.direction);
        self.world.links.packets().iter().filter(own).nth(place.behind)
    }

    /// Decides one of them; `late` marks it as later than its bound.
    pub fn decide(&mut self, place: Place, ticks: u8, late: bool) {
        let own = |packet: &&mut Packet| packet.queue() == (place.lane, place.direction);
        if let Some(packet) = self.world.links.packets_mut().iter_mut().filter(own).nth(place.behind) {
            packet.wait = ticks | if late { Packet::LATE } else { 0 };
        }
    }

    /// Takes one of them away.
    pub fn lose(&mut self, place: Place) {
        let mut behind = 0;
        self.world.links.lose_one(|packet| {
            let own = packet.queue() == (place.lane, place.direction);
            behind += usize::from(own);
            own && behind == place.behind + 1
        });
        self.world.links.sweep();
    }

    /// The serial of a message in flight.
    pub fn serial(&self, place: Place) -> Option<u32> {
        self.packet(place).map(|packet| packet.serial)
    }

    /// Whether a message to or from a node carries a command or its answer, not a handshake or a notice.
    pub fn is_command(&self, place: Place) -> bool {
        let packet = self.packet(place);
        let told =
            |body: &Body| matches!(body, Body::Command { .. } | Body::Answer { .. } | Body::Push { .. });
        packet.is_some_and(|packet| told(&packet.body))
    }

    /// Whether what was just sent is no message but what a kernel says of a connection.
    pub fn is_notice_sent(&self, sent: &Sent) -> bool {
        let mut packets = self.world.links.packets().iter();
        packets.any(|packet| packet.serial == sent.serial && packet.body.is_notice())
    }

    /// The same of the first message here.
    pub fn is_notice(&self, lane: LaneId, direction: Direction) -> bool {
        self.world.links.front(lane, direction).is_some_and(|packet| packet.body.is_notice())
    }

    /// One tick less to wait for every message in flight.
    pub fn end_wait(&mut self) {
        for packet in self.world.links.packets_mut() {
            if packet.wait & !Packet::LATE > 0 {
                packet.wait -= 1;
            }
        }
    }

    /// The place of a connection among those of its client to the same peer.
    pub fn lane_rank(&self, lane: LaneId) -> usize {
        self.between(lane).take_while(|known| known.id < lane).count()
    }

    /// The connection of this rank between the two that `like` connects.
    pub fn ranked_lane(&self, like: LaneId, rank: usize) -> Option<LaneId> {
        self.between(like).nth(rank).map(|lane| lane.id)
    }

    fn between(&self, like: LaneId) -> impl Iterator<Item = &Lane> {
        self.world.links.iter().filter(move |lane| (lane.id.client, lane.id.peer) == (like.client, like.peer))
    }

    /// Whether processes reach each other in ways that a client's own requests do not tell: nodes keep something of
    /// connections, or a client has several to one node.
    pub fn is_entangled(&self) -> bool {
        !self.world.seats.is_empty()
            || self.world.links.iter().any(|lane| lane.id.connection != crate::lock::ConnectionId(0))
    }

    /// What an unanswered request of this client asks.
    pub fn asked(&self, client: ClientId, request: RequestId) -> Option<Asked> {
        let pending = &self.clients[usize::from(client.0)].driver.pending;
        let at = pending.iter().position(|pending| pending.request == request)?;
        let voter = pending[at].voter;
        let behind = pending[..at].iter().filter(|pending| pending.voter == voter).count();
        Some(Asked { voter, behind })
    }

    /// Whether this client is inside, works, and may work on: it has been inside for less than `most`, and what it
    /// would do next by itself is to write or to finish.
    pub fn may_linger(&self, client: ClientId, most: Span) -> bool {
        let client = &self.clients[usize::from(client.0)];
        let User::Inside(section) = &client.user else { return false };
        let now = client.now(self.world.now);
        let workload = &self.setup().clients[usize::from(client.id.0)].workload;
        let next = section.next(workload, client.work, now);
        let works = matches!(next, Some((super::user::Moment::At(_), Deed::Check | Deed::Finish)));
        works && now.mono < section.since + most
    }

    /// Whether this fault would do anything to anybody now.
    pub fn bites(&self, index: u32) -> bool {
        self.is_effective(&self.setup().plan.faults[index as usize].fault)
    }

    /// Lets a fault that is over happen again.
    pub fn rearm(&mut self, index: u32) {
        let state = &mut self.world.faults[index as usize];
        if *state == FaultState::Over {
            *state = FaultState::Ahead;
        }
    }

    /// Whether nothing is in flight between clients and servers, and no client waits for an answer or a wake.
    pub fn is_quiet(&self) -> bool {
        let driver = |client: &super::client::Client<C>| {
            client.driver.pending.is_empty() && client.driver.wakes.is_empty()
        };
        self.world.links.packets().is_empty() && self.clients.iter().all(driver)
    }

    /// Whether this client could learn now which node of this voter to address.
    pub fn can_learn(&self, client: ClientId, voter: VoterId) -> bool {
        let serial = self.world.routes.serial_of(client, voter);
        serial.is_some_and(|serial| self.lesson_ready(client, voter, serial) == Readiness::Now)
    }

    /// What can happen now among the nodes of the voters, with the process at which it happens. What clients are to
    /// learn is not among them.
    pub fn group_events(&self) -> Vec<(Process, Event)> {
        let mut events = Vec::new();
        for node in self.timed_nodes() {
            if let Some((at, timer)) = self.next_node_timer(node)
                && at <= self.world.now
            {
                events.push((Process::Node(node), Event::Group(GroupEvent::Timer(node, timer))));
            }
            for stream in self.world.followers(node) {
                events.extend(self.parcels(stream));
            }
        }
        events
    }

    fn parcels(&self, stream: StreamId) -> impl Iterator<Item = (Process, Event)> {
        let ends = [
            (Leg::Held, stream.primary(), GroupEvent::Ship(stream)),
            (Leg::Wire(Way::Out), stream.replica(), GroupEvent::Arrive(stream, Way::Out)),
            (Leg::Wire(Way::Back), stream.primary(), GroupEvent::Arrive(stream, Way::Back)),
        ];
        ends.into_iter().filter_map(move |(leg, at, event)| {
            let serial = self.world.feed(stream)?.leg(leg).front()?.serial;
            let ready = self.world.group_ready(event, serial) == Readiness::Now;
            ready.then_some((Process::Node(at), Event::Group(event)))
        })
    }
}
