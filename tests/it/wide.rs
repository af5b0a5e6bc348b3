//! The wide form of a scenario's test: many seeds, judged together.
//!
//! A failure carries the report of the hunt and that of the run that shows it. Must not judge.

use fencepost::report::{HuntStory, Length, Story, divergent_text, hunt_text, run_text, telling_failure};
use fencepost::scenario::Scenario;
use fencepost::sim::{self, Plans, Request, Seeds, Subject};
use libtest_mimic::Failed;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

/// Hunts over the seeds on this test's own thread: the tests themselves run side by side.
pub(crate) fn hunt(scenario: &Scenario, seeds: Seeds) -> Result<(), Failed> {
    let subject = Subject::new(scenario, Plans::Kept);
    let request = Request { seeds, jobs: NonZeroUsize::MIN, until: None, keep: 1 };
    let hunted = sim::hunt(&subject, request, &mut |_| {}, &AtomicBool::new(false))
        .map_err(|divergent| format!("\n{}", divergent_text(scenario, &divergent)))?;
    if hunted.judgement.as_expected() == Some(true) {
        return Ok(());
    }
    let story = HuntStory { scenario, hunted: &hunted };
    let Some(failure) = telling_failure(story) else {
        return Err(format!("\n{}", hunt_text(story)).into());
    };
    let run = failure.replay(&subject).map_err(|divergent| divergent_text(scenario, &divergent))?;
    let shown = Story { scenario, result: &run };
    Err(format!("\n{}\n{}", hunt_text(story), run_text(shown, Length::Short)).into())
}
