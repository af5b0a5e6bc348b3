//! A run, told: to a person as a sentence, a line that repeats it, a timeline and a verdict; to a program as JSON.
//!
//! Everything is text made from a scenario and the result of its run. Must not run, judge, print or look at the
//! environment. `sentence.rs` says what went wrong, `choose.rs` which records matter, `fact.rs` and `fault.rs`
//! what one of them says, `legend.rs` how to read a line.

mod cast;
mod choose;
mod divergence;
mod fact;
mod fault;
mod json;
mod legend;
mod sentence;
mod shelf;
mod table;
mod text;
mod timeline;
mod verdict;
mod words;

pub use choose::Length;
pub use divergence::{Divergence, divergence};
pub use json::{SCHEMA, run_json, shelf_json};
pub use legend::LEGEND;
pub use sentence::sentence;
pub use shelf::{Exhibit, Offer, Shelf};
pub use text::{repro, run_text};
pub use timeline::timeline;

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
