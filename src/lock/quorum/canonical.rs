//! The canonical form of a core's state: times relative to the present, identities in order of first visit.
//!
//! The counters come last, when every number in use has been visited. Times that matter only while ahead are
//! deadlines and saturate, so a hold that is never released does not age for ever. Must not skip a field that
//! holds a time, nonce, request or operation number.

use crate::canon::{Canon, IdKind};
use crate::name::{ClientId, Operation};

use super::machine::Quorum;
use super::state::{
    Asking, Checking, Cleaning, Confirming, Extending, Hold, Looking, Prolonging, Releasing, State,
};

impl Quorum {
    pub(super) fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        if let Some(nonce) = &mut self.kept {
            canon.nonce(nonce);
        }
        match &mut self.state {
            State::Idle => {}
            // A waiting call holds no time: the driver keeps the wake.
            State::Waiting(_) => {}
            State::Asking(asking) => asking.rewrite(client, canon),
            State::Confirming(Confirming { asking, ballot, .. }) => {
                asking.rewrite(client, canon);
                ballot.canonical(client, canon);
            }
            State::Cleaning(Cleaning { number, nonce, ballot, .. }) => {
                canon.id(IdKind::Operation(client, Operation::Acquire), number);
                canon.nonce(nonce);
                ballot.canonical(client, canon);
            }
            State::Holding(Hold { nonce, promise, extending, checking, .. }) => {
                canon.nonce(nonce);
                promise.canonical(canon);
                match extending {
                    Extending::Resting => {}
                    Extending::Asking(Prolonging { number, lease, ballot, .. }) => {
                        canon.id(IdKind::Operation(client, Operation::Extend), number);
                        lease.canonical(canon);
                        ballot.canonical(client, canon);
                    }
                }
                match checking {
                    Checking::Resting => {}
                    Checking::Asking(Looking { number, ballot }) => {
                        canon.id(IdKind::Operation(client, Operation::Check), number);
                        ballot.canonical(client, canon);
                    }
                }
            }
            State::Gone { nonce, .. } => canon.nonce(nonce),
            State::Releasing(Releasing { number, nonce, ballot, .. }) => {
                canon.id(IdKind::Operation(client, Operation::Release), number);
                canon.nonce(nonce);
                ballot.canonical(client, canon);
            }
        }
        canon.counter(IdKind::Request(client), &mut self.counters.requests);
        canon.counter(IdKind::Operation(client, Operation::Acquire), &mut self.counters.attempts);
        canon.counter(IdKind::Operation(client, Operation::Extend), &mut self.counters.extensions);
        canon.counter(IdKind::Operation(client, Operation::Release), &mut self.counters.releases);
        canon.counter(IdKind::Operation(client, Operation::Check), &mut self.counters.checks);
    }
}

impl Asking {
    fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        let Self { number, nonce, lease, ballot, .. } = self;
        canon.id(IdKind::Operation(client, Operation::Acquire), number);
        canon.nonce(nonce);
        lease.canonical(canon);
        ballot.canonical(client, canon);
    }
}
