//! Cores of the tests' own: a shipped core that checks how its driver treats it, and tells what it is told.
//!
//! What it is told becomes an attempt record with a number of its own, because a core has no other voice:
//! 1000 + request for a reply, 2000 for not sent, 3000 for disconnected, 4000 for timed out, 5000 for late.

use fencepost::canon::Canon;
use fencepost::lock::{Core, CoreTraits, Input, LockCore, Output, RequestId, UnknownReason};
use fencepost::name::{ClientId, Nonce};
use fencepost::time::Now;
use fencepost::world::Setup;
use std::collections::BTreeSet;

/// A core that panics if a request is answered twice, late while it is open, or never sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Watched {
    core: Core,
    open: BTreeSet<RequestId>,
    closed: BTreeSet<RequestId>,
    told: Voice,
}

/// Whether it tells what it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Voice {
    Silent,
    Telling,
}

impl Watched {
    pub(crate) fn new(index: usize, setup: &Setup, told: Voice) -> Self {
        let core = Core::of(&setup.clients[index].lock, setup.key.clone());
        Self { core, open: BTreeSet::new(), closed: BTreeSet::new(), told }
    }

    fn answered(&mut self, request: RequestId) {
        assert!(self.open.remove(&request), "{request:?} was not open");
        assert!(self.closed.insert(request), "{request:?} was answered twice");
    }
}

impl LockCore for Watched {
    fn on_input(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        let told = match &input {
            Input::Reply { request, .. } => {
                self.answered(*request);
                Some(1_000 + request.0)
            }
            Input::Unknown { request, why } => {
                self.answered(*request);
                let base = match why {
                    UnknownReason::NotSent => 2_000,
                    UnknownReason::Disconnected => 3_000,
                    UnknownReason::TimedOut => 4_000,
                };
                Some(base + request.0)
            }
            Input::Late { request, .. } => {
                assert!(self.closed.contains(request), "{request:?} is late before it was unknown");
                Some(5_000 + request.0)
            }
            _ => None,
        };
        if let (Some(number), Voice::Telling) = (told, self.told) {
            out.push(Output::Attempt { number });
        }
        let from = out.len();
        self.core.on_input(now, input, out);
        for output in &out[from..] {
            if let Output::Send { request, .. } = output {
                assert!(self.open.insert(*request), "{request:?} is used twice");
            }
        }
    }

    fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        self.core.canonical(client, canon);
    }

    fn describe(&self) -> CoreTraits {
        self.core.describe()
    }

    fn backs(&self, nonce: Nonce, stored: &fencepost::lock::Stored) -> bool {
        self.core.backs(nonce, stored)
    }
}
