//! From shapes to a setup: units, ranges, names and contradictions, each refused at its own place.
//!
//! Must not guess: a value that is not what it seems is an error with a suggestion, never corrected. One file
//! for each part of the format.

mod clients;
mod deployment;
mod expect;
mod hash;
mod lock;
mod names;
mod network;
mod number;
mod plan;
mod profile;
mod quantiles;
mod setup;
mod waiter;
mod workload;

#[cfg(feature = "prove")]
pub(crate) use expect::possible;
#[cfg(feature = "prove")]
pub(crate) use lock::{Places, needs_spec, no_lock, nobody_waits, set_shared, validated};
#[cfg(feature = "prove")]
pub(crate) use number::ranged;
pub(super) use number::ranged_count;
pub(super) use profile::{named, profile};
pub(crate) use setup::known_format;
#[cfg(feature = "prove")]
pub(crate) use setup::sentence;
pub(super) use setup::{Read, read};

use crate::time::WorldTime;

/// What the parts need to know of each other.
#[derive(Clone, Copy, Debug)]
struct Scope {
    /// How many voters there are.
    nodes: u8,
    /// How many replicas are behind each.
    replicas: [u8; NODES_MAX],
    /// How many clients there are.
    clients: u16,
    /// The end of the run.
    limit: WorldTime,
}

/// The most voters: sets of them are kept in 32 bits, one of them spare.
const NODES_MAX: usize = 31;
