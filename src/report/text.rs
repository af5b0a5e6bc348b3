//! The whole report of a run for a person.
//!
//! Sentence, repro, timeline, verdict, in this order. Must not depend on the terminal.

use super::Story;
use super::cast::Cast;
use super::choose::Length;
use super::sentence::sentence;
use super::timeline::timeline;
use super::verdict::{doubt, judged, mismatch, oracles, verdict};
use super::words::{human, seconds};
use crate::check::{OracleName, Verdict};
use crate::lock::CoreTraits;
use crate::name::GrantId;
use crate::scenario::{Drawn, Runner, Scenario};
use crate::time::Span;

/// The line that repeats a run.
pub fn repro(story: Story<'_>) -> String {
    run_command(story.scenario, story.result.seed)
}

/// The line that runs this seed of a scenario.
pub(crate) fn run_command(scenario: &Scenario, seed: u64) -> String {
    match &scenario.runner {
        Runner::Shipped | Runner::Own(_) => {
            let (program, origin) = (scenario.runner.program(), quoted(&scenario.origin));
            format!("{program} run {origin}{} --seed {seed}", under(scenario))
        }
        Runner::Test(command) => format!("FENCEPOST_SEED={seed} {command}"),
    }
}

/// The options that name the preset whose lock it is, and the profile that the plan was drawn from, if any.
pub(super) fn under(scenario: &Scenario) -> String {
    let like = scenario.like.as_ref().map_or_else(String::new, |name| format!(" --like {}", quoted(name)));
    match &scenario.drawn {
        None => like,
        Some(Drawn::Profile(name)) => format!("{like} --profile {}", quoted(name)),
        Some(Drawn::Swarm(name)) => format!("{like} --profile {} --swarm", quoted(name)),
    }
}

/// An argument as a shell reads it.
pub fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:".contains(c);
    if argument.chars().all(plain) && !argument.starts_with('-') {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', "'\\''"))
    }
}

/// The report.
pub fn run_text(story: Story<'_>, length: Length) -> String {
    let mut text = format!("{}: {}\n{}\n\n", story.scenario.name, sentence(story), repro(story));
    text.push_str(&timeline(story, length));
    text.push('\n');
    text.push_str(&oracles(story));
    text.push('\n');
    text.push_str(&figures(story));
    text
}

/// Verdict, differences, locks and their beliefs, witnesses, margin, digest: one line each.
fn figures(story: Story<'_>) -> String {
    let result = story.result;
    let mut lines = Vec::new();
    let doubts = match &result.judgement.verdict {
        Verdict::Inconclusive(doubts) => {
            let doubts: Vec<String> = doubts.iter().map(|reason| doubt(*reason)).collect();
            format!(": {}", doubts.join("; "))
        }
        Verdict::Held | Verdict::Violated => String::new(),
    };
    lines.push(format!("verdict    {}{doubts}", verdict(&result.judgement.verdict)));
    for difference in result.judgement.mismatches.iter().flatten() {
        lines.push(format!("differs    {}", mismatch(difference)));
    }
    lines.extend(beliefs(story));
    lines.extend(bounds(story));
    let witnessed: Vec<String> =
        result.witnesses.counts().map(|(name, count)| format!("{name} {count}")).collect();
    lines.push(format!(
        "witnessed  {}",
        if witnessed.is_empty() { "nothing".to_owned() } else { witnessed.join(", ") }
    ));
    if let Some(longest) = result.figures.latencies.iter().max() {
        lines.push(format!("waited     {} at most from calling acquire to the grant", human(*longest)));
    }
    if let Some(stock) = Cast::of(&result.records, result.end).stock() {
        lines.push(format!("stock      {stock}"));
    }
    if let Some((grant, margin)) = result.margin {
        lines.push(format!("margin     {}", first_chance(grant, margin)));
    }
    let (events, records, end) = (result.events, result.records.len(), seconds(result.end.0 as i64));
    lines.push(format!("run        {events} events, {records} records, {end} s of world time"));
    lines.push(format!("digest     {:016x}", result.digest));
    lines.into_iter().map(|line| format!("{line}\n")).collect()
}

/// How far from the promised end a rival could first win.
fn first_chance(grant: GrantId, margin: Span) -> String {
    let promise = format!("the promise of {grant} ended");
    match margin {
        Span::ZERO => format!("0: a rival could first win at the moment when {promise}"),
        Span(..0) => format!("a rival could first win {} before {promise}", human(Span(-margin.0))),
        Span(_) => format!("a rival could first win {} after {promise}", human(margin)),
    }
}

/// The bounds by which the judged oracles with a bound judged, of the most patient lock.
fn bounds(story: Story<'_>) -> Option<String> {
    let traits: &[CoreTraits] = &story.result.locks;
    let longest = |span: fn(&CoreTraits) -> Span| traits.iter().map(span).max().unwrap_or(Span::ZERO);
    let bound = |oracle| match oracle {
        OracleName::Leak => {
            let bound = longest(|traits| traits.node_timeout + traits.node_timeout);
            Some(format!("{} after the caller was told", human(bound + story.scenario.setup.latency_max)))
        }
        // Where no longest call is known, nothing that rests on it is judged.
        OracleName::Stuck | OracleName::Unavailable
            if longest(|traits| traits.call_max) >= CoreTraits::ENDLESS =>
        {
            None
        }
        OracleName::Stuck => {
            let call = human(longest(|traits| traits.call_max));
            let waits = story.scenario.setup.clients.iter().map(|client| client.workload.again);
            let wait = human(waits.max().unwrap_or(Span::ZERO));
            Some(format!(
                "the largest remaining TTL, one call of acquire ({call}) and the wait before it ({wait})"
            ))
        }
        OracleName::Unavailable => Some(human(longest(|traits| traits.call_max))),
        OracleName::SilentLoss => {
            Some(human(longest(|traits| traits.renewal.unwrap_or(Span::ZERO) + traits.node_timeout)))
        }
        OracleName::PromiseOverlap
        | OracleName::PromiseEmpty
        | OracleName::PromiseUnbacked
        | OracleName::SectionOverlap
        | OracleName::StaleWrite
        | OracleName::ValidWriteRefused
        | OracleName::LostUpdate
        | OracleName::FenceOrder
        | OracleName::ForeignChange
        | OracleName::Continuity
        | OracleName::FalseRefusal
        | OracleName::Orphan
        | OracleName::Unfair
        | OracleName::HoldCount => None,
    };
    let named =
        judged(story).into_iter().filter_map(|(oracle, _)| Some(format!("{oracle} {}", bound(oracle)?)));
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| format!("bounds     {}", named.join("; ")))
}

/// One line per different lock: the protocol, what its promise rests on, and the replicas that it waits for.
fn beliefs(story: Story<'_>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let setup = &story.scenario.setup;
    for (traits, client) in story.result.locks.iter().zip(&setup.clients) {
        let waits = match story.scenario.runner {
            Runner::Shipped => client.lock.wait().map_or_else(String::new, super::words::waits),
            // What a lock of somebody's own waits for is nobody's knowledge.
            Runner::Own(_) | Runner::Test(_) => String::new(),
        };
        let line = format!("lock       {}{waits}", super::shelf::belief(traits));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}
