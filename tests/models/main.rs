//! One test per shipped model that is quick: it ends as its file expects and counts what the file pins.
//!
//! A failure carries what `fencepost prove` prints. The others are proved by `fencepost prove` in release; both are
//! told apart by the pinned count alone, so a model without one is proved here. Must not time anything.

use fencepost::prove::{Options, Verdict, parse_model, prove_model, shipped_models};
use fencepost::report::{ProofStory, prove_text};
use libtest_mimic::{Arguments, Failed, Trial};
use std::ops::ControlFlow;

/// The most states of a model that is proved in a debug build.
const QUICK: u64 = 60_000;

const OPTIONS: Options = Options { threads: 2, states_max: 2_000_000, bytes_max: 8 << 30 };

fn main() {
    let arguments = Arguments::from_args();
    let trials = shipped_models().filter_map(|(name, text)| {
        let quick = parse_model(name, text)
            .map_or(true, |model| model.pinned.is_none_or(|pinned| pinned.states <= QUICK));
        quick.then(|| Trial::test(format!("model::{name}"), move || model(name, text)))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn model(name: &str, text: &str) -> Result<(), Failed> {
    let model = parse_model(name, text).map_err(|error| error.to_string())?;
    let proof = prove_model(&model, &OPTIONS, &mut |_| ControlFlow::Continue(()));
    let verdict = Verdict::of(&model, &proof);
    if verdict.exit_code() == 0 {
        return Ok(());
    }
    let story = ProofStory { model: &model, proof: &proof, verdict: &verdict, took_ms: 0, shown: &[] };
    Err(format!("\n{}", prove_text(story)).into())
}
