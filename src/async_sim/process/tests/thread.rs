//! Blocking code: exact times, turns, crashes and panics.

use super::{Notes, WALL, ms, pass, us};
use crate::async_sim::process::thread::ThreadMain;
use crate::async_sim::process::{Blocking, Process, Ran, Stirred, ThreadProcess};
use crate::time::Span;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

fn process(stirred: &Stirred, code: impl FnOnce(Blocking) + Send + 'static) -> ThreadProcess {
    let main: ThreadMain = Box::new(code);
    ThreadProcess::new(7, WALL, stirred.clone(), main)
}

/// Blocks for a while, whatever happens.
fn sleep(blocking: &Blocking, span: Span) {
    let deadline = Span(blocking.elapsed().0 + span.0);
    assert!(!blocking.wait_until(Some(deadline), || false));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the clocks under test are those that user code reads")]
fn deadlines_come_at_their_own_time_by_every_clock() {
    let notes = Notes::new();
    let noted = notes.clone();
    let mut process = process(&Stirred::default(), move |blocking| {
        let began = Instant::now();
        for slept in [us(5_300), us(1), ms(7)] {
            sleep(&blocking, slept);
            let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is after 1970");
            noted.add([began.elapsed(), wall - Duration::from_micros(WALL.0 as u64)]);
        }
    });
    pass(&mut process, us(5_300));
    assert!(notes.take().is_empty(), "the bound is exclusive");
    assert_eq!(process.run(us(5_302)), Ran::Resting);
    assert_eq!(process.run(ms(100)), Ran::Ended);
    assert_eq!(notes.take(), [5_300, 5_301, 12_301].map(|at| [Duration::from_micros(at); 2]));
    assert_eq!((process.settle(ms(200)), process.elapsed()), (Ran::Ended, ms(200)));
}

#[test]
fn a_stir_ends_the_run_at_its_moment() {
    let stirred = Stirred::default();
    let stir = stirred.clone();
    let mut process = process(&stirred, move |blocking| {
        sleep(&blocking, ms(5));
        stir.set();
        sleep(&blocking, ms(5));
    });
    assert_eq!((process.run(ms(100)), process.elapsed()), (Ran::Resting, ms(5)));
    assert_eq!((process.run(ms(100)), process.elapsed()), (Ran::Resting, ms(5)));
    stirred.reset();
    assert_eq!((process.run(ms(100)), process.elapsed()), (Ran::Ended, ms(100)));
}

#[test]
fn a_message_comes_before_the_deadline_and_a_pause_makes_late() {
    let notes = Notes::new();
    let noted = notes.clone();
    let arrived = Arc::new(AtomicBool::new(false));
    let port = Arc::clone(&arrived);
    let mut process = process(&Stirred::default(), move |blocking| {
        for _ in 0..2 {
            let in_time = blocking
                .wait_until(Some(Span(blocking.elapsed().0 + 10_000)), || port.swap(false, Ordering::SeqCst));
            noted.add((in_time, blocking.elapsed()));
        }
        blocking.wait_until(None, || port.load(Ordering::SeqCst));
    });
    pass(&mut process, ms(10));
    arrived.store(true, Ordering::SeqCst);
    process.settle(ms(10));
    assert_eq!(notes.take(), [(true, ms(10))]);
    process.settle(ms(70));
    assert_eq!(notes.take(), [(false, ms(70))]);
    assert_eq!(process.run(ms(1_000)), Ran::Resting);
    arrived.store(true, Ordering::SeqCst);
    assert_eq!(process.settle(ms(1_000)), Ran::Ended);
}

#[test]
fn two_processes_take_turns() {
    let notes = Notes::new();
    let mut processes = [1, 10].map(|factor| {
        let noted = notes.clone();
        process(&Stirred::default(), move |blocking| {
            for _ in 0..3 {
                sleep(&blocking, ms(factor));
                noted.add((factor, blocking.elapsed()));
            }
        })
    });
    for round in 1..=3 {
        pass(&mut processes[0], us(1_000 * round + 1));
        pass(&mut processes[1], us(10_000 * round + 1));
    }
    let expected: Vec<_> = (1..=3).flat_map(|n| [(1, ms(n)), (10, ms(10 * n))]).collect();
    assert_eq!(notes.take(), expected);
}

/// Releases by waiting, as the guard of a blocking lock does.
struct Guard(Blocking, Arc<Mutex<Vec<bool>>>);

impl Drop for Guard {
    fn drop(&mut self) {
        let replied = self.0.wait_until(Some(Span(self.0.elapsed().0 + 1_000)), || false);
        self.1.lock().unwrap().push(replied);
    }
}

#[test]
fn a_crash_unwinds_the_code_even_where_a_drop_waits() {
    let released = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&released);
    let mut process = process(&Stirred::default(), move |blocking| {
        let _guard = Guard(blocking.clone(), seen);
        blocking.wait_until(None, || false);
        unreachable!("the wait has no end");
    });
    assert_eq!(process.run(ms(5)), Ran::Resting);
    drop(process);
    assert_eq!(*released.lock().unwrap(), [false]);
    assert_eq!(Arc::strong_count(&released), 1);
}

#[test]
fn a_process_that_never_ran_can_be_dropped() {
    drop(process(&Stirred::default(), |_| unreachable!("it never runs")));
}

#[test]
fn a_panic_is_told() {
    let mut process = process(&Stirred::default(), |blocking| {
        sleep(&blocking, ms(1));
        panic!("of the code");
    });
    assert_eq!(process.settle(Span::ZERO), Ran::Resting);
    assert_eq!(process.run(ms(2)), Ran::Panicked("of the code".to_owned()));
    assert_eq!(process.settle(ms(3)), Ran::Panicked("of the code".to_owned()));
}
