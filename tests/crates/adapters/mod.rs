//! Published lock crates, unmodified, as code of clients: one adapter per crate, shared by the tests and the report.
//!
//! An adapter gives a crate its connections, calls it, and says what a grant means. It adds nothing that the crate does
//! not do; where the crate leaves something open, the adapter says what is assumed. Must not judge.

mod async_redis_lock;
mod dialing;
mod distributed_lock_redis;
mod rds_lock;
pub(crate) mod redis_lock;
mod redsync;
mod rlock;
mod rslock;

use fencepost::async_sim::{self, Code, NotGranted, Sim, Trial};
use std::pin::pin;
use std::time::Duration;

/// A crate, and how it is run.
pub(crate) struct Published {
    /// Its name in the registry, and its version.
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// What it is, in a line.
    pub(crate) about: &'static str,
    /// What it states to its caller.
    pub(crate) stated: &'static str,
    /// What is assumed where it states nothing, and what the adapter adds.
    pub(crate) assumed: &'static str,
    /// The frame that it is run in, and the one for faults that need replicas.
    pub(crate) frame: Frame,
    pub(crate) replicated: Frame,
    /// Gives the clients of a scenario its code.
    pub(crate) code: fn(Trial) -> Code,
    /// Whether a call of acquire can be given up: code that blocks cannot.
    pub(crate) gives_up: bool,
}

/// A scenario whose lock gives way to a crate.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

/// All of them.
pub(crate) const ALL: [&Published; 7] = [
    &rds_lock::PUBLISHED,
    &async_redis_lock::PUBLISHED,
    &rlock::PUBLISHED,
    &redis_lock::PUBLISHED,
    &redsync::PUBLISHED,
    &rslock::PUBLISHED,
    &distributed_lock_redis::PUBLISHED,
];

impl Published {
    /// The crate in a scenario of this text.
    pub(crate) fn in_text(&self, name: &str, text: &str) -> Code {
        (self.code)(async_sim::scenario_text(name, text))
    }

    /// How the names of its files begin.
    pub(crate) fn stem(&self) -> String {
        format!("{}-", self.name.replace('_', "-"))
    }

    /// The crate in a frame.
    pub(crate) fn in_frame(&self, frame: Frame) -> Trial {
        async_sim::scenario_text(frame.name, frame.text)
    }
}

const RENEWED: Frame =
    Frame { name: "renewed", text: include_str!("../../../scenarios/crates/renewed.toml") };
const RENEWED_REPLICA: Frame =
    Frame { name: "renewed-replica", text: include_str!("../../../scenarios/crates/renewed-replica.toml") };
const FIVE: Frame = Frame { name: "five", text: include_str!("../../../scenarios/crates/five.toml") };
const THREE_GROUPS: Frame =
    Frame { name: "three-groups", text: include_str!("../../../scenarios/crates/three-groups.toml") };

/// The cycles that the scenario wants: each calls until it is granted or its patience is over.
async fn cycles<T, E>(sim: &Sim, mut cycle: impl AsyncFnMut(u32) -> Result<T, NotGranted<E>>) {
    let workload = sim.workload().clone();
    for number in 0..workload.cycles {
        let patience = sim.now().mono + workload.patience;
        while cycle(number).await.is_err() && sim.now().mono < patience {
            sim.sleep_until(sim.now().mono + workload.again).await;
        }
        sim.sleep(sim.think(number)).await;
    }
}

/// The work of a cycle: a write at its end, whose answer is awaited.
async fn work(sim: &Sim, number: u32) {
    sim.sleep(sim.work(number)).await;
    // Whether the store took it is the store's to judge.
    let _ = sim.store().write().await;
}

/// The same beside a future that ends when the lock tells that its hold is lost.
async fn work_until_told(sim: &Sim, number: u32, lost: impl Future<Output = ()>) {
    let mut work = pin!(work(sim, number));
    tokio::select! {
        biased;
        () = &mut work => return,
        () = lost => sim.lost(),
    }
    work.await;
}

/// What connects, once it does: tried every two seconds, for whoever leaves connections behind has few of them in a run.
async fn again<T, E>(sim: &Sim, connect: impl AsyncFn() -> Result<T, E>) -> T {
    loop {
        match connect().await {
            Ok(connected) => return connected,
            Err(_) => sim.sleep(Duration::from_secs(2)).await,
        }
    }
}
