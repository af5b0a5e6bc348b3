//! Who exists in a world: clients, nodes, the store; and the workers inside a client.

use std::fmt;

/// A client process; 0-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u16);

/// A voter as a core sees it, and the node behind it; 0-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VoterId(pub u8);

/// A process of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Process {
    /// A Redis server process.
    Node(VoterId),
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
