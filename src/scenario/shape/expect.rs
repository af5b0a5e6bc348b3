//! `[expect]`: a map from oracles to expectations, with the table of witnesses among its keys.

use crate::check::{Expected, OracleName, WitnessName};
use crate::plan::FaultKind;
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor, value::MapAccessDeserializer};
use toml::Spanned;

/// `[expect]`
#[derive(Debug, Default)]
pub(in crate::scenario) struct ExpectTable {
    pub(in crate::scenario) oracles: Vec<(Spanned<OracleName>, Expected)>,
    pub(in crate::scenario) witnesses: Vec<(WitnessName, Spanned<CountKeys>)>,
}

/// `1` or `{ min = 1, max = 2 }`
#[derive(Debug)]
pub(in crate::scenario) enum CountKeys {
    Exact(i64),
    Within(Bounds),
}

/// `{ min = 1, max = 2 }`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Bounds {
    pub(in crate::scenario) min: Option<Spanned<i64>>,
    pub(in crate::scenario) max: Option<Spanned<i64>>,
}

/// A key of `[expect]`.
#[derive(Clone, Copy)]
enum Key {
    Oracle(OracleName),
    Witness,
}

/// A key of `[expect.witness]`.
struct WitnessKey(WitnessName);

impl<'de> Deserialize<'de> for ExpectTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ExpectVisitor)
    }
}

struct ExpectVisitor;

impl<'de> Visitor<'de> for ExpectVisitor {
    type Value = ExpectTable;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a table of oracles")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut table = ExpectTable::default();
        while let Some(key) = map.next_key::<Spanned<Key>>()? {
            match *key.get_ref() {
                Key::Oracle(oracle) => {
                    table.oracles.push((Spanned::new(key.span(), oracle), map.next_value()?));
                }
                Key::Witness => table.witnesses = map.next_value::<WitnessTable>()?.0,
            }
        }
        Ok(table)
    }
}

struct WitnessTable(Vec<(WitnessName, Spanned<CountKeys>)>);

impl<'de> Deserialize<'de> for WitnessTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(WitnessVisitor)
    }
}

struct WitnessVisitor;

impl<'de> Visitor<'de> for WitnessVisitor {
    type Value = WitnessTable;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a table of witnesses")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut counts = Vec::new();
        while let Some((WitnessKey(name), count)) = map.next_entry()? {
            counts.push((name, count));
        }
        Ok(WitnessTable(counts))
    }
}

impl<'de> Deserialize<'de> for CountKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CountVisitor)
    }
}

struct CountVisitor;

impl<'de> Visitor<'de> for CountVisitor {
    type Value = CountKeys;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a count or { min = .., max = .. }")
    }

    fn visit_i64<E: Error>(self, count: i64) -> Result<Self::Value, E> {
        Ok(CountKeys::Exact(count))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Bounds::deserialize(MapAccessDeserializer::new(map)).map(CountKeys::Within)
    }
}

/// The key's text goes through here so that the error lists every known name.
pub(crate) fn known<'de, D: Deserializer<'de>, V>(
    deserializer: D,
    names: &'static [&'static str],
    of: impl FnOnce(&str) -> Option<V>,
) -> Result<V, D::Error> {
    let text = String::deserialize(deserializer)?;
    of(&text).ok_or_else(|| D::Error::unknown_field(&text, names))
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const NAMES: [&str; OracleName::TEXTS.len() + 1] = {
            let mut names = ["witness"; OracleName::TEXTS.len() + 1];
            let mut at = 0;
            while at < OracleName::TEXTS.len() {
                names[at] = OracleName::TEXTS[at].1;
                at += 1;
            }
            names
        };
        known(deserializer, &NAMES, |text| {
            let oracle = OracleName::TEXTS.iter().find(|(_, name)| *name == text);
            let oracle = oracle.map(|(oracle, _)| Self::Oracle(*oracle));
            oracle.or_else(|| (text == "witness").then_some(Self::Witness))
        })
    }
}

impl<'de> Deserialize<'de> for WitnessKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const PLAIN: usize = WitnessName::TEXTS.len();
        const NAMES: [&str; PLAIN + FaultKind::TEXTS.len()] = {
            let mut names = [""; PLAIN + FaultKind::TEXTS.len()];
            let mut at = 0;
            while at < names.len() {
                names[at] =
                    if at < PLAIN { WitnessName::TEXTS[at].1 } else { FaultKind::TEXTS[at - PLAIN].1 };
                at += 1;
            }
            names
        };
        known(deserializer, &NAMES, WitnessName::of).map(Self)
    }
}
