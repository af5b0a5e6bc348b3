//! What is kept: one schedule per crate and oracle that breaks, in a file of its own, and what comes of it.

use crate::adapters::Published;
use fencepost::check::{OracleName, Outcome};
use fencepost::scenario::{Scenario, parse};
use fencepost::sim::{RunResult, run};

/// A kept schedule, run.
pub(crate) struct Exhibit {
    /// The file, from the root of the package.
    pub(crate) path: String,
    pub(crate) scenario: Scenario,
    pub(crate) result: RunResult,
    /// How the shipped lock of the file ends under the very same schedule.
    pub(crate) shipped: Outcome,
}

/// Where the schedule of a crate and an oracle is kept, from the root of the package.
pub(crate) fn path(published: &Published, oracle: OracleName) -> String {
    format!("scenarios/crates/{}{oracle}.toml", published.stem())
}

/// The same on this machine.
pub(crate) fn place(path: &str) -> String {
    format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))
}

impl Exhibit {
    /// Nothing if there is no such file.
    pub(crate) fn of(published: &Published, oracle: OracleName) -> Option<Self> {
        let path = path(published, oracle);
        let text = std::fs::read_to_string(place(&path)).ok()?;
        let shipped = parse(&path, &text).expect("what is kept can be read");
        let seed = shipped.seed;
        let (scenario, result) = published.in_text(&path, &text).run_seed(seed);
        let ended = |result: &RunResult| {
            result.outcomes.iter().find(|(name, _)| *name == oracle).map(|(_, end)| *end)
        };
        assert!(matches!(ended(&result), Some(Outcome::Violated(_))), "{path} does not violate {oracle}");
        let shipped = ended(&run(&shipped, seed)).expect("every oracle has an outcome");
        Some(Self { path, scenario, result, shipped })
    }
}
