//! Giving a hold back, the inner ones before the last.
//!
//! The node is asked whatever is believed, also after the caller was told of a loss. Must not touch a call in progress:
//! that is cancelled, not released.

use crate::lock::{Caller, ExtendFailure, Found, Output, RefuseReason, Released, WakeReason};
use crate::name::{Nonce, Operation, Worker};
use crate::time::Now;

use super::commands::{Answer, Errand, Said, Task, said};
use super::machine::Waiter;
use super::state::{Deed, Giving, State};

impl Waiter {
    pub(super) fn on_release(&mut self, now: Now, caller: Caller, out: &mut Vec<Output>) {
        let (nonce, last) = match &mut self.state {
            State::Holding(hold) if hold.caller == caller && !hold.deed.gives_back() => {
                hold.end_deed(out);
                hold.holds -= 1;
                (hold.nonce, hold.holds == 0)
            }
            State::Gone { caller: holder, nonce } if *holder == caller => (*nonce, true),
            // Nothing of this caller is there to give back, or it is being given back.
            State::Holding(_)
            | State::Gone { .. }
            | State::Idle
            | State::Looking(_)
            | State::Asking(_)
            | State::Listening(_)
            | State::Waiting(_)
            | State::Undoing(_)
            | State::Releasing { .. } => {
                return out.push(Output::Released { caller, how: Released::NotOwned });
            }
        };
        if last && self.terms.watches() && matches!(self.state, State::Holding(_)) {
            out.push(Output::Quiet { reason: WakeReason::Renew });
        }
        let number = self.counters.next(Operation::Release);
        let giving = self.give_back(now, nonce, (number, 0), out);
        match &mut self.state {
            State::Holding(hold) if !last => hold.deed = Deed::GivingBack(giving),
            State::Holding(_)
            | State::Gone { .. }
            | State::Idle
            | State::Looking(_)
            | State::Asking(_)
            | State::Listening(_)
            | State::Waiting(_)
            | State::Undoing(_)
            | State::Releasing { .. } => self.state = State::Releasing { caller, nonce, giving },
        }
    }

    pub(super) fn on_given_back(&mut self, now: Now, answer: &Answer, out: &mut Vec<Output>) {
        let State::Releasing { caller, nonce, giving } = self.state else { return };
        match self.gave_back(now, nonce, giving, answer, out) {
            Gave::Again(giving) => self.state = State::Releasing { caller, nonce, giving },
            Gave::Ended(how) => {
                self.state = State::Idle;
                out.push(Output::Released { caller, how });
            }
        }
    }

    /// How the answer to a release ends it, if it is not sent again.
    pub(super) fn gave_back(
        &mut self,
        now: Now,
        nonce: Nonce,
        giving: Giving,
        answer: &Answer,
        out: &mut Vec<Output>,
    ) -> Gave {
        let Giving { number, repeats, .. } = giving;
        let task = Task::GiveBack { number, now_ms: 0, ttl: self.terms.policy().ttl };
        Gave::Ended(match said(&self.terms, task, nonce, answer) {
            Said::Yes => Released::Confirmed,
            Said::No { .. } => Released::NotOwned,
            Said::Unknown if repeats < self.terms.policy().release_retries => {
                return Gave::Again(self.give_back(now, nonce, (number, repeats + 1), out));
            }
            Said::Error | Said::Unknown => Released::Unknown,
        })
    }

    fn give_back(
        &mut self,
        now: Now,
        nonce: Nonce,
        (number, repeats): (u32, u8),
        out: &mut Vec<Output>,
    ) -> Giving {
        let task = Task::GiveBack { number, now_ms: now.wall.unix_ms().0, ttl: self.terms.policy().ttl };
        let (operation, occurrence) = (Operation::Release, repeats + 1);
        let errand = Errand { task, nonce, worker: Worker::User, operation, number, occurrence };
        let request = self.send(errand, out);
        Giving { number, request, repeats }
    }
}

/// What became of a release.
pub(super) enum Gave {
    /// It was sent again.
    Again(Giving),
    /// It ended.
    Ended(Released),
}

impl Deed {
    fn gives_back(&self) -> bool {
        matches!(self, Self::GivingBack(_))
    }
}

impl super::state::Hold {
    /// What the caller waited for ends here; what its commands do is no longer watched.
    pub(super) fn end_deed(&mut self, out: &mut Vec<Output>) {
        let caller = self.caller;
        match std::mem::replace(&mut self.deed, Deed::Resting) {
            Deed::Resting | Deed::GivingBack(_) => {}
            Deed::Entering(_) => out.push(Output::Refused { caller, why: RefuseReason::Cancelled }),
            Deed::Extending(_) => {
                out.push(Output::ExtendFailed { caller, why: ExtendFailure::Unknown, still: None });
            }
            Deed::Checking { .. } => out.push(Output::Checked { caller, found: Found::Unknown }),
        }
    }
}
