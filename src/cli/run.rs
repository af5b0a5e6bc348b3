//! `run`: one scenario, one seed, one verdict.
//!
//! A run with a violation is run again before it is reported: a verdict that does not repeat is a bug of ours and
//! has its own exit code. Must not judge.

use super::args::{Format, RunArgs, Timeline};
use super::failure::Failure;
use super::{Answer, Exit};
use crate::report::{LEGEND, Length, Story, divergence, run_json, run_text};
use crate::scenario::{Locator, Scenario, find, parse};
use crate::sim;
use std::fs;

/// Runs what was asked for.
pub(super) fn run(args: &RunArgs) -> Result<Answer, Failure> {
    let scenario = load(&args.scenario)?;
    let seed = args.seed.unwrap_or(scenario.seed);
    let result = sim::run(&scenario, seed);
    let story = Story { scenario: &scenario, result: &result };
    if !result.violations.is_empty()
        && let Some(difference) = divergence(story, &sim::run(&scenario, seed))
    {
        let err = difference.to_string();
        return Ok(Answer { out: String::new(), err, exit: Exit::Nondeterministic });
    }
    let out = match args.format {
        Format::Json => run_json(story),
        Format::Text => {
            let legend = if args.legend { format!("{LEGEND}\n") } else { String::new() };
            let length = match args.timeline {
                Timeline::Short => Length::Short,
                Timeline::Full => Length::Full,
            };
            legend + &run_text(story, length)
        }
    };
    let exit = match result.judgement.exit_code() {
        0 => Exit::Held,
        1 => Exit::Violated,
        _ => Exit::Inconclusive,
    };
    Ok(Answer::of(out, exit))
}

/// Reads the scenario that a name or a path means.
pub(super) fn load(name_or_path: &str) -> Result<Scenario, Failure> {
    let (origin, text) = match find(name_or_path).map_err(Failure::Unknown)? {
        Locator::Shipped { name, text } => (name.to_owned(), text.to_owned()),
        Locator::Path(path) => match fs::read_to_string(&path) {
            Ok(text) => (path, text),
            Err(error) => return Err(Failure::Unreadable { path, error }),
        },
    };
    parse(&origin, &text).map_err(|error| Failure::File { error: Box::new(error), text })
}
