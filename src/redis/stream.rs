//! A server among others: its stream of entries, its role, active expiry, a restart with data.
//!
//! Must not know who listens, how far away they are or what they have acknowledged.
//! Source: Redis 7.0.15.

use super::change::Log;
use super::entry::Entry;
use super::node::{Activity, Node};
use super::persistence::Persistence;
use super::snapshot::Snapshot;
use super::standing::{Role, Standing, Writes};
use crate::canon::Canon;
use crate::time::{UnixMs, WallTime};
use bytes::Bytes;

/// Whether anybody wants to know what commands did to the data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stream {
    /// Nobody.
    Off,
    /// What the last command did, until it is taken.
    On(Option<Entry>),
}

impl Node {
    /// Says whether commands leave entries behind, see [`Node::take_entry`]. Off at first: a server without
    /// replicas and without a file pays nothing. What was not taken is forgotten.
    pub fn set_streaming(&mut self, on: bool) {
        self.stream = if on { Stream::On(None) } else { Stream::Off };
    }

    /// What the last [`Node::apply`] or [`Node::evict`] did to the data; `None` if nothing, if it was taken
    /// already, or if the server is not streaming.
    pub fn take_entry(&mut self) -> Option<Entry> {
        match &mut self.stream {
            Stream::Off => None,
            Stream::On(last) => last.take(),
        }
    }

    /// Does what an entry of this replica's primary says. Nothing expires and nothing is refused on the way, and
    /// no entry is left behind: whoever follows this server gets the same one.
    pub fn replay(&mut self, entry: &Entry) {
        for effect in entry.effects() {
            self.keys.put(&effect.key, effect.after.as_ref());
        }
    }

    /// The data at present, expired keys included.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.keys.clone())
    }

    /// Full resynchronisation: the data becomes this. Scripts stay cached.
    pub fn restore(&mut self, data: Snapshot) {
        self.keys = data.0;
    }

    /// What the server is to the others. A new process is a primary.
    pub fn role(&self) -> Role {
        self.standing.role
    }

    /// Promotes or demotes the server; its data stays. Keys that expired while it was a replica are deleted from
    /// now on as any primary deletes them.
    pub fn set_role(&mut self, role: Role) {
        self.standing.role = role;
    }

    /// Whether a primary has enough good replicas to write. Without meaning on a replica.
    pub fn set_writes(&mut self, writes: Writes) {
        self.standing.writes = writes;
    }

    /// How many replicas are connected: what WAIT answers where it cannot wait. 0 at first.
    pub fn set_replicas(&mut self, replicas: u8) {
        self.standing.replicas = replicas;
    }

    /// Active expiry: deletes every key that has expired, each in an entry of its own, ascending. The entries are
    /// empty of everything else and are returned only if the server is streaming.
    ///
    /// A replica deletes nothing, nor does a server that is busy with a script.
    ///
    /// **Source** Redis 7.0.15: ten times a second, and with few keys all that have expired at once.
    pub fn expire(&mut self, wall: WallTime) -> Vec<Entry> {
        let now = wall.unix_ms();
        match (self.standing.role, self.activity) {
            (Role::Primary, Activity::Serving) => {}
            (Role::Replica, _) | (_, Activity::Busy(_)) => return Vec::new(),
        }
        let entries = match self.stream {
            Stream::Off => Vec::new(),
            Stream::On(_) => {
                let expired = self.keys.slots().iter().filter(|slot| slot.is_expired(now));
                expired.map(|slot| Entry::removed(slot.key.clone())).collect()
            }
        };
        self.keys.drop_expired(now);
        entries
    }

    /// The earliest deadline of a key that is physically present, of any role: from the millisecond after it on,
    /// [`Node::expire`] has something to do on a primary.
    pub fn next_expiry(&self) -> Option<UnixMs> {
        self.keys.slots().iter().filter_map(|slot| slot.deadline).min()
    }

    /// The process ended and was started again at `wall`, and found `data` in the file of this kind. As
    /// [`Node::restart_empty`] otherwise. A snapshot's expired keys are not loaded, unless by a replica; an
    /// append-only file's are, and expire like any other.
    ///
    /// **Source** Redis 7.0.15, loading.
    pub fn restart(&mut self, wall: WallTime, kind: Persistence, data: Snapshot) {
        self.restart_empty();
        self.keys = data.0;
        match (kind, self.standing.role) {
            (Persistence::Rdb, Role::Primary) => self.keys.drop_expired(wall.unix_ms()),
            (Persistence::Rdb, Role::Replica)
            | (
                Persistence::None | Persistence::AofAlways | Persistence::AofEverysec | Persistence::AofNo,
                _,
            ) => {}
        }
    }

    /// Notes what a command did, from its `reported`th change and its `expired`th deletion on.
    pub(super) fn note(&mut self, log: &Log, reported: usize, expired: usize) {
        let Stream::On(last) = &mut self.stream else { return };
        let changed = log.changes[reported..].iter().map(|change| &change.key);
        let keys: Vec<Bytes> = changed.chain(&log.expired[expired..]).cloned().collect();
        *last = Entry::of(keys, |key| self.keys.stored(key));
    }

    /// Notes that a key was deleted.
    pub(super) fn note_removal(&mut self, key: &Bytes) {
        if let Stream::On(last) = &mut self.stream {
            *last = Some(Entry::removed(key.clone()));
        }
    }
}

impl Stream {
    /// As it was told, with nothing to take.
    pub(super) fn restarted(&self) -> Self {
        match self {
            Self::Off => Self::Off,
            Self::On(_) => Self::On(None),
        }
    }

    pub(super) fn canonical(&mut self, canon: &mut Canon) {
        match self {
            Self::Off | Self::On(None) => {}
            Self::On(Some(entry)) => entry.canonical(canon),
        }
    }
}

/// Whether a missing key and an expired one have the same future: nobody else holds a copy that this server
/// would have to tell of the deletion.
pub(super) fn expired_is_missing(standing: Standing, stream: &Stream) -> bool {
    match (standing.role, stream) {
        (Role::Primary, Stream::Off) => true,
        (Role::Primary, Stream::On(_)) | (Role::Replica, _) => false,
    }
}
