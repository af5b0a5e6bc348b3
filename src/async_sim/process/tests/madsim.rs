//! Code written for madsim: the same promises, to within what madsim adds after each poll.

use super::{Notes, WALL, main_of, ms, pass, us};
use crate::async_sim::process::{MadsimProcess, Process, Ran, Stirred};
use crate::time::Span;
use madsim::runtime::Handle;
use madsim::task::spawn;
use madsim::time::{TimeHandle, sleep, timeout};
use std::future::{Future, pending};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

fn process<F: Future<Output = ()> + 'static>(
    stirred: &Stirred,
    code: impl FnOnce() -> F + 'static,
) -> MadsimProcess {
    MadsimProcess::new(7, WALL, stirred.clone(), main_of(code))
}

/// The wall clock, in whole microseconds since the beginning.
fn now() -> Span {
    let since_1970 = TimeHandle::current().now_time().duration_since(SystemTime::UNIX_EPOCH);
    Span(since_1970.expect("it is after 1970").as_micros() as i64 - WALL.0)
}

#[test]
fn timers_fire_at_their_own_time_and_the_bound_is_exclusive() {
    let notes = Notes::new();
    let noted = notes.clone();
    let mut process = process(&Stirred::default(), || async move {
        for task in [5, 7, 12] {
            let noted = noted.clone();
            spawn(async move {
                sleep(Duration::from_millis(task)).await;
                noted.add((task, now()));
            });
        }
    });
    pass(&mut process, ms(5));
    assert!(notes.take().is_empty());
    // Less than a millisecond at a time, so that no bound is one that a sleep of madsim could have.
    for at in (5_100..=13_000).step_by(100) {
        pass(&mut process, us(at));
    }
    assert_eq!(notes.take(), [(5, ms(5)), (7, ms(7)), (12, ms(12))]);
}

#[test]
fn a_stir_ends_the_run_at_its_moment_when_all_have_acted() {
    let (stirred, notes) = (Stirred::default(), Notes::new());
    let (stir, noted) = (stirred.clone(), notes.clone());
    let mut process = process(&stirred, || async move {
        for _ in 0..2 {
            let (stir, noted) = (stir.clone(), noted.clone());
            spawn(async move {
                sleep(Duration::from_millis(5)).await;
                stir.set();
                madsim::task::yield_now().await;
                noted.add(1);
                sleep(Duration::from_millis(2)).await;
                noted.add(2);
            });
        }
    });
    assert_eq!(process.run(ms(100)), Ran::Ended);
    assert_eq!((process.elapsed(), notes.take()), (ms(5), vec![1, 1]));
    process.run(ms(100));
    assert_eq!((process.elapsed(), notes.take()), (ms(5), vec![]));
    stirred.reset();
    process.run(ms(100));
    assert_eq!((process.elapsed(), notes.take()), (ms(100), vec![2, 2]));
}

#[test]
fn settling_is_a_pause_and_a_message_wins_over_its_own_timeout() {
    let notes = Notes::new();
    let noted = notes.clone();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let mut process = process(&Stirred::default(), || async move {
        let reply = timeout(Duration::from_millis(10), receiver.recv()).await;
        noted.add((now(), reply.ok().flatten()));
        sleep(Duration::from_millis(10)).await;
        noted.add((now(), None));
    });
    process.settle(Span::ZERO);
    sender.send("reply").expect("the process listens");
    process.settle(ms(30));
    assert_eq!(notes.take(), [(ms(30), Some("reply"))]);
    process.settle(ms(90));
    assert_eq!(notes.take(), [(ms(90), None)]);
}

#[test]
fn nodes_can_be_paused_and_killed() {
    let notes = Notes::new();
    let noted = notes.clone();
    let mut process = process(&Stirred::default(), || async move {
        let handle = Handle::current();
        let node = handle.create_node().build();
        node.spawn(async move {
            loop {
                sleep(Duration::from_millis(10)).await;
                noted.add(now());
            }
        });
        sleep(Duration::from_millis(15)).await;
        handle.pause(node.id());
        sleep(Duration::from_millis(20)).await;
        handle.resume(node.id());
        sleep(Duration::from_millis(20)).await;
        handle.kill(node.id());
    });
    pass(&mut process, ms(100));
    assert_eq!(notes.take(), [ms(10), ms(35), ms(45)]);
}

#[test]
fn two_processes_alternate_on_one_thread() {
    let notes = Notes::new();
    let mut processes = [1, 10].map(|factor| {
        let noted = notes.clone();
        process(&Stirred::default(), move || async move {
            for _ in 0..3 {
                sleep(Duration::from_millis(factor)).await;
                noted.add((factor, now()));
            }
        })
    });
    for round in 1..=4 {
        pass(&mut processes[0], us(1_000 * round + 500));
        pass(&mut processes[1], us(10_000 * round + 500));
    }
    let expected: Vec<_> = (1..=3).flat_map(|n| [(1, ms(n)), (10, ms(10 * n))]).collect();
    assert_eq!(notes.take(), expected);
}

#[test]
fn a_crash_drops_the_tasks() {
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let mut process = process(&Stirred::default(), || async move {
        let also = Arc::clone(&held);
        spawn(async move {
            sleep(Duration::from_secs(1)).await;
            drop(also);
        });
        pending::<()>().await;
        drop(held);
    });
    pass(&mut process, ms(5));
    assert_eq!(Arc::strong_count(&alive), 3);
    drop(process);
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn a_panic_of_any_task_ends_the_process() {
    let notes = Notes::new();
    let noted = notes.clone();
    let mut process = process(&Stirred::default(), || async move {
        spawn(async {
            sleep(Duration::from_millis(1)).await;
            panic!("of a task");
        });
        sleep(Duration::from_millis(3)).await;
        noted.add(());
    });
    assert_eq!(process.settle(Span::ZERO), Ran::Resting);
    assert_eq!(process.run(ms(10)), Ran::Panicked("of a task".to_owned()));
    assert_eq!(process.run(ms(20)), Ran::Panicked("of a task".to_owned()));
    assert!(notes.take().is_empty());
}
