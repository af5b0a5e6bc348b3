//! The keys that are physically present, expired or not.
//!
//! Shared until written, so that copying a server costs one reference count. Must not judge expiry: it has no
//! clock; `exec.rs` does.

use super::entry::Stored;
use super::value::Value;
use crate::canon::Canon;
use crate::name::CallId;
use crate::time::UnixMs;
use bytes::Bytes;
use std::sync::Arc;

/// All keys of a server, ascending; nothing where there is none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Keyspace(Option<Arc<Vec<Slot>>>);

/// One key with what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slot {
    pub(super) key: Bytes,
    pub(super) value: Value,
    /// The acquire call whose command created or overwrote the value.
    pub(super) writer: Option<CallId>,
    /// Expired iff the server's millisecond is *after* this (Redis 7.0.15).
    pub(super) deadline: Option<UnixMs>,
}

impl Slot {
    /// Whether the key has expired at `now`: strictly after its deadline.
    pub(super) fn is_expired(&self, now: UnixMs) -> bool {
        self.deadline.is_some_and(|deadline| now > deadline)
    }
}

impl Keyspace {
    pub(super) fn new() -> Self {
        Self(None)
    }

    /// All slots, ascending by key.
    pub(super) fn slots(&self) -> &[Slot] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Nothing is kept of a key space that has become empty, so that all empty ones are equal.
    fn forget_if_empty(&mut self) {
        if self.slots().is_empty() {
            self.0 = None;
        }
    }

    /// The place of a key, or the place where it would go.
    pub(super) fn place(&self, key: &[u8]) -> Result<usize, usize> {
        self.slots().binary_search_by(|slot| slot.key.as_ref().cmp(key))
    }

    pub(super) fn at(&self, place: usize) -> &Slot {
        &self.slots()[place]
    }

    pub(super) fn at_mut(&mut self, place: usize) -> &mut Slot {
        &mut self.slots_mut()[place]
    }

    pub(super) fn insert(&mut self, place: usize, slot: Slot) {
        Arc::make_mut(self.0.get_or_insert_default()).insert(place, slot);
    }

    ///
    /// # Panics
    /// If there is no such place.
    pub(super) fn remove(&mut self, place: usize) -> Slot {
        let slots = self.0.as_mut().expect("what is removed is there");
        let slot = Arc::make_mut(slots).remove(place);
        self.forget_if_empty();
        slot
    }

    /// What a key holds, expired or not.
    pub(super) fn stored(&self, key: &[u8]) -> Option<Stored> {
        let slot = self.at(self.place(key).ok()?);
        Some(Stored { value: slot.value.clone(), writer: slot.writer, deadline: slot.deadline })
    }

    /// Makes a key hold this, or nothing.
    pub(super) fn put(&mut self, key: &Bytes, after: Option<&Stored>) {
        let slot = after.map(|Stored { value, writer, deadline }| Slot {
            key: key.clone(),
            value: value.clone(),
            writer: *writer,
            deadline: *deadline,
        });
        match (self.place(key), slot) {
            (Ok(place), Some(slot)) => *self.at_mut(place) = slot,
            (Ok(place), None) => drop(self.remove(place)),
            (Err(place), Some(slot)) => self.insert(place, slot),
            (Err(_), None) => {}
        }
    }

    /// Visits every value, writer and deadline. What stays as it is stays shared.
    pub(super) fn canonical(&mut self, canon: &mut Canon) {
        for place in 0..self.slots().len() {
            let slot = self.at(place);
            let (value, mut writer, mut deadline) = (slot.value.renamed(canon), slot.writer, slot.deadline);
            if let Some(writer) = &mut writer {
                canon.call(writer);
            }
            if let Some(deadline) = &mut deadline {
                canon.unix_deadline(deadline);
            }
            if value.is_some() || (writer, deadline) != (slot.writer, slot.deadline) {
                let slot = self.at_mut(place);
                (slot.writer, slot.deadline) = (writer, deadline);
                if let Some(value) = value {
                    slot.value = value;
                }
            }
        }
    }

    /// Deletes what has expired at `now`. Touches nothing if nothing has.
    pub(super) fn drop_expired(&mut self, now: UnixMs) {
        if let Some(slots) = &mut self.0
            && slots.iter().any(|slot| slot.is_expired(now))
        {
            Arc::make_mut(slots).retain(|slot| !slot.is_expired(now));
            self.forget_if_empty();
        }
    }

    /// All slots, to rewrite in place. The keys must stay as they are.
    fn slots_mut(&mut self) -> &mut [Slot] {
        self.0.as_mut().map_or(&mut [], |slots| Arc::make_mut(slots).as_mut_slice())
    }
}
