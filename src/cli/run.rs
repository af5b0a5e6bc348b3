//! `run`: one scenario, one seed, one verdict.
//!
//! A run with a violation is run again before it is reported: a verdict that does not repeat is a bug of ours and
//! has its own exit code. Must not judge.

use super::args::{Format, RunArgs};
use super::failure::Failure;
use super::load::profile;
use super::lock::Lock;
use super::{Answer, Exit};
use crate::lock::LockCore;
use crate::report::{LEGEND, Story, divergence, run_json, run_text};
use crate::scenario::Drawn;
use crate::sim;

/// Runs what was asked for.
pub(super) fn run<C: LockCore>(args: &RunArgs, lock: &Lock<'_, C>) -> Result<Answer, Failure> {
    let scenario = lock.load_like(&args.scenario, args.like.as_ref())?;
    let seed = args.seed.unwrap_or(scenario.seed);
    let scenario = match &args.profile {
        Some(address) => {
            let profile = profile(address)?;
            let mut scenario = sim::under(&scenario, &profile, drawn(address, args.swarm));
            scenario.setup.plan = sim::plan_under(&scenario, &profile, seed);
            scenario
        }
        None => scenario,
    };
    let result = lock.run(&scenario, seed);
    let story = Story { scenario: &scenario, result: &result };
    if !result.violations.is_empty()
        && let Some(difference) = divergence(story, &lock.run(&scenario, seed))
    {
        let err = difference.to_string();
        return Ok(Answer { out: String::new(), err, exit: Exit::Nondeterministic });
    }
    let out = match args.format {
        Format::Json => run_json(story),
        Format::Text => {
            let legend = if args.legend { format!("{LEGEND}\n") } else { String::new() };
            legend + &run_text(story, args.timeline.length())
        }
    };
    Ok(Answer::of(out, exit(&result)))
}

/// How to exit after a run.
pub(super) fn exit(result: &sim::RunResult) -> Exit {
    match result.judgement.exit_code() {
        0 => Exit::Held,
        1 => Exit::Violated,
        _ => Exit::Inconclusive,
    }
}

/// What plans are drawn from, as the command line says.
pub(super) fn drawn(address: &str, swarm: bool) -> Drawn {
    if swarm { Drawn::Swarm(address.to_owned()) } else { Drawn::Profile(address.to_owned()) }
}
