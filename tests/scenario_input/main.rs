//! Scenario files as input: what is read from good ones, where and how bad ones are refused.
//!
//! Goes through the public door only. The file below is the good one; each case changes one place of it. Must
//! not run anything: whether shipped files end as they expect is tested where they are run.

mod counted;
mod deployments;
mod edits;
mod good;
mod reference;
mod refused_names;
mod refused_policies;
mod refused_setups;
mod refused_words;
mod shipped;
mod waiting;

use fencepost::scenario::{InputError, InputErrorKind as Kind, Scenario, parse};

const GOOD: &str = r#"format = 1
title  = "a title"
claim  = "a claim"
source = ["a source"]

[run]
seed      = 1
limit_ms  = 60_000
settle_ms = 25_000

[deployment]
nodes = 5

[lock.redlock]
like   = "spec"
ttl_ms = 10_000

[clients]
count    = 2
start_ms = [0, 4_000]

[clients.workload.hold]
cycles  = 1
work_ms = 8_000
holder  = "never"

[network]
latency_us = { p0 = 200, p50 = 500, p99 = 2_000, p100 = 5_000 }

[[plan]]
clock-step = { at_ms = 3_950, of = "node-3", clock = "wall", by_ms = 11_000 }

[expect]
orphan = "held"
"#;

/// The good file with one place changed.
#[track_caller]
fn changed(from: &str, to: &str) -> String {
    assert_eq!(GOOD.matches(from).count(), 1, "`{from}` must be one place of the good file");
    GOOD.replace(from, to)
}

/// The good file with a plan of its own.
fn planned(entry: &str) -> String {
    changed("clock-step = { at_ms = 3_950, of = \"node-3\", clock = \"wall\", by_ms = 11_000 }", entry)
}

#[track_caller]
fn good(text: &str) -> Scenario {
    parse("folder/some-name.toml", text)
        .unwrap_or_else(|error| panic!("{error} ({:?})\n{text}", error.suggestion))
}

/// A bad file: the text, and kind, line, column, part of the message, suggestion.
struct Bad {
    text: String,
    kind: Kind,
    place: (usize, usize),
    says: &'static str,
    meant: Option<&'static str>,
}

fn bad(
    text: String,
    kind: Kind,
    place: (usize, usize),
    says: &'static str,
    meant: Option<&'static str>,
) -> Bad {
    Bad { text, kind, place, says, meant }
}

#[track_caller]
fn refuse(cases: Vec<Bad>) {
    let mut complaints = Vec::new();
    for Bad { text, kind, place, says, meant } in cases {
        let Err(error) = parse("x.toml", &text) else {
            complaints.push(format!("not refused ({says}):\n{text}"));
            continue;
        };
        let InputError { line, column, suggestion, .. } = &error;
        let found = (error.kind, (*line, *column), suggestion.as_deref());
        if found != (kind, place, meant) || !error.message.contains(says) || error.file != "x.toml" {
            complaints
                .push(format!("wanted {kind:?} {place:?} {says:?} {meant:?}\n found {error} {found:?}"));
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}
