//! Prolonging a hold: the caller's own call and the watchdog's renewals.
//!
//! Both are what the policy calls an extension (the specification: compare-and-pexpire) by a quorum within validity, where validity counts from the extension's own
//! first send. The watchdog is woken every third of the TTL after the grant or after its last renewal began, and
//! at the promised end if that comes first, for then it has to tell the holder. It is a policy's choice to say
//! nothing (`on_loss = silent`); the caller's own call is always answered.
//!
//! No extension waits for replicas, whatever the policy does for a grant.
//!
//! A watchdog stops by not asking for another wake. Must not release anything: a failed extension leaves the
//! keys to their TTL.

use crate::lock::policy::{Extension, OnLoss};
use crate::lock::{Caller, ExtendFailure, LossReason, Output, RequestId, Ttl, Until, WakeReason};
use crate::name::{Operation, Worker};
use crate::time::{Now, Span};
use std::mem;

use super::ballot::{Answer, Ballot, Heard, Sender};
use super::machine::Quorum;
use super::state::{Extending, Hold, Prolonging, State};
use super::validity;

impl Quorum {
    /// Settles into a hold that was just granted and starts its watchdog.
    pub(super) fn hold(&mut self, now: Now, hold: Hold, out: &mut Vec<Output>) {
        self.state = State::Holding(hold);
        self.wake_watchdog(now, out);
    }

    pub(super) fn on_extend(&mut self, now: Now, caller: Caller, ttl: Ttl, out: &mut Vec<Output>) {
        match &self.state {
            State::Holding(hold) if hold.caller == caller => match self.asked_life(hold, ttl) {
                Some(ttl) => self.prolong(now, Worker::User, ttl, out),
                None => {
                    let (why, still) = (ExtendFailure::Misuse, hold.still(now));
                    out.push(Output::ExtendFailed { caller, why, still });
                }
            },
            // Nothing of this caller is there to prolong.
            State::Idle
            | State::Asking(_)
            | State::Confirming(_)
            | State::Cleaning(_)
            | State::Waiting(_)
            | State::Holding(_)
            | State::Gone { .. }
            | State::Releasing(_) => {
                out.push(Output::ExtendFailed { caller, why: ExtendFailure::NotHeld, still: None });
            }
        }
    }

    pub(super) fn on_renew(&mut self, now: Now, out: &mut Vec<Output>) {
        match &self.state {
            State::Holding(hold) => match (self.renewed_life(hold), &hold.extending) {
                (Some(_), _) if !hold.promise.is_running(now) => self.expire(out),
                (Some(ttl), Extending::Resting) => {
                    self.wake_watchdog(now, out);
                    self.prolong(now, Worker::Watchdog, ttl, out);
                }
                // One question at a time; the next wake looks again.
                (Some(_), Extending::Asking(_)) => self.wake_watchdog(now, out),
                // No watchdog asked for this wake.
                (None, Extending::Resting | Extending::Asking(_)) => {}
            },
            // The hold whose watchdog asked for this wake is over.
            State::Idle
            | State::Asking(_)
            | State::Confirming(_)
            | State::Cleaning(_)
            | State::Waiting(_)
            | State::Gone { .. }
            | State::Releasing(_) => {}
        }
    }

    pub(super) fn on_prolonged(
        &mut self,
        now: Now,
        request: RequestId,
        answer: &Answer,
        out: &mut Vec<Output>,
    ) {
        let State::Holding(hold) = &mut self.state else { return };
        let Extending::Asking(prolonging) = &mut hold.extending else { return };
        let errand = prolonging.errand(hold.nonce);
        let mut sender = Sender { terms: &self.terms, requests: &mut self.counters.requests, out };
        match sender.hear(&mut prolonging.ballot, errand, request, answer) {
            Heard::Stranger | Heard::Open => {}
            Heard::Complete => self.conclude(now, out),
        }
    }

    /// The life to ask for, if the policy prolongs at all, a life was given and no earlier call of the holder is
    /// open. A renewal of the watchdog gives way: its answers become strangers.
    fn asked_life(&self, hold: &Hold, ttl: Ttl) -> Option<Span> {
        match self.terms.policy().extension {
            Extension::None => return None,
            Extension::Compare | Extension::Recreate | Extension::Blind => {}
        }
        if hold.extending.is_call() {
            return None;
        }
        match validity::whole_ms(ttl) {
            Ttl::Of(ttl) => Some(ttl),
            Ttl::Never => None,
        }
    }

    /// The life that the watchdog renews to, if there is a watchdog.
    fn renewed_life(&self, hold: &Hold) -> Option<Span> {
        match hold.ttl {
            Ttl::Of(ttl) if self.terms.watches() => Some(ttl),
            Ttl::Of(_) | Ttl::Never => None,
        }
    }

    /// Asks for the wake at a period from here, or at the promised end if that comes first.
    fn wake_watchdog(&self, now: Now, out: &mut Vec<Output>) {
        let State::Holding(hold) = &self.state else { return };
        let Some(ttl) = self.renewed_life(hold) else { return };
        let period = now.mono + validity::renewal_period(ttl);
        let at = hold.promise.ends_at(now).map_or(period, |end| end.min(period));
        out.push(Output::Wake { at, reason: WakeReason::Renew });
    }

    fn prolong(&mut self, now: Now, worker: Worker, ttl: Span, out: &mut Vec<Output>) {
        let lease = validity::lease(self.terms.policy(), Ttl::Of(ttl), now);
        let ballot = Ballot::of_all(self.terms.policy().voters);
        let number = self.counters.next(Operation::Extend);
        let State::Holding(hold) = &mut self.state else { return };
        let mut prolonging = Prolonging { worker, number, ttl, lease, ballot };
        let errand = prolonging.errand(hold.nonce);
        let mut sender = Sender { terms: &self.terms, requests: &mut self.counters.requests, out };
        sender.ask(&mut prolonging.ballot, errand);
        hold.extending = Extending::Asking(prolonging);
    }

    fn conclude(&mut self, now: Now, out: &mut Vec<Output>) {
        let State::Holding(hold) = &mut self.state else { return };
        let Extending::Asking(done) = mem::replace(&mut hold.extending, Extending::Resting) else { return };
        let policy = self.terms.policy();
        let quorum = usize::from(policy.quorum);
        let tally = done.ballot.tally();
        let caller = hold.caller;
        let why = if tally.yes >= quorum {
            match validity::promise(policy, Ttl::Of(done.ttl), done.lease, now) {
                Some(promise) => {
                    hold.promise = promise;
                    hold.ttl = Ttl::Of(done.ttl);
                    return out.push(Output::Extended { caller, until: promise.until() });
                }
                None => ExtendFailure::TooLate,
            }
        } else if tally.yes + tally.unknown >= quorum {
            ExtendFailure::Unknown
        } else {
            ExtendFailure::Gone
        };
        let gone = why == ExtendFailure::Gone;
        match done.worker {
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

    /// The promised end has come without a renewal, which ends. A call of the holder that is still asking is
    /// answered where the holder is told, and goes on where it is not.
    fn expire(&mut self, out: &mut Vec<Output>) {
        let State::Holding(hold) = &mut self.state else { return };
        let (caller, tells) = (hold.caller, self.terms.policy().on_loss == OnLoss::Tell);
        if !hold.extending.is_call() {
            hold.extending = Extending::Resting;
        } else if tells {
            out.push(Output::ExtendFailed { caller, why: ExtendFailure::Unknown, still: None });
        }
        self.lose(LossReason::Expired, out);
    }

    fn lose(&mut self, why: LossReason, out: &mut Vec<Output>) {
        let State::Holding(hold) = &mut self.state else { return };
        let (caller, nonce) = (hold.caller, hold.nonce);
        match self.terms.policy().on_loss {
            OnLoss::Tell => {
                hold.end_look(out);
                out.push(Output::Lost { caller, why });
                self.state = State::Gone { caller, nonce };
            }
            // The holder goes on believing; only its watchdog has ended.
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
