//! Scenario files: TOML text in, a validated setup out, or the exact place of what is wrong; and back to text.
//!
//! Must not open files: whoever stands at the edge reads them and hands the text over. The format is described
//! in `scenarios/README.md`. `shape` is what serde sees, `read` turns it into a [`Setup`] and refuses what
//! contradicts itself, `explain.rs` turns serde's words into ours, `shipped.rs` holds the embedded files,
//! `write` turns a scenario back into its file.

mod comparison;
mod error;
mod explain;
mod parse;
mod preset;
mod read;
mod shape;
mod shipped;
mod twin;
mod write;

pub use comparison::{Column, Comparison, Row, UnknownRow, parse_comparison};
#[cfg(feature = "prove")]
pub(crate) use error::closest;
// Models are read with the same words and refused in the same manner.
#[cfg(feature = "prove")]
pub(crate) use error::Wrong;
pub use error::{InputError, InputErrorKind};
#[cfg(feature = "prove")]
pub(crate) use explain::explain;
#[cfg(feature = "prove")]
pub(crate) use parse::name_of;
pub use parse::{parse, parse_profile};
pub use preset::{DRILL, Preset, UnknownPreset, drills, parse_preset, preset, presets, with_lock};
#[cfg(feature = "prove")]
pub(crate) use read::{
    Places, known_format, needs_spec, no_lock, nobody_waits, possible, ranged, sentence, set_shared,
    validated,
};
pub use shape::Family;
#[cfg(feature = "prove")]
pub(crate) use shape::{LockTable, NoLife, TickKeys, known};
pub use shipped::{
    COMPARE, Locator, UnknownProfile, UnknownScenario, find, find_profile, shipped, shipped_comparison,
    shipped_profiles,
};
#[cfg(feature = "prove")]
pub(crate) use shipped::{among, texts};
pub use twin::{Broken, SWITCH, Twin, UnknownTwin, twin_scenario, twins};
pub use write::{Edits, write};

use crate::check::Expectation;
use crate::name::{ClientId, Process};
use crate::plan::Quantiles;
use crate::world::Setup;

/// The latency of the messages on one link, both ways, one way, in microseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkLatency {
    /// Its client.
    pub client: ClientId,
    /// The node or the store at its other end.
    pub peer: Process,
    /// The latency of one message.
    pub latency: Quantiles,
}

impl LinkLatency {
    /// The two ends.
    pub fn link(&self) -> (ClientId, Process) {
        (self.client, self.peer)
    }
}

impl Scenario {
    /// The latency of a message between these two.
    pub fn latency_between(&self, client: ClientId, peer: Process) -> &Quantiles {
        match self.links.binary_search_by_key(&(client, peer), LinkLatency::link) {
            Ok(at) => &self.links[at].latency,
            Err(_) => &self.latency,
        }
    }
}

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
    /// The links whose messages take another time, sorted by client and peer.
    pub links: Vec<LinkLatency>,
    /// What is judged and how it must end; `None`: all that applies is judged.
    pub expect: Option<Expectation>,
    /// The preset whose lock was put in the place of the file's own; `None`: the lock is the file's.
    pub like: Option<String>,
    /// What its plan was drawn from besides the file; `None`: the plan is the file's.
    pub drawn: Option<Drawn>,
    /// The file as it was read.
    pub text: String,
    /// Its path, or the name of a shipped scenario.
    pub origin: String,
    /// Who runs it, for the line that repeats a run.
    pub runner: Runner,
}

/// Who runs a scenario: how a person has it done again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runner {
    /// The binary of this crate, with the locks that files name.
    Shipped,
    /// A binary that puts a lock of its own in their place: what comes before the verb on its command line.
    Own(String),
    /// A test with a lock of its own: the command that runs it alone.
    Test(String),
}

impl Runner {
    /// What comes before the verb on a command line.
    pub fn program(&self) -> &str {
        match self {
            Self::Shipped | Self::Test(_) => "cargo run --release --",
            Self::Own(program) => program,
        }
    }
}

/// What a plan was drawn from, as it is written on a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// A whole profile.
    Profile(String),
    /// Some of the hazards of a profile: no sample of it.
    Swarm(String),
}
