//! Scenario files: TOML text in, a validated setup out, or the exact place of what is wrong.
//!
//! Must not open files: whoever stands at the edge reads them and hands the text over. The format is described
//! in `scenarios/README.md`. `shape` is what serde sees, `read` turns it into a [`Setup`] and refuses what
//! contradicts itself, `explain.rs` turns serde's words into ours, `shipped.rs` holds the embedded files.

mod error;
mod explain;
mod parse;
mod read;
mod shape;
mod shipped;

pub use error::{InputError, InputErrorKind};
pub use parse::parse;
pub use shipped::{Locator, UnknownScenario, find, shipped};

use crate::check::Expectation;
use crate::lock::Protocol;
use crate::plan::Quantiles;
use crate::world::Setup;

/// A scenario: what is set up, what goes wrong, and what is expected of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// The file's name without folder and ending.
    pub name: String,
    /// One line: what goes wrong.
    pub title: String,
    /// One sentence: what the scenario shows.
    pub claim: String,
    /// Where it comes from.
    pub source: Vec<String>,
    /// The seed of latencies, jitter and nonces; below 2^53.
    pub seed: u64,
    /// The world.
    pub setup: Setup,
    /// The latency of one message, one way, in microseconds.
    pub latency: Quantiles,
    /// What is judged and how it must end; `None`: all that applies is judged.
    pub expect: Option<Expectation>,
    /// The protocol of every client.
    pub protocol: Protocol,
    /// The file as it was read.
    pub text: String,
    /// Its path, or the name of a shipped scenario.
    pub origin: String,
}
