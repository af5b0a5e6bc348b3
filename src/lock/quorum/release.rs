//! Giving a hold back.
//!
//! Every voter is asked, whatever is believed about it (unless the policy says otherwise), also after the caller was told of a loss. Must not
//! touch an attempt in progress: that is cancelled, not released.

use crate::lock::policy::Reacquire;
use crate::lock::{Caller, ExtendFailure, Output, Released, RequestId};
use crate::name::{Nonce, Operation, Worker};

use super::ballot::{Answer, Ballot, Heard, Sender};
use super::errand::{Errand, Task};
use super::machine::Quorum;
use super::state::{Releasing, State};

impl Quorum {
    pub(super) fn on_release(&mut self, caller: Caller, out: &mut Vec<Output>) {
        let idle = matches!(self.state, State::Idle);
        if let Some(nonce) = self.forgotten().filter(|_| idle) {
            return self.give_back(caller, nonce, u32::MAX, out);
        }
        match &self.state {
            State::Holding(hold) if hold.caller == caller => {
                let (nonce, granted) = (hold.nonce, hold.granted);
                self.forget(out);
                self.give_back(caller, nonce, granted, out);
            }
            State::Gone { caller: holder, nonce, granted } if *holder == caller => {
                let (nonce, granted) = (*nonce, *granted);
                self.give_back(caller, nonce, granted, out);
            }
            // Nothing of this caller is there to give back.
            State::Idle
            | State::Asking(_)
            | State::Confirming(_)
            | State::Cleaning(_)
            | State::Waiting(_)
            | State::Lingering { .. }
            | State::Holding(_)
            | State::Gone { .. }
            | State::Releasing(_) => out.push(Output::Released { caller, how: Released::NotOwned }),
        }
    }

    /// The nonce by which a handle that forgot its hold still releases: its own, if it has one for life.
    fn forgotten(&self) -> Option<Nonce> {
        match self.terms.policy().reacquire {
            Reacquire::Refused => None,
            Reacquire::Asks => self.kept,
        }
    }

    /// Ends what belongs to a hold that the handle is about to let go of: the keys stay.
    pub(super) fn forget(&mut self, out: &mut Vec<Output>) {
        let State::Holding(hold) = &mut self.state else { return };
        let caller = hold.caller;
        hold.end_look(out);
        if hold.extending.is_call() {
            // The holder's own call to prolong ends here; what its commands do is no longer watched.
            out.push(Output::ExtendFailed { caller, why: ExtendFailure::Unknown, still: None });
        }
        self.leave_watchdog(out);
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

    /// Gives a hold back at all voters at once, unheard.
    pub(super) fn drop_hold(&mut self, nonce: Nonce, granted: u32, worker: Worker, out: &mut Vec<Output>) {
        let number = self.counters.next(Operation::Release);
        let policy = self.terms.policy();
        let ballot = Ballot::of_asked(policy.release_asks, policy.voters, granted);
        let errand = Errand { task: Task::GiveBack, nonce, worker, number };
        Sender { terms: &self.terms, requests: &mut self.counters.requests, out }.tell(ballot, errand);
    }

    fn give_back(&mut self, caller: Caller, nonce: Nonce, granted: u32, out: &mut Vec<Output>) {
        let number = self.counters.next(Operation::Release);
        let policy = self.terms.policy();
        let ballot = Ballot::of_asked(policy.release_asks, policy.voters, granted);
        let mut releasing = Releasing { caller, nonce, number, ballot };
        let errand = releasing.errand();
        self.ask(&mut releasing.ballot, errand, out);
        self.state = State::Releasing(releasing);
    }
}
