//! The policy of a lock table, and where in it a policy error belongs.

use super::super::error::{InputErrorKind, Wrong};
use super::super::shape::{LockKeys, SharedKeys};
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
pub(crate) fn no_lock() -> Policy {
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
    let shared = keys.shared();
    needs_like(&shared, table)?;
    let voters = if protocol == Protocol::Single { 1 } else { nodes };
    let mut policy = Policy::spec(protocol, voters, ttl(keys, table)?);
    numbers(keys, &mut policy)?;
    set_shared(&shared, &mut policy)?;
    if let (Some(limit), WaitFor::None) = (&keys.wait_ms, policy.wait.replicas) {
        return Err(nobody_waits(limit.span(), "wait_ms"));
    }
    let places = Places {
        table: table.clone(),
        ttl: keys.ttl_ms.as_ref().map(Spanned::span).or_else(|| keys.ttl.as_ref().map(Spanned::span)),
        ttl_meant: "ttl_ms = 10_000",
        node_timeout: keys.node_timeout_ms.as_ref().map(Spanned::span),
        margin: keys.drift.as_ref().map(Spanned::span),
        retry: keys.retry_delay_ms.as_ref().map(Spanned::span),
        wait: keys.wait_ms.as_ref().map(Spanned::span),
        wait_meant: "wait_ms = 50",
    };
    validated(policy, &shared, &places)
}

/// That the starting values are named.
pub(crate) fn needs_like(keys: &SharedKeys, table: &Range<usize>) -> Result<(), Wrong> {
    if keys.like.is_none() {
        let message = "missing key `like`: name the starting values that the other keys override";
        return Err(Wrong::new(InputErrorKind::MissingKey, table.clone(), message).meant("like = \"spec\""));
    }
    Ok(())
}

/// A limit of a wait for nobody.
pub(crate) fn nobody_waits(limit: Range<usize>, key: &str) -> Wrong {
    let message = format!("`{key}` is how long to wait for replicas, and `wait` is \"none\"");
    Wrong::contradiction(limit, message).meant("wait = \"any\"")
}

/// Where the keys are that carry units, and what they should probably say.
pub(crate) struct Places {
    /// The whole table.
    pub(crate) table: Range<usize>,
    /// The life of keys.
    pub(crate) ttl: Option<Range<usize>>,
    /// One that is often meant.
    pub(crate) ttl_meant: &'static str,
    /// How long a node may take.
    pub(crate) node_timeout: Option<Range<usize>>,
    /// The drift margin.
    pub(crate) margin: Option<Range<usize>>,
    /// The wait before a retry.
    pub(crate) retry: Option<Range<usize>>,
    /// How long replicas are waited for.
    pub(crate) wait: Option<Range<usize>>,
    /// One that is often meant.
    pub(crate) wait_meant: &'static str,
}

/// The policy, if it can be run and says so where it is unsound.
pub(crate) fn validated(policy: Policy, keys: &SharedKeys, places: &Places) -> Result<Policy, Wrong> {
    let waived = keys.unsound.as_ref().is_some_and(|unsound| *unsound.get_ref());
    let soundness = if waived { Soundness::Waived } else { Soundness::Required };
    match policy.validate(soundness) {
        Ok(()) => Ok(policy),
        Err(error) => Err(placed(&error, keys, places)),
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
    Ok(())
}

fn optional(number: &Option<Spanned<i64>>, key: &str, otherwise: Span) -> Result<Span, Wrong> {
    number.as_ref().map_or(Ok(otherwise), |number| span_ms(number, key, 0))
}

/// Sets what the shared keys say.
pub(crate) fn set_shared(keys: &SharedKeys, policy: &mut Policy) -> Result<(), Wrong> {
    if let Some(quorum) = &keys.quorum {
        policy.quorum = ranged(quorum, "quorum", 0..=i64::from(u8::MAX))? as u8;
    }
    if let Some(retries) = &keys.driver_retries {
        policy.driver_retries = ranged(retries, "driver_retries", 0..=DRIVER_RETRIES_MAX)? as u8;
    }
    words(keys, policy);
    Ok(())
}

fn words(keys: &SharedKeys, policy: &mut Policy) {
    fn set<V: Copy>(target: &mut V, word: &Option<Spanned<V>>) {
        if let Some(word) = word {
            *target = *word.get_ref();
        }
    }
    set(&mut policy.counting, &keys.counting);
    set(&mut policy.taking, &keys.taking);
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
fn placed(error: &PolicyError, keys: &SharedKeys, places: &Places) -> Wrong {
    fn at<V>(key: &Option<Spanned<V>>) -> Option<Range<usize>> {
        key.as_ref().map(Spanned::span)
    }
    let Places { table, ttl, ttl_meant, node_timeout, margin, retry, wait, wait_meant } = places;
    let or = |one: &Option<Range<usize>>, other: &Option<Range<usize>>| one.clone().or_else(|| other.clone());
    let (span, meant) = match error {
        PolicyError::Quorum { majority, .. } | PolicyError::NoMajority { majority, .. } => {
            (at(&keys.quorum), Some(format!("quorum = {majority}")))
        }
        PolicyError::NodeTimeout { ttl: life, .. } => {
            let timeout = life.as_ms_floor().min(51) - 1;
            let meant = (timeout > 0).then(|| format!("node_timeout_ms = {timeout}"));
            (or(node_timeout, ttl), meant)
        }
        PolicyError::NoNodeTimeout => (node_timeout.clone(), Some("node_timeout_ms = 50".to_owned())),
        PolicyError::ZeroTtl | PolicyError::NoTtl => (ttl.clone(), Some((*ttl_meant).to_owned())),
        PolicyError::Drift { .. } => (or(margin, ttl), None),
        PolicyError::CountingReplies => (at(&keys.counting), Some("counting = \"grants\"".to_owned())),
        PolicyError::SetnxExpire => (at(&keys.taking), Some("taking = \"set-nx-px\"".to_owned())),
        PolicyError::BlindExtension => (at(&keys.extension), Some("extension = \"compare\"".to_owned())),
        PolicyError::ConstantNonce => (at(&keys.nonce), Some("nonce = \"attempt\"".to_owned())),
        PolicyError::FenceAlone { key, value } => (at(&keys.fence), Some(format!("{key} = \"{value}\""))),
        PolicyError::Fence { .. } => (at(&keys.fence), Some("fence = \"none\"".to_owned())),
        PolicyError::Single { .. } => (None, Some("[lock.redlock]".to_owned())),
        PolicyError::Negative => (or(margin, retry), None),
        PolicyError::DriverRetries { most, .. } => {
            (at(&keys.driver_retries), Some(format!("driver_retries = {most}")))
        }
        PolicyError::Wait { .. } => (at(&keys.wait), Some("wait = \"none\"".to_owned())),
        PolicyError::NoWaitLimit => (or(wait, &at(&keys.wait)), Some((*wait_meant).to_owned())),
        PolicyError::WaitTooLong { .. } => (or(wait, &at(&keys.wait)), None),
        PolicyError::Renewal => (at(&keys.extension), Some("extension = \"compare\"".to_owned())),
        PolicyError::ExtensionWithoutTtl => {
            (at(&keys.extension).or_else(|| at(&keys.renewal)), Some("extension = \"none\"".to_owned()))
        }
    };
    Wrong::new(InputErrorKind::Policy, span.unwrap_or_else(|| table.clone()), error.to_string())
        .maybe_meant(meant)
}
