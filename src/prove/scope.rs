//! The scope of a proof: how small the world is, and how it is cut into ticks.

use crate::lock::{Drift, DriftSign, Policy, Protocol, Retry, Terms, Ttl};
use crate::name::ClientId;
use crate::plan::Plan;
use crate::redis::Compat;
use crate::time::{Span, WorldTime};
use crate::world::{
    Ack, ClientSetup, Connections, Extend, Holder, Length, NodeSetup, OnTimeout, Persistence, ReplicaSetup,
    Setup, StoreMode, StoreSetup, Task, Workload,
};
use bytes::Bytes;

/// The key of the guarded resource.
const KEY: &[u8] = b"resource";

/// A scope. Every time is in ticks.
///
/// **Shape** `clients` 1..=16; `nodes` at least 1; `ttl` > `margin`; `node_timeout` at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// How many clients there are. All want the lock over and over, without a horizon unless `grants` is one.
    pub clients: u16,
    /// How many voters there are.
    pub nodes: u8,
    /// How many replicas each voter has.
    pub replicas: u8,
    /// What a node keeps when its process ends.
    pub persistence: Persistence,
    /// The life of a key.
    pub ttl: i64,
    /// The drift margin.
    pub margin: i64,
    /// How long one node may take to answer.
    pub node_timeout: i64,
    /// How many ticks a message between client and node may wait beyond the tick in which it was sent.
    pub delay: u8,
    /// How many ticks a request to the store may wait.
    pub store_delay: u8,
    /// How long a holder works at least.
    pub work: i64,
    /// How much longer it may work, as the checker chooses.
    pub work_more: i64,
    /// How many writes it makes to the store.
    pub writes: u32,
    /// Whether it waits for the store's answers.
    pub ack: Ack,
    /// How it treats the end of its promise.
    pub holder: Holder,
    /// How long after entry, and after each extension, it extends; `None` never.
    pub extend_every: Option<i64>,
    /// What the store checks.
    pub store: StoreMode,
    /// What a client does with the connection of a request that timed out.
    pub on_timeout: OnTimeout,
    /// After so many acquire calls in the whole run nobody calls any more; `None` without end. Needed where something
    /// counts up, as fences do.
    pub calls: Option<u8>,
}

impl Scope {
    /// The length of a tick: large against Redis' millisecond.
    pub const TICK: Span = Span(1_000_000);

    /// Two clients that hold for one tick, on so many nodes: keys live for four ticks, promises for three, and a message
    /// takes at most one tick. No store, nothing goes wrong.
    pub const fn small(nodes: u8) -> Self {
        Self {
            clients: 2,
            nodes,
            replicas: 0,
            persistence: Persistence::None,
            ttl: 4,
            margin: 1,
            node_timeout: 3,
            delay: 1,
            store_delay: 0,
            work: 1,
            work_more: 0,
            writes: 0,
            ack: Ack::Await,
            holder: Holder::Leaves,
            extend_every: None,
            store: StoreMode::Plain,
            on_timeout: OnTimeout::Keep,
            calls: None,
        }
    }

    /// So many ticks.
    pub fn ticks(count: i64) -> Span {
        Span(Self::TICK.0 * count)
    }

    /// The life that a lock must give its keys: one millisecond less than the ticks of `ttl`.
    pub fn key_life(&self) -> Span {
        Self::ticks(self.ttl) - Span::from_ms(1)
    }

    /// What a lock must take off a key's life for its promise: one millisecond less than the ticks of `margin`.
    pub fn drift(&self) -> Span {
        Self::ticks(self.margin) - Span::from_ms(1)
    }

    /// How long a lock must wait for the answer to one request.
    pub fn request_limit(&self) -> Span {
        Self::ticks(self.node_timeout)
    }

    /// The terms of every lock in this scope. A call is one attempt.
    pub fn terms(&self) -> Terms {
        let policy = self.policy(Policy::spec(Protocol::Redlock, self.nodes, Ttl::Of(self.key_life())));
        Terms::of(&policy.into(), ClientId(0), Bytes::from_static(KEY), self.nodes)
    }

    /// Fits a policy into the ticks: the key's life is one millisecond short, because a key set with PX t lives
    /// up to t + 1 ms; the margin takes that millisecond back, so that promises end on ticks, also where it is added. A call is one attempt:
    /// whether and when a client calls again is the checker's choice.
    pub fn policy(&self, policy: Policy) -> Policy {
        let ttl = match policy.ttl {
            Ttl::Never => Ttl::Never,
            Ttl::Of(_) => Ttl::Of(self.key_life()),
        };
        let constant = match policy.drift_sign {
            DriftSign::Subtracted => self.drift(),
            DriftSign::Added => Self::ticks(self.margin) + Span::from_ms(1),
        };
        Policy {
            ttl,
            node_timeout: self.request_limit(),
            drift: Drift { permille: 0, constant },
            retry: Retry { retries: 0, delay: Self::TICK, jitter: Span::ZERO },
            ..policy
        }
    }

    /// The world of this scope, in which nothing goes wrong; `policy` as [`Self::policy`] fits it.
    pub fn setup(&self, policy: Policy) -> Setup {
        let policy = self.policy(policy).into();
        let replica = ReplicaSetup { offset: Span::ZERO };
        let node = NodeSetup {
            persistence: self.persistence,
            replicas: vec![replica; usize::from(self.replicas)],
            ..NodeSetup::plain(Compat::V72)
        };
        let workload = Workload {
            task: Task::Hold { writes: self.writes },
            extend: self
                .extend_every
                .map_or(Extend::At(Vec::new()), |every| Extend::Every(Self::ticks(every))),
            nested: None,
            cycles: Workload::ENDLESS,
            work: Length::Of(Self::ticks(self.work)),
            patience: Span::ZERO,
            again: Self::TICK,
            think: Length::Of(Self::TICK),
            holder: self.holder,
            ack: self.ack,
        };
        let client = ClientSetup { lock: policy, start: WorldTime::ZERO, offset: Span::ZERO, workload };
        Setup {
            key: Bytes::from_static(KEY),
            nodes: vec![node; usize::from(self.nodes)],
            clients: vec![client; usize::from(self.clients)],
            store: StoreSetup { mode: self.store, stock: 0 },
            plan: Plan::empty(),
            connections: Connections::Open,
            on_timeout: self.on_timeout,
            offline_queue: crate::world::OfflineQueue::Off,
            limit: WorldTime(u64::MAX >> 1),
            settle: Span::ZERO,
            latency_max: Self::ticks(i64::from(self.delay)),
        }
    }
}
