//! One table, or a list of them: `pause = { .. }` and `pause = [{ .. }, { .. }]`.

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::marker::PhantomData;
use toml::Spanned;

/// Any number of tables.
#[derive(Debug)]
pub(in crate::scenario) struct Repeated<T>(pub(in crate::scenario) Vec<T>);

impl<T> Default for Repeated<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Repeated<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tables(PhantomData))
    }
}

struct Tables<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Tables<T> {
    type Value = Repeated<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a table or a list of tables")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|one| Repeated(vec![one]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        // Each element keeps the place of its own errors because it is asked for with its span.
        let all = Vec::<Spanned<T>>::deserialize(SeqAccessDeserializer::new(list))?;
        Ok(Repeated(all.into_iter().map(Spanned::into_inner).collect()))
    }
}
