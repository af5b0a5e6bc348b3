//! Shrinks what breaks and is not kept yet.
//!
//! Seeds that violate the oracle for the crate and not for the shipped lock are preferred, and among the first of those the
//! shortest run, also with work of one length instead of drawn ones, which shrinks further. The file is a draft: whoever
//! keeps it writes into its title and claim what it shows.

use crate::adapters::{Frame, Published};
use crate::exhibit::{path, place};
use crate::survey::{Row, Spec, Surveyed, frame};
use fencepost::async_sim::{self, Code};
use fencepost::check::{OracleName, Outcome};
use fencepost::sim::RunResult;
use std::collections::BTreeSet;

/// At most so many runs per find: each is one of real code.
const RUNS_MAX: u32 = 300;
/// How many seeds are tried.
const SEEDS_MAX: usize = 4;
/// The lengths of work that are tried.
const WORKS: [&str; 4] = [DRAWN, "work_ms     = 1_000", "work_ms     = 9_000", "work_ms     = 14_000"];
const DRAWN: &str = "work_ms     = { p0 = 20, p50 = 1_000, p75 = 9_890, p100 = 15_000 }";

pub(crate) fn all(surveys: &[Surveyed]) {
    for Surveyed { published, rows } in surveys {
        let broken: BTreeSet<OracleName> = rows.iter().flat_map(Row::broken).collect();
        for oracle in broken {
            let path = path(published, oracle);
            if std::fs::exists(place(&path)).is_ok_and(|exists| exists) {
                continue;
            }
            let Some(start) = telling(published, rows, oracle) else { continue };
            let small = start.code.shrink(start.seed, oracle, RUNS_MAX).expect("this seed violates it");
            let text = small.scenario.text.replace(
                "claim  = \"Who takes the place of its lock meets the same faults as it does.\"",
                &format!("claim  = \"{}, seed {}, shipped {}\"", start.profile, start.seed, start.both),
            );
            let text = format!("{}\n\n[expect]\n{oracle} = \"violated\"\n", text.trim_end());
            std::fs::write(place(&path), text).expect("a file can be written");
            eprintln!("{path}: {:?} to {:?} in {} runs", small.before, small.after, small.runs);
        }
    }
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

fn telling(published: &Published, rows: &[Row], oracle: OracleName) -> Option<Start> {
    let all = rows.iter().flat_map(|row| {
        let seeds = row.cells.get(&oracle).map(|cell| cell.seeds.as_slice()).unwrap_or_default();
        seeds.iter().take(SEEDS_MAX).map(|(seed, both)| (row.profile, *seed, *both))
    });
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|(_, _, both)| *both);
    let starts = all.into_iter().take(SEEDS_MAX).flat_map(|(profile, seed, _)| {
        WORKS.iter().filter_map(move |work| start(published, profile, seed, oracle, work))
    });
    starts.min_by_key(|start| (start.both, start.events))
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
