//! The canonical form of a core's state: times relative to the present, identities in order of first visit.
//!
//! The counters come last, when every number in use has been visited. Times that matter only while ahead are
//! deadlines and saturate, so a hold that is never released does not age for ever. Must not skip a field that
//! holds a time, nonce, request or operation number.

use crate::canon::{Canon, IdKind};
use crate::name::{ClientId, Operation};

use super::machine::Quorum;
use super::state::{
    Asking, Call, Checking, Cleaning, Confirming, Extending, Hold, Looking, Next, Prolonging, Releasing,
    State,
};

impl Quorum {
    pub(super) fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        if let Some(nonce) = &mut self.kept {
            canon.nonce(nonce);
        }
        match &mut self.state {
            // The driver keeps the wake of a call that waits.
            State::Idle | State::Lingering { .. } => {}
            State::Waiting(call) => call.rewrite(canon),
            State::Asking(asking) => asking.rewrite(client, canon),
            State::Confirming(Confirming { asking, ballot, .. }) => {
                asking.rewrite(client, canon);
                ballot.canonical(client, canon);
            }
            State::Cleaning(Cleaning { number, nonce, ballot, next }) => {
                match next {
                    Next::Retry { call, .. } => call.rewrite(canon),
                    Next::Linger { .. } | Next::Refuse { .. } => {}
                }
                canon.id(IdKind::Operation(client, Operation::Acquire), number);
                canon.nonce(nonce);
                ballot.canonical(client, canon);
            }
            State::Holding(Hold { nonce, promise, granted, extending, checking, .. }) => {
                canon.nonce(nonce);
                promise.canonical(canon);
                canon.voter_bits(granted);
                extending.rewrite(client, canon);
                match checking {
                    Checking::Resting => {}
                    Checking::Asking(Looking { number, ballot }) => {
                        canon.id(IdKind::Operation(client, Operation::Check), number);
                        ballot.canonical(client, canon);
                    }
                }
            }
            State::Gone { nonce, granted, .. } => {
                canon.nonce(nonce);
                canon.voter_bits(granted);
            }
            State::Releasing(Releasing { number, nonce, ballot, .. }) => {
                canon.id(IdKind::Operation(client, Operation::Release), number);
                canon.nonce(nonce);
                ballot.canonical(client, canon);
            }
        }
        if let Some(stray) = &mut self.stray {
            canon.nonce(&mut stray.nonce);
            canon.voter_bits(&mut stray.granted);
            stray.extending.rewrite(client, canon);
        }
        self.counters.canonical(client, canon);
    }
}

impl Extending {
    fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        match self {
            Self::Resting => {}
            Self::Asking(Prolonging { number, lease, ballot, .. }) => {
                canon.id(IdKind::Operation(client, Operation::Extend), number);
                lease.canonical(canon);
                ballot.canonical(client, canon);
            }
        }
    }
}

impl Call {
    fn rewrite(&mut self, canon: &mut Canon) {
        if let Some(origin) = &mut self.origin {
            origin.lease.canonical(canon);
            origin.limit.canonical(canon);
        }
    }
}

impl Asking {
    fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        let Self { call, number, nonce, lease, ballot, .. } = self;
        call.rewrite(canon);
        canon.id(IdKind::Operation(client, Operation::Acquire), number);
        canon.nonce(nonce);
        lease.canonical(canon);
        ballot.canonical(client, canon);
    }
}
