//! The numbers by which a core names what it does: its operations, and its requests.
//!
//! For cores that ask every voter over one connection and send each command once within an operation; whoever does more
//! makes its own [`Output::Send`]. Must not know any command's meaning.

use super::contract::{ConnectionId, Label, Output, RequestId};
use crate::canon::{Canon, IdKind};
use crate::name::{ClientId, Operation, VoterId, Worker};
use crate::resp::{Bytes, Command};
use crate::time::Span;

/// How many operations of each kind were begun, and how many requests were sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Requests {
    sent: u32,
    begun: [u32; KINDS.len()],
}

const KINDS: [Operation; 4] = [Operation::Acquire, Operation::Extend, Operation::Release, Operation::Check];

impl Requests {
    /// None yet.
    pub const fn none() -> Self {
        Self { sent: 0, begun: [0; KINDS.len()] }
    }

    /// The next operation of this kind begins; for acquire that is an attempt, which is put out.
    pub fn begin(&mut self, operation: Operation, out: &mut Vec<Output>) {
        let number = &mut self.begun[operation as usize];
        *number = number.checked_add(1).unwrap_or(1);
        if operation == Operation::Acquire {
            out.push(Output::Attempt { number: *number });
        }
    }

    /// Sends a command as part of the operation of this kind that was begun last, and says by what number it is answered.
    pub fn send(
        &mut self,
        operation: Operation,
        voter: VoterId,
        words: impl IntoIterator<Item = Bytes>,
        limit: Span,
        out: &mut Vec<Output>,
    ) -> RequestId {
        self.sent = self.sent.checked_add(1).unwrap_or(1);
        let request = RequestId(self.sent);
        let number = self.begun[operation as usize];
        let label = Label { worker: Worker::User, operation, number, occurrence: 1 };
        let (connection, command) = (ConnectionId(0), Command::new(words));
        out.push(Output::Send { request, voter, connection, command, limit, label });
        request
    }

    /// Visits the numbers. A core does so last, when every number of a request that it keeps has been visited.
    pub fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        canon.counter(IdKind::Request(client), &mut self.sent);
        for operation in KINDS {
            canon.counter(IdKind::Operation(client, operation), &mut self.begun[operation as usize]);
        }
    }
}
