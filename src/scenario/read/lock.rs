//! The policy of a lock table, and where in it a policy error belongs.

use super::super::error::{InputErrorKind, Wrong};
use super::super::shape::LockKeys;
use super::number::{ranged, span_ms};
use crate::lock::{
    Basis, Drift, Extension, Policy, PolicyError, Protocol, Renewal, Retry, Soundness, Ttl, Validity, WaitFor,
};
use crate::time::Span;
use std::ops::Range;
use toml::Spanned;

/// The most retries of one call.
const RETRIES_MAX: i64 = 1_000;

/// The most repetitions by a driver.
const DRIVER_RETRIES_MAX: i64 = Policy::DRIVER_RETRIES_MAX as i64;

/// The policy of the protocol `none`: every call is granted, and believed until release.
pub(super) fn no_lock() -> Policy {
    Policy {
        quorum: 0,
        validity: Validity::NoCheck,
        basis: Basis::UntilReleased,
        ..Policy::spec(Protocol::None, 0, Ttl::Never)
    }
}

/// The policy of these keys; `table` is where a missing key is missed.
pub(super) fn policy(
    protocol: Protocol,
    keys: &LockKeys,
    table: &Range<usize>,
    nodes: u8,
) -> Result<Policy, Wrong> {
    if keys.like.is_none() {
        let message = "missing key `like`: name the starting values that the other keys override";
        return Err(Wrong::new(InputErrorKind::MissingKey, table.clone(), message).meant("like = \"spec\""));
    }
    let voters = if protocol == Protocol::Single { 1 } else { nodes };
    let mut policy = Policy::spec(protocol, voters, ttl(keys, table)?);
    numbers(keys, &mut policy)?;
    words(keys, &mut policy);
    let waived = keys.unsound.as_ref().is_some_and(|unsound| *unsound.get_ref());
    let soundness = if waived { Soundness::Waived } else { Soundness::Required };
    if let (Some(limit), WaitFor::None) = (&keys.wait_ms, policy.wait.replicas) {
        let message = "`wait_ms` is how long to wait for replicas, and `wait` is \"none\"";
        return Err(Wrong::contradiction(limit.span(), message).meant("wait = \"any\""));
    }
    match policy.validate(soundness) {
        Ok(()) => Ok(policy),
        Err(error) => Err(placed(&error, keys, table)),
    }
}

/// The longest life of a key under this policy, 0 for one that never ends.
pub(super) fn life(policy: &Policy) -> Span {
    match policy.ttl {
        Ttl::Never => Span::ZERO,
        Ttl::Of(ttl) => ttl,
    }
}

fn ttl(keys: &LockKeys, table: &Range<usize>) -> Result<Ttl, Wrong> {
    match (&keys.ttl_ms, &keys.ttl) {
        (Some(ttl), None) => span_ms(ttl, "ttl_ms", 0).map(Ttl::Of),
        (None, Some(_)) => Ok(Ttl::Never),
        (Some(_), Some(none)) => {
            Err(Wrong::contradiction(none.span(), "`ttl` and `ttl_ms` are both set; keep one of them"))
        }
        (None, None) => Err(Wrong::new(InputErrorKind::MissingKey, table.clone(), "missing key `ttl_ms`")
            .meant("ttl_ms = 10_000")),
    }
}

fn numbers(keys: &LockKeys, policy: &mut Policy) -> Result<(), Wrong> {
    if let Some(timeout) = &keys.node_timeout_ms {
        policy.node_timeout = span_ms(timeout, "node_timeout_ms", 0)?;
    }
    if let Some(quorum) = &keys.quorum {
        policy.quorum = ranged(quorum, "quorum", 0..=i64::from(u8::MAX))? as u8;
    }
    if let Some(drift) = &keys.drift {
        let drift = drift.get_ref();
        policy.drift = Drift {
            permille: ranged(&drift.permille, "permille", 0..=1_000)? as u32,
            constant: span_ms(&drift.constant_ms, "constant_ms", 0)?,
        };
    }
    let Retry { retries, delay, jitter } = policy.retry;
    policy.retry = Retry {
        retries: match &keys.retries {
            Some(retries) => ranged(retries, "retries", 0..=RETRIES_MAX)? as u32,
            None => retries,
        },
        delay: optional(&keys.retry_delay_ms, "retry_delay_ms", delay)?,
        jitter: optional(&keys.retry_jitter_ms, "retry_jitter_ms", jitter)?,
    };
    policy.wait.limit = optional(&keys.wait_ms, "wait_ms", policy.wait.limit)?;
    if let Some(retries) = &keys.driver_retries {
        policy.driver_retries = ranged(retries, "driver_retries", 0..=DRIVER_RETRIES_MAX)? as u8;
    }
    Ok(())
}

fn optional(number: &Option<Spanned<i64>>, key: &str, otherwise: Span) -> Result<Span, Wrong> {
    number.as_ref().map_or(Ok(otherwise), |number| span_ms(number, key, 0))
}

fn words(keys: &LockKeys, policy: &mut Policy) {
    fn set<V: Copy>(target: &mut V, word: &Option<Spanned<V>>) {
        if let Some(word) = word {
            *target = *word.get_ref();
        }
    }
    set(&mut policy.validity, &keys.validity);
    set(&mut policy.basis, &keys.basis);
    set(&mut policy.clock, &keys.clock);
    set(&mut policy.asking, &keys.asking);
    set(&mut policy.on_error, &keys.on_error);
    set(&mut policy.release, &keys.release);
    set(&mut policy.release_on_failure, &keys.release_on_failure);
    set(&mut policy.nonce, &keys.nonce);
    set(&mut policy.fence, &keys.fence);
    set(&mut policy.extension, &keys.extension);
    set(&mut policy.renewal, &keys.renewal);
    set(&mut policy.on_loss, &keys.on_loss);
    set(&mut policy.wait.replicas, &keys.wait);
    // A watchdog without a way to extend is a contradiction only where the user wrote both.
    if policy.renewal == Renewal::Watchdog && keys.extension.is_none() {
        policy.extension = Extension::Compare;
    }
}

/// The policy error at the key that has to change, and what it should probably say.
fn placed(error: &PolicyError, keys: &LockKeys, table: &Range<usize>) -> Wrong {
    fn at<V>(key: &Option<Spanned<V>>) -> Option<Range<usize>> {
        key.as_ref().map(Spanned::span)
    }
    let ttl = || at(&keys.ttl_ms).or_else(|| at(&keys.ttl));
    let (span, meant) = match error {
        PolicyError::Quorum { majority, .. } | PolicyError::NoMajority { majority, .. } => {
            (at(&keys.quorum), Some(format!("quorum = {majority}")))
        }
        PolicyError::NodeTimeout { ttl: life, .. } => {
            let timeout = life.as_ms_floor().min(51) - 1;
            let meant = (timeout > 0).then(|| format!("node_timeout_ms = {timeout}"));
            (at(&keys.node_timeout_ms).or_else(ttl), meant)
        }
        PolicyError::NoNodeTimeout => (at(&keys.node_timeout_ms), Some("node_timeout_ms = 50".to_owned())),
        PolicyError::ZeroTtl | PolicyError::NoTtl => (ttl(), Some("ttl_ms = 10_000".to_owned())),
        PolicyError::Drift { .. } => (at(&keys.drift).or_else(ttl), None),
        PolicyError::Fence { .. } => (at(&keys.fence), Some("fence = \"none\"".to_owned())),
        PolicyError::Single { .. } => (None, Some("[lock.redlock]".to_owned())),
        PolicyError::Negative => (at(&keys.drift).or_else(|| at(&keys.retry_delay_ms)), None),
        PolicyError::DriverRetries { most, .. } => {
            (at(&keys.driver_retries), Some(format!("driver_retries = {most}")))
        }
        PolicyError::Wait { .. } => (at(&keys.wait), Some("wait = \"none\"".to_owned())),
        PolicyError::NoWaitLimit => {
            (at(&keys.wait_ms).or_else(|| at(&keys.wait)), Some("wait_ms = 50".to_owned()))
        }
        PolicyError::WaitTooLong { .. } => (at(&keys.wait_ms).or_else(|| at(&keys.wait)), None),
        PolicyError::Renewal => (at(&keys.extension), Some("extension = \"compare\"".to_owned())),
        PolicyError::ExtensionWithoutTtl => {
            (at(&keys.extension).or_else(|| at(&keys.renewal)), Some("extension = \"none\"".to_owned()))
        }
    };
    Wrong::new(InputErrorKind::Policy, span.unwrap_or_else(|| table.clone()), error.to_string())
        .maybe_meant(meant)
}
