//! `async-redis-lock` 0.4.0 with its defaults: a TTL of 3 s, prolonged every second by a task, tried for 1 s; on redis-rs 1.
//!
//! Its documentation has the holder ask `is_lost` before it commits; here it asks all the time, so that what it is told does not
//! hang on when it asks.

use super::{Published, RENEWED, RENEWED_REPLICA, again, cycles, work_until_told};
use ::async_redis_lock::{Lock, Locker, Options};
use fencepost::async_sim::{Code, Sim, Trial};
use fencepost::lock::Until;
use std::time::Duration;

pub(super) const PUBLISHED: Published = Published {
    name: "async-redis-lock",
    version: "0.4.0",
    about: "one node; a script sets the key, a task prolongs it every second, by a connection manager of redis-rs 1",
    stated: "no deadline; `is_lost` says whether its task has found the key gone, or has not prolonged it for a TTL",
    assumed: "its holder believes until it releases or is told: it asks every 10 ms, and works on all the same",
    frame: RENEWED,
    replicated: RENEWED_REPLICA,
    code,
    gives_up: true,
};

fn code(trial: Trial) -> Code {
    let Options { ttl, extend, operation_timeout, .. } = Options::default();
    let trial =
        trial.named("async-redis-lock 0.4.0").ttl(ttl).renewal(extend).node_timeout(operation_timeout);
    trial.wall_clock_unread().sockets().client(client)
}

async fn client(sim: Sim) {
    let locker = again(&sim, async || Locker::from_redis_url(&sim.url(0)).await).await;
    cycles(&sim, async |number| {
        let inside = async |lock: &mut Lock| {
            let lost = async {
                while !lock.is_lost() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            };
            work_until_told(&sim, number, lost).await;
        };
        let hold = sim.hold(locker.acquire(sim.key())).until(|_| Until::Lost);
        hold.work_then(inside, async |lock| lock.release().await).await
    })
    .await;
}
