//! What code outside of the world does, and what reaches it: the words of its port.
//!
//! Must not do anything: `outside.rs` takes acts and makes arrivals.

use super::lane::Carries;
use crate::history::SectionEnd;
use crate::lock::{
    ConnectionId, ExtendFailure, Label, LinkState, LossReason, RefuseReason, Released, RequestId, Until,
};
use crate::name::{ClientId, Nonce, StoreAccess, VoterId};
use crate::resp::{Command, Reply};
use crate::time::MonoTime;

/// What code outside of the world did, at its client's present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// It opens a connection to the node of a voter that it addresses.
    Connect {
        /// To which voter.
        voter: VoterId,
        /// Which of its connections; it has no other of this number open.
        connection: ConnectionId,
        /// What it is made of, for the code.
        carries: Carries,
    },
    /// It lets go of a connection. What it sent on it may still arrive.
    Close {
        /// To which voter.
        voter: VoterId,
        /// Which.
        connection: ConnectionId,
    },
    /// It sends a command on an open connection.
    Send {
        /// To which voter.
        voter: VoterId,
        /// On which connection.
        connection: ConnectionId,
        /// Its number among what is sent on this connection: its reply has the same.
        request: RequestId,
        /// What.
        command: Command,
        /// What for.
        label: Label,
        /// On behalf of which call of acquire: 0 is the last one, 1 the one before.
        back: u32,
    },
    /// Its caller calls acquire.
    Acquire,
    /// An attempt of this call begins; attempts are numbered over the incarnation.
    Attempt {
        /// Its number.
        number: u32,
    },
    /// The call waits for something, and could be given up here.
    Await,
    /// The call is granted.
    Granted {
        /// Until when, as the code says.
        until: Until,
        /// Its fence, if any.
        fence: Option<i64>,
        /// By what nodes recognise it; `None`: by the text that most of them carry for this call.
        nonce: Option<Nonce>,
    },
    /// If this call is refused before its monotonic clock shows this, the caller will call again, and wants the lock until
    /// it does or gives up.
    Persist {
        /// Up to, not including, this reading.
        until: MonoTime,
    },
    /// The call ended without a grant.
    Refused(RefuseReason),
    /// Whoever would have called again does not.
    GiveUp,
    /// The caller enters the section, and shows this fence to the store.
    Enter(Option<i64>),
    /// It decides to write: a point of its code.
    Check,
    /// It asks the store for something.
    Ask(Ask),
    /// It begins to prolong its hold.
    Extend,
    /// The hold was prolonged.
    Extended(Until),
    /// It was not. The end that still counts, if the code believes in one.
    ExtendFailed(ExtendFailure, Option<Until>),
    /// The holder is told that its hold is lost.
    Lost(LossReason),
    /// The caller leaves the section.
    Leave(SectionEnd),
    /// It calls release.
    Release,
    /// The release has ended.
    Released(Released),
    /// It has nothing more to do; tasks that it left behind may go on.
    Done,
}

/// What the store is asked by code outside of the world, inside the section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// To take its claim, where the store checks claims.
    Claim,
    /// What the stock is.
    Stock,
    /// To write.
    Write,
    /// To sell one item to whoever has read this stock.
    Buy {
        /// What was read.
        read: i64,
    },
}

impl Ask {
    /// Which kind of request it is.
    pub fn access(self) -> StoreAccess {
        match self {
            Self::Claim => StoreAccess::Claim,
            Self::Stock => StoreAccess::Read,
            Self::Write | Self::Buy { .. } => StoreAccess::Write,
        }
    }
}

/// What reaches a client whose code runs outside of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// A connection is open, was refused, or broke.
    Link {
        /// To which voter.
        voter: VoterId,
        /// Which.
        connection: ConnectionId,
        /// What became of it.
        state: LinkState,
    },
    /// A message of a channel, which no command asked for.
    Push {
        /// From which voter.
        voter: VoterId,
        /// On which connection.
        connection: ConnectionId,
        /// What.
        message: Reply,
    },
    /// A reply, in the order of the commands of its connection. Some may be missing: a black hole, or a directive, has
    /// taken the command or its reply.
    Reply {
        /// From which voter.
        voter: VoterId,
        /// On which connection.
        connection: ConnectionId,
        /// Of which command of this connection.
        request: RequestId,
        /// What.
        reply: Reply,
    },
    /// The store's answer.
    Store {
        /// To which kind of request.
        access: StoreAccess,
        /// To which of them, counted over the incarnation from 1.
        number: u32,
        /// What.
        answer: Answer,
    },
    /// The connection to the store broke: nobody knows what became of what it was asked.
    StoreBroke,
    /// The caller gives up its call of acquire.
    Cancel,
    /// The process has died: nothing of it goes on.
    Died,
    /// A new process begins.
    Rose,
}

/// What the store answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The claim or the write was taken.
    Taken,
    /// The write was refused.
    Refused,
    /// The stock.
    Stock(i64),
}

/// An act that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{client} {what}")]
pub struct Impossible {
    /// Whose.
    pub client: ClientId,
    /// What it did.
    pub what: &'static str,
}
