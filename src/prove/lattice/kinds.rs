//! A set of kinds.
//!
//! Must not give a kind a meaning.

/// A set of at most 32 kinds, by bit. Ordered by bits, which means nothing but is the same everywhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kinds(pub u32);

impl Kinds {
    /// No kind.
    pub const NONE: Self = Self(0);

    /// The set of one kind.
    ///
    /// # Panics
    /// If `kind` is 32 or more.
    pub const fn one(kind: u32) -> Self {
        assert!(kind < 32, "there are 32 kinds");
        Self(1 << kind)
    }

    /// The first so many kinds.
    ///
    /// # Panics
    /// If there are more than 32.
    pub const fn first(count: u32) -> Self {
        assert!(count <= 32, "there are 32 kinds");
        Self(((1_u64 << count) - 1) as u32)
    }

    /// How many kinds are in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all kinds of `other` are in this set.
    pub const fn contains(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// What is in either.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in this set and not in the other.
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The kinds in the set, lowest first.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..32).filter(move |kind| self.0 >> kind & 1 == 1)
    }

    /// The sets that lack one kind of this one, lowest kind first.
    pub fn without_one(self) -> impl Iterator<Item = Self> {
        self.iter().map(move |kind| self.minus(Self::one(kind)))
    }

    /// The subsets of exactly `size` kinds, in the order of their bits.
    pub fn of_size(self, size: u32) -> impl Iterator<Item = Self> {
        let kinds: Vec<u32> = self.iter().collect();
        let first = (1_u64 << size.min(33)) - 1;
        let end = 1_u64 << kinds.len();
        std::iter::successors(Some(first), |places| following(*places))
            .take_while(move |places| *places < end)
            .map(move |places| {
                let chosen = (0..).zip(&kinds).filter(|(place, _)| places >> place & 1 == 1);
                chosen.fold(Self::NONE, |set, (_, kind)| set.union(Self::one(*kind)))
            })
    }
}

/// The next greater number with as many bits: the lowest run of ones gives its top one upwards and falls down.
fn following(number: u64) -> Option<u64> {
    let lowest = number & number.wrapping_neg();
    let carried = number + lowest;
    (lowest != 0).then(|| carried | ((carried ^ number) / lowest) >> 2)
}

impl std::fmt::Debug for Kinds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
