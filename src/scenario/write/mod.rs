//! From a scenario back to its file: the text it was read from with another seed, another plan, less work.
//!
//! What is read of the text written is what was to be written, so a run of it has the same digest. Everything that is
//! not replaced keeps its format and its comments. `document.rs` edits the file, `entry.rs` says a plan. Must not open
//! files or know why somebody writes.

mod document;
mod entry;

pub use document::{Edits, write};
