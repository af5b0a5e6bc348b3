//! A hunt for a person: the sentence, how to repeat it, a rate per oracle, what the runs had in common.
//!
//! Must not judge, and must not carry anything that depends on the machine or on the number of threads.

use super::rate::{Rate, Sampling, interval};
use super::sentence::TELLING;
use super::table::{Align, table};
use super::text::{quoted, run_command, under};
use super::verdict::{doubt, expected_text, mismatch, verdict};
use super::words::human;
use crate::check::{Mismatch, OracleName, Outcome, Verdict};
use crate::scenario::{Drawn, Runner, Scenario};
use crate::sim::{Failure, Hunted, OracleTally, Stop, Tally};
use crate::stats::{Interval, RESAMPLES, Ratio};
use crate::time::Span;

/// What there is to tell of a hunt.
#[derive(Clone, Copy, Debug)]
pub struct HuntStory<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// What its runs came to.
    pub hunted: &'a Hunted,
}

impl<'a> HuntStory<'a> {
    /// The judged oracles with their tallies: those that the file names, without such a table all that apply; and
    /// the one that ends the hunt.
    pub(super) fn judged(self) -> Vec<(OracleName, &'a OracleTally)> {
        let expect = self.scenario.expect.as_ref();
        let counted = self.hunted.request.until.and_then(|until| until.oracle);
        let is_judged = |oracle: OracleName, tally: &OracleTally| match expect {
            Some(expect) => expect.oracles.contains_key(&oracle) || counted == Some(oracle),
            None => tally.runs > 0,
        };
        let all = self.hunted.tally.oracles.iter().map(|(oracle, tally)| (*oracle, tally));
        all.filter(|(oracle, tally)| is_judged(*oracle, tally)).collect()
    }

    /// By which rule the runs of this oracle were sampled.
    pub(super) fn sampling(self, oracle: OracleName) -> Sampling {
        if matches!(self.scenario.drawn, Some(Drawn::Swarm(_))) {
            return Sampling::Swarm;
        }
        match (self.hunted.stop, self.hunted.request.until) {
            (Stop::Until, Some(until)) if until.oracle == Some(oracle) => Sampling::UntilThis,
            (Stop::Until, Some(until)) if until.oracle.is_none() && self.judged().len() == 1 => {
                Sampling::UntilThis
            }
            (Stop::Until, Some(_) | None) => Sampling::UntilOther,
            (Stop::End | Stop::Cancelled, Some(_) | None) => Sampling::Fixed,
        }
    }

    /// The name of the distribution that plans came from.
    pub(super) fn profile_name(self) -> &'a str {
        match &self.scenario.drawn {
            None => "plan of the file",
            Some(Drawn::Profile(name) | Drawn::Swarm(name)) => name,
        }
    }
}

/// The failure that explains a hunt best: that of the first difference from the file; where the file expects
/// nothing, that of the gravest oracle. `None` if no seed shows anything.
pub fn telling_failure(story: HuntStory<'_>) -> Option<&Failure> {
    let of = |oracle| story.hunted.failures.iter().find(|failure| failure.violation.oracle == oracle);
    match story.hunted.judgement.mismatches.as_deref() {
        Some([]) | None => TELLING.iter().find_map(|oracle| of(*oracle)),
        Some(differences) => differences.iter().find_map(|difference| match difference {
            Mismatch::Oracle { oracle, found: Outcome::Violated(_), .. } => of(*oracle),
            Mismatch::Oracle { .. }
            | Mismatch::Witness { .. }
            | Mismatch::UnmetFault(_)
            | Mismatch::UnmetMessage(_)
            | Mismatch::UnmetOrder(_)
            | Mismatch::Limit => None,
        }),
    }
}

/// The report.
pub fn hunt_text(story: HuntStory<'_>) -> String {
    let repeat = match telling_failure(story) {
        Some(failure) => run_command(story.scenario, failure.seed),
        None => hunt_command(story),
    };
    let lines = figures(story);
    let lines: String = lines.iter().map(|(label, text)| format!("{label:<11}{text}\n")).collect();
    format!("{}: {}\n{repeat}\n\n{}\n{lines}", story.scenario.name, hunt_sentence(story), rates(story))
}

/// The line that repeats the hunt, as far as it came.
fn hunt_command(story: HuntStory<'_>) -> String {
    let from = story.hunted.request.seeds.from();
    seeds_command(story, from, from + story.hunted.tally.runs.max(1))
}

fn seeds_command(story: HuntStory<'_>, from: u64, to: u64) -> String {
    let scenario = story.scenario;
    match &scenario.runner {
        Runner::Shipped | Runner::Own(_) => {
            let (program, origin) = (scenario.runner.program(), quoted(&scenario.origin));
            format!("{program} hunt {origin}{} --seeds {from}..{to}", under(scenario))
        }
        Runner::Test(command) => format!("FENCEPOST_SEEDS={from}..{to} {command}"),
    }
}

/// What a person needs to know first.
pub fn hunt_sentence(story: HuntStory<'_>) -> String {
    let tally = &story.hunted.tally;
    let seeds = if tally.runs == 1 { "1 seed".to_owned() } else { format!("{} seeds", tally.runs) };
    let partial = match story.hunted.stop {
        Stop::Cancelled => format!("PARTIAL, {seeds} of {}: ", story.hunted.request.seeds.count()),
        Stop::End | Stop::Until => String::new(),
    };
    let what = match story.hunted.judgement.mismatches.as_deref() {
        Some([]) => format!("as expected over {seeds}: {}", ending(story)),
        Some([first, rest @ ..]) => {
            let more = match rest.len() {
                0 => String::new(),
                1 => " (and 1 more difference)".to_owned(),
                more => format!(" (and {more} more differences)"),
            };
            format!("not as expected over {seeds}: {}{more}", difference(first, tally))
        }
        None => format!("{} over {seeds}", ending(story)),
    };
    format!("{partial}{what}")
}

fn ending(story: HuntStory<'_>) -> String {
    let hunted = story.hunted;
    match &hunted.judgement.verdict {
        Verdict::Violated => {
            let violated = story.judged().into_iter().filter(|(_, tally)| tally.violated > 0);
            let violated: Vec<String> = violated
                .map(|(oracle, tally)| {
                    format!("{oracle} violated in {} of {}", tally.violated, tally.exercised)
                })
                .collect();
            format!("{} runs that exercised it", violated.join(", "))
        }
        Verdict::Held => {
            let held =
                story.judged().into_iter().filter(|(_, tally)| tally.outcome() == Outcome::Held).count();
            format!("{held} {} held", if held == 1 { "oracle" } else { "oracles" })
        }
        Verdict::Inconclusive(doubts) => {
            let doubts: Vec<String> = doubts.iter().map(|reason| doubt(*reason)).collect();
            format!("inconclusive: {}", doubts.join("; "))
        }
    }
}

/// How the hunt differs from its file, with the runs that show it.
fn difference(difference: &Mismatch, tally: &Tally) -> String {
    let text = mismatch(difference);
    match difference {
        Mismatch::Oracle { oracle, found: Outcome::Violated(_), .. } => {
            let counts = tally.oracles.get(oracle);
            let first = counts.and_then(|counts| Some((counts.violated, counts.exercised, counts.first?.0)));
            let place =
                first.map(|(hits, of, seed)| format!(", in {hits} of {of} runs, first with seed {seed}"));
            text + &place.unwrap_or_default()
        }
        Mismatch::Witness { .. } => format!("{text} in one run"),
        Mismatch::Limit => "every run was still going at its limit".to_owned(),
        Mismatch::Oracle { .. }
        | Mismatch::UnmetFault(_)
        | Mismatch::UnmetMessage(_)
        | Mismatch::UnmetOrder(_) => text,
    }
}

/// One line per judged oracle, and one for all of them where runs were counted over all.
fn rates(story: HuntStory<'_>) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (oracle, tally) in story.judged() {
        let expected = story.scenario.expect.as_ref().and_then(|expect| expect.oracles.get(&oracle));
        let outcome = tally.outcome();
        let comparison = match expected {
            Some(expected) if expected.is_met_by(outcome) => "as expected".to_owned(),
            Some(expected) => format!("EXPECTED {}", expected_text(*expected)),
            None => String::new(),
        };
        let rate = Rate::of(oracle, tally, story.sampling(oracle));
        let seed = tally.first.map(|(seed, _)| seed.to_string()).unwrap_or_default();
        let mut row = vec![oracle.to_string(), outcome.to_string(), comparison];
        row.extend(cells(&rate));
        row.push(seed);
        rows.push(row);
    }
    let any = story.hunted.request.until.is_some_and(|until| until.oracle.is_none());
    if any && rows.len() > 1 {
        rows.push(any_row(story));
    }
    let head = ["oracle", "ended", "", "violated", "rate", "95 %", "per grant", "~95 %", "first seed"];
    let align = [
        Align::Left,
        Align::Left,
        Align::Left,
        Align::Right,
        Align::Right,
        Align::Left,
        Align::Right,
        Align::Left,
        Align::Right,
    ];
    table(head, align, rows)
}

fn cells(rate: &Rate) -> [String; 5] {
    let mark = match rate.sampling {
        Sampling::Fixed | Sampling::UntilThis | Sampling::Swarm => "",
        Sampling::UntilOther => "~",
    };
    let span = |interval: Interval| format!("{} .. {}", interval.low.percent(), interval.high.percent());
    let plain = |interval: Interval| format!("~{} .. {}", interval.low.plain(), interval.high.plain());
    [
        format!("{} of {}", rate.violations, rate.exercised),
        rate.rate.map(Ratio::percent).unwrap_or_default(),
        rate.interval.map(|interval| format!("{mark}{}", span(interval))).unwrap_or_default(),
        rate.per_grant.map(Ratio::plain).unwrap_or_default(),
        rate.per_grant_approximate.map(plain).unwrap_or_default(),
    ]
}

/// Runs that violate any judged oracle: what the hunt counted.
fn any_row(story: HuntStory<'_>) -> Vec<String> {
    let (hits, of) = (story.hunted.violating, story.hunted.exercised);
    let sampling = match (&story.scenario.drawn, story.hunted.stop) {
        (Some(Drawn::Swarm(_)), _) => Sampling::Swarm,
        (_, Stop::Until) => Sampling::UntilThis,
        (_, Stop::End | Stop::Cancelled) => Sampling::Fixed,
    };
    let span = interval(hits, of, sampling);
    let span = span.map(|span| format!("{} .. {}", span.low.percent(), span.high.percent()));
    let rate = Ratio::of(hits, of).filter(|_| sampling != Sampling::Swarm);
    let rate = rate.map(Ratio::percent).unwrap_or_default();
    let any = ["any of these", "", ""].map(str::to_owned);
    let mut row = any.to_vec();
    row.extend([format!("{hits} of {of}"), rate, span.unwrap_or_default()]);
    row.extend([String::new(), String::new(), String::new()]);
    row
}

/// Labelled lines below the table.
fn figures(story: HuntStory<'_>) -> Vec<(&'static str, String)> {
    let (hunted, tally) = (story.hunted, &story.hunted.tally);
    let judgement = &hunted.judgement;
    let mut lines = vec![("verdict", verdict(&judgement.verdict).to_owned())];
    let differences = judgement.mismatches.iter().flatten();
    lines.extend(differences.map(|other| ("differs", difference(other, tally))));
    lines.push(("rates", how_rates(story)));
    lines.push((
        "per grant",
        format!(
            "violating runs per grant; ~ is approximate: cluster bootstrap over runs, {RESAMPLES} resamples"
        ),
    ));
    lines.push(("runs", runs(story)));
    lines.push(("calls", calls(tally)));
    if let (Some(middle), Some(late)) = (tally.latency.percentile(500), tally.latency.percentile(990)) {
        let (middle, late) = (human(Span(middle as i64)), human(Span(late as i64)));
        lines.push(("latency", format!("p50 {middle}, p99 {late} of simulated time from call to grant")));
    }
    if tally.oversold > 0 {
        lines.push(("oversold", format!("{} orders in {} runs", tally.oversold, tally.oversold_runs)));
    }
    let seen =
        tally.witnesses.iter().map(|(name, seen)| format!("{name} {} in {} runs", seen.total, seen.runs));
    let seen: Vec<String> = seen.collect();
    lines.push(("witnessed", if seen.is_empty() { "nothing".to_owned() } else { seen.join(", ") }));
    for failure in &hunted.failures {
        let command = run_command(story.scenario, failure.seed);
        lines.push(("failure", format!("{}: {command}", failure.violation.oracle)));
    }
    lines
}

fn how_rates(story: HuntStory<'_>) -> String {
    let exact = match (story.hunted.stop, story.hunted.request.until) {
        (Stop::Until, Some(until)) => format!(
            "runs went on until violation {} of {}: negative binomial for it, ~ approximate for others",
            until.violations,
            until.oracle.map_or_else(|| "any judged oracle".to_owned(), |oracle| oracle.to_string()),
        ),
        (Stop::Until | Stop::End | Stop::Cancelled, Some(_) | None) => "exact (Clopper-Pearson)".to_owned(),
    };
    let profile = story.profile_name();
    if let Some(Drawn::Swarm(name)) = &story.scenario.drawn {
        return format!("none: a swarm of the hazards of profile {name} is no sample of it");
    }
    format!("of the runs that exercised the oracle, {exact}; each 95 %, not jointly; profile: {profile}")
}

fn runs(story: HuntStory<'_>) -> String {
    let (hunted, tally) = (story.hunted, &story.hunted.tally);
    let (from, of) = (hunted.request.seeds.from(), hunted.request.seeds.count());
    let range = format!("seeds {from}..{}", from + tally.runs);
    let whole = match hunted.stop {
        Stop::End => range,
        Stop::Until => {
            format!("{range}, ended by the violation that was wanted, of {}", hunted.request.seeds)
        }
        Stop::Cancelled => format!("{range}, PARTIAL: cut short, {of} were asked for"),
    };
    let limit = match tally.at_limit {
        0 => String::new(),
        runs => format!("; {runs} still going at their limit"),
    };
    format!("{} ({whole}); {} run twice, the same{limit}", tally.runs, hunted.repeated)
}

fn calls(tally: &Tally) -> String {
    let total = tally.calls.total();
    let share = Ratio::of(total.part, total.whole).map(Ratio::percent).unwrap_or_else(|| "-".to_owned());
    let each = Ratio::of(tally.messages, total.whole).map(Ratio::plain).unwrap_or_else(|| "-".to_owned());
    format!(
        "{} of acquire, {} grants ({share}), {each} requests to nodes per call, handshakes not counted",
        total.whole, total.part
    )
}
