//! Odd schedules and odd code: no latency, no TTL, spinning, idling, deadlock.
//!
//! Must not hang: whatever never lets time pass ends in an error that says so.

use super::ground::{Notes, count, millis, noted, panics, text, world};
use super::lock::{self, gives_back, takes};
use fencepost::async_sim::{BlockingSim, Code, Sim, scenario_text};
use fencepost::check::Ending;
use fencepost::history::Fact;
use std::time::Duration;

async fn holds(sim: Sim, _: Notes) {
    for _ in 0..3 {
        let hold = sim.hold(takes(sim.clone())).until(|_| sim.lasting(millis(1_500)));
        let work = async |_: &mut lock::Held| sim.store().write().await;
        let done = hold.work_then(work, async |held| gives_back(held).await).await;
        assert!(done.is_ok());
    }
}

/// Messages that take no time at all: everything happens at one moment but for the waits.
#[test]
fn a_network_without_latency_is_one() {
    let (_, result) = noted(scenario_text("instant", &text(3, 1, "p0 = 0, p100 = 0", "")), holds);
    assert_eq!(count(&result, |fact| matches!(fact, Fact::Granted { .. })), 9);
    assert_eq!(result.ending, Ending::Settled);
    assert!(result.violations.is_empty(), "{:?}", result.violations);
}

#[test]
fn a_promise_of_nothing_is_empty() {
    let (_, result) = noted(world(1, 1, ""), async |sim: Sim, _| {
        let hold = sim.hold(takes(sim.clone())).until(|_| sim.lasting(Duration::ZERO));
        let _ = hold.work(async |_: &mut lock::Held| ()).await;
    });
    let violated: Vec<_> = result.violations.iter().map(|violation| violation.oracle).collect();
    assert!(violated.contains(&fencepost::check::OracleName::PromiseEmpty), "{violated:?}");
}

/// Many timers and tasks are no other than few.
#[test]
fn a_hundred_thousand_timers_fire_in_order() {
    let (notes, _) = noted(world(1, 1, ""), async |sim: Sim, notes: Notes| {
        let (sender, mut fired) = tokio::sync::mpsc::unbounded_channel();
        for number in 0..100_000_u64 {
            let sender = sender.clone();
            tokio::spawn(async move {
                tokio::time::sleep(millis(number % 1_000)).await;
                sender.send(number % 1_000).expect("somebody listens");
            });
        }
        drop(sender);
        let (mut last, mut all) = (0, 0);
        while let Some(at) = fired.recv().await {
            assert!(at >= last);
            (last, all) = (at, all + 1);
        }
        notes.say(&sim, all);
    });
    assert_eq!(notes, ["999 100000"]);
}

/// However often code is let go on at one moment, no time passes, and its clock shows none.
#[test]
fn what_takes_no_time_passes_none() {
    for kind in 0..5 {
        let (notes, result) = noted(world(1, 1, ""), move |sim: Sim, notes: Notes| async move {
            for _ in 0..2_000 {
                match kind {
                    0 => tokio::time::sleep(Duration::ZERO).await,
                    1 => sim.sleep(Duration::ZERO).await,
                    2 => sim.turn().await,
                    3 => tokio::task::yield_now().await,
                    _ => {
                        let _ = sim.section(async { Err::<(), _>(()) }, async |_: &mut ()| ()).await;
                        sim.turn().await;
                    }
                }
            }
            notes.say(&sim, sim.now().wall.0 - fencepost::time::ProcessClocks::WALL_START.0);
        });
        assert_eq!(notes, ["0 0"], "kind {kind}");
        assert_eq!(result.end.0, 2_500_000, "kind {kind}");
    }
}

/// Nobody wakes it: the run ends at its limit, inconclusive, and does not hang.
#[test]
fn a_deadlock_ends_at_the_limit() {
    let (notes, result) = noted(world(2, 1, ""), async |sim: Sim, notes: Notes| {
        notes.say(&sim, "waits");
        std::future::pending::<()>().await;
    });
    assert_eq!(notes, ["0 waits", "0 waits"]);
    assert_eq!((result.ending, result.end.0), (Ending::Limit, 60_000_000));
}

/// Tasks that go on for ever do not keep a run from ending: it settles once the code of all clients has ended.
#[test]
fn tasks_that_never_end_do_not_keep_a_run_going() {
    let (_, result) = noted(world(2, 1, ""), async |sim: Sim, _| {
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(millis(10)).await;
                let _ = sim.wire(0).await;
            }
        });
    });
    assert_eq!((result.ending, result.end.0), (Ending::Settled, 2_500_000));
}

/// Code that spins at one moment never lets the world go on. It ends in an error.
fn spins(world: impl FnOnce() -> Code) {
    let text = panics(|| world().run());
    assert!(text.starts_with("client-1 lets no time pass: "), "{text}");
}

#[test]
fn code_that_yields_for_ever_is_an_error() {
    spins(|| {
        world(1, 1, "").client(async |_: Sim| {
            loop {
                tokio::task::yield_now().await;
            }
        })
    });
}

#[test]
fn a_spawned_task_that_yields_for_ever_is_an_error() {
    spins(|| {
        world(1, 1, "").client(async |_: Sim| {
            tokio::spawn(async {
                loop {
                    tokio::task::yield_now().await;
                }
            });
        })
    });
}

#[test]
fn code_that_wakes_itself_for_ever_is_an_error() {
    spins(|| {
        world(1, 1, "").client(async |sim: Sim| {
            loop {
                sim.turn().await;
            }
        })
    });
    spins(|| {
        world(1, 1, "").madsim_client(async |sim: Sim| {
            loop {
                sim.turn().await;
            }
        })
    });
    spins(|| {
        world(1, 1, "").blocking_client(|sim: BlockingSim| {
            loop {
                sim.wait(sim.turn());
            }
        })
    });
}

#[test]
fn code_that_does_things_for_ever_without_waiting_is_an_error() {
    let text = panics(|| {
        world(1, 1, "")
            .client(async |sim: Sim| {
                loop {
                    let _ = sim.section(async { Err::<(), _>(()) }, async |_: &mut ()| ()).await;
                }
            })
            .run()
    });
    assert!(
        text.starts_with("the code of client-1 panicked: a million things were done without waiting"),
        "{text}"
    );
}
