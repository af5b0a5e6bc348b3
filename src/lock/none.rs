//! No lock at all: every call is granted at once, and nobody is asked.
//!
//! The baseline of every comparison. Must not exclude anybody.

use crate::canon::{Canon, IdKind};
use crate::name::{ClientId, Nonce, Operation};
use crate::time::{ClockKind, Now, Span};

use super::contract::{CoreTraits, Found, Input, LockCore, Output, Released, Stored, Ttl, Until};
use super::policy::{Basis, Protocol};

/// The core of `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NoLock {
    /// The number of the last attempt.
    attempts: u32,
}

impl NoLock {
    /// A handle that excludes nobody.
    #[expect(clippy::new_without_default, reason = "cores are made by a policy, never by default")]
    pub const fn new() -> Self {
        Self { attempts: 0 }
    }
}

impl LockCore for NoLock {
    fn on_input(&mut self, _now: Now, input: Input, out: &mut Vec<Output>) {
        match input {
            Input::Acquire { caller, ttl: _, draw } => {
                self.attempts = self.attempts.checked_add(1).unwrap_or(1);
                out.push(Output::Attempt { number: self.attempts });
                let (nonce, until) = (draw.nonce, Until::Released);
                out.push(Output::Granted { caller, nonce, until, fence: None });
            }
            Input::Extend { caller, ttl: _ } => out.push(Output::Extended { caller, until: Until::Released }),
            Input::Check { caller } => out.push(Output::Checked { caller, found: Found::Held }),
            Input::Release { caller } => out.push(Output::Released { caller, how: Released::Confirmed }),
            // Nothing was sent, nothing was asked for, and no call is ever open.
            Input::Reply { .. }
            | Input::Unknown { .. }
            | Input::Late { .. }
            | Input::Link { .. }
            | Input::Push { .. }
            | Input::Wake { .. }
            | Input::Cancel { .. } => {}
        }
    }

    fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        canon.counter(IdKind::Operation(client, Operation::Acquire), &mut self.attempts);
    }

    fn describe(&self) -> CoreTraits {
        CoreTraits {
            protocol: Protocol::None.name(),
            keys: Vec::new(),
            voters: 0,
            quorum: 0,
            ttl: Ttl::Of(Span::ZERO),
            clock: ClockKind::Mono,
            basis: Some(Basis::UntilReleased),
            fenced: false,
            fifo: false,
            reentrant: false,
            shared: false,
            ordered_voters: false,
            renewal: None,
            node_timeout: Span::ZERO,
            call_max: Span::ZERO,
        }
    }

    fn backs(&self, _nonce: Nonce, _stored: &Stored) -> bool {
        false
    }
}
