//! `compare --like`: locks of libraries and articles through the drills.
//!
//! The other half of `compare`. Must not judge or count.

use super::args::{CompareArgs, Format};
use super::compare::keep_files;
use super::failure::Failure;
use super::load::named_preset;
use super::watch::Watch;
use super::{Answer, Exit};
use crate::report::{DrillStory, drill_line, drills_json, drills_markdown, drills_text, unpinned};
use crate::scenario::{Family, Preset, drills, presets};
use crate::sim::{DRILL_RUNS, DrillCell, Progress, drill_all, in_order};
use std::num::NonZeroUsize;
use std::thread::available_parallelism;

/// A set of presets with a name of its own, and the file that it is kept in.
struct Shelf {
    presets: Vec<Preset>,
    /// Without folder and ending; `None`: nothing is kept.
    file: Option<&'static str>,
    title: &'static str,
}

/// Drills the presets that were asked for.
pub(super) fn drill(args: &CompareArgs, like: &[String]) -> Result<Answer, Failure> {
    let shelf = shelf(like)?;
    let drills = in_order(drills());
    let per_row = drills.len() as u64 * DRILL_RUNS;
    let steps = shelf.presets.len() as u64 * per_row;
    let watch = Watch::begin(steps, None);
    let mut progress =
        |done: usize| watch.show(Progress { done: done as u64 * per_row, of: steps, violating: 0 });
    let jobs = args.jobs.and_then(|jobs| NonZeroUsize::new(usize::from(jobs)));
    let jobs = jobs.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let rows = drill_all(&shelf.presets, &drills, jobs, &mut progress, watch.cancelled());
    let took = watch.end();
    let whole = rows.iter().all(Option::is_some);
    let rows: Vec<_> = rows.into_iter().flatten().collect();
    let command = format!("cargo run --release -- compare --like {}", like.join(","));
    let story = DrillStory { drills: &drills, rows: &rows, command: &command, title: shelf.title };
    let out = match args.format {
        Format::Text if rows.len() > 3 => rows.iter().map(drill_line).collect(),
        Format::Text => drills_text(story),
        Format::Json => drills_json(story),
    };
    let mut answer = Answer { out, err: took.runs(rows.len() as u64 * per_row), exit: Exit::Held };
    if !whole {
        answer.exit = Exit::Inconclusive;
        answer.err.push_str("cut short: only complete locks are shown, and no file was written\n");
        return Ok(answer);
    }
    let divergent =
        |row: &crate::sim::DrillRow| row.cells.iter().any(|cell| matches!(cell, DrillCell::Divergent { .. }));
    if rows.iter().any(divergent) {
        answer.exit = Exit::Nondeterministic;
    } else if rows.iter().any(|row| !unpinned(row).is_empty() || row.faults().next().is_some()) {
        answer.exit = Exit::Violated;
        answer.err.push_str(match rows.len() {
            1..=3 => "not as pinned: the lines above say where\n",
            _ => "not as pinned: `compare --like NAME` shows the differences of one lock\n",
        });
    }
    let folder = args.out.as_deref().or(shelf.file.map(|_| super::compare::REPORTS));
    if let Some(folder) = folder {
        let name = shelf.file.unwrap_or("drills");
        let files =
            [(format!("{name}.md"), drills_markdown(story)), (format!("{name}.json"), drills_json(story))];
        match keep_files(folder, &files) {
            Ok(()) => answer.err.push_str(&format!("wrote {folder}/{name}.md and {folder}/{name}.json\n")),
            Err(error) => {
                answer.exit = Exit::Unwritten;
                answer.err.push_str(&format!("failed to write the results to {folder}: {error}\n"));
            }
        }
    }
    Ok(answer)
}

fn shelf(like: &[String]) -> Result<Shelf, Failure> {
    let of =
        |wanted: &dyn Fn(Family) -> bool| presets().into_iter().filter(|one| wanted(one.family)).collect();
    if let [one] = like {
        match one.as_str() {
            "all" => {
                return Ok(Shelf {
                    presets: of(&|_| true),
                    file: Some("libraries"),
                    title: "Locks of libraries and articles",
                });
            }
            "articles" => {
                return Ok(Shelf {
                    presets: of(&|family| match family {
                        Family::Article | Family::Reference => true,
                        Family::Library => false,
                    }),
                    file: Some("articles"),
                    title: "Locks as three articles print them",
                });
            }
            _ => {}
        }
    }
    if let Some(alone) = like.iter().find(|name| matches!(name.as_str(), "all" | "articles")) {
        return Err(Failure::NoSuch {
            kind: "unknown-preset",
            name: alone.clone(),
            message: format!("`{alone}` is no preset but a set of them, and stands alone"),
            suggestion: Some(format!("--like {alone}")),
        });
    }
    let presets = like.iter().map(|name| named_preset(name)).collect::<Result<_, _>>()?;
    Ok(Shelf { presets, file: None, title: "Drilled locks" })
}
