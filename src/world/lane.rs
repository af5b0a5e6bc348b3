//! Links: per connection and direction a FIFO queue of messages in flight.
//!
//! All queues lie in one list, because most are empty and a state of a prover is copied often.
//! A reconnect opens another lane; what was sent on the old one may still arrive. A lane knows nothing of
//! time: the explorer files when its first message is due. Cuts live in `fault.rs`.

use super::driver::Handshakes;
use crate::canon::{Canon, IdKind};
use crate::history::LostWhy;
use crate::lock::{ConnectionId, RequestId};
use crate::name::{
    CallId, ClientId, CommandName, Direction, GrantId, MessageName, NodeId, Nonce, Operation, Process, Route,
    VoterId,
};
use crate::resp::{Command, Reply};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// One connection of one client to one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneId {
    /// The client.
    pub client: ClientId,
    /// The server.
    pub peer: Process,
    /// Which of the client's connections to it.
    pub connection: ConnectionId,
    /// The client's incarnation. Before the number: lanes between the same two are sorted by age.
    pub incarnation: u16,
    /// Counts the handshakes of this connection with the peer's voter over the incarnation; 1 is the first.
    pub number: u32,
}

/// One message in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    /// Where it queues; which way is the direction of its name.
    pub(crate) lane: LaneId,
    pub(crate) name: MessageName,
    /// Identifies it within the run.
    pub(crate) serial: u32,
    pub(crate) body: Body,
    /// How many ticks it still waits, for explorers that count; the seeded explorer leaves it 0.
    pub(crate) wait: u8,
}

/// What a message carries.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Body {
    /// A client asks a node's kernel for a connection.
    Connect,
    /// The connection is open.
    Accept,
    /// It could not be opened. A notice.
    Refuse,
    /// It broke. A notice.
    Reset,
    /// A command, on behalf of an acquire call.
    Command { request: RequestId, command: Command, by: CallId },
    /// Its answer.
    Answer { request: RequestId, reply: Reply },
    /// A message of a channel, which no request asked for.
    Push { message: Reply },
    /// A request to the store.
    StoreRequest(StoreRequest),
    /// Its answer, and with which grant it was asked.
    StoreAnswer { grant: GrantId, answer: StoreAnswer },
}

/// What the store is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StoreRequest {
    pub(crate) grant: GrantId,
    pub(crate) nonce: Nonce,
    pub(crate) fence: Option<i64>,
    pub(crate) ask: Ask,
}

/// The kinds of store request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ask {
    Claim,
    Read,
    /// How often was this done?
    Look {
        item: u32,
    },
    Write,
    /// Buy one item, having read this stock.
    Buy {
        read: i64,
    },
    /// Record this as done.
    Run {
        item: u32,
    },
}

/// What the store answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StoreAnswer {
    Claimed,
    Stock(i64),
    /// It was done so often.
    Times(u32),
    Written,
    Refused,
}

/// The state of one connection as its client sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LaneState {
    /// The handshake is under way.
    Opening,
    /// Commands can be sent.
    Open,
    /// The client has let go of it; what it sent may still arrive, answers are dropped.
    Abandoned,
}

/// One connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) id: LaneId,
    pub(crate) state: LaneState,
    /// Set once its server's end is gone: what reaches it afterwards is lost for this reason.
    pub(crate) torn: Option<LostWhy>,
    /// The place of the server's stream after the last command of this connection.
    pub(crate) offset: u32,
    pub(crate) carries: Carries,
}

/// What a connection is made of, for its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carries {
    /// Messages: each may be lost alone, for its client knows which is which.
    Messages,
    /// Bytes in order: nothing arrives that was sent after what was lost, or a reply would be taken for another's.
    Bytes,
}

/// All connections, sorted by id, and what is in flight on them: by lane, requests before replies, then by age.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Links {
    lanes: Vec<Lane>,
    packets: Vec<Packet>,
    /// Which way connections that carry bytes have lost some, and why.
    gaps: Vec<(LaneId, Direction, LostWhy)>,
}

impl LaneId {
    /// The id in one word, in the order client, peer (nodes before the store), connection, incarnation, number:
    /// comparing it is most of what finding a lane costs.
    fn word(&self) -> u128 {
        let peer = match self.peer {
            Process::Node(node) => u128::from(node.voter.0) << 8 | u128::from(node.member),
            Process::Store => 1 << 16,
            Process::Client(client) => 1 << 17 | u128::from(client.0),
        };
        u128::from(self.client.0) << 96
            | peer << 64
            | u128::from(self.connection.0) << 48
            | u128::from(self.incarnation) << 32
            | u128::from(self.number)
    }
}

impl Hash for LaneId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let word = self.word();
        state.write_u64((word >> 64) as u64);
        state.write_u64(word as u64);
    }
}

impl PartialOrd for LaneId {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for LaneId {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.word().cmp(&other.word())
    }
}

impl LaneId {
    /// What the handshake of this connection is about.
    pub(crate) fn handshake(&self, voter: VoterId) -> Route {
        let (connection, number) = (self.connection.0, self.number);
        match connection {
            0 => Route::Connect { voter, number },
            _ => Route::Further { voter, connection, number },
        }
    }
}

impl Body {
    /// Whether it is no message but what a kernel says of a connection. It has no name of its own, so no record
    /// and no directive; a cut that resets lets it through, for that is how both sides are told.
    pub(crate) fn is_notice(&self) -> bool {
        matches!(self, Self::Refuse | Self::Reset)
    }
}

impl Hash for Packet {
    /// In few words.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { lane, name, serial, body, wait } = self;
        state.write_u64(u64::from(*serial) << 8 | u64::from(*wait));
        lane.hash(state);
        name.hash(state);
        body.hash(state);
    }
}

impl Hash for Lane {
    /// In few words: most of a system are its lanes.
    fn hash<H: Hasher>(&self, state: &mut H) {
        // What it carries never changes.
        let Self { id, state: stage, torn, offset, carries: _ } = *self;
        let torn = torn.map_or(0, |why| 1 + why as u64);
        id.hash(state);
        state.write_u64(u64::from(offset) << 16 | torn << 8 | stage as u64);
    }
}

impl Links {
    pub(crate) fn get(&self, id: LaneId) -> Option<&Lane> {
        self.lanes.binary_search_by_key(&id, |lane| lane.id).ok().map(|index| &self.lanes[index])
    }

    pub(crate) fn get_mut(&mut self, id: LaneId) -> Option<&mut Lane> {
        self.lanes.binary_search_by_key(&id, |lane| lane.id).ok().map(|index| &mut self.lanes[index])
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Lane> {
        self.lanes.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.lanes.iter_mut()
    }

    /// What the client uses for this connection with this peer, if it has not let go of it.
    pub(crate) fn current(&self, client: ClientId, peer: Process, connection: ConnectionId) -> Option<&Lane> {
        let mut own = self.used(client, peer);
        own.find(|lane| lane.id.connection == connection)
    }

    /// Everything that the client uses with this peer.
    pub(crate) fn used(&self, client: ClientId, peer: Process) -> impl Iterator<Item = &Lane> {
        let from = self.lanes.partition_point(|lane| (lane.id.client, lane.id.peer) < (client, peer));
        let own = self.lanes[from..].iter().take_while(move |l| (l.id.client, l.id.peer) == (client, peer));
        own.filter(|lane| lane.state != LaneState::Abandoned)
    }

    pub(crate) fn open(&mut self, id: LaneId, state: LaneState) {
        let at = self.lanes.partition_point(|lane| lane.id < id);
        self.lanes.insert(at, Lane { id, state, torn: None, offset: 0, carries: Carries::Messages });
    }

    /// Something that was sent this way on this connection was lost; whether that concerns what was sent behind it.
    pub(crate) fn note_lost(&mut self, id: LaneId, direction: Direction, why: LostWhy) -> bool {
        let bytes = self.get(id).is_some_and(|lane| lane.carries == Carries::Bytes);
        if bytes && self.gap(id, direction).is_none() {
            self.gaps.push((id, direction, why));
        }
        bytes
    }

    /// Why nothing arrives that is sent this way on this connection, if something before it was lost.
    pub(crate) fn gap(&self, id: LaneId, direction: Direction) -> Option<LostWhy> {
        let gap = self.gaps.iter().find(|(lane, way, _)| (*lane, *way) == (id, direction));
        gap.map(|(.., why)| *why)
    }

    /// Everything in flight, lane by lane.
    pub(crate) fn packets(&self) -> &[Packet] {
        &self.packets
    }

    /// Everything in flight, to change in place. Where a message queues must stay as it is.
    pub(crate) fn packets_mut(&mut self) -> &mut [Packet] {
        &mut self.packets
    }

    /// The first message of this lane in this direction.
    pub(crate) fn front(&self, lane: LaneId, direction: Direction) -> Option<&Packet> {
        self.packets.iter().find(|packet| packet.queue() == (lane, direction))
    }

    /// Takes the first message of this lane in this direction.
    pub(crate) fn pop(&mut self, lane: LaneId, direction: Direction) -> Option<Packet> {
        let at = self.packets.iter().position(|packet| packet.queue() == (lane, direction))?;
        Some(self.packets.remove(at))
    }

    /// Queues a message, if its lane is still known; says whether it is.
    pub(crate) fn push(&mut self, packet: Packet) -> bool {
        if self.get(packet.lane).is_none() {
            return false;
        }
        let at = self.packets.partition_point(|known| known.queue() <= packet.queue());
        self.packets.insert(at, packet);
        true
    }

    /// Takes out of this lane every message that `lost` picks, and lists their names.
    pub(crate) fn lose(&mut self, lane: LaneId, lost: impl Fn(&Packet) -> bool) -> Vec<MessageName> {
        let mut names = Vec::new();
        self.packets.retain(|packet| {
            let keep = packet.lane != lane || !lost(packet);
            if !keep {
                names.push(packet.name);
            }
            keep
        });
        names
    }

    /// Takes out the first message that `lost` picks.
    pub(crate) fn lose_one(&mut self, lost: impl FnMut(&Packet) -> bool) {
        if let Some(at) = self.packets.iter().position(lost) {
            self.packets.remove(at);
        }
    }

    /// Whether nobody uses this lane and nothing travels on it.
    fn is_spent(&self, lane: &Lane) -> bool {
        lane.state == LaneState::Abandoned && self.packets.iter().all(|packet| packet.lane != lane.id)
    }

    /// Forgets lanes that nobody uses and nothing travels on.
    pub(crate) fn sweep(&mut self) {
        if self.lanes.iter().any(|lane| self.is_spent(lane)) {
            let spent: Vec<_> =
                self.lanes.iter().filter(|lane| self.is_spent(lane)).map(|lane| lane.id).collect();
            self.lanes.retain(|lane| !spent.contains(&lane.id));
            self.gaps.retain(|(lane, ..)| !spent.contains(lane));
        }
    }

    /// The grants that messages to the store refer to.
    pub(crate) fn grants(&self) -> impl Iterator<Item = GrantId> {
        self.packets.iter().filter_map(|packet| match &packet.body {
            Body::StoreRequest(request) => Some(request.grant),
            Body::StoreAnswer { grant, .. } => Some(*grant),
            Body::Connect
            | Body::Accept
            | Body::Refuse
            | Body::Reset
            | Body::Command { .. }
            | Body::Push { .. }
            | Body::Answer { .. } => None,
        })
    }

    /// The number that this lane gets in canonical form, before any is rewritten; `None` if it is gone or was given up.
    pub(crate) fn canonical_number(&self, id: LaneId) -> Option<u32> {
        self.rank(id).filter(|_| self.is_used(id))
    }

    /// Whether its client has not let go of this lane.
    pub(crate) fn is_used(&self, id: LaneId) -> bool {
        self.get(id).is_some_and(|lane| lane.state != LaneState::Abandoned)
    }

    /// The same of any lane that is there: what was sent on one that was given up may still arrive.
    pub(crate) fn rank(&self, id: LaneId) -> Option<u32> {
        self.get(id)?;
        let ends = |id: LaneId| (id.client, end(id.peer), id.connection);
        let own = |lane: &&Lane| ends(lane.id) == ends(id) && lane.id <= id;
        Some(self.lanes.iter().filter(own).count() as u32)
    }

    /// Lanes of one connection are numbered from 1, whichever life of the client opened them.
    pub(crate) fn canonical(&mut self, canon: &mut Canon) {
        if canon.reorders_voters() {
            let lanes = self.lanes.iter_mut().map(|lane| &mut lane.id);
            for id in lanes.chain(self.packets.iter_mut().map(|packet| &mut packet.lane)) {
                if let Process::Node(NodeId { voter, member: _ }) = &mut id.peer {
                    canon.voter(voter);
                }
            }
            self.lanes.sort_by_key(|lane| lane.id);
            self.packets.sort_by_key(Packet::queue);
        }
        let mut packets = self.packets.iter_mut().peekable();
        let mut ends = None;
        // How many lanes there were so far between the same two, by connection.
        let mut numbers: SmallVec<[(ConnectionId, u32); 2]> = SmallVec::new();
        for lane in &mut self.lanes {
            let own = Some((lane.id.client, end(lane.id.peer)));
            if own != ends {
                numbers.clear();
            }
            ends = own;
            let known = numbers.iter_mut().find(|(connection, _)| *connection == lane.id.connection);
            let number = match known {
                Some((_, number)) => {
                    *number += 1;
                    *number
                }
                None => {
                    numbers.push((lane.id.connection, 1));
                    1
                }
            };
            let old = lane.id;
            (lane.id.number, lane.id.incarnation) = (number, 1);
            while let Some(packet) = packets.next_if(|packet| packet.lane == old) {
                packet.lane = lane.id;
                packet.canonical(lane.state, canon);
            }
        }
    }

    /// Whether a command that may write this call's key is still on its way to a node.
    pub(crate) fn writes(&self, call: CallId, scripted: bool) -> bool {
        let writes = |name: MessageName| match name.route {
            Route::Command { operation: Operation::Acquire, command, .. } => match command {
                CommandName::Set | CommandName::Setnx => true,
                CommandName::Eval | CommandName::Evalsha => scripted,
                CommandName::Del
                | CommandName::Delex
                | CommandName::Exec
                | CommandName::Expire
                | CommandName::Get
                | CommandName::Multi
                | CommandName::Pexpire
                | CommandName::Role
                | CommandName::Ttl
                | CommandName::Unwatch
                | CommandName::Wait
                | CommandName::Watch
                | CommandName::Other => false,
            },
            Route::Command { .. }
            | Route::Connect { .. }
            | Route::Further { .. }
            | Route::Push { .. }
            | Route::Store { .. } => false,
        };
        self.packets.iter().any(|packet| match packet.body {
            Body::Command { by, .. } => by == call && writes(packet.name),
            Body::Connect
            | Body::Accept
            | Body::Refuse
            | Body::Reset
            | Body::Answer { .. }
            | Body::Push { .. }
            | Body::StoreRequest(_)
            | Body::StoreAnswer { .. } => false,
        })
    }

    /// The largest number of a lane of each connection that this client has.
    pub(crate) fn numbers(&self, client: ClientId) -> Handshakes {
        let mut numbers = Handshakes::new();
        for lane in self.lanes.iter().filter(|lane| lane.id.client == client) {
            let Some(voter) = end(lane.id.peer) else { continue };
            let own = (voter, lane.id.connection);
            match numbers.iter_mut().rev().find(|known| (known.0, known.1) == own) {
                Some((_, _, number)) => *number = lane.id.number.max(*number),
                None => numbers.push((voter, lane.id.connection, lane.id.number)),
            }
        }
        numbers
    }
}

/// The voter that a message is to or from; `None` of the store's.
pub(crate) fn voter_of(route: &mut Route) -> Option<&mut VoterId> {
    match route {
        Route::Connect { voter, .. }
        | Route::Further { voter, .. }
        | Route::Push { voter, .. }
        | Route::Command { voter, .. } => Some(voter),
        Route::Store { .. } => None,
    }
}

/// The voter at the end of a lane; `None` for the store.
fn end(peer: Process) -> Option<VoterId> {
    match peer {
        Process::Node(node) => Some(node.voter),
        Process::Store | Process::Client(_) => None,
    }
}

impl Packet {
    /// Where it queues: the lane, and the way.
    pub(crate) fn queue(&self) -> (LaneId, Direction) {
        (self.lane, self.name.direction)
    }

    /// A wait that is yet to be decided.
    pub(crate) const UNDECIDED: u8 = u8::MAX;
    /// The bit of a wait that says that the message is later than its bound.
    pub(crate) const LATE: u8 = 1 << 7;

    /// A name's numbers and the serial decide nothing in a state, so they vanish.
    fn canonical(&mut self, lane: LaneState, canon: &mut Canon) {
        self.serial = 0;
        self.name = self.name.unnumbered();
        if let Some(voter) = voter_of(&mut self.name.route) {
            canon.voter(voter);
        }
        let client = self.name.client;
        match &mut self.body {
            Body::Connect | Body::Accept | Body::Refuse | Body::Reset => {}
            Body::StoreAnswer { grant, answer: _ } => canon.grant(grant),
            Body::Command { request, command, by } => {
                canonical_request(request, lane, client, canon);
                command.replace(|word| canon.renamed(word));
                canon.call(by);
            }
            Body::Answer { request, reply } => {
                canonical_request(request, lane, client, canon);
                canonical_reply(reply, canon);
            }
            Body::Push { message } => canonical_reply(message, canon),
            Body::StoreRequest(request) => {
                canon.grant(&mut request.grant);
                canon.nonce(&mut request.nonce);
            }
        }
    }
}

/// Nobody hears an answer on a connection that was let go of, so nobody compares its request with others.
fn canonical_request(request: &mut RequestId, lane: LaneState, client: ClientId, canon: &mut Canon) {
    match lane {
        LaneState::Opening | LaneState::Open => canon.id(IdKind::Request(client), &mut request.0),
        LaneState::Abandoned => request.0 = 0,
    }
}

/// An answer may carry a nonce anywhere.
pub(crate) fn canonical_reply(reply: &mut Reply, canon: &mut Canon) {
    match reply {
        Reply::Status(text) | Reply::Bulk(text) | Reply::Verbatim { text, .. } => canon.bytes(text),
        Reply::Array(parts) | Reply::Set(parts) | Reply::Push(parts) | Reply::Several(parts) => {
            parts.iter_mut().for_each(|part| canonical_reply(part, canon));
        }
        Reply::Map(pairs) => {
            for (key, value) in pairs {
                canonical_reply(key, canon);
                canonical_reply(value, canon);
            }
        }
        Reply::Error(_)
        | Reply::Int(_)
        | Reply::Null
        | Reply::NullArray
        | Reply::Double(_)
        | Reply::Bool(_)
        | Reply::BigNumber(_) => {}
    }
}
