//! What locks rest on, told: a page for one lock, a document with all side by side, JSON for a program.
//!
//! A set of kinds is called safe only where it was exhausted, and only within its bound. Must not search or run.
//! `words.rs` names sets, cells and folders, `text.rs` is the page, `markdown.rs` the document, `json.rs` the object.

mod json;
mod markdown;
mod text;
mod words;

pub use json::assumptions_json;
pub use markdown::assumptions_markdown;
pub use text::assumptions_text;
pub use words::break_folder;

use crate::prove::assume::Matrix;

/// Matrices with what is told of them.
#[derive(Clone, Copy, Debug)]
pub struct AssumptionStory<'a> {
    /// One for each lock, in the order of tables.
    pub matrices: &'a [Matrix],
    /// The command that makes the same.
    pub command: &'a str,
    /// The most states of one search within one fault, within two, and so on.
    pub states_max: &'a [u32],
}
