//! The policy of a lock table, and where in it a policy error belongs.

use super::super::error::{InputErrorKind, Wrong};
use super::super::preset::{SPEC, table_of};
use super::super::shape::{HashKeys, LockKeys, LockTable, NoTtl, SharedKeys};
use super::number::{ranged, span_ms};
use super::{hash, waiter};
use crate::lock::{
    AfterLast, Basis, Drift, Extension, Growth, HashProtocol, Pace, Policy, PolicyError, Protocol, Recipe,
    Renewal, Retry, Soundness, Ttl, Validity, WaitFor,
};
use crate::time::{ClockKind, Span};
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

/// The lock of a table; `own` are keys of one client that override it.
pub(super) fn recipe(
    table: &LockTable<LockKeys>,
    own: Option<&Spanned<LockKeys>>,
    nodes: u8,
) -> Result<Recipe, Wrong> {
    let no_keys = |name: &str| match own {
        Some(own) => {
            let message = format!("[lock.{name}] has no keys to override here; `own_lock` is a whole lock");
            Err(Wrong::contradiction(own.span(), message))
        }
        None => Ok(()),
    };
    let quorum = |protocol: Protocol, base: &Spanned<LockKeys>| {
        let (table, keys) = match own {
            Some(own) => (own.span(), own.get_ref().clone().over(base.get_ref().clone())),
            None => (base.span(), base.get_ref().clone()),
        };
        policy(protocol, &keys, &table, nodes).map(Recipe::from)
    };
    let counted = |protocol: HashProtocol, keys: &Spanned<HashKeys>| {
        no_keys(protocol.name())?;
        hash::policy(protocol, keys).map(Recipe::from)
    };
    match table {
        LockTable::Single(keys) => quorum(Protocol::Single, keys),
        LockTable::Redlock(keys) => quorum(Protocol::Redlock, keys),
        LockTable::None(_) => {
            no_keys("none")?;
            Ok(no_lock().into())
        }
        LockTable::Reentrant(keys) => counted(HashProtocol::Reentrant, keys),
        LockTable::Redisson(keys) => counted(HashProtocol::Redisson, keys),
        LockTable::Spin(keys) => counted(HashProtocol::Spin, keys),
        LockTable::Fair(keys) => {
            no_keys("fair")?;
            waiter::fair(keys).map(Recipe::from)
        }
        LockTable::ReadWrite(keys) => {
            no_keys("read-write")?;
            waiter::read_write(keys).map(Recipe::from)
        }
        LockTable::Signal(keys) => {
            no_keys("signal")?;
            waiter::signal(keys).map(Recipe::from)
        }
        LockTable::Multi(keys) => {
            no_keys("multi")?;
            waiter::multi(keys, nodes).map(Recipe::from)
        }
    }
}

/// The policy of these keys; `table` is where a missing key is missed.
pub(super) fn policy(
    protocol: Protocol,
    keys: &LockKeys,
    table: &Range<usize>,
    nodes: u8,
) -> Result<Policy, Wrong> {
    let keys = &resolved(protocol, keys)?;
    let shared = keys.shared();
    needs_like(&shared, table)?;
    let voters = if protocol == Protocol::Single { 1 } else { nodes };
    let mut policy = Policy::spec(protocol, voters, life_of(&keys.ttl_ms, &keys.ttl, table)?);
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
        keys: places(keys),
    };
    validated(policy, &shared, &places)
}

fn places(keys: &LockKeys) -> Vec<(&'static str, Range<usize>)> {
    let mut places = keys.places();
    let sign = keys.drift.as_ref().and_then(|drift| drift.get_ref().sign.as_ref());
    places.extend(sign.map(|sign| ("sign", sign.span())));
    places
}

/// The keys with those of the preset that `like` names under them. A preset is known for what it is: its unsound
/// values need no other leave.
fn resolved(protocol: Protocol, keys: &LockKeys) -> Result<LockKeys, Wrong> {
    let Some(like) = keys.like.as_ref().filter(|like| like.get_ref() != SPEC) else {
        return Ok(keys.clone());
    };
    let table = table_of(like.get_ref()).map_err(|unknown| {
        Wrong::new(InputErrorKind::Name, like.span(), unknown.to_string()).maybe_meant(unknown.suggestion)
    })?;
    let base = match table.keys() {
        Some(base) if table.name() == protocol.name() => base,
        Some(_) | None => {
            let (name, shape) = (like.get_ref(), table.name());
            return Err(match table.keys() {
                Some(_) => {
                    let message = format!("`{name}` is a preset for [lock.{shape}]");
                    Wrong::contradiction(like.span(), message).meant(format!("[lock.{shape}]"))
                }
                // Tables of other shapes have starting values of their own; whole presets go in from outside.
                None => {
                    let message = format!(
                        "`{name}` is a preset for [lock.{shape}], which goes into a scenario as a whole"
                    );
                    Wrong::contradiction(like.span(), message).meant(format!("--like {name}"))
                }
            });
        }
    };
    // A preset may itself start from another.
    let mut base = resolved(protocol, base)?.said_at(&like.span());
    base.unsound = Some(Spanned::new(like.span(), true));
    Ok(keys.clone().over(base))
}

/// That a model starts from the specification: presets state their times in milliseconds.
#[cfg(feature = "prove")]
pub(crate) fn needs_spec(keys: &SharedKeys, table: &Range<usize>) -> Result<(), Wrong> {
    needs_like(keys, table)?;
    match keys.like.as_ref().filter(|like| like.get_ref() != SPEC) {
        Some(like) => {
            let message =
                format!("models start from \"{SPEC}\" only: `{}` is not known here", like.get_ref());
            Err(Wrong::new(InputErrorKind::Value, like.span(), message).meant(format!("like = \"{SPEC}\"")))
        }
        None => Ok(()),
    }
}

/// That the starting values are named.
fn needs_like(keys: &SharedKeys, table: &Range<usize>) -> Result<(), Wrong> {
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
    /// Every key that is set.
    pub(crate) keys: Vec<(&'static str, Range<usize>)>,
}

impl Places {
    /// Where this key is, and its name here: that may end with a unit, and a drift is the margin of a model.
    fn of(&self, key: &str) -> Option<(&'static str, Range<usize>)> {
        let is_meant = |name: &str| {
            let rest = name.strip_prefix(key).or_else(|| name.strip_prefix("margin_")?.strip_prefix(key));
            rest.is_some_and(|unit| matches!(unit, "" | "_ms" | "_ticks"))
        };
        self.keys.iter().find(|(name, _)| is_meant(name)).cloned()
    }
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
pub(super) fn life(lock: &Recipe) -> Span {
    match lock.life_max() {
        Ttl::Never => Span::ZERO,
        Ttl::Of(ttl) => ttl,
    }
}

/// The life that these two keys say in two ways; `table` is where it is missed.
pub(super) fn life_of(
    ttl_ms: &Option<Spanned<i64>>,
    ttl: &Option<Spanned<NoTtl>>,
    table: &Range<usize>,
) -> Result<Ttl, Wrong> {
    match (ttl_ms, ttl) {
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
        set(&mut policy.drift_sign, &drift.sign);
    }
    set(&mut policy.start, &keys.start);
    policy.min_validity = optional(&keys.min_validity_ms, "min_validity_ms", policy.min_validity)?;
    let Retry { retries, delay, jitter } = policy.retry;
    policy.retry = Retry {
        retries: match &keys.retries {
            Some(retries) => ranged(retries, "retries", 0..=RETRIES_MAX)? as u32,
            None => retries,
        },
        delay: optional(&keys.retry_delay_ms, "retry_delay_ms", delay)?,
        jitter: optional(&keys.retry_jitter_ms, "retry_jitter_ms", jitter)?,
    };
    policy.pace = pace(keys)?;
    policy.wait.limit = optional(&keys.wait_ms, "wait_ms", policy.wait.limit)?;
    Ok(())
}

/// What the waits of a call are beyond the first.
fn pace(keys: &LockKeys) -> Result<Pace, Wrong> {
    let growth = keys.retry_growth.as_ref().map_or(Growth::Fixed, |growth| *growth.get_ref());
    let delay_max = match (growth, &keys.retry_delay_max_ms, &keys.retry_growth) {
        (Growth::Doubling, Some(most), _) => span_ms(most, "retry_delay_max_ms", 0)?,
        (Growth::Fixed, None, _) | (Growth::Doubling, None, None) => Pace::SPEC.delay_max,
        (Growth::Doubling, None, Some(word)) => {
            let message = "a delay that doubles needs `retry_delay_max_ms`, up to which it does";
            let wrong = Wrong::new(InputErrorKind::MissingKey, word.span(), message);
            return Err(wrong.meant("retry_delay_max_ms = 1_000"));
        }
        (Growth::Fixed, Some(most), _) => {
            let message =
                "`retry_delay_max_ms` is where a delay stops that grows, and `retry_growth` is \"fixed\"";
            return Err(Wrong::contradiction(most.span(), message).meant("retry_growth = \"doubling\""));
        }
    };
    if let (Some(clock), None) = (&keys.wait_clock, &keys.wait_limit_ms) {
        let message = "`wait_clock` measures `wait_limit_ms`, which is not set";
        return Err(Wrong::contradiction(clock.span(), message).meant("wait_limit_ms = 10_000"));
    }
    let after_last = match keys.retry_after_last.as_ref().is_some_and(|waits| *waits.get_ref()) {
        true => AfterLast::Waits,
        false => AfterLast::Answers,
    };
    Ok(Pace {
        growth,
        delay_max,
        after_last,
        limit: keys.wait_limit_ms.as_ref().map(|limit| span_ms(limit, "wait_limit_ms", 0)).transpose()?,
        limit_clock: keys.wait_clock.as_ref().map_or(ClockKind::Mono, |clock| *clock.get_ref()),
    })
}

fn set<V: Copy>(target: &mut V, word: &Option<Spanned<V>>) {
    if let Some(word) = word {
        *target = *word.get_ref();
    }
}

fn optional(number: &Option<Spanned<i64>>, key: &str, otherwise: Span) -> Result<Span, Wrong> {
    number.as_ref().map_or(Ok(otherwise), |number| span_ms(number, key, 0))
}

/// Sets what the shared keys say.
pub(crate) fn set_shared(keys: &SharedKeys, policy: &mut Policy) -> Result<(), Wrong> {
    match (&keys.quorum, &keys.quorum_rule) {
        (Some(quorum), None) => {
            policy.quorum = ranged(quorum, "quorum", 0..=i64::from(u8::MAX))? as u8;
        }
        (None, Some(rule)) => policy.quorum = rule.get_ref().of(policy.voters),
        (Some(_), Some(rule)) => {
            let message = "`quorum` and `quorum_rule` are both set; keep one of them";
            return Err(Wrong::contradiction(rule.span(), message));
        }
        (None, None) => {}
    }
    if let Some(retries) = &keys.driver_retries {
        policy.driver_retries = ranged(retries, "driver_retries", 0..=DRIVER_RETRIES_MAX)? as u8;
    }
    if let Some(most) = &keys.renewals_max {
        policy.renewals_max = ranged(most, "renewals_max", 0..=RETRIES_MAX)? as u32;
    }
    if let Some(permille) = &keys.renewal_permille {
        policy.renewal_permille = Some(ranged(permille, "renewal_permille", 1..=1_000)? as u16);
    }
    words(keys, policy);
    Ok(())
}

/// The keys that are words, each named as the field that it sets.
macro_rules! set_words {
    ($policy:ident, $keys:ident: $($word:ident)*) => {
        $(set(&mut $policy.$word, &$keys.$word);)*
    };
}

fn words(keys: &SharedKeys, policy: &mut Policy) {
    set_words!(
        policy, keys: quorum_of counting taking repair ttl_unit validity basis elapsed arithmetic clock asking deciding
        on_error release release_key release_asks release_on_failure release_when_late cleanup nonce fence extension
        extension_quorum_of extension_within extension_moves extension_checks on_extension_failure renewal
        renewal_rounding renewal_rearm renewal_on_release reacquire on_loss
    );
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
    let Places { table, ttl, ttl_meant, node_timeout, margin, retry, wait, wait_meant, keys: _ } = places;
    let or = |one: &Option<Range<usize>>, other: &Option<Range<usize>>| one.clone().or_else(|| other.clone());
    let (span, meant) = match error {
        PolicyError::Quorum { majority, .. } | PolicyError::NoMajority { majority, .. } => {
            (at(&keys.quorum).or_else(|| at(&keys.quorum_rule)), Some(format!("quorum = {majority}")))
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
        PolicyError::Unsound { key, sound, .. } => {
            let (name, place) = places.of(key).map_or((*key, None), |(name, place)| (name, Some(place)));
            (place, Some(format!("{name} = \"{sound}\"")))
        }
        PolicyError::Apart { key, meant, .. } => {
            (places.of(key).map(|(_, place)| place), Some((*meant).to_owned()))
        }
    };
    Wrong::new(InputErrorKind::Policy, span.unwrap_or_else(|| table.clone()), error.to_string())
        .maybe_meant(meant)
}
