//! `prove --assumptions`: under which faults locks are safe, one page for each, and the committed report of all.
//!
//! Files are written beside their place and moved there when everything is known, so nobody ever reads half of them.
//! Must not judge.

use super::args::{Format, ProveArgs};
use super::failure::Failure;
use super::watch::Watch;
use super::{Answer, Exit, folder, load, prove, write};
use crate::check::{OracleName, Outcome};
use crate::prove::assume::{
    Asking, Bounds, Break, Matrix, STATES_MAX, Subject, shipped_subject, shipped_subjects, survey,
};
use crate::prove::{Options, REPLAY_SEED, Replay, counterexample};
use crate::report::{
    AssumptionStory, Keepsake, Story, assumptions_json, assumptions_markdown, assumptions_text, break_folder,
    keepsake,
};
use crate::sim;
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

/// What means all shipped locks.
const ALL: &str = "all";

/// Where the report on all of them is kept.
const REPORTS: &str = "reports";

/// Surveys what was asked for.
pub(super) fn assume(args: &ProveArgs, asked: &str) -> Result<Answer, Failure> {
    let subjects = subjects(asked)?;
    let states_max = STATES_MAX.map(|states| args.max_states.unwrap_or(states));
    let bytes_max = args.max_memory.map_or(u64::MAX, |megabytes| megabytes.saturating_mul(1 << 20));
    let Options { threads, .. } = prove::options(args);
    let bounds = Bounds { threads, states_max: states_max.to_vec(), bytes_max };
    let states_max: &[u32] = &bounds.states_max;
    let watch = Watch::open(args.max_seconds);
    let mut matrices: Vec<Matrix> = Vec::new();
    let command = command(args, asked);
    for subject in &subjects {
        if watch.is_cancelled() {
            break;
        }
        let matrix = survey(subject, &bounds, &mut |asking| look(&watch, asking));
        if args.format == Format::Text {
            let own =
                AssumptionStory { matrices: std::slice::from_ref(&matrix), command: &command, states_max };
            let gap = if matrices.is_empty() { "" } else { "\n" };
            let text = format!("{gap}{}", assumptions_text(own));
            // A pipe that is closed is noticed when the answer is written.
            watch.beside(|| drop(write(&mut io::stdout().lock(), &text)));
        }
        matrices.push(matrix);
    }
    let is_complete = matrices.len() == subjects.len() && matrices.iter().all(|matrix| matrix.is_complete);
    watch.end();
    let story = AssumptionStory { matrices: &matrices, command: &command, states_max };
    let out = match args.format {
        Format::Json => assumptions_json(story),
        Format::Text => String::new(),
    };
    let mut answer = Answer::of(out, Exit::Held);
    let (plans, unconfirmed) = plans(&matrices);
    if !unconfirmed.is_empty() {
        answer.exit = Exit::Bug;
        for name in unconfirmed {
            answer.err.push_str(&format!(
                "fencepost met a bug of its own: the seeded world does not confirm {name}; please report it\n"
            ));
        }
    } else if !is_complete {
        answer.exit = Exit::Inconclusive;
        answer.err.push_str("cut short: what is missing is undecided, and no file was written\n");
    } else if asked == ALL && is_usual(args) {
        match keep(story, &plans) {
            Ok(()) => answer.err.push_str(&format!(
                "wrote {REPORTS}/assumptions.md, {REPORTS}/assumptions.json and {} folders in {REPORTS}/failures\n",
                plans.len()
            )),
            Err(error) => {
                answer.exit = Exit::Unwritten;
                answer.err.push_str(&format!("failed to write the results to {REPORTS}: {error}\n"));
            }
        }
    }
    Ok(answer)
}

/// The answer to whoever asks it of a lock that no file names.
pub(super) fn not_of_ones_own() -> Failure {
    Failure::NoSuch {
        kind: "own-lock",
        name: "--assumptions".to_owned(),
        message:
            "the assumptions of a lock of one's own are not surveyed; prove it in models with `[faults]`"
                .to_owned(),
        suggestion: None,
    }
}

/// All shipped locks, one of them, or one in a file.
fn subjects(asked: &str) -> Result<Vec<Subject>, Failure> {
    if asked == ALL {
        return Ok(shipped_subjects());
    }
    if asked.contains('/') || asked.contains(".toml") {
        let loaded = load::models(&[asked.to_owned()])?;
        return Ok(loaded.iter().map(|loaded| Subject::of(&loaded.model)).collect());
    }
    let unknown = |unknown: crate::prove::UnknownModel| Failure::NoSuch {
        kind: "unknown-lock",
        message: format!("no shipped lock is called `{}`; `{ALL}` means all of them", unknown.name),
        name: unknown.name,
        suggestion: unknown.suggestion,
    };
    Ok(vec![shipped_subject(asked).map_err(unknown)?])
}

fn look(watch: &Watch, asking: &Asking<'_>) -> ControlFlow<()> {
    watch.note(|| {
        let kinds: Vec<&str> = asking.kinds.iter().map(|kind| kind.text()).collect();
        let Asking { subject, oracle, faults, states, .. } = asking;
        format!("{subject}, {oracle}, {faults} of {{{}}}: {states} states", kinds.join(", "))
    });
    if watch.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Whether nothing was asked for that changes the result.
fn is_usual(args: &ProveArgs) -> bool {
    args.max_states.is_none() && args.max_memory.is_none() && args.max_seconds.is_none() && !args.no_folders
}

/// The command that makes the same, without what changes nothing of it.
fn command(args: &ProveArgs, asked: &str) -> String {
    let states = args.max_states.map(|states| format!(" --max-states {states}")).unwrap_or_default();
    format!("cargo run --release -- prove --assumptions {asked}{states}")
}

/// The smallest plan of every breaking set, by folder, and those that the seeded world does not confirm.
fn plans(matrices: &[Matrix]) -> (BTreeMap<String, Keepsake>, Vec<String>) {
    let (mut plans, mut unconfirmed) = (BTreeMap::new(), Vec::new());
    for matrix in matrices {
        let name = &matrix.subject.model.name;
        for (oracle, _, broken) in matrix.breaks() {
            if broken.found.replay == Replay::Disagrees {
                unconfirmed.push(format!("{name}, {oracle}, {:?}", broken.kinds));
            }
            let Some(folder) = break_folder(name, oracle, broken) else { continue };
            if plans.contains_key(&folder) {
                continue;
            }
            match plan(oracle, broken, &folder) {
                Some(kept) => drop(plans.insert(folder, kept)),
                None => unconfirmed.push(folder),
            }
        }
    }
    (plans, unconfirmed)
}

/// One plan as a folder, if the seeded world violates the oracle under it.
fn plan(oracle: OracleName, broken: &Break, folder: &str) -> Option<Keepsake> {
    let found = &broken.found;
    let scenario = counterexample(&broken.model, oracle, &found.plan, found.end);
    let result = sim::run(&scenario, REPLAY_SEED);
    let agrees = result.outcomes.iter().any(|(name, outcome)| {
        *name == oracle && matches!(outcome, Outcome::Violated(violation) if violation.at <= found.end)
    });
    let kept = keepsake(Story { scenario: &scenario, result: &result }, oracle, None, "");
    agrees.then(|| Keepsake { name: folder.to_owned(), ..kept })
}

/// Writes the report and the folders that it links to; folders of an earlier report go.
fn keep(story: AssumptionStory<'_>, plans: &BTreeMap<String, Keepsake>) -> io::Result<()> {
    std::fs::create_dir_all(REPORTS)?;
    folder::replace(&Path::new(REPORTS).join("failures"), plans.values())?;
    for (name, text) in
        [("assumptions.md", assumptions_markdown(story)), ("assumptions.json", assumptions_json(story))]
    {
        let place = Path::new(REPORTS).join(name);
        let beside = Path::new(REPORTS).join(format!(".{name}.{}", std::process::id()));
        let moved = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, &place));
        if moved.is_err() {
            // What could not be moved is of no use to anybody.
            let _ = std::fs::remove_file(&beside);
        }
        moved?;
    }
    Ok(())
}
