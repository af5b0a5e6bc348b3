//! Presets: what real libraries and printed code do, as lock tables under a name, and any lock put into any scenario.
//!
//! A preset is one file in `scenarios/presets/`. Its table is read as if it stood in a scenario, and `like = "NAME"`
//! starts from it. Presets say how a lock keeps time and what it sends; they hold no code of anybody. Must not judge:
//! what a preset breaks is measured by `sim::drill` and pinned in the file's own `[expect]`.

use super::error::{InputError, Wrong, closest};
use super::explain::explain;
use super::parse::{name_of, parse};
use super::read::known_format;
use super::shape::{Family, LockKeys, LockTable, PresetFile};
use super::shipped::{Locator, among, shipped_drills, shipped_presets};
use super::{InputErrorKind, Scenario};
use crate::check::{Expected, OracleName};
use crate::lock::Ttl;
use crate::world::StoreMode;
use std::collections::BTreeMap;

/// A named lock: a library in one version, the code of an article, or a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name that `like` takes.
    pub name: String,
    /// Where it comes from.
    pub family: Family,
    /// Which code it is, with its version.
    pub title: String,
    /// Where that can be read.
    pub source: Vec<String>,
    /// What the source leaves open and was chosen here.
    pub assumed: Vec<String>,
    /// One sentence: why it breaks, or why it does not.
    pub why: String,
    /// What to change in its settings to be safe, if anything can be.
    pub advice: String,
    /// The table that its lock goes into: `single`, `redlock`, …
    pub table: String,
    /// How each oracle ends over all drills; what is not named is *n/a* or not exercised.
    pub expect: BTreeMap<OracleName, Expected>,
}

/// A name that no preset has.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[error("no preset is called `{name}`; `list --features` shows them")]
pub struct UnknownPreset {
    /// The name.
    pub name: String,
    /// The name that was probably meant.
    pub suggestion: Option<String>,
}

/// The name of the specification: the starting values that are built in.
pub(crate) const SPEC: &str = "spec";

/// All presets, by name.
///
/// # Panics
/// If a shipped preset cannot be read; a test reads them all.
pub fn presets() -> Vec<Preset> {
    shipped_presets()
        .map(|(name, text)| {
            parse_preset(name, text).unwrap_or_else(|error| panic!("shipped preset: {error}"))
        })
        .collect()
}

/// The preset of this name.
///
/// # Errors
/// No preset has it.
pub fn preset(name: &str) -> Result<Preset, UnknownPreset> {
    let text = text_of(name)?;
    Ok(parse_preset(name, text).unwrap_or_else(|error| panic!("shipped preset: {error}")))
}

/// Reads a preset. `origin` is the path it came from or its shipped name; its last part names the preset.
///
/// # Errors
/// The first thing wrong with the text. Whether its lock can be run shows only in a scenario.
pub fn parse_preset(origin: &str, text: &str) -> Result<Preset, InputError> {
    let file: PresetFile =
        toml::from_str(text).map_err(|error| explain(&error, text).in_file(origin, text))?;
    known_format(&file.format).map_err(|wrong| wrong.in_file(origin, text))?;
    // What a preset starts from was assumed there.
    let base = file.lock.get_ref().keys().and_then(|keys| keys.like.as_ref());
    let base = base.filter(|like| like.get_ref() != SPEC).and_then(|like| preset(like.get_ref()).ok());
    let assumed = base.map_or_else(Vec::new, |base| base.assumed).into_iter().chain(file.assumed).collect();
    let expect = file.expect.oracles.into_iter().map(|(name, ends)| (name.into_inner(), ends)).collect();
    Ok(Preset {
        name: name_of(origin),
        family: file.family.into_inner(),
        title: file.title.into_inner(),
        source: file.source,
        assumed,
        why: file.why.into_inner(),
        advice: file.advice.into_inner(),
        table: file.lock.get_ref().name().to_owned(),
        expect,
    })
}

/// The drills: scenarios whose lock is meant to be replaced, as they stand with the specification's lock. By name.
///
/// # Panics
/// If a shipped drill cannot be read; a test runs them all.
pub fn drills() -> Vec<Scenario> {
    shipped_drills()
        .map(|(name, text)| parse(&format!("{DRILL}:{name}"), text).unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

/// What stands before the name of a drill where a scenario is named.
pub const DRILL: &str = "drill";

/// The same scenario with this preset in the place of every lock. Its TTL stays the scenario's, so that the plan still
/// fits; a preset without a TTL has none. `[expect]` goes, because it was said of the other lock; so do `[[client]]` tables'
/// own locks. A plain store checks fences if the lock hands them out, and one that checks them becomes a plain one if it
/// does not; calls to extend go if the lock has no call to extend.
///
/// # Errors
/// The scenario does not fit the preset, told at the place in the text that was made.
pub fn with_lock(scenario: &Scenario, preset: &Preset) -> Result<Scenario, InputError> {
    let life = scenario.setup.clients.first().map(|client| client.lock.ttl());
    let mut lock = own_table(preset);
    if let (Some(Ttl::Of(ttl)), true) = (life, lock.contains_key("ttl_ms")) {
        lock.insert("ttl_ms".to_owned(), ttl.as_ms_floor().into());
    }
    let fresh = with_table(scenario, &preset.table, lock, &format!("the preset {}", preset.name))?;
    let name = format!("{}:{}", scenario.name, preset.name);
    Ok(Scenario { name, like: Some(preset.name.clone()), ..fresh })
}

/// The same scenario with another lock table in the place of every lock, and what does not go with it changed.
///
/// # Errors
/// The scenario does not fit the lock, told at the place in the text that was made.
pub(super) fn with_table(
    scenario: &Scenario,
    table: &str,
    lock: toml::Table,
    what: &str,
) -> Result<Scenario, InputError> {
    let origin = &scenario.origin;
    let mut whole: toml::Table = scenario.text.parse().map_err(|error| {
        let wrong = Wrong::new(InputErrorKind::Syntax, 0..0, format!("{error}"));
        wrong.in_file(origin, &scenario.text)
    })?;
    whole.insert("lock".to_owned(), toml::Table::from_iter([(table.to_owned(), lock.into())]).into());
    whole.remove("expect");
    for client in whole.get_mut("client").and_then(toml::Value::as_array_mut).into_iter().flatten() {
        if let Some(client) = client.as_table_mut() {
            client.remove("lock");
            client.remove("own_lock");
        }
    }
    let read = |whole: &toml::Table| {
        let body = toml::to_string(whole).expect("what came from TOML can be written as TOML");
        parse(origin, &format!("# {origin} with the lock of {what}.\n\n{body}"))
    };
    let mut fresh = read(&whole);
    if fresh.as_ref().is_err_and(|error| error.kind == InputErrorKind::Contradiction) {
        plain_store(&mut whole);
        no_calls_to_extend(&mut whole);
        fresh = read(&whole);
    }
    let is_fenced = |fresh: &Scenario| fresh.setup.clients.iter().all(|client| client.lock.is_fenced());
    if fresh.as_ref().is_ok_and(|fresh| fresh.setup.store.mode == StoreMode::Plain && is_fenced(fresh)) {
        let mode = toml::Table::from_iter([("mode".to_owned(), "fence".into())]);
        whole.insert("store".to_owned(), mode.into());
        fresh = read(&whole);
    }
    fresh
}

fn plain_store(whole: &mut toml::Table) {
    if let Some(store) = whole.get_mut("store").and_then(toml::Value::as_table_mut)
        && store.get("mode").and_then(toml::Value::as_str) == Some("fence")
    {
        store.insert("mode".to_owned(), "plain".into());
    }
}

fn no_calls_to_extend(whole: &mut toml::Table) {
    let workloads = whole.get_mut("clients").and_then(|clients| clients.get_mut("workload"));
    for (_, workload) in workloads.and_then(toml::Value::as_table_mut).into_iter().flatten() {
        if let Some(workload) = workload.as_table_mut() {
            workload.remove("extend_at_ms");
            workload.remove("extend_every_ms");
        }
    }
}

/// What stands in a preset's table; of a quorum lock only the name that stands for it, and that it has a TTL.
fn own_table(preset: &Preset) -> toml::Table {
    let text = text_of(&preset.name).expect("it came from there");
    let mut whole: toml::Table = text.parse().expect("it was read before");
    let lock = whole.remove("lock").and_then(|mut lock| lock.as_table_mut()?.remove(&preset.table));
    let Some(toml::Value::Table(keys)) = lock else { return toml::Table::new() };
    let is_quorum = table_of(&preset.name).is_ok_and(|table| table.keys().is_some());
    if !is_quorum {
        return keys;
    }
    let mut short = toml::Table::from_iter([("like".to_owned(), preset.name.clone().into())]);
    if lives(&preset.name) {
        short.insert("ttl_ms".to_owned(), 0.into());
    }
    short
}

/// Whether a preset's keys have a TTL, its own or that of the preset it starts from.
fn lives(name: &str) -> bool {
    let Ok(table) = table_of(name) else { return true };
    let Some(keys) = table.keys() else { return true };
    match (&keys.ttl, &keys.ttl_ms, &keys.like) {
        (Some(_), _, _) => false,
        (None, None, Some(like)) if like.get_ref() != SPEC => lives(like.get_ref()),
        (None, _, _) => true,
    }
}

/// The lock table of a preset.
pub(super) fn table_of(name: &str) -> Result<LockTable<LockKeys>, UnknownPreset> {
    let text = text_of(name)?;
    let file: PresetFile =
        toml::from_str(text).unwrap_or_else(|error| panic!("shipped preset {name}: {error}"));
    Ok(file.lock.into_inner())
}

fn text_of(name: &str) -> Result<&'static str, UnknownPreset> {
    match among(shipped_presets, name) {
        Ok(Locator::Shipped { text, .. }) => Ok(text),
        Ok(Locator::Path(_) | Locator::Row { .. } | Locator::Switch(_)) | Err(_) => {
            let known = shipped_presets().map(|(name, _)| name).chain([SPEC]);
            Err(UnknownPreset { name: name.to_owned(), suggestion: closest(name, known) })
        }
    }
}
