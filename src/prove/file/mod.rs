//! Model files: TOML text in, a [`Model`](super::Model) out, or the exact place of what is wrong; and a pinned count
//! back into the text.
//!
//! The same words, the same complaints as scenario files, with times in ticks; the format is described in
//! `models/README.md`. `shape.rs` is what serde sees, `read.rs` turns it into a model and refuses what contradicts
//! itself, `faults.rs` does so for what may go wrong, `pin.rs` writes, `shipped.rs` holds the embedded files. Must
//! not open files: whoever stands at the edge does.

mod faults;
mod pin;
mod read;
mod shape;
mod shipped;

pub use pin::pin;
pub use read::parse_model;
pub use shipped::{ModelLocator, UnknownModel, find_model, shipped_models};
