//! One seed is one run, on a fresh thread each.
//!
//! Must not share a thread between two runs: the keys of `RandomState` belong to the thread.

use super::{Notes, WALL, main_of, us};
use crate::async_sim::process::{
    Blocking, Drivers, MadsimProcess, Process, Ran, Stirred, ThreadProcess, TokioProcess,
};
use crate::time::Span;
use madsim::rand::SeedableRng;
use proptest::test_runner::TestRunner;
use rand_core::Rng;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// What one run drew: entropy of the process, keys of a hash map, choices of `select!`.
type Draws = Vec<u64>;

/// Runs `of` twice with seed 1 and once with seed 2, each on a fresh thread.
#[track_caller]
fn check(of: fn(u64, Notes<u64>) -> Box<dyn Process>) {
    let run = |seed| {
        let on_thread = move || -> Draws {
            let notes = Notes::new();
            let mut process = of(seed, notes.clone());
            for at in 1..=20 {
                process.run(us(1_700 * at));
            }
            notes.take()
        };
        std::thread::spawn(on_thread).join().expect("the run ends")
    };
    let first = run(1);
    assert!(first.len() > 10);
    assert_eq!(run(1), first);
    assert_ne!(run(2), first);
}

/// What code draws from the operating system: the keys of a hash map, and a generator of `rand` 0.10.
fn entropy(notes: &Notes<u64>) {
    notes.add(RandomState::new().hash_one(0));
    notes.add(TestRunner::default().rng().next_u64());
}

#[test]
fn tokio_repeats() {
    check(|seed, notes| {
        let main = main_of(move || async move {
            entropy(&notes);
            for _ in 0..20 {
                tokio::time::sleep(Duration::from_millis(1)).await;
                let chosen = tokio::select! {
                    () = async {} => 0,
                    () = async {} => 1,
                    () = async {} => 2,
                };
                notes.add(chosen);
            }
        });
        Box::new(TokioProcess::new(seed, WALL, Stirred::default(), Drivers::Time, main))
    });
}

#[test]
fn madsim_repeats() {
    check(|seed, notes| {
        let main = main_of(move || async move {
            entropy(&notes);
            for task in 0..20 {
                let notes = notes.clone();
                madsim::task::spawn(async move {
                    madsim::time::sleep(Duration::from_millis(1)).await;
                    notes.add(task);
                });
            }
        });
        Box::new(MadsimProcess::new(seed, WALL, Stirred::default(), main))
    });
}

#[test]
fn threads_repeat() {
    check(|seed, notes| {
        let main = move |blocking: Blocking| {
            for _ in 0..20 {
                entropy(&notes);
                blocking.wait_until(Some(Span(blocking.elapsed().0 + 1_000)), || false);
            }
        };
        Box::new(ThreadProcess::new(seed, WALL, Stirred::default(), Box::new(main)))
    });
}

/// A generator of `rand` 0.8 that tells its seed.
struct Seed([u8; 8]);

impl SeedableRng for Seed {
    type Seed = [u8; 8];

    fn from_seed(seed: [u8; 8]) -> Self {
        Self(seed)
    }
}

/// What is not virtual: the crate `getrandom` 0.2, and with it `rand` 0.8, makes the system call itself. If this
/// fails, the limit in the header of `tokio.rs` is gone.
#[test]
fn getrandom_0_2_draws_real_entropy() {
    let draw = || {
        let notes = Notes::new();
        let noted = notes.clone();
        let main = main_of(move || async move { noted.add(Seed::from_entropy().0) });
        assert_eq!(
            TokioProcess::new(1, WALL, Stirred::default(), Drivers::Time, main).settle(Span::ZERO),
            Ran::Ended
        );
        notes.take()
    };
    assert_ne!(draw(), draw());
}
