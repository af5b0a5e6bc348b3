//! The hash core as a lock core: which input goes to which transition.
//!
//! Must not contain a transition itself, but for the holder's look, which is one question and one answer.

use super::commands;
use super::policy::HashPolicy;
use super::state::{Attempt, Call, Counters, Hold, Listening, Renewing};
use super::terms::Terms;
use crate::canon::Canon;
use crate::lock::{
    Caller, ConnectionId, CoreTraits, ExtendFailure, Found, Input, Label, LinkState, LockCore, Output,
    RequestId, Stored, Ttl, WakeReason,
};
use crate::name::{ClientId, Nonce, Operation, VoterId, Worker};
use crate::resp::{Command, Reply};
use crate::time::{Now, Span};
use bytes::Bytes;
use std::sync::Arc;

/// `reentrant`, `redisson` and `spin`: one handle, one owner, any number of holds.
///
/// A call while another is open, or by another caller while one holds, is refused as misuse.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HashLock {
    pub(super) terms: Terms,
    /// Who the handle is in Redis: the nonce of its first call, for ever.
    pub(super) owner: Option<Nonce>,
    /// The last lease that a call named, where the policy remembers it.
    pub(super) lease: Option<Span>,
    pub(super) hold: Option<Hold>,
    pub(super) call: Call,
    pub(super) renewing: Renewing,
    pub(super) listening: Listening,
    pub(super) counters: Counters,
}

/// What became of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer<'a> {
    Reply(&'a Reply),
    Unknown,
}

impl HashLock {
    /// The connection that commands go over.
    pub(super) const COMMANDS: ConnectionId = ConnectionId(0);
    /// The connection that subscribes: one that subscribed takes no other command.
    pub(super) const MESSAGES: ConnectionId = ConnectionId(1);

    /// A handle on `key` under a policy that was validated. The fence counter, if any, is `<key>:fence`.
    pub fn new(policy: Arc<HashPolicy>, key: Bytes) -> Self {
        Self {
            terms: Terms::new(policy, key),
            owner: None,
            lease: None,
            hold: None,
            call: Call::None,
            renewing: Renewing::Off,
            listening: Listening::Off,
            counters: Counters::ZERO,
        }
    }

    pub(super) fn policy(&self) -> &HashPolicy {
        self.terms.policy()
    }

    /// Sends a command to the one node over the connection for commands.
    pub(super) fn send(
        &mut self,
        command: Command,
        limit: Span,
        (worker, operation, number, occurrence): (Worker, Operation, u32, u8),
        out: &mut Vec<Output>,
    ) -> RequestId {
        let label = Label { worker, operation, number, occurrence };
        self.send_over(Self::COMMANDS, command, limit, label, out)
    }

    pub(super) fn send_over(
        &mut self,
        connection: ConnectionId,
        command: Command,
        limit: Span,
        label: Label,
        out: &mut Vec<Output>,
    ) -> RequestId {
        let request = self.counters.next_request();
        out.push(Output::Send { request, voter: VoterId(0), connection, command, limit, label });
        request
    }

    /// The life that the handle gives a key where no call names one.
    pub(super) fn life(&self) -> Ttl {
        self.lease.map_or(self.policy().ttl, Ttl::Of)
    }

    fn on_answer(&mut self, now: Now, request: RequestId, answer: Answer<'_>, out: &mut Vec<Output>) {
        match self.renewing {
            Renewing::Asking { request: own, .. } if own == request => {
                return self.on_renewed(now, answer, out);
            }
            Renewing::Off | Renewing::Resting | Renewing::Asking { .. } => {}
        }
        match self.listening {
            Listening::Asking { request: own, first } if own == request => {
                return self.on_subscribed(now, first, answer, out);
            }
            Listening::Off | Listening::On { .. } | Listening::Asking { .. } => {}
        }
        match self.call {
            Call::Asking(asking) if asking.request == Some(request) => {
                self.on_asked(now, asking, answer, out)
            }
            Call::Confirming(confirming) if confirming.request == request => {
                self.on_confirmed(now, confirming, answer, out);
            }
            Call::Undoing(undoing) if undoing.request == request => self.on_undone(undoing, out),
            Call::Releasing(releasing) if releasing.request == Some(request) => {
                self.on_given_back(now, releasing, answer, out);
            }
            Call::Looking { caller, request: own, .. } if own == request => {
                self.call = Call::None;
                out.push(Output::Checked { caller, found: found(answer) });
            }
            // What was asked is no longer waited for.
            Call::None
            | Call::Asking(_)
            | Call::Confirming(_)
            | Call::Undoing(_)
            | Call::Waiting(_)
            | Call::Releasing(_)
            | Call::Looking { .. } => {}
        }
    }

    fn on_retry(&mut self, now: Now, jitter: u32, out: &mut Vec<Output>) {
        match self.call {
            Call::Waiting(attempt) => self.on_waited(now, attempt, jitter, out),
            Call::Asking(asking) if asking.request.is_none() => self.ask_again(asking, out),
            Call::Releasing(releasing) if releasing.request.is_none() => self.release_again(releasing, out),
            // The wait that asked for this wake is over.
            Call::None
            | Call::Asking(_)
            | Call::Confirming(_)
            | Call::Undoing(_)
            | Call::Releasing(_)
            | Call::Looking { .. } => {}
        }
    }

    fn on_check(&mut self, caller: Caller, out: &mut Vec<Output>) {
        let holds = self.hold.is_some_and(|hold| hold.caller == caller);
        match (self.call, self.owner) {
            (Call::None, Some(owner)) if holds => {
                let number = self.counters.next(Operation::Check);
                let (command, limit) = (commands::look(&self.terms, owner), self.policy().node_timeout);
                let request = self.send(command, limit, (Worker::User, Operation::Check, number, 1), out);
                self.call = Call::Looking { caller, request, number };
            }
            (Call::None, _) => out.push(Output::Checked { caller, found: Found::Gone }),
            (
                Call::Asking(_)
                | Call::Confirming(_)
                | Call::Undoing(_)
                | Call::Waiting(_)
                | Call::Releasing(_)
                | Call::Looking { .. },
                _,
            ) => out.push(Output::Checked { caller, found: Found::Unknown }),
        }
    }

    /// These libraries have no call that prolongs.
    fn on_extend(&self, caller: Caller, out: &mut Vec<Output>) {
        let (why, still) = match self.hold {
            Some(hold) if hold.caller == caller => (ExtendFailure::Misuse, Some(self.terms.until())),
            Some(_) | None => (ExtendFailure::NotHeld, None),
        };
        out.push(Output::ExtendFailed { caller, why, still });
    }

    /// The call of acquire in progress, whatever it is doing.
    pub(super) fn attempt(&self) -> Option<Attempt> {
        match self.call {
            Call::Asking(asking) => Some(asking.attempt),
            Call::Confirming(confirming) => Some(confirming.attempt),
            Call::Waiting(attempt) => Some(attempt),
            Call::None | Call::Undoing(_) | Call::Releasing(_) | Call::Looking { .. } => None,
        }
    }
}

impl LockCore for HashLock {
    fn on_input(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        match input {
            Input::Acquire { caller, ttl, draw } => self.on_acquire(now, caller, ttl, draw, out),
            Input::Reply { request, reply } => self.on_answer(now, request, Answer::Reply(&reply), out),
            Input::Unknown { request, why: _ } => self.on_answer(now, request, Answer::Unknown, out),
            Input::Wake { reason: WakeReason::Retry, draw } => self.on_retry(now, draw.jitter, out),
            Input::Wake { reason: WakeReason::Renew, .. } => self.on_renew(out),
            Input::Push { voter: _, message } => self.on_message(now, &message, out),
            Input::Link { voter: _, connection, state } => match (connection, state) {
                (Self::MESSAGES, LinkState::Reset) => self.on_subscription_lost(out),
                (_, LinkState::Up | LinkState::Refused | LinkState::Reset) => {}
            },
            Input::Extend { caller, ttl: _ } => self.on_extend(caller, out),
            Input::Check { caller } => self.on_check(caller, out),
            Input::Release { caller } => self.on_release(caller, out),
            Input::Cancel { caller } => self.on_cancel(caller, out),
            // An unknown request was counted when it became unknown.
            Input::Late { .. } => {}
        }
    }

    fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        self.rewrite(client, canon);
    }

    fn describe(&self) -> CoreTraits {
        self.terms.describe()
    }

    fn backs(&self, nonce: Nonce, stored: &Stored) -> bool {
        self.holds(nonce, stored) > 0
    }

    fn holds(&self, nonce: Nonce, stored: &Stored) -> u32 {
        match stored {
            Stored::Hash(fields) => {
                let own = fields.iter().find(|(field, _)| Nonce::from_bytes(field) == Some(nonce));
                let count = own.and_then(|(_, count)| std::str::from_utf8(count).ok()?.parse().ok());
                count.unwrap_or(0)
            }
            Stored::Text(_) | Stored::Other => 0,
        }
    }
}

fn found(answer: Answer<'_>) -> Found {
    match answer {
        Answer::Reply(reply) => match commands::number(reply) {
            Some(0) => Found::Gone,
            Some(_) => Found::Held,
            None => Found::Unknown,
        },
        Answer::Unknown => Found::Unknown,
    }
}
