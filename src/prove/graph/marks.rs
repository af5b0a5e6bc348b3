//! What happened on an edge, as a set of bits.
//!
//! Must not give a bit a meaning: the graph that is searched does.

/// A set of at most 64 marks: an oracle violated, a witness seen, a grant given.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marks(pub u64);

impl Marks {
    /// No mark.
    pub const NONE: Self = Self(0);

    /// The set of one mark.
    ///
    /// # Panics
    /// If `bit` is 64 or more.
    pub const fn bit(bit: u8) -> Self {
        assert!(bit < 64, "there are 64 marks");
        Self(1 << bit)
    }

    /// What is in either.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in this set and not in the other.
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the two share a mark.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether all of the other's marks are in this set.
    pub const fn contains(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether there is no mark.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The marks in the set, lowest first.
    pub fn bits(self) -> impl Iterator<Item = u8> {
        (0..64).filter(move |bit| self.0 >> bit & 1 == 1)
    }
}

impl std::fmt::Debug for Marks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.bits()).finish()
    }
}
