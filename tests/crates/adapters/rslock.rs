//! `rslock` 0.7.4: Redlock over clients of redis-rs 0.32, which connect by themselves.
//!
//! As it comes: three attempts per call, up to 200 ms between them, no time limit for a node.

use super::{FIVE, Published, THREE_GROUPS, cycles, work};
use ::rslock::{Lock, LockManager};
use fencepost::async_sim::{Code, Sim, Trial};
use std::time::Duration;

pub(super) const PUBLISHED: Published = Published {
    name: "rslock",
    version: "0.7.4",
    about: "Redlock: SET NX PX on all nodes at once, waits for every answer, three attempts per call; on redis-rs 0.32",
    stated: "`Lock::validity_time`, how many milliseconds the lock is valid from when it is returned",
    assumed: "its holder believes for that long. The TTL is 10 s, which it has no default for. `extend` and `using`, which \
              prolong, did not run",
    frame: FIVE,
    replicated: THREE_GROUPS,
    code,
    gives_up: true,
};

const TTL: Duration = Duration::from_secs(10);

fn code(trial: Trial) -> Code {
    trial.named("rslock 0.7.4").ttl(TTL).wall_clock_unread().sockets().client(client)
}

async fn client(sim: Sim) {
    let manager = LockManager::new((0..sim.nodes()).map(|node| sim.url(node)).collect());
    let key = sim.key();
    cycles(&sim, async |number| {
        let acquire = manager.lock(key.as_bytes(), TTL);
        let inside = async |_: &mut Lock| work(&sim, number).await;
        let until = |lock: &Lock| sim.lasting(Duration::from_millis(lock.validity_time as u64));
        let hold = sim.hold(acquire).until(until);
        hold.work_then(inside, async |lock| {
            manager.unlock(&lock).await;
            // It does its best, and tells nobody how that went.
            Err::<(), ()>(())
        })
        .await
    })
    .await;
}
