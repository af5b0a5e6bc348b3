//! Who exists in a world: clients, nodes, the store; and the workers inside a client.

use std::fmt;

/// A client process; 0-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u16);

/// A voter as a core sees it, and the node behind it; 0-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VoterId(pub u8);

/// A Redis server process: the first of its voter, or one of the replicas behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId {
    /// The voter that it is, or is part of.
    pub voter: VoterId,
    /// 0 is the node that is primary at the start, `k` its `k`-th replica.
    pub member: u8,
}

/// A process of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Process {
    /// A Redis server process.
    Node(NodeId),
    /// The guarded resource.
    Store,
    /// A process that wants locks.
    Client(ClientId),
}

/// A thread of control inside a client. Workers share the client's handle and connections, and may be paused
/// one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Worker {
    /// The user's code: calls acquire and release, works, writes.
    User,
    /// The library's renewal task.
    Watchdog,
}

impl NodeId {
    /// The node that is primary of this voter at the start.
    pub const fn first(voter: VoterId) -> Self {
        Self { voter, member: 0 }
    }

    /// The `number`-th replica of this voter, counted from 1.
    pub const fn replica(voter: VoterId, number: u8) -> Self {
        Self { voter, member: number }
    }

    /// Whether it is a replica at the start.
    pub const fn is_replica(self) -> bool {
        self.member > 0
    }
}

impl From<VoterId> for NodeId {
    fn from(voter: VoterId) -> Self {
        Self::first(voter)
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "client-{}", u32::from(self.0) + 1)
    }
}

impl fmt::Display for VoterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node-{}", u16::from(self.0) + 1)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.member {
            0 => self.voter.fmt(f),
            number => write!(f, "replica-{}.{number}", u16::from(self.voter.0) + 1),
        }
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(node) => node.fmt(f),
            Self::Store => f.write_str("store"),
            Self::Client(client) => client.fmt(f),
        }
    }
}

impl fmt::Display for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User => "user",
            Self::Watchdog => "watchdog",
        })
    }
}
