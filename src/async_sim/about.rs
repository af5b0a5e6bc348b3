//! What is said of a lock that nobody here wrote: its key, its times, its quorum. Bounds and oracles rest on it.
//!
//! TTL, quorum and node timeout that are not said are those of the scenario's terms. What rests on more is left open: without
//! the longest time of a call *stuck* and *unavailable* are never judged, without a renewal *silent-loss* is not. Must
//! not describe how the lock works.

use crate::lock::{CoreTraits, Described, KeyRole, LockKey, Recognised, Terms, Ttl};
use crate::name::{ClientId, Name, Process};
use crate::plan::{Fault, PauseKind, PauseScope, Plan, When};
use crate::time::{ClockKind, Span};
use crate::world::Setup;
use bytes::Bytes;
use std::time::Duration;

/// The key of the lock, made from that of the resource.
pub(super) type KeyOf = dyn Fn(&str) -> String + Sync + Send;

/// The description.
pub(super) struct About {
    pub(super) name: &'static str,
    pub(super) key: Box<KeyOf>,
    pub(super) ttl: Option<Span>,
    pub(super) quorum: Option<u8>,
    pub(super) renewal: Option<Span>,
    pub(super) node_timeout: Option<Span>,
    pub(super) call_max: Option<Span>,
    pub(super) fenced: bool,
    pub(super) wall: WallClock,
    /// Its code blocks.
    pub(super) blocks: bool,
    /// The cores that code drives from outside lend their eyes and their description.
    pub(super) cores: bool,
}

/// Whether the code reads the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WallClock {
    /// It may: its wall clock runs as its monotonic clock does, and no fault may part them.
    Read,
    /// It does not: what happens to its wall clock is nothing to it.
    Unread,
}

impl About {
    pub(super) fn new() -> Self {
        Self {
            name: "code under test",
            key: Box::new(str::to_owned),
            ttl: None,
            quorum: None,
            renewal: None,
            node_timeout: None,
            call_max: None,
            fenced: false,
            wall: WallClock::Read,
            blocks: false,
            cores: false,
        }
    }

    /// The key of the lock in the nodes.
    pub(super) fn key(&self, resource: &Bytes) -> Bytes {
        Bytes::from((self.key)(&String::from_utf8_lossy(resource)))
    }

    /// The lock of each client.
    pub(super) fn locks(&self, setup: &Setup) -> Vec<Described> {
        let shipped = crate::sim::cores(setup);
        let terms = crate::sim::terms(setup);
        let each = terms.iter().zip(shipped).map(|(terms, core)| match self.cores {
            true => {
                let traits = crate::lock::LockCore::describe(&core);
                Described::new(traits, Recognised::By(Box::new(core)))
            }
            false => Described::new(self.traits(terms), Recognised::ByText),
        });
        each.collect()
    }

    fn traits(&self, terms: &Terms) -> CoreTraits {
        let plain = terms.traits(self.name);
        CoreTraits {
            keys: vec![LockKey { key: self.key(&terms.key), role: KeyRole::Hold }],
            quorum: self.quorum.unwrap_or(plain.quorum),
            ttl: self.ttl.map_or(plain.ttl, Ttl::Of),
            basis: None,
            fenced: self.fenced,
            renewal: self.renewal,
            node_timeout: self.node_timeout.unwrap_or(plain.node_timeout),
            call_max: self.call_max.unwrap_or(CoreTraits::ENDLESS),
            ..plain
        }
    }

    /// Whether the fault strikes a client directly after a point of another client's code.
    fn runs_ahead(&self, fault: &Fault, when: When, clients: usize) -> bool {
        let When::After(Name::Point(point)) = when else { return false };
        let target = match fault {
            Fault::Pause { scope: PauseScope::Process(Process::Client(client)), .. }
            | Fault::ClockStep { process: Process::Client(client), .. }
            | Fault::ClockRate { process: Process::Client(client), .. }
            | Fault::ClockFreeze { process: Process::Client(client), .. }
            | Fault::Crash { client }
            | Fault::Cancel { client } => *client,
            Fault::Pause { .. }
            | Fault::Kill { .. }
            | Fault::ClockStep { .. }
            | Fault::ClockRate { .. }
            | Fault::ClockFreeze { .. }
            | Fault::Cut { .. }
            | Fault::Slow { .. }
            | Fault::Evict { .. }
            | Fault::LateTimer { .. }
            | Fault::ErrorReply { .. }
            | Fault::FlushScripts { .. }
            | Fault::Promote { .. }
            | Fault::Demote { .. }
            | Fault::Lag { .. } => return false,
        };
        target != point.client && usize::from(target.0) < clients
    }

    /// What of this plan code outside of the world cannot suffer.
    pub(super) fn unfit(&self, plan: &Plan, clients: usize) -> Option<String> {
        let here = |client: ClientId| usize::from(client.0) < clients;
        let of = |process: &Process| match process {
            Process::Client(client) if here(*client) => Some(*client),
            Process::Client(_) | Process::Node(_) | Process::Store => None,
        };
        let one_clock = "its wall clock and its monotonic clock are one here; say `.wall_clock_unread()` if its code \
                         never looks at the wall clock";
        let unread = self.wall == WallClock::Unread;
        plan.faults.iter().find_map(|planned| match &planned.fault {
            fault if self.runs_ahead(fault, planned.when, clients) => Some(format!(
                "a fault of one client directly after what the code of another does ({}): code is let run up to the next \
                 message of the world; name a message instead",
                fault.kind().text()
            )),
            Fault::Cancel { client } if here(*client) && self.blocks => {
                Some(format!("a call of {client} that is given up: its code blocks, and nobody can drop what it waits for"))
            }
            Fault::Pause { scope: PauseScope::Worker(client, worker), .. } if here(*client) => Some(format!(
                "a pause of the {worker} worker of {client}: which of its tasks that is, nobody knows"
            )),
            Fault::LateTimer { process, .. } if of(process).is_some() => {
                Some(format!("late timers of {process}: its timers are its runtime's"))
            }
            Fault::Pause { scope: PauseScope::Process(process), kind: PauseKind::Suspend }
                if of(process).is_some() && !unread =>
            {
                Some(format!("a suspend of {process}: {one_clock}"))
            }
            Fault::ClockStep { process, clock, .. } | Fault::ClockFreeze { process, clock }
                if of(process).is_some() && !unread =>
            {
                Some(format!("a step or freeze of the {} clock of {process}: {one_clock}", name(*clock)))
            }
            Fault::ClockRate { process, clocks, .. }
                if of(process).is_some() && clocks.len() == 1 && !unread =>
            {
                Some(format!("a rate of one clock of {process}: {one_clock}"))
            }
            Fault::Pause { .. }
            | Fault::Crash { .. }
            | Fault::Kill { .. }
            | Fault::ClockStep { .. }
            | Fault::ClockRate { .. }
            | Fault::ClockFreeze { .. }
            | Fault::Cut { .. }
            | Fault::Slow { .. }
            | Fault::Evict { .. }
            | Fault::LateTimer { .. }
            | Fault::ErrorReply { .. }
            | Fault::FlushScripts { .. }
            | Fault::Promote { .. }
            | Fault::Demote { .. }
            | Fault::Cancel { .. }
            | Fault::Lag { .. } => None,
        })
    }
}

fn name(clock: ClockKind) -> &'static str {
    match clock {
        ClockKind::Mono => "monotonic",
        ClockKind::Wall => "wall",
    }
}

/// Whole microseconds, rounded down.
pub(super) fn span(time: Duration) -> Span {
    Span(i64::try_from(time.as_micros()).unwrap_or(i64::MAX))
}
