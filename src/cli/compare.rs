//! `compare`: locks and deployments under profiles of faults.
//!
//! Rows are told as they are complete, tables at the end. Files are written beside their place and moved there, so
//! nobody ever reads half of one. Must not judge or count.

use super::args::{CompareArgs, Format};
use super::failure::Failure;
use super::load;
use super::lock::{Lock, is_own};
use super::watch::Watch;
use super::{Answer, Exit, write};
use crate::lock::LockCore;
use crate::report::{
    CompareStory, compare_json, compare_markdown, compare_text, divergent_text, pairs_json, pairs_text,
    row_line,
};
use crate::scenario::{Comparison, UnknownRow};
use crate::sim::{self, CompareRequest, Progress, Seeds};
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread::available_parallelism;

/// Where the files of the whole shipped table are kept.
pub(super) const REPORTS: &str = "reports";

/// Fills the table that was asked for.
pub(super) fn compare<C: LockCore>(args: &CompareArgs, lock: &Lock<'_, C>) -> Result<Answer, Failure> {
    let mut comparison = load::comparison(args.file.as_ref())?;
    lock.join(&mut comparison)?;
    let request = request(args, &mut comparison)?;
    if !args.pair.is_empty() {
        return pair(args, &comparison, request, lock);
    }
    let cells = (comparison.rows.len() * comparison.columns.len()) as u64;
    let runs = request.seeds.count();
    let watch = Watch::begin(cells * runs, None);
    let mut progress = |done: usize| {
        watch.show(Progress { done: done as u64 * runs, of: cells * runs, violating: 0 });
    };
    let mut tell = |row: usize, cells: &[Option<sim::Cell>]| {
        if args.format == Format::Text {
            // A pipe that is closed is noticed when the tables are written.
            watch.beside(|| drop(write(&mut io::stdout().lock(), &row_line(&comparison, row, cells))));
        }
    };
    let (own, cancelled) = (lock.own_row(&comparison), watch.cancelled());
    let compared = sim::compare_with(&comparison, own, request, &mut progress, &mut tell, cancelled);
    let took = watch.end();
    let compared = match compared {
        Ok(compared) => compared,
        Err((row, divergent)) => {
            let err = divergent_text(&comparison.rows[row].scenario, &divergent);
            return Ok(Answer { out: String::new(), err, exit: Exit::Nondeterministic });
        }
    };
    let command = command(args, lock.runner.program());
    let story = CompareStory { comparison: &comparison, compared: &compared, command: &command };
    let out = match args.format {
        Format::Text => compare_text(story),
        Format::Json => compare_json(story),
    };
    let tallies = compared.cells.iter().flatten().flatten().filter_map(|cell| match cell {
        sim::Cell::NotApplicable => None,
        sim::Cell::Tallied { tally, .. } => Some((tally.runs, tally.events)),
    });
    let (runs, events) = tallies.fold((0, 0), |sum, cell| (sum.0 + cell.0, sum.1 + cell.1));
    let mut answer = Answer { out, err: took.speed(runs, events), exit: Exit::Held };
    if !compared.is_complete() {
        answer.exit = Exit::Inconclusive;
        answer.err.push_str("cut short: only complete cells are shown, and no file was written\n");
        return Ok(answer);
    }
    if let Some(folder) = folder(args).filter(|_| args.out.is_some() || !lock.is_own()) {
        match keep(folder, story) {
            Ok(()) => answer.err.push_str(&format!("wrote {folder}/compare.md and {folder}/compare.json\n")),
            Err(error) => {
                answer.exit = Exit::Unwritten;
                answer.err.push_str(&format!("failed to write the results to {folder}: {error}\n"));
            }
        }
    }
    Ok(answer)
}

/// Two rows, plan by plan.
fn pair<C: LockCore>(
    args: &CompareArgs,
    comparison: &Comparison,
    request: CompareRequest,
    lock: &Lock<'_, C>,
) -> Result<Answer, Failure> {
    let names: [&String; 2] = match args.pair.as_slice() {
        [first, second] if first != second => [first, second],
        _ => {
            return Err(Failure::NoSuch {
                kind: "pair",
                name: args.pair.join(","),
                message: "`--pair` names two different rows".to_owned(),
                suggestion: Some("--pair single,redlock-5".to_owned()),
            });
        }
    };
    let [first, second] = names.map(|name| comparison.row(name).map_err(unknown_row));
    let rows = [first?, second?];
    let watch = Watch::begin(comparison.columns.len() as u64, None);
    let ([one, other], cancelled) = (rows.map(|row| &row.scenario), watch.cancelled());
    let pairs = match rows.map(is_own) {
        [true, _] => sim::pairs_with(comparison, (one, lock.make), (other, &sim::cores), request, cancelled),
        [false, true] => {
            sim::pairs_with(comparison, (one, &sim::cores), (other, lock.make), request, cancelled)
        }
        [false, false] => sim::pairs(comparison, [one, other], request, cancelled),
    };
    let cut = watch.cancelled().load(std::sync::atomic::Ordering::Relaxed);
    watch.end();
    let names = rows.map(|row| row.name.as_str());
    let runs = request.seeds.count();
    let out = match args.format {
        Format::Text => pairs_text(comparison, names, &pairs, runs),
        Format::Json => pairs_json(comparison, names, &pairs, runs),
    };
    Ok(Answer::of(out, if cut { Exit::Inconclusive } else { Exit::Held }))
}

/// The seeds and threads, and the table reduced to the rows and columns that were asked for.
fn request(args: &CompareArgs, comparison: &mut Comparison) -> Result<CompareRequest, Failure> {
    for name in &args.rows {
        comparison.row(name).map_err(unknown_row)?;
    }
    for name in &args.columns {
        let known = || comparison.columns.iter().map(|column| column.name.as_str());
        if !known().any(|known| known == name) {
            return Err(Failure::NoSuch {
                kind: "unknown-column",
                message: format!("{} has no column `{name}`", comparison.origin),
                name: name.clone(),
                suggestion: crate::scenario::closest(name, known()),
            });
        }
    }
    let wanted = |names: &[String], name: &String| names.is_empty() || names.contains(name);
    comparison.rows.retain(|row| wanted(&args.rows, &row.name) || is_own(row));
    comparison.columns.retain(|column| wanted(&args.columns, &column.name));
    let from = args.seed.unwrap_or(comparison.seed);
    let seeds = Seeds::new(from, from.saturating_add(args.runs.unwrap_or(comparison.runs)));
    let jobs = args.jobs.and_then(|jobs| NonZeroUsize::new(usize::from(jobs)));
    Ok(CompareRequest {
        seeds: seeds.map_err(|error| Failure::NoSuch {
            kind: "seeds",
            name: from.to_string(),
            message: error.to_string(),
            suggestion: None,
        })?,
        jobs: jobs.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN),
    })
}

fn unknown_row(unknown: UnknownRow) -> Failure {
    Failure::NoSuch {
        kind: "unknown-row",
        message: unknown.to_string(),
        name: unknown.name,
        suggestion: unknown.suggestion,
    }
}

/// Where files are written: where it was asked for, or in the usual place if it is the whole shipped table.
fn folder(args: &CompareArgs) -> Option<&str> {
    let whole = args.file.is_none()
        && args.runs.is_none()
        && args.seed.is_none()
        && args.rows.is_empty()
        && args.columns.is_empty();
    args.out.as_deref().or(whole.then_some(REPORTS))
}

/// The command that makes the same table, without what changes nothing of it.
fn command(args: &CompareArgs, program: &str) -> String {
    let mut command = format!("{program} compare");
    let mut add = |option: &str, value: Option<String>| {
        if let Some(value) = value {
            command.push_str(&format!(" {option} {value}"));
        }
    };
    let list = |names: &[String]| (!names.is_empty()).then(|| names.join(","));
    add("--file", args.file.clone());
    add("--runs", args.runs.map(|runs| runs.to_string()));
    add("--seed", args.seed.map(|seed| seed.to_string()));
    add("--rows", list(&args.rows));
    add("--columns", list(&args.columns));
    command
}

fn keep(folder: &str, story: CompareStory<'_>) -> io::Result<()> {
    let files = [("compare.md", compare_markdown(story)), ("compare.json", compare_json(story))];
    keep_files(folder, &files.map(|(name, text)| (name.to_owned(), text)))
}

/// Writes files beside their place and moves them there.
pub(super) fn keep_files(folder: &str, files: &[(String, String)]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (name, text) in files {
        let place = Path::new(folder).join(name);
        let beside = Path::new(folder).join(format!(".{name}.{}", std::process::id()));
        let moved = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, &place));
        if moved.is_err() {
            // What could not be moved is of no use to anybody.
            let _ = std::fs::remove_file(&beside);
        }
        moved?;
    }
    Ok(())
}
