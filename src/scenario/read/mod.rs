//! From shapes to a setup: units, ranges, names and contradictions, each refused at its own place.
//!
//! Must not guess: a value that is not what it seems is an error with a suggestion, never corrected. One file
//! for each part of the format.

mod clients;
mod expect;
mod lock;
mod names;
mod number;
mod plan;
mod setup;

pub(super) use setup::{Read, read};

use crate::time::WorldTime;

/// What the parts need to know of each other.
#[derive(Clone, Copy, Debug)]
struct Scope {
    /// How many nodes there are.
    nodes: u8,
    /// How many clients there are.
    clients: u16,
    /// The end of the run.
    limit: WorldTime,
}
