//! A call of acquire that is given up at each of its awaits, one after the other, where nothing else goes wrong.

use crate::adapters::Published;
use fencepost::check::{OracleName, Outcome};
use fencepost::history::Fact;
use fencepost::sim::RunResult;

/// A call given up at its N-th await.
pub(crate) struct GivenUp {
    pub(crate) leak: Outcome,
    /// How long after the call was given up another client, or the same, was granted next, in microseconds.
    pub(crate) next_grant: i64,
}

/// One per await of the first call.
pub(crate) fn all(published: &Published) -> Vec<GivenUp> {
    (1..).map_while(|number| one(published, number)).collect()
}

/// Nothing if the call does not wait so often.
fn one(published: &Published, number: u32) -> Option<GivenUp> {
    let plan = format!("[[plan]]\ncancel = {{ after = \"client-1#1:await.{number}\", of = \"client-1\" }}\n");
    let text = format!("{}\n{plan}", published.frame.text);
    let result = published.in_text("given-up", &text).run_seed(1).1;
    let next_grant = next_grant(&result)?;
    Some(GivenUp { leak: ended(&result), next_grant })
}

fn ended(result: &RunResult) -> Outcome {
    let leak = result.outcomes.iter().find(|(name, _)| *name == OracleName::Leak);
    leak.map_or(Outcome::NotApplicable, |(_, outcome)| *outcome)
}

/// Nothing if the first call was granted.
fn next_grant(result: &RunResult) -> Option<i64> {
    let ends = |fact: &Fact| matches!(fact, Fact::Refused { .. } | Fact::Granted { .. });
    let refused = result.records.iter().position(|record| ends(&record.fact))?;
    if let Fact::Granted { .. } = result.records[refused].fact {
        return None;
    }
    let granted =
        result.records[refused..].iter().find(|record| matches!(record.fact, Fact::Granted { .. }))?;
    Some((granted.at - result.records[refused].at).0)
}
