//! How a refused call waits for its next try: not at all, for a pause, or for a message on the lock's channel.
//!
//! A wait for a message is bounded by the life of the key that refused the try, so that a message that never comes costs
//! at most that; a key that never expires bounds nothing. Must not send a try (`acquire`) or subscribe (`listening`).
//!
//! **Source** Redisson's `RedissonLock.lock` and `tryLock`: a first try, a subscription, another try, then waits.

use super::machine::HashLock;
use super::policy::Waiting;
use super::state::{Attempt, Call, Listening};
use crate::lock::{Output, WakeReason};
use crate::time::{Now, Span};

/// A key in its last millisecond still has life 0; whoever tried again at once would never let time pass.
const LEAST: Span = Span::from_ms(1);

impl HashLock {
    /// A try was refused by a key with so much life left.
    pub(super) fn wait_on(
        &mut self,
        now: Now,
        attempt: Attempt,
        pause: Span,
        left: Option<Span>,
        out: &mut Vec<Output>,
    ) {
        let attempt = Attempt { refused: attempt.refused.saturating_add(1), ..attempt };
        let patience = attempt.end.left(now);
        if patience.is_some_and(|patience| patience <= Span::ZERO) {
            return self.refuse(attempt, attempt.refusal(), out);
        }
        let until = |bound: Option<Span>| match (bound, patience) {
            (Some(bound), Some(patience)) => Some(bound.min(patience)),
            (bound, patience) => bound.or(patience),
        };
        match (self.policy().waiting, self.listening) {
            (Waiting::None, _) => self.refuse(attempt, attempt.refusal(), out),
            (Waiting::Poll | Waiting::Spin, _) => self.rest(now, attempt, until(Some(pause)), out),
            (Waiting::Pubsub, Listening::Off) => self.subscribe(attempt, patience, out),
            (Waiting::Pubsub, Listening::On { heard: true }) => {
                // Its message came before it began to wait.
                self.listening = Listening::On { heard: false };
                self.begin(attempt, 0, out);
            }
            (Waiting::Pubsub, Listening::On { heard: false } | Listening::Asking { .. }) => {
                self.rest(now, attempt, until(left.map(|left| left.max(LEAST))), out);
            }
        }
    }

    /// The wait is over by its timer: the next try, unless the call's own limit was reached.
    pub(super) fn on_waited(&mut self, now: Now, attempt: Attempt, jitter: u32, out: &mut Vec<Output>) {
        match attempt.end.left(now) {
            Some(left) if left <= Span::ZERO => self.refuse(attempt, attempt.refusal(), out),
            Some(_) | None => self.begin(attempt, jitter, out),
        }
    }

    fn rest(&mut self, now: Now, attempt: Attempt, bound: Option<Span>, out: &mut Vec<Output>) {
        self.call = Call::Waiting(attempt);
        if let Some(bound) = bound {
            out.push(Output::Wake { at: now.mono + bound, reason: WakeReason::Retry });
        }
    }
}
