//! Real tokio: how a process ends, by a crash or by a panic.

use super::tokio::process;
use super::{Notes, ms, pass};
use crate::async_sim::process::{Process, Ran, Stirred};
use crate::time::Span;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// Runs its action when dropped.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn a_crash_drops_the_tasks_and_starts_nothing() {
    let notes = Notes::new();
    let noted = notes.clone();
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let mut process = process(&Stirred::default(), || async move {
        let release = noted.clone();
        let _guard = OnDrop(move || {
            release.add("main");
            let (late, held) = (release.clone(), Arc::clone(&held));
            tokio::spawn(async move {
                let _held = held;
                late.add("spawned in a drop");
            });
        });
        tokio::spawn(async move {
            let _guard = OnDrop(|| {
                noted.add("task");
                panic!("a drop that fails");
            });
            sleep(Duration::from_secs(1)).await;
        });
        pending::<()>().await;
    });
    pass(&mut process, ms(5));
    drop(process);
    let mut seen = notes.take();
    seen.sort_unstable();
    assert_eq!(seen, ["main", "task"]);
    assert_eq!(Arc::strong_count(&alive), 1, "nothing keeps what the code held");
}

#[test]
fn a_process_that_never_ran_can_be_dropped() {
    drop(process(&Stirred::default(), || async { unreachable!("it never runs") }));
}

#[test]
fn panics_of_main_are_told_and_those_of_tasks_are_not() {
    let notes = Notes::new();
    let noted = notes.clone();
    let mut process = process(&Stirred::default(), || async move {
        let task = tokio::spawn(async { panic!("of a task") });
        noted.add(task.await.expect_err("it panicked").is_panic());
        tokio::spawn(async move {
            sleep(Duration::from_millis(3)).await;
            noted.add(false);
        });
        sleep(Duration::from_millis(1)).await;
        panic!("of main at {:?}", 1);
    });
    assert_eq!(process.settle(Span::ZERO), Ran::Resting);
    assert_eq!(process.run(ms(2)), Ran::Panicked("of main at 1".to_owned()));
    assert_eq!(notes.take(), [true]);
    assert_eq!(process.run(ms(4)), Ran::Panicked("of main at 1".to_owned()));
    assert_eq!(notes.take(), [false]);
}
