//! The policy of a hash lock's table, and where in it a policy error belongs.

use super::super::error::{InputErrorKind, Wrong};
use super::super::shape::{HashKeys, HashLike};
use super::lock::{life_of, nobody_waits};
use super::number::{ranged, span_ms};
use crate::lock::{HashPolicy, HashPolicyError, HashProtocol, Soundness, WaitFor};
use crate::time::Span;
use std::ops::Range;
use toml::Spanned;

/// The most times a command is sent again.
const RESENDS_MAX: i64 = HashPolicy::RESENDS_MAX as i64;

/// The policy of these keys; their own place is where a missing key is missed.
pub(super) fn policy(protocol: HashProtocol, keys: &Spanned<HashKeys>) -> Result<HashPolicy, Wrong> {
    let (table, keys) = (keys.span(), keys.get_ref());
    let ttl = life_of(&keys.ttl_ms, &keys.ttl, &table)?;
    let Some(like) = &keys.like else {
        let message = "missing key `like`: name the starting values that the other keys override";
        let usual = match protocol {
            HashProtocol::Reentrant => "like = \"scripted\"",
            HashProtocol::Redisson | HashProtocol::Spin => "like = \"redisson\"",
        };
        return Err(Wrong::new(InputErrorKind::MissingKey, table, message).meant(usual));
    };
    let mut policy = match like.get_ref() {
        HashLike::Scripted => HashPolicy::scripted(protocol, ttl),
        HashLike::Redisson3233 => HashPolicy::redisson_3_23_3(protocol, ttl),
        HashLike::Redisson => HashPolicy::redisson(protocol, ttl),
    };
    words(keys, &mut policy);
    numbers(keys, &mut policy)?;
    let waived = keys.unsound.as_ref().is_some_and(|unsound| *unsound.get_ref());
    let soundness = if waived { Soundness::Waived } else { Soundness::Required };
    match policy.validate(soundness) {
        Ok(()) => Ok(policy),
        // What a library does is no slip of whoever names the library.
        Err(HashPolicyError::ResentRelease { .. })
            if keys.latch.is_none() && keys.release_resends.is_none() =>
        {
            Ok(policy)
        }
        Err(error) => Err(placed(&error, keys, table)),
    }
}

fn words(keys: &HashKeys, policy: &mut HashPolicy) {
    fn set<V: Copy>(target: &mut V, word: &Option<Spanned<V>>) {
        if let Some(word) = word {
            *target = *word.get_ref();
        }
    }
    set(&mut policy.unit, &keys.ttl_unit);
    set(&mut policy.lease, &keys.lease);
    set(&mut policy.inner_lease, &keys.inner_lease);
    set(&mut policy.named_lease, &keys.named_lease);
    set(&mut policy.reentry_life, &keys.reentry_life);
    set(&mut policy.inner_release, &keys.inner_release);
    set(&mut policy.waiting, &keys.waiting);
    set(&mut policy.wait_clock, &keys.wait_clock);
    set(&mut policy.renewal, &keys.renewal);
    set(&mut policy.renewed_life, &keys.renewed_life);
    set(&mut policy.after_error, &keys.after_error);
    set(&mut policy.on_loss, &keys.on_loss);
    set(&mut policy.latch, &keys.latch);
    set(&mut policy.fence, &keys.fence);
    set(&mut policy.wait.replicas, &keys.wait);
}

fn numbers(keys: &HashKeys, policy: &mut HashPolicy) -> Result<(), Wrong> {
    fn set(target: &mut Span, number: &Option<Spanned<i64>>, key: &str) -> Result<(), Wrong> {
        if let Some(number) = number {
            *target = span_ms(number, key, 0)?;
        }
        Ok(())
    }
    set(&mut policy.node_timeout, &keys.node_timeout_ms, "node_timeout_ms")?;
    set(&mut policy.poll.delay, &keys.poll_ms, "poll_ms")?;
    set(&mut policy.poll.jitter, &keys.poll_jitter_ms, "poll_jitter_ms")?;
    set(&mut policy.spin.first, &keys.spin_first_ms, "spin_first_ms")?;
    set(&mut policy.spin.most, &keys.spin_most_ms, "spin_most_ms")?;
    set(&mut policy.resend.delay, &keys.resend_ms, "resend_ms")?;
    if let (Some(limit), WaitFor::None) = (&keys.wait_ms, policy.wait.replicas) {
        return Err(nobody_waits(limit.span(), "wait_ms"));
    }
    set(&mut policy.wait.limit, &keys.wait_ms, "wait_ms")?;
    if let Some(limit) = &keys.wait_limit_ms {
        policy.wait_limit = Some(span_ms(limit, "wait_limit_ms", 0)?);
    }
    let times = |number: &Option<Spanned<i64>>, key: &str, otherwise: u8| match number {
        Some(number) => ranged(number, key, 0..=RESENDS_MAX).map(|times| times as u8),
        None => Ok(otherwise),
    };
    policy.resend.acquires = times(&keys.acquire_resends, "acquire_resends", policy.resend.acquires)?;
    policy.resend.releases = times(&keys.release_resends, "release_resends", policy.resend.releases)?;
    Ok(())
}

/// The policy error at the key that has to change, and what it should probably say.
fn placed(error: &HashPolicyError, keys: &HashKeys, table: Range<usize>) -> Wrong {
    fn at<V>(key: &Option<Spanned<V>>) -> Option<Range<usize>> {
        key.as_ref().map(Spanned::span)
    }
    let ttl = at(&keys.ttl_ms).or_else(|| at(&keys.ttl));
    let (span, meant) = match error {
        HashPolicyError::NoTtl | HashPolicyError::ZeroTtl { .. } => (ttl, Some("ttl_ms = 10_000")),
        HashPolicyError::Fraction { .. } => (at(&keys.ttl_unit), Some("ttl_unit = \"ms\"")),
        HashPolicyError::NodeTimeout { .. } => (at(&keys.node_timeout_ms).or(ttl), None),
        HashPolicyError::NoNodeTimeout => (at(&keys.node_timeout_ms), Some("node_timeout_ms = 3_000")),
        HashPolicyError::Negative => (None, None),
        HashPolicyError::NoPause { .. } => {
            (at(&keys.poll_ms).or_else(|| at(&keys.spin_first_ms)).or_else(|| at(&keys.spin_most_ms)), None)
        }
        HashPolicyError::RenewalWithoutTtl => (at(&keys.renewal).or(ttl), Some("renewal = \"none\"")),
        HashPolicyError::NoWaitLimit => (at(&keys.wait_ms), Some("wait_ms = 1_000")),
        HashPolicyError::ResentRelease { .. } => {
            (at(&keys.release_resends).or_else(|| at(&keys.latch)), Some("latch = \"on\""))
        }
        HashPolicyError::ResentAcquire { .. } => (at(&keys.acquire_resends), Some("acquire_resends = 0")),
        HashPolicyError::TooOften { .. } => (at(&keys.acquire_resends), None),
    };
    let wrong = Wrong::new(InputErrorKind::Policy, span.unwrap_or(table), error.to_string());
    wrong.maybe_meant(meant.map(str::to_owned))
}
