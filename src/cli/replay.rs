//! `replay`: a kept failure, run again and compared with what was kept; or a file, as `run` does.
//!
//! Must not judge.

use super::args::{Format, ReplayArgs, RunArgs};
use super::failure::Failure;
use super::folder::{self, Folder};
use super::lock::Lock;
use super::run::{exit, run};
use super::{Answer, Exit};
use crate::lock::LockCore;
use crate::report::{Likeness, Story, replay_json, run_text, trace_difference};
use crate::scenario::Scenario;
use crate::sim;

/// Replays what was asked for.
pub(super) fn replay<C: LockCore>(args: &ReplayArgs, lock: &Lock<'_, C>) -> Result<Answer, Failure> {
    if !folder::is_folder(&args.what) {
        let (scenario, seed) = (args.what.clone(), args.seed);
        let (format, timeline, legend) = (args.format, args.timeline, false);
        let asked =
            RunArgs { scenario, like: None, seed, format, timeline, legend, profile: None, swarm: false };
        return run(&asked, lock);
    }
    let folder = folder::read(&args.what, args.seed)?;
    let scenario = lock.adopt(folder.parse()?)?;
    let result = lock.run(&scenario, folder.meta.seed);
    let story = Story { scenario: &scenario, result: &result };
    let likeness = folder.meta.compare(story);
    if likeness == Likeness::Diverged {
        let err = parted(&folder, &scenario, &result);
        return Ok(Answer { out: String::new(), err, exit: Exit::Nondeterministic });
    }
    let out = match args.format {
        Format::Json => replay_json(story, &folder.meta, likeness),
        Format::Text => {
            let length = args.timeline.length();
            format!("{}replay     {}\n", run_text(story, length), said(&folder, likeness))
        }
    };
    Ok(Answer::of(out, exit(&result)))
}

/// The likeness in a sentence.
fn said(folder: &Folder, likeness: Likeness) -> String {
    let what = match likeness {
        Likeness::Same => return "reproduced bit for bit".to_owned(),
        Likeness::Diverged => "it differs from what was kept",
        Likeness::SameDigest => "the digest still matches, the verdict does not",
        Likeness::SameVerdict => "the verdict still matches, the digest does not",
        Likeness::Neither => "neither digest nor verdict match any more",
    };
    let meta = &folder.meta;
    format!(
        "{what}; kept by version {} (encoding {}) as {} with digest {}",
        meta.version, meta.encoding, meta.verdict, meta.digest
    )
}

/// Where the run of today leaves the kept one.
fn parted(folder: &Folder, scenario: &Scenario, result: &sim::RunResult) -> String {
    let (meta, name) = (&folder.meta, &scenario.name);
    let head =
        format!("{name}: the run of seed {} differs from the one kept by this same version", meta.seed);
    match trace_difference(&folder.trace, &result.records) {
        Some(difference) => format!("{head}, from record {} on\n\n{difference}", difference.record),
        None => {
            let now = result.digest;
            format!(
                "{head}: its records are the same, what was kept about them is not (digest {}, now {now:016x})\n",
                meta.digest
            )
        }
    }
}
