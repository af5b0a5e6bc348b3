//! A hold: entering again, prolonging it, looking at it, and its watchdog.
//!
//! The caller waits for one thing at a time; beside it the watchdog renews. Validity of every prolongation counts from
//! its own first send. Must not release anything.

use crate::lock::policy::OnLoss;
use crate::lock::quorum::validity::{self, Promise};
use crate::lock::{
    Caller, ExtendFailure, Found, LossReason, Output, RefuseReason, RequestId, Ttl, Until, WakeReason,
};
use crate::name::{Operation, Worker};
use crate::time::{Now, Span};

use super::commands::{Answer, Errand, Said, Task, said};
use super::machine::Waiter;
use super::policy::AfterError;
use super::release::Gave;
use super::state::{Call, Deed, Hold, Prolonging, State, Watchdog};

impl Waiter {
    /// Settles into a hold that was just granted and starts its watchdog.
    pub(super) fn hold(&mut self, now: Now, call: &Call, promise: Promise, out: &mut Vec<Output>) {
        let Call { caller, nonce, ttl, .. } = *call;
        let watchdog = match ttl {
            Ttl::Of(_) if self.terms.watches() => Watchdog::Resting,
            Ttl::Of(_) | Ttl::Never => Watchdog::Off,
        };
        out.push(Output::Granted { caller, nonce, until: promise.until(), fence: None });
        let hold = Hold { caller, nonce, ttl, holds: 1, promise, deed: Deed::Resting, watchdog };
        self.state = State::Holding(hold);
        self.wake_watchdog(now, out);
    }

    /// The holder acquires once more. It is asked once: whoever holds is never refused, and whoever is has lost its
    /// hold.
    pub(super) fn enter(&mut self, now: Now, ttl: Ttl, out: &mut Vec<Output>) {
        let State::Holding(Hold { nonce, .. }) = self.state else { return };
        let number = self.counters.next(Operation::Acquire);
        out.push(Output::Attempt { number });
        let task = Task::Take { ttl, now_ms: now.wall.unix_ms().0, waits: false };
        let (worker, operation) = (Worker::User, Operation::Acquire);
        let errand = Errand { task, nonce, worker, operation, number, occurrence: 1 };
        let lease = validity::lease(self.terms.promises(), ttl, now);
        let request = self.send(errand, out);
        if let State::Holding(hold) = &mut self.state {
            hold.deed = Deed::Entering(Prolonging { ttl, number, request, lease });
        }
    }

    pub(super) fn on_extend(&mut self, now: Now, caller: Caller, ttl: Ttl, out: &mut Vec<Output>) {
        let failed = match &self.state {
            State::Holding(hold) if hold.caller == caller => match (validity::whole_ms(ttl), hold.deed) {
                (Ttl::Of(ttl), Deed::Resting) => {
                    let extending = self.prolong(now, Worker::User, ttl, out);
                    if let State::Holding(hold) = &mut self.state {
                        hold.deed = Deed::Extending(extending);
                    }
                    return;
                }
                (Ttl::Of(_) | Ttl::Never, _) => (ExtendFailure::Misuse, hold.still(now)),
            },
            // Nothing of this caller is there to prolong.
            State::Holding(_)
            | State::Idle
            | State::Looking(_)
            | State::Asking(_)
            | State::Listening(_)
            | State::Waiting(_)
            | State::Undoing(_)
            | State::Gone { .. }
            | State::Releasing { .. } => (ExtendFailure::NotHeld, None),
        };
        let (why, still) = failed;
        out.push(Output::ExtendFailed { caller, why, still });
    }

    pub(super) fn on_renew(&mut self, now: Now, out: &mut Vec<Output>) {
        let State::Holding(hold) = &self.state else { return };
        match (hold.watchdog, hold.ttl) {
            (Watchdog::Resting | Watchdog::Asking(_), _) if !hold.promise.is_running(now) => {
                self.stop_watchdog();
                self.lose(LossReason::Expired, out);
            }
            (Watchdog::Resting, Ttl::Of(ttl)) => {
                self.wake_watchdog(now, out);
                let renewing = self.prolong(now, Worker::Watchdog, ttl, out);
                if let State::Holding(hold) = &mut self.state {
                    hold.watchdog = Watchdog::Asking(renewing);
                }
            }
            // One question at a time; the next wake looks again.
            (Watchdog::Asking(_), _) => self.wake_watchdog(now, out),
            // No watchdog asked for this wake.
            (Watchdog::Off, _) | (Watchdog::Resting, Ttl::Never) => {}
        }
    }

    pub(super) fn on_check(&mut self, caller: Caller, out: &mut Vec<Output>) {
        let State::Holding(Hold { caller: holder, nonce, deed: Deed::Resting, .. }) = self.state else {
            return out.push(Output::Checked { caller, found: Found::Unknown });
        };
        if holder != caller {
            return out.push(Output::Checked { caller, found: Found::Unknown });
        }
        let number = self.counters.next(Operation::Check);
        let (task, operation) = (Task::Check, Operation::Check);
        let errand = Errand { task, nonce, worker: Worker::User, operation, number, occurrence: 1 };
        let request = self.send(errand, out);
        if let State::Holding(hold) = &mut self.state {
            hold.deed = Deed::Checking { number, request };
        }
    }

    /// An answer while there is a hold: to what the caller or the watchdog asked, or to nothing that is still open.
    pub(super) fn on_told(&mut self, now: Now, request: RequestId, answer: &Answer, out: &mut Vec<Output>) {
        let State::Holding(hold) = &mut self.state else { return };
        if let Watchdog::Asking(renewing) = hold.watchdog
            && renewing.request == request
        {
            hold.watchdog = Watchdog::Resting;
            return self.on_renewed(now, renewing, answer, out);
        }
        let (caller, nonce) = (hold.caller, hold.nonce);
        match hold.deed {
            Deed::Entering(entering) if entering.request == request => {
                hold.deed = Deed::Resting;
                self.on_entered(now, entering, answer, out);
            }
            Deed::Extending(extending) if extending.request == request => {
                hold.deed = Deed::Resting;
                self.on_extended(now, extending, answer, out);
            }
            Deed::Checking { request: known, .. } if known == request => {
                hold.deed = Deed::Resting;
                let found = match said(&self.terms, Task::Check, nonce, answer) {
                    Said::Yes => Found::Held,
                    Said::No { .. } => Found::Gone,
                    Said::Error | Said::Unknown => Found::Unknown,
                };
                out.push(Output::Checked { caller, found });
            }
            Deed::GivingBack(giving) if giving.request == request => {
                hold.deed = Deed::Resting;
                match self.gave_back(now, nonce, giving, answer, out) {
                    Gave::Ended(how) => out.push(Output::Released { caller, how }),
                    Gave::Again(giving) => {
                        if let State::Holding(hold) = &mut self.state {
                            hold.deed = Deed::GivingBack(giving);
                        }
                    }
                }
            }
            // The question was given up.
            Deed::Resting
            | Deed::Entering(_)
            | Deed::Extending(_)
            | Deed::Checking { .. }
            | Deed::GivingBack(_) => {}
        }
    }

    fn on_entered(&mut self, now: Now, entering: Prolonging, answer: &Answer, out: &mut Vec<Output>) {
        let Prolonging { ttl, lease, number, .. } = entering;
        let State::Holding(hold) = &mut self.state else { return };
        let (caller, nonce) = (hold.caller, hold.nonce);
        let task = Task::Take { ttl, now_ms: 0, waits: false };
        let why = match said(&self.terms, task, nonce, answer) {
            Said::Yes => match validity::promise(self.terms.promises(), ttl, lease, now) {
                Some(promise) => {
                    (hold.holds, hold.promise, hold.ttl) = (hold.holds.saturating_add(1), promise, ttl);
                    return out.push(Output::Granted { caller, nonce, until: promise.until(), fence: None });
                }
                None => {
                    // It was counted for certain, so it may be taken back; nobody waits for the answer.
                    let now_ms = now.wall.unix_ms().0;
                    let task = Task::GiveBack { number: 0, now_ms, ttl: self.terms.policy().ttl };
                    let (worker, operation) = (Worker::User, Operation::Acquire);
                    let errand = Errand { task, nonce, worker, operation, number, occurrence: 2 };
                    let _: RequestId = self.send(errand, out);
                    RefuseReason::TooLate
                }
            },
            Said::No { .. } => RefuseReason::Taken,
            Said::Error => RefuseReason::Error,
            // Taking back what was perhaps never counted would take the outer hold.
            Said::Unknown => RefuseReason::Unknown,
        };
        out.push(Output::Refused { caller, why });
    }

    fn on_extended(&mut self, now: Now, done: Prolonging, answer: &Answer, out: &mut Vec<Output>) {
        let why = match self.prolonged(now, done, answer, out) {
            Ok(()) => return,
            Err(why) => why,
        };
        let State::Holding(hold) = &self.state else { return };
        let still = if why == ExtendFailure::Gone { None } else { hold.still(now) };
        out.push(Output::ExtendFailed { caller: hold.caller, why, still });
        if why == ExtendFailure::Gone {
            self.lose(LossReason::Gone, out);
        }
    }

    fn on_renewed(&mut self, now: Now, done: Prolonging, answer: &Answer, out: &mut Vec<Output>) {
        match (self.prolonged(now, done, answer, out), self.terms.policy().after_error) {
            (Ok(()), _) | (Err(ExtendFailure::TooLate), _) => {}
            (Err(ExtendFailure::Gone), _) => {
                out.push(Output::Quiet { reason: WakeReason::Renew });
                self.stop_watchdog();
                self.lose(LossReason::Gone, out);
            }
            (Err(_), AfterError::Again) => {}
            (Err(_), AfterError::End) => {
                out.push(Output::Quiet { reason: WakeReason::Renew });
                self.stop_watchdog();
            }
        }
    }

    /// Takes the answer to a prolongation.
    fn prolonged(
        &mut self,
        now: Now,
        done: Prolonging,
        answer: &Answer,
        out: &mut Vec<Output>,
    ) -> Result<(), ExtendFailure> {
        let State::Holding(hold) = &mut self.state else { return Ok(()) };
        let Prolonging { ttl, lease, .. } = done;
        match said(&self.terms, Task::Renew { ttl }, hold.nonce, answer) {
            Said::Yes => {}
            Said::No { .. } => return Err(ExtendFailure::Gone),
            Said::Error | Said::Unknown => return Err(ExtendFailure::Unknown),
        }
        let promise =
            validity::promise(self.terms.promises(), ttl, lease, now).ok_or(ExtendFailure::TooLate)?;
        (hold.promise, hold.ttl) = (promise, ttl);
        out.push(Output::Extended { caller: hold.caller, until: promise.until() });
        Ok(())
    }

    fn prolong(&mut self, now: Now, worker: Worker, ttl: Span, out: &mut Vec<Output>) -> Prolonging {
        let State::Holding(Hold { nonce, .. }) = self.state else { unreachable!("only a hold is prolonged") };
        let ttl = Ttl::Of(ttl);
        let lease = validity::lease(self.terms.promises(), ttl, now);
        let number = self.counters.next(Operation::Extend);
        let (task, operation) = (Task::Renew { ttl }, Operation::Extend);
        let request = self.send(Errand { task, nonce, worker, operation, number, occurrence: 1 }, out);
        Prolonging { ttl, number, request, lease }
    }

    /// Asks for the wake at a period from here, or at the promised end if that comes first.
    fn wake_watchdog(&self, now: Now, out: &mut Vec<Output>) {
        let State::Holding(hold) = &self.state else { return };
        let (Ttl::Of(ttl), Watchdog::Resting | Watchdog::Asking(_)) = (hold.ttl, hold.watchdog) else {
            return;
        };
        let period = now.mono + self.terms.renewal_period(ttl);
        let at = hold.promise.ends_at(now).map_or(period, |end| end.min(period));
        out.push(Output::Wake { at, reason: WakeReason::Renew });
    }

    fn stop_watchdog(&mut self) {
        if let State::Holding(hold) = &mut self.state {
            hold.watchdog = Watchdog::Off;
        }
    }

    fn lose(&mut self, why: LossReason, out: &mut Vec<Output>) {
        let State::Holding(hold) = &mut self.state else { return };
        match self.terms.policy().on_loss {
            OnLoss::Tell => {
                if let Deed::GivingBack(giving) = hold.deed {
                    // The caller waits for that answer, and hears of the loss first.
                    let (caller, nonce) = (hold.caller, hold.nonce);
                    out.push(Output::Lost { caller, why });
                    self.state = State::Releasing { caller, nonce, giving };
                    return;
                }
                hold.end_deed(out);
                let (caller, nonce) = (hold.caller, hold.nonce);
                if hold.watchdog != Watchdog::Off {
                    out.push(Output::Quiet { reason: WakeReason::Renew });
                }
                out.push(Output::Lost { caller, why });
                self.state = State::Gone { caller, nonce };
            }
            // The holder goes on believing.
            OnLoss::Silent => {}
        }
    }
}

impl Hold {
    /// What the core still believes.
    fn still(&self, now: Now) -> Option<Until> {
        self.promise.is_running(now).then(|| self.promise.until())
    }
}
