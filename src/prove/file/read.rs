//! From shapes to a model: ranges and contradictions, each refused at its own place.
//!
//! Must not guess: a value that is not what it seems is an error with a suggestion, never corrected.

use super::super::ask::{Model, Pinned, Progress};
use super::super::model::ScopeModel;
use super::super::scope::Scope;
use super::faults::menu;
use super::shape::{AloneWord, File, PinnedTable, ProgressTable, ScopeTable};
use crate::check::{Expected, OracleName};
use crate::lock::{Core, Deciding, Extension, Fence, Policy, Protocol, Taking, Ttl, WaitFor};
use crate::scenario::{
    InputError, InputErrorKind, LockTable, NoLife, Places, TickKeys, Wrong, explain, known_format, name_of,
    needs_spec, no_lock, nobody_waits, possible, ranged, sentence, set_shared, validated,
};
use crate::world::{Ack, OnTimeout, Persistence, Setup, StoreMode};
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;

/// What the prover judges, of locks of any kind.
const JUDGED: &[OracleName] = &ScopeModel::<Core>::JUDGED;

/// The most ticks that anything may take: whatever is longer is another question.
pub(super) const TICKS_MAX: i64 = 100;

/// The most clients: a state keeps a bit for each.
const CLIENTS_MAX: i64 = 16;

/// The most voters.
const NODES_MAX: i64 = 9;

/// The most replicas of a voter.
const REPLICAS_MAX: i64 = 3;

/// The most combinations of waits of messages that are sent at once.
const WAITS_MAX: u32 = 8_192;

/// The most ticks of delay.
const DELAY_MAX: i64 = 8;

/// The most writes in one section.
const WRITES_MAX: i64 = 10;

/// Reads a model. `origin` is the path it came from or its shipped name; its last part names the model.
///
/// # Errors
/// The first thing wrong with the text.
pub fn parse_model(origin: &str, text: &str) -> Result<Model, InputError> {
    let file: File = toml::from_str(text).map_err(|error| explain(&error, text).in_file(origin, text))?;
    read(file, origin, text).map_err(|wrong| wrong.in_file(origin, text))
}

fn read(file: File, origin: &str, text: &str) -> Result<Model, Wrong> {
    known_format(&file.format)?;
    let (title, claim) = (sentence(file.title, "title")?, sentence(file.claim, "claim")?);
    let table = file.scope.get_ref();
    let (scope, policy) = Bounds { table, place: file.scope.span() }.with_lock(&file.lock)?;
    let menu = menu(file.faults.as_ref(), &scope)?;
    if file.expect.is_empty() && file.progress.is_none() {
        let message = "a model asks something: how an oracle ends in [expect], or [progress]";
        return Err(Wrong::new(InputErrorKind::MissingKey, text.len()..text.len(), message).meant("[expect]"));
    }
    let asked = file.progress.as_ref().map(progress).transpose()?;
    if let (Some(ProgressTable::Together(keys)), true) = (&file.progress, menu.total > 0) {
        let message =
            "clients that all call at once are looked at with nothing going wrong: leave out [faults]";
        return Err(Wrong::contradiction(keys.retry_ticks.span(), message));
    }
    Ok(Model {
        name: name_of(origin),
        title,
        claim,
        source: file.source,
        expect: expect(file.expect, &scope.setup(policy.clone()))?,
        scope,
        menu,
        policy,
        progress: asked,
        pinned: file.pinned.as_ref().map(pinned).transpose()?,
        text: text.to_owned(),
        origin: origin.to_owned(),
        own: None,
    })
}

/// Refuses a lock whose callers wait.
fn waits(name: &str, table: Range<usize>) -> Wrong {
    let message = format!("models are of quorum locks; `{name}` has waits and clocks of its own");
    Wrong::contradiction(table, message).meant("[lock.single]")
}

/// The table of the scope, and where it is.
struct Bounds<'a> {
    table: &'a ScopeTable,
    place: Range<usize>,
}

impl Bounds<'_> {
    /// The scope, and the policy fitted into it.
    fn with_lock(&self, lock: &Spanned<LockTable<TickKeys>>) -> Result<(Scope, Policy), Wrong> {
        let (scope, policy) = match lock.get_ref() {
            LockTable::Single(keys) => self.policy(Protocol::Single, keys)?,
            LockTable::Redlock(keys) => self.policy(Protocol::Redlock, keys)?,
            LockTable::Reentrant(keys) | LockTable::Redisson(keys) | LockTable::Spin(keys) => {
                let message =
                    "models are of quorum locks; a lock that counts holds is proved by `fencepost::prove`";
                return Err(Wrong::contradiction(keys.span(), message).meant("[lock.single]"));
            }
            LockTable::Fair(keys) => return Err(waits("fair", keys.span())),
            LockTable::ReadWrite(keys) => return Err(waits("read-write", keys.span())),
            LockTable::Signal(keys) => return Err(waits("signal", keys.span())),
            LockTable::Multi(keys) => return Err(waits("multi", keys.span())),
            LockTable::None(_) => {
                if let Some(ttl) = &self.table.ttl_ticks {
                    let message = "without a lock there is no key whose life could end";
                    return Err(Wrong::contradiction(ttl.span(), message));
                }
                if let Some(word) = &self.table.on_timeout {
                    let message = "without a lock no request times out";
                    return Err(Wrong::contradiction(word.span(), message));
                }
                // Of these numbers nothing depends on any.
                let scope = self.scope(Terms { ttl: 2, margin: 1, node_timeout: 1 })?;
                (scope, scope.policy(no_lock()))
            }
        };
        self.agrees(&scope, &policy)?;
        Ok((scope, policy))
    }

    fn policy(&self, protocol: Protocol, keys: &Spanned<TickKeys>) -> Result<(Scope, Policy), Wrong> {
        let (place, keys) = (keys.span(), keys.get_ref());
        let shared = keys.shared();
        needs_spec(&shared, &place)?;
        let terms = self.terms(keys, &place)?;
        let scope = self.scope(terms)?;
        let voters = if protocol == Protocol::Single { 1 } else { scope.nodes };
        if voters != scope.nodes {
            let message =
                format!("single asks one node; {} would only make the scope larger", scope.nodes - voters);
            return Err(Wrong::contradiction(self.table.nodes.span(), message).meant("nodes = 1"));
        }
        let ttl = match keys.ttl.as_ref().map(Spanned::get_ref) {
            Some(NoLife::None) => Ttl::Never,
            None => Ttl::Of(Scope::ticks(scope.ttl)),
        };
        let mut policy = Policy::spec(protocol, voters, ttl);
        set_shared(&shared, &mut policy)?;
        no_moments(keys)?;
        no_even_splits(keys)?;
        if let Some(sign) = &keys.margin_sign {
            policy.drift_sign = *sign.get_ref();
        }
        if let Some(least) = &keys.min_validity_ticks {
            policy.min_validity = Scope::ticks(ranged(least, "min_validity_ticks", 0..=TICKS_MAX)?);
        }
        match (&keys.wait_ticks, policy.wait.replicas) {
            (Some(limit), WaitFor::None) => return Err(nobody_waits(limit.span(), "wait_ticks")),
            (Some(limit), WaitFor::Any | WaitFor::All) => {
                policy.wait.limit = Scope::ticks(ranged(limit, "wait_ticks", 1..=TICKS_MAX)?);
            }
            (None, WaitFor::Any | WaitFor::All) => policy.wait.limit = Scope::TICK,
            (None, WaitFor::None) => {}
        }
        let places = Places {
            table: place,
            ttl: keys.ttl.as_ref().map(Spanned::span).or_else(|| spans(&self.table.ttl_ticks)),
            ttl_meant: "ttl_ticks = 4",
            node_timeout: spans(&keys.node_timeout_ticks),
            margin: spans(&keys.margin_ticks),
            retry: None,
            wait: spans(&keys.wait_ticks),
            wait_meant: "wait_ticks = 1",
            keys: keys.places(),
        };
        let policy = validated(scope.policy(policy), &shared, &places)?;
        Ok((scope, policy))
    }

    /// The times of the lock, in ticks, and that they leave a promise.
    fn terms(&self, keys: &TickKeys, lock: &Range<usize>) -> Result<Terms, Wrong> {
        let needed = |number: &Option<Spanned<i64>>, key: &str, place: &Range<usize>, meant: &str| {
            let Some(number) = number else {
                let message = format!("missing key `{key}`");
                return Err(Wrong::new(InputErrorKind::MissingKey, place.clone(), message).meant(meant));
            };
            ranged(number, key, 1..=TICKS_MAX)
        };
        let node_timeout =
            needed(&keys.node_timeout_ticks, "node_timeout_ticks", lock, "node_timeout_ticks = 2")?;
        let margin = needed(&keys.margin_ticks, "margin_ticks", lock, "margin_ticks = 1")?;
        if let Some(never) = &keys.ttl {
            if self.table.ttl_ticks.is_some() {
                let message = "`ttl` is \"none\" and `ttl_ticks` is set; keep one of them";
                return Err(Wrong::contradiction(never.span(), message));
            }
            return Ok(Terms { ttl: margin + 1, margin, node_timeout });
        }
        let ttl = needed(&self.table.ttl_ticks, "ttl_ticks", &self.place, "ttl_ticks = 4")?;
        if margin >= ttl {
            let message =
                format!("a margin of {margin} leaves nothing of a TTL of {ttl}: no promise could begin");
            let place = spans(&keys.margin_ticks).unwrap_or_else(|| lock.clone());
            return Err(Wrong::contradiction(place, message));
        }
        if node_timeout >= ttl {
            let message = format!("one slow node eats the whole TTL of {ttl}: a timeout must be shorter");
            let place = spans(&keys.node_timeout_ticks).unwrap_or_else(|| lock.clone());
            let meant = format!("node_timeout_ticks = {}", ttl - 1);
            return Err(Wrong::contradiction(place, message).maybe_meant((ttl > 1).then_some(meant)));
        }
        Ok(Terms { ttl, margin, node_timeout })
    }

    fn scope(&self, terms: Terms) -> Result<Scope, Wrong> {
        let table = self.table;
        only(&table.tick_ms, "tick_ms", Scope::TICK.as_ms_floor(), "every tick is a second")?;
        only(&table.attempts_open, "attempts_open", 1, "a client rests until its old messages are gone")?;
        let optional = |number: &Option<Spanned<i64>>, key: &str, least: i64, most: i64| {
            number.as_ref().map(|number| ranged(number, key, least..=most)).transpose()
        };
        let longest = ranged(&table.work_ticks_max, "work_ticks_max", 0..=TICKS_MAX)?;
        let shortest = optional(&table.work_ticks_min, "work_ticks_min", 0, TICKS_MAX)?.unwrap_or(0);
        if shortest > longest {
            let message = format!("`work_ticks_min` is {shortest} and `work_ticks_max` only {longest}");
            return Err(Wrong::contradiction(table.work_ticks_max.span(), message));
        }
        let Terms { ttl, margin, node_timeout } = terms;
        let store_delay = optional(&table.store_delay_ticks_max, "store_delay_ticks_max", 0, DELAY_MAX)?;
        let calls = optional(&table.calls, "calls", 1, TICKS_MAX)?;
        Ok(Scope {
            clients: ranged(&table.clients, "clients", 1..=CLIENTS_MAX)? as u16,
            nodes: ranged(&table.nodes, "nodes", 1..=NODES_MAX)? as u8,
            replicas: optional(&table.replicas, "replicas", 0, REPLICAS_MAX)?.unwrap_or(0) as u8,
            persistence: self.persistence()?,
            ttl,
            margin,
            node_timeout,
            delay: ranged(&table.delay_ticks_max, "delay_ticks_max", 0..=DELAY_MAX)? as u8,
            store_delay: store_delay.unwrap_or(0) as u8,
            work: shortest,
            work_more: longest - shortest,
            writes: optional(&table.writes, "writes", 0, WRITES_MAX)?.unwrap_or(0) as u32,
            ack: table.ack.as_ref().map_or(Ack::Await, |ack| *ack.get_ref()),
            holder: *table.holder.get_ref(),
            extend_every: optional(&table.extend_every_ticks, "extend_every_ticks", 1, TICKS_MAX)?,
            store: table.store.as_ref().map_or(StoreMode::Plain, |mode| *mode.get_ref()),
            on_timeout: table.on_timeout.as_ref().map_or(OnTimeout::Keep, |word| *word.get_ref()),
            calls: calls.map(|calls| calls as u8),
        })
    }

    /// What disks do by the clock is not cut into ticks.
    fn persistence(&self) -> Result<Persistence, Wrong> {
        let Some(word) = &self.table.persistence else { return Ok(Persistence::None) };
        match word.get_ref() {
            Persistence::None | Persistence::AofAlways => Ok(*word.get_ref()),
            Persistence::Rdb | Persistence::AofEverysec | Persistence::AofNo => {
                let message = "a model's node keeps nothing (\"none\") or everything (\"aof-always\")";
                Err(Wrong::contradiction(word.span(), message).meant("persistence = \"aof-always\""))
            }
        }
    }

    /// That the lock has what the scope asks of it.
    fn agrees(&self, scope: &Scope, policy: &Policy) -> Result<(), Wrong> {
        let table = self.table;
        if let Some(every) = table.extend_every_ticks.as_ref().filter(|_| policy.extension == Extension::None)
        {
            let message = "`extend_every_ticks` needs a lock that extends: extension is \"none\"";
            return Err(Wrong::contradiction(every.span(), message).meant("extension = \"compare\""));
        }
        if let Some(mode) = table.store.as_ref().filter(|_| scope.store == StoreMode::Fence)
            && policy.fence == Fence::None
        {
            let message = "a store that checks fences needs a lock that hands them out: `fence` is \"none\"";
            return Err(Wrong::contradiction(mode.span(), message).meant("fence = \"incr\""));
        }
        // A client asks all nodes at once, and how long each message takes is one choice.
        let waits = (u32::from(scope.delay) + 1).checked_pow(u32::from(scope.nodes));
        if waits.is_none_or(|waits| waits > WAITS_MAX) {
            let message = format!(
                "{} messages sent at once, each late by up to {} ticks, are more than {WAITS_MAX} combinations",
                scope.nodes, scope.delay
            );
            return Err(
                Wrong::contradiction(table.delay_ticks_max.span(), message).meant("delay_ticks_max = 1")
            );
        }
        if let Some(delay) = table.store_delay_ticks_max.as_ref().filter(|_| scope.store_delay > 0)
            && scope.writes == 0
        {
            let message = "nobody writes to the store, so nothing on the way to it can be late";
            return Err(Wrong::contradiction(delay.span(), message).meant("writes = 1"));
        }
        if policy.fence == Fence::Incr && scope.calls.is_none() {
            let message = "fences count up for ever, and so would the states: say how many calls there are";
            return Err(
                Wrong::new(InputErrorKind::MissingKey, self.place.clone(), message).meant("calls = 3")
            );
        }
        Ok(())
    }
}

/// That no command names a moment: it would be another in every state, and no two states would ever be alike.
fn no_moments(keys: &TickKeys) -> Result<(), Wrong> {
    let message = "a model knows no moments of a wall clock, which PXAT and PEXPIREAT name";
    if let Some(taking) = keys.taking.as_ref().filter(|taking| *taking.get_ref() == Taking::SetNxPxat) {
        return Err(Wrong::contradiction(taking.span(), message).meant("taking = \"set-nx-px\""));
    }
    match keys.extension.as_ref().filter(|extension| *extension.get_ref() == Extension::Pexpireat) {
        Some(extension) => {
            Err(Wrong::contradiction(extension.span(), message).meant("extension = \"compare\""))
        }
        None => Ok(()),
    }
}

/// That every round of questions ends: an even split that waits for ever goes round without a choice to make.
fn no_even_splits(keys: &TickKeys) -> Result<(), Wrong> {
    match keys.deciding.as_ref().filter(|deciding| *deciding.get_ref() == Deciding::AtQuorumOfBoth) {
        Some(deciding) => {
            let message = "a model takes no lock that leaves an even split undecided";
            Err(Wrong::contradiction(deciding.span(), message).meant("deciding = \"at-quorum\""))
        }
        None => Ok(()),
    }
}

/// The times of a lock, in ticks.
struct Terms {
    ttl: i64,
    margin: i64,
    node_timeout: i64,
}

/// A key that is there to be read and can have one value.
fn only(number: &Option<Spanned<i64>>, key: &str, value: i64, why: &str) -> Result<(), Wrong> {
    match number {
        Some(number) if *number.get_ref() != value => {
            let message = format!("`{key}` is {}; it can only be {value}: {why}", number.get_ref());
            Err(Wrong::new(InputErrorKind::Range, number.span(), message).meant(value.to_string()))
        }
        Some(_) | None => Ok(()),
    }
}

fn spans<V>(key: &Option<Spanned<V>>) -> Option<Range<usize>> {
    key.as_ref().map(Spanned::span)
}

fn expect(
    table: BTreeMap<Spanned<OracleName>, Expected>,
    setup: &Setup,
) -> Result<Vec<(OracleName, Expected)>, Wrong> {
    let mut all = Vec::new();
    for (oracle, expected) in table {
        if !JUDGED.contains(oracle.get_ref()) {
            let judged: Vec<&str> = JUDGED.iter().map(|oracle| oracle.text()).collect();
            let message = format!(
                "{} rests on bounds or on what is left in the end, which the prover does not judge; it judges: {}",
                oracle.get_ref(),
                judged.join(", ")
            );
            return Err(Wrong::contradiction(oracle.span(), message));
        }
        if expected != Expected::NotExercised {
            possible(&oracle, setup)?;
        }
        all.push((oracle.into_inner(), expected));
    }
    all.sort_by_key(|(oracle, _)| *oracle);
    Ok(all)
}

fn progress(table: &ProgressTable) -> Result<Progress, Wrong> {
    match table {
        ProgressTable::AloneWithinTicks(within) => {
            let within = ranged(within, "alone_within_ticks", 1..=TICKS_MAX)? as u32;
            Ok(Progress::Alone { within: Some(within) })
        }
        ProgressTable::Alone(AloneWord::Trapped) => Ok(Progress::Alone { within: None }),
        ProgressTable::Together(keys) => {
            let [least, most] = keys.retry_ticks.get_ref().as_slice() else {
                let message =
                    "`retry_ticks` are two numbers: the shortest and the longest wait before the next call";
                return Err(
                    Wrong::new(InputErrorKind::Value, keys.retry_ticks.span(), message).meant("[1, 1]")
                );
            };
            let shortest = ranged(least, "retry_ticks", 1..=TICKS_MAX)?;
            let longest = ranged(most, "retry_ticks", shortest..=TICKS_MAX)?;
            Ok(Progress::Together { retry: (shortest as u8, longest as u8), expect: keys.expect })
        }
    }
}

fn pinned(table: &PinnedTable) -> Result<Pinned, Wrong> {
    if !table.exhausted.get_ref() {
        let message = "only an exhausted model can be pinned: other counts differ from run to run";
        return Err(Wrong::contradiction(table.exhausted.span(), message).meant("exhausted = true"));
    }
    Ok(Pinned { states: ranged(&table.states, "states", 1..=i64::MAX)?.unsigned_abs() })
}
