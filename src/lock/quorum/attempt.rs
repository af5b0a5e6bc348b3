//! A call of acquire: attempts, their decision, the taking back of failed ones, and the waits between.
//!
//! A failed attempt is taken back *before* anything else happens: the wait for the next attempt, and the answer
//! to the caller, follow when every cleaning command is answered or unknown. So do the specification's reference
//! implementations, which unlock in the foreground and then sleep (antirez/redlock-rb, redsync);
//! libraries that clean up in the background race their own next attempt. Either way one round is open at a time:
//! nobody listens to what is cleaned in the background.
//!
//! Must not know how a promise is computed (`validity`) or what is sent (`commands`).

use crate::lock::policy::{
    AfterLast, Cleanup, NonceLife, OnError, Policy, Reacquire, ReleaseScope, Retry, Start, WaitFor, WhenLate,
};
use crate::lock::{Caller, Draw, Output, RefuseReason, RequestId, Ttl, WakeReason};
use crate::name::{Nonce, Operation};
use crate::time::{Now, Span};
use std::mem;

use super::ballot::{Answer, Ballot, Heard, Sender};
use super::machine::Quorum;
use super::state::{
    Asking, Call, Checking, Cleaning, Confirming, Extending, Hold, Next, Origin, Past, State,
};
use super::validity::Expiry;
use super::{commands, validity};

impl Quorum {
    pub(super) fn on_acquire(
        &mut self,
        now: Now,
        caller: Caller,
        ttl: Ttl,
        draw: Draw,
        out: &mut Vec<Output>,
    ) {
        match self.state {
            State::Idle | State::Gone { .. } => self.call(now, caller, ttl, draw, out),
            State::Holding(_) if self.terms.policy().reacquire == Reacquire::Asks => {
                self.forget(out);
                self.call(now, caller, ttl, draw, out);
            }
            State::Asking(_)
            | State::Confirming(_)
            | State::Cleaning(_)
            | State::Waiting(_)
            | State::Lingering { .. }
            | State::Holding(_)
            | State::Releasing(_) => out.push(Output::Refused { caller, why: RefuseReason::Misuse }),
        }
    }

    fn call(&mut self, now: Now, caller: Caller, ttl: Ttl, draw: Draw, out: &mut Vec<Output>) {
        let (left, ttl) = (self.terms.policy().retry.retries, validity::whole_ms(ttl));
        let origin = origin(self.terms.policy(), ttl, now);
        let call = Call { caller, ttl, left, past: Past::Clean, origin };
        self.begin(now, call, draw, out);
    }

    pub(super) fn on_retry(&mut self, now: Now, draw: Draw, out: &mut Vec<Output>) {
        match &self.state {
            State::Waiting(call) => match call.origin.as_deref() {
                Some(Origin { limit, last, .. }) if !limit.is_ahead(now) => {
                    let (caller, why) = (call.caller, *last);
                    self.refuse(caller, why, out);
                }
                Some(_) | None => {
                    let call = call.clone();
                    self.begin(now, call, draw, out);
                }
            },
            State::Lingering { caller, why } => {
                let (caller, why) = (*caller, *why);
                self.refuse(caller, why, out);
            }
            // The wait that asked for this wake is over.
            State::Idle
            | State::Asking(_)
            | State::Confirming(_)
            | State::Cleaning(_)
            | State::Holding(_)
            | State::Gone { .. }
            | State::Releasing(_) => {}
        }
    }

    pub(super) fn on_vote(&mut self, now: Now, request: RequestId, answer: &Answer, out: &mut Vec<Output>) {
        let State::Asking(asking) = &mut self.state else { return };
        let errand = asking.errand(now);
        let mut sender = Sender { terms: &self.terms, requests: &mut self.counters.requests, out };
        let is_ours = asking.ballot.asked(request).is_some();
        let (error, unanswered, fence) = match answer {
            Answer::Reply(reply) => (commands::is_error(reply), false, commands::fence(&self.terms, reply)),
            Answer::Unknown(_) => (false, !sender.will_repeat(&asking.ballot, request, answer), None),
        };
        let ends = match self.terms.policy().on_error {
            OnError::Count | OnError::AbortAfterQuorum => false,
            OnError::Abort => error,
            OnError::AbortAny => error || unanswered,
        };
        if is_ours && ends {
            return self.give_up(RefuseReason::Error, now, out);
        }
        match sender.hear(&mut asking.ballot, errand, request, answer) {
            Heard::Stranger | Heard::Open => {}
            Heard::Complete => self.decide(now, fence, out),
        }
    }

    pub(super) fn on_cleaned(
        &mut self,
        now: Now,
        request: RequestId,
        answer: &Answer,
        out: &mut Vec<Output>,
    ) {
        let State::Cleaning(cleaning) = &mut self.state else { return };
        let (errand, next) = (cleaning.errand(), cleaning.next.clone());
        let mut sender = Sender { terms: &self.terms, requests: &mut self.counters.requests, out };
        match sender.hear(&mut cleaning.ballot, errand, request, answer) {
            Heard::Stranger | Heard::Open => {}
            Heard::Complete => self.proceed(now, next, out),
        }
    }

    pub(super) fn on_cancel(&mut self, now: Now, caller: Caller, out: &mut Vec<Output>) {
        let why = RefuseReason::Cancelled;
        match &mut self.state {
            State::Asking(asking) if asking.call.caller == caller => self.give_up(why, now, out),
            State::Confirming(confirming) if confirming.asking.call.caller == caller => {
                self.give_up(why, now, out);
            }
            State::Cleaning(cleaning) if cleaning.next.caller() == caller => {
                match self.terms.policy().cleanup {
                    Cleanup::Foreground | Cleanup::Background => {
                        cleaning.next = Next::Refuse { caller, why };
                    }
                    Cleanup::CallersContext => self.refuse(caller, why, out),
                }
            }
            State::Waiting(Call { caller: waiting, .. }) | State::Lingering { caller: waiting, .. }
                if *waiting == caller =>
            {
                out.push(Output::Quiet { reason: WakeReason::Retry });
                self.refuse(caller, why, out);
            }
            // Another caller's call is not ours to end, and there is no call where there is a hold or nothing.
            State::Asking(_)
            | State::Confirming(_)
            | State::Cleaning(_)
            | State::Waiting(_)
            | State::Lingering { .. }
            | State::Idle
            | State::Holding(_)
            | State::Gone { .. }
            | State::Releasing(_) => {}
        }
    }

    fn begin(&mut self, now: Now, call: Call, draw: Draw, out: &mut Vec<Output>) {
        let policy = self.terms.policy();
        let nonce = match policy.nonce {
            NonceLife::Attempt | NonceLife::Call | NonceLife::Handle => self.kept.unwrap_or(draw.nonce),
            NonceLife::Constant => Nonce::CONSTANT,
        };
        self.kept = match policy.nonce {
            NonceLife::Attempt | NonceLife::Constant => None,
            NonceLife::Call | NonceLife::Handle => Some(nonce),
        };
        let waits = call.left > 0 || policy.pace.after_last == AfterLast::Waits;
        let wait = if waits { retry_wait(policy, call.left, draw.jitter) } else { Span::ZERO };
        let lease = match (policy.start, call.origin.as_deref()) {
            // Validity counts from here, before the first command leaves (`validity`).
            (Start::Attempt, _) | (Start::Call, None) => validity::lease(policy, call.ttl, now),
            (Start::Call, Some(origin)) => origin.lease,
        };
        let ballot = Ballot::of_all(policy.voters);
        let number = self.counters.next(Operation::Acquire);
        out.push(Output::Attempt { number });
        let mut asking = Asking { call, number, nonce, wait, lease, ballot };
        let errand = asking.errand(now);
        self.ask(&mut asking.ballot, errand, out);
        self.state = State::Asking(asking);
    }

    /// Won if enough voters granted; acquired if also the replicas that the policy wants have the key.
    fn decide(&mut self, now: Now, fence: Option<i64>, out: &mut Vec<Output>) {
        let State::Asking(asking) = mem::replace(&mut self.state, State::Idle) else { return };
        let policy = self.terms.policy();
        let tally = asking.ballot.tally();
        let quorum = asking.errand(now).quorum(&self.terms, tally);
        let why = if tally.yes >= quorum {
            if policy.on_error == OnError::AbortAfterQuorum && tally.failed + tally.unknown > 0 {
                return self.raise(asking, now, out);
            }
            return match policy.wait.replicas {
                WaitFor::None => self.grant(asking, fence, now, out),
                WaitFor::Any | WaitFor::All => self.confirm(asking, fence, out),
            };
        } else if tally.yes + tally.unknown >= quorum {
            RefuseReason::Unknown
        } else {
            RefuseReason::Taken
        };
        self.fail(asking, why, now, out);
    }

    /// A quorum granted and somebody failed: with validity left, the call ends with that error and takes nothing back.
    fn raise(&mut self, asking: Asking, now: Now, out: &mut Vec<Output>) {
        match validity::promise(self.terms.policy(), asking.call.ttl, asking.lease, now) {
            Some(_) => self.refuse(asking.call.caller, RefuseReason::Error, out),
            None => self.fail(asking, RefuseReason::TooLate, now, out),
        }
    }

    /// Grants if validity is left.
    pub(super) fn grant(&mut self, asking: Asking, fence: Option<i64>, now: Now, out: &mut Vec<Output>) {
        let Call { caller, ttl, .. } = asking.call;
        let Some(promise) = validity::promise(self.terms.policy(), ttl, asking.lease, now) else {
            return self.fail(asking, RefuseReason::TooLate, now, out);
        };
        let (nonce, until) = (asking.nonce, promise.until());
        let granted = if self.terms.remembers_grantors() { asking.ballot.granted() } else { 0 };
        self.end_of_call();
        let (extending, checking) = (Extending::Resting, Checking::Resting);
        let hold = Hold { caller, nonce, ttl, promise, granted, renewals: 0, extending, checking };
        out.push(Output::Granted { caller, nonce, until, fence });
        self.hold(now, hold, out);
    }

    /// Takes a failed attempt back, then tries again or refuses.
    pub(super) fn fail(&mut self, asking: Asking, why: RefuseReason, now: Now, out: &mut Vec<Output>) {
        let policy = self.terms.policy();
        let scope = match (why, policy.release_when_late) {
            (RefuseReason::TooLate, WhenLate::None) => ReleaseScope::None,
            (RefuseReason::TooLate, WhenLate::AsFailure)
            | (
                RefuseReason::Taken
                | RefuseReason::Unknown
                | RefuseReason::Error
                | RefuseReason::Cancelled
                | RefuseReason::Misuse,
                _,
            ) => policy.release_on_failure,
        };
        let next = asking.next(why, policy);
        self.clean_up(asking, scope, next, now, out);
    }

    /// Ends the whole call in the middle of an attempt; answers still outstanding will be strangers.
    fn give_up(&mut self, why: RefuseReason, now: Now, out: &mut Vec<Output>) {
        let asking = match mem::replace(&mut self.state, State::Idle) {
            State::Asking(asking) | State::Confirming(Confirming { asking, .. }) => asking,
            State::Idle
            | State::Cleaning(_)
            | State::Waiting(_)
            | State::Lingering { .. }
            | State::Holding(_)
            | State::Gone { .. }
            | State::Releasing(_) => unreachable!("only an open attempt is given up"),
        };
        let policy = self.terms.policy();
        let scope = match policy.cleanup {
            Cleanup::CallersContext if why == RefuseReason::Cancelled => ReleaseScope::None,
            Cleanup::CallersContext | Cleanup::Foreground | Cleanup::Background => policy.release_on_failure,
        };
        let next = Next::Refuse { caller: asking.call.caller, why };
        self.clean_up(asking, scope, next, now, out);
    }

    /// On failure, release on all voters, also where the write is not known to have happened.
    fn clean_up(&mut self, asking: Asking, scope: ReleaseScope, next: Next, now: Now, out: &mut Vec<Output>) {
        let policy = self.terms.policy();
        let ballot = match scope {
            ReleaseScope::All => Ballot::of_all(policy.voters),
            ReleaseScope::Known => Ballot::of_known(&asking.ballot),
            ReleaseScope::None => return self.proceed(now, next, out),
        };
        if !ballot.is_open() {
            return self.proceed(now, next, out);
        }
        let mut cleaning = Cleaning { number: asking.number, nonce: asking.nonce, ballot, next };
        let errand = cleaning.errand();
        match policy.cleanup {
            Cleanup::Foreground | Cleanup::CallersContext => {
                self.ask(&mut cleaning.ballot, errand, out);
                self.state = State::Cleaning(cleaning);
            }
            Cleanup::Background => {
                let Cleaning { ballot, next, .. } = cleaning;
                let mut sender = Sender { terms: &self.terms, requests: &mut self.counters.requests, out };
                sender.tell(ballot, errand);
                self.proceed(now, next, out);
            }
        }
    }

    fn proceed(&mut self, now: Now, next: Next, out: &mut Vec<Output>) {
        match next {
            Next::Retry { call, wait } => {
                out.push(Output::Wake { at: now.mono + wait, reason: WakeReason::Retry });
                self.state = State::Waiting(call);
            }
            Next::Linger { caller, why, wait } => {
                out.push(Output::Wake { at: now.mono + wait, reason: WakeReason::Retry });
                self.state = State::Lingering { caller, why };
            }
            Next::Refuse { caller, why } => self.refuse(caller, why, out),
        }
    }

    fn refuse(&mut self, caller: Caller, why: RefuseReason, out: &mut Vec<Output>) {
        self.end_of_call();
        self.state = State::Idle;
        out.push(Output::Refused { caller, why });
    }

    fn end_of_call(&mut self) {
        match self.terms.policy().nonce {
            NonceLife::Attempt | NonceLife::Call | NonceLife::Constant => self.kept = None,
            NonceLife::Handle => {}
        }
    }
}

impl Asking {
    /// What follows an attempt that failed for this reason.
    fn next(&self, why: RefuseReason, policy: &Policy) -> Next {
        let Call { caller, left, past, .. } = self.call;
        let past = if why == RefuseReason::Taken { past } else { Past::Doubtful };
        let answer = match past {
            // *Taken* is definite for the whole call: not where an earlier attempt may have written a quorum
            // whose cleaning went unheard, for then the call may have met itself.
            Past::Doubtful if why == RefuseReason::Taken => RefuseReason::Unknown,
            Past::Clean | Past::Doubtful => why,
        };
        let Some(left) = left.checked_sub(1) else {
            return match policy.pace.after_last {
                AfterLast::Answers => Next::Refuse { caller, why: answer },
                AfterLast::Waits => Next::Linger { caller, why: answer, wait: self.wait },
            };
        };
        let origin = self.call.origin.clone().map(|origin| Box::new(Origin { last: answer, ..*origin }));
        Next::Retry { call: Call { left, past, origin, ..self.call }, wait: self.wait }
    }
}

impl Next {
    fn caller(&self) -> Caller {
        match self {
            Self::Retry { call, .. } => call.caller,
            Self::Refuse { caller, .. } | Self::Linger { caller, .. } => *caller,
        }
    }
}

/// What this policy wants a call that begins now to remember.
fn origin(policy: &Policy, ttl: Ttl, now: Now) -> Option<Box<Origin>> {
    let lease = match policy.start {
        Start::Attempt => Expiry::Never,
        Start::Call => validity::lease(policy, ttl, now),
    };
    let limit = match policy.pace.limit {
        None => Expiry::Never,
        Some(limit) => Expiry::after(policy.pace.limit_clock, now, limit),
    };
    let wanted = policy.start == Start::Call || policy.pace.limit.is_some();
    wanted.then(|| Box::new(Origin { lease, limit, last: RefuseReason::Taken }))
}

/// The delay before the retry that leaves one less than `left`, plus a random part of the jitter, rounded down to a
/// microsecond.
fn retry_wait(policy: &Policy, left: u32, jitter: u32) -> Span {
    let Retry { retries, delay, .. } = policy.retry;
    Retry { delay: policy.pace.delay(delay, retries.saturating_sub(left)), ..policy.retry }.wait(jitter)
}
