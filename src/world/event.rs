//! What an explorer can let happen next.

use super::lane::LaneId;
use crate::history::Record;
use crate::lock::{Draw, RequestId, WakeReason};
use crate::name::{ClientId, Direction, MessageName, Name};
use crate::plan::MessageFate;
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

/// What one call of `advance` or `step` left behind for the explorer.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// What happened, in order.
    pub records: Vec<Record>,
    /// What was sent, in order.
    pub sent: Vec<Sent>,
    /// The names of messages handled and points reached, in order: what faults can come after.
    pub names: Vec<Name>,
    /// Clients whose timers may have changed.
    pub touched: Vec<ClientId>,
    /// Whether something that was blocked may have become enabled, or clocks have changed.
    pub unblocked: bool,
}

impl Trail {
    /// Empties it, keeping its memory.
    pub fn clear(&mut self) {
        self.records.clear();
        self.sent.clear();
        self.names.clear();
        self.touched.clear();
        self.unblocked = false;
    }
}

/// Where nonces and jitter come from: the explorer.
pub trait Draws {
    /// A nonce that nobody has, and jitter, for this client.
    fn draw(&mut self, client: ClientId) -> Draw;
}
