//! What a hunt keeps: a folder for each failure, and the smallest schedule behind the first one of each oracle.
//!
//! Must not judge or count.

use super::args::HuntArgs;
use super::folder;
use super::shrink::keep_shrunk;
use crate::check::OracleName;
use crate::report::{KeptFailure, Story, keepsake, shrunk_line};
use crate::scenario::{Edits, Scenario, parse, write};
use crate::sim::{self, Failure, Hunted, RUNS_MAX, Runs, Stop};
use std::collections::BTreeSet;
use std::io;

/// Keeps the failures of a hunt, in their order. With an error it ends, and what was kept until then stays.
pub(super) fn keep<S: Runs>(
    subject: &S,
    hunted: &Hunted,
    profile: Option<&str>,
    args: &HuntArgs,
) -> (Vec<KeptFailure>, io::Result<()>) {
    let mut kept = Vec::new();
    if args.no_folders {
        return (kept, Ok(()));
    }
    let mut seen: BTreeSet<OracleName> = BTreeSet::new();
    for failure in &hunted.failures {
        let first = seen.insert(failure.violation.oracle);
        // Whoever stopped the hunt does not want to wait.
        let shrinks = first && !args.no_shrink && hunted.stop != Stop::Cancelled;
        match keep_one(subject, failure, profile, args, shrinks) {
            Ok(one) => kept.push(one),
            Err(error) => return (kept, Err(error)),
        }
    }
    (kept, Ok(()))
}

fn keep_one<S: Runs>(
    subject: &S,
    failure: &Failure,
    profile: Option<&str>,
    args: &HuntArgs,
    shrinks: bool,
) -> io::Result<KeptFailure> {
    let (oracle, seed) = (failure.violation.oracle, failure.seed);
    let scenario = spelled_out(&subject.scenario(seed), seed);
    let result = sim::run(&scenario, seed);
    assert_eq!(result.digest, failure.digest, "a failure that is written and read again is the same run");
    let story = Story { scenario: &scenario, result: &result };
    let folder = folder::keep(&args.failures, &keepsake(story, oracle, profile, ""))?.path;
    let shrunk = if shrinks { sim::shrink(&scenario, seed, oracle, RUNS_MAX).ok() } else { None };
    let shrunk = match shrunk {
        Some(shrunk) => {
            let folder = keep_shrunk(&args.failures, &shrunk, oracle, profile)?.path;
            Some((folder, shrunk_line(&shrunk)))
        }
        None => None,
    };
    Ok(KeptFailure { oracle, seed, folder, shrunk })
}

/// The scenario of one run as a file: its plan spelled out, its seed in place.
fn spelled_out(scenario: &Scenario, seed: u64) -> Scenario {
    let text = write(scenario, &Edits::seed(scenario, seed));
    let mut again = parse(&scenario.origin, &text)
        .unwrap_or_else(|error| panic!("what is written can be read: {error}\n{text}"));
    again.name.clone_from(&scenario.name);
    again
}
