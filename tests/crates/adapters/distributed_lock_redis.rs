//! `distributed-lock-redis` 0.2.0: Redlock, prolonged by a task, over clients of `fred` 9 that connect by themselves.
//!
//! A TTL of 10 s, that of the frame, instead of 30 s, and its other two times in the same ratio to it. Clients are those that
//! it makes itself from addresses, without a policy to connect again.

use super::{FIVE, Published, THREE_GROUPS, again, cycles, work_until_told};
use ::distributed_lock_redis::{RedisLockHandle, RedisLockProvider};
use distributed_lock_core::traits::{DistributedLock, LockHandle, LockProvider};
use fencepost::async_sim::{Code, Sim, Trial};
use fencepost::lock::Until;
use std::time::Duration;

pub(super) const PUBLISHED: Published = Published {
    name: "distributed-lock-redis",
    version: "0.2.0",
    about: "Redlock: SET NX PX on all nodes at once, a quorum decides, one attempt per call whatever its timeout, and a call that \
            fails takes nothing back; a task prolongs every third of the TTL; on fred 9",
    stated: "no deadline; `lost_token`, a channel that says when its task could not prolong it",
    assumed: "its holder believes until it releases or that channel says something or ends, which it awaits beside the work, \
              and works on all the same. Its TTL is set to 10 s, and the rest to scale; by default it is 30 s. It is given \
              addresses: the clients that it makes of them have no policy to connect again. It also takes clients of the \
              caller's own, which did not run",
    frame: FIVE,
    replicated: THREE_GROUPS,
    code,
    gives_up: true,
};

const TTL: Duration = Duration::from_secs(10);
const EVERY: Duration = Duration::from_millis(3_333);
const VALIDITY: Duration = Duration::from_secs(9);

fn code(trial: Trial) -> Code {
    let trial =
        trial.named("distributed-lock-redis 0.2.0").key(|resource| format!("distributed-lock:{resource}"));
    // A call, and an extension, end by what is left of the TTL above the validity, on a timer of whole milliseconds.
    let limit = TTL - VALIDITY;
    let trial = trial.ttl(TTL).renewal(EVERY).node_timeout(limit).call_max(limit + Duration::from_millis(2));
    trial.wall_clock_unread().sockets().client(client)
}

async fn client(sim: Sim) {
    let urls: Vec<String> = (0..sim.nodes()).map(|node| sim.url(node)).collect();
    let provider = again(&sim, async || {
        let builder = RedisLockProvider::builder().urls(&urls).expiry(TTL);
        builder.extension_cadence(EVERY).min_validity(VALIDITY).build().await
    })
    .await;
    cycles(&sim, async |number| {
        let lock = provider.create_lock(&sim.key());
        let inside = async |handle: &mut RedisLockHandle| {
            let mut lost = handle.lost_token().clone();
            work_until_told(&sim, number, async { drop(lost.changed().await) }).await;
        };
        let hold = sim.hold(lock.acquire(None)).until(|_| Until::Lost);
        hold.work_then(inside, async |handle| handle.release().await).await
    })
    .await;
}
