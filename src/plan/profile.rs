//! A profile: a distribution over plans, as a list of hazards on slots.
//!
//! Data only: whoever has a seed draws from it. A hazard aims at every slot of its class independently; what a
//! slot suffers depends on seed, hazard and slot, never on how many slots there are. So rows of different size
//! face the same faults, and a fault at an absent target is one that is never drawn.

use super::{CutHow, Death, PauseKind, Quantiles, WayCut};
use crate::name::{ClientId, NodeId, Process, VoterId};
use crate::time::{ClockKind, WorldTime};
use bytes::Bytes;

/// A distribution over plans.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// One line: what goes wrong.
    pub title: String,
    /// Faults begin from here on.
    pub from: WorldTime,
    /// None begins at this time or later.
    pub to: WorldTime,
    /// The latency of one message, one way, in microseconds, instead of the scenario's.
    pub latency: Option<Quantiles>,
    /// What may go wrong, each independently of the others.
    pub hazards: Vec<Hazard>,
}

/// Something that goes wrong again and again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hazard {
    /// What happens.
    pub harm: Harm,
    /// How often, at each of its targets.
    pub pace: Pace,
}

/// How often something goes wrong at one target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pace {
    /// Once, at the beginning of the window; what has a length lasts for the whole window.
    Window,
    /// Milliseconds from the beginning of the window to the first, and from the beginning of each to the next; but
    /// none begins before the one before has ended.
    Every(Quantiles),
}

/// What happens. Lengths and sizes are distributions: `lasts` in milliseconds, drawn values below 1 count as 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Harm {
    /// A whole process stands still.
    Pause {
        /// Whose.
        of: Class,
        /// What its clocks do.
        kind: PauseKind,
        /// How long.
        lasts: Quantiles,
    },
    /// A client dies and starts again.
    Crash {
        /// Which.
        of: Class,
        /// How long it is gone.
        lasts: Quantiles,
    },
    /// A node ends and starts again.
    Kill {
        /// Which.
        of: Class,
        /// How.
        death: Death,
        /// How long it is down.
        lasts: Quantiles,
    },
    /// A wall clock steps.
    ClockStep {
        /// Whose.
        of: Class,
        /// Milliseconds, forward or back; a step by 0 does not happen.
        by: Quantiles,
    },
    /// Clocks run fast or slow.
    ClockRate {
        /// Whose.
        of: Class,
        /// Which of its clocks.
        clocks: Vec<ClockKind>,
        /// Parts per million; a rate error of 0 does not happen.
        ppm: Quantiles,
        /// How long; `None` at the pace of the window.
        lasts: Option<Quantiles>,
    },
    /// A clock stands still.
    ClockFreeze {
        /// Whose.
        of: Class,
        /// Which of its clocks.
        clock: ClockKind,
        /// How long.
        lasts: Quantiles,
    },
    /// Two sides cannot talk.
    Cut {
        /// Which sides.
        between: Between,
        /// Which way.
        way: WayCut,
        /// What becomes of the bytes.
        how: CutHow,
        /// How long.
        lasts: Quantiles,
    },
    /// A node is slow.
    Slow {
        /// Which.
        of: Class,
        /// Milliseconds, one way.
        by: Quantiles,
        /// How long.
        lasts: Quantiles,
    },
    /// A node evicts the lock's own key.
    Evict {
        /// Which.
        of: Class,
    },
    /// A node forgets its scripts.
    FlushScripts {
        /// Which.
        of: Class,
    },
    /// Timers of a client are late.
    LateTimer {
        /// Whose.
        of: Class,
        /// Milliseconds.
        by: Quantiles,
        /// How long.
        lasts: Quantiles,
    },
    /// A node answers with errors.
    ErrorReply {
        /// Which.
        of: Class,
        /// The text.
        text: Bytes,
        /// How long.
        lasts: Quantiles,
    },
    /// A replica gets its stream later.
    Lag {
        /// Which.
        of: Class,
        /// Milliseconds.
        by: Quantiles,
        /// How long; `None` at the pace of the window.
        lasts: Option<Quantiles>,
    },
    /// A primary is replaced by its replica: recorded as a kill, a promotion and a demotion.
    Failover(Failover),
    /// So many nodes, chosen by the seed, are down for the whole window. They are chosen among
    /// [`Slots::UNIVERSE`] nodes, or all if there are more.
    Down {
        /// How many.
        count: u8,
    },
}

/// How a primary is replaced. The member that is primary changes each time.
///
/// Where there is no replica, a killed primary is down all the same and nobody takes over; one that is only
/// thought dead goes on, and nothing happens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Failover {
    /// What is the matter with the old primary.
    pub old: OldPrimary,
    /// Milliseconds from its death, or from the false alarm, to the promotion.
    pub detect: Quantiles,
    /// Milliseconds from the promotion to the moment a client addresses the new primary, drawn for each client.
    pub learn: Quantiles,
    /// Milliseconds from the promotion to the demotion of the old primary; never before it is back.
    pub demote: Quantiles,
}

/// What is the matter with a primary that is replaced.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OldPrimary {
    /// It was killed, and is down for so many milliseconds.
    Killed(Quantiles),
    /// Nothing: the alarm is false, and it goes on until it is demoted.
    Alive,
}

/// Whom a hazard aims at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Every client.
    Clients,
    /// Every voter's first node.
    Nodes,
    /// The first replica of every voter that has one.
    Replicas,
    /// This process alone.
    One(Process),
}

/// Which sides a cut separates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Between {
    /// One client and one node; every pair is a target.
    ClientNode,
    /// One client and all nodes; every client is a target.
    ClientAllNodes,
    /// One node and all clients; every node is a target.
    NodeAllClients,
    /// A node and its replica; every voter with a replica is a target.
    NodeReplica,
    /// One client and the store; every client is a target.
    ClientStore,
}

/// How many targets of each sort there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slots {
    /// Clients.
    pub clients: u16,
    /// Voters.
    pub nodes: u8,
    /// Voters, from the first on, that have a replica.
    pub replicated: u8,
}

impl Slots {
    /// What a profile is written for, and what choices among nodes are made in.
    pub const UNIVERSE: Self = Self { clients: 8, nodes: 5, replicated: 5 };
}

impl Profile {
    /// Whether anything of it can come about where there are these targets. Nothing at all always does.
    pub fn can_hit(&self, slots: Slots) -> bool {
        let nothing = self.latency.is_none() && self.hazards.is_empty();
        nothing || self.latency.is_some() || self.hazards.iter().any(|hazard| hazard.harm.can_hit(slots))
    }
}

impl Harm {
    fn can_hit(&self, slots: Slots) -> bool {
        match self {
            Self::Pause { of, .. }
            | Self::Crash { of, .. }
            | Self::Kill { of, .. }
            | Self::ClockStep { of, .. }
            | Self::ClockRate { of, .. }
            | Self::ClockFreeze { of, .. }
            | Self::Slow { of, .. }
            | Self::Evict { of }
            | Self::FlushScripts { of }
            | Self::LateTimer { of, .. }
            | Self::ErrorReply { of, .. }
            | Self::Lag { of, .. } => of.is_in(slots),
            Self::Cut { between, .. } => between.is_in(slots),
            Self::Failover(Failover { old: OldPrimary::Killed(_), .. }) | Self::Down { .. } => {
                slots.nodes > 0
            }
            Self::Failover(Failover { old: OldPrimary::Alive, .. }) => slots.replicated > 0,
        }
    }
}

impl Class {
    /// The targets that there are, in the order of their slots.
    pub fn targets(self, slots: Slots) -> Vec<Process> {
        let voters = |count: u8| (0..count).map(VoterId);
        match self {
            Self::Clients => (0..slots.clients).map(|client| Process::Client(ClientId(client))).collect(),
            Self::Nodes => voters(slots.nodes).map(|voter| Process::Node(NodeId::first(voter))).collect(),
            Self::Replicas => {
                voters(slots.replicated).map(|voter| Process::Node(NodeId::replica(voter, 1))).collect()
            }
            Self::One(process) => {
                let exists = match process {
                    Process::Client(client) => client.0 < slots.clients,
                    Process::Node(NodeId { voter, member: 0 }) => voter.0 < slots.nodes,
                    Process::Node(NodeId { voter, member }) => member == 1 && voter.0 < slots.replicated,
                    Process::Store => true,
                };
                exists.then_some(process).into_iter().collect()
            }
        }
    }

    fn is_in(self, slots: Slots) -> bool {
        !self.targets(slots).is_empty()
    }
}

impl Between {
    fn is_in(self, slots: Slots) -> bool {
        match self {
            Self::ClientNode | Self::ClientAllNodes | Self::NodeAllClients => {
                slots.clients > 0 && slots.nodes > 0
            }
            Self::NodeReplica => slots.replicated > 0,
            Self::ClientStore => slots.clients > 0,
        }
    }
}
