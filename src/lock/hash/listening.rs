//! The subscription to the lock's channel, over a connection of its own: one call long.
//!
//! What is told while there is none is not heard. Must not decide when a call waits (`waiting`).

use super::commands;
use super::machine::{Answer, HashLock};
use super::state::{Attempt, Call, Listening};
use crate::lock::{Label, Output, WakeReason};
use crate::name::{Operation, Worker};
use crate::resp::Reply;
use crate::time::{Now, Span};

impl HashLock {
    /// Subscribes before the call tries again, within what is left of its patience.
    pub(super) fn subscribe(&mut self, attempt: Attempt, patience: Option<Span>, out: &mut Vec<Output>) {
        let limit = self.policy().node_timeout;
        let limit = patience.map_or(limit, |patience| patience.min(limit));
        self.call = Call::Waiting(self.listen(attempt, limit, true, out));
    }

    /// The node answered the subscription, or did not. A call that cannot listen ends, as it does where the wait for
    /// the subscription runs into its limit.
    pub(super) fn on_subscribed(&mut self, now: Now, first: bool, answer: Answer<'_>, out: &mut Vec<Output>) {
        let subscribed = match answer {
            Answer::Reply(Reply::Error(_)) | Answer::Unknown => false,
            Answer::Reply(_) => true,
        };
        self.listening = if subscribed { Listening::On { heard: false } } else { Listening::Off };
        let Call::Waiting(attempt) = self.call else { return };
        match (subscribed, first) {
            (true, true) => self.on_waited(now, attempt, 0, out),
            (false, true) => self.refuse(attempt, attempt.refusal(), out),
            // The wait goes on, bounded as it was.
            (true | false, false) => {}
        }
    }

    pub(super) fn on_message(&mut self, now: Now, message: &Reply, out: &mut Vec<Output>) {
        if !commands::is_message(&self.terms, message) {
            return;
        }
        match (self.listening, self.call) {
            (Listening::On { .. }, Call::Waiting(attempt)) => {
                out.push(Output::Quiet { reason: WakeReason::Retry });
                self.on_waited(now, attempt, 0, out);
            }
            (Listening::On { .. }, Call::Asking(_)) => self.listening = Listening::On { heard: true },
            // Nobody waits for it.
            (
                Listening::On { .. },
                Call::None
                | Call::Confirming(_)
                | Call::Undoing(_)
                | Call::Releasing(_)
                | Call::Looking { .. },
            )
            | (Listening::Off | Listening::Asking { .. }, _) => {}
        }
    }

    /// The connection broke, and the subscription with it: it is asked for again, and what is told meanwhile is lost.
    pub(super) fn on_subscription_lost(&mut self, out: &mut Vec<Output>) {
        let first = match self.listening {
            Listening::Off => return,
            Listening::Asking { first, .. } => first,
            Listening::On { .. } => false,
        };
        let limit = self.policy().node_timeout;
        match &self.call {
            Call::Waiting(attempt) => {
                let attempt = self.listen(*attempt, limit, first, out);
                self.call = Call::Waiting(attempt);
            }
            // It is asked for again where a try is refused.
            Call::Asking(_)
            | Call::Confirming(_)
            | Call::Undoing(_)
            | Call::None
            | Call::Releasing(_)
            | Call::Looking { .. } => self.listening = Listening::Off,
        }
    }

    /// Ends the subscription with the call; nobody waits for the answer.
    pub(super) fn unsubscribe(&mut self, attempt: Attempt, out: &mut Vec<Output>) {
        match self.listening {
            Listening::Off => return,
            Listening::Asking { .. } | Listening::On { .. } => {}
        }
        self.listening = Listening::Off;
        let (command, limit) = (commands::unsubscribe(&self.terms), self.policy().node_timeout);
        self.send_over(
            Self::MESSAGES,
            command,
            limit,
            label(attempt, attempt.subscribed.saturating_add(1)),
            out,
        );
    }

    fn listen(&mut self, attempt: Attempt, limit: Span, first: bool, out: &mut Vec<Output>) -> Attempt {
        let attempt = Attempt { subscribed: attempt.subscribed.saturating_add(1), ..attempt };
        let command = commands::subscribe(&self.terms);
        let request = self.send_over(Self::MESSAGES, command, limit, label(attempt, attempt.subscribed), out);
        self.listening = Listening::Asking { request, first };
        attempt
    }
}

/// Both commands go by one name: what ends a subscription counts after all that began one.
fn label(attempt: Attempt, occurrence: u8) -> Label {
    Label { worker: Worker::User, operation: Operation::Acquire, number: attempt.number, occurrence }
}
