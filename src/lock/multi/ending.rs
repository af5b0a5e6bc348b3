//! How a call ends: enough sub-locks were got, or all are given back; and how a hold does.
//!
//! With a provisional lease the sub-locks are given their life at the end, by a PEXPIRE that asks for no owner: one that
//! was lost meanwhile is prolonged for whoever has it. Must not ask for a sub-lock.

use crate::lock::quorum::validity;
use crate::lock::waiter::Patience;
use crate::lock::{Caller, Output, RefuseReason, Released, RequestId, WakeReason};
use crate::name::{Nonce, Operation, Worker};
use crate::time::Now;

use super::commands::{Answer, Task};
use super::machine::{Multi, Place, hear};
use super::policy::Leasing;
use super::state::{Asking, Call, Hold, Next, Poll, State, Taking};

impl Multi {
    pub(super) fn won(&mut self, now: Now, taking: Taking, out: &mut Vec<Output>) {
        match self.terms.policy().leasing {
            Leasing::Final => self.grant(now, taking, taking.lease, out),
            Leasing::Provisional => {
                let Call { ttl, nonce, .. } = taking.call;
                let lease = validity::lease(self.terms.promises(), ttl, now);
                let place = taking.call.place_behind(1);
                let poll = self.poll(taking.got, (Task::Settle { ttl }, nonce), place, out);
                self.state = State::Settling { taking, lease, poll };
            }
        }
    }

    pub(super) fn on_settled(
        &mut self,
        now: Now,
        request: RequestId,
        answer: &Answer,
        out: &mut Vec<Output>,
    ) {
        let State::Settling { taking, lease, poll } = &mut self.state else { return };
        let (taking, lease) = (*taking, *lease);
        let what = (Task::Settle { ttl: taking.call.ttl }, taking.call.nonce);
        // The library looks at none of the answers.
        if hear(&self.terms, poll, what, request, answer) == Some(true) {
            self.grant(now, taking, lease, out);
        }
    }

    fn grant(
        &mut self,
        now: Now,
        taking: Taking,
        lease: crate::lock::quorum::validity::Expiry,
        out: &mut Vec<Output>,
    ) {
        let Taking { call, got, .. } = taking;
        let Call { caller, nonce, ttl, .. } = call;
        let Some(promise) = validity::promise(self.terms.promises(), ttl, lease, now) else {
            let next = Next::Refuse(RefuseReason::TooLate);
            return self.undo(now, call, got, next, out);
        };
        self.stop_listening(&call, out);
        out.push(Output::Granted { caller, nonce, until: promise.until(), fence: None });
        let (extending, renewing, checking) = (Asking::Resting, Asking::Resting, Asking::Resting);
        self.state = State::Holding(Hold { caller, nonce, ttl, got, promise, extending, renewing, checking });
        self.wake_watchdog(now, out);
    }

    /// Too few are to be had: all is given back, and then it begins again, if there is time.
    pub(super) fn fail(&mut self, now: Now, taking: Taking, to_undo: u8, out: &mut Vec<Output>) {
        let next = match self.terms.policy().wait {
            Patience::For(_) if taking.call.over.is_ahead(now) => Next::Again,
            Patience::Ever => Next::Again,
            Patience::Once | Patience::For(_) => Next::Refuse(taking.call.refusal()),
        };
        self.undo(now, taking.call, to_undo, next, out);
    }

    fn undo(&mut self, now: Now, call: Call, voters: u8, next: Next, out: &mut Vec<Output>) {
        self.stop_listening(&call, out);
        let place = call.place_behind(2);
        let poll = self.poll(voters, (Task::GiveBack, call.nonce), place, out);
        if poll.open.is_empty() {
            return self.proceed(now, call, next, out);
        }
        self.state = State::Undoing { call, poll, next };
    }

    pub(super) fn on_undone(&mut self, now: Now, request: RequestId, out: &mut Vec<Output>) {
        let State::Undoing { call, poll, next } = &mut self.state else { return };
        let (call, next) = (*call, *next);
        poll.open.retain(|(_, known)| *known != request);
        if poll.open.is_empty() {
            self.proceed(now, call, next, out);
        }
    }

    pub(super) fn proceed(&mut self, now: Now, call: Call, next: Next, out: &mut Vec<Output>) {
        match next {
            Next::Again => {
                out.push(Output::Wake { at: now.mono + call.pause, reason: WakeReason::Retry });
                self.state = State::Pausing(call);
            }
            Next::Refuse(why) => {
                self.state = State::Idle;
                out.push(Output::Refused { caller: call.caller, why });
            }
        }
    }

    pub(super) fn on_cancel(&mut self, caller: Caller, out: &mut Vec<Output>) {
        let why = RefuseReason::Cancelled;
        match &mut self.state {
            State::Taking(taking) | State::Settling { taking, .. } if taking.call.caller == caller => {
                let taking = *taking;
                out.push(Output::Quiet { reason: WakeReason::Retry });
                self.stop_listening(&taking.call, out);
                let asked = 1 << self.terms.voter_at(taking.place.min(self.terms.policy().voters - 1));
                let place = taking.call.place_behind(2);
                let poll = self.poll(taking.got | asked, (Task::GiveBack, taking.call.nonce), place, out);
                self.state = State::Undoing { call: taking.call, poll, next: Next::Refuse(why) };
            }
            State::Undoing { call, next, .. } if call.caller == caller => *next = Next::Refuse(why),
            State::Pausing(call) if call.caller == caller => {
                out.push(Output::Quiet { reason: WakeReason::Retry });
                self.state = State::Idle;
                out.push(Output::Refused { caller, why });
            }
            // Another caller's call is not ours to end, and there is no call where there is a hold or nothing.
            State::Taking(_)
            | State::Settling { .. }
            | State::Undoing { .. }
            | State::Pausing(_)
            | State::Idle
            | State::Holding(_)
            | State::Gone { .. }
            | State::Releasing { .. } => {}
        }
    }

    /// All voters are asked, whatever is believed about them.
    pub(super) fn on_release(&mut self, caller: Caller, out: &mut Vec<Output>) {
        let nonce = match &mut self.state {
            State::Holding(hold) if hold.caller == caller => {
                hold.end_questions(out);
                if self.terms.watches() {
                    out.push(Output::Quiet { reason: WakeReason::Renew });
                }
                hold.nonce
            }
            State::Gone { caller: holder, nonce } if *holder == caller => *nonce,
            // Nothing of this caller is there to give back.
            State::Holding(_)
            | State::Gone { .. }
            | State::Idle
            | State::Taking(_)
            | State::Settling { .. }
            | State::Undoing { .. }
            | State::Pausing(_)
            | State::Releasing { .. } => {
                return out.push(Output::Released { caller, how: Released::NotOwned });
            }
        };
        let number = self.counters.next(Operation::Release);
        let place = Place { worker: Worker::User, operation: Operation::Release, number, occurrence: 1 };
        let poll = self.poll(self.terms.everybody(), (Task::GiveBack, nonce), place, out);
        self.state = State::Releasing { caller, nonce, number, poll };
    }

    pub(super) fn on_given_back(&mut self, request: RequestId, answer: &Answer, out: &mut Vec<Output>) {
        let State::Releasing { caller, nonce, poll, .. } = &mut self.state else { return };
        let caller = *caller;
        if hear(&self.terms, poll, (Task::GiveBack, *nonce), request, answer) != Some(true) {
            return;
        }
        let quorum = u32::from(self.terms.policy().quorum());
        let how = outcome(poll, self.terms.policy().voters, quorum);
        self.state = State::Idle;
        out.push(Output::Released { caller, how });
    }

    /// Nobody is to tell any more; nobody waits for the answers.
    fn stop_listening(&mut self, call: &Call, out: &mut Vec<Output>) {
        let (ears, nonce): (u8, Nonce) = (self.ears, call.nonce);
        (self.ears, self.rung) = (0, 0);
        let _: Poll = self.poll(ears, (Task::Unlisten, nonce), call.place_behind(3), out);
    }
}

/// How a release ended: confirmed by so many as had to be got, or denied by so many that they cannot have been.
fn outcome(poll: &Poll, voters: u8, quorum: u32) -> Released {
    if poll.yes.count_ones() >= quorum {
        Released::Confirmed
    } else if poll.no.count_ones() > u32::from(voters) - quorum {
        Released::NotOwned
    } else {
        Released::Unknown
    }
}
