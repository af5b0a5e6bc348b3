//! How the environment steers a test, and the command that runs one test alone.
//!
//! `FENCEPOST_SEED` replaces the seed of every run: that is how a failure is repeated. `FENCEPOST_SEEDS=0..1000` widens
//! every test to these seeds. `FENCEPOST_TIMELINE=full` has a failure tell every record. Nothing else is read. Must not run
//! anything.

use crate::report::{Length, quoted};
use crate::sim::Seeds;

/// What the environment asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steer {
    /// One seed instead of any other.
    pub(crate) seed: Option<u64>,
    /// Seeds instead of those that the test names.
    pub(crate) seeds: Option<Seeds>,
    /// How much of a run that failed is told.
    pub(crate) length: Length,
}

impl Steer {
    /// Reads the environment.
    ///
    /// # Panics
    /// If a variable is set to what cannot be used.
    #[track_caller]
    pub(crate) fn read() -> Self {
        let seed = std::env::var("FENCEPOST_SEED").ok().map(|text| {
            let number = text.parse::<u64>().ok().filter(|seed| *seed < Seeds::LIMIT);
            number.unwrap_or_else(|| panic!("FENCEPOST_SEED must be a number below 2^53, not {text:?}"))
        });
        let seeds = std::env::var("FENCEPOST_SEEDS").ok().map(|text| {
            text.parse().unwrap_or_else(|error| panic!("FENCEPOST_SEEDS cannot be {text:?}: {error}"))
        });
        let length = match std::env::var("FENCEPOST_TIMELINE").as_deref() {
            Err(_) | Ok("short") => Length::Short,
            Ok("full") => Length::Full,
            Ok(text) => panic!("FENCEPOST_TIMELINE must be short or full, not {text:?}"),
        };
        Self { seed, seeds, length }
    }
}

/// The command that runs the test of this thread alone; the runner of tests names threads after them.
pub(crate) fn command() -> String {
    match std::thread::current().name() {
        Some(test) if test != "main" => format!("cargo test {} -- --exact", quoted(test)),
        Some(_) | None => "cargo test".to_owned(),
    }
}
