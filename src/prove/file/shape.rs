//! A model file as serde sees it: keys, tables and the spans of whatever is judged later.
//!
//! Must not judge values: numbers arrive as any integer.

use super::super::ask::Endless;
use super::super::kind::Kind;
use crate::check::{Expected, OracleName};
use crate::scenario::{LockTable, TickKeys, known};
use crate::world::{Ack, Holder, OnTimeout, Persistence, StoreMode};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use std::collections::BTreeMap;
use toml::Spanned;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) format: Spanned<i64>,
    pub(super) title: Spanned<String>,
    pub(super) claim: Spanned<String>,
    pub(super) source: Vec<String>,
    pub(super) scope: Spanned<ScopeTable>,
    pub(super) lock: Spanned<LockTable<TickKeys>>,
    pub(super) faults: Option<Spanned<FaultTable>>,
    #[serde(default)]
    pub(super) expect: BTreeMap<Spanned<OracleName>, Expected>,
    pub(super) progress: Option<ProgressTable>,
    pub(super) pinned: Option<PinnedTable>,
}

/// `[scope]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScopeTable {
    pub(super) clients: Spanned<i64>,
    pub(super) nodes: Spanned<i64>,
    pub(super) replicas: Option<Spanned<i64>>,
    pub(super) persistence: Option<Spanned<Persistence>>,
    pub(super) tick_ms: Option<Spanned<i64>>,
    pub(super) ttl_ticks: Option<Spanned<i64>>,
    pub(super) delay_ticks_max: Spanned<i64>,
    pub(super) store_delay_ticks_max: Option<Spanned<i64>>,
    pub(super) work_ticks_min: Option<Spanned<i64>>,
    pub(super) work_ticks_max: Spanned<i64>,
    pub(super) attempts_open: Option<Spanned<i64>>,
    pub(super) holder: Spanned<Holder>,
    pub(super) writes: Option<Spanned<i64>>,
    pub(super) ack: Option<Spanned<Ack>>,
    pub(super) store: Option<Spanned<StoreMode>>,
    pub(super) extend_every_ticks: Option<Spanned<i64>>,
    pub(super) on_timeout: Option<Spanned<OnTimeout>>,
    pub(super) calls: Option<Spanned<i64>>,
}

/// `[faults]`: the total, and a table for each kind that is allowed.
#[derive(Debug, Default)]
pub(super) struct FaultTable {
    pub(super) total: Option<Spanned<i64>>,
    pub(super) kinds: Vec<(Spanned<Kind>, KindKeys)>,
}

/// `client-stop = { budget = 1, ticks_min = 1, ticks_max = 6 }`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KindKeys {
    pub(super) budget: Option<Spanned<i64>>,
    pub(super) ticks_min: Option<Spanned<i64>>,
    pub(super) ticks_max: Option<Spanned<i64>>,
}

/// `[progress]`: exactly one question.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ProgressTable {
    AloneWithinTicks(Spanned<i64>),
    Alone(AloneWord),
    Together(TogetherKeys),
}

/// `alone = "trapped"`, the only word.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum AloneWord {
    /// Some schedule never grants.
    Trapped,
}

/// `together = { retry_ticks = [1, 1], expect = "trapped" }`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TogetherKeys {
    pub(super) retry_ticks: Spanned<Vec<Spanned<i64>>>,
    pub(super) expect: Endless,
}

/// `[pinned]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PinnedTable {
    pub(super) exhausted: Spanned<bool>,
    pub(super) states: Spanned<i64>,
}

/// A key of `[faults]`.
enum Key {
    Total,
    Of(Kind),
}

impl<'de> Deserialize<'de> for FaultTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FaultVisitor)
    }
}

struct FaultVisitor;

impl<'de> Visitor<'de> for FaultVisitor {
    type Value = FaultTable;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a table of kinds of fault")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut table = FaultTable::default();
        while let Some(key) = map.next_key::<Spanned<Key>>()? {
            match *key.get_ref() {
                Key::Total => table.total = Some(map.next_value()?),
                Key::Of(kind) => table.kinds.push((Spanned::new(key.span(), kind), map.next_value()?)),
            }
        }
        Ok(table)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const NAMES: [&str; Kind::TEXTS.len() + 1] = {
            let mut names = ["total"; Kind::TEXTS.len() + 1];
            let mut at = 0;
            while at < Kind::TEXTS.len() {
                names[at + 1] = Kind::TEXTS[at].1;
                at += 1;
            }
            names
        };
        known(deserializer, &NAMES, |text| {
            let kind = Kind::TEXTS.iter().find(|(_, name)| *name == text);
            let kind = kind.map(|(kind, _)| Self::Of(*kind));
            kind.or_else(|| (text == "total").then_some(Self::Total))
        })
    }
}
