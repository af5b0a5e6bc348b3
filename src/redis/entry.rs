//! What travels from a primary to its replicas and into its file: one entry per atomic group of effects.
//!
//! Redis sends commands rewritten to their effects, with absolute deadlines; an entry holds what those effects leave
//! behind, key by key. For a reader whose data is a prefix of the writer's history that is the same: replaying
//! either gives the same keys. Must not judge expiry: whoever replays an entry has no say in that.
//! Source: Redis 7.0.15, replication stream and append-only file.

use super::value::Value;
use crate::canon::Canon;
use crate::name::CallId;
use crate::time::UnixMs;
use bytes::Bytes;
use std::sync::Arc;

/// What one top-level command, one eviction or one active expiry did to the data: applied as a whole or not at all.
/// Cheap to clone.
///
/// **Shape** at least one effect, ascending by key, each key once. Expired keys that a command deleted on its way
/// are among them, although no [`Change`](super::Change) tells of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry(Arc<[Effect]>);

/// What became of one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    /// The key.
    pub key: Bytes,
    /// What it holds afterwards; `None` if it is gone.
    pub after: Option<Stored>,
}

/// What a key holds, whether or not it has expired.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stored {
    /// The value.
    pub value: Value,
    /// The acquire call whose command created or overwrote the value.
    pub writer: Option<CallId>,
    /// The last millisecond of its life, on the clock of whoever judges it; `None` if it lives until deleted.
    pub deadline: Option<UnixMs>,
}

impl Entry {
    /// The entry that leaves these keys as `after` says; `None` without keys.
    pub(super) fn of(mut keys: Vec<Bytes>, after: impl Fn(&Bytes) -> Option<Stored>) -> Option<Self> {
        keys.sort_unstable();
        keys.dedup();
        let effects = keys.into_iter().map(|key| Effect { after: after(&key), key });
        let effects: Arc<[Effect]> = effects.collect();
        (!effects.is_empty()).then_some(Self(effects))
    }

    /// The entry of a key that is gone.
    pub(super) fn removed(key: Bytes) -> Self {
        Self(Arc::new([Effect { key, after: None }]))
    }

    /// What became of each key touched.
    pub fn effects(&self) -> &[Effect] {
        &self.0
    }

    /// Takes part in a pass that makes states with equal futures equal. The deadlines belong to the process that
    /// the pass has turned to: the one that will replay the entry.
    pub fn canonical(&mut self, canon: &mut Canon) {
        let mut effects = self.0.to_vec();
        for stored in effects.iter_mut().filter_map(|effect| effect.after.as_mut()) {
            stored.value.canonical(canon);
            if let Some(writer) = &mut stored.writer {
                canon.call(writer);
            }
            if let Some(deadline) = &mut stored.deadline {
                canon.unix_deadline(deadline);
            }
        }
        self.0 = effects.into();
    }
}
