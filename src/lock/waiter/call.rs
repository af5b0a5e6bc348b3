//! A call of acquire: tries, what it waits for between them, and what it takes back if it ends without the lock.
//!
//! The order of things is that of the libraries: try, ask to be told of releases, *try again* (a release may have come
//! in between), wait until told or until what refused it is over. A message that arrives while a try is out is not
//! lost: the next wait ends at once. Must not know what is sent or how a promise is computed.
//!
//! **Source** Redisson 3.27, RedissonBaseLock.lock and tryLock; python-redis-lock 4.0, Lock.acquire.

use crate::lock::policy::NonceLife;
use crate::lock::quorum::validity::{self, Expiry};
use crate::lock::{Caller, Draw, Output, RefuseReason, RequestId, Ttl, WakeReason};
use crate::name::{Operation, Worker};
use crate::resp::Reply;
use crate::time::{Now, Span};

use super::commands::{Answer, Errand, Said, Task, said};
use super::machine::Waiter;
use super::policy::{OnDoubt, Patience, Quitting, Shape};
use super::state::{Asked, Call, Chance, Deed, Ears, State, Undo, Undoing, Waiting};

/// What a call does next, after what it waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Woken {
    Told,
    TimeOver,
}

impl Waiter {
    pub(super) fn on_acquire(
        &mut self,
        now: Now,
        caller: Caller,
        ttl: Ttl,
        draw: Draw,
        out: &mut Vec<Output>,
    ) {
        match &self.state {
            State::Idle | State::Gone { .. } => {}
            State::Holding(hold)
                if hold.caller == caller && hold.deed == Deed::Resting && self.terms.is_reentrant() =>
            {
                return self.enter(now, validity::whole_ms(ttl), out);
            }
            State::Looking(_)
            | State::Asking(_)
            | State::Listening(_)
            | State::Waiting(_)
            | State::Undoing(_)
            | State::Holding(_)
            | State::Releasing { .. } => {
                return out.push(Output::Refused { caller, why: RefuseReason::Misuse });
            }
        }
        let policy = self.terms.policy();
        let nonce = self.kept.unwrap_or(draw.nonce);
        self.kept = match policy.nonce {
            NonceLife::Handle => Some(nonce),
            NonceLife::Attempt | NonceLife::Call | NonceLife::Constant => None,
        };
        let waits_by_clock = match &policy.shape {
            Shape::Fair(_) | Shape::ReadWrite(_) => true,
            // Its node counts the time, for each wait anew.
            Shape::Signal(_) => false,
        };
        let (patience, chance) = match policy.wait {
            Patience::Once => (Expiry::Never, Chance::Last),
            Patience::For(span) if waits_by_clock => (Expiry::after(policy.clock, now, span), Chance::More),
            Patience::For(_) | Patience::Ever => (Expiry::Never, Chance::More),
        };
        let ttl = validity::whole_ms(ttl);
        let mut call = Call { caller, nonce, ttl, patience, chance, number: 0, others: 0 };
        self.attempt(&mut call, out);
        match self.terms.policy().shape {
            Shape::Fair(_) | Shape::ReadWrite(_) => self.ask(now, call, out),
            Shape::Signal(_) => {
                let request = self.send(errand(&call, Task::Look, 1), out);
                self.state = State::Looking(Asked { call, request, lease: Expiry::Never });
            }
        }
    }

    /// A handle that finds its own nonce holds already: code that asks again is refused.
    pub(super) fn on_looked(&mut self, now: Now, answer: &Answer, out: &mut Vec<Output>) {
        let State::Looking(Asked { call, .. }) = self.state else { return };
        match said(&self.terms, Task::Look, call.nonce, answer) {
            Said::No { .. } => self.ask(now, call, out),
            Said::Yes => self.end(now, call, RefuseReason::Misuse, Undo::Nothing, out),
            Said::Error | Said::Unknown => self.end(now, call, RefuseReason::Error, Undo::Nothing, out),
        }
    }

    pub(super) fn on_taken(&mut self, now: Now, answer: &Answer, out: &mut Vec<Output>) {
        let State::Asking(Asked { call, lease, .. }) = self.state else { return };
        match said(&self.terms, take(&call, now), call.nonce, answer) {
            Said::Yes => match validity::promise(self.terms.promises(), call.ttl, lease, now) {
                Some(promise) => {
                    self.stop_listening(&call, out);
                    self.hold(now, &call, promise, out);
                }
                None => self.end(now, call, RefuseReason::TooLate, Undo::Hold, out),
            },
            Said::No { rest } => self.refused(now, call, rest, out),
            Said::Error => self.end(now, call, RefuseReason::Error, self.doubt(), out),
            Said::Unknown => self.end(now, call, RefuseReason::Unknown, self.doubt(), out),
        }
    }

    pub(super) fn on_listening(&mut self, now: Now, answer: &Answer, out: &mut Vec<Output>) {
        let State::Listening(Asked { mut call, .. }) = self.state else { return };
        match said(&self.terms, Task::Listen, call.nonce, answer) {
            Said::Yes | Said::No { .. } => {
                self.ears = if self.ears == Ears::Rung { Ears::Rung } else { Ears::Open };
                self.attempt(&mut call, out);
                self.ask(now, call, out);
            }
            Said::Error | Said::Unknown => {
                self.end(now, call, RefuseReason::Error, self.place(&call), out);
            }
        }
    }

    pub(super) fn on_popped(&mut self, now: Now, answer: &Answer, out: &mut Vec<Output>) {
        let State::Waiting(Waiting { mut call, .. }) = self.state else { return };
        match said(&self.terms, Task::Pop { limit: None }, call.nonce, answer) {
            Said::Yes => {}
            // It waited its time, and tries once more.
            Said::No { .. } => match self.terms.policy().wait {
                Patience::For(_) => call.chance = Chance::Last,
                Patience::Once | Patience::Ever => {}
            },
            Said::Error | Said::Unknown => {
                return self.end(now, call, RefuseReason::Error, Undo::Nothing, out);
            }
        }
        self.attempt(&mut call, out);
        self.ask(now, call, out);
    }

    pub(super) fn on_retry(&mut self, now: Now, out: &mut Vec<Output>) {
        self.wake(now, Woken::TimeOver, out);
    }

    /// A message on a channel: what it says is that the lock was released.
    pub(super) fn on_push(&mut self, now: Now, message: &Reply, out: &mut Vec<Output>) {
        if !is_message(message) {
            return;
        }
        match &self.state {
            State::Waiting(Waiting { blocked: None, .. }) => self.wake(now, Woken::Told, out),
            // A try is out, or about to be: the wait that may follow ends at once.
            State::Asking(_) | State::Listening(_) => {
                self.ears = match self.ears {
                    Ears::Open | Ears::Rung | Ears::Shut => Ears::Rung,
                    Ears::Asking(request) => Ears::Asking(request),
                };
            }
            // Nobody waits.
            State::Waiting(_)
            | State::Idle
            | State::Looking(_)
            | State::Undoing(_)
            | State::Holding(_)
            | State::Gone { .. }
            | State::Releasing { .. } => {}
        }
    }

    /// The waiting connection broke: whoever waits to be told asks for it again. What was said meanwhile is not heard.
    pub(super) fn on_deaf(&mut self, out: &mut Vec<Output>) {
        match (&mut self.state, self.ears) {
            (State::Waiting(Waiting { call, blocked: None }), Ears::Open | Ears::Rung) => {
                call.others = call.others.saturating_add(1);
                let errand = errand(call, Task::Listen, call.others);
                self.ears = Ears::Asking(self.send(errand, out));
            }
            (_, Ears::Open | Ears::Rung) => self.ears = Ears::Shut,
            // It was not open, or its question is answered by itself.
            (_, Ears::Shut | Ears::Asking(_)) => {}
        }
    }

    pub(super) fn on_heard_again(&mut self, answer: &Answer) {
        self.ears = match answer {
            Answer::Reply(reply) if !reply.is_error() => Ears::Open,
            Answer::Reply(_) | Answer::Unknown(_) => Ears::Shut,
        };
    }

    pub(super) fn on_undone(&mut self, now: Now, out: &mut Vec<Output>) {
        let State::Undoing(Undoing { call, why, then, .. }) = self.state else { return };
        self.undo(now, call, why, then, out);
    }

    pub(super) fn on_cancel(&mut self, now: Now, caller: Caller, out: &mut Vec<Output>) {
        let why = RefuseReason::Cancelled;
        match &mut self.state {
            State::Looking(Asked { call, .. }) if call.caller == caller => {
                let call = *call;
                self.end(now, call, why, Undo::Nothing, out);
            }
            State::Asking(Asked { call, .. }) if call.caller == caller => {
                let call = *call;
                self.end(now, call, why, self.doubt(), out);
            }
            State::Listening(Asked { call, .. }) | State::Waiting(Waiting { call, .. })
                if call.caller == caller =>
            {
                let call = *call;
                out.push(Output::Quiet { reason: WakeReason::Retry });
                self.end(now, call, why, self.place(&call), out);
            }
            State::Undoing(undoing) if undoing.call.caller == caller => undoing.why = why,
            State::Holding(hold) if hold.caller == caller => {
                if let Deed::Entering(_) = hold.deed {
                    hold.deed = Deed::Resting;
                    out.push(Output::Refused { caller, why });
                }
            }
            // Another caller's call is not ours to end, and there is no call where there is a hold or nothing.
            State::Looking(_)
            | State::Asking(_)
            | State::Listening(_)
            | State::Waiting(_)
            | State::Undoing(_)
            | State::Idle
            | State::Holding(_)
            | State::Gone { .. }
            | State::Releasing { .. } => {}
        }
    }

    fn attempt(&mut self, call: &mut Call, out: &mut Vec<Output>) {
        (call.number, call.others) = (self.counters.next(Operation::Acquire), 0);
        out.push(Output::Attempt { number: call.number });
    }

    fn ask(&mut self, now: Now, call: Call, out: &mut Vec<Output>) {
        // Validity counts from here, before the command leaves.
        let lease = validity::lease(self.terms.promises(), call.ttl, now);
        let request = self.send(errand(&call, take(&call, now), 1), out);
        self.state = State::Asking(Asked { call, request, lease });
    }

    fn refused(&mut self, now: Now, mut call: Call, rest: Option<Span>, out: &mut Vec<Output>) {
        if call.chance == Chance::Last || !call.patience.is_ahead(now) {
            return self.end(now, call, RefuseReason::Taken, self.place(&call), out);
        }
        let policy = self.terms.policy();
        if let Shape::Signal(_) = policy.shape {
            let limit = match (policy.wait, call.ttl) {
                (Patience::For(span), _) | (Patience::Once | Patience::Ever, Ttl::Of(span)) => Some(span),
                (Patience::Once | Patience::Ever, Ttl::Never) => None,
            };
            let request = self.send(errand(&call, Task::Pop { limit }, 1), out);
            self.state = State::Waiting(Waiting { call, blocked: Some(request) });
            return;
        }
        match self.ears {
            Ears::Shut => {
                call.others = call.others.saturating_add(1);
                let request = self.send(errand(&call, Task::Listen, call.others), out);
                self.state = State::Listening(Asked { call, request, lease: Expiry::Never });
            }
            Ears::Rung => {
                self.ears = Ears::Open;
                self.attempt(&mut call, out);
                self.ask(now, call, out);
            }
            Ears::Open | Ears::Asking(_) => {
                // What is over within the millisecond is looked at when that is over.
                let rest = rest.map(|rest| now.mono + rest.max(Span::from_ms(1)));
                let over = call.patience.in_mono(now);
                if let Some(at) = rest.into_iter().chain(over).min() {
                    out.push(Output::Wake { at, reason: WakeReason::Retry });
                }
                self.state = State::Waiting(Waiting { call, blocked: None });
            }
        }
    }

    fn wake(&mut self, now: Now, woken: Woken, out: &mut Vec<Output>) {
        let State::Waiting(Waiting { mut call, blocked: None }) = self.state else { return };
        match woken {
            Woken::Told => out.push(Output::Quiet { reason: WakeReason::Retry }),
            Woken::TimeOver => {}
        }
        if call.patience.is_ahead(now) {
            self.attempt(&mut call, out);
            self.ask(now, call, out);
        } else {
            self.end(now, call, RefuseReason::Taken, self.place(&call), out);
        }
    }

    /// What a call that ends may have left in the queue.
    fn place(&self, call: &Call) -> Undo {
        match &self.terms.policy().shape {
            Shape::Fair(words) if call.chance == Chance::More => match words.quitting {
                Quitting::Leave => Undo::Place,
                Quitting::Stay => Undo::Nothing,
            },
            Shape::Fair(_) | Shape::ReadWrite(_) | Shape::Signal(_) => Undo::Nothing,
        }
    }

    /// What is taken back after a try whose answer is missing.
    fn doubt(&self) -> Undo {
        match self.terms.policy().on_doubt {
            OnDoubt::Undo => Undo::Hold,
            OnDoubt::Leave => Undo::Nothing,
        }
    }

    /// The call ends without the lock, once everything is taken back.
    fn end(&mut self, now: Now, call: Call, why: RefuseReason, undo: Undo, out: &mut Vec<Output>) {
        self.stop_listening(&call, out);
        self.undo(now, call, why, undo, out);
    }

    fn undo(&mut self, now: Now, call: Call, why: RefuseReason, undo: Undo, out: &mut Vec<Output>) {
        let (task, occurrence, then) = match undo {
            Undo::Nothing => {
                self.state = State::Idle;
                return out.push(Output::Refused { caller: call.caller, why });
            }
            Undo::Place => (Task::Leave, 3, Undo::Nothing),
            Undo::Hold => {
                let ttl = self.terms.policy().ttl;
                let now_ms = now.wall.unix_ms().0;
                (Task::GiveBack { number: 0, now_ms, ttl }, 2, self.place(&call))
            }
        };
        let request = self.send(errand(&call, task, occurrence), out);
        self.state = State::Undoing(Undoing { call, why, request, then });
    }

    fn stop_listening(&mut self, call: &Call, out: &mut Vec<Output>) {
        match self.ears {
            Ears::Shut => {}
            Ears::Open | Ears::Rung | Ears::Asking(_) => {
                self.ears = Ears::Shut;
                let _: RequestId =
                    self.send(errand(call, Task::Unlisten, call.others.saturating_add(1)), out);
            }
        }
    }
}

/// A question of this call.
fn errand(call: &Call, task: Task, occurrence: u8) -> Errand {
    let Call { nonce, number, .. } = *call;
    Errand { task, nonce, worker: Worker::User, operation: Operation::Acquire, number, occurrence }
}

fn take(call: &Call, now: Now) -> Task {
    Task::Take { ttl: call.ttl, now_ms: now.wall.unix_ms().0, waits: call.chance == Chance::More }
}

/// Whether this is a message, and not the confirmation of a subscription.
pub(in crate::lock) fn is_message(push: &Reply) -> bool {
    let (Reply::Push(parts) | Reply::Array(parts)) = push else { return false };
    match parts.first() {
        Some(Reply::Bulk(kind) | Reply::Status(kind)) => kind.as_ref() == b"message",
        Some(_) | None => false,
    }
}
