//! The core of locks whose callers wait: which input goes to which transition.
//!
//! Must not contain a transition itself: `call`, `hold` and `release` do. Every pair of input and state is an arm there;
//! pairs without effect are listed with the reason.

use crate::canon::Canon;
use crate::lock::counters::Counters;
use crate::lock::{CoreTraits, Input, LinkState, LockCore, Output, RequestId, Stored, WakeReason};
use crate::name::{ClientId, Nonce};
use crate::time::Now;
use bytes::Bytes;
use std::sync::Arc;

use super::commands::{Answer, Errand, WAITING};
use super::policy::{Shape, WaiterPolicy};
use super::state::{Ears, State};
use super::terms::Terms;

/// `fair`, `read-write` and `signal`: one handle, one call or hold at a time.
///
/// A second call by a holder counts as another hold where the shape allows it, and is refused as misuse otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Waiter {
    pub(super) terms: Terms,
    pub(super) state: State,
    pub(super) ears: Ears,
    /// The nonce that the next call uses again, if the policy says so.
    pub(super) kept: Option<Nonce>,
    pub(super) counters: Counters,
}

impl Waiter {
    /// A handle on `key` under a policy that was validated. Its other keys are `<key>:…`.
    pub fn new(policy: Arc<WaiterPolicy>, key: Bytes) -> Self {
        let terms = Terms::new(policy, key);
        Self { terms, state: State::Idle, ears: Ears::Shut, kept: None, counters: Counters::ZERO }
    }

    /// Sends a question.
    pub(super) fn send(&mut self, errand: Errand, out: &mut Vec<Output>) -> RequestId {
        let request = self.counters.request();
        out.push(errand.send(&self.terms, request));
        request
    }

    fn on_answer(&mut self, now: Now, request: RequestId, answer: &Answer, out: &mut Vec<Output>) {
        if self.ears == Ears::Asking(request) {
            self.on_heard_again(answer);
            return;
        }
        match &self.state {
            State::Looking(asked) if asked.request == request => self.on_looked(now, answer, out),
            State::Asking(asked) if asked.request == request => self.on_taken(now, answer, out),
            State::Listening(asked) if asked.request == request => self.on_listening(now, answer, out),
            State::Waiting(waiting) if waiting.blocked == Some(request) => self.on_popped(now, answer, out),
            State::Undoing(undoing) if undoing.request == request => self.on_undone(now, out),
            State::Holding(_) => self.on_told(now, request, answer, out),
            State::Releasing { giving, .. } if giving.request == request => {
                self.on_given_back(now, answer, out);
            }
            // No question of this state: it belongs to one that was given up.
            State::Looking(_)
            | State::Asking(_)
            | State::Listening(_)
            | State::Waiting(_)
            | State::Undoing(_)
            | State::Releasing { .. }
            | State::Idle
            | State::Gone { .. } => {}
        }
    }
}

impl LockCore for Waiter {
    fn on_input(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        match input {
            Input::Acquire { caller, ttl, draw } => self.on_acquire(now, caller, ttl, draw, out),
            Input::Reply { request, reply } => self.on_answer(now, request, &Answer::Reply(reply), out),
            Input::Unknown { request, why } => self.on_answer(now, request, &Answer::Unknown(why), out),
            Input::Push { voter: _, message } => self.on_push(now, &message, out),
            Input::Link { voter: _, connection, state: LinkState::Reset } if connection == WAITING => {
                self.on_deaf(out);
            }
            Input::Wake { reason: WakeReason::Retry, .. } => self.on_retry(now, out),
            Input::Wake { reason: WakeReason::Renew, .. } => self.on_renew(now, out),
            Input::Extend { caller, ttl } => self.on_extend(now, caller, ttl, out),
            Input::Check { caller } => self.on_check(caller, out),
            Input::Release { caller } => self.on_release(now, caller, out),
            Input::Cancel { caller } => self.on_cancel(now, caller, out),
            // An unknown request was counted when it became unknown, and a link's requests are answered one by one.
            Input::Late { .. } | Input::Link { .. } => {}
        }
    }

    fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        self.rewrite(client, canon);
    }

    fn describe(&self) -> CoreTraits {
        self.terms.describe()
    }

    fn backs(&self, nonce: Nonce, stored: &Stored) -> bool {
        self.holds(nonce, stored) > 0
    }

    fn holds(&self, nonce: Nonce, stored: &Stored) -> u32 {
        match (stored, &self.terms.policy().shape) {
            (Stored::Text(text), Shape::Signal(_)) => u32::from(Nonce::from_bytes(text) == Some(nonce)),
            (Stored::Hash(fields), Shape::Fair(_) | Shape::ReadWrite(_)) => count(fields, nonce),
            (Stored::Text(_), Shape::Fair(_) | Shape::ReadWrite(_))
            | (Stored::Hash(_), Shape::Signal(_))
            | (Stored::Other, _) => 0,
        }
    }
}

/// How many holds a hash counts for its owner.
pub(in crate::lock) fn count(fields: &[(Bytes, Bytes)], nonce: Nonce) -> u32 {
    let own = fields.iter().find(|(field, _)| Nonce::from_bytes(field) == Some(nonce));
    let count = own.and_then(|(_, count)| std::str::from_utf8(count).ok()?.parse().ok());
    count.unwrap_or(0)
}
