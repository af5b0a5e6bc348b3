//! What is sent, under which label, and how an answer counts.
//!
//! Scripts are always sent whole, as EVAL; their texts live in `lock/scripts`, one copy each. What differs by shape is
//! in `fair`, `read_write` and `signal`. Must not know what an answer leads to.

use crate::lock::{ConnectionId, Label, Output, RequestId, Ttl, UnknownReason};
use crate::name::{Nonce, Operation, VoterId, Worker};
use crate::resp::{Command, Reply};
use crate::time::Span;
use bytes::Bytes;

use super::policy::{Patience, Shape};
use super::terms::Terms;
use super::{fair, read_write, signal};

/// The connection over which commands go.
pub(super) const FIRST: ConnectionId = ConnectionId(0);

/// The connection that waits: it is subscribed, or blocked.
pub(super) const WAITING: ConnectionId = ConnectionId(1);

/// Longer than any run: what blocks without an end.
const EVER: Span = Span(1_000_000_000_000_000);

/// What the node is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// What the key holds.
    Look,
    /// For the lock. `now_ms` is the caller's wall clock; a call that does not wait is not queued.
    Take { ttl: Ttl, now_ms: i64, waits: bool },
    /// To be told of releases.
    Listen,
    /// To be told no more.
    Unlisten,
    /// To block until a signal comes; as long as this, or for ever.
    Pop { limit: Option<Span> },
    /// To be taken out of the queue.
    Leave,
    /// To take a hold back. `number` is that of the release, 0 where none was called.
    GiveBack { number: u32, now_ms: i64, ttl: Ttl },
    /// To prolong the hold.
    Renew { ttl: Ttl },
    /// Whether the hold is there.
    Check,
}

/// What was answered, as far as any shape tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// Yes: taken, prolonged, given back, there.
    Yes,
    /// No; of an acquiring command, how long to wait, if it tells.
    No { rest: Option<Span> },
    /// An error.
    Error,
    /// Nothing usable: it may have been done.
    Unknown,
}

/// What became of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Reply(Reply),
    Unknown(UnknownReason),
}

/// A question as the driver sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Errand {
    pub(super) task: Task,
    pub(super) nonce: Nonce,
    pub(super) worker: Worker,
    pub(super) operation: Operation,
    pub(super) number: u32,
    pub(super) occurrence: u8,
}

impl Errand {
    /// The duty to send it.
    pub(super) fn send(self, terms: &Terms, request: RequestId) -> Output {
        let Self { worker, operation, number, occurrence, .. } = self;
        let (connection, limit) = match self.task {
            Task::Listen | Task::Unlisten => (WAITING, terms.policy().node_timeout),
            Task::Pop { limit } => (WAITING, limit.map_or(EVER, |limit| limit + terms.policy().node_timeout)),
            Task::Look
            | Task::Take { .. }
            | Task::Leave
            | Task::GiveBack { .. }
            | Task::Renew { .. }
            | Task::Check => (FIRST, terms.policy().node_timeout),
        };
        let label = Label { worker, operation, number, occurrence };
        let command = command(terms, self.task, self.nonce);
        Output::Send { request, voter: VoterId(0), connection, command, limit, label }
    }
}

fn command(terms: &Terms, task: Task, nonce: Nonce) -> Command {
    match &terms.policy().shape {
        Shape::Fair(words) => fair::command(terms, words, task, nonce),
        Shape::ReadWrite(words) => read_write::command(terms, words, task, nonce),
        Shape::Signal(words) => signal::command(terms, words, task, nonce),
    }
}

/// How an answer to this task counts.
pub(super) fn said(terms: &Terms, task: Task, nonce: Nonce, answer: &Answer) -> Said {
    let reply = match answer {
        Answer::Reply(reply) if reply.is_error() => return Said::Error,
        Answer::Reply(reply) => reply,
        Answer::Unknown(_) => return Said::Unknown,
    };
    let counted = matches!(reply, Reply::Int(_));
    let nothing = *reply == Reply::Null;
    match (task, &terms.policy().shape) {
        // The waiting connection heard it.
        (Task::Listen | Task::Unlisten, _) => Said::Yes,
        (Task::Pop { .. }, _) if matches!(reply, Reply::Array(_)) => Said::Yes,
        (Task::Pop { .. }, _) => Said::No { rest: None },
        (Task::Look | Task::Check, Shape::Signal(_)) => {
            let own = *reply == Reply::Bulk(nonce.to_bytes());
            decided(own, nothing || matches!(reply, Reply::Bulk(_)))
        }
        (Task::Take { .. }, Shape::Signal(_)) => decided(*reply == Reply::OK, nothing),
        (Task::Take { .. }, Shape::Fair(_) | Shape::ReadWrite(_)) => {
            if let Reply::Int(ms) = reply {
                Said::No { rest: (*ms >= 0).then(|| Span::from_ms(*ms)) }
            } else {
                decided(nothing, false)
            }
        }
        // How many holds are left, or nothing where there was none.
        (Task::GiveBack { .. }, Shape::Fair(_) | Shape::ReadWrite(_)) => decided(counted, nothing),
        (Task::Look | Task::Check, Shape::Fair(_) | Shape::ReadWrite(_))
        | (Task::GiveBack { .. }, Shape::Signal(_))
        | (Task::Leave | Task::Renew { .. }, _) => decided(*reply == Reply::Int(1), counted),
    }
}

fn decided(yes: bool, no: bool) -> Said {
    match (yes, no) {
        (true, _) => Said::Yes,
        (false, true) => Said::No { rest: None },
        (false, false) => Said::Unknown,
    }
}

/// How long a place in the queue is asked for: the time that the call waits, where it is limited.
pub(super) fn place_ms(wait: Patience, place: Span) -> i64 {
    match wait {
        Patience::For(span) => span.as_ms_floor(),
        Patience::Once | Patience::Ever => place.as_ms_floor(),
    }
}

pub(super) fn words<const N: usize>(words: [&'static str; N]) -> impl Iterator<Item = Bytes> {
    words.into_iter().map(|word| Bytes::from_static(word.as_bytes()))
}

pub(super) fn eval(
    script: &'static str,
    keys: impl IntoIterator<Item = Bytes, IntoIter: ExactSizeIterator>,
    arguments: impl IntoIterator<Item = Bytes>,
) -> Command {
    let keys = keys.into_iter();
    let count = Bytes::from(keys.len().to_string());
    let head = [Bytes::from_static(b"EVAL"), Bytes::from_static(script.as_bytes()), count];
    Command::new(head.into_iter().chain(keys).chain(arguments))
}

pub(super) fn number(number: i64) -> Bytes {
    Bytes::from(number.to_string())
}

/// A life in milliseconds, or an empty word for none.
pub(super) fn life(ttl: Ttl) -> Bytes {
    match ttl {
        Ttl::Never => Bytes::new(),
        Ttl::Of(span) => number(span.as_ms_floor()),
    }
}

/// The life of a latch: as long as any repetition of its release can take, in milliseconds; an empty word for none.
pub(super) fn latch_life(terms: &Terms, latch: super::policy::Latch, release: u32) -> Bytes {
    let policy = terms.policy();
    match latch {
        super::policy::Latch::On if release > 0 => {
            number((policy.node_timeout.as_ms_floor() + 1) * (2 + i64::from(policy.release_retries)))
        }
        super::policy::Latch::On | super::policy::Latch::Off => Bytes::new(),
    }
}

/// The key that remembers the answer to one release.
pub(super) fn latch_key(terms: &Terms, nonce: Nonce, release: u32) -> Bytes {
    let mut key = terms.beside_of("latch", nonce).to_vec();
    key.extend_from_slice(format!(":{release}").as_bytes());
    key.into()
}

/// Whether the owner holds: HEXISTS.
pub(super) fn holds(terms: &Terms, nonce: Nonce) -> Command {
    Command::new(words(["HEXISTS"]).chain([terms.key(), nonce.to_bytes()]))
}
