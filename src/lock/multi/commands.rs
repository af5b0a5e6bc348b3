//! What is sent to the voter of a sub-lock, and how an answer counts.
//!
//! The scripts are those of the locks that the sub-locks are. Must not know what an answer leads to.

use crate::lock::{ConnectionId, Ttl, UnknownReason};
use crate::name::Nonce;
use crate::resp::{Command, Reply};
use crate::time::Span;
use bytes::Bytes;

use super::policy::Sub;
use super::terms::Terms;

/// What a voter is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// For its sub-lock.
    Take { life: Span },
    /// To tell of releases.
    Listen,
    /// To tell no more.
    Unlisten,
    /// To give its key this life, whoever owns it.
    Settle { ttl: Ttl },
    /// To take its sub-lock back.
    GiveBack,
    /// To prolong the hold.
    Renew { ttl: Ttl },
    /// Whether the hold is there.
    Check,
}

/// What was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Yes,
    /// No; of a sub-lock, how long to wait if it tells.
    No {
        rest: Option<Span>,
    },
    /// Nothing usable: it may have been done.
    Unknown,
}

/// What became of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Reply(Reply),
    Unknown(UnknownReason),
}

impl Task {
    /// Subscriptions have a connection of their own.
    pub(super) fn connection(self) -> ConnectionId {
        match self {
            Self::Listen | Self::Unlisten => ConnectionId(1),
            Self::Take { .. } | Self::Settle { .. } | Self::GiveBack | Self::Renew { .. } | Self::Check => {
                ConnectionId(0)
            }
        }
    }
}

pub(super) fn command(terms: &Terms, task: Task, nonce: Nonce) -> Command {
    let (key, owner) = (terms.key(), nonce.to_bytes());
    let word = |word: &'static str| Bytes::from_static(word.as_bytes());
    match (task, terms.policy().sub) {
        (Task::Take { life }, Sub::Hash) => eval(HASH_TAKE, key, [owner, word("pexpire"), ms(life)]),
        (Task::Take { life }, Sub::Text) => {
            Command::new([word("SET"), key, owner, word("NX"), word("PX"), ms(life)])
        }
        (Task::Listen, _) => Command::new([word("SUBSCRIBE"), terms.channel()]),
        (Task::Unlisten, _) => Command::new([word("UNSUBSCRIBE"), terms.channel()]),
        (Task::Settle { ttl }, _) => Command::new([word("PEXPIRE"), key, life_of(ttl)]),
        (Task::GiveBack, Sub::Hash) => eval(HASH_GIVE_BACK, key, [owner, terms.channel()]),
        (Task::GiveBack, Sub::Text) => eval(TEXT_GIVE_BACK, key, [owner]),
        (Task::Renew { ttl }, Sub::Hash) => eval(HASH_RENEW, key, [owner, word("pexpire"), life_of(ttl)]),
        (Task::Renew { ttl }, Sub::Text) => eval(TEXT_RENEW, key, [owner, life_of(ttl)]),
        (Task::Check, Sub::Hash) => Command::new([word("HEXISTS"), key, owner]),
        (Task::Check, Sub::Text) => Command::new([word("GET"), key]),
    }
}

/// How an answer to this task counts. An error says nothing about the key.
pub(super) fn said(terms: &Terms, task: Task, nonce: Nonce, answer: &Answer) -> Said {
    let Answer::Reply(reply) = answer else { return Said::Unknown };
    if reply.is_error() {
        return Said::Unknown;
    }
    let (one, nothing) = (*reply == Reply::Int(1), *reply == Reply::Null);
    let counted = matches!(reply, Reply::Int(_));
    let (yes, no) = match (task, terms.policy().sub) {
        (Task::Take { .. }, Sub::Hash) => {
            if let Reply::Int(ms) = reply {
                return Said::No { rest: (*ms >= 0).then(|| Span::from_ms(*ms)) };
            }
            (nothing, false)
        }
        (Task::Take { .. }, Sub::Text) => (*reply == Reply::OK, nothing),
        (Task::Listen | Task::Unlisten, _) => (true, false),
        (Task::GiveBack, Sub::Hash) => (counted, nothing),
        (Task::Check, Sub::Text) => {
            let own = *reply == Reply::Bulk(nonce.to_bytes());
            (own, nothing || matches!(reply, Reply::Bulk(_)))
        }
        (Task::Settle { .. } | Task::Renew { .. }, _)
        | (Task::GiveBack, Sub::Text)
        | (Task::Check, Sub::Hash) => (one, counted),
    };
    match (yes, no) {
        (true, _) => Said::Yes,
        (false, true) => Said::No { rest: None },
        (false, false) => Said::Unknown,
    }
}

fn eval<const N: usize>(script: &'static str, key: Bytes, arguments: [Bytes; N]) -> Command {
    let head =
        [Bytes::from_static(b"EVAL"), Bytes::from_static(script.as_bytes()), Bytes::from_static(b"1"), key];
    Command::new(head.into_iter().chain(arguments))
}

fn life_of(ttl: Ttl) -> Bytes {
    match ttl {
        Ttl::Of(ttl) => ms(ttl),
        Ttl::Never => unreachable!("a policy without a life is refused"),
    }
}

fn ms(span: Span) -> Bytes {
    Bytes::from(span.as_ms_floor().to_string())
}

const HASH_TAKE: &str = include_str!("../scripts/hold_acquire.lua");
const HASH_GIVE_BACK: &str = include_str!("../scripts/hold_release.lua");
const HASH_RENEW: &str = include_str!("../scripts/hold_renew.lua");
const TEXT_GIVE_BACK: &str = include_str!("../scripts/compare_and_delete.lua");
const TEXT_RENEW: &str = include_str!("../scripts/compare_and_pexpire.lua");
