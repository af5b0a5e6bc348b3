//! The canonical form of a core's state: times relative to the present, identities in order of first visit.
//!
//! Voters keep their places: it matters which comes first. Must not skip a field that holds a time, nonce, request or
//! operation number.

use crate::canon::{Canon, IdKind};
use crate::name::{ClientId, Operation};

use super::machine::Multi;
use super::state::{Asking, Call, Hold, Poll, State, Step, Taking};

impl Multi {
    pub(super) fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        if let Some(nonce) = &mut self.kept {
            canon.nonce(nonce);
        }
        match &mut self.state {
            State::Idle => {}
            State::Taking(taking) => taking.rewrite(client, canon),
            State::Settling { taking, lease, poll } => {
                taking.rewrite(client, canon);
                lease.canonical(canon);
                poll.rewrite(client, canon);
            }
            State::Undoing { call, poll, .. } => {
                call.rewrite(client, canon);
                poll.rewrite(client, canon);
            }
            State::Pausing(call) => call.rewrite(client, canon),
            State::Holding(Hold { nonce, promise, extending, renewing, checking, .. }) => {
                canon.nonce(nonce);
                promise.canonical(canon);
                extending.rewrite(Operation::Extend, client, canon);
                renewing.rewrite(Operation::Extend, client, canon);
                checking.rewrite(Operation::Check, client, canon);
            }
            State::Gone { nonce, .. } => canon.nonce(nonce),
            State::Releasing { nonce, number, poll, .. } => {
                canon.nonce(nonce);
                canon.id(IdKind::Operation(client, Operation::Release), number);
                poll.rewrite(client, canon);
            }
        }
        self.counters.canonical(client, canon);
    }
}

impl Call {
    fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        canon.nonce(&mut self.nonce);
        self.over.canonical(canon);
        canon.id(IdKind::Operation(client, Operation::Acquire), &mut self.number);
    }
}

impl Taking {
    fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        self.call.rewrite(client, canon);
        self.lease.canonical(canon);
        self.share.canonical(canon);
        match &mut self.step {
            Step::Asked(request) | Step::Listening(request) => {
                canon.id(IdKind::Request(client), &mut request.0);
            }
            Step::Waiting => {}
        }
    }
}

impl Asking {
    fn rewrite(&mut self, operation: Operation, client: ClientId, canon: &mut Canon) {
        match self {
            Self::Resting => {}
            Self::Asked { number, lease, poll, .. } => {
                canon.id(IdKind::Operation(client, operation), number);
                lease.canonical(canon);
                poll.rewrite(client, canon);
            }
        }
    }
}

impl Poll {
    fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        for (_, request) in &mut self.open {
            canon.id(IdKind::Request(client), &mut request.0);
        }
    }
}
