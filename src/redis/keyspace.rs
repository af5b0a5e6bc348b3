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

/// All keys of a server, ascending.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Keyspace(Arc<Vec<Slot>>);

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
        Self(Arc::new(Vec::new()))
    }

    /// All slots, ascending by key.
    pub(super) fn slots(&self) -> &[Slot] {
        &self.0
    }

    /// The place of a key, or the place where it would go.
    pub(super) fn place(&self, key: &[u8]) -> Result<usize, usize> {
        self.0.binary_search_by(|slot| slot.key.as_ref().cmp(key))
    }

    pub(super) fn at(&self, place: usize) -> &Slot {
        &self.0[place]
    }

    pub(super) fn at_mut(&mut self, place: usize) -> &mut Slot {
        &mut Arc::make_mut(&mut self.0)[place]
    }

    pub(super) fn insert(&mut self, place: usize, slot: Slot) {
        Arc::make_mut(&mut self.0).insert(place, slot);
    }

    pub(super) fn remove(&mut self, place: usize) -> Slot {
        Arc::make_mut(&mut self.0).remove(place)
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

    /// Visits every value, writer and deadline.
    pub(super) fn canonical(&mut self, canon: &mut Canon) {
        for slot in self.slots_mut() {
            slot.value.canonical(canon);
            if let Some(writer) = &mut slot.writer {
                canon.call(writer);
            }
            if let Some(deadline) = &mut slot.deadline {
                canon.unix_deadline(deadline);
            }
        }
    }

    /// Deletes what has expired at `now`. Touches nothing if nothing has.
    pub(super) fn drop_expired(&mut self, now: UnixMs) {
        if self.0.iter().any(|slot| slot.is_expired(now)) {
            Arc::make_mut(&mut self.0).retain(|slot| !slot.is_expired(now));
        }
    }

    /// All slots, to rewrite in place. The keys must stay as they are.
    fn slots_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        let slots = &mut self.0;
        // An empty key space is the common case in a prover and needs no copy of its own.
        let slots: &mut [Slot] = if slots.is_empty() { &mut [] } else { Arc::make_mut(slots).as_mut_slice() };
        slots.iter_mut()
    }
}
