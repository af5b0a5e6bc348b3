//! Prolonging a hold: the caller's own call and the watchdog's renewals.
//!
//! Both are what the policy calls an extension (the specification: compare-and-pexpire) by a quorum within validity, where validity counts from the extension's own
//! first send. The watchdog is woken every period (a third of the TTL) after the grant or after its last renewal began, and
//! at the promised end if that comes first, for then it has to tell the holder. It is a policy's choice to say
//! nothing (`on_loss = silent`); the caller's own call is always answered.
//!
//! No extension waits for replicas, whatever the policy does for a grant.
//!
//! A watchdog stops by not asking for another wake. Must not release anything unless the policy takes a failed extension
//! for a loss: otherwise that leaves the keys to their TTL.

use crate::lock::policy::{
    Extension, ExtensionMoves, ExtensionWithin, OnExtensionFailure, OnLoss, RenewalRearm,
};
use crate::lock::{Caller, ExtendFailure, LossReason, Output, RequestId, Ttl, Until, WakeReason};
use crate::name::{Operation, Worker};
use crate::time::{Now, Span};
use std::mem;

use super::ballot::{Answer, Ballot, Heard, Sender};
use super::machine::Quorum;
use super::state::{Extending, Hold, Prolonging, State};
use super::validity;
use super::validity::Promise;

impl Quorum {
    /// Settles into a hold that was just granted and starts its watchdog.
    pub(super) fn hold(&mut self, now: Now, hold: Hold, out: &mut Vec<Output>) {
        self.state = State::Holding(hold);
        self.stray = None;
        self.wake_watchdog(now, out);
    }

    pub(super) fn on_extend(&mut self, now: Now, caller: Caller, ttl: Ttl, out: &mut Vec<Output>) {
        match &self.state {
            State::Holding(hold) if hold.caller == caller => match self.asked_life(hold, ttl, now) {
                Ok(ttl) => {
                    self.displace_watchdog(now, out);
                    self.prolong(now, Worker::User, ttl, out);
                }
                Err(why) => {
                    let still = hold.still(now);
                    out.push(Output::ExtendFailed { caller, why, still });
                }
            },
            // Nothing of this caller is there to prolong.
            State::Idle
            | State::Asking(_)
            | State::Confirming(_)
            | State::Cleaning(_)
            | State::Waiting(_)
            | State::Lingering { .. }
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
                (Some(_), Extending::Resting) if self.is_exhausted(hold) => self.wake_watchdog(now, out),
                (Some(ttl), Extending::Resting) => {
                    match self.terms.policy().renewal_rearm {
                        RenewalRearm::Always => self.wake_watchdog(now, out),
                        RenewalRearm::AfterSuccess | RenewalRearm::AfterReply => {}
                    }
                    self.prolong(now, Worker::Watchdog, ttl, out);
                }
                // One question at a time; the next wake looks again.
                (Some(_), Extending::Asking(_)) => self.wake_watchdog(now, out),
                // No watchdog asked for this wake.
                (None, Extending::Resting | Extending::Asking(_)) => {}
            },
            // The hold whose watchdog asked for this wake is over, though perhaps not the watchdog.
            State::Idle
            | State::Asking(_)
            | State::Confirming(_)
            | State::Cleaning(_)
            | State::Waiting(_)
            | State::Lingering { .. }
            | State::Gone { .. }
            | State::Releasing(_) => self.on_stray_wake(now, out),
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
        let errand = prolonging.errand(hold.nonce, now);
        let mut sender = Sender { terms: &self.terms, requests: &mut self.counters.requests, out };
        match sender.hear(&mut prolonging.ballot, errand, request, answer) {
            Heard::Stranger | Heard::Open => {}
            Heard::Complete => self.conclude(now, out),
        }
    }

    /// The life to ask for, if the policy prolongs this hold now, a life was given and no earlier call of the holder is
    /// open. A renewal of the watchdog gives way: its answers become strangers.
    fn asked_life(&self, hold: &Hold, ttl: Ttl, now: Now) -> Result<Span, ExtendFailure> {
        let policy = self.terms.policy();
        let Ttl::Of(ttl) = validity::whole_ms(ttl) else { return Err(ExtendFailure::Misuse) };
        if policy.extension == Extension::None || hold.extending.is_call() || self.is_exhausted(hold) {
            return Err(ExtendFailure::Misuse);
        }
        match policy.extension_within {
            ExtensionWithin::Validity if !hold.promise.is_running(now) => Err(ExtendFailure::TooLate),
            ExtensionWithin::Validity | ExtensionWithin::Any => Ok(ttl),
        }
    }

    /// Whether this hold was prolonged as often as the policy allows.
    fn is_exhausted(&self, hold: &Hold) -> bool {
        let most = self.terms.policy().renewals_max;
        most > 0 && hold.renewals >= most
    }

    /// The holder's own call takes the place of a renewal, which would have asked for the watchdog's next wake.
    fn displace_watchdog(&self, now: Now, out: &mut Vec<Output>) {
        let State::Holding(Hold { extending: Extending::Asking(_), .. }) = &self.state else { return };
        match self.terms.policy().renewal_rearm {
            RenewalRearm::Always => {}
            RenewalRearm::AfterSuccess | RenewalRearm::AfterReply => self.wake_watchdog(now, out),
        }
    }

    /// The life that the watchdog renews to, if there is a watchdog.
    pub(super) fn renewed_life(&self, hold: &Hold) -> Option<Span> {
        match hold.ttl {
            Ttl::Of(ttl) if self.terms.watches() => Some(ttl),
            Ttl::Of(_) | Ttl::Never => None,
        }
    }

    /// Asks for the wake at a period from here, or at the promised end if that comes first; only at that where nothing
    /// may be prolonged any more.
    fn wake_watchdog(&self, now: Now, out: &mut Vec<Output>) {
        let State::Holding(hold) = &self.state else { return };
        let Some(ttl) = self.renewed_life(hold) else { return };
        let period = now.mono + self.terms.policy().renewal_period(ttl);
        let period = if self.is_exhausted(hold) { None } else { Some(period) };
        let Some(at) = [period, hold.promise.ends_at(now)].into_iter().flatten().min() else { return };
        out.push(Output::Wake { at, reason: WakeReason::Renew });
    }

    fn prolong(&mut self, now: Now, worker: Worker, ttl: Span, out: &mut Vec<Output>) {
        let number = self.counters.next(Operation::Extend);
        let policy = self.terms.policy();
        let State::Holding(hold) = &mut self.state else { return };
        let ballot = Ballot::of_asked(policy.extension_asks(), policy.voters, hold.granted);
        let lease = match policy.extension {
            Extension::Add => hold.promise.prolonged(policy.less_margin(ttl)),
            Extension::None
            | Extension::Compare
            | Extension::Recreate
            | Extension::Blind
            | Extension::SetXx
            | Extension::SetIfeq
            | Extension::Pexpireat => validity::lease(policy, Ttl::Of(ttl), now),
        };
        let mut prolonging = Prolonging { worker, number, ttl, lease, ballot };
        let errand = prolonging.errand(hold.nonce, now);
        let mut sender = Sender { terms: &self.terms, requests: &mut self.counters.requests, out };
        sender.ask(&mut prolonging.ballot, errand);
        hold.extending = Extending::Asking(prolonging);
    }

    fn conclude(&mut self, now: Now, out: &mut Vec<Output>) {
        let State::Holding(hold) = &mut self.state else { return };
        let Extending::Asking(done) = mem::replace(&mut hold.extending, Extending::Resting) else { return };
        let policy = self.terms.policy();
        let tally = done.ballot.tally();
        let quorum = done.errand(hold.nonce, now).quorum(&self.terms, tally);
        let over = match policy.extension_within {
            ExtensionWithin::Any => false,
            ExtensionWithin::Validity => !hold.promise.is_running(now),
        };
        let why = if tally.yes >= quorum {
            match validity::extended(policy, done.ttl, done.lease, now) {
                Some(promise) if !over => return self.succeed(&done, promise, now, out),
                Some(_) | None => ExtendFailure::TooLate,
            }
        } else if tally.yes + tally.unknown >= quorum {
            ExtendFailure::Unknown
        } else {
            ExtendFailure::Gone
        };
        match (done.worker, policy.renewal_rearm) {
            // It asked whether there was an error, and there was none.
            (Worker::Watchdog, RenewalRearm::AfterReply) if why == ExtendFailure::Gone => {
                self.wake_watchdog(now, out);
            }
            (Worker::Watchdog | Worker::User, _) => self.miss(done.worker, why, now, out),
        }
    }

    /// A quorum was prolonged in time.
    fn succeed(&mut self, done: &Prolonging, promise: Promise, now: Now, out: &mut Vec<Output>) {
        let State::Holding(hold) = &mut self.state else { return };
        let policy = self.terms.policy();
        match policy.extension_moves {
            ExtensionMoves::Deadline => hold.promise = promise,
            ExtensionMoves::Nothing => {}
        }
        hold.ttl = Ttl::Of(done.ttl);
        hold.renewals = if policy.renewals_max > 0 { hold.renewals + 1 } else { 0 };
        out.push(Output::Extended { caller: hold.caller, until: hold.promise.until() });
        match (done.worker, policy.renewal_rearm) {
            (Worker::User, _) | (Worker::Watchdog, RenewalRearm::Always) => {}
            (Worker::Watchdog, RenewalRearm::AfterSuccess | RenewalRearm::AfterReply) => {
                self.wake_watchdog(now, out);
            }
        }
    }

    /// The hold was not prolonged. A watchdog tries again at its next wake, if it asked for one and nothing was lost.
    fn miss(&mut self, worker: Worker, why: ExtendFailure, now: Now, out: &mut Vec<Output>) {
        let State::Holding(hold) = &self.state else { return };
        let (caller, nonce, granted) = (hold.caller, hold.nonce, hold.granted);
        let policy = self.terms.policy();
        let gone = why == ExtendFailure::Gone;
        let lost = gone || policy.on_extension_failure != OnExtensionFailure::Keep;
        match worker {
            Worker::User => {
                let told = gone || lost && policy.on_loss == OnLoss::Tell;
                let still = if told { None } else { hold.still(now) };
                out.push(Output::ExtendFailed { caller, why, still });
            }
            Worker::Watchdog => {}
        }
        if policy.on_extension_failure == OnExtensionFailure::ReleaseAll {
            self.drop_hold(nonce, granted, worker, out);
        }
        if lost {
            if self.terms.watches() {
                out.push(Output::Quiet { reason: WakeReason::Renew });
            }
            self.lose(if gone { LossReason::Gone } else { LossReason::Unrenewed }, out);
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
        let (caller, nonce, granted) = (hold.caller, hold.nonce, hold.granted);
        match self.terms.policy().on_loss {
            OnLoss::Tell => {
                hold.end_look(out);
                out.push(Output::Lost { caller, why });
                self.state = State::Gone { caller, nonce, granted };
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
