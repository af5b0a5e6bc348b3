//! One test per scenario file: it parses, runs, ends as it expects, runs the same twice and as on every machine.
//!
//! A failure carries what `fencepost run` prints. `FENCEPOST_SEED` replaces every seed; golden digests then do not
//! apply. `FENCEPOST_SEEDS=0..1000` hunts every scenario over these seeds as well, and fails with what `fencepost
//! hunt` and `fencepost run` print. `FENCEPOST_BLESS=1` writes `tests/golden/digests.toml` instead of comparing with
//! it.

mod golden;
mod wide;

use fencepost::report::{Length, Story, divergence, repro, run_text};
use fencepost::scenario::{Scenario, parse, shipped};
use fencepost::sim::{self, Seeds};
use golden::Golden;
use libtest_mimic::{Arguments, Failed, Trial};
use std::sync::Arc;

fn main() {
    let arguments = Arguments::from_args();
    let golden = Arc::new(Golden::open());
    let seed = std::env::var("FENCEPOST_SEED").ok().map(|text| {
        text.parse().unwrap_or_else(|_| panic!("FENCEPOST_SEED must be a number below 2^53, not {text:?}"))
    });
    let seeds = std::env::var("FENCEPOST_SEEDS").ok().map(|text| {
        text.parse().unwrap_or_else(|error| panic!("FENCEPOST_SEEDS cannot be {text:?}: {error}"))
    });
    let mut trials: Vec<Trial> = shipped()
        .map(|(name, text)| {
            let golden = Arc::clone(&golden);
            Trial::test(format!("scenario::{name}"), move || scenario(name, text, (seed, seeds), &golden))
        })
        .collect();
    let names: Vec<&str> = shipped().map(|(name, _)| name).collect();
    let known = Arc::clone(&golden);
    trials.push(Trial::test("golden::no_digest_is_left_over", move || known.check_names(&names)));
    let conclusion = libtest_mimic::run(&arguments, trials);
    golden.save(&conclusion);
    conclusion.exit();
}

fn scenario(
    name: &str,
    text: &str,
    (seed, seeds): (Option<u64>, Option<Seeds>),
    golden: &Golden,
) -> Result<(), Failed> {
    let scenario = parse(name, text).map_err(|error| match &error.suggestion {
        Some(meant) => format!("{error}; did you mean {meant}?"),
        None => error.to_string(),
    })?;
    if scenario.expect.is_none() {
        return Err(format!("{name} has no [expect]: a shipped scenario says how it ends").into());
    }
    let seed = seed.unwrap_or(scenario.seed);
    let result = sim::run(&scenario, seed);
    let story = Story { scenario: &scenario, result: &result };
    if result.judgement.as_expected() != Some(true) {
        return Err(format!("\n{}", run_text(story, Length::Short)).into());
    }
    if let Some(difference) = divergence(story, &sim::run(&scenario, seed)) {
        return Err(format!("\n{difference}").into());
    }
    if seed == scenario.seed {
        golden.check(name, result.digest).map_err(|difference| format!("{difference}\n{}", repro(story)))?;
    }
    explained(&scenario, story)?;
    seeds.map_or(Ok(()), |seeds| wide::hunt(&scenario, seeds))
}

/// A report begins with the sentence and the repro, and its short timeline keeps its bound.
fn explained(scenario: &Scenario, story: Story<'_>) -> Result<(), Failed> {
    let text = run_text(story, Length::Short);
    let lines: Vec<&str> = text.lines().collect();
    let timeline = lines.iter().skip(3).take_while(|line| !line.is_empty()).count();
    if !lines[0].starts_with(&scenario.name) || !lines[1].starts_with("cargo run --release -- run ") {
        return Err(format!("the report does not begin with sentence and repro:\n{text}").into());
    }
    if timeline == 0 || timeline > Length::LINES {
        return Err(format!("the timeline has {timeline} lines:\n{text}").into());
    }
    Ok(())
}
