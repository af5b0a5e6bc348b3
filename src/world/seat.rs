//! Connections of which a node keeps something: channels, transactions, watched keys, waits for an item.
//!
//! They lie beside the lanes, because most lanes have none: a seat exists while its session holds anything. Those that
//! wait lie behind all others in the order in which they began to. Must not execute commands: `system.rs` does.
//!
//! A node hears at once that a client has let go of a connection, behind what the client had sent on it, unless a cut
//! keeps that from it: then it goes on serving nobody until the cut is over.
//!
//! **Source** Redis 7.0.15.

use super::event::Trail;
use super::lane::{Body, LaneId, LaneState, Links};
use super::state::World;
use crate::canon::{Canon, IdKind};
use crate::lock::RequestId;
use crate::name::{CallId, ClientId, Direction, MessageName, NodeId, Process, Route, VoterId};
use crate::plan::CutHow;
use crate::redis::{Audience, Entry, Log, Message, Session};
use crate::resp::Reply;
use crate::time::UnixMs;
use bytes::Bytes;

/// A connection of which its node keeps something.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Seat {
    pub(super) lane: LaneId,
    pub(super) session: Session,
    /// What it will be answered, while it waits.
    pub(super) asked: Option<Asked>,
}

/// A request that is answered later.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Asked {
    pub(super) name: MessageName,
    pub(super) request: RequestId,
    pub(super) by: CallId,
}

/// All of them, and how much was pushed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Seats {
    seats: Vec<Seat>,
    /// How many messages each client's incarnation was pushed by each voter: for names.
    pushes: Vec<(ClientId, u16, VoterId, u32)>,
}

impl Seats {
    pub(crate) fn is_empty(&self) -> bool {
        self.seats.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Seat> {
        self.seats.iter()
    }

    /// Whether the connection waits for an item.
    pub(crate) fn is_blocked(&self, lane: LaneId) -> bool {
        self.seats.iter().any(|seat| seat.lane == lane && seat.session.is_blocked())
    }

    /// Takes the session of a connection, which is to be put back.
    pub(crate) fn take(&mut self, lane: LaneId) -> Session {
        match self.seats.iter().position(|seat| seat.lane == lane) {
            Some(at) => self.seats.remove(at).session,
            None => Session::new(),
        }
    }

    /// Keeps a session, if it holds anything.
    pub(crate) fn put(&mut self, lane: LaneId, session: Session, asked: Option<Asked>) {
        if session.is_idle() {
            return;
        }
        let at = match asked {
            Some(_) => self.seats.len(),
            None => self.seats.partition_point(|seat| seat.asked.is_none() && seat.lane < lane),
        };
        self.seats.insert(at, Seat { lane, session, asked });
    }

    /// Those of one node.
    fn at(&self, node: NodeId) -> impl Iterator<Item = &Seat> {
        self.seats.iter().filter(move |seat| seat.lane.peer == Process::Node(node))
    }

    fn at_mut(&mut self, node: NodeId) -> impl Iterator<Item = &mut Seat> {
        self.seats.iter_mut().filter(move |seat| seat.lane.peer == Process::Node(node))
    }

    /// The place of the first connection of this node that waits for an item of a list.
    pub(super) fn first_waiting(&self, node: NodeId, key: &[u8]) -> Option<usize> {
        let here = |seat: &Seat| seat.lane.peer == Process::Node(node);
        self.seats.iter().position(|seat| here(seat) && seat.session.waits_for(key))
    }

    /// Takes out the connection at this place.
    pub(super) fn remove(&mut self, place: usize) -> Seat {
        self.seats.remove(place)
    }

    /// Puts it back there.
    pub(super) fn put_back(&mut self, place: usize, seat: Seat) {
        self.seats.insert(place, seat);
    }

    /// Takes every connection of this node that waits and of which `over` says that its wait is over.
    fn take_waiting(&mut self, node: NodeId, over: impl Fn(Option<UnixMs>) -> bool) -> Vec<Seat> {
        let ended = |seat: &Seat| {
            seat.lane.peer == Process::Node(node)
                && seat.session.is_blocked()
                && over(seat.session.waits_until())
        };
        let (taken, kept) = std::mem::take(&mut self.seats).into_iter().partition(ended);
        self.seats = kept;
        taken
    }

    /// The name of the next message that this node pushes to the client at the end of this lane.
    fn next_push(&mut self, lane: LaneId, voter: VoterId) -> MessageName {
        let own = (lane.client, lane.incarnation, voter);
        let known = self.pushes.iter_mut().find(|known| (known.0, known.1, known.2) == own);
        let number = match known {
            Some((_, _, _, number)) => {
                *number += 1;
                *number
            }
            None => {
                self.pushes.push((lane.client, lane.incarnation, voter, 1));
                1
            }
        };
        let (client, incarnation, direction) = (lane.client, lane.incarnation, Direction::Reply);
        MessageName { client, incarnation, route: Route::Push { voter, number }, direction }
    }

    /// Visits the sessions, each given its node's clocks before the pass by `turn`. Before the lanes are renumbered,
    /// whose new numbers they take over; nobody hears an answer on one that is gone or was given up.
    pub(super) fn canonical(
        &mut self,
        canon: &mut Canon,
        lanes: &Links,
        mut turn: impl FnMut(&mut Canon, NodeId),
    ) {
        self.pushes.clear();
        let mut known = Vec::with_capacity(self.seats.len());
        for seat in &mut self.seats {
            let (number, heard) = (lanes.rank(seat.lane), lanes.is_used(seat.lane));
            (seat.lane.number, seat.lane.incarnation) = (number.unwrap_or(0), 1);
            if let Process::Node(NodeId { voter, member: _ }) = &mut seat.lane.peer {
                canon.voter(voter);
            }
            known.push(heard);
        }
        let mut seats: Vec<(Seat, bool)> = std::mem::take(&mut self.seats).into_iter().zip(known).collect();
        // Who began to wait first matters at one node only.
        seats.sort_by_key(|(seat, _)| match seat.asked {
            None => (false, seat.lane.peer, Some(seat.lane)),
            Some(_) => (true, seat.lane.peer, None),
        });
        for (seat, heard) in &mut seats {
            if let Process::Node(node) = seat.lane.peer {
                turn(canon, node);
            }
            seat.session.canonical(canon);
            let Some(Asked { name, request, by }) = &mut seat.asked else { continue };
            *name = name.unnumbered();
            if let Some(voter) = super::lane::voter_of(&mut name.route) {
                canon.voter(voter);
            }
            match heard {
                true => canon.id(IdKind::Request(name.client), &mut request.0),
                false => request.0 = 0,
            }
            canon.call(by);
        }
        self.seats = seats.into_iter().map(|(seat, _)| seat).collect();
    }

    /// Expired keys are about to vanish: watched ones first say so.
    pub(super) fn sessions_mut(&mut self) -> impl Iterator<Item = (NodeId, &mut Session)> {
        self.seats.iter_mut().filter_map(|seat| match seat.lane.peer {
            Process::Node(node) => Some((node, &mut seat.session)),
            Process::Store | Process::Client(_) => None,
        })
    }
}

impl World {
    /// The connections of a node that hear channels.
    pub(super) fn audience(&self, node: NodeId) -> Audience {
        Audience::of(self.seats.at(node).map(|seat| &seat.session))
    }

    /// Something changed keys of a node: whoever watches them notices.
    pub(super) fn notice(&mut self, node: NodeId, log: &Log) {
        self.seats.at_mut(node).for_each(|seat| seat.session.notice(log));
    }

    /// The same, where all that is known is which keys.
    pub(super) fn notice_keys<'k>(&mut self, node: NodeId, keys: impl Iterator<Item = &'k Bytes> + Clone) {
        for seat in self.seats.at_mut(node) {
            seat.session.touch(keys.clone());
        }
    }

    /// Keys of a node have expired and were deleted.
    pub(super) fn notice_expired(&mut self, node: NodeId, entry: &Entry) {
        let expired = entry.effects().iter().map(|effect| effect.key.clone()).collect();
        self.notice(node, &Log { expired, ..Log::default() });
    }

    /// Sends a message of a channel to whoever hears it, as often as it does; how often that is.
    pub(super) fn push_message(&mut self, node: NodeId, message: &Message, out: &mut Trail) -> u32 {
        let heard = |seat: &Seat| seat.session.pushes(message).map(|push| (seat.lane, push)).collect();
        let mut pushes: Vec<(LaneId, Reply)> = self.seats.at(node).flat_map::<Vec<_>, _>(heard).collect();
        pushes.sort_by_key(|(lane, _)| *lane);
        let (now, count) = (self.redis(node).clocks.now(self.now), pushes.len());
        for (lane, message) in pushes {
            if self.links.get(lane).is_none_or(|lane| lane.torn.is_some()) {
                continue;
            }
            let name = self.seats.next_push(lane, node.voter);
            self.transmit(Process::Node(node), now, lane, name, Body::Push { message }, out);
        }
        count as u32
    }

    /// Answers a request that waited, unless its connection is gone.
    pub(super) fn answer_late(
        &mut self,
        node: NodeId,
        lane: LaneId,
        asked: &Asked,
        reply: Reply,
        out: &mut Trail,
    ) {
        out.unblocked = true;
        out.nodes.push(node);
        if self.links.get(lane).is_none_or(|lane| lane.torn.is_some()) {
            return;
        }
        let now = self.redis(node).clocks.now(self.now);
        let body = Body::Answer { request: asked.request, reply };
        self.transmit(Process::Node(node), now, lane, asked.name.reply(), body, out);
    }

    /// Whoever has waited long enough for an item is answered.
    pub(super) fn give_up_items(&mut self, node: NodeId, out: &mut Trail) {
        let now = self.redis(node).clocks.now(self.now).wall.unix_ms();
        for mut seat in self.seats.take_waiting(node, |until| until.is_some_and(|until| now > until)) {
            let reply = seat.session.give_up();
            if let Some(asked) = seat.asked.take() {
                self.answer_late(node, seat.lane, &asked, reply, out);
            }
            self.seats.put(seat.lane, seat.session, None);
        }
    }

    /// The server becomes a replica: whoever waits for an item is told so. Returns their connections, which break.
    pub(super) fn unblock_items(
        &mut self,
        node: NodeId,
        error: &'static str,
        out: &mut Trail,
    ) -> Vec<LaneId> {
        let seats = self.seats.take_waiting(node, |_| true);
        for seat in &seats {
            if let Some(asked) = &seat.asked {
                self.answer_late(node, seat.lane, asked, Reply::error(error), out);
            }
        }
        seats.iter().map(|seat| seat.lane).collect()
    }

    /// The first moment at which somebody has waited long enough for an item.
    pub(super) fn next_give_up_item(&self, node: NodeId) -> Option<UnixMs> {
        self.seats.at(node).filter_map(|seat| seat.session.waits_until()).min()
    }

    /// The nodes at which somebody waits for an item.
    pub(super) fn waited_at(&self) -> Vec<NodeId> {
        let waits = self.seats.iter().filter(|seat| seat.session.is_blocked());
        let mut nodes: Vec<NodeId> = waits
            .filter_map(|seat| match seat.lane.peer {
                Process::Node(node) => Some(node),
                Process::Store | Process::Client(_) => None,
            })
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Forgets what nodes keep of connections that are gone.
    pub(super) fn forget_seats(&mut self) {
        if self.seats.is_empty() {
            return;
        }
        let mut seats = std::mem::take(&mut self.seats.seats);
        seats.retain(|seat| self.is_kept(seat.lane));
        self.seats.seats = seats;
    }

    fn is_kept(&self, id: LaneId) -> bool {
        let silent = matches!(self.cut(id, Direction::Request), Some(CutHow::Hold | CutHow::BlackHole));
        match self.links.get(id) {
            Some(lane) if lane.torn.is_some() => false,
            Some(lane) if lane.state == LaneState::Abandoned => {
                silent || self.links.front(id, Direction::Request).is_some()
            }
            Some(_) => true,
            None => silent,
        }
    }
}
