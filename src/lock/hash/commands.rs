//! What is sent to the node, and what its answers say.
//!
//! Scripts are always sent whole, as EVAL; their texts live in `lock/scripts`, one copy each. Must not know what a call
//! or a watchdog makes of an answer.

use super::policy::{InnerRelease, Latch, LifeUnit, ReentryLife, Waiting};
use super::terms::Terms;
use crate::lock::Ttl;
use crate::lock::policy::Fence;
use crate::name::Nonce;
use crate::resp::{Command, Reply};
use crate::time::Span;
use bytes::Bytes;

/// What the node answered to the acquiring script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// A hold was counted.
    Yes { fence: Option<i64> },
    /// Somebody else holds, for so long still; `None` if the key never expires.
    No { left: Option<Span> },
    /// It refused to execute the script, or stopped in the middle.
    Error,
    /// Nothing that the script answers.
    Strange,
}

/// What the node answered to the releasing script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GivenBack {
    Yes,
    /// The owner held nothing.
    NotOwned,
    /// An error, or nothing that the script answers.
    Strange,
}

pub(super) fn acquire(terms: &Terms, owner: Nonce, life: Ttl) -> Command {
    let policy = terms.policy();
    let mut arguments = vec![owner.to_bytes(), setter(policy.unit)];
    if let Ttl::Of(life) = life {
        arguments.push(written(policy.unit, life));
        match policy.reentry_life {
            ReentryLife::Reset => {}
            ReentryLife::Longer => arguments.push(Bytes::from_static(b"gt")),
        }
    }
    match policy.fence {
        Fence::None => eval(ACQUIRE, &[terms.key()], arguments),
        Fence::Incr => eval(ACQUIRE_FENCED, &[terms.key(), terms.fence_key()], arguments),
    }
}

pub(super) fn taken(terms: &Terms, reply: &Reply) -> Taken {
    let left = |ms: i64| (ms >= 0).then(|| Span::from_ms(ms));
    if matches!(reply, Reply::Error(_)) {
        return Taken::Error;
    }
    match terms.policy().fence {
        Fence::None if *reply == Reply::Null => Taken::Yes { fence: None },
        Fence::None => number(reply).map_or(Taken::Strange, |ms| Taken::No { left: left(ms) }),
        Fence::Incr => {
            let Reply::Array(parts) = reply else { return Taken::Strange };
            match parts.as_slice() {
                [Reply::Int(1), Reply::Int(fence)] => Taken::Yes { fence: Some(*fence) },
                [Reply::Int(0), Reply::Int(ms)] => Taken::No { left: left(*ms) },
                [..] => Taken::Strange,
            }
        }
    }
}

/// Gives one hold back. `life` is what an inner release gives the key where the policy resets it.
pub(super) fn release(terms: &Terms, owner: Nonce, number: u32, life: Ttl) -> Command {
    let policy = terms.policy();
    let channel = match policy.waiting {
        Waiting::Pubsub => terms.channel(),
        Waiting::None | Waiting::Poll | Waiting::Spin => Bytes::new(),
    };
    let inner = match (policy.inner_release, life) {
        (InnerRelease::ResetsLife, Ttl::Of(life)) => vec![setter(policy.unit), written(policy.unit, life)],
        (InnerRelease::ResetsLife, Ttl::Never) | (InnerRelease::KeepsLife, _) => Vec::new(),
    };
    match policy.latch {
        Latch::Off => {
            let arguments = [owner.to_bytes(), channel].into_iter().chain(inner);
            eval(RELEASE, &[terms.key()], arguments)
        }
        Latch::On => {
            let keys = [terms.key(), terms.latch_key(owner, number)];
            let life = written(LifeUnit::Ms, terms.latch_life());
            eval(RELEASE_LATCHED, &keys, [owner.to_bytes(), channel, life].into_iter().chain(inner))
        }
    }
}

pub(super) fn given_back(reply: &Reply) -> GivenBack {
    match number(reply) {
        Some(_) => GivenBack::Yes,
        None if *reply == Reply::Null => GivenBack::NotOwned,
        None => GivenBack::Strange,
    }
}

pub(super) fn renew(terms: &Terms, owner: Nonce, life: Span) -> Command {
    let unit = terms.policy().unit;
    eval(RENEW, &[terms.key()], [owner.to_bytes(), setter(unit), written(unit, life)])
}

pub(super) fn look(terms: &Terms, owner: Nonce) -> Command {
    Command::new([Bytes::from_static(b"HEXISTS"), terms.key(), owner.to_bytes()])
}

pub(super) fn role() -> Command {
    Command::new([Bytes::from_static(b"ROLE")])
}

pub(super) fn wait(terms: &Terms, replicas: u32) -> Command {
    let limit = written(LifeUnit::Ms, terms.policy().wait.limit);
    Command::new([Bytes::from_static(b"WAIT"), Bytes::from(replicas.to_string()), limit])
}

pub(super) fn subscribe(terms: &Terms) -> Command {
    Command::new([Bytes::from_static(b"SUBSCRIBE"), terms.channel()])
}

pub(super) fn unsubscribe(terms: &Terms) -> Command {
    Command::new([Bytes::from_static(b"UNSUBSCRIBE"), terms.channel()])
}

/// Whether this is a message on the lock's channel.
pub(super) fn is_message(terms: &Terms, message: &Reply) -> bool {
    let (Reply::Array(parts) | Reply::Push(parts)) = message else { return false };
    let [Reply::Bulk(kind), Reply::Bulk(channel), _] = parts.as_slice() else { return false };
    kind.as_ref() == b"message" && *channel == terms.channel()
}

pub(super) fn number(reply: &Reply) -> Option<i64> {
    if let Reply::Int(number) = reply { Some(*number) } else { None }
}

fn setter(unit: LifeUnit) -> Bytes {
    Bytes::from_static(match unit {
        LifeUnit::Ms => b"pexpire",
        LifeUnit::S | LifeUnit::SDecimal => b"expire",
    })
}

/// A life as the unit writes it.
fn written(unit: LifeUnit, life: Span) -> Bytes {
    let ms = life.as_ms_floor();
    let (seconds, rest) = (ms.div_euclid(1_000), ms.rem_euclid(1_000));
    Bytes::from(match (unit, rest) {
        (LifeUnit::Ms, _) => ms.to_string(),
        (LifeUnit::S, _) | (LifeUnit::SDecimal, 0) => seconds.to_string(),
        (LifeUnit::SDecimal, rest) => format!("{seconds}.{rest:03}"),
    })
}

fn eval(script: &'static str, keys: &[Bytes], arguments: impl IntoIterator<Item = Bytes>) -> Command {
    let count = Bytes::from(keys.len().to_string());
    let head = [Bytes::from_static(b"EVAL"), Bytes::from_static(script.as_bytes()), count];
    Command::new(head.into_iter().chain(keys.iter().cloned()).chain(arguments))
}

const ACQUIRE: &str = include_str!("../scripts/hold_acquire.lua");
const ACQUIRE_FENCED: &str = include_str!("../scripts/hold_acquire_fenced.lua");
const RELEASE: &str = include_str!("../scripts/hold_release.lua");
const RELEASE_LATCHED: &str = include_str!("../scripts/hold_release_latched.lua");
const RENEW: &str = include_str!("../scripts/hold_renew.lua");
