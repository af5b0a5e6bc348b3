//! One value, or a list of them: `of = "node-1"` and `of = ["node-1", "node-2"]`.

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor, value};
use std::marker::PhantomData;
use toml::Spanned;

/// One value or several. The span of the one is that of the whole.
#[derive(Clone, Debug)]
pub(in crate::scenario) enum OneOrMany<T> {
    One(T),
    Many(Vec<Spanned<T>>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Either(PhantomData))
    }
}

struct Either<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
    type Value = OneOrMany<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("one value or a list of values")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        T::deserialize(value::StrDeserializer::new(text)).map(OneOrMany::One)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Self::Value, E> {
        T::deserialize(value::I64Deserializer::new(number)).map(OneOrMany::One)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut many = Vec::new();
        while let Some(element) = list.next_element()? {
            many.push(element);
        }
        Ok(OneOrMany::Many(many))
    }
}
