//! One source, twice: a lock with a watchdog, written once for tokio, compiled on tokio and on `madsim-tokio`.
//!
//! It uses what such code uses: tasks, intervals, timeouts, `select!`, channels, mutexes. Must not know on which of
//! the two it runs: moments may differ by the roundings of their timers, what happens may not.

use super::ground::{Notes, millis, world};
use fencepost::async_sim::{Code, Sim, Trial};
use fencepost::check::Outcome;
use fencepost::sim::RunResult;
use redis::aio::MultiplexedConnection;
use redis::{RedisResult, Script};
use std::sync::Arc;
use std::time::Duration;

const TTL: Duration = millis(2_000);

macro_rules! watchdog_lock {
    ($module:ident, $tokio:ident) => {
        mod $module {
            use super::*;
            use $tokio::sync::{Mutex, oneshot, watch};
            use $tokio::task::JoinHandle;
            use $tokio::time::{MissedTickBehavior, interval, sleep, timeout};

            /// A hold that a task prolongs.
            pub(super) struct Held {
                connection: Arc<Mutex<MultiplexedConnection>>,
                key: String,
                nonce: String,
                stop: oneshot::Sender<()>,
                lost: watch::Receiver<bool>,
                watchdog: JoinHandle<u32>,
            }

            async fn ask<T: redis::FromRedisValue>(
                connection: &Mutex<MultiplexedConnection>,
                script: &str,
                (key, nonce): (&str, &str),
            ) -> RedisResult<T> {
                let script = Script::new(script);
                let mut call = script.key(key);
                call.arg(nonce).arg(TTL.as_millis() as u64);
                call.invoke_async(&mut *connection.lock().await).await
            }

            /// Asks every 100 ms, for up to 5 s.
            pub(super) async fn takes(sim: &Sim) -> Result<Held, String> {
                let connection = Arc::new(Mutex::new(sim.redis(0).await));
                let (key, nonce) = (sim.key(), format!("{:016x}", sim.draw().nonce.0));
                let asked = timeout(Duration::from_secs(5), async {
                    loop {
                        let script = "return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])";
                        match ask::<Option<String>>(&connection, script, (&key, &nonce)).await {
                            Ok(Some(_)) => return Ok(()),
                            Ok(None) => sleep(millis(100)).await,
                            Err(error) => return Err(error.to_string()),
                        }
                    }
                });
                asked.await.map_err(|_| "late".to_owned())??;
                let (stop, stopped) = oneshot::channel();
                let (lose, lost) = watch::channel(false);
                let watched = (Arc::clone(&connection), key.clone(), nonce.clone());
                let watchdog = $tokio::spawn(watch_over(watched, stopped, lose));
                Ok(Held { connection, key, nonce, stop, lost, watchdog })
            }

            /// Prolongs every third of the TTL until it is stopped or the hold is gone; how often it did.
            async fn watch_over(
                (connection, key, nonce): (Arc<Mutex<MultiplexedConnection>>, String, String),
                mut stopped: oneshot::Receiver<()>,
                lose: watch::Sender<bool>,
            ) -> u32 {
                let mut ticks = interval(TTL / 3);
                ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
                // The first comes at once.
                ticks.tick().await;
                let mut prolonged = 0;
                loop {
                    $tokio::select! {
                        _ = &mut stopped => return prolonged,
                        _ = ticks.tick() => {}
                    }
                    let script = "if redis.call('get', KEYS[1]) == ARGV[1] then \
                                  return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0";
                    match ask::<i64>(&connection, script, (&key, &nonce)).await {
                        Ok(1) => prolonged += 1,
                        Ok(_) | Err(_) => {
                            let _ = lose.send(true);
                            return prolonged;
                        }
                    }
                }
            }

            /// Works until it is done or the hold is lost; whether it was.
            pub(super) async fn works(held: &mut Held, work: Duration) -> bool {
                $tokio::select! {
                    () = sleep(work) => {}
                    _ = held.lost.changed() => {}
                }
                *held.lost.borrow()
            }

            /// How often the hold was prolonged, and whether it was still there.
            pub(super) async fn gives_back(held: Held) -> (u32, Option<i64>) {
                let _ = held.stop.send(());
                let prolonged = held.watchdog.await.expect("the watchdog does not panic");
                let script = "if redis.call('get', KEYS[1]) == ARGV[1] then \
                              return redis.call('del', KEYS[1]) end return 0";
                let deleted = ask(&held.connection, script, (&held.key, &held.nonce)).await;
                (prolonged, deleted.ok())
            }

            pub(super) async fn client(sim: Sim, notes: Notes) {
                for cycle in 0..2 {
                    let said = (sim.clone(), notes.clone());
                    let work = async |held: &mut Held| {
                        let lost = works(held, millis(2_500)).await;
                        if lost {
                            sim.lost();
                        }
                        let _ = sim.store().write().await;
                        said.1.add(format!("client {} cycle {cycle} lost {lost}", sim.client()));
                    };
                    let back = async |held| {
                        let back = gives_back(held).await;
                        said.1.add(format!("client {} cycle {cycle} {back:?}", sim.client()));
                        back.1.ok_or(())
                    };
                    let hold = sim.hold(takes(&sim)).until(|_| fencepost::lock::Until::Released);
                    let done = hold.work_then(work, back).await;
                    notes.add(format!("client {} cycle {cycle} {}", sim.client(), done.is_ok()));
                    sim.sleep(millis(300)).await;
                }
            }
        }
    };
}

watchdog_lock!(on_tokio, tokio);
watchdog_lock!(on_madsim, madsim_tokio);

/// What each client noted, in its own order, and the run.
fn noted(code: impl FnOnce(Trial, Notes) -> Code, plan: &str) -> (Vec<Vec<String>>, RunResult) {
    let notes = Notes::default();
    let result = code(world(2, 1, plan).renewal(TTL / 3), notes.clone()).run();
    let noted = notes.of_both();
    let of = |client: usize| {
        let mine = format!("client {client} ");
        noted.iter().filter(|note| note.starts_with(&mine)).cloned().collect()
    };
    ((0..2).map(of).collect(), result)
}

/// How every oracle ended, without the moments.
fn verdicts(result: &RunResult) -> Vec<String> {
    let word = |outcome| match outcome {
        Outcome::Violated(_) => "violated",
        Outcome::Held => "held",
        Outcome::NotExercised | Outcome::NotApplicable => "not exercised",
    };
    result.outcomes.iter().map(|(oracle, outcome)| format!("{oracle} {}", word(*outcome))).collect()
}

/// The same is granted, prolonged, lost and judged, and it is what the plan leads to: whether the first hold of client 1 is
/// lost before it knows, how often it is prolonged, how many keys its release deletes.
#[test]
fn code_for_madsim_tokio_does_what_it_does_on_tokio() {
    let pause =
        |ms| format!("pause = {{ at_ms = 1_000, of = \"client-1\", kind = \"stop\", for_ms = {ms} }}");
    let cases = [
        (String::new(), "lost false", "(3, Some(1))", "promise-overlap held"),
        (pause(800), "lost false", "(3, Some(1))", "promise-overlap held"),
        // Longer than the TTL: its timer of the work and its watchdog's come due together, and the work is over.
        (pause(4_000), "lost false", "(1, Some(0))", "promise-overlap violated"),
        (
            "evict = { at_ms = 500, of = \"node-1\" }".to_owned(),
            "lost true",
            "(0, Some(0))",
            "promise-overlap violated",
        ),
        (
            r#"cut = { at_ms = 1_000, between = ["client-1", "node-1"], direction = "both", how = "reset", for_ms = 5_000 }"#
                .to_owned(),
            "lost true",
            "(1, None)",
            "promise-overlap held",
        ),
        (
            "crash = { at_ms = 1_000, of = \"client-1\", for_ms = 500 }".to_owned(),
            "lost false",
            "(3, Some(1))",
            "promise-overlap held",
        ),
    ];
    for (plan, lost, back, verdict) in cases {
        let plan = if plan.is_empty() { plan } else { format!("[[plan]]\n{plan}") };
        let tokio =
            noted(|trial, notes| trial.client(move |sim| on_tokio::client(sim, notes.clone())), &plan);
        let madsim = noted(
            |trial, notes| trial.madsim_client(move |sim| on_madsim::client(sim, notes.clone())),
            &plan,
        );
        assert_eq!(madsim.0, tokio.0, "{plan}");
        assert_eq!(verdicts(&madsim.1), verdicts(&tokio.1), "{plan}");
        let first = [lost, back].map(|what| format!("client 0 cycle 0 {what}"));
        assert_eq!(tokio.0[0][..2], first, "{plan}");
        assert!(verdicts(&tokio.1).iter().any(|found| found == verdict), "{plan}: not {verdict}");
    }
}
