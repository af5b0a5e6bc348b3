//! A comparison for a person: a line per row while it runs, then compact tables.
//!
//! Two lines per row: violating runs out of those that exercised the oracle, and the exact 95 % interval, rounded
//! outwards. `compare_md.rs` writes the same for a file. Must not judge, and must not carry anything that depends
//! on the machine or on the number of threads.

use super::text::quoted;
use super::words::human;
use crate::check::OracleName;
use crate::scenario::{COMPARE, Comparison, Runner};
use crate::sim::{Cell, Compared, OracleTally, PairTally, Pairs, Tally};
use crate::stats::{Ratio, clopper_pearson, mcnemar};
use crate::time::Span;
use comfy_table::{CellAlignment, Table};

/// What there is to tell of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct CompareStory<'a> {
    /// The table that was asked for.
    pub comparison: &'a Comparison,
    /// What its cells came to.
    pub compared: &'a Compared,
    /// The command that made it.
    pub command: &'a str,
}

/// What is shown on a terminal, gravest first. The files hold every oracle that applies anywhere.
const SHOWN: [OracleName; 5] = [
    OracleName::PromiseOverlap,
    OracleName::SectionOverlap,
    OracleName::StaleWrite,
    OracleName::LostUpdate,
    OracleName::FenceOrder,
];

impl<'a> CompareStory<'a> {
    pub(super) fn cell(self, row: usize, column: usize) -> Option<&'a Cell> {
        self.compared.cells[row][column].as_ref()
    }

    /// The oracles that apply in any cell, in their order.
    pub(super) fn oracles(self) -> Vec<OracleName> {
        let tallies = self.compared.cells.iter().flatten().flatten().filter_map(tally);
        let mut oracles: Vec<OracleName> = tallies
            .flat_map(|tally| &tally.oracles)
            .filter(|(_, oracle)| oracle.runs > 0)
            .map(|(name, _)| *name)
            .collect();
        oracles.sort_unstable();
        oracles.dedup();
        oracles
    }

    /// The line that repeats the first violation of an oracle in a cell.
    pub(super) fn repro(self, row: usize, column: usize, seed: u64) -> String {
        let origin = format!("{}:{}", self.comparison.origin, self.comparison.rows[row].name);
        let profile = quoted(&self.comparison.columns[column].address);
        let scenario = &self.comparison.rows[row].scenario;
        let origin = match scenario.runner {
            Runner::Shipped => origin,
            // Its name is no row of the file; its world is.
            Runner::Own(_) | Runner::Test(_) => scenario.origin.clone(),
        };
        format!("{} run {} --profile {profile} --seed {seed}", scenario.runner.program(), quoted(&origin))
    }
}

/// What a comparison would be called on a command line, `compare` for the shipped one.
pub(super) fn is_shipped(comparison: &Comparison) -> bool {
    comparison.origin == COMPARE
}

pub(super) fn tally(cell: &Cell) -> Option<&Tally> {
    match cell {
        Cell::NotApplicable => None,
        Cell::Tallied { tally, .. } => Some(tally),
    }
}

/// One line about a row whose cells are complete: where promises overlapped.
pub fn row_line(comparison: &Comparison, row: usize, cells: &[Option<Cell>]) -> String {
    let violated = comparison.columns.iter().zip(cells).filter_map(|(column, cell)| {
        let oracle = tally(cell.as_ref()?)?.oracles.get(&OracleName::PromiseOverlap)?;
        (oracle.violated > 0).then(|| format!("{} {}/{}", column.name, oracle.violated, oracle.exercised))
    });
    let violated: Vec<String> = violated.collect();
    let exercised = cells.iter().flatten().filter_map(tally).any(|tally| {
        tally.oracles.get(&OracleName::PromiseOverlap).is_some_and(|oracle| oracle.exercised > 0)
    });
    let what = match (violated.is_empty(), exercised) {
        (false, _) => format!("promise-overlap violated: {}", violated.join(", ")),
        (true, true) => "promise-overlap held wherever it was exercised".to_owned(),
        (true, false) => "promise-overlap not exercised".to_owned(),
    };
    format!("{:<20} {what}\n", comparison.rows[row].name)
}

/// The tables.
pub fn compare_text(story: CompareStory<'_>) -> String {
    let mut text = format!("\n{}\n", summary(story));
    for oracle in SHOWN.into_iter().filter(|oracle| story.oracles().contains(oracle)) {
        text.push_str(&format!(
            "\n{oracle}: runs that violated it / runs that exercised it, exact 95 % interval\n"
        ));
        text.push_str(&grid(story, |cell| oracle_cell(cell, oracle)));
    }
    text.push_str(
        "\nacquire: calls that were granted, and p99 of the simulated time from such a call to its grant\n",
    );
    text.push_str(&grid(story, acquire_cell));
    text.push_str("\norders oversold, summed over all runs, and requests to nodes per call of acquire\n");
    text.push_str(&grid(story, cost_cell));
    text.push_str(&legend(story));
    text
}

fn summary(story: CompareStory<'_>) -> String {
    let (rows, columns) = (story.comparison.rows.len(), story.comparison.columns.len());
    let complete = story.compared.cells.iter().flatten().flatten().count();
    let seeds = story.compared.seeds;
    let partial = if complete < rows * columns {
        format!("PARTIAL, {complete} of {} cells: ", rows * columns)
    } else {
        String::new()
    };
    format!(
        "{partial}{}: {rows} locks under {columns} profiles, {} runs per cell, seeds {seeds}",
        story.comparison.title,
        seeds.count()
    )
}

fn legend(story: CompareStory<'_>) -> String {
    let columns = story.comparison.columns.iter().filter(|column| column.name != column.profile.name);
    let columns: Vec<String> =
        columns.map(|column| format!("{} = {}", column.name, column.profile.name)).collect();
    let seed = story.compared.seeds.from();
    let example = story.comparison.rows.iter().find(|row| row.scenario.runner == Runner::Shipped);
    let program = Runner::Shipped.program();
    let address = format!("{}:{}", story.comparison.origin, example.map_or("", |row| row.name.as_str()));
    let profile = story.comparison.columns.first().map_or("", |column| column.address.as_str());
    format!(
        "\nn/a: nothing of the profile can hit the row. -: no run exercised it. Each interval covers 95 %, not all \
         jointly.\nRates are relative to the profile of their column: {}.\nOne run of a cell: \
         {program} run {} --profile {} --seed {seed}\n",
        if columns.is_empty() { "the name above it".to_owned() } else { columns.join(", ") },
        quoted(&address),
        quoted(profile),
    )
}

/// Rows of two lines each, columns at most ten wide.
fn grid(story: CompareStory<'_>, cell: impl Fn(&Cell) -> [String; 2]) -> String {
    let mut table = Table::new();
    let head = story.comparison.columns.iter().map(|column| broken(&column.name));
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(std::iter::once(String::new()).chain(head));
    for (index, row) in story.comparison.rows.iter().enumerate() {
        let cells = (0..story.comparison.columns.len()).map(|column| match story.cell(index, column) {
            Some(complete) => cell(complete).join("\n"),
            None => "not run".to_owned(),
        });
        table.add_row(std::iter::once(broken(&row.name)).chain(cells));
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 1));
        column.set_cell_alignment(if index == 0 { CellAlignment::Left } else { CellAlignment::Right });
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A long name on two lines, broken at the hyphen nearest to its middle.
fn broken(name: &str) -> String {
    if name.len() <= 9 {
        return name.to_owned();
    }
    let middle = name.len() / 2;
    let nearest = name.match_indices('-').map(|(at, _)| at).min_by_key(|at| at.abs_diff(middle));
    nearest.map_or_else(|| name.to_owned(), |at| format!("{}\n{}", &name[..=at], &name[at + 1..]))
}

fn oracle_cell(cell: &Cell, oracle: OracleName) -> [String; 2] {
    let Some(tally) = tally(cell) else { return ["n/a".to_owned(), String::new()] };
    match tally.oracles.get(&oracle).filter(|oracle| oracle.runs > 0) {
        None => ["n/a".to_owned(), String::new()],
        Some(OracleTally { exercised: 0, .. }) => ["-".to_owned(), String::new()],
        Some(oracle) => {
            [format!("{}/{}", oracle.violated, oracle.exercised), span(oracle.violated, oracle.exercised)]
        }
    }
}

fn acquire_cell(cell: &Cell) -> [String; 2] {
    let Some(tally) = tally(cell) else { return ["n/a".to_owned(), String::new()] };
    let total = tally.calls.total();
    let share = Ratio::of(total.part, total.whole)
        .map_or("-".to_owned(), |share| format!("{:.0}%", share.value() * 100.0));
    let late = tally.latency.percentile(990).map_or_else(String::new, |us| human(Span(us as i64)));
    [share, late]
}

fn cost_cell(cell: &Cell) -> [String; 2] {
    let Some(tally) = tally(cell) else { return ["n/a".to_owned(), String::new()] };
    let each = Ratio::of(tally.messages, tally.calls.total().whole);
    [tally.oversold.to_string(), each.map_or_else(String::new, |each| format!("{:.1}", each.value()))]
}

/// The exact interval in few letters, its ends rounded outwards: `16-28%`, `0-1.9%`.
pub(super) fn span(hits: u64, trials: u64) -> String {
    let Some(interval) = clopper_pearson(hits, trials) else { return String::new() };
    let (low, high) = (interval.low.value() * 100.0, interval.high.value() * 100.0);
    let low = if low < 10.0 { (low * 10.0).floor() / 10.0 } else { low.floor() };
    let high = if high < 10.0 { (high * 10.0).ceil() / 10.0 } else { high.ceil() };
    format!("{low}-{high}%")
}

/// Two rows, plan by plan, for every column and oracle in which both were exercised on any plan.
pub fn pairs_text(comparison: &Comparison, rows: [&str; 2], pairs: &[Pairs], runs: u64) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    let [first, second] = rows;
    table.set_header([
        "profile".to_owned(),
        "oracle".to_owned(),
        format!("only\n{}", broken(first)),
        format!("only\n{}", broken(second)),
        "both".to_owned(),
        "neither".to_owned(),
        "dropped".to_owned(),
        "p".to_owned(),
    ]);
    for (column, pairs) in comparison.columns.iter().zip(pairs) {
        let Some(pairs) = pairs else {
            table.add_row([column.profile.name.as_str(), "n/a"]);
            continue;
        };
        for (oracle, pair) in pairs.iter().filter(|(_, pair)| pair.dropped < runs) {
            table.add_row(pair_row(&column.profile.name, *oracle, *pair));
        }
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        column.set_cell_alignment(if index < 2 { CellAlignment::Left } else { CellAlignment::Right });
    }
    let lines: String = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    format!(
        "{first} and {second} on the same {runs} plans of each profile: on how many which of them violated the \
         oracle\n\n{lines}\nDropped: plans on which not both exercised the oracle. p: McNemar's test, exact, \
         two-sided, over the plans on which they differ;\neach p by itself, not corrected for their number.\n"
    )
}

fn pair_row(profile: &str, oracle: OracleName, pair: PairTally) -> [String; 8] {
    let PairTally { first_only, second_only, both, neither, dropped } = pair;
    let p = mcnemar(first_only, second_only).p.plain();
    [
        profile.to_owned(),
        oracle.to_string(),
        first_only.to_string(),
        second_only.to_string(),
        both.to_string(),
        neither.to_string(),
        dropped.to_string(),
        p,
    ]
}
