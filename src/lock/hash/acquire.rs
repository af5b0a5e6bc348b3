//! A call of acquire: its tries, and what a grant begins.
//!
//! A try that went unanswered is not taken back, as in the code that this stands for: if it counted a hold, nobody
//! gives that one back. Must not know how a refused call waits (`waiting`).

use super::commands::{self, Taken};
use super::machine::{Answer, HashLock};
use super::policy::{InnerLease, Lease, LeaseRenewal, NamedLease, Poll, Spin, Waiting};
use super::state::{Asking, Attempt, Call, End, Hold, Past};
use crate::lock::policy::WaitFor;
use crate::lock::{Caller, Draw, Output, RefuseReason, Ttl, WakeReason};
use crate::name::{Operation, Worker};
use crate::time::{ClockKind, Now, Span};

impl HashLock {
    pub(super) fn on_acquire(
        &mut self,
        now: Now,
        caller: Caller,
        ttl: Ttl,
        draw: Draw,
        out: &mut Vec<Output>,
    ) {
        let foreign = self.hold.is_some_and(|hold| hold.caller != caller);
        if self.call != Call::None || foreign {
            return out.push(Output::Refused { caller, why: RefuseReason::Misuse });
        }
        self.owner.get_or_insert(draw.nonce);
        let named = self.names_lease(ttl);
        let life = if named { ttl } else { self.life() };
        let policy = self.policy();
        let end = match (policy.wait_limit, policy.wait_clock) {
            (None, _) => End::Never,
            (Some(limit), ClockKind::Mono) => End::Mono(now.mono + limit),
            (Some(limit), ClockKind::Wall) => End::Wall(now.wall + limit),
        };
        let (number, refused, subscribed, past) = (0, 0, 0, Past::Clean);
        let attempt = Attempt { caller, life, named, end, number, refused, subscribed, past };
        self.begin(attempt, draw.jitter, out);
    }

    /// Begins the next try of a call.
    pub(super) fn begin(&mut self, attempt: Attempt, jitter: u32, out: &mut Vec<Output>) {
        let number = self.counters.next(Operation::Acquire);
        out.push(Output::Attempt { number });
        let attempt = Attempt { number, ..attempt };
        let policy = self.policy();
        let pause = match policy.waiting {
            Waiting::None | Waiting::Pubsub => Span::ZERO,
            Waiting::Poll => policy.poll.pause(jitter),
            Waiting::Spin => policy.spin.pause(attempt.refused, jitter),
        };
        self.ask(Asking { attempt, request: None, repeats: 0, pause }, out);
    }

    pub(super) fn on_asked(&mut self, now: Now, asking: Asking, answer: Answer<'_>, out: &mut Vec<Output>) {
        let attempt = asking.attempt;
        let doubtful = Attempt { past: Past::Doubtful, ..attempt };
        let Answer::Reply(reply) = answer else {
            let resend = self.policy().resend;
            if asking.repeats < resend.acquires {
                out.push(Output::Wake { at: now.mono + resend.delay, reason: WakeReason::Retry });
                let repeats = asking.repeats + 1;
                self.call = Call::Asking(Asking { attempt: doubtful, request: None, repeats, ..asking });
                return;
            }
            return self.refuse(attempt, RefuseReason::Unknown, out);
        };
        match commands::taken(&self.terms, reply) {
            Taken::Yes { fence } => match self.policy().wait.replicas {
                WaitFor::None => self.grant(now, attempt, fence, out),
                WaitFor::Any | WaitFor::All => self.confirm(attempt, fence, out),
            },
            Taken::No { left } => self.wait_on(now, attempt, asking.pause, left, out),
            Taken::Error => self.refuse(attempt, RefuseReason::Error, out),
            Taken::Strange => self.refuse(attempt, RefuseReason::Unknown, out),
        }
    }

    /// Sends a try again that went unanswered.
    pub(super) fn ask_again(&mut self, asking: Asking, out: &mut Vec<Output>) {
        self.ask(asking, out);
    }

    /// The caller has one hold more.
    pub(super) fn grant(&mut self, now: Now, attempt: Attempt, fence: Option<i64>, out: &mut Vec<Output>) {
        let Attempt { caller, life, named, .. } = attempt;
        if let (true, NamedLease::Sticks, Ttl::Of(life)) = (named, self.policy().named_lease, life) {
            self.lease = Some(life);
        }
        let watched = match self.policy().renewal {
            LeaseRenewal::None => false,
            LeaseRenewal::Watchdog => true,
            LeaseRenewal::WatchdogUnlessLease => !named,
        };
        let hold = self.hold.get_or_insert(Hold { caller, depth: 0, watched: 0 });
        hold.depth += 1;
        hold.watched += u32::from(watched);
        self.unsubscribe(attempt, out);
        self.call = Call::None;
        let nonce = self.owner.expect("a call has an owner");
        out.push(Output::Granted { caller, nonce, until: self.terms.until(), fence });
        if watched {
            self.start_watchdog(now, out);
        }
    }

    /// The call ends without a hold.
    pub(super) fn refuse(&mut self, attempt: Attempt, why: RefuseReason, out: &mut Vec<Output>) {
        self.unsubscribe(attempt, out);
        self.call = Call::None;
        out.push(Output::Refused { caller: attempt.caller, why });
    }

    /// The caller is answered at once, and what is under way is no longer watched.
    ///
    /// **Source** redisson #2714: an interrupted call leaves its hold behind.
    pub(super) fn on_cancel(&mut self, caller: Caller, out: &mut Vec<Output>) {
        let why = RefuseReason::Cancelled;
        if let Call::Undoing(undoing) = &mut self.call
            && undoing.caller == caller
        {
            undoing.why = why;
        }
        if let Some(attempt) = self.attempt().filter(|attempt| attempt.caller == caller) {
            out.push(Output::Quiet { reason: WakeReason::Retry });
            self.refuse(attempt, why, out);
        }
    }

    fn ask(&mut self, asking: Asking, out: &mut Vec<Output>) {
        let Asking { attempt, repeats, .. } = asking;
        let owner = self.owner.expect("a call has an owner");
        let command = commands::acquire(&self.terms, owner, attempt.life);
        let limit = self.policy().node_timeout;
        let occurrence = repeats.saturating_add(1);
        let request =
            self.send(command, limit, (Worker::User, Operation::Acquire, attempt.number, occurrence), out);
        self.call = Call::Asking(Asking { request: Some(request), ..asking });
    }

    /// Whether a call that asks for this life names a lease.
    fn names_lease(&self, ttl: Ttl) -> bool {
        let policy = self.policy();
        if ttl != policy.ttl {
            return true;
        }
        match (policy.inner_lease, policy.lease) {
            (InnerLease::None, _) if self.hold.is_some() => false,
            (InnerLease::Same | InnerLease::None, Lease::Named) => true,
            (InnerLease::Same | InnerLease::None, Lease::None) => false,
        }
    }
}

impl Poll {
    /// The delay plus a random part of the jitter, rounded down to a microsecond.
    fn pause(self, jitter: u32) -> Span {
        self.delay + part(self.jitter, jitter)
    }
}

impl Spin {
    /// The pause after so many refusals before this one: of the upper half of what it could be.
    ///
    /// **Source** Redisson's `ExponentialBackOff`: 1 ms, doubled up to 128 ms. How it spreads we chose.
    fn pause(self, refused: u32, jitter: u32) -> Span {
        let doubled = self.first.0.checked_mul(1_i64.checked_shl(refused.min(62)).unwrap_or(i64::MAX));
        let whole = Span(doubled.unwrap_or(i64::MAX)).min(self.most);
        let half = Span(whole.0 / 2);
        half + part(whole - half, jitter)
    }
}

fn part(of: Span, jitter: u32) -> Span {
    Span(((i128::from(of.0) * i128::from(jitter)) >> 32) as i64)
}
