//! The search against a plain one, against stateright, and against itself with other numbers of threads.

use crate::toys::{Digits, FULL, Plain, Table, plain, tables};
use fencepost::prove::graph::{Marks, Walk};
use fencepost::prove::search::{
    CollisionBound, End, Fingerprinter, Graph, Keep, Limits, Progress, Search, Searched, Step,
};
use proptest::prelude::*;
use stateright::{Checker, Model, Property};
use std::ops::ControlFlow;
use xxhash_rust::xxh3::xxh3_64;

fn search(threads: usize) -> Search {
    Search { threads, wanted: Marks::NONE, limits: Limits::NONE, keep: Keep::Paths }
}

fn on(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[track_caller]
fn same_as_plain(table: &Table, found: &Searched, plain: &Plain) {
    assert_eq!(found.end(), End::Exhausted);
    assert_eq!(found.states() as usize, plain.met.len());
    assert_eq!(found.generated(), plain.generated);
    assert_eq!(found.marks(), plain.marks);
    assert_eq!(Some(found.depth()), plain.met.iter().map(|(_, depth, _)| *depth).max());
    for bit in 0..64 {
        let first = found.first(bit).map(|first| (first.from, first.choice, first.depth));
        assert_eq!(first, plain.firsts.get(&bit).copied(), "mark {bit}");
    }
    for (number, (state, depth, _)) in (0..).zip(&plain.met) {
        assert_eq!(found.depth_of(number), *depth);
        let walk = found.walk_to(number);
        assert_eq!(walk.choices.len(), *depth as usize, "a shortest walk");
        assert_eq!(follow(table, &walk).0, *state);
    }
    let edges = found.edges().expect("edges are kept");
    assert_eq!(edges.states(), found.states());
    for (number, (row, (state, ..))) in (0..).zip(plain.rows.iter().zip(&plain.met)) {
        assert_eq!(edges.is_expanded(number), row.is_some());
        let targets: Vec<u32> = edges.of(number).iter().map(|edge| edge.target).collect();
        assert_eq!(targets, row.clone().unwrap_or_default());
        for (place, edge) in edges.of(number).iter().enumerate() {
            let step = table.follow(state, table.rows[*state as usize].len() - 1 - place);
            assert_eq!(
                (usize::from(edge.choice), u32::from(edge.ticks), edge.marks),
                (place, step.ticks, step.marks)
            );
        }
    }
}

/// Where a walk ends, and the marks of its last edge.
fn follow<G: Graph>(graph: &G, walk: &Walk) -> (G::State, Marks) {
    let mut at = (graph.starts().swap_remove(walk.start), Marks::NONE);
    for place in &walk.choices {
        let mut offered = Vec::new();
        graph.choices(&at.0, &mut offered);
        let step = graph.follow(&at.0, offered[usize::from(*place)]);
        at = (step.state, step.marks);
    }
    at
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn finds_what_a_plain_search_finds(table in tables(60, 4), threads in 1..5_usize) {
        let plain = plain(&table);
        let (found, states) =
            Search { keep: Keep::Edges, ..search(threads) }.collect(&table, |state| state % 3 == 0, on);
        same_as_plain(&table, &found, &plain);
        let expected: Vec<(u32, u32)> = (0..).zip(&plain.met).map(|(number, met)| (number, met.0)).collect();
        prop_assert_eq!(states, expected.into_iter().filter(|(_, state)| state % 3 == 0).collect::<Vec<_>>());
    }

    #[test]
    fn walks_over_marks_are_shortest_and_carry_them(table in tables(40, 3)) {
        let found = search(1).run(&table, on);
        for bit in found.marks().bits() {
            let walk = found.walk_over(bit).expect("it was seen");
            prop_assert!(follow(&table, &walk).1.meets(Marks::bit(bit)));
            prop_assert_eq!(Some(walk.choices.len() as u32), found.first(bit).map(|first| first.depth));
            prop_assert_eq!(found.path(&table, &walk).len(), walk.choices.len());
        }
        prop_assert_eq!(found.walk_over(40), None);
    }
}

/// A table that follows all choices at once, in another order than it lists them.
struct AtOnce(Table);

impl Graph for AtOnce {
    type State = u32;
    type Choice = usize;

    fn starts(&self) -> Vec<u32> {
        self.0.starts()
    }

    fn choices(&self, state: &u32, out: &mut Vec<usize>) {
        self.0.choices(state, out);
    }

    fn follow(&self, state: &u32, choice: usize) -> Step<u32> {
        self.0.follow(state, choice)
    }

    fn expand(&self, state: &u32, out: &mut Vec<(usize, Step<u32>)>) {
        self.0.expand(state, out);
        out.reverse();
    }
}

proptest! {
    #[test]
    fn choices_of_paths_are_those_that_were_followed(table in tables(40, 3)) {
        let graph = AtOnce(table);
        let found = search(1).run(&graph, on);
        for bit in found.marks().bits() {
            let walk = found.walk_over(bit).expect("it was seen");
            let start = (graph.starts()[walk.start], Marks::NONE);
            let end = found.path(&graph, &walk).into_iter().fold(start, |(state, _), choice| {
                let step = graph.follow(&state, choice);
                (step.state, step.marks)
            });
            prop_assert!(end.1.meets(Marks::bit(bit)));
        }
    }
}

impl Model for Digits {
    type State = Vec<u8>;
    type Action = usize;

    fn init_states(&self) -> Vec<Vec<u8>> {
        self.starts()
    }

    fn actions(&self, state: &Vec<u8>, actions: &mut Vec<usize>) {
        self.choices(state, actions);
    }

    fn next_state(&self, last: &Vec<u8>, action: usize) -> Option<Vec<u8>> {
        Some(self.follow(last, action).state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("true", |_, _| true)]
    }
}

#[test]
fn counts_are_those_of_stateright_for_any_threads() {
    for (count, base) in [(1, 2), (2, 9), (6, 3), (6, 7)] {
        let digits = Digits { count, base };
        let states = u32::from(base).pow(count as u32);
        assert_eq!(digits.checker().threads(2).spawn_bfs().join().unique_state_count(), states as usize);
        let first = Search { keep: Keep::Edges, ..search(1) }.run(&digits, on);
        assert_eq!(first.states(), states);
        assert_eq!(first.generated(), u64::from(states) * count as u64);
        assert_eq!(first.depth(), u32::from(base - 1) * count as u32);
        for threads in 2..=4 {
            let other = Search { keep: Keep::Edges, ..search(threads) }.run(&digits, on);
            // Everything that is told: parents, choices, levels, marks, edges, even the table.
            assert_eq!(format!("{first:?}"), format!("{other:?}"), "{threads} threads");
        }
    }
}

#[test]
fn a_mark_deep_down_is_found_at_its_depth() {
    let digits = Digits { count: 6, base: 6 };
    let wanted = FULL.union(Marks::bit(2));
    let found = Search { wanted, ..search(2) }.run(&digits, on);
    assert_eq!((found.end(), found.depth()), (End::Wanted, 30), "the deepest state is met, not expanded");
    let walk = found.walk_over(63).expect("all digits become highest");
    assert_eq!(found.path(&digits, &walk).len(), 30);
    assert_eq!(follow(&digits, &walk), (vec![5; 6], FULL));
    let early = Search { wanted: Marks::bit(2), ..search(2) }.run(&digits, on);
    assert_eq!((early.end(), early.depth()), (End::Wanted, 6));
    assert_eq!(early.first(2), found.first(2));
    assert!(early.states() < found.states());
    assert_eq!(early.marks(), Marks(0b11_1111), "the level is complete: every digit wraps in it");
}

#[test]
fn limits_end_a_search_at_the_same_place_for_any_threads() {
    let digits = Digits { count: 6, base: 7 };
    let all = search(2).run(&digits, on);
    let cases = [
        (End::States, Limits { states: 20_000, ..Limits::NONE }),
        (End::Bytes, Limits { bytes: 1_500_000, ..Limits::NONE }),
        (End::Bytes, Limits { bytes: 20_000_000, heap_per_state: 2_000, ..Limits::NONE }),
        (End::Interrupted, Limits::NONE),
    ];
    for (end, limits) in cases {
        let mut told = Vec::new();
        for threads in 1..=3 {
            let (mut last, mut blocks) = (None, 0);
            let (found, states) = Search { limits, ..search(threads) }.collect(
                &digits,
                |_| true,
                |so_far| {
                    last = Some(*so_far);
                    blocks += 1;
                    let stops = end == End::Interrupted && blocks == 20;
                    if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            let last = last.expect("a block was expanded");
            assert_eq!(found.end(), end);
            assert!(found.states() < all.states());
            assert_eq!((last.states, last.generated), (found.states(), found.generated()));
            assert!(found.states() > limits.states || last.bytes > limits.bytes || blocks == 20);
            // What was met is a prefix, and all of it is given back.
            assert!((0..found.states()).all(|number| found.walk_to(number) == all.walk_to(number)));
            let numbers: Vec<u32> = states.iter().map(|(number, _)| *number).collect();
            assert_eq!(numbers, (0..found.states()).collect::<Vec<_>>());
            assert!(states.iter().all(|(number, state)| found.number_of(state) == Some(*number)));
            told.push((last, found.depth()));
        }
        assert!(told.iter().all(|other| *other == told[0]), "{told:?}");
    }
}

#[test]
fn a_state_that_is_reached_in_both_ways_is_expanded_and_counts_twice() {
    let table = Table {
        starts: vec![0],
        rows: vec![vec![(1, 0, 0, false), (1, 0, 0, true)], vec![(2, 1, 0, false)], vec![]],
    };
    let found = search(1).run(&table, on);
    assert_eq!((found.end(), found.states(), found.generated()), (End::Exhausted, 4, 3));
    assert_eq!(found.marks(), Marks(1), "what lies behind it is not lost");
    assert_eq!(found.number_of(&1_u32), Some(2), "the expanded one");
    assert_eq!(found.number_of(&7_u32), None);
}

#[test]
fn equal_starts_are_one_state_and_no_start_is_an_empty_graph() {
    let row = || vec![(3, 0, 0, false)];
    let table = Table { starts: vec![2, 1, 2], rows: vec![vec![], row(), row(), vec![]] };
    let found = Search { keep: Keep::Edges, ..search(1) }.run(&table, on);
    assert_eq!((found.states(), found.depth()), (3, 1));
    assert_eq!(found.edges().expect("kept").starts(), [0, 1, 0]);
    assert_eq!(found.walk_to(1), Walk { start: 1, choices: vec![] });
    let none = search(1).run(&Table { starts: vec![], rows: vec![] }, on);
    assert_eq!((none.end(), none.states(), none.depth()), (End::Exhausted, 0, 0));
}

#[derive(Clone, Copy, Debug, Hash)]
enum Sample {
    Nothing,
    Number { wide: u64, narrow: u8 },
}

#[test]
fn fingerprints_are_fixed() {
    let sample = (
        [Sample::Nothing, Sample::Number { wide: 1 << 40, narrow: 7 }],
        (Some(3_usize), -4_isize, -5_i16, 6_u128),
        ("word", vec![1_u8, 2, 3], true),
    );
    let mut fingerprints = Fingerprinter::new();
    assert_eq!(fingerprints.of(&sample), GOLDEN);
    assert_eq!(fingerprints.of(&sample), GOLDEN, "what was written before is gone");
    // An enum writes its place as `isize`, a tuple its parts, a list its length and its parts.
    let bytes = [&[1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 9][..], &[2, 0, 0, 0, 0, 0, 0, 0, 7, 8]].concat();
    assert_eq!(fingerprints.of(&(Some((5_u32, 9_u8)), vec![7_u8, 8])), xxh3_64(&bytes));
    // One bit of a state of some kilobytes changes about half of the bits.
    let mut state = vec![0_u64; 600];
    let before = fingerprints.of(&state);
    for place in 0..600 {
        state[place] = 1;
        assert!((10..=54).contains(&(fingerprints.of(&state) ^ before).count_ones()), "{place}");
        state[place] = 0;
    }
}

/// A change is a change of every pinned order of states, or a compiler that hashes in another way.
const GOLDEN: u64 = 748_840_261_722_244_284;

#[test]
fn the_bound_on_collisions_is_rounded_up() {
    let cases =
        [(0, 65), (1, 65), (2, 63), (3, 61), (1 << 10, 45), (1 << 21, 23), (2_100_000, 22), (u32::MAX, 1)];
    for (states, bits) in cases {
        let bound = CollisionBound::of(states);
        assert_eq!(bound.bits, bits, "{states} states");
        // n² <= 2^(65 - bits), and one more bit would claim too much.
        let (pairs, states) = (u128::from(states).pow(2), u128::from(states));
        assert!(pairs <= 1 << (65 - bits));
        assert!(states < 2 || pairs > 1 << (64 - bits));
    }
    assert_eq!(CollisionBound::of(2_097_152).to_string(), "below 1 in 2^23");
}

/// A chain whose states say more each time they are asked: what a graph must not be.
struct Impure(std::sync::atomic::AtomicU32);

impl Graph for Impure {
    type State = u32;
    type Choice = ();

    fn starts(&self) -> Vec<u32> {
        vec![0]
    }

    fn choices(&self, state: &u32, out: &mut Vec<()>) {
        assert_ne!(*state, 666, "a graph that panics");
        out.extend((*state < 20).then_some(()));
    }

    fn follow(&self, state: &u32, (): ()) -> Step<u32> {
        let more = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let state = if more >= 600 { 666 } else { state + 1 + more / 20 * 100 };
        Step { state, marks: Marks(1), ticks: 1, last: false }
    }
}

#[test]
#[should_panic(expected = "pure function")]
fn an_impure_graph_is_noticed_when_a_path_is_replayed() {
    let graph = Impure(0.into());
    let found = search(1).run(&graph, on);
    let walk = found.walk_to(20);
    found.path(&graph, &walk);
}

#[test]
#[should_panic(expected = "a graph that panics")]
fn a_panic_of_the_graph_comes_through() {
    let graph = Impure(600.into());
    search(2).run(&graph, on);
}
