//! A call of acquire that is given up: futures dropped at each of their awaits, and what the shipped cores do.
//!
//! Must not assume that a lock cleans up: whether it does is what *leak* judges.

use super::ground::{Notes, count, millis, noted, panics, world};
use super::lock::{self, gives_back, takes};
use fencepost::async_sim::{NotGranted, Sim};
use fencepost::check::{OracleName, Outcome};
use fencepost::history::Fact;
use fencepost::lock::RefuseReason;
use fencepost::scenario::{Locator, Scenario, find, parse};
use fencepost::sim::{Explorer, Keep, RunResult};
use redis::AsyncCommands;

fn outcome(result: &RunResult, name: OracleName) -> Option<&Outcome> {
    result.outcomes.iter().find(|(oracle, _)| *oracle == name).map(|(_, outcome)| outcome)
}

fn is_violated(result: &RunResult, name: OracleName) -> bool {
    matches!(outcome(result, name), Some(Outcome::Violated(_)))
}

fn cancelled(fact: &Fact) -> bool {
    matches!(fact, Fact::Refused { why: RefuseReason::Cancelled, .. })
}

async fn calls(sim: Sim, notes: Notes) {
    let hold = sim.hold(takes(sim.clone()));
    let done =
        hold.work_then(async |_| sim.sleep(millis(100)).await, async |held| gives_back(held).await).await;
    match done {
        Err(NotGranted::Cancelled) => notes.say(&sim, "given up"),
        Err(NotGranted::Refused(error)) => notes.say(&sim, error),
        Ok(_) => notes.say(&sim, "done"),
    }
}

/// The awaits of the small lock: the connection, the handshake of redis-rs, SET, and INCR. From the third on its key
/// stays behind, for nobody takes it back.
#[test]
fn a_call_is_given_up_at_exactly_the_await_that_the_plan_says() {
    let cases = [
        ("after = \"client-1#1:await.1\"", "0 given up", Some(false)),
        ("after = \"client-1#1:await.2\"", "20 given up", Some(false)),
        ("after = \"client-1#1:await.3\"", "40 given up", Some(true)),
        ("after = \"client-1#1:await.4\"", "60 given up", Some(true)),
        ("after = \"client-1#1:await.5\"", "240 done", None),
        ("at_ms = 45", "45 given up", Some(true)),
        ("at_ms = 90", "240 done", None),
        ("at_ms = 30_000", "240 done", None),
    ];
    for (when, expected, leaks) in cases {
        let plan = format!("[[plan]]\ncancel = {{ {when}, of = \"client-1\" }}");
        let trial = world(1, 1, &plan).node_timeout(millis(100));
        let (notes, result) = noted(trial, calls);
        assert_eq!(notes, [expected], "{when}");
        assert_eq!(count(&result, cancelled), usize::from(leaks.is_some()), "{when}");
        assert_eq!(result.unmet.faults, if leaks.is_some() { vec![] } else { vec![0] }, "{when}");
        if let Some(leaks) = leaks {
            assert_eq!(is_violated(&result, OracleName::Leak), leaks, "{when}");
        }
    }
}

/// Takes its key back when it is dropped before it is done.
struct Undo {
    sim: Sim,
    nonce: Option<String>,
}

impl Drop for Undo {
    fn drop(&mut self) {
        let (Some(nonce), sim) = (self.nonce.take(), self.sim.clone()) else { return };
        tokio::spawn(async move {
            let mut connection = sim.redis(0).await;
            let script = redis::Script::new(
                "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0",
            );
            let _: redis::RedisResult<i64> =
                script.key(sim.key()).arg(nonce).invoke_async(&mut connection).await;
        });
    }
}

#[test]
fn a_lock_that_cleans_up_leaves_nothing_behind() {
    for at in 1..=3 {
        let plan = format!("[[plan]]\ncancel = {{ after = \"client-1#1:await.{at}\", of = \"client-1\" }}");
        let trial = world(1, 1, &plan).node_timeout(millis(100));
        let (notes, result) = noted(trial, async |sim: Sim, notes: Notes| {
            let acquire = async {
                let mut undo = Undo { sim: sim.clone(), nonce: Some(format!("{:016x}", sim.draw().nonce.0)) };
                let mut connection = sim.redis(0).await;
                let set: redis::RedisResult<()> =
                    connection.set(sim.key(), undo.nonce.as_deref().unwrap_or_default()).await;
                undo.nonce = None;
                set
            };
            let done = sim.section(acquire, async |_: &mut ()| ()).await;
            notes.add(format!("{done:?}"));
        });
        assert_eq!(notes, ["Err(Cancelled)"], "await {at}");
        assert!(!is_violated(&result, OracleName::Leak), "await {at}");
        assert!(!is_violated(&result, OracleName::Orphan), "await {at}");
    }
}

/// Whoever is given up calls again, and is granted once the key that it left behind is gone.
#[test]
fn a_caller_that_was_given_up_calls_again() {
    let plan = "[[plan]]\ncancel = { after = \"client-1#1:await.3\", of = \"client-1\" }";
    let (notes, result) = noted(world(2, 1, plan), async |sim: Sim, notes: Notes| {
        sim.sleep(millis(100 * sim.client() as u64)).await;
        for _ in 0..2 {
            calls(sim.clone(), notes.clone()).await;
        }
    });
    // The key lives from 50 ms to 2 050 ms, and one millisecond longer.
    assert_eq!(notes[0], "40 given up");
    assert_eq!(notes.len(), 4);
    assert!(notes[1..].iter().all(|note| note.ends_with("done")), "{notes:?}");
    assert_eq!(count(&result, |fact| matches!(fact, Fact::SectionEntered { .. })), 3);
    assert!(!is_violated(&result, OracleName::SectionOverlap));
}

/// A lock that takes the work as a future is given up until its work begins, not after.
#[test]
fn a_call_that_holds_is_not_given_up() {
    let cases = [("at_ms = 45", "Err(Cancelled)"), ("at_ms = 100", "Ok(())")];
    for (when, expected) in cases {
        let plan = format!("[[plan]]\ncancel = {{ {when}, of = \"client-1\" }}");
        let (notes, result) = noted(world(1, 1, &plan), async |sim: Sim, notes: Notes| {
            let done = sim
                .enclosed(|inside| {
                    let sim = sim.clone();
                    async move {
                        let held = takes(sim.clone()).await?;
                        inside.work(|| fencepost::lock::Until::Untold, sim.sleep(millis(100))).await;
                        gives_back(held).await.map(drop).map_err(|error| error.to_string())
                    }
                })
                .await;
            notes.add(format!("{done:?}"));
        });
        assert_eq!(notes, [expected], "{when}");
        assert_eq!(result.unmet.faults.is_empty(), expected.starts_with("Err"), "{when}");
    }
}

/// A cancellation that hits nobody did not take effect, and a test that asked for it fails.
#[test]
fn a_cancellation_that_hits_nobody_is_told() {
    let plan = "[[plan]]\ncancel = { at_ms = 5_000, of = \"client-1\" }";
    let text = panics(|| {
        world(2, 1, plan)
            .client(async |sim: Sim| {
                let _ = sim
                    .section(takes(sim.clone()), async |_: &mut lock::Held| sim.sleep(millis(500)).await)
                    .await;
            })
            .assert_holds(["section-overlap"])
    });
    assert!(text.contains("ground: not as expected: planned fault 1 never took effect\n"), "{text}");
}

fn shipped(name: &str) -> &'static str {
    let Ok(Locator::Shipped { text, .. }) = find(name) else { panic!("{name} is not shipped") };
    text
}

/// A shipped scenario whose first client gives up its first call so long after it began.
fn giving_up(name: &str, at_us: u32) -> Scenario {
    let plan = format!("\n[[plan]]\ncancel = {{ at_us = {at_us}, of = \"client-1\" }}\n");
    let text = format!("{}{plan}", shipped(name));
    let scenario = parse(name, &text).unwrap_or_else(|error| panic!("{error}"));
    Scenario { expect: None, ..scenario }
}

/// Whatever a call has done when it is given up, the shipped cores end it as cancelled. Those that ask a quorum, wait or
/// take several locks leave no key behind; those of Redisson's kind do, as Redisson does (redisson #2714).
#[test]
fn the_shipped_cores_end_a_call_that_is_given_up() {
    let names = [
        ("calm-single", false),
        ("calm-redlock", false),
        ("multi-calm", false),
        ("read-write-calm", false),
        ("signal-calm", false),
        ("fair-calm", true),
        ("fenced-calm", true),
        ("redisson-calm", true),
        ("reentrant-calm", true),
        ("spin-calm", true),
    ];
    for (name, leaves) in names {
        let (mut hit, mut left) = (0, 0);
        for at_us in (0..6_000).step_by(97) {
            let scenario = giving_up(name, at_us);
            let result = Explorer::new(&scenario).run(scenario.seed, Keep::Records);
            let took_effect = result.unmet.faults.is_empty();
            hit += u32::from(took_effect);
            left += u32::from(is_violated(&result, OracleName::Leak));
            assert_eq!(count(&result, cancelled), usize::from(took_effect), "{name}, {at_us} us");
            let never = [
                OracleName::PromiseOverlap,
                OracleName::SectionOverlap,
                OracleName::ForeignChange,
                OracleName::Orphan,
                OracleName::Stuck,
                OracleName::Unavailable,
            ];
            for oracle in never {
                assert!(!is_violated(&result, oracle), "{name}, {at_us} us: {oracle:?}");
            }
        }
        assert!(hit > 0, "{name}: no call was ever given up");
        assert_eq!(left > 0, leaves, "{name}: {left} of {hit} left a key behind");
    }
}

#[test]
fn an_entry_that_makes_no_sense_is_an_error_with_its_place() {
    let cases = [
        ("cancel = { of = \"client-1\" }", "at_ms"),
        ("cancel = { at_ms = 1 }", "of"),
        ("cancel = { at_ms = 1, of = \"node-1\" }", "cancel"),
        ("cancel = { at_ms = 1, of = \"client-3\" }", "client-3"),
        ("cancel = { at_ms = 1, of = \"client-1\", for_ms = 5 }", "for_ms"),
        ("cancel = { at_ms = 1, after = \"client-1#1:await.1\", of = \"client-1\" }", "after"),
        ("cancel = { after = \"client-1#1:await.0\", of = \"client-1\" }", "client-1#1:await.0"),
        ("cancel = { after = \"client-1#1:await\", of = \"client-1\" }", "client-1#1:await"),
        ("cancle = { at_ms = 1, of = \"client-1\" }", "cancel"),
    ];
    for (entry, named) in cases {
        let text = panics(|| world(2, 1, &format!("[[plan]]\n{entry}")));
        assert!(text.contains(named) && text.starts_with("ground:"), "{entry}: {text}");
    }
}
