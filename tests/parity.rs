//! Parity of drivers: a shipped core behind the async door ends as it does in the plain explorer.
//!
//! The same scenario, seed and plan, played twice: by the plain explorer, whose world drives the core and does the
//! workload, and as async code on real tokio, where a `Driven` drives the core over the connections of a process of its
//! own. Verdict, outcomes of all oracles, end, and the commands of the run (`fencepost::history::commands`) must be equal,
//! every moment and every clock reading included. Must not loosen that: what may differ is named below.

use fencepost::async_sim;
use fencepost::check::Outcome;
use fencepost::history::{command_digest, commands};
use fencepost::scenario::{Scenario, parse, shipped};
use fencepost::sim::{RunResult, run};

/// How the two runs differ first, if they do.
fn difference(plain: &RunResult, driven: &RunResult) -> Option<String> {
    let (one, other) = (commands(&plain.records), commands(&driven.records));
    let mut firsts = Vec::new();
    for track in one.keys().chain(other.keys()) {
        let of =
            |tracks: &std::collections::BTreeMap<_, Vec<_>>| tracks.get(track).cloned().unwrap_or_default();
        let (one, other) = (of(&one), of(&other));
        if one != other {
            let at = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
            let moment = one.get(at).or(other.get(at)).map(|record| record.at);
            firsts.push((moment, format!("{track:?}: plain {:?}, driven {:?}", one.get(at), other.get(at))));
        }
    }
    if let Some((_, first)) = firsts.into_iter().min() {
        return Some(first);
    }
    assert_eq!(command_digest(&plain.records), command_digest(&driven.records));
    let kinds = |result: &RunResult| -> Vec<_> {
        result.outcomes.iter().map(|(oracle, outcome)| (*oracle, std::mem::discriminant(outcome))).collect()
    };
    if kinds(plain) != kinds(driven) {
        let differs = plain.outcomes.iter().zip(&driven.outcomes);
        let same =
            |one: &Outcome, other: &Outcome| std::mem::discriminant(one) == std::mem::discriminant(other);
        let differs: Vec<_> = differs.filter(|(one, other)| !same(&one.1, &other.1)).collect();
        return Some(format!("{differs:?}"));
    }
    if (plain.ending, plain.end) != (driven.ending, driven.end) {
        return Some(format!("{:?} {:?}, {:?} {:?}", plain.ending, plain.end, driven.ending, driven.end));
    }
    (plain.judgement != driven.judgement).then(|| format!("{:?}, {:?}", plain.judgement, driven.judgement))
}

#[test]
fn shipped_scenarios_end_as_in_the_plain_explorer() {
    let (mut equal, mut differ, mut left) = (0, Vec::new(), Vec::new());
    for (name, text) in shipped() {
        let scenario: Scenario = parse(name, text).expect("a shipped scenario");
        let code = match async_sim::scenario_text(name, text).driven() {
            Ok(code) => code,
            Err(error) => {
                left.push((name, error.to_string()));
                continue;
            }
        };
        if let Some(unfit) = code.unfit() {
            left.push((name, unfit));
            continue;
        }
        let driven = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| code.run()));
        let Ok(driven) = driven else {
            differ.push((name, "panic".to_owned()));
            continue;
        };
        match difference(&run(&scenario, scenario.seed), &driven) {
            None => equal += 1,
            Some(difference) => differ.push((name, difference)),
        }
    }
    for (name, why) in &left {
        println!("left {name}: {why}");
    }
    for (name, difference) in &differ {
        println!("DIFF {name}: {difference}");
    }
    println!("{equal} equal, {} differ, {} left", differ.len(), left.len());
    assert!(differ.is_empty());
}
