//! `redis-lock` 0.5.1, `lock_across`: Redlock over connections of any kind, around a future.
//!
//! Its TTL is 10 ms unless one is given, so one is given; `DEFAULTS` is the crate as it comes.

use super::dialing::for_027::Dialing;
use super::{FIVE, Published, THREE_GROUPS, cycles, work};
use ::redis_lock::{LockAcrossOptions, lock_across};
use fencepost::async_sim::{Code, Sim, Trial};
use fencepost::lock::Until;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

pub(super) const PUBLISHED: Published = Published {
    name: "redis-lock",
    version: "0.5.1",
    about: "`lock_across`: SET NX PX on all nodes at once, a quorum decides, tried for 10 s; on redis-rs 0.27",
    stated: "no deadline: it computes a validity and does not give it to the work",
    assumed: "its holder believes until the work is over. Its TTL is set to 10 s; by default it is 10 ms",
    frame: FIVE,
    replicated: THREE_GROUPS,
    code,
    gives_up: true,
};

/// As it comes, with a TTL of 10 ms.
pub(crate) const DEFAULTS: Published = Published {
    name: "redis-lock, its defaults",
    assumed: "its holder believes until the work is over. Nothing is set",
    code: defaults,
    ..PUBLISHED
};

fn code(trial: Trial) -> Code {
    with(trial.named("redis-lock 0.5.1"), Duration::from_secs(10))
}

fn defaults(trial: Trial) -> Code {
    with(trial.named("redis-lock 0.5.1 as it comes"), LockAcrossOptions::default().ttl)
}

fn with(trial: Trial, ttl: Duration) -> Code {
    let trial = trial.key(|resource| format!("redlock:{resource}")).ttl(ttl).wall_clock_unread();
    trial.client(move |sim| client(sim, ttl))
}

async fn client(sim: Sim, ttl: Duration) {
    let nodes = 0..sim.nodes();
    let connections: Vec<_> = nodes.map(|node| Arc::new(Mutex::new(Dialing::new(&sim, node)))).collect();
    let (connections, key) = (&connections, sim.key());
    cycles(&sim, async |number| {
        let options = LockAcrossOptions { ttl, ..LockAcrossOptions::default() };
        let worker = sim.clone();
        let work = async move { work(&worker, number).await };
        sim.enclosed(|inside| {
            let inside = async move { inside.work(|| Until::Released, work).await };
            lock_across(connections, &key, inside, options)
        })
        .await
    })
    .await;
}
