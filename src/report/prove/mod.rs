//! A proof, told: a line in a list, a page by itself, JSON for a program.
//!
//! "Held" is never said without the scope that it holds in and what was witnessed there. Must not search, judge or
//! read a clock: how long it took is told by whoever measured it. `line.rs` is the line, `scope.rs` the scope in
//! words, `ended.rs` how parts of a proof ended, `text.rs` the page, `json.rs` the object,
//! `explored.rs` the steps of a graph.

mod ended;
mod explored;
mod json;
mod line;
mod scope;
mod text;

pub use explored::explored_text;
pub use json::prove_json;
pub use line::{prove_head, prove_line, prove_sum};
pub(super) use scope::lines as model_lines;
pub use scope::scope_lines;
pub use text::prove_text;

use crate::check::OracleName;
use crate::prove::{Model, Proof, Verdict};
use crate::scenario::Scenario;
use crate::sim::RunResult;
use crate::time::WorldTime;

/// A proof with all that is told of it.
#[derive(Clone, Copy, Debug)]
pub struct ProofStory<'a> {
    /// What was asked.
    pub model: &'a Model,
    /// What was found.
    pub proof: &'a Proof,
    /// How that compares with the file.
    pub verdict: &'a Verdict,
    /// Schedules in the seeded world.
    pub shown: &'a [Shown],
    /// How long it took, in milliseconds.
    pub took_ms: u64,
}

/// A schedule that the prover found, run in the seeded world.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The oracle that it violates; `None` for one that shows how long a grant can take.
    pub oracle: Option<OracleName>,
    /// The scenario that it is.
    pub scenario: Scenario,
    /// Its run, to the end.
    pub result: RunResult,
    /// When what the prover found is over; what comes later happens by itself.
    pub until: WorldTime,
    /// The folder in which it is kept.
    pub folder: Option<String>,
}
