//! Witnesses: what must have been observed for "held" to mean anything.

use crate::plan::FaultKind;

/// A witness, counted over a run. Fault kinds count the faults that really took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WitnessName {
    /// Grants.
    Grants,
    /// An attempt begun inside another client's promise.
    Contention,
    /// A grant after another client's grant ended by release.
    HandOver,
    /// A grant after another client's key expired while its holder was inside.
    ExpiryUnderLoad,
    /// A write that the store refused.
    RefusedWrite,
    /// A fault of this kind took effect.
    Fault(FaultKind),
}

impl WitnessName {
    /// Those that are no fault, with their texts.
    pub const TEXTS: [(Self, &'static str); 5] = [
        (Self::Grants, "grants"),
        (Self::Contention, "contention"),
        (Self::HandOver, "hand-over"),
        (Self::ExpiryUnderLoad, "expiry-under-load"),
        (Self::RefusedWrite, "refused-write"),
    ];

    /// Its text.
    pub fn text(self) -> &'static str {
        match self {
            Self::Fault(kind) => kind.text(),
            Self::Grants | Self::Contention | Self::HandOver | Self::ExpiryUnderLoad | Self::RefusedWrite => {
                Self::TEXTS.iter().find(|(name, _)| *name == self).map_or("", |(_, text)| text)
            }
        }
    }

    /// The witness with this text.
    pub fn of(text: &str) -> Option<Self> {
        let plain = Self::TEXTS.iter().find(|(_, known)| *known == text).map(|(name, _)| *name);
        let fault = || FaultKind::TEXTS.iter().find(|(_, known)| *known == text);
        plain.or_else(|| fault().map(|(kind, _)| Self::Fault(*kind)))
    }
}

impl std::fmt::Display for WitnessName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.text())
    }
}
