//! What a hunt keeps: a folder for each failure, and the smallest schedule behind the first one of each oracle.
//!
//! Must not judge or count.

use super::args::HuntArgs;
use super::folder;
use super::lock::Lock;
use super::shrink::keep_shrunk;
use crate::check::OracleName;
use crate::lock::LockCore;
use crate::report::{KeptFailure, Story, keepsake, shrunk_line};
use crate::scenario::{Edits, Scenario, parse, write};
use crate::sim::{Failure, Hunted, RUNS_MAX, Runs, Stop};
use std::collections::BTreeSet;
use std::io;

/// Keeps the failures of a hunt, in their order. With an error it ends, and what was kept until then stays.
pub(super) fn keep<S: Runs, C: LockCore>(
    subject: &S,
    hunted: &Hunted,
    args: &HuntArgs,
    lock: &Lock<'_, C>,
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
        match keep_one(subject, failure, args, lock, shrinks) {
            Ok(one) => kept.push(one),
            Err(error) => return (kept, Err(error)),
        }
    }
    (kept, Ok(()))
}

fn keep_one<S: Runs, C: LockCore>(
    subject: &S,
    failure: &Failure,
    args: &HuntArgs,
    lock: &Lock<'_, C>,
    shrinks: bool,
) -> io::Result<KeptFailure> {
    let (oracle, seed) = (failure.violation.oracle, failure.seed);
    let profile = args.profile.as_deref();
    // What a file expects of its own lock is not expected of another one.
    let only = lock.is_own().then_some(oracle);
    let scenario = spelled_out(&subject.scenario(seed), seed, only);
    let result = lock.run(&scenario, seed);
    assert_eq!(result.digest, failure.digest, "a failure that is written and read again is the same run");
    let story = Story { scenario: &scenario, result: &result };
    let folder = folder::keep(&args.failures, &keepsake(story, oracle, profile, ""))?.path;
    let shrunk = if shrinks { lock.shrink(&scenario, seed, oracle, RUNS_MAX).ok() } else { None };
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
fn spelled_out(scenario: &Scenario, seed: u64, only: Option<OracleName>) -> Scenario {
    let text = write(scenario, &Edits { only, ..Edits::seed(scenario, seed) });
    let mut again = parse(&scenario.origin, &text)
        .unwrap_or_else(|error| panic!("what is written can be read: {error}\n{text}"));
    again.name.clone_from(&scenario.name);
    again.runner.clone_from(&scenario.runner);
    again
}
