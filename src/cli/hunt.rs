//! `hunt`: one scenario, many seeds, a rate per oracle.
//!
//! What is found is in [`Hunted::failures`]; whatever is made of single failures starts there, in [`answer`]. Must
//! not judge or count.

use super::args::{Format, HuntArgs};
use super::failure::Failure;
use super::keep::keep;
use super::load::profile;
use super::lock::Lock;
use super::run::drawn;
use super::watch::Watch;
use super::{Answer, Exit};
use crate::check::{OracleName, Outcome, Panel};
use crate::lock::LockCore;
use crate::report::{HuntStory, KeptFailure, divergent_text, hunt_json_kept, hunt_text, kept_text};
use crate::scenario::Scenario;
use crate::sim::{self, Hunted, Plans, Request, Subject, Until, check_scope};
use std::num::NonZeroUsize;
use std::thread::available_parallelism;

/// Runs the seeds that were asked for.
pub(super) fn hunt<C: LockCore>(args: &HuntArgs, lock: &Lock<'_, C>) -> Result<Answer, Failure> {
    let scenario = lock.load_like(&args.scenario, args.like.as_ref())?;
    let profile = args.profile.as_deref().map(profile).transpose()?;
    let scenario = match (&profile, &args.profile) {
        (Some(profile), Some(address)) => sim::under(&scenario, profile, drawn(address, args.swarm)),
        (Some(_), None) | (None, _) => scenario,
    };
    if let Some(oracle) = args.oracle.filter(|oracle| !applies(&scenario, *oracle, lock)) {
        return Err(Failure::Inapplicable { oracle, file: scenario.origin });
    }
    let jobs = args.jobs.and_then(|jobs| NonZeroUsize::new(usize::from(jobs)));
    let request = Request {
        seeds: args.seeds,
        jobs: jobs.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN),
        until: args.until_violations.map(|violations| Until { violations, oracle: args.oracle }),
        keep: args.keep,
    };
    let plan = profile.as_ref().map(|profile| {
        let scenario = &scenario;
        move |seed| sim::plan_under(scenario, profile, seed)
    });
    let plans = plan.as_ref().map_or(Plans::Kept, |plan| Plans::Drawn(plan));
    let subject = Subject::with(&scenario, plans, lock.make);
    let watch = Watch::begin(request.seeds.count(), args.time_limit);
    let hunted = sim::hunt(&subject, request, &mut |progress| watch.show(progress), watch.cancelled());
    let took = watch.end();
    match hunted {
        Ok(hunted) => {
            let mut err = took.speed(hunted.tally.runs, hunted.tally.events);
            let (kept, written) = keep(&subject, &hunted, args, lock);
            let mut answer = answer(&scenario, &hunted, &kept, args.format);
            if let Err(error) = written {
                err.push_str(&format!("failed to write a folder in {}: {error}\n", args.failures));
                answer.exit = Exit::Unwritten;
            }
            Ok(Answer { err, ..answer })
        }
        Err(divergent) => {
            let scenario = sim::Runs::scenario(&subject, divergent.seed);
            let err = divergent_text(&scenario, &divergent);
            Ok(Answer { out: String::new(), err, exit: Exit::Nondeterministic })
        }
    }
}

/// What is said about a hunt, and how to exit.
fn answer(scenario: &Scenario, hunted: &Hunted, kept: &[KeptFailure], format: Format) -> Answer {
    let story = HuntStory { scenario, hunted };
    let out = match format {
        Format::Text => hunt_text(story) + &kept_text(kept),
        Format::Json => hunt_json_kept(story, kept),
    };
    let exit = match hunted.exit_code() {
        0 => Exit::Held,
        1 => Exit::Violated,
        _ => Exit::Inconclusive,
    };
    Answer::of(out, exit)
}

/// Whether the oracle can arise at all.
fn applies<C: LockCore>(scenario: &Scenario, oracle: OracleName, lock: &Lock<'_, C>) -> bool {
    let panel = Panel::new(&check_scope(&scenario.setup, &(lock.make)(&scenario.setup)));
    panel.outcomes().any(|(name, outcome)| name == oracle && outcome != Outcome::NotApplicable)
}
