//! The records of a run as lines of JSON, and where two such traces part.
//!
//! Times are microseconds, names their texts, variants kebab-case. A line is compared as text: two versions that
//! write a record alike wrote the same record. Must not run anything.

use crate::history::{Fact, Record};
use crate::name::Process;
use crate::time::{MonoTime, WallTime, WorldTime};
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
struct Line<'a> {
    at_us: WorldTime,
    process: Process,
    mono_us: MonoTime,
    wall_us: WallTime,
    #[serde(flatten)]
    fact: &'a Fact,
}

/// What every line of this schema has.
#[derive(Deserialize)]
#[expect(dead_code, reason = "only whether they are there matters")]
struct Head {
    at_us: u64,
    process: String,
    mono_us: i64,
    wall_us: i64,
    fact: String,
}

/// One line per record.
pub fn trace(records: &[Record]) -> String {
    records.iter().map(|record| line(record) + "\n").collect()
}

/// The first line, from 1, that is no record of this schema.
pub fn foreign_line(trace: &str) -> Option<usize> {
    let foreign = |line: &str| serde_json::from_str::<Head>(line).is_err();
    trace.lines().position(foreign).map(|index| index + 1)
}

/// Where a kept trace and a run part: the record's number, from 1, and what each has there. `None` if they are the
/// same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceDifference {
    /// Counts records from 1.
    pub record: usize,
    /// The line of the kept trace; `None` if it ends before.
    pub kept: Option<String>,
    /// The line of the run; `None` if it ends before.
    pub now: Option<String>,
}

/// Compares a kept trace with the records of a run.
pub fn trace_difference(kept: &str, records: &[Record]) -> Option<TraceDifference> {
    let mut lines = kept.lines();
    for (index, record) in records.iter().enumerate() {
        let (kept, now) = (lines.next(), line(record));
        if kept != Some(now.as_str()) {
            return Some(TraceDifference {
                record: index + 1,
                kept: kept.map(str::to_owned),
                now: Some(now),
            });
        }
    }
    let kept = lines.next()?;
    Some(TraceDifference { record: records.len() + 1, kept: Some(kept.to_owned()), now: None })
}

impl std::fmt::Display for TraceDifference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let or_end = |line: &Option<String>| line.clone().unwrap_or_else(|| "nothing more".to_owned());
        write!(f, "kept  {}\nnow   {}\n", or_end(&self.kept), or_end(&self.now))
    }
}

fn line(record: &Record) -> String {
    let line = Line {
        at_us: record.at,
        process: record.process,
        mono_us: record.now.mono,
        wall_us: record.now.wall,
        fact: &record.fact,
    };
    serde_json::to_string(&line).expect("names and numbers are JSON")
}
