//! The quorum core as a lock core: which input goes to which transition.
//!
//! Must not contain a transition itself: `attempt`, `confirm`, `extension`, `look`, `release` and `stray` do. Every pair of input and state
//! is an arm there; pairs without effect are listed with the reason.

use crate::canon::Canon;
use crate::lock::counters::Counters;
use crate::lock::policy::Policy;
use crate::lock::{CoreTraits, Input, LockCore, Output, RequestId, Stored, WakeReason};
use crate::name::{ClientId, Nonce};
use crate::time::Now;
use bytes::Bytes;
use std::sync::Arc;

use super::ballot::{Answer, Ballot, Sender};
use super::errand::Errand;
use super::state::{State, Stray};
use super::terms::Terms;

/// `single` and `redlock`: one handle, one call or hold at a time.
///
/// A second call while one is open or a hold exists is refused as misuse.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quorum {
    pub(super) terms: Terms,
    pub(super) state: State,
    /// The nonce that the next attempt uses again: within a call, or for ever, if the policy says so.
    pub(super) kept: Option<Nonce>,
    /// A watchdog without a hold, where the policy leaves one behind.
    pub(super) stray: Option<Box<Stray>>,
    pub(super) counters: Counters,
}

impl Quorum {
    /// A handle on `key` under a policy that was validated. The fence counter, if any, is `<key>:fence`.
    pub fn new(policy: Arc<Policy>, key: Bytes) -> Self {
        let terms = Terms::new(policy, key);
        Self { terms, state: State::Idle, kept: None, stray: None, counters: Counters::ZERO }
    }

    /// Asks the voters of a fresh round.
    pub(super) fn ask(&mut self, ballot: &mut Ballot, errand: Errand, out: &mut Vec<Output>) {
        Sender { terms: &self.terms, requests: &mut self.counters.requests, out }.ask(ballot, errand);
    }

    fn on_answer(&mut self, now: Now, request: RequestId, answer: &Answer, out: &mut Vec<Output>) {
        if self.stray.as_ref().is_some_and(|stray| stray.asks_by(request)) {
            return self.on_stray_answer(now, request, answer, out);
        }
        match &self.state {
            State::Asking(_) => self.on_vote(now, request, answer, out),
            State::Confirming(_) => self.on_confirmed(now, request, answer, out),
            State::Cleaning(_) => self.on_cleaned(now, request, answer, out),
            State::Holding(hold) if hold.looks_by(request) => self.on_looked(request, answer, out),
            State::Holding(_) => self.on_prolonged(now, request, answer, out),
            State::Releasing(_) => self.on_given_back(request, answer, out),
            // No round is open: the answer belongs to one that was given up.
            State::Idle | State::Waiting(_) | State::Lingering { .. } | State::Gone { .. } => {}
        }
    }
}

impl LockCore for Quorum {
    fn on_input(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        match input {
            Input::Acquire { caller, ttl, draw } => self.on_acquire(now, caller, ttl, draw, out),
            Input::Reply { request, reply } => self.on_answer(now, request, &Answer::Reply(reply), out),
            Input::Unknown { request, why } => self.on_answer(now, request, &Answer::Unknown(why), out),
            Input::Wake { reason: WakeReason::Retry, draw } => self.on_retry(now, draw, out),
            Input::Wake { reason: WakeReason::Renew, .. } => self.on_renew(now, out),
            Input::Extend { caller, ttl } => self.on_extend(now, caller, ttl, out),
            Input::Check { caller } => self.on_check(caller, out),
            Input::Release { caller } => self.on_release(caller, out),
            Input::Cancel { caller } => self.on_cancel(now, caller, out),
            // An unknown request was counted when it became unknown, a link's requests are answered one by one,
            // and nothing was subscribed to.
            Input::Late { .. } | Input::Link { .. } | Input::Push { .. } => {}
        }
    }

    fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        self.rewrite(client, canon);
    }

    fn describe(&self) -> CoreTraits {
        self.terms.describe()
    }

    fn backs(&self, nonce: Nonce, stored: &Stored) -> bool {
        match stored {
            Stored::Text(text) => Nonce::from_bytes(text) == Some(nonce),
            Stored::Hash(_) | Stored::Other => false,
        }
    }
}
