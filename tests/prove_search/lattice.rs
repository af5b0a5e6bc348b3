//! Surveys of all subsets against brute force, with answers that are missing at random.

use fencepost::prove::lattice::{Answer, Kinds, Lattice, Survey};
use proptest::prelude::*;

/// A question whose answer is known to the test: what breaks is what contains one of some sets.
#[derive(Clone, Debug)]
struct Truth {
    lattice: Lattice,
    breaking: Vec<Kinds>,
    /// Sets whose answer is missing, by bit.
    unknown: u64,
    /// Chooses which breaking subset a counterexample uses.
    seed: u32,
}

impl Truth {
    fn breaks(&self, set: Kinds) -> bool {
        self.breaking.iter().any(|breaking| set.contains(*breaking))
    }

    fn is_unknown(&self, set: Kinds) -> bool {
        self.unknown >> set.0 & 1 == 1
    }

    fn answer(&self, set: Kinds) -> Answer {
        if self.is_unknown(set) {
            return Answer::Unknown;
        }
        let bound = self.lattice.faults_max;
        let used: Vec<Kinds> =
            self.sets().filter(|used| set.contains(*used) && used.len() <= bound).collect();
        let used: Vec<Kinds> = used.into_iter().filter(|used| self.breaks(*used)).collect();
        match used.len() {
            0 => Answer::Holds,
            count => Answer::Breaks(used[(self.seed ^ set.0.wrapping_mul(2_654_435_761)) as usize % count]),
        }
    }

    fn sets(&self) -> impl Iterator<Item = Kinds> + use<> {
        (0..1_u32 << self.lattice.kinds).map(Kinds)
    }

    /// The extreme ones of the sets that pass.
    fn extreme(&self, passes: impl Fn(Kinds) -> bool, inside: impl Fn(Kinds, Kinds) -> bool) -> Vec<Kinds> {
        let passing: Vec<Kinds> = self.sets().filter(|set| passes(*set)).collect();
        let beaten = |set: &Kinds| passing.iter().any(|other| other != set && inside(*other, *set));
        let mut extreme: Vec<Kinds> = passing.iter().copied().filter(|set| !beaten(set)).collect();
        extreme.sort_by_key(|set| (std::cmp::Reverse(set.len()), *set));
        extreme
    }

    fn minimal(&self, passes: impl Fn(Kinds) -> bool) -> Vec<Kinds> {
        self.extreme(passes, |other, set| set.contains(other))
    }

    fn maximal(&self, passes: impl Fn(Kinds) -> bool) -> Vec<Kinds> {
        self.extreme(passes, |other, set| other.contains(set))
    }
}

fn truths(unknown: impl Strategy<Value = u64> + Clone) -> impl Strategy<Value = Truth> {
    (0..=6_u32, 0..=7_u32).prop_flat_map(move |(kinds, faults_max)| {
        let set = prop::collection::vec(prop::num::u32::ANY, 2);
        // Sparse sets, of at most as many kinds as a counterexample can use.
        let set = set.prop_map(move |bits| Kinds(bits[0] & bits[1] & Kinds::first(kinds).0));
        let set = set.prop_filter("small", move |set| set.len() <= faults_max);
        let lattice = Lattice { kinds, faults_max, asks_max: usize::MAX };
        (prop::collection::vec(set, 0..5), unknown.clone(), prop::num::u32::ANY)
            .prop_map(move |(breaking, unknown, seed)| Truth { lattice, breaking, unknown, seed })
    })
}

/// What a survey says of one set.
#[derive(Debug, PartialEq)]
enum Said {
    Breaks,
    Holds,
    Undecided,
}

fn said(survey: &Survey, set: Kinds) -> Said {
    let breaks = survey.minimal_breaking.iter().chain(&survey.breaking).any(|own| set.contains(*own));
    let holds = survey.maximal_safe.iter().chain(&survey.safe).any(|own| own.contains(set));
    let undecided = survey.undecided_minimal.iter().any(|least| set.contains(*least))
        && survey.undecided_maximal.iter().any(|most| most.contains(set));
    match (breaks, holds, undecided) {
        (true, false, false) => Said::Breaks,
        (false, true, false) => Said::Holds,
        (false, false, true) => Said::Undecided,
        (breaks, holds, undecided) => panic!("{set:?}: {breaks} {holds} {undecided} in {survey:?}"),
    }
}

/// Nothing is said that is not so, and every list is what it is called.
#[track_caller]
fn claims_only_what_is_so(truth: &Truth, survey: &Survey) {
    for set in truth.sets() {
        match said(survey, set) {
            Said::Breaks => assert!(truth.breaks(set), "{set:?} does not break"),
            Said::Holds => assert!(!truth.breaks(set), "{set:?} breaks"),
            Said::Undecided => {}
        }
    }
    let is = |set: Kinds, what: Said| said(survey, set) == what;
    let mut breaking = [&survey.minimal_breaking[..], &survey.breaking].concat();
    breaking.sort_by_key(|set| (std::cmp::Reverse(set.len()), *set));
    assert_eq!(breaking, truth.minimal(|set| is(set, Said::Breaks)));
    let mut safe = [&survey.maximal_safe[..], &survey.safe].concat();
    safe.sort_by_key(|set| (std::cmp::Reverse(set.len()), *set));
    assert_eq!(safe, truth.maximal(|set| is(set, Said::Holds)));
    assert_eq!(survey.undecided_maximal, truth.maximal(|set| is(set, Said::Undecided)));
    assert_eq!(survey.undecided_minimal, truth.minimal(|set| is(set, Said::Undecided)));
    let (least, most) = (truth.minimal(|set| truth.breaks(set)), truth.maximal(|set| !truth.breaks(set)));
    assert!(survey.minimal_breaking.iter().all(|set| least.contains(set)), "proven minimal");
    assert!(survey.maximal_safe.iter().all(|set| most.contains(set)), "proven maximal");
    // What is called less than proven could be less.
    let might = |set: Kinds, part: Kinds| set != part && is(part, Said::Undecided);
    for set in &survey.breaking {
        assert!(truth.sets().any(|part| set.contains(part) && might(*set, part)));
    }
    for set in &survey.safe {
        assert!(truth.sets().any(|more| more.contains(*set) && might(*set, more)));
    }
}

/// No question is one whose answer followed from the answers before it.
#[track_caller]
fn asks_only_what_is_open(survey: &Survey, faults_max: u32) {
    for (place, (set, _)) in survey.asked.iter().enumerate() {
        for (earlier, answer) in &survey.asked[..place] {
            assert_ne!(earlier, set, "asked twice");
            match answer {
                Answer::Breaks(used) => {
                    // A counterexample that is being shrunk is asked about below what it uses.
                    assert!(!set.contains(*used), "{set:?} breaks as {used:?} does");
                }
                Answer::Holds => assert!(!earlier.contains(*set), "{set:?} holds as {earlier:?} does"),
                Answer::Unknown => assert!(
                    set.len() <= faults_max || !earlier.contains(*set),
                    "{set:?} is too much, as {earlier:?} is"
                ),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn with_all_answers_everything_is_decided(truth in truths(Just(0))) {
        let survey = truth.lattice.survey(|set| truth.answer(set));
        claims_only_what_is_so(&truth, &survey);
        asks_only_what_is_open(&survey, truth.lattice.faults_max);
        prop_assert_eq!(&survey.minimal_breaking, &truth.minimal(|set| truth.breaks(set)));
        prop_assert_eq!(&survey.maximal_safe, &truth.maximal(|set| !truth.breaks(set)));
        prop_assert!(survey.breaking.is_empty() && survey.safe.is_empty());
        prop_assert!(survey.undecided_maximal.is_empty() && survey.undecided_minimal.is_empty());
    }

    #[test]
    fn what_is_not_answered_is_not_claimed(truth in truths(prop_oneof![any::<u64>(), Just(u64::MAX)])) {
        let survey = truth.lattice.survey(|set| truth.answer(set));
        claims_only_what_is_so(&truth, &survey);
        asks_only_what_is_open(&survey, truth.lattice.faults_max);
        prop_assert_eq!(&survey, &truth.lattice.survey(|set| truth.answer(set)), "the same again");
        // As much is decided as can be: whatever counts and is left was asked about in vain.
        let bound = truth.lattice.faults_max;
        for set in truth.sets().filter(|set| set.len() <= bound && said(&survey, *set) == Said::Undecided) {
            prop_assert!(survey.asked.contains(&(set, Answer::Unknown)), "{:?} was not asked about", set);
        }
    }

    #[test]
    fn a_survey_that_is_cut_short_claims_no_more(truth in truths(any::<u64>()), asks_max in 0..8_usize) {
        let all = truth.lattice.survey(|set| truth.answer(set)).asked;
        let survey = Lattice { asks_max, ..truth.lattice }.survey(|set| truth.answer(set));
        claims_only_what_is_so(&truth, &survey);
        prop_assert_eq!(&survey.asked[..], &all[..asks_max.min(all.len())]);
    }
}

#[test]
fn a_bound_on_faults_decides_large_sets_by_small_ones() {
    // Twelve kinds, nothing larger than two can be exhausted, one pair breaks.
    let pair = Kinds::one(3).union(Kinds::one(7));
    let lattice = Lattice { kinds: 12, faults_max: 2, asks_max: 100 };
    let survey = lattice.survey(|set| match (set.len(), set.contains(pair)) {
        (0..=2, true) => Answer::Breaks(pair),
        (0..=2, false) => Answer::Holds,
        _ => Answer::Unknown,
    });
    assert_eq!(survey.minimal_breaking, [pair]);
    let all = Kinds::first(12);
    assert_eq!(survey.maximal_safe, [all.minus(Kinds::one(7)), all.minus(Kinds::one(3))]);
    assert!(survey.undecided_maximal.is_empty());
    assert_eq!(survey.asked.len(), 67, "all kinds, and each pair");
}

#[test]
fn subsets_of_a_size_come_in_order() {
    let set = Kinds(0b1011_0100);
    for size in 0..=9 {
        let expected: Vec<Kinds> =
            (0..256).map(Kinds).filter(|own| set.contains(*own) && own.len() == size).collect();
        assert_eq!(set.of_size(size).collect::<Vec<_>>(), expected, "{size}");
    }
    assert_eq!(Kinds::first(32).of_size(2).count(), 496);
    assert_eq!(Kinds::first(32).of_size(32).count(), 1);
    assert_eq!(Kinds::first(32).of_size(33).count(), 0);
    assert_eq!(Kinds::first(32).without_one().count(), 32);
}

#[test]
fn answers_that_cannot_be_are_refused() {
    type Test = fn(Kinds) -> Answer;
    let cases: [(&str, Test); 3] = [
        ("more than the bound", Answer::Breaks),
        ("only {} is allowed", |set| Answer::Breaks(Kinds::one(if set.is_empty() { 0 } else { 5 }))),
        ("a set around it holds", |set| match set {
            Kinds(0b011) => Answer::Holds,
            Kinds(0b101) => Answer::Breaks(Kinds(0b001)),
            _ => Answer::Unknown,
        }),
    ];
    for (why, test) in cases {
        let lattice = Lattice { kinds: 3, faults_max: 2, asks_max: 100 };
        let refused = std::panic::catch_unwind(|| lattice.survey(test));
        let panic = refused.expect_err(why);
        let text = panic.downcast_ref::<String>().map_or("", String::as_str);
        let told = why.split("{}").all(|part| text.contains(part));
        assert!(told, "{text:?} does not say {why:?}");
    }
}
