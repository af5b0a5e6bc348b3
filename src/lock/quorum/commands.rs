//! The words of each command, and what its answers say. Every command has one key at most.
//!
//! Scripts are always sent whole, as EVAL; their texts live in `lock/scripts`, one copy each. Must not know who
//! is asked, or what follows an answer (`steps`).

use crate::lock::Ttl;
use crate::lock::policy::{Extension, Fence, Policy, Release, Taking, TtlUnit, WaitFor};
use crate::resp::{Command, Reply};
use crate::time::{Span, WallTime};
use bytes::Bytes;

use super::errand::{Errand, Step, Task};
use super::terms::Terms;

impl Errand {
    /// The command of this step, for any one voter.
    pub(super) fn command(self, terms: &Terms, step: Step) -> Command {
        match step {
            Step::First => self.first(terms),
            Step::Life | Step::Repair => expire(terms, self.task.life()),
            Step::AskLife => words([TTL, terms.key()]),
            Step::Compare => words([GET, terms.release_key()]),
            Step::Multi => words([MULTI]),
            Step::Delete => words([DEL, terms.release_key()]),
            Step::Execute => words([EXEC]),
            Step::Unwatch => words([UNWATCH]),
        }
    }

    fn first(self, terms: &Terms) -> Command {
        let policy = terms.policy();
        match self.task {
            Task::Take { ttl, wall } => self.take(terms, ttl, wall),
            Task::CleanUp | Task::GiveBack => {
                let key = terms.release_key();
                match policy.release {
                    Release::CompareAndDelete => eval(COMPARE_AND_DELETE, &[key], [self.nonce.to_bytes()]),
                    Release::PlainDel => words([DEL, key]),
                    Release::DelexIfeq => words([DELEX, key, IFEQ, self.nonce.to_bytes()]),
                    Release::GetThenDel => words([GET, key]),
                    Release::WatchGetDel | Release::WatchMultiExec => words([WATCH, key]),
                }
            }
            Task::Prolong { ttl, wall } => self.prolong(terms, ttl, wall),
            Task::Role => words([ROLE]),
            Task::Wait { replicas } => {
                words([WAIT, decimal(i64::from(replicas)), decimal(policy.wait.limit.as_ms_floor())])
            }
            Task::Look => words([GET, terms.key()]),
        }
    }

    /// The value is unique, the write is conditional, and the life is part of the same command; or as the policy says.
    fn take(self, terms: &Terms, ttl: Ttl, wall: WallTime) -> Command {
        let (policy, key, nonce) = (terms.policy(), terms.key(), self.nonce.to_bytes());
        let life = match ttl {
            Ttl::Never => None,
            Ttl::Of(span) => Some(span),
        };
        let script_life = life.map(|life| script_life(policy, life));
        match (policy.fence, policy.taking) {
            (Fence::Incr, _) => {
                eval(ACQUIRE_FENCED, &[key, terms.fence_key()], [nonce].into_iter().chain(script_life))
            }
            (Fence::None, Taking::Reobtain) => eval(REOBTAIN, &[key], [nonce].into_iter().chain(script_life)),
            (Fence::None, Taking::SetnxExpire) => words([SETNX, key, nonce]),
            (Fence::None, Taking::SetNxPx) => {
                let life = life.map(|life| option(policy, life));
                words([SET, key, nonce, NX].into_iter().chain(life.into_iter().flatten()))
            }
            (Fence::None, Taking::SetNxPxat) => {
                let deadline = life.map(|life| [PXAT, deadline(wall, life)]);
                words([SET, key, nonce, NX].into_iter().chain(deadline.into_iter().flatten()))
            }
        }
    }

    fn prolong(self, terms: &Terms, ttl: Span, wall: WallTime) -> Command {
        let (policy, key, nonce) = (terms.policy(), terms.key(), self.nonce.to_bytes());
        let script = |text| eval(text, &[terms.key()], [self.nonce.to_bytes(), script_life(policy, ttl)]);
        match policy.extension {
            Extension::None | Extension::Compare => script(COMPARE_AND_PEXPIRE),
            Extension::Add => script(COMPARE_AND_ADD),
            Extension::Recreate => script(RECREATE),
            Extension::Pexpireat => eval(COMPARE_AND_PEXPIREAT, &[key], [nonce, deadline(wall, ttl)]),
            Extension::SetIfeq => {
                let head = [SET, key, nonce.clone(), IFEQ, nonce];
                words(head.into_iter().chain(option(policy, ttl)))
            }
            Extension::SetXx => words([SET, key, nonce, XX].into_iter().chain(option(policy, ttl))),
            Extension::Blind => expire(terms, Some(ttl)),
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
pub(in crate::lock) fn connected(reply: &Reply) -> Option<u32> {
    let Reply::Array(parts) = reply else { return None };
    let [Reply::Bulk(role) | Reply::Status(role), Reply::Int(_), Reply::Array(replicas)] = parts.as_slice()
    else {
        return None;
    };
    if role.as_ref() == b"master" { u32::try_from(replicas.len()).ok() } else { None }
}

pub(super) fn number(reply: &Reply) -> Option<i64> {
    if let Reply::Int(number) = reply { Some(*number) } else { None }
}

/// A life for the key, whoever owns it. A key without one is left alone.
fn expire(terms: &Terms, life: Option<Span>) -> Command {
    let policy = terms.policy();
    let name = match policy.ttl_unit {
        TtlUnit::Ms => PEXPIRE,
        TtlUnit::S | TtlUnit::SForMs => EXPIRE,
    };
    words([name, terms.key()].into_iter().chain(life.map(|life| count(policy, life))))
}

/// The option of SET that gives a key its life.
fn option(policy: &Policy, life: Span) -> [Bytes; 2] {
    let name = match policy.ttl_unit {
        TtlUnit::Ms => PX,
        TtlUnit::S | TtlUnit::SForMs => EX,
    };
    [name, count(policy, life)]
}

/// A life as the number that is sent, in the unit of the command.
fn count(policy: &Policy, life: Span) -> Bytes {
    decimal(match policy.ttl_unit {
        TtlUnit::Ms | TtlUnit::SForMs => life.as_ms_floor(),
        TtlUnit::S => life.as_ms_floor().div_euclid(1_000),
    })
}

/// A life for a script, in milliseconds whatever the unit is: what the server makes of seconds.
fn script_life(policy: &Policy, life: Span) -> Bytes {
    let ms = life.as_ms_floor();
    decimal(match policy.ttl_unit {
        TtlUnit::Ms => ms,
        TtlUnit::S => ms.div_euclid(1_000).saturating_mul(1_000),
        TtlUnit::SForMs => ms.saturating_mul(1_000),
    })
}

/// The whole millisecond of the client's wall clock at which a life ends, rounded down.
fn deadline(wall: WallTime, life: Span) -> Bytes {
    decimal((wall + life).0.div_euclid(1_000))
}

fn decimal(number: i64) -> Bytes {
    Bytes::from(number.to_string())
}

fn words(words: impl IntoIterator<Item = Bytes>) -> Command {
    Command::new(words)
}

fn eval(script: &'static str, keys: &[Bytes], arguments: impl IntoIterator<Item = Bytes>) -> Command {
    let count = Bytes::from(keys.len().to_string());
    let head = [Bytes::from_static(b"EVAL"), Bytes::from_static(script.as_bytes()), count];
    Command::new(head.into_iter().chain(keys.iter().cloned()).chain(arguments))
}

const DEL: Bytes = Bytes::from_static(b"DEL");
const DELEX: Bytes = Bytes::from_static(b"DELEX");
const EX: Bytes = Bytes::from_static(b"EX");
const EXEC: Bytes = Bytes::from_static(b"EXEC");
const EXPIRE: Bytes = Bytes::from_static(b"EXPIRE");
const GET: Bytes = Bytes::from_static(b"GET");
const IFEQ: Bytes = Bytes::from_static(b"IFEQ");
const MULTI: Bytes = Bytes::from_static(b"MULTI");
const NX: Bytes = Bytes::from_static(b"NX");
const PEXPIRE: Bytes = Bytes::from_static(b"PEXPIRE");
const PX: Bytes = Bytes::from_static(b"PX");
const PXAT: Bytes = Bytes::from_static(b"PXAT");
const ROLE: Bytes = Bytes::from_static(b"ROLE");
const SET: Bytes = Bytes::from_static(b"SET");
const SETNX: Bytes = Bytes::from_static(b"SETNX");
const TTL: Bytes = Bytes::from_static(b"TTL");
const UNWATCH: Bytes = Bytes::from_static(b"UNWATCH");
const WAIT: Bytes = Bytes::from_static(b"WAIT");
const WATCH: Bytes = Bytes::from_static(b"WATCH");
const XX: Bytes = Bytes::from_static(b"XX");

const ACQUIRE_FENCED: &str = include_str!("../scripts/acquire_fenced.lua");
const COMPARE_AND_DELETE: &str = include_str!("../scripts/compare_and_delete.lua");
const COMPARE_AND_PEXPIRE: &str = include_str!("../scripts/compare_and_pexpire.lua");
const RECREATE: &str = include_str!("../scripts/recreate.lua");
const COMPARE_AND_PEXPIREAT: &str = include_str!("../scripts/compare_and_pexpireat.lua");
const COMPARE_AND_ADD: &str = include_str!("../scripts/compare_and_add.lua");
const REOBTAIN: &str = include_str!("../scripts/reobtain.lua");
