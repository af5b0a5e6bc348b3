//! The analyses of kept edges against brute force: every walk of a small graph, tried.

use fencepost::prove::graph::{Edge, Edges, Lasso, Longest, Marks, Walk, forcing, lasso_without, longest};
use fencepost::prove::search::{Keep, Limits, Search};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::toys::{Digits, FULL};

const GOAL: Marks = Marks::bit(3);

/// A row per state: none where it was not expanded, else targets, ticks, and whether the goal is on the edge.
type Rows = Vec<Option<Vec<(u32, u16, bool)>>>;

fn edges(starts: &[u32], rows: &Rows) -> Edges {
    let row = |row: &Vec<(u32, u16, bool)>| {
        let edges = (0..).zip(row).map(|(choice, (target, ticks, goal))| Edge {
            target: *target,
            choice,
            ticks: *ticks,
            marks: if *goal { GOAL.union(Marks(1)) } else { Marks(1) },
        });
        edges.collect()
    };
    let rows: Vec<Option<Vec<Edge>>> = rows.iter().map(|own| own.as_ref().map(row)).collect();
    Edges::from_rows(starts.to_vec(), &rows)
}

fn graphs(goal: f64, unknown: f64, degree: usize) -> impl Strategy<Value = (Vec<u32>, Rows)> {
    (1..8_u32).prop_flat_map(move |states| {
        let edge = (0..states, 0..5_u16, prop::bool::weighted(goal));
        let row = prop::collection::vec(edge, 0..=degree);
        let row = prop::option::weighted(1.0 - unknown, row);
        (prop::collection::vec(0..states, 1..3), prop::collection::vec(row, states as usize))
    })
}

/// Graphs without cycles but for edges with a goal, in which most walks end well.
fn layered() -> impl Strategy<Value = (Vec<u32>, Rows)> {
    (2..9_usize).prop_flat_map(|states| {
        let rows: Vec<_> = (0..states as u32)
            .map(|state| {
                let forward = (state + 1..=states as u32, 0..5_u16, prop::bool::weighted(0.3));
                prop::collection::vec(forward, 1..4)
            })
            .collect();
        (Just(vec![0, 1]), rows).prop_map(move |(starts, rows)| {
            // What would lead beyond the last state is a goal, back to the first.
            let end = |(target, ticks, goal): (u32, u16, bool)| match target as usize == states {
                true => (0, ticks, true),
                false => (target, ticks, goal),
            };
            (starts, rows.into_iter().map(|row| Some(row.into_iter().map(end).collect())).collect())
        })
    })
}

/// Everything that walks without a goal and without coming back can show, by trying all of them.
#[derive(Debug)]
struct Tried {
    /// The least length of a stem after which a walk can come back to where the stem ends.
    endless: Option<usize>,
    dead: Option<usize>,
    unknown: Option<usize>,
    ticks: u64,
}

fn try_all(starts: &[u32], rows: &Rows) -> Tried {
    let mut tried = Tried { endless: None, dead: None, unknown: None, ticks: 0 };
    for start in starts {
        walk_on(rows, &mut vec![*start], 0, &mut tried);
    }
    tried
}

fn walk_on(rows: &Rows, path: &mut Vec<u32>, ticks: u64, tried: &mut Tried) {
    let least =
        |known: &mut Option<usize>, length: usize| *known = Some(known.map_or(length, |old| old.min(length)));
    let at = *path.last().expect("a walk has a start") as usize;
    let Some(row) = &rows[at] else { return least(&mut tried.unknown, path.len() - 1) };
    if row.is_empty() {
        least(&mut tried.dead, path.len() - 1);
    }
    for (target, length, goal) in row {
        let ticks = ticks + u64::from(*length);
        if *goal {
            tried.ticks = tried.ticks.max(ticks);
        } else if let Some(back) = path.iter().position(|state| state == target) {
            least(&mut tried.endless, back);
        } else {
            path.push(*target);
            walk_on(rows, path, ticks, tried);
            path.pop();
        }
    }
}

/// Follows choices: where they end, how long it takes, on which edges the goal is.
fn follow(edges: &Edges, from: u32, choices: &[u16]) -> (u32, u64, Vec<bool>) {
    choices.iter().fold((from, 0, Vec::new()), |(at, ticks, mut goals), choice| {
        let edge = edges.of(at)[usize::from(*choice)];
        goals.push(edge.marks.meets(GOAL));
        (edge.target, ticks + u64::from(edge.ticks), goals)
    })
}

#[track_caller]
fn is_lasso(edges: &Edges, lasso: &Lasso) {
    let stem = follow(edges, edges.starts()[lasso.stem.start], &lasso.stem.choices);
    let cycle = follow(edges, stem.0, &lasso.cycle);
    assert!(!lasso.cycle.is_empty());
    assert_eq!((cycle.0, cycle.1), (stem.0, lasso.ticks), "it closes");
    assert!(![stem.2, cycle.2].concat().contains(&true), "it avoids the goal");
    let states = edges.trace(&lasso.once_round());
    let round: BTreeSet<u32> = states[lasso.stem.choices.len() + 1..].iter().copied().collect();
    assert_eq!(round.len(), lasso.cycle.len(), "no state twice in a round");
}

/// Ends in a state without edges, without a goal, after so many steps.
#[track_caller]
fn is_end(edges: &Edges, walk: &Walk, length: Option<usize>, expanded: bool) {
    let (end, _, goals) = follow(edges, edges.starts()[walk.start], &walk.choices);
    assert!(edges.of(end).is_empty() && !goals.contains(&true));
    assert_eq!((Some(walk.choices.len()), edges.is_expanded(end)), (length, expanded));
}

#[track_caller]
fn longest_is_right(starts: &[u32], rows: &Rows) {
    let (edges, tried) = (edges(starts, rows), try_all(starts, rows));
    let lasso = lasso_without(&edges, GOAL);
    assert_eq!(lasso.as_ref().map(|lasso| lasso.stem.choices.len()), tried.endless, "{tried:?}");
    match longest(&edges, GOAL) {
        Longest::Endless(found) => {
            is_lasso(&edges, &found);
            assert_eq!(Some(found), lasso);
        }
        Longest::DeadEnd(walk) => {
            assert_eq!(lasso, None);
            is_end(&edges, &walk, tried.dead, true);
        }
        Longest::Unknown(walk) => {
            assert_eq!((lasso, tried.dead), (None, None));
            is_end(&edges, &walk, tried.unknown, false);
        }
        Longest::Within { ticks, walk } => {
            assert_eq!((lasso, tried.dead, tried.unknown), (None, None, None));
            assert_eq!(ticks, tried.ticks);
            let (_, length, goals) = follow(&edges, edges.starts()[walk.start], &walk.choices);
            assert_eq!(length, ticks);
            assert_eq!(goals.iter().position(|goal| *goal), Some(walk.choices.len() - 1));
        }
    }
}

/// The states that force a goal, by adding those that do until none is added.
fn forced(rows: &Rows, own: &[bool]) -> Vec<bool> {
    let mut forced = vec![false; rows.len()];
    loop {
        let good = |(target, _, goal): &(u32, u16, bool)| *goal || forced[*target as usize];
        let forces = |(row, own): (&Option<Vec<_>>, &bool)| match row {
            Some(row) if *own => row.iter().any(good),
            Some(row) => !row.is_empty() && row.iter().all(good),
            None => false,
        };
        let more: Vec<bool> = rows.iter().zip(own).map(forces).collect();
        if more == forced {
            return forced;
        }
        forced = more;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn a_goal_is_forced_where_no_answer_prevents_it((starts, rows) in graphs(0.3, 0.1, 3), owners in any::<u8>()) {
        let own: Vec<bool> = (0..rows.len()).map(|state| owners >> state & 1 == 1).collect();
        prop_assert_eq!(forcing(&edges(&starts, &rows), GOAL, &own), forced(&rows, &own));
    }

    #[test]
    fn the_slowest_way_is_that_of_all_walks((starts, rows) in graphs(0.5, 0.01, 3)) {
        longest_is_right(&starts, &rows);
    }

    #[test]
    fn the_slowest_way_in_graphs_that_were_cut_off((starts, rows) in graphs(0.6, 0.3, 2)) {
        longest_is_right(&starts, &rows);
    }

    #[test]
    fn the_slowest_way_where_every_walk_ends_well((starts, rows) in layered()) {
        longest_is_right(&starts, &rows);
        let found = longest(&edges(&starts, &rows), GOAL);
        let is_bound = matches!(found, Longest::Within { .. });
        prop_assert!(is_bound);
    }
}

#[test]
fn a_million_states_in_a_row_are_no_depth_to_recurse_into() {
    const LENGTH: u32 = 1_000_000;
    let chain = |last: Option<Vec<(u32, u16, bool)>>| {
        let mut rows: Rows = (1..LENGTH).map(|next| Some(vec![(next, 1, false)])).collect();
        rows.push(last);
        edges(&[0], &rows)
    };
    let bounded = chain(Some(vec![(0, 1, true)]));
    let found = longest(&bounded, GOAL);
    assert!(matches!(&found, Longest::Within { ticks, .. } if *ticks == u64::from(LENGTH)));
    let nobody = vec![false; LENGTH as usize];
    assert!(forcing(&bounded, GOAL, &nobody).iter().all(|forced| *forced), "one way only, and it ends well");
    let round = chain(Some(vec![(0, 0, false)]));
    let lasso = lasso_without(&round, GOAL).expect("it goes round");
    assert_eq!((lasso.stem.choices.len(), lasso.ticks), (0, u64::from(LENGTH) - 1));
    assert!(!forcing(&round, GOAL, &nobody).contains(&true));
    let open = chain(None);
    assert!(
        matches!(longest(&open, GOAL), Longest::Unknown(walk) if walk.choices.len() == LENGTH as usize - 1)
    );
    assert!(!forcing(&open, GOAL, &nobody).contains(&true));
}

#[test]
fn the_edges_of_a_search_are_analysed() {
    let digits = Digits { count: 3, base: 4 };
    let search = Search { threads: 2, wanted: Marks::NONE, limits: Limits::NONE, keep: Keep::Edges };
    let found = search.run(&digits, |_| ControlFlow::Continue(()));
    let edges = found.edges().expect("they are kept");
    // A digit that wraps: after at most three steps of each, and one more.
    let wraps = Marks(0b111);
    let Longest::Within { ticks: 10, walk } = longest(edges, wraps) else { panic!("some digit wraps") };
    assert_eq!(found.path(&digits, &walk).len(), 10);
    // All highest: a single digit can go round for ever, and every state has a way there.
    let lasso = lasso_without(edges, FULL).expect("one digit goes round");
    assert_eq!((lasso.stem.choices.len(), lasso.cycle.len(), lasso.ticks), (0, 4, 4));
    assert_eq!(found.path(&digits, &lasso.once_round()), vec![0; 4]);
    let everybody = vec![true; edges.states() as usize];
    assert!(forcing(edges, FULL, &everybody).iter().all(|forced| *forced));
    // Cut off, nothing is claimed.
    let limits = Limits { states: 10, ..Limits::NONE };
    let cut = Search { limits, ..search }.run(&digits, |_| ControlFlow::Continue(()));
    let edges = cut.edges().expect("they are kept");
    assert!(matches!(longest(edges, wraps), Longest::Unknown(_)));
    assert!(!forcing(edges, FULL, &vec![true; cut.states() as usize]).contains(&true));
}

#[test]
#[should_panic(expected = "a graph has all states it speaks of")]
fn an_edge_to_nowhere_is_refused() {
    edges(&[0], &vec![Some(vec![(1, 0, false)])]);
}
