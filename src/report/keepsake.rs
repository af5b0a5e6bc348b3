//! What is kept of a failure: a scenario that can be run, facts about it, its trace and its timeline.
//!
//! Must not open files: whoever stands at the edge writes and reads them.

use super::Story;
use super::choose::Length;
use super::json::SCHEMA;
use super::sentence::sentence;
use super::timeline::timeline;
use super::trace::trace;
use super::verdict::{judged, verdict};
use crate::check::{OracleName, Outcome};
use crate::history::ENCODING_VERSION;
use serde::{Deserialize, Serialize};

/// The version of the package that writes.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The files of a failure, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keepsake {
    /// The folder's name: scenario, oracle, seed, and what was done with it.
    pub name: String,
    /// `scenario.toml`: the plan spelled out, the seed in place.
    pub scenario: String,
    /// `meta.json`
    pub meta: String,
    /// `trace.jsonl`
    pub trace: String,
    /// `timeline.txt`
    pub timeline: String,
    /// What comes before the verb on the command line of whoever can run it again.
    pub program: String,
}

/// What `meta.json` says.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// The version of this shape and of the trace's.
    pub schema: u32,
    /// The version of the package that made the run.
    pub version: String,
    /// The version of the encoding under its digest.
    pub encoding: u32,
    /// The scenario's name.
    pub scenario: String,
    /// The profile that its plan was drawn from; `None`: the file's own plan.
    pub profile: Option<String>,
    /// The seed.
    pub seed: u64,
    /// The digest, as 16 hexadecimal digits.
    pub digest: String,
    /// The verdict: `held`, `violated` or `inconclusive`.
    pub verdict: String,
    /// The oracle for whose violation it was kept.
    pub oracle: OracleName,
    /// All judged oracles that were violated.
    pub violated: Vec<OracleName>,
    /// How many events happened.
    pub events: u64,
}

/// Why a `meta.json` cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetaError {
    /// It is no JSON, or not of its shape.
    #[error("meta.json:{line}:{column}: {message}")]
    Json {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// It has the shape of another version.
    #[error("meta.json has schema {found}; this version reads schema {SCHEMA}")]
    Schema {
        /// The schema that it names.
        found: u64,
    },
}

/// What is kept of a run. The scenario's text must be that of the run: its plan spelled out, its seed in place.
pub fn keepsake(story: Story<'_>, oracle: OracleName, profile: Option<&str>, how: &str) -> Keepsake {
    let (scenario, result) = (story.scenario, story.result);
    let meta = Meta { profile: profile.map(str::to_owned), oracle, ..Meta::of(story) };
    let meta = serde_json::to_string_pretty(&meta).expect("text and numbers are JSON");
    Keepsake {
        name: format!("{}-{oracle}-{}{how}", file_name(&scenario.name), result.seed),
        scenario: scenario.text.clone(),
        meta: meta + "\n",
        trace: trace(&result.records),
        program: scenario.runner.program().to_owned(),
        timeline: format!("{}: {}\n\n{}", scenario.name, sentence(story), timeline(story, Length::Full)),
    }
}

impl Meta {
    /// What is said of a run by this version, as if kept for its first violation.
    fn of(story: Story<'_>) -> Self {
        let violated = judged(story).into_iter();
        let violated = violated.filter(|(_, outcome)| matches!(outcome, Outcome::Violated(_)));
        let violated: Vec<OracleName> = violated.map(|(oracle, _)| oracle).collect();
        Self {
            schema: SCHEMA,
            version: VERSION.to_owned(),
            encoding: ENCODING_VERSION,
            scenario: story.scenario.name.clone(),
            profile: None,
            seed: story.result.seed,
            digest: format!("{:016x}", story.result.digest),
            verdict: verdict(&story.result.judgement.verdict).to_owned(),
            oracle: violated.first().copied().unwrap_or(OracleName::PromiseOverlap),
            violated,
            events: story.result.events,
        }
    }

    /// Reads the text of a `meta.json`.
    ///
    /// # Errors
    /// The first thing wrong with it.
    pub fn read(text: &str) -> Result<Self, MetaError> {
        let wrong = |error: serde_json::Error| MetaError::Json {
            line: error.line(),
            column: error.column(),
            // The place comes again at the end of serde's own text.
            message: error.to_string().split(" at line ").next().unwrap_or_default().to_owned(),
        };
        let value: serde_json::Value = serde_json::from_str(text).map_err(wrong)?;
        match value.get("schema").and_then(serde_json::Value::as_u64) {
            Some(schema) if schema != u64::from(SCHEMA) => Err(MetaError::Schema { found: schema }),
            Some(_) | None => serde_json::from_str(text).map_err(wrong),
        }
    }

    /// How a run of this version compares with what was kept.
    pub fn compare(&self, story: Story<'_>) -> Likeness {
        let now = Self::of(story);
        let digest = (&self.digest, self.encoding) == (&now.digest, now.encoding);
        let verdict = (&self.verdict, &self.violated) == (&now.verdict, &now.violated);
        let older = (self.version.as_str(), self.encoding) != (VERSION, ENCODING_VERSION);
        match (digest, verdict, older) {
            (true, true, _) => Likeness::Same,
            (_, _, false) => Likeness::Diverged,
            (true, false, true) => Likeness::SameDigest,
            (false, true, true) => Likeness::SameVerdict,
            (false, false, true) => Likeness::Neither,
        }
    }
}

/// How a run compares with one that was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// Bit for bit the same.
    Same,
    /// Kept by another version; its events are the same, they are judged otherwise.
    SameDigest,
    /// Kept by another version; what it showed is the same, its events are not.
    SameVerdict,
    /// Kept by another version; neither events nor verdict are the same.
    Neither,
    /// Kept by this very version, and not the same: nondeterminism.
    Diverged,
}

/// A name that is a file's on every system.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    name.trim_start_matches('.').to_owned()
}
