//! `rds_lock` 1.0.5 in its write mode, with its defaults: a TTL of 3 s, prolonged every second by a task, tried for 1 s.

use super::dialing::for_032::Dialing;
use super::{Published, RENEWED, RENEWED_REPLICA, cycles, work};
use ::rds_lock::{Locker, Mode};
use fencepost::async_sim::{Code, Sim, Trial};
use fencepost::lock::Until;
use std::time::Duration;

pub(super) const PUBLISHED: Published = Published {
    name: "rds_lock",
    version: "1.0.5",
    about: "one node; a script sets the key, a task prolongs it every second; on redis-rs 0.32",
    stated: "no deadline, and no loss: `lock` returns a future that unlocks, nothing else",
    assumed: "its holder believes until it releases. The future that unlocks runs as a task of its own, because it \
              panics once the task that prolongs has ended",
    frame: RENEWED,
    replicated: RENEWED_REPLICA,
    code,
    gives_up: true,
};

fn code(trial: Trial) -> Code {
    trial
        .named("rds_lock 1.0.5")
        .ttl(Duration::from_secs(3))
        .renewal(Duration::from_secs(1))
        // `rty_to` ends a call after 1 s, on a timer of whole milliseconds.
        .call_max(Duration::from_millis(1_002))
        .wall_clock_unread()
        .client(client)
}

async fn client(sim: Sim) {
    let connection = Dialing::new(&sim, 0);
    cycles(&sim, async |number| {
        let acquire = Locker::new(connection.clone()).mode(&Mode::W).lock(sim.key());
        let inside = async |_: &mut _| work(&sim, number).await;
        sim.hold(acquire)
            .until(|_| Until::Released)
            .work_then(inside, async |unlock| match tokio::spawn(unlock).await {
                Ok(unlocked) => unlocked.map_err(|error| error.to_string()),
                Err(panicked) => Err(panicked.to_string()),
            })
            .await
    })
    .await;
}
