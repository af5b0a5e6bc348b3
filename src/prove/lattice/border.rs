//! The border of a region of sets, kept as its extreme members.
//!
//! Two borders say all that is known. Must not ask anything.

use super::Kinds;

/// The maximal sets that contain none of some forbidden sets.
#[derive(Clone, Debug)]
pub(super) struct Tops(Vec<Kinds>);

impl Tops {
    /// Nothing is forbidden.
    pub(super) fn new(all: Kinds) -> Self {
        Self(vec![all])
    }

    /// Forbids a set, and every set that contains it.
    pub(super) fn forbid(&mut self, set: Kinds) {
        let (broken, mut tops): (Vec<Kinds>, Vec<Kinds>) = self.0.iter().partition(|top| top.contains(set));
        let lowered = broken.iter().flat_map(|top| set.iter().map(|kind| top.minus(Kinds::one(kind))));
        for top in lowered {
            if !tops.iter().any(|other| other.contains(top)) {
                tops.push(top);
            }
        }
        // What was lowered from one top may lie in what was lowered from another later.
        let all = tops.clone();
        tops.retain(|top| !all.iter().any(|other| other != top && other.contains(*top)));
        self.0 = tops;
        sort(&mut self.0);
    }

    /// Largest first.
    pub(super) fn sets(&self) -> &[Kinds] {
        &self.0
    }
}

/// The minimal sets, of at most so many kinds, that lie in none of some covers.
#[derive(Clone, Debug)]
pub(super) struct Floors {
    all: Kinds,
    size_max: u32,
    sets: Vec<Kinds>,
}

impl Floors {
    /// Nothing is covered: the empty set is the smallest that is not.
    pub(super) fn new(all: Kinds, size_max: u32) -> Self {
        Self { all, size_max, sets: vec![Kinds::NONE] }
    }

    /// Covers a set, and every set that lies in it.
    pub(super) fn cover(&mut self, set: Kinds) {
        let outside = self.all.minus(set);
        let (covered, mut floors): (Vec<Kinds>, Vec<Kinds>) =
            self.sets.iter().partition(|floor| set.contains(**floor));
        let raised =
            covered.iter().flat_map(|floor| outside.iter().map(|kind| floor.union(Kinds::one(kind))));
        for floor in raised.filter(|floor| floor.len() <= self.size_max) {
            if !floors.iter().any(|other| floor.contains(*other)) {
                floors.push(floor);
            }
        }
        let all = floors.clone();
        floors.retain(|floor| !all.iter().any(|other| other != floor && floor.contains(*other)));
        self.sets = floors;
        sort(&mut self.sets);
    }

    /// Whether every subset of at most `size_max` kinds lies in a cover.
    pub(super) fn are_above(&self, set: Kinds) -> bool {
        !self.sets.iter().any(|floor| set.contains(*floor))
    }

    /// Largest first.
    pub(super) fn sets(&self) -> &[Kinds] {
        &self.sets
    }
}

/// Largest first, then by bits.
pub(super) fn sort(sets: &mut [Kinds]) {
    sets.sort_unstable_by_key(|set| (std::cmp::Reverse(set.len()), *set));
}
