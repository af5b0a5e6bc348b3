//! What is due when, and in which order at one instant.
//!
//! The order is ours: fault ends, fault begins, nodes, store, clients, each by index; within a process
//! messages by connection, then due timers. Must not know whether an event is still enabled.

use crate::name::{Direction, MessageName, Process};
use crate::plan::OrderTerm;
use crate::time::WorldTime;
use crate::world::{Event, GroupEvent, Way};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An event and when it is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) at: WorldTime,
    rank: Rank,
    /// Of a message its serial, of a timer the stamp under which it was filed.
    pub(crate) stamp: u32,
    pub(crate) event: Event,
}

/// The order at one instant, in one word: class, process, kind, connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(u64);

/// All filed events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    heap: BinaryHeap<Reverse<Due>>,
    /// Fault edges that are filed.
    pub(crate) faults: u32,
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |due: &Self| (due.at, due.rank, due.stamp);
        key(self).cmp(&key(other)).then_with(|| self.event.cmp(&other.event))
    }
}

impl Due {
    pub(crate) fn new(at: WorldTime, event: Event, stamp: u32) -> Self {
        Self { at, rank: rank(&event), stamp, event }
    }

    /// The same event, due at another time.
    pub(crate) fn postponed(self, at: WorldTime) -> Self {
        Self { at, ..self }
    }

    /// The process that handles it; none for faults.
    pub(crate) fn process(&self) -> Option<Process> {
        match self.event {
            Event::FaultEnd(_) | Event::FaultBegin(_) => None,
            Event::Deliver(lane, Direction::Request) => Some(lane.peer),
            Event::Deliver(lane, Direction::Reply) => Some(Process::Client(lane.client)),
            Event::Timer(client, _) | Event::Group(GroupEvent::Learn(client, _)) => {
                Some(Process::Client(client))
            }
            Event::Group(GroupEvent::Timer(node, _)) => Some(Process::Node(node)),
            Event::Group(GroupEvent::Ship(stream) | GroupEvent::Arrive(stream, Way::Back)) => {
                Some(Process::Node(stream.primary()))
            }
            Event::Group(GroupEvent::Arrive(stream, Way::Out)) => Some(Process::Node(stream.replica())),
        }
    }

    /// Whether an order directive's term means it; `name` is the message it delivers.
    pub(crate) fn is(&self, term: OrderTerm, name: Option<MessageName>) -> bool {
        match (term, self.event) {
            (OrderTerm::Messages, Event::Deliver(..) | Event::Group(GroupEvent::Arrive(..)))
            | (OrderTerm::Timers, Event::Timer(..) | Event::Group(GroupEvent::Timer(..))) => true,
            (OrderTerm::Message(wanted), Event::Deliver(..)) => name == Some(wanted),
            (
                OrderTerm::Messages | OrderTerm::Timers | OrderTerm::Message(_),
                Event::FaultEnd(_)
                | Event::FaultBegin(_)
                | Event::Deliver(..)
                | Event::Timer(..)
                | Event::Group(_),
            ) => false,
        }
    }

    fn is_fault(&self) -> bool {
        matches!(self.event, Event::FaultEnd(_) | Event::FaultBegin(_))
    }
}

fn rank(event: &Event) -> Rank {
    let of = |process: Process| match process {
        // Replicas come after the node they follow at the start.
        Process::Node(node) => (2, u32::from(node.voter.0) << 8 | u32::from(node.member)),
        Process::Store => (3, 0),
        Process::Client(client) => (4, u32::from(client.0)),
    };
    let (class, process, kind, connection) = match event {
        Event::FaultEnd(index) => (0, *index, 0, 0),
        Event::FaultBegin(index) => (1, *index, 0, 0),
        Event::Deliver(lane, Direction::Request) => {
            let (class, process) = of(lane.peer);
            (class, process, 0, lane.client.0)
        }
        Event::Deliver(lane, Direction::Reply) => {
            let (class, process) = of(Process::Client(lane.client));
            let connection = match lane.peer {
                Process::Node(node) => u16::from(node.voter.0) << 8 | u16::from(node.member),
                Process::Store | Process::Client(_) => u16::MAX,
            };
            (class, process, 0, connection)
        }
        Event::Timer(client, _) => {
            let (class, process) = of(Process::Client(*client));
            (class, process, 1, 0)
        }
        // Among the connections of a process the replication links come last, and news of a promotion after them.
        Event::Group(GroupEvent::Learn(client, _)) => {
            let (class, process) = of(Process::Client(*client));
            (class, process, 0, u16::MAX)
        }
        Event::Group(GroupEvent::Arrive(stream, way)) => {
            let (end, other) = match way {
                Way::Out => (stream.replica(), stream.primary()),
                Way::Back => (stream.primary(), stream.replica()),
            };
            let (class, process) = of(Process::Node(end));
            (class, process, 0, u16::MAX - 256 + u16::from(other.member))
        }
        Event::Group(GroupEvent::Ship(stream)) => {
            let (class, process) = of(Process::Node(stream.primary()));
            (class, process, 1, u16::from(stream.to))
        }
        Event::Group(GroupEvent::Timer(node, _)) => {
            let (class, process) = of(Process::Node(*node));
            (class, process, 1, u16::MAX)
        }
    };
    Rank(class << 56 | u64::from(process) << 24 | kind << 16 | u64::from(connection))
}

impl Queue {
    pub(crate) fn file(&mut self, due: Due) {
        self.faults += u32::from(due.is_fault());
        self.heap.push(Reverse(due));
    }

    pub(crate) fn peek(&self) -> Option<WorldTime> {
        self.heap.peek().map(|Reverse(due)| due.at)
    }

    pub(crate) fn pop(&mut self) -> Option<Due> {
        let Reverse(due) = self.heap.pop()?;
        self.faults -= u32::from(due.is_fault());
        Some(due)
    }

    /// Whether `wanted` picks any of those due by `at`.
    pub(crate) fn any(&self, at: WorldTime, wanted: impl Fn(&Due) -> bool) -> bool {
        self.heap.iter().any(|Reverse(due)| due.at <= at && wanted(due))
    }

    /// The first of those due by `at` that `wanted` picks, taken out.
    pub(crate) fn take(&mut self, at: WorldTime, wanted: impl Fn(&Due) -> bool) -> Option<Due> {
        let picked = |due: &&Due| due.at <= at && wanted(due);
        let first = self.heap.iter().map(|Reverse(due)| due).filter(picked).min().copied()?;
        self.heap.retain(|Reverse(due)| *due != first);
        self.faults -= u32::from(first.is_fault());
        Some(first)
    }
}
