//! The scope of a proof: how small the world is, and how it is cut into ticks.

use crate::lock::{Drift, Policy, Retry, Ttl};
use crate::plan::Plan;
use crate::redis::Compat;
use crate::time::{Span, WorldTime};
use crate::world::{
    Ack, ClientSetup, Connections, Extend, Holder, Length, NodeSetup, OnTimeout, Setup, StoreMode,
    StoreSetup, Task, Workload,
};
use bytes::Bytes;
use std::sync::Arc;

/// A scope. Every time is in ticks.
///
/// **Shape** `clients` and `nodes` at least 1; `ttl` > `margin`; `node_timeout` at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// How many clients there are. All want the lock over and over, without a horizon.
    pub clients: u16,
    /// How many nodes there are.
    pub nodes: u8,
    /// The life of a key.
    pub ttl: i64,
    /// The drift margin.
    pub margin: i64,
    /// How long one node may take to answer.
    pub node_timeout: i64,
    /// How many ticks a message may wait beyond the tick in which it was sent.
    pub delay: u8,
    /// How long a holder works.
    pub work: i64,
    /// How it treats the end of its promise.
    pub holder: Holder,
}

impl Scope {
    /// The length of a tick: large against Redis' millisecond.
    pub const TICK: Span = Span(1_000_000);

    /// So many ticks.
    pub fn ticks(count: i64) -> Span {
        Span(Self::TICK.0 * count)
    }

    /// Fits a policy into the ticks: the key's life is one millisecond short, because a key set with PX t lives
    /// up to t + 1 ms; the margin takes that millisecond back, so that promises end on ticks.
    pub fn policy(&self, policy: Policy) -> Policy {
        let millisecond = Span::from_ms(1);
        Policy {
            ttl: Ttl::Of(Self::ticks(self.ttl) - millisecond),
            node_timeout: Self::ticks(self.node_timeout),
            drift: Drift { permille: 0, constant: Self::ticks(self.margin) - millisecond },
            retry: Retry { retries: 0, delay: Self::TICK, jitter: Span::ZERO },
            ..policy
        }
    }

    /// The world of this scope.
    pub fn setup(&self, policy: Policy) -> Setup {
        let policy = Arc::new(self.policy(policy));
        let node = NodeSetup::plain(Compat::V72);
        let workload = Workload {
            task: Task::Hold { writes: 0 },
            extend: Extend::At(Vec::new()),
            cycles: Workload::ENDLESS,
            work: Length::Of(Self::ticks(self.work)),
            patience: Span::ZERO,
            again: Self::TICK,
            think: Length::Of(Self::TICK),
            holder: self.holder,
            ack: Ack::Await,
        };
        let client = ClientSetup { policy, start: WorldTime::ZERO, offset: Span::ZERO, workload };
        Setup {
            key: Bytes::from_static(b"resource"),
            nodes: vec![node; usize::from(self.nodes)],
            clients: vec![client; usize::from(self.clients)],
            store: StoreSetup { mode: StoreMode::Plain, stock: 0 },
            plan: Plan::empty(),
            connections: Connections::Open,
            on_timeout: OnTimeout::Keep,
            limit: WorldTime(u64::MAX >> 1),
            settle: Span::ZERO,
            latency_max: Self::ticks(i64::from(self.delay)),
        }
    }
}
