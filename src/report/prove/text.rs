//! A proof as a page: the sentence, the line that repeats it, what ended how, the scope, the schedules.
//!
//! Must not depend on the terminal.

use super::super::Story;
use super::super::choose::Length;
use super::super::fault::list;
use super::super::sentence::event;
use super::super::table::{Align, table};
use super::super::text::quoted;
use super::super::timeline::timeline;
use super::ended::{difference, doubt, ended_text, finding, pin, progress, shown, word};
use super::line::{findings, speed};
use super::scope::{counted, lines};
use super::{ProofStory, Shown};
use crate::check::OracleName;
use crate::history::Fact;
use crate::plan::MessageFate;
use crate::prove::{Counterexample, Finding, LEFT_OUT, Replay, Scope};
use crate::scenario::Runner;

/// The page.
pub fn prove_text(story: ProofStory<'_>) -> String {
    let model = story.model;
    let program = model.own.as_ref().map_or(Runner::Shipped.program(), |own| &own.program);
    let command = format!("{program} prove {}", quoted(&model.origin));
    let mut text = format!("{}: {}: {}\n{command}\n\n", model.name, word(story), sentence(story));
    text.push_str(&labelled(&[("model", model.title.clone()), ("claim", model.claim.clone())]));
    text.push('\n');
    text.push_str(&oracles(story));
    text.push('\n');
    let mut all = lines(model);
    all.extend(searched(story));
    text.push_str(&labelled(&all));
    for (oracle, found) in &story.proof.findings {
        if let (Finding::Violated(found), Some(shown)) = (found, shown(story, *oracle)) {
            text.push_str(&schedule(*oracle, found, shown));
        }
    }
    for shown in story.shown.iter().filter(|shown| shown.oracle.is_none()) {
        text.push_str(&format!(
            "\nthe beginning of a schedule without a grant, in the seeded world\n\n{}",
            seen(shown)
        ));
    }
    text
}

/// What a person needs.
fn sentence(story: ProofStory<'_>) -> String {
    let verdict = story.verdict;
    let mut parts: Vec<String> =
        verdict.disagreements.iter().map(|oracle| format!("the seeded world does not violate {oracle} under the schedule that does here, which is a fault of fencepost")).collect();
    parts.extend(verdict.differences.iter().map(|found| difference(story, *found)));
    parts.extend(verdict.doubts.iter().map(|found| doubt(*found)));
    if parts.is_empty() { findings(story) } else { parts.join("; ") }
}

fn oracles(story: ProofStory<'_>) -> String {
    let rows = story.proof.findings.iter().map(|(oracle, found)| {
        let detail = match found {
            Finding::Violated(found) => {
                format!("{}, {}", counted(found.path.len() as u64, "choice"), after(found))
            }
            Finding::Held => "in every schedule of this scope, and exercised in some".to_owned(),
            Finding::NotExercised => "in no schedule of this scope".to_owned(),
            Finding::NotApplicable => "cannot arise in this scope".to_owned(),
            Finding::Unknown => "not violated in what was searched".to_owned(),
        };
        vec![oracle.to_string(), finding(found).to_owned(), detail]
    });
    table(["oracle", "ended", ""], [Align::Left; 3], rows)
}

/// The faults on the way to a violation.
fn after(found: &Counterexample) -> String {
    if found.faults.is_empty() {
        return "without any fault".to_owned();
    }
    let kinds: Vec<&str> = found.faults.iter().map(|kind| kind.text()).collect();
    format!("after {}", list(&kinds))
}

fn searched(story: ProofStory<'_>) -> Vec<(&'static str, String)> {
    let (effort, proof) = (&story.proof.effort, story.proof);
    let beside = match effort.beside {
        0 => String::new(),
        states => format!(", {states} more beside"),
    };
    let mut lines = vec![(
        "searched",
        format!(
            "{}, {} transitions, {} deep{beside}; {}; in {}",
            counted(effort.states, "unique state"),
            effort.edges,
            counted(effort.depth.into(), "choice"),
            ended_text(effort.ended),
            speed(story)
        ),
    )];
    lines.push((
        "collision",
        format!(
            "two states may have been taken for one with a chance of at most 1 in 2^{}",
            effort.collision_power
        ),
    ));
    lines.push(("pinned", pin(story).to_owned()));
    let seen = |all: Vec<(String, bool)>| {
        let named = |wanted: bool| {
            let names = all.iter().filter(|(_, seen)| *seen == wanted).map(|(name, _)| name.clone());
            names.collect::<Vec<String>>()
        };
        let missing = named(false);
        let never =
            if missing.is_empty() { String::new() } else { format!("; not seen: {}", missing.join(", ")) };
        let found = named(true);
        format!("{}{never}", if found.is_empty() { "nothing".to_owned() } else { list(&found) })
    };
    lines.push((
        "witnessed",
        seen(proof.witnesses.iter().map(|(name, seen)| (name.to_string(), *seen)).collect()),
    ));
    if !proof.happened.is_empty() {
        let kinds = proof.happened.iter().map(|(kind, seen)| (kind.text().to_owned(), *seen)).collect();
        lines.push(("happened", seen(kinds)));
    }
    if let (Some(asked), Some(found)) = (story.model.progress, &proof.progress) {
        lines.push(("progress", progress(asked, found)));
    }
    lines.extend(
        LEFT_OUT
            .iter()
            .enumerate()
            .map(|(index, what)| (if index == 0 { "left out" } else { "" }, (*what).to_owned())),
    );
    lines
}

/// A violation: the sentence, the timeline, and how to see it again.
fn schedule(oracle: OracleName, found: &Counterexample, shown: &Shown) -> String {
    let story = Story { scenario: &shown.scenario, result: &shown.result };
    let what = match found.replay {
        Replay::Agrees => format!("{}, {}", event(story, oracle), after(found)),
        Replay::Touches => format!(
            "{oracle} is violated with margin 0, {}: two intervals touch in one instant, which in finer time they may miss",
            after(found)
        ),
        Replay::Untold => format!(
            "{oracle} is violated, {}: not confirmed: a plan cannot say all of this schedule, or a search ended early",
            after(found)
        ),
        Replay::Disagrees => format!("{oracle}: the seeded world does not confirm this schedule"),
    };
    let replay = match &shown.folder {
        Some(folder) => format!("\n{} replay {}\n", shown.scenario.runner.program(), quoted(folder)),
        None => String::new(),
    };
    format!("\n{what}{replay}\n{}", seen(shown))
}

/// The run as far as the prover chose it, without the microseconds by which messages of one tick are put in order.
fn seen(shown: &Shown) -> String {
    let mut result = shown.result.clone();
    let directives = &shown.scenario.setup.plan.messages;
    let only_ordered = |fact: &Fact| {
        let Fact::Delayed { name } = fact else { return false };
        let within_tick =
            |fate: &MessageFate| matches!(fate, MessageFate::Delay(delay) if *delay < Scope::TICK);
        directives.iter().any(|directive| directive.name == *name && within_tick(&directive.fate))
    };
    result.records.retain(|record| record.at <= shown.until && !only_ordered(&record.fact));
    timeline(Story { scenario: &shown.scenario, result: &result }, Length::Short)
}

fn labelled(lines: &[(&str, String)]) -> String {
    lines.iter().map(|(label, text)| format!("{label:10} {text}\n")).collect()
}
