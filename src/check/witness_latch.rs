//! Witnesses as latches: the finite form that lives in a prover's state.
//!
//! A latch that is set forgets what it watched by. Must not count.

use super::contention::Contention;
use super::expiry_under_load::ExpiryUnderLoad;
use super::hand_over::HandOver;
use super::readers::Readers;
use super::sighting::Sighting;
use super::witness::WitnessName;
use super::witness_count::plain;
use crate::canon::Canon;
use crate::history::Record;
use crate::name::GrantId;
use crate::plan::FaultKind;

/// Whether each witness was ever observed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WitnessLatches {
    contention: Latch<Contention>,
    hand_over: Latch<HandOver>,
    expiry_under_load: Latch<ExpiryUnderLoad>,
    granted: bool,
    refused_write: bool,
    /// Bit `n` stands for entry `n` of [`FaultKind::TEXTS`].
    faults: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Latch<S> {
    Waiting(S),
    Seen,
}

impl<S: Sighting> Latch<S> {
    fn new(readers: &Readers) -> Self {
        Self::Waiting(S::new(readers))
    }

    fn on_record(&mut self, record: &Record) {
        if let Self::Waiting(sighting) = self
            && sighting.on_record(record)
        {
            *self = Self::Seen;
        }
    }

    fn seen(&self) -> bool {
        matches!(self, Self::Seen)
    }

    fn kept(&self, kept: &mut Vec<GrantId>) {
        if let Self::Waiting(sighting) = self {
            sighting.kept(kept);
        }
    }

    fn retire(&mut self, live: &[GrantId]) {
        if let Self::Waiting(sighting) = self {
            sighting.retire(live);
        }
    }

    fn canonical(&mut self, canon: &mut Canon) {
        if let Self::Waiting(sighting) = self {
            sighting.canonical(canon);
        }
    }
}

impl Default for WitnessLatches {
    fn default() -> Self {
        Self::new()
    }
}

impl WitnessLatches {
    /// Nothing observed.
    pub fn new() -> Self {
        Self::among(&Readers::NONE)
    }

    /// Nothing observed in a run in which the grants of these clients are shared.
    pub fn among(readers: &Readers) -> Self {
        Self {
            contention: Latch::new(readers),
            hand_over: Latch::new(readers),
            expiry_under_load: Latch::new(readers),
            granted: false,
            refused_write: false,
            faults: 0,
        }
    }

    /// Takes the next record of the run.
    pub fn on_record(&mut self, record: &Record) {
        match plain(record) {
            Some(WitnessName::Grants) => self.granted = true,
            Some(WitnessName::RefusedWrite) => self.refused_write = true,
            Some(WitnessName::Fault(kind)) => self.faults |= bit(kind),
            Some(WitnessName::Contention | WitnessName::HandOver | WitnessName::ExpiryUnderLoad) | None => {}
        }
        self.contention.on_record(record);
        self.hand_over.on_record(record);
        self.expiry_under_load.on_record(record);
    }

    /// Whether this was ever observed.
    pub fn seen(&self, name: WitnessName) -> bool {
        match name {
            WitnessName::Grants => self.granted,
            WitnessName::Contention => self.contention.seen(),
            WitnessName::HandOver => self.hand_over.seen(),
            WitnessName::ExpiryUnderLoad => self.expiry_under_load.seen(),
            WitnessName::RefusedWrite => self.refused_write,
            WitnessName::Fault(kind) => self.faults & bit(kind) != 0,
        }
    }

    /// The grants still kept, as [`super::Panel::live_grants`].
    pub fn live_grants(&self) -> impl Iterator<Item = GrantId> {
        let mut kept = Vec::new();
        self.contention.kept(&mut kept);
        self.hand_over.kept(&mut kept);
        self.expiry_under_load.kept(&mut kept);
        kept.into_iter()
    }

    /// Drops what can no longer matter, as [`super::Panel::retire`].
    pub fn retire(&mut self, live: &[GrantId]) {
        self.contention.retire(live);
        self.hand_over.retire(live);
        self.expiry_under_load.retire(live);
    }

    /// Renames what is kept.
    pub fn canonical(&mut self, canon: &mut Canon) {
        self.contention.canonical(canon);
        self.hand_over.canonical(canon);
        self.expiry_under_load.canonical(canon);
    }
}

fn bit(kind: FaultKind) -> u32 {
    let place = FaultKind::TEXTS.iter().position(|(known, _)| *known == kind);
    1 << place.expect("every kind of fault has a text")
}
