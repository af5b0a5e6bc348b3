//! `rlock` 0.2.0: one node, a guard that renews at half of its TTL and knows when its lease is over; on redis-rs 1.
//!
//! A TTL of 3 s, that of the frame, instead of 10 s; everything else as it comes: a call waits until it is granted.

use super::{Published, RENEWED, RENEWED_REPLICA, again, cycles, work_until_told};
use ::rlock::AcquireOptions;
use ::rlock::async_lock::{RLock, RLockGuard};
use fencepost::async_sim::{Code, Sim, Trial};
use fencepost::lock::Until;
use fencepost::time::{MonoTime, Span};
use std::time::Duration;
use tokio::time::Instant;

pub(super) const PUBLISHED: Published = Published {
    name: "rlock",
    version: "0.2.0",
    about: "one node; SET NX PX every 100 ms until it is granted, a task prolongs it at half of its TTL; on redis-rs 1",
    stated: "a state to ask for, which is *active* up to a deadline, and a future that ends when it no longer is",
    assumed: "its holder believes while the state would be *active*: up to the deadline, which the debug output of the guard \
              shows. It awaits that future beside the work, and works on all the same. Its TTL is set to 3 s; by default it is 10 s",
    frame: RENEWED,
    replicated: RENEWED_REPLICA,
    code,
    gives_up: true,
};

const TTL: Duration = Duration::from_secs(3);
/// The limit that redis-rs 1 has for a reply by default.
const RESPONSE_MAX: Duration = Duration::from_millis(500);

fn code(trial: Trial) -> Code {
    let trial = trial.named("rlock 0.2.0").ttl(TTL).renewal(TTL / 2).node_timeout(RESPONSE_MAX);
    trial.wall_clock_unread().sockets().client(client)
}

async fn client(sim: Sim) {
    let manager = again(&sim, async || RLock::new(sim.url(0)).await).await;
    let options = AcquireOptions::builder().ttl(TTL).build().expect("options that fit");
    cycles(&sim, async |number| {
        let acquire = manager.acquire_mutex_with_options(sim.key(), options.clone());
        let inside = async |guard: &mut RLockGuard| {
            let lost = async {
                tokio::select! {
                    biased;
                    _ = guard.wait_until_inactive() => {}
                    () = follow(&sim, guard) => {}
                }
            };
            work_until_told(&sim, number, lost).await;
        };
        let hold = sim.hold(acquire).until(|guard| Until::Mono(end(&sim, guard)));
        hold.work_then(inside, async |mut guard| guard.release().await).await
    })
    .await;
}

/// The end of the lease as the guard knows it now: a later one if its task has prolonged it.
fn end(sim: &Sim, guard: &RLockGuard) -> MonoTime {
    let lease = format!("{guard:?}");
    let (_, began) = lease.rsplit_once("start: ").expect("a lease has a beginning");
    let passed = shown(&format!("{:?}", Instant::now().into_std())).saturating_sub(shown(began));
    sim.now().mono + Span(TTL.as_micros() as i64) - Span(passed.as_micros() as i64)
}

/// The moment that an `Instant` shows, since a beginning that all of them share.
fn shown(instant: &str) -> Duration {
    let number = |name: &str| {
        let (_, behind) = instant.split_once(name).expect("an instant is shown by seconds and nanoseconds");
        let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().expect("digits are a number")
    };
    Duration::new(number("tv_sec: "), number("tv_nsec: ") as u32)
}

/// Tells of every later end, at most 10 ms after the guard knows it: from when its task asks for one on.
async fn follow(sim: &Sim, guard: &RLockGuard) {
    let mut told = end(sim, guard);
    loop {
        let asks = told - sim.now().mono - Span(TTL.as_micros() as i64 / 2);
        let wait = Duration::from_micros(asks.0.max(10_000) as u64);
        tokio::time::sleep(wait).await;
        let now = end(sim, guard);
        // The two clocks that this is computed from part by less.
        if now > told + Span::from_ms(1) {
            let _ = sim.extend(async { Ok::<_, ()>(()) }, |()| Until::Mono(now)).await;
            told = now;
        }
    }
}
