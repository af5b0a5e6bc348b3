//! A hunt for a program: one line of JSON.
//!
//! Fractions lie in [0, 1] but for figures per grant, intervals are two-sided 95 %. Must not carry anything that
//! depends on the machine or on the number of threads.

use super::hunt::HuntStory;
use super::json::{InOrder, SCHEMA};
use super::rate::Rate;
use super::shrunk::KeptFailure;
use super::verdict::verdict;
use crate::sim::{Stop, WitnessTally};
use crate::stats::{Interval, Ratio, bootstrap};
use serde::Serialize;

#[derive(Serialize)]
struct Hunt<'a> {
    schema: u32,
    scenario: &'a str,
    profile: &'a str,
    seeds: [u64; 2],
    ended: &'static str,
    runs: u64,
    at_limit: u64,
    repeated: u64,
    verdict: &'static str,
    as_expected: Option<bool>,
    oracles: InOrder<Oracle>,
    any: Any,
    acquire: Acquire,
    orders_oversold: u64,
    witnesses: InOrder<Witness>,
    events: u64,
    failures: Vec<Failed>,
}

#[derive(Serialize)]
struct Oracle {
    ended: &'static str,
    #[serde(flatten)]
    rate: Flat,
    first_seed: Option<u64>,
}

/// A rate with its interval's ends beside it.
#[derive(Serialize)]
struct Flat {
    runs: u64,
    exercised: u64,
    grants: u64,
    violations: u64,
    rate: Option<Ratio>,
    low: Option<Ratio>,
    high: Option<Ratio>,
    sampling: super::rate::Sampling,
    per_grant: Option<Ratio>,
    per_grant_approximate: Option<Interval>,
}

/// Runs that violate what the hunt counts.
#[derive(Serialize)]
struct Any {
    exercised: u64,
    violations: u64,
}

#[derive(Serialize)]
struct Acquire {
    calls: u64,
    grants: u64,
    success: Option<Ratio>,
    success_approximate: Option<Interval>,
    requests_per_call: Option<Ratio>,
    latency_p50_us: Option<u64>,
    latency_p99_us: Option<u64>,
}

#[derive(Serialize)]
struct Witness {
    total: u64,
    runs: u64,
}

#[derive(Serialize)]
struct Failed {
    oracle: String,
    seed: u64,
    digest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shrunk: Option<String>,
}

/// The stream of resampling for calls; oracles have those of their numbers.
const CALLS: u64 = 1 << 32;

/// One hunt as one line of JSON.
pub fn hunt_json(story: HuntStory<'_>) -> String {
    hunt_json_kept(story, &[])
}

/// The same, with the folders of its first failures.
pub fn hunt_json_kept(story: HuntStory<'_>, kept: &[KeptFailure]) -> String {
    let (hunted, tally) = (story.hunted, &story.hunted.tally);
    let oracles = story.judged().into_iter().map(|(oracle, tally)| {
        let rate = flat(Rate::of(oracle, tally, story.sampling(oracle)));
        let first_seed = tally.first.map(|(seed, _)| seed);
        (oracle.to_string(), Oracle { ended: tally.outcome().text(), rate, first_seed })
    });
    let witness = |seen: &WitnessTally| Witness { total: seen.total, runs: seen.runs };
    let failures = hunted.failures.iter().enumerate().map(|(index, failure)| Failed {
        oracle: failure.violation.oracle.to_string(),
        seed: failure.seed,
        digest: format!("{:016x}", failure.digest),
        folder: kept.get(index).map(|kept| kept.folder.clone()),
        shrunk: kept.get(index).and_then(|kept| Some(kept.shrunk.as_ref()?.0.clone())),
    });
    let hunt = Hunt {
        schema: SCHEMA,
        scenario: &story.scenario.name,
        profile: story.profile_name(),
        seeds: [hunted.request.seeds.from(), hunted.request.seeds.to()],
        ended: match hunted.stop {
            Stop::End => "complete",
            Stop::Until => "until-violations",
            Stop::Cancelled => "partial",
        },
        runs: tally.runs,
        at_limit: tally.at_limit,
        repeated: hunted.repeated,
        verdict: verdict(&hunted.judgement.verdict),
        as_expected: hunted.judgement.as_expected(),
        oracles: InOrder(oracles.collect()),
        any: Any { exercised: hunted.exercised, violations: hunted.violating },
        acquire: acquire(story),
        orders_oversold: tally.oversold,
        witnesses: InOrder(
            tally.witnesses.iter().map(|(name, seen)| (name.to_string(), witness(seen))).collect(),
        ),
        events: tally.events,
        failures: failures.collect(),
    };
    format!("{}\n", serde_json::to_string(&hunt).expect("text, numbers and maps with text keys are JSON"))
}

fn flat(rate: Rate) -> Flat {
    Flat {
        runs: rate.runs,
        exercised: rate.exercised,
        grants: rate.grants,
        violations: rate.violations,
        rate: rate.rate,
        low: rate.interval.map(|interval| interval.low),
        high: rate.interval.map(|interval| interval.high),
        sampling: rate.sampling,
        per_grant: rate.per_grant,
        per_grant_approximate: rate.per_grant_approximate,
    }
}

fn acquire(story: HuntStory<'_>) -> Acquire {
    let tally = &story.hunted.tally;
    let total = tally.calls.total();
    Acquire {
        calls: total.whole,
        grants: total.part,
        success: Ratio::of(total.part, total.whole),
        success_approximate: bootstrap(&tally.calls, CALLS),
        requests_per_call: Ratio::of(tally.messages, total.whole),
        latency_p50_us: tally.latency.percentile(500),
        latency_p99_us: tally.latency.percentile(990),
    }
}
