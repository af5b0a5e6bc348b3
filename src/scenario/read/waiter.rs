//! The policies of locks whose callers wait, and where in their tables an error belongs.

use super::super::error::{InputErrorKind, Wrong};
use super::super::shape::{
    FairKeys, MultiKeys, MultiLike, NoTtl, ReadWriteKeys, RedissonLike, SignalKeys, SignalLike, WaitWord,
    WaitingKeys,
};
use super::lock::life_of;
use super::number::{ranged, span_ms};
use crate::lock::multi::{MultiError, MultiPolicy};
use crate::lock::waiter::{
    AfterError, Fair, OnDoubt, Patience, ReadWrite, Shape, Signal, WaiterError, WaiterPolicy,
};
use crate::lock::{Drift, Soundness};
use crate::time::Span;
use std::ops::Range;
use toml::Spanned;

const RELEASE_RETRIES_MAX: i64 = WaiterPolicy::RELEASE_RETRIES_MAX as i64;

/// The keys that the locks of one node have beside those that all have.
struct More<'a> {
    unsound: &'a Option<Spanned<bool>>,
    ttl: &'a Option<Spanned<NoTtl>>,
    after_error: &'a Option<Spanned<AfterError>>,
    on_doubt: &'a Option<Spanned<OnDoubt>>,
    release_retries: &'a Option<Spanned<i64>>,
}

macro_rules! more {
    ($keys:expr) => {
        More {
            unsound: &$keys.unsound,
            ttl: &$keys.ttl,
            after_error: &$keys.after_error,
            on_doubt: &$keys.on_doubt,
            release_retries: &$keys.release_retries,
        }
    };
}

pub(super) fn fair(keys: &Spanned<FairKeys>) -> Result<WaiterPolicy, Wrong> {
    let (table, keys) = (keys.span(), keys.get_ref());
    let ttl = life_of(&keys.ttl_ms, &keys.ttl, &table)?;
    let start = |words, redisson| match redisson {
        Redisson::No => WaiterPolicy::spec(Shape::Fair(words), ttl),
        Redisson::Yes => WaiterPolicy::redisson(Shape::Fair(words), ttl),
    };
    let (mut words, redisson) = match like(&keys.like, &table, "like = \"spec\"")? {
        RedissonLike::Spec => (Fair::SPEC, Redisson::No),
        RedissonLike::Redisson => (Fair::REDISSON, Redisson::Yes),
    };
    span(&mut words.place, &keys.place_ms, "place_ms", 1)?;
    set(&mut words.present, &keys.present);
    set(&mut words.bound, &keys.bound);
    set(&mut words.quitting, &keys.quitting);
    set(&mut words.latch, &keys.latch);
    finished(start(words, redisson), &keys.waiting(), &more!(keys), table)
}

pub(super) fn read_write(keys: &Spanned<ReadWriteKeys>) -> Result<WaiterPolicy, Wrong> {
    let (table, keys) = (keys.span(), keys.get_ref());
    let ttl = life_of(&keys.ttl_ms, &keys.ttl, &table)?;
    let Some(side) = &keys.side else {
        let message = "missing key `side`: whether this client reads or writes";
        return Err(Wrong::new(InputErrorKind::MissingKey, table, message).meant("side = \"read\""));
    };
    let side = *side.get_ref();
    let (mut words, redisson) = match like(&keys.like, &table, "like = \"spec\"")? {
        RedissonLike::Spec => (ReadWrite::spec(side), Redisson::No),
        RedissonLike::Redisson => (ReadWrite::redisson(side), Redisson::Yes),
    };
    set(&mut words.reader_life, &keys.reader_life);
    set(&mut words.writer_life, &keys.writer_life);
    set(&mut words.latch, &keys.latch);
    let policy = match redisson {
        Redisson::No => WaiterPolicy::spec(Shape::ReadWrite(words), ttl),
        Redisson::Yes => WaiterPolicy::redisson(Shape::ReadWrite(words), ttl),
    };
    finished(policy, &keys.waiting(), &more!(keys), table)
}

pub(super) fn signal(keys: &Spanned<SignalKeys>) -> Result<WaiterPolicy, Wrong> {
    let (table, keys) = (keys.span(), keys.get_ref());
    let ttl = life_of(&keys.ttl_ms, &keys.ttl, &table)?;
    let like = like(&keys.like, &table, "like = \"spec\"")?;
    let mut words = match like {
        SignalLike::Spec => Signal::SPEC,
        SignalLike::PythonRedisLock => Signal::PYTHON,
    };
    set(&mut words.unit, &keys.unit);
    span(&mut words.signal, &keys.signal_ms, "signal_ms", 1)?;
    let policy = match like {
        SignalLike::Spec => WaiterPolicy::spec(Shape::Signal(words), ttl),
        SignalLike::PythonRedisLock => WaiterPolicy::python(Shape::Signal(words), ttl),
    };
    finished(policy, &keys.waiting(), &more!(keys), table)
}

pub(super) fn multi(keys: &Spanned<MultiKeys>, nodes: u8) -> Result<MultiPolicy, Wrong> {
    let (table, keys) = (keys.span(), keys.get_ref());
    let ttl = life_of(&keys.ttl_ms, &None, &table)?;
    let mut policy = match like(&keys.like, &table, "like = \"spec\"")? {
        MultiLike::Spec => MultiPolicy::spec(nodes, ttl),
        MultiLike::RedissonMultilock => MultiPolicy::multilock(nodes, ttl),
        MultiLike::RedissonRedlock => MultiPolicy::redlock(nodes, ttl),
    };
    let waiting = keys.waiting();
    span(&mut policy.node_timeout, waiting.node_timeout_ms, "node_timeout_ms", 1)?;
    patience(&mut policy.wait, &waiting)?;
    margin(&mut policy.drift, &waiting)?;
    set(&mut policy.nonce, waiting.nonce);
    set(&mut policy.basis, waiting.basis);
    set(&mut policy.validity, waiting.validity);
    set(&mut policy.clock, waiting.clock);
    set(&mut policy.renewal, waiting.renewal);
    set(&mut policy.on_loss, waiting.on_loss);
    set(&mut policy.needed, &keys.needed);
    set(&mut policy.sub, &keys.sub);
    set(&mut policy.share, &keys.share);
    set(&mut policy.order, &keys.order);
    set(&mut policy.holding, &keys.holding);
    set(&mut policy.leasing, &keys.leasing);
    span(&mut policy.round.least, &keys.round_least_ms, "round_least_ms", 1)?;
    span(&mut policy.round.most, &keys.round_most_ms, "round_most_ms", 1)?;
    span(&mut policy.pause.least, &keys.pause_least_ms, "pause_least_ms", 0)?;
    span(&mut policy.pause.most, &keys.pause_most_ms, "pause_most_ms", 0)?;
    span(&mut policy.poll, &keys.poll_ms, "poll_ms", 1)?;
    policy.validate().map_err(|error| placed_multi(&error, keys, table))?;
    Ok(policy)
}

/// Whether the starting values are the library's.
#[derive(Clone, Copy)]
enum Redisson {
    No,
    Yes,
}

fn like<V: Copy>(key: &Option<Spanned<V>>, table: &Range<usize>, usual: &str) -> Result<V, Wrong> {
    key.as_ref().map(|like| *like.get_ref()).ok_or_else(|| {
        let message = "missing key `like`: name the starting values that the other keys override";
        Wrong::new(InputErrorKind::MissingKey, table.clone(), message).meant(usual)
    })
}

fn set<V: Copy>(target: &mut V, word: &Option<Spanned<V>>) {
    if let Some(word) = word {
        *target = *word.get_ref();
    }
}

/// Sets a time of at least `least` milliseconds.
fn span(target: &mut Span, number: &Option<Spanned<i64>>, key: &str, least: i64) -> Result<(), Wrong> {
    if let Some(number) = number {
        *target = span_ms(number, key, least)?;
    }
    Ok(())
}

fn patience(target: &mut Patience, keys: &WaitingKeys<'_>) -> Result<(), Wrong> {
    match (keys.wait_limit_ms, keys.wait_limit) {
        (Some(_), Some(word)) => {
            let message = "`wait_limit` and `wait_limit_ms` are both set; keep one of them";
            return Err(Wrong::contradiction(word.span(), message));
        }
        (Some(limit), None) => *target = Patience::For(span_ms(limit, "wait_limit_ms", 1)?),
        (None, Some(word)) => {
            *target = match word.get_ref() {
                WaitWord::Once => Patience::Once,
                WaitWord::Ever => Patience::Ever,
            };
        }
        (None, None) => {}
    }
    Ok(())
}

fn margin(target: &mut Drift, keys: &WaitingKeys<'_>) -> Result<(), Wrong> {
    if let Some(margin) = keys.margin_ms {
        *target = Drift { permille: 0, constant: span_ms(margin, "margin_ms", 0)? };
    }
    Ok(())
}

/// The policy with what the keys say that all locks of one node have, if it can be run.
fn finished(
    mut policy: WaiterPolicy,
    keys: &WaitingKeys<'_>,
    more: &More<'_>,
    table: Range<usize>,
) -> Result<WaiterPolicy, Wrong> {
    span(&mut policy.node_timeout, keys.node_timeout_ms, "node_timeout_ms", 1)?;
    patience(&mut policy.wait, keys)?;
    margin(&mut policy.drift, keys)?;
    set(&mut policy.nonce, keys.nonce);
    set(&mut policy.basis, keys.basis);
    set(&mut policy.validity, keys.validity);
    set(&mut policy.clock, keys.clock);
    set(&mut policy.renewal, keys.renewal);
    set(&mut policy.on_loss, keys.on_loss);
    set(&mut policy.after_error, more.after_error);
    set(&mut policy.on_doubt, more.on_doubt);
    if let Some(retries) = more.release_retries {
        policy.release_retries = ranged(retries, "release_retries", 0..=RELEASE_RETRIES_MAX)? as u8;
    }
    let waived = more.unsound.as_ref().is_some_and(|unsound| *unsound.get_ref());
    let soundness = if waived { Soundness::Waived } else { Soundness::Required };
    policy.validate(soundness).map_err(|error| placed(&error, keys, more, table))?;
    Ok(policy)
}

/// The policy error at the key that has to change, and what it should probably say.
fn placed(error: &WaiterError, keys: &WaitingKeys<'_>, more: &More<'_>, table: Range<usize>) -> Wrong {
    let ttl = || at(keys.ttl_ms).or_else(|| at(more.ttl));
    let (span, meant) = match error {
        WaiterError::NoNodeTimeout => (at(keys.node_timeout_ms), Some("node_timeout_ms = 50")),
        WaiterError::ZeroTtl | WaiterError::NoTtl => (ttl(), Some("ttl_ms = 10_000")),
        WaiterError::RenewalWithoutTtl => (at(keys.renewal).or_else(ttl), Some("renewal = \"none\"")),
        WaiterError::Drift { .. } => (at(keys.margin_ms).or_else(ttl), None),
        WaiterError::Nonce => (at(keys.nonce), Some("nonce = \"call\"")),
        WaiterError::NoSpan { .. } => (at(keys.wait_limit_ms), None),
        WaiterError::ReleaseRetries { .. } => (at(more.release_retries), None),
    };
    Wrong::new(InputErrorKind::Policy, span.unwrap_or(table), error.to_string())
        .maybe_meant(meant.map(str::to_owned))
}

fn placed_multi(error: &MultiError, keys: &MultiKeys, table: Range<usize>) -> Wrong {
    let (span, meant) = match error {
        MultiError::Voters { .. } => (None, None),
        MultiError::NoNodeTimeout => (at(&keys.node_timeout_ms), Some("node_timeout_ms = 50")),
        MultiError::NoTtl => (at(&keys.ttl_ms), Some("ttl_ms = 10_000")),
        MultiError::Drift { .. } => (at(&keys.margin_ms).or_else(|| at(&keys.ttl_ms)), None),
        MultiError::Nonce => (at(&keys.nonce), Some("nonce = \"call\"")),
        MultiError::NoSpan { .. } => (at(&keys.poll_ms).or_else(|| at(&keys.round_least_ms)), None),
        MultiError::Spread { .. } => (at(&keys.pause_most_ms).or_else(|| at(&keys.round_most_ms)), None),
        MultiError::Provisional => {
            (at(&keys.leasing).or_else(|| at(&keys.wait_limit)), Some("leasing = \"final\""))
        }
    };
    Wrong::new(InputErrorKind::Policy, span.unwrap_or(table), error.to_string())
        .maybe_meant(meant.map(str::to_owned))
}

fn at<V>(key: &Option<Spanned<V>>) -> Option<Range<usize>> {
    key.as_ref().map(Spanned::span)
}
