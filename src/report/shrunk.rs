//! A shrunk schedule and a replayed one, told.
//!
//! Must not shrink or run.

use super::Story;
use super::json::{SCHEMA, run_value};
use super::keepsake::{Likeness, Meta};
use crate::check::OracleName;
use crate::sim::{Shrunk, Size};
use serde::Serialize;

/// `9 faults -> 1, 312 events -> 41`, with whatever else got less.
pub fn shrunk_line(shrunk: &Shrunk) -> String {
    let (before, after) = (shrunk.before, shrunk.after);
    let changes = |what: &str, from: u64, to: u64| format!("{from} {what} -> {to}");
    let mut parts = vec![changes("faults", before.faults as u64, after.faults as u64)];
    let more = [
        ("directives", before.directives as u64, after.directives as u64),
        ("clients", before.clients as u64, after.clients as u64),
        ("cycles", u64::from(before.cycles), u64::from(after.cycles)),
    ];
    parts.extend(
        more.into_iter().filter(|(_, from, to)| from != to).map(|(what, from, to)| changes(what, from, to)),
    );
    parts.push(changes("events", before.events, after.events));
    let bound = if shrunk.bounded { ", which is the bound" } else { "" };
    format!("{} ({} runs{bound})", parts.join(", "), shrunk.runs)
}

/// A failure of a hunt that is kept as a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFailure {
    /// The violated oracle.
    pub oracle: OracleName,
    /// The seed.
    pub seed: u64,
    /// The path of the folder.
    pub folder: String,
    /// The folder of the smallest schedule behind it, and how much smaller it is; `None` if nobody looked.
    pub shrunk: Option<(String, String)>,
}

/// Two lines for each failure: where it is, and where the smallest schedule behind it is.
pub fn kept_text(kept: &[KeptFailure]) -> String {
    let lines = kept.iter().map(|kept| {
        let shrunk = kept.shrunk.as_ref().map(|(folder, line)| format!("shrunk     {folder}: {line}\n"));
        format!("kept       {}\n{}", kept.folder, shrunk.unwrap_or_default())
    });
    lines.collect()
}

#[derive(Serialize)]
struct ShrunkObject<'a> {
    schema: u32,
    scenario: &'a str,
    seed: u64,
    shrunk: bool,
    oracle: OracleName,
    before: Size,
    after: Size,
    runs: u32,
    bounded: bool,
    folder: Option<&'a str>,
}

/// A shrunk schedule as one line of JSON.
pub fn shrunk_json(shrunk: &Shrunk, oracle: OracleName, folder: Option<&str>) -> String {
    let object = ShrunkObject {
        schema: SCHEMA,
        scenario: &shrunk.scenario.name,
        seed: shrunk.result.seed,
        shrunk: true,
        oracle,
        before: shrunk.before,
        after: shrunk.after,
        runs: shrunk.runs,
        bounded: shrunk.bounded,
        folder,
    };
    serde_json::to_string(&object).expect("text and numbers are JSON") + "\n"
}

#[derive(Serialize)]
struct ReplayObject<'a, R> {
    schema: u32,
    replay: Likeness,
    kept: &'a Meta,
    run: R,
}

/// A replay as one line of JSON: how it compares, what was kept, and the run as `run` says it.
pub fn replay_json(story: Story<'_>, kept: &Meta, likeness: Likeness) -> String {
    let object = ReplayObject { schema: SCHEMA, replay: likeness, kept, run: run_value(story) };
    serde_json::to_string(&object).expect("text and numbers are JSON") + "\n"
}
