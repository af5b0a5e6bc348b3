//! Shrinks what breaks and is not kept yet.
//!
//! Where the shipped lock violates the oracle half as often or more, a run that it violates too is told, else one that it
//! does not; of the first few the shortest, also with work of one length instead of drawn ones, which shrinks further. The file is a draft: whoever
//! keeps it writes into its title and claim what it shows.

use crate::adapters::{Frame, Published};
use crate::exhibit::{path, place};
use crate::survey::{Row, Spec, Surveyed, frame};
use fencepost::async_sim::{self, Code};
use fencepost::check::{Ending, OracleName, Outcome};
use fencepost::sim::RunResult;
use std::collections::BTreeSet;

/// At most so many runs per find: each is one of real code.
const RUNS_MAX: u32 = 300;
/// How many starts are shrunk at most, until none drifts.
const TRIES_MAX: usize = 4;
/// How many seeds are tried.
const SEEDS_MAX: usize = 4;
/// The lengths of work that are tried.
const WORKS: [&str; 4] = [DRAWN, "work_ms     = 1_000", "work_ms     = 9_000", "work_ms     = 14_000"];
const DRAWN: &str = "work_ms     = { p0 = 20, p50 = 1_000, p75 = 9_890, p100 = 15_000 }";

pub(crate) fn all(Surveyed { published, rows }: &Surveyed) {
    let broken: BTreeSet<OracleName> = rows.iter().flat_map(Row::broken).collect();
    for oracle in broken {
        let path = path(published, oracle);
        if std::fs::exists(place(&path)).is_ok_and(|exists| exists) {
            continue;
        }
        let mut best: Option<(bool, String)> = None;
        for start in telling(published, rows, oracle).iter().take(TRIES_MAX) {
            let (drifted, text) = small(start, oracle);
            if best.is_none() || !drifted {
                best = Some((drifted, text));
            }
            if !drifted {
                break;
            }
        }
        if let Some((_, text)) = best {
            std::fs::write(place(&path), text).expect("a file can be written");
            eprintln!("{path}");
        }
    }
}

/// Whether shrinking led to another story: a run that its limit ends, or one that the shipped lock takes otherwise.
fn small(start: &Start, oracle: OracleName) -> (bool, String) {
    let small = start.code.shrink(start.seed, oracle, RUNS_MAX).expect("this seed violates it");
    let shipped = breaks(&fencepost::sim::run(&small.scenario, start.seed), oracle);
    let drifted = small.result.ending != Ending::Settled || shipped != start.both;
    let text = small.scenario.text.replace(
        "claim  = \"Who takes the place of its lock meets the same faults as it does.\"",
        &format!("claim  = \"{}, seed {}, shipped {shipped}\"", start.profile, start.seed),
    );
    (drifted, format!("{}\n\n[expect]\n{oracle} = \"violated\"\n", text.trim_end()))
}

/// Where to begin.
struct Start {
    code: Code,
    profile: &'static str,
    seed: u64,
    /// Whether the shipped lock breaks there too.
    both: bool,
    events: u64,
}

fn telling(published: &Published, rows: &[Row], oracle: OracleName) -> Vec<Start> {
    let cells = || rows.iter().filter_map(|row| Some((row, row.cells.get(&oracle)?)));
    let crate_s: u64 = cells().map(|(_, cell)| cell.published.violated).sum();
    let shipped: u64 = cells().map(|(_, cell)| cell.shipped.violated).sum();
    let shared = 2 * shipped >= crate_s;
    let all = cells().flat_map(|(row, cell)| {
        let seeds = cell.seeds.iter().filter(|(_, both)| *both == shared).take(SEEDS_MAX);
        // Where the shipped lock never breaks in so many runs, chance is the least likely to tell the two apart.
        let rank = (shared || cell.shipped.violated > 0, std::cmp::Reverse(cell.published.violated));
        seeds.map(move |(seed, both)| (rank, row.profile, *seed, *both))
    });
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|(rank, ..)| *rank);
    let starts = all.into_iter().take(SEEDS_MAX).flat_map(|(_, profile, seed, both)| {
        WORKS
            .iter()
            .filter_map(move |work| start(published, profile, seed, oracle, work))
            .filter(move |start| start.both == both)
    });
    let mut starts: Vec<Start> = starts.collect();
    starts.sort_by_key(|start| start.events);
    starts
}

fn start(
    published: &Published,
    profile: &'static str,
    seed: u64,
    oracle: OracleName,
    work: &str,
) -> Option<Start> {
    let Frame { name, text } = frame(published, profile);
    let text = text.replace(DRAWN, work);
    let code = (published.code)(async_sim::scenario_text(name, &text).profile(profile));
    let result = code.run_seed(seed).1;
    let both = breaks(&Spec::new(name, &text, profile).run(seed), oracle);
    breaks(&result, oracle).then(|| Start { code, profile, seed, both, events: result.events })
}

fn breaks(result: &RunResult, oracle: OracleName) -> bool {
    result.outcomes.iter().any(|(name, end)| *name == oracle && matches!(end, Outcome::Violated(_)))
}
