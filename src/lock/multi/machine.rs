//! The core of a lock over several sub-locks: which input goes to which transition.
//!
//! Must not contain a transition itself: `taking`, `ending` and `hold` do.

use crate::canon::Canon;
use crate::lock::counters::Counters;
use crate::lock::waiter::count;
use crate::lock::{
    ConnectionId, CoreTraits, Input, Label, LinkState, LockCore, Output, RequestId, Stored, WakeReason,
};
use crate::name::{ClientId, Nonce, Operation, VoterId, Worker};
use crate::time::Now;
use bytes::Bytes;
use std::sync::Arc;

use super::commands::{Answer, Said, Task, command, said};
use super::policy::{MultiPolicy, Sub};
use super::state::{Poll, State};
use super::terms::Terms;

/// `multi`: one handle, one call or hold at a time.
///
/// A second call while one is open or a hold exists is refused as misuse.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Multi {
    pub(super) terms: Terms,
    pub(super) state: State,
    /// The voters that tell of releases, and those that told of one while nobody waited for it, by bit.
    pub(super) ears: u8,
    pub(super) rung: u8,
    /// The nonce that the next call uses again, if the policy says so.
    pub(super) kept: Option<Nonce>,
    pub(super) counters: Counters,
}

/// Where in an operation a command stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) worker: Worker,
    pub(super) operation: Operation,
    pub(super) number: u32,
    pub(super) occurrence: u8,
}

impl Multi {
    /// A handle on `key` at every voter, under a policy that was validated.
    pub fn new(policy: Arc<MultiPolicy>, key: Bytes) -> Self {
        let terms = Terms::new(policy, key);
        Self { terms, state: State::Idle, ears: 0, rung: 0, kept: None, counters: Counters::ZERO }
    }

    /// Asks one voter.
    pub(super) fn send(
        &mut self,
        voter: u8,
        (task, nonce): (Task, Nonce),
        place: Place,
        out: &mut Vec<Output>,
    ) -> RequestId {
        let request = self.counters.request();
        let Place { worker, operation, number, occurrence } = place;
        out.push(Output::Send {
            request,
            voter: VoterId(voter),
            connection: task.connection(),
            command: command(&self.terms, task, nonce),
            limit: self.terms.policy().node_timeout,
            label: Label { worker, operation, number, occurrence },
        });
        request
    }

    /// Asks these voters at once.
    pub(super) fn poll(
        &mut self,
        voters: u8,
        what: (Task, Nonce),
        place: Place,
        out: &mut Vec<Output>,
    ) -> Poll {
        let mut poll = Poll::empty();
        for voter in (0..self.terms.policy().voters).filter(|voter| voters & 1 << voter != 0) {
            poll.open.push((voter, self.send(voter, what, place, out)));
        }
        poll
    }

    fn on_answer(&mut self, now: Now, request: RequestId, answer: &Answer, out: &mut Vec<Output>) {
        match &self.state {
            State::Taking(_) => self.on_asked(now, request, answer, out),
            State::Settling { .. } => self.on_settled(now, request, answer, out),
            State::Undoing { .. } => self.on_undone(now, request, out),
            State::Holding(_) => self.on_told(now, request, answer, out),
            State::Releasing { .. } => self.on_given_back(request, answer, out),
            // Nothing is asked: the answer belongs to a question that was given up.
            State::Idle | State::Pausing(_) | State::Gone { .. } => {}
        }
    }
}

/// Takes one answer into a poll; whether that was the last, or `None` if it is not of this poll.
pub(super) fn hear(
    terms: &Terms,
    poll: &mut Poll,
    (task, nonce): (Task, Nonce),
    request: RequestId,
    answer: &Answer,
) -> Option<bool> {
    let voter = poll.asked(request)?;
    poll.open.retain(|(_, known)| *known != request);
    match said(terms, task, nonce, answer) {
        Said::Yes => poll.yes |= 1 << voter,
        Said::No { .. } => poll.no |= 1 << voter,
        Said::Unknown => {}
    }
    Some(poll.open.is_empty())
}

impl LockCore for Multi {
    fn on_input(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        match input {
            Input::Acquire { caller, ttl, draw } => self.on_acquire(now, caller, ttl, draw, out),
            Input::Reply { request, reply } => self.on_answer(now, request, &Answer::Reply(reply), out),
            Input::Unknown { request, why } => self.on_answer(now, request, &Answer::Unknown(why), out),
            Input::Push { voter, message } => self.on_push(now, voter, &message, out),
            Input::Link { voter, connection: ConnectionId(1), state: LinkState::Reset } => {
                self.on_deaf(voter);
            }
            Input::Wake { reason: WakeReason::Retry, draw } => self.on_retry(now, draw, out),
            Input::Wake { reason: WakeReason::Renew, .. } => self.on_renew(now, out),
            Input::Extend { caller, ttl } => self.on_extend(now, caller, ttl, out),
            Input::Check { caller } => self.on_check(caller, out),
            Input::Release { caller } => self.on_release(caller, out),
            Input::Cancel { caller } => self.on_cancel(caller, out),
            // An unknown request was counted when it became unknown, and a link's requests are answered one by one.
            Input::Late { .. } | Input::Link { .. } => {}
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
        match (stored, self.terms.policy().sub) {
            (Stored::Text(text), Sub::Text) => u32::from(Nonce::from_bytes(text) == Some(nonce)),
            (Stored::Hash(fields), Sub::Hash) => count(fields, nonce),
            (Stored::Text(_), Sub::Hash) | (Stored::Hash(_), Sub::Text) | (Stored::Other, _) => 0,
        }
    }
}
