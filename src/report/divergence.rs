//! Where two runs of one seed part: the sign of nondeterminism, a bug of ours.
//!
//! Must not run anything.

use super::Story;
use super::cast::Cast;
use super::fact::fact;
use super::text::{repro, run_command};
use crate::scenario::Scenario;
use crate::sim::{Divergent, RunResult};

/// The first difference between two runs of one scenario and seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The index of the first record that differs; the length of the shorter run if it is a beginning of the
    /// longer one.
    pub index: usize,
    text: String,
}

/// Compares two runs; `None` if they are the same.
pub fn divergence(story: Story<'_>, again: &RunResult) -> Option<Divergence> {
    let (first, second) = (&story.result.records, &again.records);
    if story.result == again {
        return None;
    }
    let differing = first.iter().zip(second).position(|(one, other)| one != other);
    let index = differing.unwrap_or_else(|| first.len().min(second.len()));
    let say = |result: &RunResult| {
        result.records.get(index).map_or_else(
            || format!("nothing more; digest {:016x}", result.digest),
            |record| {
                let cast = Cast::of(&result.records, result.end);
                format!(
                    "{} {} {}",
                    record.at,
                    record.process,
                    fact(&story.scenario.setup.plan.faults, &cast, record)
                )
            },
        )
    };
    let text = format!(
        "{}: two runs of seed {} differ from record {} on\n{}\n\nfirst   {}\nsecond  {}\n",
        story.scenario.name,
        story.result.seed,
        index + 1,
        repro(story),
        say(story.result),
        say(again),
    );
    Some(Divergence { index, text })
}

/// What a hunt met: where two runs of a seed part, if that could be found again.
pub fn divergent_text(scenario: &Scenario, divergent: &Divergent) -> String {
    let [first, second] = divergent.digests;
    let found =
        divergent.runs.as_ref().and_then(|[one, other]| divergence(Story { scenario, result: one }, other));
    found.map_or_else(
        || {
            format!(
                "{}: two runs of seed {} differ, with the digests {first:016x} and {second:016x}; further runs did \
                 not differ again\n{}\n",
                scenario.name,
                divergent.seed,
                run_command(scenario, divergent.seed),
            )
        },
        |difference| difference.to_string(),
    )
}

impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}
