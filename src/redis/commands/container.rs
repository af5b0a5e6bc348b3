//! How commands reach values that hold several things: hashes, lists, sets, sorted sets.
//!
//! Changing such a value keeps the key's writer and deadline; one that becomes empty is deleted with both.
//! Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::exec::{Deadline, Exec};
use super::super::items::Items;
use super::super::members::Members;
use super::super::scored::Scored;
use super::super::value::{Fields, Value};
use bytes::Bytes;

/// A type of value that holds several things.
pub(super) trait Container: Clone + Default + Eq {
    /// The value's content, if it is of this type.
    fn inside(value: &Value) -> Option<&Self>;
    /// The value with this content.
    fn value(self) -> Value;
    /// Whether nothing is left.
    fn is_empty(&self) -> bool;
}

macro_rules! containers {
    ($($kind:ident = $variant:ident),*) => {$(
        impl Container for $kind {
            fn inside(value: &Value) -> Option<&Self> {
                if let Value::$variant(inside) = value { Some(inside) } else { None }
            }

            fn value(self) -> Value {
                Value::$variant(self)
            }

            fn is_empty(&self) -> bool {
                self.is_empty()
            }
        }
    )*};
}
containers!(Fields = Hash, Items = List, Members = Set, Scored = Scored);

/// What a live key holds; `None` if it is missing.
///
/// # Errors
/// It holds another type.
pub(super) fn find<'e, T: Container>(
    exec: &'e mut Exec<'_>,
    key: &[u8],
) -> Result<Option<&'e T>, CommandError> {
    match exec.live(key).map(|slot| &slot.value) {
        Some(value) => T::inside(value).map(Some).ok_or(CommandError::WrongType),
        None => Ok(None),
    }
}

/// Changes what a key holds, which is empty if the key is missing. Nothing is written where nothing changes.
///
/// # Errors
/// The key holds another type, or the work fails: then nothing is written either.
pub(super) fn change<T: Container, R>(
    exec: &mut Exec<'_>,
    key: &Bytes,
    work: impl FnOnce(&mut T) -> Result<R, CommandError>,
) -> Result<R, CommandError> {
    let before: Option<T> = find(exec, key)?.cloned();
    let mut after = before.clone().unwrap_or_default();
    let done = work(&mut after)?;
    match before {
        None if after.is_empty() => {}
        None => exec.write(key, after.value(), Deadline::Clear),
        Some(_) if after.is_empty() => drop(exec.remove(key)),
        Some(before) if before == after => {}
        Some(_) => exec.update(key, |value| *value = after.value()),
    }
    Ok(done)
}
