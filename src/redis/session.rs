//! What a server keeps of one connection: its protocol and name, channels it hears, a transaction, watched keys, a
//! wait for an item.
//!
//! A session belongs to whoever owns the connections and is handed to [`Node::apply_in`](super::Node::apply_in) with
//! each command; most connections never have anything to keep, and then it equals [`Session::new`]. Must not reach
//! the network: what goes to other connections is returned as data. Source: Redis 7.0.15.

use super::change::Log;
use super::glob;
use super::items::End;
use super::keyspace::Keyspace;
use crate::canon::Canon;
use crate::resp::codec::Protocol;
use crate::resp::{Command, Reply};
use crate::time::UnixMs;
use bytes::Bytes;

/// The state of one connection at its server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Session {
    id: u32,
    protocol: Protocol,
    has_quit: bool,
    /// Empty without one.
    name: Bytes,
    /// Ascending, each once.
    subscriptions: Vec<Subscription>,
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

/// What a connection hears.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Subscription {
    topic: Topic,
    name: Bytes,
}

/// What the name of a subscription stands for. In the order in which one connection is pushed a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Topic {
    /// One channel.
    Channel,
    /// Every channel that fits the pattern.
    Pattern,
    /// One shard channel.
    Shard,
}

/// Where the names of channels are told apart: a shard channel has nothing to do with the channel of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// PUBLISH.
    Global,
    /// SPUBLISH.
    Shard,
}

/// A message on a channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// Which command published it.
    pub space: Space,
    /// Where it was published.
    pub channel: Bytes,
    /// What was published.
    pub payload: Bytes,
}

/// Everything that connections hear, which decides what PUBLISH answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Audience(Vec<Subscription>);

impl Topic {
    pub(super) fn space(self) -> Space {
        match self {
            Self::Channel | Self::Pattern => Space::Global,
            Self::Shard => Space::Shard,
        }
    }
}

impl Subscription {
    fn hears(&self, message: &Message) -> bool {
        let fits = match self.topic {
            Topic::Channel | Topic::Shard => self.name == message.channel,
            Topic::Pattern => glob::matches(&self.name, &message.channel),
        };
        fits && self.topic.space() == message.space
    }

    fn push(&self, message: &Message) -> Reply {
        let (kind, pattern) = match self.topic {
            Topic::Channel => ("message", None),
            Topic::Pattern => ("pmessage", Some(self.name.clone())),
            Topic::Shard => ("smessage", None),
        };
        let (channel, payload) = (message.channel.clone(), message.payload.clone());
        let parts = [Some(Bytes::from_static(kind.as_bytes())), pattern, Some(channel), Some(payload)];
        Reply::Push(parts.into_iter().flatten().map(Reply::Bulk).collect())
    }
}

impl Audience {
    /// The audience that these connections are.
    pub fn of<'a>(sessions: impl IntoIterator<Item = &'a Session>) -> Self {
        Self(sessions.into_iter().flat_map(|session| session.subscriptions.iter().cloned()).collect())
    }

    /// How many times it is heard.
    pub(super) fn count(&self, message: &Message) -> usize {
        self.0.iter().filter(|known| known.hears(message)).count()
    }
}

impl Session {
    /// A connection that has just opened, whose CLIENT ID is 1.
    pub const fn new() -> Self {
        Self::numbered(1)
    }

    /// The same with another CLIENT ID: a server that its caller wants to tell its connections apart gives each its
    /// own, as Redis does from 1 on. Nothing here depends on it.
    pub const fn numbered(id: u32) -> Self {
        Self {
            id,
            protocol: Protocol::Resp2,
            has_quit: false,
            name: Bytes::new(),
            subscriptions: Vec::new(),
            queue: None,
            watches: Watches::Clean(Vec::new()),
            blocked: None,
        }
    }

    /// Whether there is nothing to keep but its number.
    pub fn is_idle(&self) -> bool {
        *self == Self::numbered(self.id)
    }

    /// The protocol in which replies are written: RESP2 until HELLO says otherwise.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Whether it said QUIT: its owner closes it behind the answer and hands on nothing that came behind.
    pub fn has_quit(&self) -> bool {
        self.has_quit
    }

    /// What it is sent of a message: as often as it hears it, by channel first, then by pattern.
    pub fn pushes<'s>(&'s self, message: &'s Message) -> impl Iterator<Item = Reply> + 's {
        let heard = self.subscriptions.iter().filter(|known| known.hears(message));
        heard.map(|known| known.push(message))
    }

    /// Whether it hears any channel: in RESP2 it may then do little else.
    pub fn is_subscribed(&self) -> bool {
        !self.subscriptions.is_empty()
    }

    /// Whether it may do little else than hear.
    pub(super) fn is_confined(&self) -> bool {
        self.is_subscribed() && self.protocol == Protocol::Resp2
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
        canon.bytes(&mut self.name);
        self.subscriptions.iter_mut().for_each(|known| canon.bytes(&mut known.name));
        self.subscriptions.sort();
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

    pub(super) fn id(&self) -> u32 {
        self.id
    }

    pub(super) fn name(&self) -> &Bytes {
        &self.name
    }

    /// Takes this name, if there is one to take.
    pub(super) fn rename(&mut self, name: Option<Bytes>) {
        if let Some(name) = name {
            self.name = name;
        }
    }

    pub(super) fn speak(&mut self, protocol: Protocol) {
        self.protocol = protocol;
    }

    /// Forgets everything but its number.
    pub(super) fn reset(&mut self) {
        *self = Self::numbered(self.id);
    }

    /// Ends: nothing is heard or queued any more. What it is still sent is written as before.
    pub(super) fn quit(&mut self) {
        *self = Self { protocol: self.protocol, has_quit: true, ..Self::numbered(self.id) };
    }

    /// Hears a channel or a pattern from here on.
    pub(super) fn subscribe(&mut self, topic: Topic, name: &Bytes) {
        let new = Subscription { topic, name: name.clone() };
        if let Err(at) = self.subscriptions.binary_search(&new) {
            self.subscriptions.insert(at, new);
        }
    }

    pub(super) fn unsubscribe(&mut self, topic: Topic, name: &Bytes) {
        self.subscriptions.retain(|known| known.topic != topic || known.name != *name);
    }

    /// Everything of this kind that it hears.
    pub(super) fn names(&self, topic: Topic) -> Vec<Bytes> {
        let known = self.subscriptions.iter().filter(|known| known.topic == topic);
        known.map(|known| known.name.clone()).collect()
    }

    /// How many subscriptions it has in a space.
    pub(super) fn count(&self, space: Space) -> usize {
        self.subscriptions.iter().filter(|known| known.topic.space() == space).count()
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
