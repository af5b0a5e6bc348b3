//! The canonical form of a core's state: times relative to the present, identities in order of first visit.
//!
//! Must not skip a field that holds a time, nonce, request or operation number.

use crate::canon::{Canon, IdKind};
use crate::name::{ClientId, Operation};

use super::machine::Waiter;
use super::state::{Asked, Call, Deed, Ears, Giving, Hold, Prolonging, State, Undoing, Waiting, Watchdog};

impl Waiter {
    pub(super) fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        if let Some(nonce) = &mut self.kept {
            canon.nonce(nonce);
        }
        match &mut self.ears {
            Ears::Asking(request) => canon.id(IdKind::Request(client), &mut request.0),
            Ears::Shut | Ears::Open | Ears::Rung => {}
        }
        match &mut self.state {
            State::Idle => {}
            State::Looking(asked) | State::Asking(asked) | State::Listening(asked) => {
                asked.rewrite(client, canon);
            }
            State::Waiting(Waiting { call, blocked }) => {
                call.rewrite(client, canon);
                if let Some(request) = blocked {
                    canon.id(IdKind::Request(client), &mut request.0);
                }
            }
            State::Undoing(Undoing { call, request, .. }) => {
                call.rewrite(client, canon);
                canon.id(IdKind::Request(client), &mut request.0);
            }
            State::Holding(hold) => hold.rewrite(client, canon),
            State::Gone { nonce, .. } => canon.nonce(nonce),
            State::Releasing { nonce, giving, .. } => {
                canon.nonce(nonce);
                giving.rewrite(client, canon);
            }
        }
        self.counters.canonical(client, canon);
    }
}

impl Call {
    fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        canon.nonce(&mut self.nonce);
        self.patience.canonical(canon);
        canon.id(IdKind::Operation(client, Operation::Acquire), &mut self.number);
    }
}

impl Asked {
    fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        self.call.rewrite(client, canon);
        canon.id(IdKind::Request(client), &mut self.request.0);
        self.lease.canonical(canon);
    }
}

impl Hold {
    fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        canon.nonce(&mut self.nonce);
        self.promise.canonical(canon);
        match &mut self.deed {
            Deed::Resting => {}
            Deed::Entering(entering) => entering.rewrite(Operation::Acquire, client, canon),
            Deed::Extending(extending) => extending.rewrite(Operation::Extend, client, canon),
            Deed::Checking { number, request } => {
                canon.id(IdKind::Operation(client, Operation::Check), number);
                canon.id(IdKind::Request(client), &mut request.0);
            }
            Deed::GivingBack(giving) => giving.rewrite(client, canon),
        }
        match &mut self.watchdog {
            Watchdog::Off | Watchdog::Resting => {}
            Watchdog::Asking(renewing) => renewing.rewrite(Operation::Extend, client, canon),
        }
    }
}

impl Prolonging {
    fn rewrite(&mut self, operation: Operation, client: ClientId, canon: &mut Canon) {
        canon.id(IdKind::Operation(client, operation), &mut self.number);
        canon.id(IdKind::Request(client), &mut self.request.0);
        self.lease.canonical(canon);
    }
}

impl Giving {
    fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        canon.id(IdKind::Operation(client, Operation::Release), &mut self.number);
        canon.id(IdKind::Request(client), &mut self.request.0);
    }
}
