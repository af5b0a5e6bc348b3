//! A hold: prolonging it, looking at it, and its watchdog. Each asks the voters whose sub-lock was got, all at once.
//!
//! Must not release anything.

use crate::lock::policy::OnLoss;
use crate::lock::quorum::validity::{self, Expiry};
use crate::lock::{Caller, ExtendFailure, Found, LossReason, Output, RequestId, Ttl, Until, WakeReason};
use crate::name::{Operation, Worker};
use crate::time::Now;

use super::commands::{Answer, Task};
use super::machine::{Multi, Place, hear};
use super::state::{Asking, Hold, Poll, State};

impl Multi {
    pub(super) fn on_extend(&mut self, now: Now, caller: Caller, ttl: Ttl, out: &mut Vec<Output>) {
        let (why, still) = match &self.state {
            State::Holding(hold) if hold.caller == caller => match (validity::whole_ms(ttl), &hold.extending)
            {
                (ttl @ Ttl::Of(_), Asking::Resting) => {
                    let asked = self.prolong(now, Worker::User, ttl, out);
                    if let State::Holding(hold) = &mut self.state {
                        hold.extending = asked;
                    }
                    return;
                }
                (Ttl::Of(_) | Ttl::Never, _) => (ExtendFailure::Misuse, hold.still(now)),
            },
            // Nothing of this caller is there to prolong.
            State::Holding(_)
            | State::Idle
            | State::Taking(_)
            | State::Settling { .. }
            | State::Undoing { .. }
            | State::Pausing(_)
            | State::Gone { .. }
            | State::Releasing { .. } => (ExtendFailure::NotHeld, None),
        };
        out.push(Output::ExtendFailed { caller, why, still });
    }

    pub(super) fn on_renew(&mut self, now: Now, out: &mut Vec<Output>) {
        let State::Holding(hold) = &self.state else { return };
        if !hold.promise.is_running(now) {
            return self.lose(LossReason::Expired, out);
        }
        let (ttl, resting) = (hold.ttl, hold.renewing == Asking::Resting);
        self.wake_watchdog(now, out);
        // One question at a time; the next wake looks again.
        if resting {
            let asked = self.prolong(now, Worker::Watchdog, ttl, out);
            if let State::Holding(hold) = &mut self.state {
                hold.renewing = asked;
            }
        }
    }

    pub(super) fn on_check(&mut self, caller: Caller, out: &mut Vec<Output>) {
        let (nonce, got) = match &self.state {
            State::Holding(hold) if hold.caller == caller && hold.checking == Asking::Resting => {
                (hold.nonce, hold.got)
            }
            // There is no hold of this caller to look at, or a look is open already.
            State::Holding(_)
            | State::Idle
            | State::Taking(_)
            | State::Settling { .. }
            | State::Undoing { .. }
            | State::Pausing(_)
            | State::Gone { .. }
            | State::Releasing { .. } => return out.push(Output::Checked { caller, found: Found::Unknown }),
        };
        let number = self.counters.next(Operation::Check);
        let place = Place { worker: Worker::User, operation: Operation::Check, number, occurrence: 1 };
        let poll = self.poll(got, (Task::Check, nonce), place, out);
        if let State::Holding(hold) = &mut self.state {
            hold.checking = Asking::Asked { number, ttl: Ttl::Never, lease: Expiry::Never, poll };
        }
    }

    /// An answer while there is a hold: to one of its questions, or to none that is still open.
    pub(super) fn on_told(&mut self, now: Now, request: RequestId, answer: &Answer, out: &mut Vec<Output>) {
        let State::Holding(hold) = &mut self.state else { return };
        let (caller, nonce) = (hold.caller, hold.nonce);
        let quorum = u32::from(self.terms.policy().quorum());
        if let Asking::Asked { ttl, poll, lease, .. } = &mut hold.extending
            && let Some(last) = hear(&self.terms, poll, (Task::Renew { ttl: *ttl }, nonce), request, answer)
        {
            if last {
                let (ttl, lease, ended) = (*ttl, *lease, verdict(poll, hold.got, quorum));
                hold.extending = Asking::Resting;
                self.on_prolonged(now, Worker::User, (ttl, lease), ended, out);
            }
            return;
        }
        if let Asking::Asked { ttl, poll, lease, .. } = &mut hold.renewing
            && let Some(last) = hear(&self.terms, poll, (Task::Renew { ttl: *ttl }, nonce), request, answer)
        {
            if last {
                let (ttl, lease, ended) = (*ttl, *lease, verdict(poll, hold.got, quorum));
                hold.renewing = Asking::Resting;
                self.on_prolonged(now, Worker::Watchdog, (ttl, lease), ended, out);
            }
            return;
        }
        if let Asking::Asked { poll, .. } = &mut hold.checking
            && let Some(true) = hear(&self.terms, poll, (Task::Check, nonce), request, answer)
        {
            let found = verdict(poll, hold.got, quorum);
            hold.checking = Asking::Resting;
            out.push(Output::Checked { caller, found });
        }
    }

    fn on_prolonged(
        &mut self,
        now: Now,
        worker: Worker,
        (ttl, lease): (Ttl, Expiry),
        found: Found,
        out: &mut Vec<Output>,
    ) {
        let State::Holding(hold) = &mut self.state else { return };
        let caller = hold.caller;
        let why = match found {
            Found::Held => match validity::promise(self.terms.promises(), ttl, lease, now) {
                Some(promise) => {
                    (hold.promise, hold.ttl) = (promise, ttl);
                    return out.push(Output::Extended { caller, until: promise.until() });
                }
                None => ExtendFailure::TooLate,
            },
            Found::Unknown => ExtendFailure::Unknown,
            Found::Gone => ExtendFailure::Gone,
        };
        let gone = why == ExtendFailure::Gone;
        match worker {
            Worker::User => {
                let still = if gone { None } else { hold.still(now) };
                out.push(Output::ExtendFailed { caller, why, still });
            }
            // It tries again at its next wake.
            Worker::Watchdog => {}
        }
        if gone {
            if self.terms.watches() {
                out.push(Output::Quiet { reason: WakeReason::Renew });
            }
            self.lose(LossReason::Gone, out);
        }
    }

    fn prolong(&mut self, now: Now, worker: Worker, ttl: Ttl, out: &mut Vec<Output>) -> Asking {
        let State::Holding(hold) = &self.state else { unreachable!("only a hold is prolonged") };
        let (nonce, got) = (hold.nonce, hold.got);
        let lease = validity::lease(self.terms.promises(), ttl, now);
        let number = self.counters.next(Operation::Extend);
        let place = Place { worker, operation: Operation::Extend, number, occurrence: 1 };
        let poll = self.poll(got, (Task::Renew { ttl }, nonce), place, out);
        Asking::Asked { number, ttl, lease, poll }
    }

    /// Asks for the wake at a period from here, or at the promised end if that comes first.
    pub(super) fn wake_watchdog(&self, now: Now, out: &mut Vec<Output>) {
        let State::Holding(hold) = &self.state else { return };
        let Ttl::Of(ttl) = hold.ttl else { return };
        if !self.terms.watches() {
            return;
        }
        let period = now.mono + validity::renewal_period(ttl);
        let at = hold.promise.ends_at(now).map_or(period, |end| end.min(period));
        out.push(Output::Wake { at, reason: WakeReason::Renew });
    }

    fn lose(&mut self, why: LossReason, out: &mut Vec<Output>) {
        let State::Holding(hold) = &mut self.state else { return };
        match self.terms.policy().on_loss {
            OnLoss::Tell => {
                hold.end_questions(out);
                let (caller, nonce) = (hold.caller, hold.nonce);
                out.push(Output::Lost { caller, why });
                self.state = State::Gone { caller, nonce };
            }
            // The holder goes on believing.
            OnLoss::Silent => {}
        }
    }
}

impl Hold {
    /// What the caller waits for ends here; what the commands do is no longer watched.
    pub(super) fn end_questions(&mut self, out: &mut Vec<Output>) {
        let caller = self.caller;
        if std::mem::replace(&mut self.extending, Asking::Resting) != Asking::Resting {
            out.push(Output::ExtendFailed { caller, why: ExtendFailure::Unknown, still: None });
        }
        if std::mem::replace(&mut self.checking, Asking::Resting) != Asking::Resting {
            out.push(Output::Checked { caller, found: Found::Unknown });
        }
        self.renewing = Asking::Resting;
    }

    /// What the core still believes.
    fn still(&self, now: Now) -> Option<Until> {
        self.promise.is_running(now).then(|| self.promise.until())
    }
}

/// Whether so many carry the hold as had to be got, or can at most.
fn verdict(poll: &Poll, got: u8, quorum: u32) -> Found {
    if poll.yes.count_ones() >= quorum {
        Found::Held
    } else if (got & !poll.no).count_ones() >= quorum {
        Found::Unknown
    } else {
        Found::Gone
    }
}
