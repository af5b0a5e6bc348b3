//! Server processes: a Redis node behind each voter, and the store.
//!
//! Nothing here knows clients or links. A node's own lock key is mirrored in `held`, so that backing can be
//! judged without asking every node again.

use super::lane::{Ask, StoreAnswer, StoreRequest};
use super::setup::{NodeSetup, StoreMode, StoreSetup};
use crate::canon::Canon;
use crate::history::{Access, HoldEffect};
use crate::name::{CallId, Nonce};
use crate::redis::{ChangeKind, Node, Value};
use crate::resp::{Command, Reply};
use crate::time::{Now, ProcessClocks, UnixMs, WorldTime};
use bytes::Bytes;

/// The server behind a voter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Server {
    /// A Redis process. Comparators (a consensus service, a database) will sit beside it.
    Redis(RedisServer),
}

/// A Redis process: its clocks, its life, its data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RedisServer {
    pub(crate) clocks: ProcessClocks,
    /// How many kills are in force; it runs at 0.
    pub(crate) downs: u16,
    /// How many pauses are in force.
    pub(crate) pauses: u16,
    pub(crate) node: Node,
    /// The live value of the lock key, if there is one.
    pub(crate) held: Option<Held>,
}

/// A live value of the lock key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Held {
    pub(crate) value: Bytes,
    pub(crate) writer: CallId,
    deadline: Option<UnixMs>,
    /// The first world time at which it is gone, as the node's clock runs at present.
    pub(crate) gone_at: Option<WorldTime>,
}

/// What a command did to the lock key.
pub(crate) struct Effect {
    pub(crate) effect: HoldEffect,
    pub(crate) owner: Option<CallId>,
}

impl RedisServer {
    pub(crate) fn new(index: usize, setup: &NodeSetup) -> Self {
        let clocks = ProcessClocks::new(index, setup.offset);
        Self { clocks, downs: 0, pauses: 0, node: Node::new(setup.compat), held: None }
    }

    pub(crate) fn is_up(&self) -> bool {
        self.downs == 0
    }

    /// Executes a command for an acquire call; returns the answer and what became of `key`.
    pub(crate) fn apply(
        &mut self,
        at: WorldTime,
        key: &Bytes,
        by: CallId,
        command: &Command,
    ) -> (Reply, Vec<Effect>) {
        let mut changes = Vec::new();
        let wall = self.clocks.now(at).wall;
        let reply = self.node.apply(wall, Some(by), command, &mut changes);
        let on_key = changes.into_iter().filter(|change| change.key == *key);
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
        (reply, effects)
    }

    /// Reads the lock key anew: after a change of it or of the wall clock.
    pub(crate) fn refresh(&mut self, at: WorldTime, key: &Bytes) {
        let wall = self.clocks.now(at).wall;
        let view = if self.is_up() { self.node.view(wall, key) } else { None };
        self.held = view.and_then(|view| {
            let value = match view.value {
                Value::String(text) => text.clone(),
                Value::Hash(_) => Bytes::from_static(b"(hash)"),
            };
            let gone_at = view.deadline.and_then(|when| self.clocks.key_gone(when, at));
            Some(Held { value, writer: view.writer?, deadline: view.deadline, gone_at })
        });
    }

    /// World time that the lock key still has; zero without one or without a deadline.
    pub(crate) fn remaining(&self, at: WorldTime) -> crate::time::Span {
        let gone_at = self.held.as_ref().and_then(|held| held.gone_at);
        gone_at.map_or(crate::time::Span::ZERO, |gone| gone - at)
    }

    /// Visits the node. The clocks come first: everything else is relative to them.
    pub(crate) fn canonical(&mut self, canon: &mut Canon, before: Now) {
        canon.enter(&mut self.clocks);
        self.node.canonical(canon, before.wall);
        if let Some(held) = &mut self.held {
            canon.bytes(&mut held.value);
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
}

/// What the store did with a request.
pub(crate) enum Served {
    Claimed,
    Read { stock: i64 },
    Write { accepted: bool, access: Access },
}

impl StoreServer {
    pub(crate) fn new(index: usize, setup: &StoreSetup) -> Self {
        let clocks = ProcessClocks::new(index, crate::time::Span::ZERO);
        let (mode, stock) = (setup.mode, setup.stock);
        Self { clocks, pauses: 0, mode, max_fence: 0, claim: None, start: stock, stock, orders: 0 }
    }

    pub(crate) fn serve(&mut self, request: &StoreRequest) -> (StoreAnswer, Served) {
        match request.ask {
            Ask::Claim => {
                self.claim = Some(request.nonce);
                (StoreAnswer::Claimed, Served::Claimed)
            }
            Ask::Read => (StoreAnswer::Stock(self.stock), Served::Read { stock: self.stock }),
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
        }
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
