//! Asking about sets until all that can be decided is.
//!
//! Must not ask about a set whose answer follows from others, nor about one twice.

use super::Kinds;
use super::border::{Floors, Tops, sort};
use std::collections::BTreeMap;

/// What a test of a set says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// It breaks, and the counterexample uses only these kinds of the set; so these alone break too.
    Breaks(Kinds),
    /// It does not break, nor does any subset.
    Holds,
    /// Nothing is known; this decides nothing about other sets either.
    Unknown,
}

/// What is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lattice {
    /// How many kinds there are, at most 32.
    pub kinds: u32,
    /// How many kinds a counterexample can use at most: the bound on the total of faults. A larger set breaks only by
    /// a subset of this size, so it holds once all those do. Anything from `kinds` on is no bound.
    pub faults_max: u32,
    /// How many questions may be asked.
    pub asks_max: usize,
}

/// What is known of all sets.
///
/// **Shape** lists of sets are sorted, largest first, then by bits. Every set is exactly one of: a superset of a
/// breaking set, a subset of a safe set, undecided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// Sets that break and of which no proper subset does: known for certain.
    pub minimal_breaking: Vec<Kinds>,
    /// Sets that break, no smaller one inside is known to, but it is not known that none does.
    pub breaking: Vec<Kinds>,
    /// Sets that hold and of which every proper superset breaks: known for certain.
    pub maximal_safe: Vec<Kinds>,
    /// Sets that hold, no larger one around is known to, but it is not known that none does.
    pub safe: Vec<Kinds>,
    /// The largest undecided sets.
    pub undecided_maximal: Vec<Kinds>,
    /// The smallest undecided sets. Undecided are exactly the sets between one of these and one of the largest.
    pub undecided_minimal: Vec<Kinds>,
    /// Every question with its answer, in the order in which they were asked.
    pub asked: Vec<(Kinds, Answer)>,
}

impl Lattice {
    /// Asks `test` about sets until every set is decided, or no question is left that could decide one.
    ///
    /// **Shape** with answers that are never unknown, everything is decided. Otherwise every undecided set of at most
    /// `faults_max` kinds was asked about and was unknown, unless `asks_max` ended it.
    ///
    /// # Panics
    /// If an answer uses kinds that the set lacks, or more than `faults_max`; or if answers contradict each other:
    /// a set breaks that lies in one that holds.
    pub fn survey(&self, test: impl FnMut(Kinds) -> Answer) -> Survey {
        let all = Kinds::first(self.kinds);
        let mut state = Asking {
            lattice: *self,
            test,
            tops: Tops::new(all),
            floors: Floors::new(all, self.faults_max),
            breaking: Vec::new(),
            answers: BTreeMap::new(),
            asked: Vec::new(),
        };
        while let Some(set) = state.next() {
            if let Some(Answer::Breaks(used)) = state.ask(set) {
                state.shrink(used);
            }
        }
        state.finish()
    }
}

/// A survey under way.
struct Asking<T> {
    lattice: Lattice,
    test: T,
    /// The largest sets that are not known to break.
    tops: Tops,
    /// The smallest sets that are not known to hold.
    floors: Floors,
    /// The smallest sets that are known to break.
    breaking: Vec<Kinds>,
    answers: BTreeMap<Kinds, Answer>,
    asked: Vec<(Kinds, Answer)>,
}

impl<T: FnMut(Kinds) -> Answer> Asking<T> {
    fn breaks(&self, set: Kinds) -> bool {
        self.breaking.iter().any(|breaking| set.contains(*breaking))
    }

    fn is_undecided(&self, set: Kinds) -> bool {
        !self.breaks(set) && !self.floors.are_above(set)
    }

    /// The next set to ask about: the largest that may hold, and then the parts of those that are unknown.
    fn next(&self) -> Option<Kinds> {
        if self.asked.len() >= self.lattice.asks_max {
            return None;
        }
        let is_open = |set: &Kinds| self.is_undecided(*set) && !self.answers.contains_key(set);
        let asked_in_vain = self.asked.iter().filter(|(_, answer)| *answer == Answer::Unknown);
        let mut unknown: Vec<Kinds> = asked_in_vain.map(|(set, _)| *set).collect();
        sort(&mut unknown);
        // What is inside an unknown set is likely to be too much as well, and above the bound its parts decide it.
        let is_too_much = |set: &Kinds| {
            set.len() > self.lattice.faults_max && unknown.iter().any(|unknown| unknown.contains(*set))
        };
        let tops = self.tops.sets().iter().copied();
        let top = tops.filter(is_open).find(|top| !is_too_much(top));
        top.or_else(|| unknown.iter().find_map(|set| self.parts(*set).into_iter().find(is_open)))
    }

    /// The subsets that an unknown set is taken apart into. Above the bound on faults only those of that size count.
    fn parts(&self, set: Kinds) -> Vec<Kinds> {
        let bound = self.lattice.faults_max;
        if set.len() > bound { set.of_size(bound).collect() } else { set.without_one().collect() }
    }

    /// Asks, unless no more may be asked.
    fn ask(&mut self, set: Kinds) -> Option<Answer> {
        if self.asked.len() >= self.lattice.asks_max {
            return None;
        }
        let answer = (self.test)(set);
        self.asked.push((set, answer));
        assert!(self.answers.insert(set, answer).is_none(), "no set is asked about twice");
        match answer {
            Answer::Breaks(used) => {
                assert!(set.contains(used), "{used:?} is used, but only {set:?} is allowed");
                assert!(used.len() <= self.lattice.faults_max, "{used:?} is more than the bound on faults");
                assert!(!self.floors.are_above(used), "{used:?} breaks, but a set around it holds");
            }
            Answer::Holds => self.floors.cover(set),
            Answer::Unknown => {}
        }
        Some(answer)
    }

    /// Takes kinds out of a set that breaks as long as it does.
    fn shrink(&mut self, breaking: Kinds) {
        let mut set = breaking;
        for kind in breaking.iter() {
            let smaller = set.minus(Kinds::one(kind));
            // A kind may have gone with another; a set may be decided, or have been asked about, already.
            if smaller == set || !self.is_undecided(smaller) || self.answers.contains_key(&smaller) {
                continue;
            }
            if let Some(Answer::Breaks(used)) = self.ask(smaller) {
                set = used;
            }
        }
        self.breaking.retain(|known| !known.contains(set));
        self.breaking.push(set);
        self.tops.forbid(set);
    }

    fn finish(mut self) -> Survey {
        let holds = |set: &Kinds| self.floors.are_above(*set);
        sort(&mut self.breaking);
        let (minimal_breaking, breaking) =
            self.breaking.iter().partition(|set| set.without_one().all(|smaller| holds(&smaller)));
        let (maximal_safe, undecided_maximal) = self.tops.sets().iter().partition(|top| holds(top));
        let mut safe = Tops::new(Kinds::first(self.lattice.kinds));
        self.floors.sets().iter().for_each(|floor| safe.forbid(*floor));
        let proven: &Vec<Kinds> = &maximal_safe;
        let safe = safe.sets().iter().copied().filter(|set| !proven.contains(set)).collect();
        let floors = self.floors.sets().iter().copied();
        let undecided_minimal = floors.filter(|floor| !self.breaks(*floor)).collect();
        let asked = self.asked;
        Survey { minimal_breaking, breaking, maximal_safe, safe, undecided_maximal, undecided_minimal, asked }
    }
}
