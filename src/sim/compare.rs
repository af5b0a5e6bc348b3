//! Rows times columns: each lock under each profile, all rows under the same plans.
//!
//! A cell is a hunt of its own on one thread; threads take whole cells, so the outcome does not depend on their
//! number. Must not print, and must not know what a row is for.

use super::cores::{Make, cores};
use super::divergent::Divergent;
use super::draw::{plan_under, slots, under};
use super::hunt::{Failure, Request, Stop, hunt};
use super::judged::Keep;
use super::seeds::Seeds;
use super::subject::{Plans, Runs, Subject};
use super::tally::Tally;
use crate::check::{OracleName, Outcome};
use crate::lock::{Core, LockCore};
use crate::scenario::{Column, Comparison, Drawn, Scenario};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompareRequest {
    /// The seeds of every cell.
    pub seeds: Seeds,
    /// On how many threads. Changes nothing of the outcome.
    pub jobs: NonZeroUsize,
}

/// The row of a comparison that is run with cores of somebody's own.
#[derive(Clone, Copy)]
pub struct OwnRow<'a, C> {
    /// Its index.
    pub row: usize,
    /// Its cores.
    pub make: Make<'a, C>,
}

impl<C> std::fmt::Debug for OwnRow<'_, C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnRow").field("row", &self.row).finish_non_exhaustive()
    }
}

/// What a cell came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing of the profile can hit this row.
    NotApplicable,
    /// Its runs.
    Tallied {
        /// Their sum.
        tally: Box<Tally>,
        /// The first failure of each oracle; each was run twice.
        failures: Vec<Failure>,
    },
}

/// What a comparison came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The seeds of every cell.
    pub seeds: Seeds,
    /// By row, then by column; `None`: the comparison was cancelled before this cell was complete.
    pub cells: Vec<Vec<Option<Cell>>>,
}

/// What two rows came to under one column, plan by plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PairTally {
    /// Plans on which both exercised the oracle and only the first row violated it.
    pub first_only: u64,
    /// … and only the second row violated it.
    pub second_only: u64,
    /// … and both did.
    pub both: u64,
    /// … and neither did.
    pub neither: u64,
    /// Plans that are left out because one of the rows, or both, did not exercise the oracle.
    pub dropped: u64,
}

/// The pairs of one column by oracle; `None` where one of the two rows cannot suffer the profile, or where the
/// comparison was cancelled first.
pub type Pairs = Option<BTreeMap<OracleName, PairTally>>;

impl Compared {
    /// Whether every cell is complete.
    pub fn is_complete(&self) -> bool {
        self.cells.iter().flatten().all(Option::is_some)
    }
}

/// Fills every cell. `done` is told of each row once all of its cells are complete, in the order of rows.
///
/// # Errors
/// Two runs of one seed differed; the index of the row comes with it.
pub fn compare(
    comparison: &Comparison,
    request: CompareRequest,
    progress: &mut (dyn FnMut(usize) + Send),
    done: &mut (dyn FnMut(usize, &[Option<Cell>]) + Send),
    cancel: &AtomicBool,
) -> Result<Compared, (usize, Box<Divergent>)> {
    compare_with::<Core>(comparison, None, request, progress, done, cancel)
}

/// The same with a row of somebody's own.
///
/// # Errors
/// As [`compare`].
pub fn compare_with<C: LockCore>(
    comparison: &Comparison,
    own: Option<OwnRow<'_, C>>,
    request: CompareRequest,
    progress: &mut (dyn FnMut(usize) + Send),
    done: &mut (dyn FnMut(usize, &[Option<Cell>]) + Send),
    cancel: &AtomicBool,
) -> Result<Compared, (usize, Box<Divergent>)> {
    let width = comparison.columns.len();
    let state = Mutex::new(State {
        cells: vec![vec![None; width]; comparison.rows.len()],
        told: 0,
        complete: 0,
        divergent: None,
    });
    let told = Mutex::new((progress, done));
    in_parallel(request.jobs, comparison.rows.len() * width, cancel, |index| {
        let (row, column) = (index / width, index % width);
        let scenario = &comparison.rows[row].scenario;
        let column_of = &comparison.columns[column];
        let cell = match own.as_ref().filter(|own| own.row == row) {
            Some(own) => cell(scenario, column_of, request.seeds, own.make, cancel),
            None => cell(scenario, column_of, request.seeds, &cores, cancel),
        };
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        match cell {
            Ok(cell) => {
                state.complete += usize::from(cell.is_some());
                state.cells[row][column] = cell;
            }
            Err(divergent) => {
                state.divergent.get_or_insert((row, divergent));
                cancel.store(true, Ordering::Relaxed);
            }
        }
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        (told.0)(state.complete);
        while state.cells.get(state.told).is_some_and(|row| row.iter().all(Option::is_some)) {
            (told.1)(state.told, &state.cells[state.told]);
            state.told += 1;
        }
    });
    let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.divergent {
        Some(divergent) => Err(divergent),
        None => Ok(Compared { seeds: request.seeds, cells: state.cells }),
    }
}

/// Two rows, plan by plan: for every column what they came to by oracle.
pub fn pairs(
    comparison: &Comparison,
    rows: [&Scenario; 2],
    request: CompareRequest,
    cancel: &AtomicBool,
) -> Vec<Pairs> {
    pairs_with(comparison, (rows[0], &cores), (rows[1], &cores), request, cancel)
}

/// The same with cores of any kind.
pub fn pairs_with<C: LockCore, D: LockCore>(
    comparison: &Comparison,
    first: (&Scenario, Make<'_, C>),
    second: (&Scenario, Make<'_, D>),
    request: CompareRequest,
    cancel: &AtomicBool,
) -> Vec<Pairs> {
    let columns = &comparison.columns;
    let all: Mutex<Vec<Pairs>> = Mutex::new(vec![None; columns.len()]);
    in_parallel(request.jobs, columns.len(), cancel, |index| {
        let pairs = pair(first, second, &columns[index], request.seeds, cancel);
        all.lock().unwrap_or_else(PoisonError::into_inner)[index] = pairs;
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}

struct State {
    cells: Vec<Vec<Option<Cell>>>,
    /// How many rows were told.
    told: usize,
    complete: usize,
    divergent: Option<(usize, Box<Divergent>)>,
}

/// Does `work` for each index, in order of beginning.
pub(super) fn in_parallel(
    jobs: NonZeroUsize,
    count: usize,
    cancel: &AtomicBool,
    work: impl Fn(usize) + Sync,
) {
    let next = AtomicUsize::new(0);
    let worker = || {
        while !cancel.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return;
            }
            work(index);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs.get() {
            scope.spawn(worker);
        }
        worker();
    });
}

fn cell<C: LockCore>(
    scenario: &Scenario,
    Column { profile, address, .. }: &Column,
    seeds: Seeds,
    make: Make<'_, C>,
    cancel: &AtomicBool,
) -> Result<Option<Cell>, Box<Divergent>> {
    if !profile.can_hit(slots(&scenario.setup)) {
        return Ok(Some(Cell::NotApplicable));
    }
    let scenario = under(scenario, profile, Drawn::Profile(address.clone()));
    let plan = |seed| plan_under(&scenario, profile, seed);
    let subject = Subject::with(&scenario, Plans::Drawn(&plan), make);
    let request = Request { seeds, jobs: NonZeroUsize::MIN, until: None, keep: 1 };
    let hunted = hunt(&subject, request, &mut |_| {}, cancel)?;
    Ok(match hunted.stop {
        Stop::Cancelled => None,
        Stop::End | Stop::Until => {
            Some(Cell::Tallied { tally: Box::new(hunted.tally), failures: hunted.failures })
        }
    })
}

fn pair<C: LockCore, D: LockCore>(
    (one, ones): (&Scenario, Make<'_, C>),
    (other, others): (&Scenario, Make<'_, D>),
    column: &Column,
    seeds: Seeds,
    cancel: &AtomicBool,
) -> Pairs {
    let rows = [one, other];
    let Column { profile, address, .. } = column;
    if !rows.iter().all(|row| profile.can_hit(slots(&row.setup))) {
        return None;
    }
    let scenarios = rows.map(|row| under(row, profile, Drawn::Profile(address.clone())));
    let plans = scenarios.each_ref().map(|row| move |seed| plan_under(row, profile, seed));
    let first = Subject::with(&scenarios[0], Plans::Drawn(&plans[0]), ones);
    let second = Subject::with(&scenarios[1], Plans::Drawn(&plans[1]), others);
    let mut all: BTreeMap<OracleName, PairTally> = BTreeMap::new();
    for seed in seeds.from()..seeds.to() {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        let outcomes = [first.run(seed, Keep::Nothing).outcomes, second.run(seed, Keep::Nothing).outcomes];
        for (oracle, one) in &outcomes[0] {
            let other = outcomes[1].iter().find(|(name, _)| name == oracle).map(|(_, outcome)| *outcome);
            let other = other.unwrap_or(Outcome::NotApplicable);
            if *one != Outcome::NotApplicable || other != Outcome::NotApplicable {
                all.entry(*oracle).or_default().push(*one, other);
            }
        }
    }
    Some(all)
}

impl PairTally {
    fn push(&mut self, first: Outcome, second: Outcome) {
        let judged = |outcome| match outcome {
            Outcome::Held => Some(false),
            Outcome::Violated(_) => Some(true),
            Outcome::NotExercised | Outcome::NotApplicable => None,
        };
        *match (judged(first), judged(second)) {
            (Some(true), Some(false)) => &mut self.first_only,
            (Some(false), Some(true)) => &mut self.second_only,
            (Some(true), Some(true)) => &mut self.both,
            (Some(false), Some(false)) => &mut self.neither,
            (None, _) | (_, None) => &mut self.dropped,
        } += 1;
    }
}
