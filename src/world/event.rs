//! What an explorer can let happen next.

use super::act::Arrival;
use super::lane::LaneId;
use crate::history::Record;
use crate::lock::{ConnectionId, Draw, RequestId, WakeReason};
use crate::name::{ClientId, Direction, MessageName, Name, NodeId, VoterId};
use crate::plan::{Learn, MessageFate, Quantiles};
use crate::time::Span;

/// An event. Which of those that are enabled comes next, and when, is the explorer's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// Fault `index` of the plan ends.
    FaultEnd(u32),
    /// Fault `index` of the plan begins.
    FaultBegin(u32),
    /// The first message of this lane in this direction reaches its target.
    Deliver(LaneId, Direction),
    /// A due timer of a client fires.
    Timer(ClientId, TimerKind),
    /// Something among the nodes of a voter, or between them and what clients know of them. Only deployments with
    /// replicas or files have any.
    Group(GroupEvent),
}

/// An event of a deployment whose nodes have replicas or files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupEvent {
    /// What a primary has held back longest for a replica goes on the wire.
    Ship(StreamId),
    /// The first parcel on the wire of a stream reaches its end.
    Arrive(StreamId, Way),
    /// A due timer of a node fires.
    Timer(NodeId, NodeTimer),
    /// A client learns which node of a voter it is to address.
    Learn(ClientId, VoterId),
}

/// The replication link between a primary and one of its replicas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId {
    /// Of which voter.
    pub voter: VoterId,
    /// The primary's place in it.
    pub from: u8,
    /// The replica's.
    pub to: u8,
}

/// Which way a parcel of a replication link travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// From the primary.
    Out,
    /// To the primary.
    Back,
}

/// A timer of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeTimer {
    /// Expired keys are deleted, and their deletion is shipped.
    Expire,
    /// A replica says how far it has come.
    Acknowledge,
    /// The time of a WAIT is over.
    GiveUp,
}

/// Whether a filed event of a group can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It can.
    Now,
    /// It has to wait until something is unblocked.
    Later,
    /// It has lost its object.
    Never,
}

impl StreamId {
    /// The primary.
    pub fn primary(self) -> NodeId {
        NodeId { voter: self.voter, member: self.from }
    }

    /// The replica.
    pub fn replica(self) -> NodeId {
        NodeId { voter: self.voter, member: self.to }
    }
}

/// A timer of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimerKind {
    /// The user code's next step.
    User,
    /// A wake that the core asked for.
    Wake(WakeReason),
    /// A request's end: its limit passed, its connection broke, or its answer waited for a paused worker.
    Request(RequestId),
    /// A driver with an offline queue opens a broken connection again.
    Redial(VoterId, ConnectionId),
}

/// A message that was handed to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sent {
    /// Its name.
    pub name: MessageName,
    /// Where it queues.
    pub lane: LaneId,
    /// Which way it travels.
    pub direction: Direction,
    /// Identifies it within the run, from 1.
    pub serial: u32,
    /// Added to its latency by slow nodes.
    pub extra: Span,
    /// What a directive does to its latency.
    pub fate: Option<MessageFate>,
}

/// A parcel that was handed to a replication link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shipment {
    /// Which link.
    pub stream: StreamId,
    /// Where it waits.
    pub leg: Leg,
    /// What it is, for its latency.
    pub parcel: ParcelKind,
    /// Counts such parcels of the link: of an entry its place in the stream.
    pub number: u32,
    /// Identifies it within the run.
    pub serial: u32,
    /// Held: how long. On the wire: added to its latency by slow nodes.
    pub extra: Span,
}

/// Where a parcel of a replication link waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leg {
    /// At the primary, for its lag.
    Held,
    /// On the wire.
    Wire(Way),
}

/// What a parcel of a replication link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ParcelKind {
    /// An entry of the stream.
    Entry,
    /// The primary's whole state.
    Snapshot,
    /// The primary asks how far the replica has come.
    AskAck,
    /// The primary's process is gone.
    Close,
    /// The replica asks to synchronise.
    Sync,
    /// The replica says how far it has come.
    Ack,
}

/// A client that is to learn of a promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lesson {
    /// Who.
    pub client: ClientId,
    /// Of which voter.
    pub voter: VoterId,
    /// Counts the promotions of this voter.
    pub promotion: u32,
    /// When.
    pub learn: Learn,
    /// Identifies it within the run.
    pub serial: u32,
}

/// What one call of `advance` or `step` left behind for the explorer.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// What happened, in order.
    pub records: Vec<Record>,
    /// What was sent, in order.
    pub sent: Vec<Sent>,
    /// What was handed to replication links, in order.
    pub shipped: Vec<Shipment>,
    /// Who is to learn of promotions.
    pub lessons: Vec<Lesson>,
    /// Nodes whose timers may have changed.
    pub nodes: Vec<NodeId>,
    /// The names of messages handled and points reached, in order: what faults can come after.
    pub names: Vec<Name>,
    /// Clients whose timers may have changed.
    pub touched: Vec<ClientId>,
    /// What reached clients whose code runs outside of the world, in order.
    pub arrivals: Vec<(ClientId, Arrival)>,
    /// Whether something that was blocked may have become enabled, or clocks have changed.
    pub unblocked: bool,
}

impl Trail {
    /// Empties it, keeping its memory.
    pub fn clear(&mut self) {
        self.records.clear();
        self.sent.clear();
        self.shipped.clear();
        self.lessons.clear();
        self.nodes.clear();
        self.names.clear();
        self.touched.clear();
        self.arrivals.clear();
        self.unblocked = false;
    }
}

/// What a drawn length is the length of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stretch {
    /// The work inside the section.
    Work,
    /// The wait after a cycle.
    Think,
}

/// Where nonces, jitter and lengths come from: the explorer.
pub trait Draws {
    /// A nonce that nobody has, and jitter, for this client.
    fn draw(&mut self, client: ClientId) -> Draw;

    /// How long cycle `cycle` of this client, from 0, takes at its work, or thinks after it.
    fn length(&mut self, client: ClientId, cycle: u32, stretch: Stretch, of: &Quantiles) -> Span;
}
