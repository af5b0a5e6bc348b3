//! A run, told: to a person as a sentence, a line that repeats it, a timeline and a verdict; to a program as JSON.
//!
//! Everything is text made from a scenario and the result of its run. Must not run, judge, print or look at the
//! environment. `sentence.rs` says what went wrong, `choose.rs` which records matter, `fact.rs` and `fault.rs`
//! what one of them says, `legend.rs` how to read a line;
//! `keepsake.rs` and `trace.rs` what is kept of a failure. `hunt.rs` tells what many runs came to, `prove/` what a proof did, `rate.rs` holds
//! the figures of one oracle.

mod assume;
mod cast;
mod choose;
mod compare;
mod compare_json;
mod compare_md;
mod divergence;
mod drill;
mod fact;
mod fault;
mod features;
mod hunt;
mod hunt_json;
mod json;
mod keepsake;
mod legend;
mod prove;
mod rate;
mod sentence;
mod shelf;
mod shrunk;
mod table;
mod text;
mod timeline;
mod trace;
mod verdict;
mod words;

pub use assume::{AssumptionStory, assumptions_json, assumptions_markdown, assumptions_text, break_folder};
pub use choose::Length;
pub use compare::{CompareStory, compare_text, pairs_text, row_line};
pub use compare_json::{compare_json, pairs_json};
pub use compare_md::compare_markdown;
pub use divergence::{Divergence, divergence, divergent_text};
pub use drill::{DrillStory, drill_line, drills_json, drills_markdown, drills_text, unpinned};
pub use features::{Offered, features_json, features_text};
pub use hunt::{HuntStory, hunt_sentence, hunt_text, telling_failure};
pub use hunt_json::{hunt_json, hunt_json_kept};
pub use json::{SCHEMA, run_json, shelf_json};
pub use keepsake::{Keepsake, Likeness, Meta, MetaError, keepsake};
pub use legend::LEGEND;
pub use prove::{
    ProofStory, Shown, explored_text, prove_head, prove_json, prove_line, prove_sum, prove_text, scope_lines,
};
pub use rate::{Rate, Sampling};
pub use sentence::{event, sentence};
pub use shelf::{Exhibit, Offer, Shelf};
pub use shrunk::{KeptFailure, kept_text, replay_json, shrunk_json, shrunk_line};
#[cfg(feature = "async-sim")]
pub(crate) use text::run_command;
pub use text::{quoted, repro, run_text};
pub use timeline::timeline;
pub use trace::{TraceDifference, foreign_line, trace, trace_difference};

use crate::scenario::Scenario;
use crate::sim::RunResult;

/// What there is to tell: a scenario and what one run of it came to.
#[derive(Clone, Copy, Debug)]
pub struct Story<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Its run, with records.
    pub result: &'a RunResult,
}
