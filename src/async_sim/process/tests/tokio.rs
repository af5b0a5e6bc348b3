//! Real tokio: both clocks, the bound, the early end, lateness and order.

use super::{Notes, WALL, main_of, ms, pass, us};
use crate::async_sim::process::{Drivers, Process, Ran, Stirred, TokioProcess};
use crate::time::Span;
use std::future::Future;
use std::time::{Duration, SystemTime};
use tokio::time::{Instant, interval, sleep, timeout};

pub(super) fn process<F: Future<Output = ()> + 'static>(
    stirred: &Stirred,
    code: impl FnOnce() -> F + 'static,
) -> TokioProcess {
    TokioProcess::new(7, WALL, stirred.clone(), Drivers::Time, main_of(code))
}

fn passed(since: Instant) -> Span {
    Span(since.elapsed().as_micros() as i64)
}

/// What both monotonic clocks and the wall clock show since the beginning, in whole microseconds.
#[derive(Clone, Copy)]
struct Clocks {
    std: std::time::Instant,
    tokio: Instant,
}

#[expect(clippy::disallowed_methods, reason = "the clocks under test are those that user code reads")]
impl Clocks {
    fn begin() -> Self {
        Self { std: std::time::Instant::now(), tokio: Instant::now() }
    }

    fn read(self) -> [Duration; 3] {
        let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is after 1970");
        [self.std.elapsed(), self.tokio.elapsed(), wall - Duration::from_micros(WALL.0 as u64)]
    }
}

fn all(at: Duration) -> [Duration; 3] {
    [at; 3]
}

#[test]
fn timers_fire_at_their_own_time_by_every_clock() {
    let notes = Notes::new();
    let noted = notes.clone();
    let mut process = process(&Stirred::default(), || async move {
        let clocks = Clocks::begin();
        for sleeps in [[5, 20], [7, 30], [100, 5_000]] {
            let noted = noted.clone();
            tokio::spawn(async move {
                for slept in sleeps {
                    sleep(Duration::from_millis(slept)).await;
                    noted.add(clocks.read());
                }
            });
        }
        let mut beat = interval(Duration::from_millis(40));
        for _ in 0..3 {
            beat.tick().await;
            noted.add(clocks.read());
        }
    });
    assert_eq!(process.settle(Span::ZERO), Ran::Resting);
    assert_eq!(process.run(ms(10_000)), Ran::Ended);
    assert_eq!(process.elapsed(), ms(10_000));
    let expected = [0, 5, 7, 25, 37, 40, 80, 100, 5_100].map(|at| all(Duration::from_millis(at)));
    assert_eq!(notes.take(), expected);
}

/// tokio rounds deadlines up to its tick; orders between ticks do not shift the ticks.
#[test]
fn timers_fire_on_ticks_wherever_orders_end() {
    let notes = Notes::new();
    let noted = notes.clone();
    let mut process = process(&Stirred::default(), || async move {
        let clocks = Clocks::begin();
        sleep(Duration::from_micros(2_300)).await;
        noted.add(clocks.read());
        sleep(Duration::from_millis(1)).await;
        noted.add(clocks.read());
    });
    process.settle(us(250));
    for at in [us(251), us(1_999), us(2_700), us(3_001), us(3_900), us(3_999)] {
        pass(&mut process, at);
    }
    process.run(us(4_300));
    assert_eq!(notes.take(), [3_000, 4_000].map(|at| [at - 250, at - 250, at].map(Duration::from_micros)));
}

#[test]
fn the_bound_is_exclusive() {
    let notes = Notes::new();
    let noted = notes.clone();
    let mut process = process(&Stirred::default(), || async move {
        let clocks = Clocks::begin();
        sleep(Duration::from_millis(5)).await;
        noted.add(clocks.read());
    });
    pass(&mut process, ms(5));
    assert!(notes.take().is_empty());
    assert_eq!(process.run(us(5_001)), Ran::Ended);
    assert_eq!(notes.take(), [all(Duration::from_millis(5))]);
}

#[test]
fn a_stir_ends_the_run_at_its_moment_when_all_have_acted() {
    let (stirred, notes) = (Stirred::default(), Notes::new());
    let (stir, noted) = (stirred.clone(), notes.clone());
    let mut process = process(&stirred, || async move {
        for task in 0..2 {
            let (stir, noted) = (stir.clone(), noted.clone());
            tokio::spawn(async move {
                sleep(Duration::from_millis(5)).await;
                stir.set();
                noted.add(task);
                tokio::task::yield_now().await;
                noted.add(10);
                sleep(Duration::from_millis(2)).await;
                noted.add(20);
            });
        }
    });
    process.run(ms(100));
    assert_eq!((process.elapsed(), notes.take()), (ms(5), vec![0, 1, 10, 10]));
    // As long as the flag is up, the process goes no further.
    process.run(ms(100));
    assert_eq!((process.elapsed(), notes.take()), (ms(5), vec![]));
    assert!(stirred.reset());
    process.run(ms(100));
    assert_eq!((process.elapsed(), notes.take()), (ms(100), vec![20, 20]));
}

#[test]
fn settling_is_a_pause() {
    let notes = Notes::new();
    let noted = notes.clone();
    let mut process = process(&Stirred::default(), || async move {
        let clocks = Clocks::begin();
        for slept in [5, 7, 9] {
            sleep(Duration::from_millis(slept)).await;
            noted.add(clocks.read());
        }
    });
    process.settle(Span::ZERO);
    process.settle(us(50_500));
    assert_eq!(notes.take(), [all(Duration::from_micros(50_500))]);
    process.settle(us(40_000));
    assert_eq!((process.elapsed(), notes.take()), (us(50_500), vec![]));
    process.run(ms(100));
    // 50.5 + 7 = 57.5 is rounded up to a tick, 58 + 9 is one.
    assert_eq!(notes.take(), [58, 67].map(|at| all(Duration::from_millis(at))));
}

#[test]
fn a_message_comes_before_a_timer_of_the_same_moment() {
    for pause in [ms(10), ms(20), us(20_500)] {
        let notes = Notes::new();
        let noted = notes.clone();
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        let mut process = process(&Stirred::default(), || async move {
            let clocks = Clocks::begin();
            let (relay, mut relayed) = tokio::sync::mpsc::unbounded_channel();
            tokio::spawn(async move {
                while let Some(message) = receiver.recv().await {
                    relay.send((message, clocks.read())).expect("main waits");
                }
            });
            // The reply reaches the timed task through another, as in a multiplexed connection.
            noted.add(timeout(Duration::from_millis(10), relayed.recv()).await.ok().flatten());
        });
        pass(&mut process, ms(10));
        sender.send("reply").expect("the process listens");
        assert_eq!(process.settle(pause), Ran::Ended);
        let at = Duration::from_micros(pause.0 as u64);
        assert_eq!(notes.take(), [Some(("reply", all(at)))]);
    }
}

/// Each order at an unchanged moment that runs code makes the standard clock lead by less than 100 ns, for good:
/// a sleep is never too short by it.
#[test]
fn the_standard_clock_leads_by_little_and_never_falls_back() {
    let notes = Notes::new();
    let noted = notes.clone();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let mut process = process(&Stirred::default(), || async move {
        let clocks = Clocks::begin();
        while receiver.recv().await.is_some() {
            let [std, tokio, wall] = clocks.read();
            noted.add([std - tokio, wall - tokio]);
        }
    });
    process.settle(Span::ZERO);
    let mut lead = Duration::ZERO;
    for moment in 0..20 {
        for order in 0..3 {
            sender.send(()).expect("the process listens");
            process.settle(ms(moment));
            process.settle(ms(moment)); // Nothing runs: no lead.
            let [std, wall] = notes.take()[..][0];
            assert_eq!(std, wall);
            let grown = std.checked_sub(lead).expect("the lead does not shrink");
            let grows = moment == 0 || order > 0;
            assert!(if grows { grown < Duration::from_nanos(200) } else { grown.is_zero() }, "{grown:?}");
            lead = std;
        }
    }
    assert!(lead > Duration::from_micros(2), "the test shows something");
}

#[test]
fn two_processes_alternate_on_one_thread() {
    let notes = Notes::new();
    let mut processes = [1, 10].map(|factor| {
        let noted = notes.clone();
        process(&Stirred::default(), move || async move {
            let clocks = Clocks::begin();
            for _ in 0..3 {
                sleep(Duration::from_millis(factor)).await;
                noted.add((factor, clocks.read()));
            }
        })
    });
    for round in 1..=4 {
        pass(&mut processes[0], us(1_000 * round + 1));
        pass(&mut processes[1], us(10_000 * round + 1));
    }
    let expected: Vec<_> =
        (1..=3).flat_map(|n| [1, 10].map(|f| (f, all(Duration::from_millis(n * f))))).collect();
    assert_eq!(notes.take(), expected);
}

#[test]
fn far_bounds_and_many_timers() {
    let notes = Notes::new();
    let noted = notes.clone();
    let mut process = process(&Stirred::default(), || async move {
        let began = Instant::now();
        for n in 0..200_u64 {
            let noted = noted.clone();
            tokio::spawn(async move {
                sleep(Duration::from_millis(n * n * n)).await;
                noted.add((passed(began), n));
            });
        }
    });
    pass(&mut process, ms(400 * 24 * 3_600_000));
    let expected: Vec<_> = (0..200).map(|n| (ms((n * n * n) as i64), n)).collect();
    assert_eq!(notes.take(), expected);
}
