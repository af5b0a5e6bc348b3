//! A lock of one's own as a row of the shipped comparison, beside shipped rows, all under the same plans.
//!
//! Must not judge: the table is for a person.

use super::playing::{OwnMake, fits, meant, shipped_table};
use super::steer::{Steer, command};
use crate::lock::{LockCore, Terms};
use crate::report::{CompareStory, compare_text, divergent_text};
use crate::scenario::{Comparison, Row, Runner, Scenario};
use crate::sim::{CompareRequest, OwnRow, Seeds, compare_with, own_cores};
use crate::world::Setup;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;

/// A comparison that is about to be made.
#[must_use = "nothing is compared before `table`"]
pub struct Comparing<'a, C> {
    make: OwnMake<'a, C>,
    comparison: Comparison,
}

/// The shipped comparison with a row for a lock of one's own, on the deployment of the first row that it fits.
///
/// `FENCEPOST_SEEDS` in the environment replaces the seeds of every cell.
///
/// # Panics
/// If no row has as many nodes as the lock asks.
#[track_caller]
pub fn compare<'a, C: LockCore>(make: impl Fn(&Terms) -> C + Sync + 'a) -> Comparing<'a, C> {
    let make: OwnMake<'a, C> = Box::new(move |setup: &Setup| own_cores(setup, &make));
    let mut comparison = shipped_table();
    let base = comparison.rows.iter().find(|row| fits(&make(&row.scenario.setup), &row.scenario).is_ok());
    let base = base.unwrap_or_else(|| panic!("no row of the comparison has as many nodes as this lock asks"));
    let traits = make(&base.scenario.setup).first().map(LockCore::describe);
    let row = Row {
        name: traits.map_or("own", |traits| traits.protocol).to_owned(),
        title: format!("a lock of one's own, on the deployment of `{}`", base.name),
        scenario: Scenario { runner: Runner::Test(command()), ..base.scenario.clone() },
    };
    comparison.rows.insert(0, row);
    Comparing { make, comparison }
}

impl<C: LockCore> Comparing<'_, C> {
    /// Only these of the shipped rows.
    ///
    /// # Panics
    /// If there is none of a name.
    #[track_caller]
    pub fn rows(mut self, names: &[&str]) -> Self {
        for name in names {
            if let Err(unknown) = self.comparison.row(name) {
                panic!("{unknown}{}", meant(unknown.suggestion.as_deref()));
            }
        }
        let is_own = |row: &Row| row.scenario.runner != Runner::Shipped;
        self.comparison.rows.retain(|row| is_own(row) || names.contains(&row.name.as_str()));
        self
    }

    /// Only these columns.
    ///
    /// # Panics
    /// If there is none of a name.
    #[track_caller]
    pub fn columns(mut self, names: &[&str]) -> Self {
        for name in names {
            let is_known = self.comparison.columns.iter().any(|column| column.name == *name);
            assert!(is_known, "the comparison has no column `{name}`");
        }
        self.comparison.columns.retain(|column| names.contains(&column.name.as_str()));
        self
    }

    /// So many runs per cell.
    pub fn runs(mut self, runs: u64) -> Self {
        self.comparison.runs = runs;
        self
    }

    /// Fills the table, on all processors, and returns it as `compare` prints it.
    ///
    /// # Panics
    /// If two runs of one seed differ: then the lock is no function of its inputs.
    #[track_caller]
    pub fn table(&self) -> String {
        let comparison = &self.comparison;
        let from = comparison.seed;
        let asked = || Seeds::new(from, from.saturating_add(comparison.runs));
        let seeds = Steer::read().seeds.map_or_else(asked, Ok).unwrap_or_else(|error| panic!("{error}"));
        let jobs = available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let own = Some(OwnRow { row: 0, make: &*self.make });
        let request = CompareRequest { seeds, jobs };
        let never = AtomicBool::new(false);
        match compare_with(comparison, own, request, &mut |_| {}, &mut |_, _| {}, &never) {
            Ok(compared) => {
                compare_text(CompareStory { comparison, compared: &compared, command: &command() })
            }
            Err((row, divergent)) => panic!("{}", divergent_text(&comparison.rows[row].scenario, &divergent)),
        }
    }
}
