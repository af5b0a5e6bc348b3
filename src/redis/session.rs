//! What a server keeps of one connection: channels it hears, a transaction, watched keys, a wait for an item.
//!
//! A session belongs to whoever owns the connections and is handed to [`Node::apply_in`](super::Node::apply_in) with
//! each command; most connections never have anything to keep, and then it equals [`Session::new`]. Must not reach
//! the network: what goes to other connections is returned as data. Source: Redis 7.0.15.

use super::change::Log;
use super::items::End;
use super::keyspace::Keyspace;
use crate::canon::Canon;
use crate::resp::{Command, Reply};
use crate::time::UnixMs;
use bytes::Bytes;

/// The state of one connection at its server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Session {
    /// Ascending, each once.
    channels: Vec<Bytes>,
    pub(super) queue: Option<Queue>,
    watches: Watches,
    blocked: Option<Blocked>,
}

/// A transaction between MULTI and EXEC.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Queue {
    pub(super) commands: Vec<Command>,
    /// Whether a command was refused instead of queued: EXEC will do nothing.
    pub(super) refused: bool,
}

/// The keys that WATCH named.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Watches {
    /// None of them has changed so far.
    Clean(Vec<Watched>),
    /// One has: which does not matter.
    Touched,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Watched {
    key: Bytes,
    /// It had expired before it was watched, and is still there: that it goes is no change.
    expired: bool,
}

/// A wait for an item of a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Blocked {
    pub(super) keys: Vec<Bytes>,
    pub(super) end: End,
    /// The last millisecond of the wait, on the server's wall clock.
    pub(super) until: Option<UnixMs>,
}

/// A message on a channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// Where it was published.
    pub channel: Bytes,
    /// What was published.
    pub payload: Bytes,
}

/// How many connections hear each channel, which is what PUBLISH answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Audience(Vec<Bytes>);

impl Message {
    /// What a connection that hears the channel is sent.
    pub fn push(&self) -> Reply {
        let kind = Bytes::from_static(b"message");
        Reply::Push([kind, self.channel.clone(), self.payload.clone()].map(Reply::Bulk).into())
    }
}

impl Audience {
    /// The audience that these connections are.
    pub fn of<'a>(sessions: impl IntoIterator<Item = &'a Session>) -> Self {
        Self(sessions.into_iter().flat_map(|session| session.channels.iter().cloned()).collect())
    }

    /// How many hear this channel.
    pub(super) fn count(&self, channel: &[u8]) -> usize {
        self.0.iter().filter(|known| *known == channel).count()
    }
}

impl Session {
    /// A connection that has just opened.
    pub const fn new() -> Self {
        Self { channels: Vec::new(), queue: None, watches: Watches::Clean(Vec::new()), blocked: None }
    }

    /// Whether there is nothing to keep.
    pub fn is_idle(&self) -> bool {
        *self == Self::new()
    }

    /// Whether the connection hears this channel.
    pub fn hears(&self, channel: &[u8]) -> bool {
        self.channels.iter().any(|known| known == channel)
    }

    /// Whether it hears any channel: then it may do little else.
    pub fn is_subscribed(&self) -> bool {
        !self.channels.is_empty()
    }

    /// Whether it waits for an item: then it handles nothing else.
    pub fn is_blocked(&self) -> bool {
        self.blocked.is_some()
    }

    /// The last millisecond of its wait, on the server's wall clock; `None` if it waits for nothing or for ever.
    pub fn waits_until(&self) -> Option<UnixMs> {
        self.blocked.as_ref()?.until
    }

    /// Whether it waits for an item of this list.
    pub fn waits_for(&self, key: &[u8]) -> bool {
        self.blocked.as_ref().is_some_and(|blocked| blocked.keys.iter().any(|known| known == key))
    }

    /// Ends its wait without an item; what it is answered if its time is over.
    pub fn give_up(&mut self) -> Reply {
        self.blocked = None;
        Reply::NullArray
    }

    /// Looks at what a command, an eviction or active expiry did: a watched key may have changed.
    pub fn notice(&mut self, log: &Log) {
        let Watches::Clean(watched) = &mut self.watches else { return };
        if watched.is_empty() {
            return;
        }
        let mut touched = false;
        for key in &log.expired {
            for known in watched.iter_mut().filter(|known| known.key == *key) {
                touched |= !std::mem::take(&mut known.expired);
            }
        }
        touched |= log.changes.iter().any(|change| watched.iter().any(|known| known.key == change.key));
        if touched {
            self.watches = Watches::Touched;
        }
    }

    /// The same, where all that is known is which keys were changed: by a replica's primary.
    pub fn touch<'k>(&mut self, mut keys: impl Iterator<Item = &'k Bytes>) {
        if let Watches::Clean(watched) = &mut self.watches
            && keys.any(|key| watched.iter().any(|known| known.key == *key))
        {
            self.watches = Watches::Touched;
        }
    }

    /// Takes part in a pass that makes states with equal futures equal, after [`Node::settle`](super::Node::settle).
    /// The deadline belongs to the process that the pass has turned to.
    pub fn canonical(&mut self, canon: &mut Canon) {
        self.channels.iter_mut().for_each(|channel| canon.bytes(channel));
        self.channels.sort();
        for command in self.queue.iter_mut().flat_map(|queue| &mut queue.commands) {
            command.replace(|word| canon.renamed(word));
        }
        if let Watches::Clean(watched) = &mut self.watches {
            watched.iter_mut().for_each(|known| canon.bytes(&mut known.key));
            watched.sort_by(|one, other| one.key.cmp(&other.key));
        }
        if let Some(blocked) = &mut self.blocked {
            blocked.keys.iter_mut().for_each(|key| canon.bytes(key));
            if let Some(until) = &mut blocked.until {
                canon.unix_deadline(until);
            }
        }
    }

    /// Hears a channel from now on; how many it hears.
    pub(super) fn subscribe(&mut self, channel: &Bytes) -> usize {
        if let Err(at) = self.channels.binary_search(channel) {
            self.channels.insert(at, channel.clone());
        }
        self.channels.len()
    }

    /// Hears a channel no longer; how many it still hears.
    pub(super) fn unsubscribe(&mut self, channel: &Bytes) -> usize {
        self.channels.retain(|known| known != channel);
        self.channels.len()
    }

    /// Every channel it hears.
    pub(super) fn channels(&self) -> &[Bytes] {
        &self.channels
    }

    /// Watches a key; once one has changed, more do not matter.
    pub(super) fn watch(&mut self, key: &Bytes, keys: &Keyspace, now: UnixMs) {
        let Watches::Clean(watched) = &mut self.watches else { return };
        if watched.iter().all(|known| known.key != *key) {
            let expired = keys.place(key).is_ok_and(|place| keys.at(place).is_expired(now));
            watched.push(Watched { key: key.clone(), expired });
        }
    }

    pub(super) fn unwatch(&mut self) {
        self.watches = Watches::Clean(Vec::new());
    }

    /// Whether a watched key has changed, or has expired since it is watched.
    pub(super) fn is_touched(&self, keys: &Keyspace, now: UnixMs) -> bool {
        match &self.watches {
            Watches::Touched => true,
            Watches::Clean(watched) => watched.iter().any(|known| {
                let slot = keys.place(&known.key).map(|place| keys.at(place));
                !known.expired && slot.is_ok_and(|slot| slot.is_expired(now))
            }),
        }
    }

    /// A key that has expired is about to be treated as one that is missing.
    pub(super) fn settle(&mut self, keys: &Keyspace, now: UnixMs) {
        if self.is_touched(keys, now) {
            self.watches = Watches::Touched;
        } else if let Watches::Clean(watched) = &mut self.watches {
            watched.iter_mut().for_each(|known| known.expired = false);
        }
    }

    /// Waits for an item.
    pub(super) fn block(&mut self, blocked: Blocked) {
        self.blocked = Some(blocked);
    }

    /// From which end it takes an item of this list, if it waits for one: the wait is over.
    pub(super) fn unblock(&mut self, key: &[u8]) -> Option<End> {
        let blocked = self.blocked.take_if(|blocked| blocked.keys.iter().any(|known| known == key))?;
        Some(blocked.end)
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}
