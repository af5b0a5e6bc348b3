//! A connection as commands and replies, for code that brings no client of its own.
//!
//! Must not retry, reconnect or limit anything: whoever uses it does.

use super::port::{Heard, Port, Reads};
use crate::lock::{ConnectionId, Label};
use crate::name::VoterId;
use crate::resp::{Command, Reply};
use std::io;
use std::task::{Context, Poll};

/// An open connection to one node. Dropping it closes it; what was sent may still arrive.
pub struct Wire {
    port: Port,
    id: u64,
}

impl Wire {
    /// The first connection of a free number.
    pub(super) async fn open(port: Port, voter: VoterId) -> io::Result<Self> {
        let connection = port.lock().free(voter)?;
        Self::open_as(port, (voter, connection), Reads::Replies).await
    }

    /// The connection of this number, which no other has.
    pub(super) async fn open_as(
        port: Port,
        (voter, connection): (VoterId, ConnectionId),
        reads: Reads,
    ) -> io::Result<Self> {
        let id = port.lock().open(voter, connection, reads);
        let wire = Self { port, id };
        std::future::poll_fn(|context| wire.port.lock().poll_open(id, context)).await?;
        Ok(wire)
    }

    /// Sends a command; its reply is the next one that nobody has taken yet.
    ///
    /// # Errors
    /// The connection is known to be broken.
    pub fn send(&self, command: Command) -> io::Result<()> {
        self.port.lock().send(self.id, command, None)
    }

    /// The same, saying what the command is for.
    ///
    /// # Errors
    /// The connection is known to be broken.
    pub fn send_as(&self, command: Command, label: Label) -> io::Result<()> {
        self.port.lock().send(self.id, command, Some(label))
    }

    /// The next reply, in the order of the commands; or a message of a channel, in between.
    ///
    /// # Errors
    /// The connection broke.
    pub async fn reply(&self) -> io::Result<Reply> {
        match std::future::poll_fn(|context| self.poll_heard(context)).await? {
            Heard::Reply(reply) | Heard::Push(reply) => Ok(reply),
            Heard::Missing(_) => Err(io::ErrorKind::ConnectionReset.into()),
        }
    }

    /// What is heard next: a reply, or a message of a channel.
    pub(super) fn poll_heard(&self, context: &mut Context<'_>) -> Poll<io::Result<Heard>> {
        self.port.lock().poll_heard(self.id, context)
    }

    /// Sends a command and waits for its reply. Replies that were not taken come first.
    ///
    /// # Errors
    /// The connection broke.
    pub async fn call(&self, command: Command) -> io::Result<Reply> {
        self.send(command)?;
        self.reply().await
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.port.lock().close(self.id);
    }
}

impl std::fmt::Debug for Wire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wire").field("id", &self.id).finish_non_exhaustive()
    }
}
