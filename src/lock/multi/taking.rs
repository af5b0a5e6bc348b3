//! A call of acquire: one sub-lock after the other, each in its share of the time.
//!
//! A sub-lock that is refused is waited for while its share lasts, if the policy waits for it at all: until a release is
//! told, or what refused it is over. Must not give anything back: `ending` does.

use crate::lock::policy::NonceLife;
use crate::lock::quorum::validity::{self, Expiry};
use crate::lock::waiter::{Patience, is_message};
use crate::lock::{Caller, Draw, Output, RefuseReason, RequestId, Ttl, WakeReason};
use crate::name::{Operation, VoterId, Worker};
use crate::resp::Reply;
use crate::time::{Now, Span};

use super::commands::{Answer, Said, Task, said};
use super::machine::{Multi, Place};
use super::policy::{Holding, Leasing, Share, Sub};
use super::state::{Call, Next, Past, State, Step, Taking};

impl Multi {
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
            State::Taking(_)
            | State::Settling { .. }
            | State::Undoing { .. }
            | State::Pausing(_)
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
        let (wait, over) = match policy.wait {
            Patience::Once | Patience::Ever => (Span::ZERO, Expiry::Never),
            Patience::For(span) => (span, Expiry::after(policy.clock, now, span)),
        };
        let (ttl, pause) = (validity::whole_ms(ttl), Span::ZERO);
        let call = Call { caller, nonce, ttl, wait, over, number: 0, sent: 0, pause, past: Past::Clean };
        self.begin(now, call, draw.jitter, out);
    }

    /// Begins with the first sub-lock; a call that waits for ever begins a round.
    pub(super) fn begin(&mut self, now: Now, mut call: Call, jitter: u32, out: &mut Vec<Output>) {
        let policy = self.terms.policy();
        call.pause = policy.pause.drawn(jitter);
        match policy.wait {
            Patience::Ever => {
                call.wait = policy.round.drawn(jitter);
                call.over = Expiry::after(policy.clock, now, call.wait);
            }
            Patience::Once | Patience::For(_) => {}
        }
        // Validity counts from here, before the first question leaves.
        let lease = validity::lease(self.terms.promises(), call.ttl, now);
        self.number(&mut call, out);
        let (request, share) = (RequestId(0), Expiry::Never);
        let taking = Taking { call, lease, place: 0, got: 0, share, step: Step::Asked(request) };
        self.next(now, taking, out);
    }

    pub(super) fn on_asked(&mut self, now: Now, request: RequestId, answer: &Answer, out: &mut Vec<Output>) {
        let State::Taking(mut taking) = self.state else { return };
        let (nonce, voter) = (taking.call.nonce, self.terms.voter_at(taking.place));
        match taking.step {
            Step::Asked(known) if known == request => {
                let life = self.life(&taking.call);
                match said(&self.terms, Task::Take { life }, nonce, answer) {
                    Said::Yes => {
                        taking.got |= 1 << voter;
                        taking.place += 1;
                        self.next(now, taking, out);
                    }
                    Said::No { rest } => self.refused(now, taking, rest, out),
                    // It may have been got: it is given back with the others, and counts as missed.
                    Said::Unknown => self.missed(now, taking, 1 << voter, out),
                }
            }
            Step::Listening(known) if known == request => {
                self.ears |= 1 << voter;
                self.ask(taking, out);
            }
            // A question that was given up.
            Step::Asked(_) | Step::Listening(_) | Step::Waiting => {}
        }
    }

    pub(super) fn on_push(&mut self, now: Now, voter: VoterId, message: &Reply, out: &mut Vec<Output>) {
        if !is_message(message) {
            return;
        }
        match self.state {
            State::Taking(taking) if self.terms.voter_at(taking.place) == voter.0 => match taking.step {
                Step::Waiting => {
                    out.push(Output::Quiet { reason: WakeReason::Retry });
                    self.ask_in_time(now, taking, out);
                }
                // A question is out: the wait that may follow ends at once.
                Step::Asked(_) | Step::Listening(_) => self.rung |= 1 << voter.0,
            },
            // Nobody waits for this one.
            State::Taking(_)
            | State::Idle
            | State::Settling { .. }
            | State::Undoing { .. }
            | State::Pausing(_)
            | State::Holding(_)
            | State::Gone { .. }
            | State::Releasing { .. } => {}
        }
    }

    /// The next wait for it will ask again to be told.
    pub(super) fn on_deaf(&mut self, voter: VoterId) {
        self.ears &= !(1 << voter.0);
    }

    pub(super) fn on_retry(&mut self, now: Now, draw: Draw, out: &mut Vec<Output>) {
        match self.state {
            State::Taking(taking) if taking.step == Step::Waiting => self.ask_in_time(now, taking, out),
            State::Pausing(call) => match self.terms.policy().wait {
                Patience::For(_) if !call.over.is_ahead(now) => {
                    let why = call.refusal();
                    self.proceed(now, call, Next::Refuse(why), out);
                }
                Patience::For(_) | Patience::Once | Patience::Ever => self.begin(now, call, draw.jitter, out),
            },
            // The wait that asked for this wake is over.
            State::Taking(_)
            | State::Idle
            | State::Settling { .. }
            | State::Undoing { .. }
            | State::Holding(_)
            | State::Gone { .. }
            | State::Releasing { .. } => {}
        }
    }

    /// The sub-lock at this place, or what follows the last.
    fn next(&mut self, now: Now, mut taking: Taking, out: &mut Vec<Output>) {
        let policy = self.terms.policy();
        let enough = u32::from(policy.quorum());
        if taking.place == policy.voters {
            return match taking.got.count_ones() >= enough {
                true => self.won(now, taking, out),
                false => self.fail(now, taking, taking.got, out),
            };
        }
        if taking.place > 0 && !taking.call.over.is_ahead(now) {
            return self.fail(now, taking, taking.got, out);
        }
        let part = match policy.share {
            Share::Whole => taking.call.wait,
            Share::Equal => (Span(taking.call.wait.0 / i64::from(policy.voters))).max(Span::from_ms(1)),
        };
        taking.share = match (policy.wait, policy.holding) {
            // Never ahead: a refusal ends it.
            (Patience::Once, _) | (_, Holding::AllOrNothing) => Expiry::after(policy.clock, now, Span::ZERO),
            (Patience::For(_) | Patience::Ever, Holding::AndWait) => Expiry::after(policy.clock, now, part),
        };
        self.ask(taking, out);
    }

    fn ask_in_time(&mut self, now: Now, taking: Taking, out: &mut Vec<Output>) {
        if taking.share.is_ahead(now) && taking.call.over.is_ahead(now) {
            self.ask(taking, out);
        } else {
            self.missed(now, taking, 0, out);
        }
    }

    fn ask(&mut self, mut taking: Taking, out: &mut Vec<Output>) {
        let task = Task::Take { life: self.life(&taking.call) };
        taking.step = Step::Asked(self.send_for(&mut taking.call, taking.place, task, out));
        self.state = State::Taking(taking);
    }

    fn refused(&mut self, now: Now, mut taking: Taking, rest: Option<Span>, out: &mut Vec<Output>) {
        let bit = 1 << self.terms.voter_at(taking.place);
        if !taking.share.is_ahead(now) || !taking.call.over.is_ahead(now) {
            return self.missed(now, taking, 0, out);
        }
        let poll = self.terms.policy().poll;
        let rest = match self.terms.policy().sub {
            Sub::Text => Some(poll),
            Sub::Hash if self.ears & bit == 0 => {
                let request = self.send_for(&mut taking.call, taking.place, Task::Listen, out);
                taking.step = Step::Listening(request);
                self.state = State::Taking(taking);
                return;
            }
            Sub::Hash if self.rung & bit != 0 => {
                self.rung &= !bit;
                return self.ask(taking, out);
            }
            Sub::Hash => rest,
        };
        let ends = [taking.share.in_mono(now), taking.call.over.in_mono(now)];
        let rest = rest.map(|rest| now.mono + rest.max(Span::from_ms(1)));
        if let Some(at) = ends.into_iter().chain([rest]).flatten().min() {
            out.push(Output::Wake { at, reason: WakeReason::Retry });
        }
        taking.step = Step::Waiting;
        self.state = State::Taking(taking);
    }

    /// A sub-lock was not to be had: the call goes on if enough others can still be got. `doubtful` are voters that are
    /// to be given back although nothing says that they were got.
    fn missed(&mut self, now: Now, mut taking: Taking, doubtful: u8, out: &mut Vec<Output>) {
        let policy = self.terms.policy();
        taking.place += 1;
        let still = u32::from(policy.voters - taking.place) + taking.got.count_ones();
        if doubtful != 0 {
            taking.call.past = Past::Doubtful;
        }
        if still < u32::from(policy.quorum()) {
            return self.fail(now, taking, taking.got | doubtful, out);
        }
        if doubtful != 0 {
            // Redisson unlocks what timed out at once and does not wait for the answer.
            let voter = self.terms.voter_at(taking.place - 1);
            let _: RequestId = self.send_to(&mut taking.call, voter, Task::GiveBack, out);
        }
        self.next(now, taking, out);
    }

    /// The life with which a sub-lock is taken.
    pub(super) fn life(&self, call: &Call) -> Span {
        let policy = self.terms.policy();
        match (policy.leasing, call.ttl) {
            (Leasing::Provisional, _) => Span::from_ms(call.wait.as_ms_floor().saturating_mul(2)),
            (Leasing::Final, Ttl::Of(ttl)) => ttl,
            (Leasing::Final, Ttl::Never) => unreachable!("a policy without a life is refused"),
        }
    }

    fn send_for(&mut self, call: &mut Call, place: u8, task: Task, out: &mut Vec<Output>) -> RequestId {
        let voter = self.terms.voter_at(place);
        self.send_to(call, voter, task, out)
    }

    fn send_to(&mut self, call: &mut Call, voter: u8, task: Task, out: &mut Vec<Output>) -> RequestId {
        if call.sent == u8::MAX {
            self.number(call, out);
        }
        call.sent += 1;
        let place = call.place();
        self.send(voter, (task, call.nonce), place, out)
    }

    fn number(&mut self, call: &mut Call, out: &mut Vec<Output>) {
        (call.number, call.sent) = (self.counters.next(Operation::Acquire), 0);
        out.push(Output::Attempt { number: call.number });
    }
}

impl Call {
    /// Why it ends without the lock, when time is over.
    pub(super) fn refusal(&self) -> RefuseReason {
        match self.past {
            Past::Clean => RefuseReason::Taken,
            Past::Doubtful => RefuseReason::Unknown,
        }
    }

    /// Where its newest command stands.
    pub(super) fn place(&self) -> Place {
        Place {
            worker: Worker::User,
            operation: Operation::Acquire,
            number: self.number,
            occurrence: self.sent,
        }
    }

    /// Where a command behind its newest stands.
    pub(super) fn place_behind(&self, by: u8) -> Place {
        Place { occurrence: self.sent.saturating_add(by), ..self.place() }
    }
}
