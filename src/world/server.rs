//! Server processes: the Redis nodes, and the store.
//!
//! Nothing here knows clients or links. A node's own lock key is mirrored in `held`, so that backing can be
//! judged without asking every node again.

use super::lane::{Ask, StoreAnswer, StoreRequest};
use super::setup::{NodeSetup, Persistence, StoreMode, StoreSetup};
use crate::canon::Canon;
use crate::history::{Access, HoldEffect};
use crate::lock::Stored;
use crate::name::{CallId, Nonce};
use crate::plan::Death;
use crate::redis::{Answer, Audience, ChangeKind, Disk, Ending, Entry, Log, Node, Session, Snapshot, Value};
use crate::resp::Command;
use crate::time::{Now, ProcessClocks, Span, UnixMs, WorldTime};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// The server behind a voter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Server {
    /// A Redis process. Comparators (a consensus service, a database) will sit beside it.
    Redis(RedisServer),
}

/// A Redis process: its clocks, its life, its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RedisServer {
    pub(crate) clocks: ProcessClocks,
    /// How many kills are in force; it runs at 0.
    pub(crate) downs: u16,
    /// How many pauses are in force.
    pub(crate) pauses: u16,
    pub(crate) node: Node,
    disk: Disk,
    /// Whether anybody hears of its entries: replicas, or a file.
    streams: bool,
    /// Whether it looks for expired keys by itself: replicas, or an append-only file, are to hear of it.
    expires: bool,
    /// What its file held when it went down.
    asleep: Option<Snapshot>,
    /// The live value of the lock key, if there is one.
    pub(crate) held: Option<Held>,
}

/// A live value of the lock key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Held {
    pub(crate) value: Stored,
    pub(crate) writer: CallId,
    deadline: Option<UnixMs>,
    /// The first world time at which it is gone, as the node's clock runs at present.
    pub(crate) gone_at: Option<WorldTime>,
}

/// What a command did: its answer, what became of the lock key, what replicas are to hear, and all of it.
pub(crate) struct Applied {
    pub(crate) answer: Answer,
    pub(crate) effects: Vec<Effect>,
    pub(crate) entry: Option<Entry>,
    pub(crate) log: Log,
}

/// What a command did to the lock key.
pub(crate) struct Effect {
    pub(crate) effect: HoldEffect,
    pub(crate) owner: Option<CallId>,
}

impl Hash for RedisServer {
    /// In few words.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { clocks, downs, pauses, node, disk, streams, expires, asleep, held } = self;
        let flags = u64::from(*streams) << 1 | u64::from(*expires);
        state.write_u64(u64::from(*downs) << 32 | u64::from(*pauses) << 16 | flags);
        clocks.hash(state);
        node.hash(state);
        disk.hash(state);
        asleep.hash(state);
        held.hash(state);
    }
}

impl RedisServer {
    pub(crate) fn new(index: usize, offset: Span, setup: &NodeSetup) -> Self {
        let clocks = ProcessClocks::new(index, offset);
        let mut node = Node::new(setup.compat);
        let streams = setup.persistence != Persistence::None || !setup.replicas.is_empty();
        node.set_streaming(streams);
        let expires = match setup.persistence {
            Persistence::None | Persistence::Rdb => !setup.replicas.is_empty(),
            Persistence::AofAlways | Persistence::AofEverysec | Persistence::AofNo => true,
        };
        let disk = Disk::new(setup.persistence, setup.disk, clocks.now(WorldTime::ZERO).mono);
        Self { clocks, downs: 0, pauses: 0, node, disk, streams, expires, asleep: None, held: None }
    }

    pub(crate) fn is_up(&self) -> bool {
        self.downs == 0
    }

    /// Executes a command for an acquire call on a connection.
    pub(crate) fn apply(
        &mut self,
        at: WorldTime,
        key: &Bytes,
        by: CallId,
        command: &Command,
        (session, audience): (&mut Session, &Audience),
    ) -> Applied {
        let mut log = Log::default();
        let wall = self.clocks.now(at).wall;
        let before = self.streams.then(|| self.node.snapshot());
        let answer = self.node.apply_in(wall, Some(by), command, session, audience, &mut log);
        self.applied(at, key, answer, log, before)
    }

    /// Gives a connection that waits the next item of a list, if there is one.
    pub(crate) fn pop_for(
        &mut self,
        at: WorldTime,
        key: &Bytes,
        list: &Bytes,
        session: &mut Session,
    ) -> Option<Applied> {
        let mut log = Log::default();
        let wall = self.clocks.now(at).wall;
        let before = self.streams.then(|| self.node.snapshot());
        let reply = self.node.pop_for(wall, list, session, &mut log)?;
        Some(self.applied(at, key, Answer::Now(reply), log, before))
    }

    fn applied(
        &mut self,
        at: WorldTime,
        key: &Bytes,
        answer: Answer,
        log: Log,
        before: Option<Snapshot>,
    ) -> Applied {
        let entry = before.and_then(|before| self.take_entry(at, &before));
        let on_key = log.changes.iter().filter(|change| change.key == *key);
        let effects: Vec<Effect> = on_key
            .map(|change| Effect {
                effect: match change.kind {
                    ChangeKind::Written => HoldEffect::Written,
                    ChangeKind::Updated => HoldEffect::Updated,
                    ChangeKind::Expiry => HoldEffect::Prolonged,
                    ChangeKind::Removed => HoldEffect::Removed,
                },
                owner: change.before.filter(|_| change.live_before),
            })
            .collect();
        if !effects.is_empty() {
            self.refresh(at, key);
        }
        Applied { answer, effects, entry, log }
    }

    /// Deletes a key as memory pressure would; returns whether it was there, and what replicas are to hear.
    pub(crate) fn evict(&mut self, at: WorldTime, key: &Bytes) -> (Log, Option<Entry>) {
        let before = self.streams.then(|| self.node.snapshot());
        let expired = if self.node.has(key) { vec![key.clone()] } else { Vec::new() };
        let log = match self.node.evict(self.clocks.now(at).wall, key) {
            Some(change) => Log { changes: vec![change], ..Log::default() },
            None => Log { expired, ..Log::default() },
        };
        let entry = before.and_then(|before| self.take_entry(at, &before));
        (log, entry)
    }

    fn take_entry(&mut self, at: WorldTime, before: &Snapshot) -> Option<Entry> {
        let entry = self.node.take_entry()?;
        self.disk.written(self.clocks.now(at).mono, before, &entry);
        Some(entry)
    }

    /// Deletes what has expired; returns what replicas are to hear.
    pub(crate) fn expire(&mut self, at: WorldTime) -> Vec<Entry> {
        let now = self.clocks.now(at);
        let mut before = self.node.snapshot();
        let entries = self.node.expire(now.wall);
        for entry in &entries {
            self.disk.written(now.mono, &before, entry);
            before.replay(entry);
        }
        entries
    }

    /// Does what an entry of its primary says.
    pub(crate) fn replay(&mut self, at: WorldTime, entry: &Entry) {
        let before = self.node.snapshot();
        self.node.replay(entry);
        self.disk.written(self.clocks.now(at).mono, &before, entry);
    }

    /// Takes over the whole state of its primary.
    pub(crate) fn load(&mut self, at: WorldTime, data: Snapshot) {
        self.disk.reset(self.clocks.now(at).mono, &data);
        self.node.restore(data);
    }

    /// Its process ends. Returns who had written the lock key, if it was there and nothing of it is kept.
    pub(crate) fn fall(&mut self, at: WorldTime, death: Death, key: &Bytes) -> Option<CallId> {
        let ending = match death {
            Death::Process => Ending::Process,
            Death::Power => Ending::Power,
            Death::Shutdown => Ending::Shutdown,
        };
        let left = self.disk.left(ending, self.clocks.now(at).mono, &self.node.snapshot());
        self.node.restart_empty();
        let held = self.held.take().map(|held| held.writer);
        let kept = left.stored(key).and_then(|stored| stored.writer);
        self.asleep = Some(left);
        held.filter(|writer| kept != Some(*writer))
    }

    /// It starts again. Returns who had written the lock key that its file held, if its life has ended meanwhile.
    pub(crate) fn rise(&mut self, at: WorldTime, key: &Bytes) -> Option<CallId> {
        let left = self.asleep.take()?;
        let writer = left.stored(key).and_then(|stored| stored.writer);
        let now = self.clocks.now(at);
        self.node.restart(now.wall, self.disk.mode(), left);
        self.disk.reset(now.mono, &self.node.snapshot());
        self.refresh(at, key);
        writer.filter(|_| self.held.is_none())
    }

    /// Whether it looks for expired keys by itself, if it is a primary.
    pub(crate) fn tells_expiry(&self) -> bool {
        self.expires
    }

    /// Reads the lock key anew: after a change of it or of the wall clock.
    pub(crate) fn refresh(&mut self, at: WorldTime, key: &Bytes) {
        let wall = self.clocks.now(at).wall;
        let view = if self.is_up() { self.node.view(wall, key) } else { None };
        self.held = view.and_then(|view| {
            let value = match view.value {
                Value::String(text) => Stored::Text(text.clone()),
                Value::Hash(fields) => {
                    Stored::Hash(fields.iter().map(|(field, value)| (field.clone(), value.clone())).collect())
                }
                Value::List(_) | Value::Set(_) | Value::Scored(_) => Stored::Other,
            };
            let gone_at = view.deadline.and_then(|when| self.clocks.key_gone(when, at));
            Some(Held { value, writer: view.writer?, deadline: view.deadline, gone_at })
        });
    }

    /// World time that the lock key still has; zero without one or without a deadline.
    pub(crate) fn remaining(&self, at: WorldTime) -> Span {
        let gone_at = self.held.as_ref().and_then(|held| held.gone_at);
        gone_at.map_or(Span::ZERO, |gone| gone - at)
    }

    /// Visits the node. The clocks come first: everything else is relative to them.
    pub(crate) fn canonical(&mut self, canon: &mut Canon, before: Now) {
        canon.enter(&mut self.clocks);
        let mono = before.mono;
        if self.disk.mode() != Persistence::None {
            self.disk.canonical(canon, mono, &self.node.snapshot());
        }
        self.node.canonical(canon, before.wall);
        if let Some(left) = &mut self.asleep {
            left.canonical(canon);
        }
        if let Some(held) = &mut self.held {
            canonical_stored(&mut held.value, canon);
            canon.call(&mut held.writer);
            if let Some(deadline) = &mut held.deadline {
                canon.unix_deadline(deadline);
            }
            if let Some(gone_at) = &mut held.gone_at {
                canon.world(gone_at);
            }
        }
    }
}

/// Visits every text of a hold. A hash is sorted again: its order is that of its fields.
fn canonical_stored(stored: &mut Stored, canon: &mut Canon) {
    match stored {
        Stored::Text(text) => canon.bytes(text),
        Stored::Hash(fields) => {
            for (field, value) in fields.iter_mut() {
                canon.bytes(field);
                canon.bytes(value);
            }
            fields.sort();
        }
        Stored::Other => {}
    }
}

/// The guarded resource: a linearizable process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StoreServer {
    pub(crate) clocks: ProcessClocks,
    pub(crate) pauses: u16,
    mode: StoreMode,
    max_fence: i64,
    claim: Option<Nonce>,
    start: i64,
    stock: i64,
    orders: i64,
    /// How often each item was done, of those that were: at most as many as there are cycles.
    done: BTreeMap<u32, u32>,
}

/// What the store did with a request.
pub(crate) enum Served {
    Claimed,
    Read { stock: i64 },
    Looked { item: u32, times: u32 },
    Write { accepted: bool, access: Access },
}

impl StoreServer {
    pub(crate) fn new(index: usize, setup: &StoreSetup) -> Self {
        let clocks = ProcessClocks::new(index, Span::ZERO);
        let (mode, stock) = (setup.mode, setup.stock);
        let done = BTreeMap::new();
        Self { clocks, pauses: 0, mode, max_fence: 0, claim: None, start: stock, stock, orders: 0, done }
    }

    pub(crate) fn serve(&mut self, request: &StoreRequest) -> (StoreAnswer, Served) {
        match request.ask {
            Ask::Claim => {
                self.claim = Some(request.nonce);
                (StoreAnswer::Claimed, Served::Claimed)
            }
            Ask::Read => (StoreAnswer::Stock(self.stock), Served::Read { stock: self.stock }),
            Ask::Look { item } => {
                let times = self.times(item);
                (StoreAnswer::Times(times), Served::Looked { item, times })
            }
            Ask::Write => {
                let accepted = self.admits(request);
                (answer(accepted), Served::Write { accepted, access: Access::Write })
            }
            Ask::Buy { read } => {
                let accepted = self.admits(request);
                if accepted {
                    self.stock = read - 1;
                    self.orders += 1;
                }
                let (left, orders, start) = (self.stock, self.orders, self.start);
                (
                    answer(accepted),
                    Served::Write { accepted, access: Access::Buy { read, left, orders, start } },
                )
            }
            Ask::Run { item } => {
                let accepted = self.admits(request);
                if accepted {
                    *self.done.entry(item).or_insert(0) += 1;
                }
                let access = Access::Run { item, times: self.times(item) };
                (answer(accepted), Served::Write { accepted, access })
            }
        }
    }

    fn times(&self, item: u32) -> u32 {
        self.done.get(&item).copied().unwrap_or(0)
    }

    /// **Source** fence: Kleppmann 2016; nonce-cas: antirez, "Is Redlock safe?".
    fn admits(&mut self, request: &StoreRequest) -> bool {
        match self.mode {
            StoreMode::Plain => true,
            StoreMode::Fence => {
                let fence = request.fence.unwrap_or(0);
                let accepted = fence >= self.max_fence;
                self.max_fence = self.max_fence.max(fence);
                accepted
            }
            StoreMode::NonceCas => self.claim == Some(request.nonce),
        }
    }

    pub(crate) fn canonical(&mut self, canon: &mut Canon) {
        canon.enter(&mut self.clocks);
        if let Some(claim) = &mut self.claim {
            canon.nonce(claim);
        }
    }
}

fn answer(accepted: bool) -> StoreAnswer {
    if accepted { StoreAnswer::Written } else { StoreAnswer::Refused }
}
