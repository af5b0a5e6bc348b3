//! The async part really runs in virtual time, and a seed is a run.
//!
//! Must not measure real time: that virtual time passes without real time is shown by how much of it passes.

use fencepost::async_sim::block_on;
use madsim::rand::Rng;
use std::time::{Duration, SystemTime};

/// What a small program saw: who woke, when by the standard library's clock, and what it drew.
type Trace = Vec<(usize, Duration, u64)>;

/// Five tasks that sleep for drawn times, with the standard library's own clocks.
#[expect(clippy::disallowed_methods, reason = "the clocks under test are those that user code reads")]
async fn program() -> Trace {
    let began = std::time::Instant::now();
    let tasks: Vec<_> = (0..5)
        .map(|task| {
            madsim::task::spawn(async move {
                let mut seen = Trace::new();
                for _ in 0..4 {
                    let draw: u64 = madsim::rand::thread_rng().gen_range(1..=3_600_000);
                    madsim::time::sleep(Duration::from_millis(draw)).await;
                    seen.push((task, began.elapsed(), draw));
                }
                seen
            })
        })
        .collect();
    let mut trace = Trace::new();
    for task in tasks {
        trace.extend(task.await.expect("the task ends"));
    }
    trace.sort_by_key(|(task, at, _)| (*at, *task));
    trace
}

#[test]
fn one_seed_is_one_run() {
    let trace = block_on(7, program());
    assert_eq!(trace.len(), 20);
    assert_eq!(block_on(7, program()), trace);
}

#[test]
fn another_seed_is_another_run() {
    assert_ne!(block_on(8, program()), block_on(7, program()));
}

/// The readings of `Instant` follow the virtual sleeps: each task wakes when the sum of its draws has passed, and
/// not much later. Twenty sleeps of half an hour on average are hours that no test waits for.
#[test]
fn the_standard_clock_follows_virtual_time() {
    for task in 0..5 {
        let mut slept = Duration::ZERO;
        for (_, at, draw) in block_on(7, program()).into_iter().filter(|(owner, _, _)| *owner == task) {
            slept += Duration::from_millis(draw);
            assert!(at >= slept, "task {task} woke before its sleeps were over");
            assert!(
                at < slept + Duration::from_millis(100),
                "task {task} woke at {at:?} instead of {slept:?}"
            );
        }
        assert!(slept > Duration::from_secs(60), "too little virtual time to show anything");
    }
}

/// The wall clock of user code is virtual too.
#[test]
#[expect(clippy::disallowed_methods, reason = "the clocks under test are those that user code reads")]
fn the_wall_clock_is_virtual() {
    let year = Duration::from_secs(365 * 24 * 60 * 60);
    let passed = block_on(3, async {
        let before = SystemTime::now();
        madsim::time::sleep(year).await;
        SystemTime::now().duration_since(before).expect("it does not go back")
    });
    assert!(passed >= year && passed < year + Duration::from_secs(1), "{passed:?}");
}
