//! Witnesses counted over a run.
//!
//! Must not live in a prover's state: counts grow. `witness_latch.rs` is the finite form.

use super::contention::Contention;
use super::expiry_under_load::ExpiryUnderLoad;
use super::hand_over::HandOver;
use super::readers::Readers;
use super::sighting::Sighting;
use super::witness::WitnessName;
use crate::history::{Fact, LostWhy, Record};
use crate::plan::FaultKind;
use std::collections::BTreeMap;

/// How often each witness was observed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Witnesses {
    contention: Contention,
    hand_over: HandOver,
    expiry_under_load: ExpiryUnderLoad,
    counts: BTreeMap<WitnessName, u64>,
}

impl Default for Witnesses {
    fn default() -> Self {
        Self::new()
    }
}

impl Witnesses {
    /// Nothing observed.
    pub fn new() -> Self {
        Self::among(&Readers::NONE)
    }

    /// Nothing observed in a run in which the grants of these clients are shared.
    pub fn among(readers: &Readers) -> Self {
        Self {
            contention: Contention::new(readers),
            hand_over: HandOver::new(readers),
            expiry_under_load: ExpiryUnderLoad::new(readers),
            counts: BTreeMap::new(),
        }
    }

    /// So many of each observed already, for example over many runs.
    pub fn of_counts(counts: BTreeMap<WitnessName, u64>) -> Self {
        Self { counts, ..Self::new() }
    }

    /// Takes the next record of the run.
    pub fn on_record(&mut self, record: &Record) {
        if let Some(name) = plain(record) {
            self.count(name);
        }
        if self.contention.on_record(record) {
            self.count(WitnessName::Contention);
        }
        if self.hand_over.on_record(record) {
            self.count(WitnessName::HandOver);
        }
        if self.expiry_under_load.on_record(record) {
            self.count(WitnessName::ExpiryUnderLoad);
        }
    }

    /// How often this was observed.
    pub fn of(&self, name: WitnessName) -> u64 {
        self.counts.get(&name).copied().unwrap_or(0)
    }

    /// What was observed at least once, in the order of [`WitnessName`].
    pub fn counts(&self) -> impl Iterator<Item = (WitnessName, u64)> + '_ {
        self.counts.iter().map(|(name, count)| (*name, *count))
    }

    fn count(&mut self, name: WitnessName) {
        *self.counts.entry(name).or_insert(0) += 1;
    }
}

/// The witness that a record is by itself, without any memory.
pub(super) fn plain(record: &Record) -> Option<WitnessName> {
    if let Fact::FaultBegan { kind, effective: true, .. } = record.fact {
        return Some(WitnessName::Fault(kind));
    }
    let directed =
        matches!(record.fact, Fact::Delayed { .. } | Fact::MessageLost { why: LostWhy::Directive, .. });
    if directed {
        return Some(WitnessName::Fault(FaultKind::Message));
    }
    if let Fact::StoreWrite { accepted: false, .. } = record.fact {
        return Some(WitnessName::RefusedWrite);
    }
    matches!(record.fact, Fact::Granted { .. }).then_some(WitnessName::Grants)
}
