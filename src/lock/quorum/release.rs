//! Giving a hold back.
//!
//! Every voter is asked, whatever is believed about it, also after the caller was told of a loss. Must not
//! touch an attempt in progress: that is cancelled, not released.

use crate::lock::{Caller, ExtendFailure, Output, Released, RequestId, WakeReason};
use crate::name::{Nonce, Operation};

use super::ballot::{Answer, Ballot, Heard, Sender};
use super::machine::Quorum;
use super::state::{Releasing, State};

impl Quorum {
    pub(super) fn on_release(&mut self, caller: Caller, out: &mut Vec<Output>) {
        match &mut self.state {
            State::Holding(hold) if hold.caller == caller => {
                let nonce = hold.nonce;
                hold.end_look(out);
                if hold.extending.is_call() {
                    // The holder's own call to prolong ends here; what its commands do is no longer watched.
                    out.push(Output::ExtendFailed { caller, why: ExtendFailure::Unknown, still: None });
                }
                if self.terms.watches() {
                    out.push(Output::Quiet { reason: WakeReason::Renew });
                }
                self.give_back(caller, nonce, out);
            }
            State::Gone { caller: holder, nonce } if *holder == caller => {
                let nonce = *nonce;
                self.give_back(caller, nonce, out);
            }
            // Nothing of this caller is there to give back.
            State::Idle
            | State::Asking(_)
            | State::Confirming(_)
            | State::Cleaning(_)
            | State::Waiting(_)
            | State::Holding(_)
            | State::Gone { .. }
            | State::Releasing(_) => out.push(Output::Released { caller, how: Released::NotOwned }),
        }
    }

    pub(super) fn on_given_back(&mut self, request: RequestId, answer: &Answer, out: &mut Vec<Output>) {
        let State::Releasing(releasing) = &mut self.state else { return };
        let errand = releasing.errand();
        let mut sender = Sender { terms: &self.terms, requests: &mut self.counters.requests, out };
        match sender.hear(&mut releasing.ballot, errand, request, answer) {
            Heard::Stranger | Heard::Open => {}
            Heard::Complete => {
                let quorum = usize::from(self.terms.policy().quorum);
                let tally = releasing.ballot.tally();
                let how = if tally.yes >= quorum {
                    Released::Confirmed
                } else if tally.no >= quorum {
                    Released::NotOwned
                } else {
                    Released::Unknown
                };
                out.push(Output::Released { caller: releasing.caller, how });
                self.state = State::Idle;
            }
        }
    }

    fn give_back(&mut self, caller: Caller, nonce: Nonce, out: &mut Vec<Output>) {
        let number = self.counters.next(Operation::Release);
        let ballot = Ballot::of_all(self.terms.policy().voters);
        let mut releasing = Releasing { caller, nonce, number, ballot };
        let errand = releasing.errand();
        self.ask(&mut releasing.ballot, errand, out);
        self.state = State::Releasing(releasing);
    }
}
