//! `shrink`: the smallest schedule that violates the same oracle, kept as a folder.
//!
//! Must not judge.

use super::args::{Format, ShrinkArgs};
use super::failure::Failure;
use super::folder::{self, Kept};
use super::lock::Lock;
use super::{Answer, Exit};
use crate::check::OracleName;
use crate::lock::LockCore;
use crate::report::{Story, keepsake, sentence, shrunk_json, shrunk_line};
use crate::scenario::Scenario;
use crate::sim::{Explorer, Keep, Shrunk};
use std::io;

/// Shrinks what was asked for.
pub(super) fn shrink<C: LockCore>(args: &ShrinkArgs, lock: &Lock<'_, C>) -> Result<Answer, Failure> {
    let (scenario, seed, of, profile) = if folder::is_folder(&args.what) {
        let folder = folder::read(&args.what, args.seed)?;
        (lock.adopt(folder.parse()?)?, folder.meta.seed, Some(folder.meta.oracle), folder.meta.profile)
    } else {
        let scenario = lock.load(&args.what)?;
        let seed = args.seed.unwrap_or(scenario.seed);
        (scenario, seed, None, None)
    };
    let Some(oracle) = args.oracle.or(of).or_else(|| first_violated(&scenario, seed, lock)) else {
        return Ok(nothing(&scenario, seed, "no judged oracle is violated", args.format));
    };
    match lock.shrink(&scenario, seed, oracle, args.runs) {
        Err(error) => Ok(nothing(&scenario, seed, &error.to_string(), args.format)),
        Ok(shrunk) => {
            let kept = keep_shrunk(&args.failures, &shrunk, oracle, profile.as_deref());
            Ok(answer(&shrunk, oracle, kept, args))
        }
    }
}

/// Keeps a shrunk schedule below `root`.
pub(super) fn keep_shrunk(
    root: &str,
    shrunk: &Shrunk,
    oracle: OracleName,
    profile: Option<&str>,
) -> io::Result<Kept> {
    let story = Story { scenario: &shrunk.scenario, result: &shrunk.result };
    folder::keep(root, &keepsake(story, oracle, profile, "-shrunk"))
}

fn answer(shrunk: &Shrunk, oracle: OracleName, kept: io::Result<Kept>, args: &ShrinkArgs) -> Answer {
    let (path, err, exit) = match kept {
        Ok(kept) => (Some(kept.path), String::new(), Exit::Held),
        Err(error) => {
            (None, format!("failed to write a folder in {}: {error}\n", args.failures), Exit::Unwritten)
        }
    };
    let out = match args.format {
        Format::Json => shrunk_json(shrunk, oracle, path.as_deref()),
        Format::Text => {
            let story = Story { scenario: &shrunk.scenario, result: &shrunk.result };
            let program = shrunk.scenario.runner.program();
            let replay = path.map(|path| format!("{program} replay {}\n", crate::report::quoted(&path)));
            let (sentence, line) = (sentence(story), shrunk_line(shrunk));
            format!(
                "{}: {sentence}\n{}\n{oracle}: {line}\n",
                shrunk.scenario.name,
                replay.unwrap_or_default()
            )
        }
    };
    Answer { out, err, exit }
}

/// The judged oracle that the run violates first.
fn first_violated<C: LockCore>(scenario: &Scenario, seed: u64, lock: &Lock<'_, C>) -> Option<OracleName> {
    let run = Explorer::with(scenario, lock.make).run(seed, Keep::Nothing);
    let judged = |oracle: OracleName| {
        scenario.expect.as_ref().is_none_or(|expect| expect.oracles.contains_key(&oracle))
    };
    run.violations.iter().map(|violation| violation.oracle).find(|oracle| judged(*oracle))
}

/// Nothing is violated, so there is nothing to shrink.
fn nothing(scenario: &Scenario, seed: u64, why: &str, format: Format) -> Answer {
    let out = match format {
        Format::Text => format!("{}: nothing to shrink under seed {seed}: {why}\n", scenario.name),
        Format::Json => {
            let object = serde_json::json!({
                "schema": crate::report::SCHEMA, "scenario": scenario.name, "seed": seed, "shrunk": false, "why": why,
            });
            format!("{object}\n")
        }
    };
    Answer::of(out, Exit::Inconclusive)
}
