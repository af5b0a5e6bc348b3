//! The canonical form of a handle's state: times relative to the present, identities in order of first visit.
//!
//! The counters come last, when every number in use has been visited. Must not skip a field that holds a time, nonce,
//! request or operation number.

use super::machine::HashLock;
use super::policy::{Latch, Waiting};
use super::state::{Asking, Attempt, Call, Confirming, End, Listening, Releasing, Renewing, Undoing};
use crate::canon::{Canon, IdKind};
use crate::lock::RequestId;
use crate::name::{ClientId, Operation};

impl HashLock {
    pub(super) fn rewrite(&mut self, client: ClientId, canon: &mut Canon) {
        // The number of a release is part of its latch's key, which lives on in the node.
        let latched = self.policy().latch == Latch::On;
        let mut ids = Ids { client, canon };
        if let Some(owner) = &mut self.owner {
            ids.canon.nonce(owner);
        }
        match &mut self.call {
            Call::None => {}
            Call::Asking(Asking { attempt, request, .. }) => {
                ids.attempt(attempt);
                request.iter_mut().for_each(|request| ids.request(request));
            }
            Call::Confirming(Confirming { attempt, request, .. }) => {
                ids.attempt(attempt);
                ids.request(request);
            }
            Call::Undoing(Undoing { number, request, .. }) => {
                ids.number(Operation::Acquire, number);
                ids.request(request);
            }
            Call::Waiting(attempt) => ids.attempt(attempt),
            Call::Releasing(Releasing { number, request, .. }) => {
                if !latched {
                    ids.number(Operation::Release, number);
                }
                request.iter_mut().for_each(|request| ids.request(request));
            }
            Call::Looking { request, number, .. } => {
                ids.number(Operation::Check, number);
                ids.request(request);
            }
        }
        match &mut self.renewing {
            Renewing::Off | Renewing::Resting => {}
            Renewing::Asking { request, number } => {
                ids.number(Operation::Extend, number);
                ids.request(request);
            }
        }
        match &mut self.listening {
            Listening::Off | Listening::On { .. } => {}
            Listening::Asking { request, .. } => ids.request(request),
        }
        // Only pauses that double depend on how many tries were refused.
        let spins = self.policy().waiting == Waiting::Spin;
        if let Call::Asking(Asking { attempt, .. }) | Call::Waiting(attempt) = &mut self.call
            && !spins
        {
            attempt.refused = 0;
        }
        canon.counter(IdKind::Request(client), &mut self.counters.requests);
        canon.counter(IdKind::Operation(client, Operation::Acquire), &mut self.counters.attempts);
        canon.counter(IdKind::Operation(client, Operation::Extend), &mut self.counters.extensions);
        if !latched {
            canon.counter(IdKind::Operation(client, Operation::Release), &mut self.counters.releases);
        }
        canon.counter(IdKind::Operation(client, Operation::Check), &mut self.counters.checks);
    }
}

struct Ids<'a> {
    client: ClientId,
    canon: &'a mut Canon,
}

impl Ids<'_> {
    fn attempt(&mut self, attempt: &mut Attempt) {
        self.number(Operation::Acquire, &mut attempt.number);
        match &mut attempt.end {
            End::Never => {}
            End::Mono(end) => self.canon.mono_deadline(end),
            End::Wall(end) => self.canon.wall_deadline(end),
        }
    }

    fn request(&mut self, request: &mut RequestId) {
        self.canon.id(IdKind::Request(self.client), &mut request.0);
    }

    fn number(&mut self, operation: Operation, number: &mut u32) {
        self.canon.id(IdKind::Operation(self.client, operation), number);
    }
}
