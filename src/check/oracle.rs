//! The names of the oracles.

/// An oracle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OracleName {
    /// Two promises intersect.
    PromiseOverlap,
    /// A grant or extension whose end is not after its own decision.
    PromiseEmpty,
    /// Inside a promise a rival could win a quorum.
    PromiseUnbacked,
    /// Two clients are inside the section at once.
    SectionOverlap,
    /// The store accepted a write of an older grant after one of a newer grant.
    StaleWrite,
    /// The store refused a holder inside its promise while no newer grant exists.
    ValidWriteRefused,
    /// The workload's own invariant broke.
    LostUpdate,
    /// Fences do not rise with grants.
    FenceOrder,
    /// A live hold was changed or removed on behalf of another acquire call.
    ForeignChange,
    /// An extension succeeded after another owner was granted in between.
    Continuity,
    /// The caller was told *taken* although a quorum carries its value.
    FalseRefusal,
    /// After healing and quiet a hold key exists that nobody answers for.
    Orphan,
    /// A caller that does not hold still blocks others after the bound.
    Leak,
    /// A willing client gets no grant although nothing is wrong and nobody else asks.
    Stuck,
    /// A quorum is reachable, nobody holds or wants the lock, and a willing client gets none.
    Unavailable,
    /// A holder that could know is not told that its hold is gone.
    SilentLoss,
    /// A first-come lock granted out of order.
    Unfair,
    /// Holds in Redis differ from acquires minus releases.
    HoldCount,
}

/// What a scenario expects of an oracle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    /// Exercised and never violated.
    Held,
    /// Violated.
    Violated,
    /// The conditions under which it judges never arose.
    NotExercised,
}

impl OracleName {
    /// All, with their texts.
    pub const TEXTS: [(Self, &'static str); 18] = [
        (Self::PromiseOverlap, "promise-overlap"),
        (Self::PromiseEmpty, "promise-empty"),
        (Self::PromiseUnbacked, "promise-unbacked"),
        (Self::SectionOverlap, "section-overlap"),
        (Self::StaleWrite, "stale-write"),
        (Self::ValidWriteRefused, "valid-write-refused"),
        (Self::LostUpdate, "lost-update"),
        (Self::FenceOrder, "fence-order"),
        (Self::ForeignChange, "foreign-change"),
        (Self::Continuity, "continuity"),
        (Self::FalseRefusal, "false-refusal"),
        (Self::Orphan, "orphan"),
        (Self::Leak, "leak"),
        (Self::Stuck, "stuck"),
        (Self::Unavailable, "unavailable"),
        (Self::SilentLoss, "silent-loss"),
        (Self::Unfair, "unfair"),
        (Self::HoldCount, "hold-count"),
    ];

    /// Its text.
    pub fn text(self) -> &'static str {
        Self::TEXTS.iter().find(|(name, _)| *name == self).map_or("", |(_, text)| text)
    }
}

impl std::fmt::Display for OracleName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.text())
    }
}
