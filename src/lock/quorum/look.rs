//! A holder's look at its own keys: GET at every voter.
//!
//! Decided, as every round, when all voters answered or are unknown. A look changes nothing: neither the promise nor
//! what the core believes, and what it found may be over before the caller hears of it. Where the hold ends while a
//! look is open, the look ends *unknown*. Must not extend or release.

use crate::lock::{Caller, Found, Output, RequestId};
use crate::name::Operation;
use std::mem;

use super::ballot::{Answer, Ballot, Heard, Sender};
use super::machine::Quorum;
use super::state::{Checking, Hold, Looking, State};

impl Quorum {
    pub(super) fn on_check(&mut self, caller: Caller, out: &mut Vec<Output>) {
        match &self.state {
            State::Holding(Hold { caller: holder, checking: Checking::Resting, .. }) if *holder == caller => {
            }
            // There is no hold of this caller to look at, or a look is open already.
            State::Holding(_)
            | State::Idle
            | State::Asking(_)
            | State::Confirming(_)
            | State::Cleaning(_)
            | State::Waiting(_)
            | State::Lingering { .. }
            | State::Gone { .. }
            | State::Releasing(_) => return out.push(Output::Checked { caller, found: Found::Unknown }),
        }
        let number = self.counters.next(Operation::Check);
        let ballot = Ballot::of_all(self.terms.policy().voters);
        let State::Holding(hold) = &mut self.state else { return };
        let mut looking = Looking { number, ballot };
        let errand = looking.errand(hold.nonce);
        let mut sender = Sender { terms: &self.terms, requests: &mut self.counters.requests, out };
        sender.ask(&mut looking.ballot, errand);
        hold.checking = Checking::Asking(looking);
    }

    pub(super) fn on_looked(&mut self, request: RequestId, answer: &Answer, out: &mut Vec<Output>) {
        let State::Holding(hold) = &mut self.state else { return };
        let Checking::Asking(looking) = &mut hold.checking else { return };
        let errand = looking.errand(hold.nonce);
        let mut sender = Sender { terms: &self.terms, requests: &mut self.counters.requests, out };
        match sender.hear(&mut looking.ballot, errand, request, answer) {
            Heard::Stranger | Heard::Open => return,
            Heard::Complete => {}
        }
        let (quorum, tally) = (usize::from(self.terms.policy().quorum), looking.ballot.tally());
        let found = if tally.yes >= quorum {
            Found::Held
        } else if tally.yes + tally.unknown >= quorum {
            Found::Unknown
        } else {
            Found::Gone
        };
        hold.checking = Checking::Resting;
        out.push(Output::Checked { caller: hold.caller, found });
    }
}

impl Hold {
    /// Whether this request is part of an open look.
    pub(super) fn looks_by(&self, request: RequestId) -> bool {
        match &self.checking {
            Checking::Asking(looking) => looking.ballot.asked(request).is_some(),
            Checking::Resting => false,
        }
    }

    /// The hold ends: a look that is still asking is answered, and its answers will be strangers.
    pub(super) fn end_look(&mut self, out: &mut Vec<Output>) {
        match mem::replace(&mut self.checking, Checking::Resting) {
            Checking::Asking(_) => out.push(Output::Checked { caller: self.caller, found: Found::Unknown }),
            Checking::Resting => {}
        }
    }
}
