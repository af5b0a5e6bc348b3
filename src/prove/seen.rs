//! What happened on the way from one state to the next, as bits that a search collects.
//!
//! Must not decide what it means.

use super::kind::Kind;
use super::state::Done;
use crate::check::{OracleName, WitnessName};
use crate::history::Record;

/// What happened between two states.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) marks: u64,
    pub(crate) ticks: u32,
    /// The events themselves, if anybody wants them.
    pub(crate) done: Option<Vec<Done>>,
    /// What happened on the way with the ticks before it, if anybody wants that.
    pub(crate) told: Option<Vec<(u32, Record)>>,
}

/// Bits: 0.. violated oracles, 20.. kinds of fault that took effect, 32 a grant, 33 a touch, 36.. exercised oracles,
/// 56.. witnesses.
pub(crate) const GRANTED: u64 = 1 << 32;
/// A violation in which intervals only touch, or one is empty by a point.
pub(crate) const TOUCHED: u64 = 1 << 33;

fn place(oracle: OracleName) -> usize {
    OracleName::TEXTS.iter().position(|(known, _)| *known == oracle).unwrap_or_default()
}

/// This oracle was violated.
pub(crate) fn violated(oracle: OracleName) -> u64 {
    1 << place(oracle)
}

/// This oracle has been exercised.
pub(crate) fn exercised(oracle: OracleName) -> u64 {
    1 << (36 + place(oracle))
}

/// A fault of this kind took effect.
pub(crate) fn happened(kind: Kind) -> u64 {
    1 << (20 + kind.place())
}

/// This has been witnessed; nothing for witnesses of faults.
pub(crate) fn witnessed(name: WitnessName) -> u64 {
    let place = WitnessName::TEXTS.iter().position(|(known, _)| *known == name);
    place.map_or(0, |place| 1 << (56 + place))
}

impl Seen {
    /// One that also collects records. It collects events too, because whoever does is not given shortcuts.
    pub(crate) fn telling() -> Self {
        Self { done: Some(Vec::new()), told: Some(Vec::new()), ..Self::default() }
    }

    pub(crate) fn tell(&mut self, records: &[Record]) {
        let ticks = self.ticks;
        if let Some(list) = &mut self.told {
            list.extend(records.iter().map(|record| (ticks, record.clone())));
        }
    }

    pub(crate) fn note(&mut self, done: Done) {
        if let Some(list) = &mut self.done {
            list.push(done);
        }
    }
}
