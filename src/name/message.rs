//! The name of a message: `client-1#1>node-3:acquire.2.set.1:request`.
//!
//! Parts: client and incarnation, target, operation and its number, command, occurrence, direction. Operations
//! are numbered per kind over the incarnation; an acquire operation is one attempt.

use super::{ClientId, NodeId, Process, VoterId};
use std::fmt;
use std::hash::{Hash, Hasher};

/// The name of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageName {
    /// The client at one end.
    pub client: ClientId,
    /// Its incarnation, 1 before its first crash.
    pub incarnation: u16,
    /// The other end and what the message is about.
    pub route: Route,
    /// Which way it travels.
    pub direction: Direction,
}

/// The other end of a message, and what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// A handshake with a node: a lane of its own, so that reconnects scramble nothing. `connect.N`.
    Connect {
        /// The node.
        voter: VoterId,
        /// Counts this client's handshakes with this node over the incarnation, from 1.
        number: u32,
    },
    /// A command of a lock operation.
    Command {
        /// The node.
        voter: VoterId,
        /// What the client was doing.
        operation: Operation,
        /// Counts operations of this kind over the incarnation, from 1.
        number: u32,
        /// The command's name.
        command: CommandName,
        /// Counts sends of this command within the operation to this voter, from 1.
        occurrence: u8,
    },
    /// A handshake over a further connection to the same node. `connect-2.N` for the second.
    Further {
        /// The node.
        voter: VoterId,
        /// Which connection: 1 is the second.
        connection: u8,
        /// Counts this client's handshakes of this connection over the incarnation, from 1.
        number: u32,
    },
    /// What a node sends without being asked, a message of a channel. Only replies. `push.N`.
    Push {
        /// The node.
        voter: VoterId,
        /// Counts what this node pushes to this client over the incarnation, from 1.
        number: u32,
    },
    /// A request to the store.
    Store {
        /// What is asked of it.
        access: StoreAccess,
        /// Counts accesses of this kind over the incarnation, from 1.
        number: u32,
    },
}

impl Hash for MessageName {
    /// In two words: a state of a prover holds many names.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { client, incarnation, route, direction } = *self;
        let (kind, voter, what, number, which) = match route {
            Route::Connect { voter, number } => (0, voter.0, 0, number, 0),
            Route::Command { voter, operation, number, command, occurrence } => {
                (1, voter.0, operation as u64, number, (command as u64) << 8 | u64::from(occurrence))
            }
            Route::Store { access, number } => (2, 0, access as u64, number, 0),
            Route::Further { voter, connection, number } => (3, voter.0, 0, number, connection.into()),
            Route::Push { voter, number } => (4, voter.0, 0, number, 0),
        };
        let ends = u64::from(client.0) << 48 | u64::from(incarnation) << 32 | u64::from(voter) << 24;
        state.write_u64(ends | what << 16 | kind << 8 | direction as u64);
        state.write_u64(which << 32 | u64::from(number));
    }
}

/// What a lock core was doing when it sent a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// An attempt to acquire, with its cleanup.
    Acquire,
    /// A prolongation, by the caller or by a watchdog.
    Extend,
    /// A release of a grant.
    Release,
    /// A remote look at whether a hold is still there.
    Check,
    /// What code outside of the world sends when no operation of its lock is under way: to set a connection up, for
    /// example.
    Aside,
}

/// The command a message carries, as far as names go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandName {
    /// DEL
    Del,
    /// DELEX
    Delex,
    /// EVAL
    Eval,
    /// EVALSHA
    Evalsha,
    /// EXEC
    Exec,
    /// EXPIRE
    Expire,
    /// GET
    Get,
    /// MULTI
    Multi,
    /// PEXPIRE
    Pexpire,
    /// ROLE
    Role,
    /// SET
    Set,
    /// SETNX
    Setnx,
    /// TTL
    Ttl,
    /// UNWATCH
    Unwatch,
    /// WAIT
    Wait,
    /// WATCH
    Watch,
    /// Any other command.
    Other,
}

/// What is asked of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StoreAccess {
    /// `nonce-cas`: claim the store with a nonce.
    Claim,
    /// Read the guarded value.
    Read,
    /// Write the guarded value.
    Write,
}

/// Which way a message travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the client.
    Request,
    /// To the client.
    Reply,
}

impl MessageName {
    /// The process at the other end; of a replicated voter its first node, whichever member the message goes to:
    /// names do not depend on failovers.
    pub fn peer(&self) -> Process {
        match self.route {
            Route::Connect { voter, .. }
            | Route::Further { voter, .. }
            | Route::Push { voter, .. }
            | Route::Command { voter, .. } => Process::Node(NodeId::first(voter)),
            Route::Store { .. } => Process::Store,
        }
    }

    /// The process that handles the message.
    pub fn target(&self) -> Process {
        match self.direction {
            Direction::Request => self.peer(),
            Direction::Reply => Process::Client(self.client),
        }
    }

    /// The same name without numbers: what is left of it in a canonical state.
    pub fn unnumbered(mut self) -> Self {
        self.incarnation = 1;
        match &mut self.route {
            Route::Connect { number, .. }
            | Route::Further { number, .. }
            | Route::Push { number, .. }
            | Route::Store { number, .. } => *number = 0,
            Route::Command { number, occurrence, .. } => (*number, *occurrence) = (0, 0),
        }
        self
    }

    /// The name of the answer.
    pub fn reply(self) -> Self {
        Self { direction: Direction::Reply, ..self }
    }
}

impl Operation {
    /// All, with their texts.
    pub const TEXTS: [(Self, &'static str); 5] = [
        (Self::Acquire, "acquire"),
        (Self::Extend, "extend"),
        (Self::Release, "release"),
        (Self::Check, "check"),
        (Self::Aside, "aside"),
    ];
}

impl CommandName {
    /// All, with their texts.
    pub const TEXTS: [(Self, &'static str); 17] = [
        (Self::Del, "del"),
        (Self::Delex, "delex"),
        (Self::Eval, "eval"),
        (Self::Evalsha, "evalsha"),
        (Self::Exec, "exec"),
        (Self::Expire, "expire"),
        (Self::Get, "get"),
        (Self::Multi, "multi"),
        (Self::Pexpire, "pexpire"),
        (Self::Role, "role"),
        (Self::Set, "set"),
        (Self::Setnx, "setnx"),
        (Self::Ttl, "ttl"),
        (Self::Unwatch, "unwatch"),
        (Self::Wait, "wait"),
        (Self::Watch, "watch"),
        (Self::Other, "other"),
    ];

    /// The name of the command whose first word this is, in any case.
    pub fn of(word: &[u8]) -> Self {
        let known = Self::TEXTS.iter().find(|(_, text)| word.eq_ignore_ascii_case(text.as_bytes()));
        known.map_or(Self::Other, |(name, _)| *name)
    }
}

impl StoreAccess {
    /// All, with their texts.
    pub const TEXTS: [(Self, &'static str); 3] =
        [(Self::Claim, "claim"), (Self::Read, "read"), (Self::Write, "write")];
}

impl Direction {
    /// All, with their texts.
    pub const TEXTS: [(Self, &'static str); 2] = [(Self::Request, "request"), (Self::Reply, "reply")];
}

macro_rules! display_by_texts {
    ($($kind:ty),*) => {$(
        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let text = Self::TEXTS.iter().find(|(value, _)| value == self).map_or("", |(_, text)| text);
                f.write_str(text)
            }
        }
    )*};
}
display_by_texts!(Operation, CommandName, StoreAccess, Direction);

impl fmt::Display for MessageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}>{}:", self.client, self.incarnation, self.peer())?;
        match self.route {
            Route::Connect { number, .. } => write!(f, "connect.{number}")?,
            Route::Further { connection, number, .. } => {
                write!(f, "connect-{}.{number}", u16::from(connection) + 1)?;
            }
            Route::Push { number, .. } => write!(f, "push.{number}")?,
            Route::Command { operation, number, command, occurrence, .. } => {
                write!(f, "{operation}.{number}.{command}.{occurrence}")?;
            }
            Route::Store { access, number } => write!(f, "{access}.{number}")?,
        }
        write!(f, ":{}", self.direction)
    }
}
