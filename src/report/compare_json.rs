//! A comparison for a program: one object, every cell with every oracle.
//!
//! The same bytes wherever and however often it is made.

use super::compare::{CompareStory, tally};
use super::json::{InOrder, SCHEMA};
use crate::check::OracleName;
use crate::scenario::Comparison;
use crate::sim::{OracleTally, Pairs, Tally};
use crate::stats::{Ratio, clopper_pearson, mcnemar};
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Serialize)]
struct Table<'a> {
    schema: u32,
    title: &'a str,
    version: &'static str,
    command: &'a str,
    complete: bool,
    runs_per_cell: u64,
    seeds: [u64; 2],
    rows: Vec<Value>,
    columns: Vec<Value>,
    cells: Vec<CellObject<'a>>,
}

#[derive(Serialize)]
struct CellObject<'a> {
    row: &'a str,
    column: &'a str,
    profile: &'a str,
    state: &'static str,
    #[serde(flatten)]
    figures: Option<Figures>,
}

#[derive(Serialize)]
struct Figures {
    runs: u64,
    at_limit: u64,
    calls: u64,
    grants: u64,
    success: Option<Ratio>,
    latency_p50_us: Option<u64>,
    latency_p99_us: Option<u64>,
    requests_per_call: Option<Ratio>,
    orders_oversold: u64,
    oversold_runs: u64,
    oracles: InOrder<Oracle>,
}

#[derive(Serialize)]
struct Oracle {
    runs: u64,
    exercised: u64,
    violations: u64,
    low: Option<Ratio>,
    high: Option<Ratio>,
    first_seed: Option<u64>,
    repro: Option<String>,
}

/// The object, on one line.
pub fn compare_json(story: CompareStory<'_>) -> String {
    let comparison = story.comparison;
    let seeds = story.compared.seeds;
    let rows = comparison.rows.iter().map(|row| json!({ "name": row.name, "title": row.title }));
    let columns = comparison
        .columns
        .iter()
        .map(|column| json!({ "name": column.name, "profile": column.profile.name, "title": column.title }));
    let width = comparison.columns.len();
    let places = (0..comparison.rows.len()).flat_map(|row| (0..width).map(move |column| (row, column)));
    let table = Table {
        schema: SCHEMA,
        title: &comparison.title,
        version: env!("CARGO_PKG_VERSION"),
        command: story.command,
        complete: story.compared.is_complete(),
        runs_per_cell: seeds.count(),
        seeds: [seeds.from(), seeds.to()],
        rows: rows.collect(),
        columns: columns.collect(),
        cells: places.map(|place| cell(story, place)).collect(),
    };
    line(&table)
}

fn cell<'a>(story: CompareStory<'a>, (row, column): (usize, usize)) -> CellObject<'a> {
    let found = story.cell(row, column);
    let tally = found.and_then(tally);
    let state = match (found, tally) {
        (None, _) => "not-run",
        (Some(_), None) => "not-applicable",
        (Some(_), Some(_)) => "complete",
    };
    CellObject {
        row: &story.comparison.rows[row].name,
        column: &story.comparison.columns[column].name,
        profile: &story.comparison.columns[column].profile.name,
        state,
        figures: tally.map(|tally| figures(story, (row, column), tally)),
    }
}

fn figures(story: CompareStory<'_>, place: (usize, usize), tally: &Tally) -> Figures {
    let total = tally.calls.total();
    let oracles = tally.oracles.iter().filter(|(_, oracle)| oracle.runs > 0);
    Figures {
        runs: tally.runs,
        at_limit: tally.at_limit,
        calls: total.whole,
        grants: total.part,
        success: Ratio::of(total.part, total.whole),
        latency_p50_us: tally.latency.percentile(500),
        latency_p99_us: tally.latency.percentile(990),
        requests_per_call: Ratio::of(tally.messages, total.whole),
        orders_oversold: tally.oversold,
        oversold_runs: tally.oversold_runs,
        oracles: InOrder(
            oracles.map(|(name, tally)| (name.to_string(), oracle(story, place, tally))).collect(),
        ),
    }
}

fn oracle(story: CompareStory<'_>, (row, column): (usize, usize), tally: &OracleTally) -> Oracle {
    let interval = clopper_pearson(tally.violated, tally.exercised);
    let seed = tally.first.map(|(seed, _)| seed);
    Oracle {
        runs: tally.runs,
        exercised: tally.exercised,
        violations: tally.violated,
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
        first_seed: seed,
        repro: seed.map(|seed| story.repro(row, column, seed)),
    }
}

/// Two rows, plan by plan, on one line.
pub fn pairs_json(comparison: &Comparison, rows: [&str; 2], pairs: &[Pairs], runs: u64) -> String {
    let columns = comparison.columns.iter().zip(pairs).map(|(column, pairs)| {
        let oracles = pairs
            .as_ref()
            .map(|pairs| InOrder(pairs.iter().map(|(oracle, pair)| pair_entry(*oracle, pair)).collect()));
        json!({ "column": column.name, "profile": column.profile.name, "oracles": oracles })
    });
    let columns: Vec<Value> = columns.collect();
    line(&json!({ "schema": SCHEMA, "rows": rows, "runs": runs, "columns": columns }))
}

fn pair_entry(oracle: OracleName, pair: &crate::sim::PairTally) -> (String, Value) {
    let test = mcnemar(pair.first_only, pair.second_only);
    let value = json!({
        "first_only": pair.first_only, "second_only": pair.second_only, "both": pair.both,
        "neither": pair.neither, "dropped": pair.dropped, "p": test.p,
    });
    (oracle.to_string(), value)
}

fn line(value: &impl Serialize) -> String {
    format!("{}\n", serde_json::to_string(value).expect("text, numbers and maps with text keys are JSON"))
}
