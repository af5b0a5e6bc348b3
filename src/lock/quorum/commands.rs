//! What is sent to a voter in each kind of round, under which label, and how an answer counts.
//!
//! Scripts are always sent whole, as EVAL; their texts live in `lock/scripts`, one copy each. Must not know who
//! is asked or what a round leads to.

use crate::lock::policy::{Counting, Extension, Fence, Release, Taking, WaitFor};
use crate::lock::{Label, Ttl};
use crate::name::{Nonce, Operation, Worker};
use crate::resp::{Command, Reply};
use crate::time::Span;
use bytes::Bytes;

use super::ballot::{Answer, Vote};
use super::terms::Terms;

/// What a round is for, and the operation that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Errand {
    pub(super) task: Task,
    pub(super) nonce: Nonce,
    pub(super) worker: Worker,
    /// The number of the operation.
    pub(super) number: u32,
}

/// What the voters are asked to do with the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Write it, for an attempt.
    Take { ttl: Ttl },
    /// Give it its life, where it was written without one.
    Expire { ttl: Ttl },
    /// Remove it, after a failed attempt.
    CleanUp,
    /// Prolong its life.
    Prolong { ttl: Span },
    /// Remove it, because the holder releases.
    GiveBack,
    /// Say which replicas are connected, for an attempt.
    Role,
    /// Wait until so many replicas have it, for an attempt.
    Wait { replicas: u32 },
    /// Say what it holds, because the holder looks.
    Look,
}

/// Which command of a voter's share in a round is under way: taking a key can need two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    First,
    Second,
}

impl Errand {
    /// What a voter is asked in this step.
    pub(super) fn at(self, step: Step) -> Self {
        match (step, self.task) {
            (Step::Second, Task::Take { ttl }) => Self { task: Task::Expire { ttl }, ..self },
            (Step::First, _)
            | (
                Step::Second,
                Task::Expire { .. }
                | Task::CleanUp
                | Task::Prolong { .. }
                | Task::GiveBack
                | Task::Role
                | Task::Wait { .. }
                | Task::Look,
            ) => self,
        }
    }

    /// The second step, where this answer to the first asks for one: the key was written, and it has no life yet.
    pub(super) fn follow_up(self, terms: &Terms, answer: &Answer) -> Option<Self> {
        let Task::Take { ttl: Ttl::Of(_) } = self.task else { return None };
        let Answer::Reply(reply) = answer else { return None };
        match terms.policy().taking {
            Taking::SetNxPx => None,
            Taking::SetnxExpire => (number(reply) == Some(1)).then(|| self.at(Step::Second)),
        }
    }

    /// The command for any one voter.
    pub(super) fn command(self, terms: &Terms) -> Command {
        let policy = terms.policy();
        let nonce = self.nonce.to_bytes();
        match self.task {
            Task::Take { ttl } => match (policy.fence, policy.taking) {
                (Fence::None, Taking::SetNxPx) => set(terms, nonce, ttl),
                (Fence::None, Taking::SetnxExpire) => {
                    Command::new([Bytes::from_static(b"SETNX"), terms.key(), nonce])
                }
                (Fence::Incr, _) => {
                    let life = life(ttl).into_iter();
                    let keys = [terms.key(), terms.fence_key()];
                    eval(ACQUIRE_FENCED, &keys, [nonce].into_iter().chain(life))
                }
            },
            Task::Expire { ttl } => pexpire(terms, life(ttl)),
            Task::CleanUp | Task::GiveBack => match policy.release {
                Release::CompareAndDelete => eval(COMPARE_AND_DELETE, &[terms.key()], [nonce]),
                Release::PlainDel => Command::new([Bytes::from_static(b"DEL"), terms.key()]),
            },
            Task::Prolong { ttl } => {
                let script = |text| eval(text, &[terms.key()], [nonce, milliseconds(ttl)]);
                match policy.extension {
                    Extension::None | Extension::Compare => script(COMPARE_AND_PEXPIRE),
                    Extension::Recreate => script(RECREATE),
                    Extension::Blind => pexpire(terms, Some(milliseconds(ttl))),
                }
            }
            Task::Role => Command::new([Bytes::from_static(b"ROLE")]),
            Task::Wait { replicas } => {
                let (count, limit) = (Bytes::from(replicas.to_string()), milliseconds(policy.wait.limit));
                Command::new([Bytes::from_static(b"WAIT"), count, limit])
            }
            Task::Look => Command::new([Bytes::from_static(b"GET"), terms.key()]),
        }
    }

    /// How long the client waits for the answer.
    pub(super) fn limit(self, terms: &Terms) -> Span {
        let policy = terms.policy();
        match self.task {
            Task::Wait { .. } => policy.wait.request_limit(policy.node_timeout),
            Task::Take { .. }
            | Task::Expire { .. }
            | Task::CleanUp
            | Task::Prolong { .. }
            | Task::GiveBack
            | Task::Role
            | Task::Look => policy.node_timeout,
        }
    }

    /// The label of a command that the driver sends for the `repeats + 1`st time.
    pub(super) fn label(self, terms: &Terms, repeats: u8) -> Label {
        let policy = terms.policy();
        let operation = match self.task {
            Task::Take { .. } | Task::Expire { .. } | Task::CleanUp | Task::Role | Task::Wait { .. } => {
                Operation::Acquire
            }
            Task::Prolong { .. } => Operation::Extend,
            Task::GiveBack => Operation::Release,
            Task::Look => Operation::Check,
        };
        // Where both the taking and the cleaning command are EVAL, the places that the driver's repetitions of
        // the first may need are left free, so that the name of the second does not depend on them.
        let taken = match (self.task, policy.fence, policy.release) {
            (Task::CleanUp, Fence::Incr, Release::CompareAndDelete) => {
                policy.driver_retries.saturating_add(1)
            }
            (Task::CleanUp, Fence::Incr, Release::PlainDel)
            | (Task::CleanUp, Fence::None, Release::CompareAndDelete | Release::PlainDel)
            | (
                Task::Take { .. }
                | Task::Expire { .. }
                | Task::Prolong { .. }
                | Task::GiveBack
                | Task::Role
                | Task::Wait { .. }
                | Task::Look,
                _,
                _,
            ) => 0,
        };
        let occurrence = taken.saturating_add(repeats).saturating_add(1);
        Label { worker: self.worker, operation, number: self.number, occurrence }
    }

    /// How an answer counts. A reply outside the contract of the command says nothing about the key, and neither
    /// does an error reply to anything but an acquiring command.
    pub(super) fn vote(self, terms: &Terms, answer: &Answer) -> Vote {
        match (self.task, answer) {
            (Task::CleanUp, _) => Vote::Settled,
            (
                Task::Take { .. }
                | Task::Expire { .. }
                | Task::Prolong { .. }
                | Task::GiveBack
                | Task::Role
                | Task::Wait { .. }
                | Task::Look,
                Answer::Unknown(_),
            ) => Vote::Unknown,
            (Task::Take { .. }, Answer::Reply(reply)) => {
                let policy = terms.policy();
                let (taken, refused) = match (policy.fence, policy.taking) {
                    (Fence::None, Taking::SetNxPx) => (*reply == Reply::OK, *reply == Reply::Null),
                    (Fence::None, Taking::SetnxExpire) => {
                        (number(reply) == Some(1), number(reply) == Some(0))
                    }
                    (Fence::Incr, _) => (number(reply).is_some(), *reply == Reply::Null),
                };
                let counted = match policy.counting {
                    Counting::Grants => taken,
                    Counting::Replies => taken || refused,
                };
                if counted {
                    Vote::For
                } else if refused || is_error(reply) {
                    Vote::Against
                } else {
                    Vote::Unknown
                }
            }
            // The key is there, whatever became of its life.
            (Task::Expire { .. }, Answer::Reply(reply)) => match is_error(reply) {
                true => Vote::Unknown,
                false => Vote::For,
            },
            (Task::Prolong { .. } | Task::GiveBack, Answer::Reply(reply)) => match number(reply) {
                Some(1) => Vote::For,
                Some(0) => Vote::Against,
                Some(_) | None => Vote::Unknown,
            },
            (Task::Role, Answer::Reply(reply)) => match connected(reply) {
                Some(_) => Vote::For,
                None => Vote::Unknown,
            },
            // Too few have it so far, which says nothing of later.
            (Task::Wait { replicas }, Answer::Reply(reply)) => match number(reply) {
                Some(have) if have >= i64::from(replicas) => Vote::For,
                Some(_) | None => Vote::Unknown,
            },
            (Task::Look, Answer::Reply(reply)) => {
                if let Reply::Bulk(value) = reply {
                    if Nonce::from_bytes(value) == Some(self.nonce) { Vote::For } else { Vote::Against }
                } else if *reply == Reply::Null {
                    Vote::Against
                } else {
                    Vote::Unknown
                }
            }
        }
    }
}

/// Whether a server refused to execute the command. It wrote nothing then: SET writes all or nothing, and
/// the fenced script writes the key last.
pub(super) fn is_error(reply: &Reply) -> bool {
    matches!(reply, Reply::Error(_))
}

/// The fence that a grant of a fenced policy carries.
pub(super) fn fence(terms: &Terms, reply: &Reply) -> Option<i64> {
    match terms.policy().fence {
        Fence::None => None,
        Fence::Incr => number(reply),
    }
}

/// How many replicas must acknowledge, where the primary need not be asked for it.
pub(super) fn replicas_wanted(wanted: WaitFor) -> Option<u32> {
    match wanted {
        WaitFor::None => Some(0),
        WaitFor::Any => Some(1),
        WaitFor::All => None,
    }
}

/// How many replicas a primary reports connected; `None` for anything but a primary's answer.
///
/// **Source** ROLE, redis.io command page: `master`, its offset, and one entry for each connected replica.
pub(super) fn connected(reply: &Reply) -> Option<u32> {
    let Reply::Array(parts) = reply else { return None };
    let [Reply::Bulk(role) | Reply::Status(role), Reply::Int(_), Reply::Array(replicas)] = parts.as_slice()
    else {
        return None;
    };
    if role.as_ref() == b"master" { u32::try_from(replicas.len()).ok() } else { None }
}

fn number(reply: &Reply) -> Option<i64> {
    if let Reply::Int(number) = reply { Some(*number) } else { None }
}

/// The value is unique, the write is conditional, and the life is part of the same command.
fn set(terms: &Terms, nonce: Bytes, ttl: Ttl) -> Command {
    let head = [Bytes::from_static(b"SET"), terms.key(), nonce, Bytes::from_static(b"NX")];
    let px = life(ttl).map(|life| [Bytes::from_static(b"PX"), life]);
    Command::new(head.into_iter().chain(px.into_iter().flatten()))
}

/// A life for the key, whoever owns it. A key without one is left alone.
fn pexpire(terms: &Terms, life: Option<Bytes>) -> Command {
    Command::new([Bytes::from_static(b"PEXPIRE"), terms.key()].into_iter().chain(life))
}

fn eval(script: &'static str, keys: &[Bytes], arguments: impl IntoIterator<Item = Bytes>) -> Command {
    let count = Bytes::from(keys.len().to_string());
    let head = [Bytes::from_static(b"EVAL"), Bytes::from_static(script.as_bytes()), count];
    Command::new(head.into_iter().chain(keys.iter().cloned()).chain(arguments))
}

fn life(ttl: Ttl) -> Option<Bytes> {
    match ttl {
        Ttl::Never => None,
        Ttl::Of(span) => Some(milliseconds(span)),
    }
}

fn milliseconds(span: Span) -> Bytes {
    Bytes::from(span.as_ms_floor().to_string())
}

const ACQUIRE_FENCED: &str = include_str!("../scripts/acquire_fenced.lua");
const COMPARE_AND_DELETE: &str = include_str!("../scripts/compare_and_delete.lua");
const COMPARE_AND_PEXPIRE: &str = include_str!("../scripts/compare_and_pexpire.lua");
const RECREATE: &str = include_str!("../scripts/recreate.lua");
