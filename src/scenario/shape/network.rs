//! `[network]`, its links, and quantiles wherever a file may draw.

use super::OneOrMany;
use crate::world::{Connections, OnTimeout};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use toml::Spanned;

/// `[network]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Network {
    pub(in crate::scenario) latency_us: Spanned<NumberOrQuantiles>,
    pub(in crate::scenario) connections: Option<Connections>,
    pub(in crate::scenario) on_timeout: Option<OnTimeout>,
    pub(in crate::scenario) offline_queue: Option<bool>,
    #[serde(default)]
    pub(in crate::scenario) link: Vec<LinkKeys>,
}

/// `[[network.link]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct LinkKeys {
    pub(in crate::scenario) between: Spanned<Vec<Spanned<OneOrMany<String>>>>,
    pub(in crate::scenario) latency_us: Spanned<NumberOrQuantiles>,
}

/// `300`, or `{ p0 = 200, p100 = 5_000 }`.
#[derive(Clone, Debug)]
pub(in crate::scenario) enum NumberOrQuantiles {
    Number(i64),
    Quantiles(Box<QuantileKeys>),
}

/// Quantiles by name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct QuantileKeys {
    pub(in crate::scenario) p0: Spanned<i64>,
    pub(in crate::scenario) p10: Option<Spanned<i64>>,
    pub(in crate::scenario) p25: Option<Spanned<i64>>,
    pub(in crate::scenario) p50: Option<Spanned<i64>>,
    pub(in crate::scenario) p75: Option<Spanned<i64>>,
    pub(in crate::scenario) p90: Option<Spanned<i64>>,
    pub(in crate::scenario) p95: Option<Spanned<i64>>,
    pub(in crate::scenario) p99: Option<Spanned<i64>>,
    pub(in crate::scenario) p99_9: Option<Spanned<i64>>,
    pub(in crate::scenario) p100: Spanned<i64>,
}

impl<'de> Deserialize<'de> for NumberOrQuantiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Either)
    }
}

struct Either;

impl<'de> Visitor<'de> for Either {
    type Value = NumberOrQuantiles;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a whole number or quantiles such as { p0 = 1, p100 = 5 }")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(NumberOrQuantiles::Number(number))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let keys = QuantileKeys::deserialize(MapAccessDeserializer::new(map))?;
        Ok(NumberOrQuantiles::Quantiles(Box::new(keys)))
    }
}
