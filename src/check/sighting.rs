//! What every witness with a memory is: a finite fold over records that says when it was seen.
//!
//! Must not count: `witness_count.rs` counts for a run, `witness_latch.rs` remembers for a prover.

use super::readers::Readers;
use crate::canon::Canon;
use crate::history::Record;
use crate::name::GrantId;
use std::fmt::Debug;
use std::hash::Hash;

/// A witness that needs to remember something between records.
pub(super) trait Sighting: Clone + Eq + Hash + Debug {
    /// Nothing remembered. Grants of these clients are compatible.
    fn new(readers: &Readers) -> Self;

    /// Takes the next record; whether the witness was observed at it.
    fn on_record(&mut self, record: &Record) -> bool;

    /// Appends the grants it still keeps.
    fn kept(&self, kept: &mut Vec<GrantId>);

    /// Drops grants that can no longer matter when exactly these can still act.
    fn retire(&mut self, live: &[GrantId]);

    /// Renames what it keeps.
    fn canonical(&mut self, canon: &mut Canon);
}
