//! A call of acquire: attempts, their decision, the taking back of failed ones, and the waits between.
//!
//! A failed attempt is taken back *before* anything else happens: the wait for the next attempt, and the answer
//! to the caller, follow when every cleaning command is answered or unknown. So do the specification's reference
//! implementations, which unlock in the foreground and then sleep (antirez/redlock-rb, redsync);
//! libraries that clean up in the background race their own next attempt. It also keeps the state
//! small: one round is open at a time.
//!
//! Must not know how a promise is computed (`validity`) or what is sent (`commands`).

use crate::lock::policy::{NonceLife, OnError, ReleaseScope, Retry, WaitFor};
use crate::lock::{Caller, Draw, Output, RefuseReason, RequestId, Ttl, WakeReason};
use crate::name::{Nonce, Operation};
use crate::time::{Now, Span};
use std::mem;

use super::ballot::{Answer, Ballot, Heard, Sender};
use super::machine::Quorum;
use super::state::{Asking, Call, Checking, Cleaning, Confirming, Extending, Hold, Next, Past, State};
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
            State::Idle | State::Gone { .. } => {
                let left = self.terms.policy().retry.retries;
                let call = Call { caller, ttl: validity::whole_ms(ttl), left, past: Past::Clean };
                self.begin(now, call, draw, out);
            }
            State::Asking(_)
            | State::Confirming(_)
            | State::Cleaning(_)
            | State::Waiting(_)
            | State::Holding(_)
            | State::Releasing(_) => out.push(Output::Refused { caller, why: RefuseReason::Misuse }),
        }
    }

    pub(super) fn on_retry(&mut self, now: Now, draw: Draw, out: &mut Vec<Output>) {
        match self.state {
            State::Waiting(call) => self.begin(now, call, draw, out),
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
        let (mut error, mut fence) = (false, None);
        if let Answer::Reply(reply) = answer {
            error = commands::is_error(reply) && asking.ballot.asked(request).is_some();
            fence = commands::fence(&self.terms, reply);
        }
        match self.terms.policy().on_error {
            OnError::Abort if error => return self.give_up(RefuseReason::Error, now, out),
            OnError::Abort | OnError::Count => {}
        }
        let errand = asking.errand();
        let mut sender = Sender { terms: &self.terms, requests: &mut self.counters.requests, out };
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
        let (errand, next) = (cleaning.errand(), cleaning.next);
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
                cleaning.next = Next::Refuse { caller, why };
            }
            State::Waiting(call) if call.caller == caller => {
                out.push(Output::Quiet { reason: WakeReason::Retry });
                self.refuse(caller, why, out);
            }
            // Another caller's call is not ours to end, and there is no call where there is a hold or nothing.
            State::Asking(_)
            | State::Confirming(_)
            | State::Cleaning(_)
            | State::Waiting(_)
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
        let wait = if call.left == 0 { Span::ZERO } else { retry_wait(policy.retry, draw.jitter) };
        // Validity counts from here, before the first command leaves (`validity`).
        let lease = validity::lease(policy, call.ttl, now);
        let ballot = Ballot::of_all(policy.voters);
        let number = self.counters.next(Operation::Acquire);
        out.push(Output::Attempt { number });
        let mut asking = Asking { call, number, nonce, wait, lease, ballot };
        let errand = asking.errand();
        self.ask(&mut asking.ballot, errand, out);
        self.state = State::Asking(asking);
    }

    /// Won if enough voters granted; acquired if also the replicas that the policy wants have the key.
    fn decide(&mut self, now: Now, fence: Option<i64>, out: &mut Vec<Output>) {
        let State::Asking(asking) = mem::replace(&mut self.state, State::Idle) else { return };
        let policy = self.terms.policy();
        let quorum = usize::from(policy.quorum);
        let tally = asking.ballot.tally();
        let why = if tally.yes >= quorum {
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

    /// Grants if validity is left.
    pub(super) fn grant(&mut self, asking: Asking, fence: Option<i64>, now: Now, out: &mut Vec<Output>) {
        let Call { caller, ttl, .. } = asking.call;
        let Some(promise) = validity::promise(self.terms.policy(), ttl, asking.lease, now) else {
            return self.fail(asking, RefuseReason::TooLate, now, out);
        };
        let (nonce, until) = (asking.nonce, promise.until());
        self.end_of_call();
        let (extending, checking) = (Extending::Resting, Checking::Resting);
        let hold = Hold { caller, nonce, ttl, promise, extending, checking };
        out.push(Output::Granted { caller, nonce, until, fence });
        self.hold(now, hold, out);
    }

    /// Takes a failed attempt back, then tries again or refuses.
    pub(super) fn fail(&mut self, asking: Asking, why: RefuseReason, now: Now, out: &mut Vec<Output>) {
        let next = asking.next(why);
        self.clean_up(asking, next, now, out);
    }

    /// Ends the whole call in the middle of an attempt; answers still outstanding will be strangers.
    fn give_up(&mut self, why: RefuseReason, now: Now, out: &mut Vec<Output>) {
        let asking = match mem::replace(&mut self.state, State::Idle) {
            State::Asking(asking) | State::Confirming(Confirming { asking, .. }) => asking,
            State::Idle
            | State::Cleaning(_)
            | State::Waiting(_)
            | State::Holding(_)
            | State::Gone { .. }
            | State::Releasing(_) => unreachable!("only an open attempt is given up"),
        };
        let next = Next::Refuse { caller: asking.call.caller, why };
        self.clean_up(asking, next, now, out);
    }

    /// On failure, release on all voters, also where the write is not known to have happened.
    fn clean_up(&mut self, asking: Asking, next: Next, now: Now, out: &mut Vec<Output>) {
        let policy = self.terms.policy();
        let ballot = match policy.release_on_failure {
            ReleaseScope::All => Ballot::of_all(policy.voters),
            ReleaseScope::Known => Ballot::of_known(&asking.ballot),
        };
        let mut cleaning = Cleaning { number: asking.number, nonce: asking.nonce, ballot, next };
        if !cleaning.ballot.is_open() {
            return self.proceed(now, next, out);
        }
        let errand = cleaning.errand();
        self.ask(&mut cleaning.ballot, errand, out);
        self.state = State::Cleaning(cleaning);
    }

    fn proceed(&mut self, now: Now, next: Next, out: &mut Vec<Output>) {
        match next {
            Next::Retry { call, wait } => {
                out.push(Output::Wake { at: now.mono + wait, reason: WakeReason::Retry });
                self.state = State::Waiting(call);
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
    fn next(&self, why: RefuseReason) -> Next {
        let Call { caller, left, past, .. } = self.call;
        let past = if why == RefuseReason::Taken { past } else { Past::Doubtful };
        match (left.checked_sub(1), past) {
            (Some(left), _) => Next::Retry { call: Call { left, past, ..self.call }, wait: self.wait },
            // *Taken* is definite for the whole call: not where an earlier attempt may have written a quorum
            // whose cleaning went unheard, for then the call may have met itself.
            (None, Past::Doubtful) if why == RefuseReason::Taken => {
                Next::Refuse { caller, why: RefuseReason::Unknown }
            }
            (None, Past::Clean | Past::Doubtful) => Next::Refuse { caller, why },
        }
    }
}

impl Next {
    fn caller(&self) -> Caller {
        match self {
            Self::Retry { call, .. } => call.caller,
            Self::Refuse { caller, .. } => *caller,
        }
    }
}

/// The delay plus a random part of the jitter, rounded down to a microsecond.
fn retry_wait(retry: Retry, jitter: u32) -> Span {
    let random = (i128::from(retry.jitter.0) * i128::from(jitter)) >> 32;
    retry.delay + Span(random as i64)
}
