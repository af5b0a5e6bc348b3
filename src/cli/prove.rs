//! `prove`: models exhausted, one after the other, each told as it ends.
//!
//! Time is read here and nowhere below: limits and Ctrl-C reach a search through its callback. Must not judge.

use super::args::{Format, ProveArgs};
use super::failure::Failure;
use super::load::Loaded;
use super::lock::Lock;
use super::watch::Watch;
use super::{Answer, Exit, folder, pin, write};
use crate::check::Outcome;
use crate::lock::LockCore;
use crate::prove::{
    self, Ended, Finding, Model, Options, ProgressFinding, Proof, REPLAY_SEED, Replay, Sighted, Verdict,
};
use crate::report::{
    ProofStory, Shown, Story, keepsake, prove_head, prove_json, prove_line, prove_sum, prove_text,
};
use crate::scenario::Scenario;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::thread::available_parallelism;

/// A model that was proved.
struct Proved {
    model: Model,
    proof: Proof,
    verdict: Verdict,
    shown: Vec<Shown>,
    took_ms: u64,
}

impl Proved {
    fn story(&self) -> ProofStory<'_> {
        let Self { model, proof, verdict, shown, took_ms } = self;
        ProofStory { model, proof, verdict, shown, took_ms: *took_ms }
    }
}

/// What is done with each proof.
struct Work<'a, C> {
    lock: &'a Lock<'a, C>,
    args: &'a ProveArgs,
    options: Options,
    watch: Watch,
    /// How wide the names are.
    width: usize,
    /// What goes to stderr in the end.
    err: String,
    unwritten: bool,
}

/// Proves what was asked for.
pub(super) fn prove<C: LockCore>(args: &ProveArgs, lock: &Lock<'_, C>) -> Result<Answer, Failure> {
    let loaded = lock.models(&args.models)?;
    if args.pin {
        loaded.iter().try_for_each(pin::can_be_pinned)?;
    }
    let width = loaded.iter().map(|loaded| loaded.model.name.chars().count()).max().unwrap_or(0);
    let watch = Watch::open(args.max_seconds);
    let (options, err) = (options(args), String::new());
    let mut work = Work { lock, args, options, watch, width, err, unwritten: false };
    if args.format == Format::Text && args.models.is_empty() {
        work.tell(&prove_head(loaded.len()));
    }
    let mut proved: Vec<Proved> = Vec::new();
    let mut skipped = Vec::new();
    for Loaded { model, place } in loaded {
        if work.watch.is_cancelled() {
            skipped.push(model.name);
            continue;
        }
        let done = work.one(model);
        if args.pin {
            work.pin(&done, &place);
        }
        work.told(&done, proved.is_empty());
        proved.push(done);
    }
    Ok(work.answer(&proved, &skipped))
}

impl<C: LockCore> Work<'_, C> {
    fn one(&mut self, model: Model) -> Proved {
        let before = self.watch.elapsed_ms();
        let watch = &self.watch;
        let cancelled = watch.cancelled();
        let name = model.name.clone();
        let mut look = |sighted: &Sighted| {
            watch.note(|| {
                let Sighted { states, depth, frontier, .. } = sighted;
                let rate = states * 1_000 / (watch.elapsed_ms() - before).max(1);
                format!("{name}: {states} states, {frontier} to go, {depth} deep, {rate}/s")
            });
            if cancelled.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let proof = prove::prove_model_with(&model, self.lock.make, &self.options, &mut look);
        let took_ms = self.watch.elapsed_ms() - before;
        let mut verdict = Verdict::of(&model, &proof);
        if self.args.pin {
            verdict = verdict.without_count();
        }
        let mut proved = Proved { model, proof, verdict, shown: Vec::new(), took_ms };
        self.show(&mut proved);
        proved
    }

    /// Runs the schedules that were found in the seeded world, and keeps those that violate.
    fn show(&mut self, proved: &mut Proved) {
        let model = &proved.model;
        for (oracle, finding) in &proved.proof.findings {
            let Finding::Violated(found) = finding else { continue };
            let mut scenario = prove::counterexample(model, *oracle, &found.plan, found.end);
            scenario.runner.clone_from(&self.lock.runner);
            let result = self.lock.run(&scenario, REPLAY_SEED);
            let agrees = result.outcomes.iter().any(|(name, outcome)| {
                name == oracle && matches!(outcome, Outcome::Violated(violation) if violation.at <= found.end)
            });
            if !agrees && found.replay == Replay::Agrees && !proved.verdict.disagreements.contains(oracle) {
                proved.verdict.disagreements.push(*oracle);
            }
            let unexpected = !model
                .expect
                .iter()
                .any(|(name, expected)| name == oracle && *expected == crate::check::Expected::Violated);
            let mut shown = Shown { oracle: Some(*oracle), scenario, result, until: found.end, folder: None };
            // In a list of all models nobody wants a folder for what is known.
            if agrees && !self.args.no_folders && (unexpected || !self.args.models.is_empty()) {
                match keep(&self.args.failures, &shown) {
                    Ok(folder) => shown.folder = Some(folder),
                    Err(error) => self.failed(&format!("write a folder in {}", self.args.failures), &error),
                }
            }
            proved.shown.push(shown);
        }
        if let Some(ProgressFinding::Endless { shown: Some((plan, end)), .. }) = &proved.proof.progress {
            let scenario: Scenario = prove::schedule(model, plan, *end);
            let result = self.lock.run(&scenario, REPLAY_SEED);
            proved.shown.push(Shown { oracle: None, scenario, result, until: *end, folder: None });
        }
    }

    /// Writes the count of an exhausted model into its file.
    fn pin(&mut self, proved: &Proved, place: &pin::Place) {
        let name = &proved.model.name;
        if proved.proof.effort.ended != Ended::Exhausted || !proved.verdict.as_expected() {
            self.err.push_str(&format!("{name}: not pinned, for it is not exhausted as expected\n"));
            return;
        }
        match pin::write(&proved.model, proved.proof.effort.states, place) {
            Ok(path) => {
                self.err.push_str(&format!("{name}: pinned {} in {path}\n", proved.proof.effort.states))
            }
            Err(error) => self.failed(&format!("pin {name}"), &error),
        }
    }

    fn failed(&mut self, what: &str, error: &io::Error) {
        self.err.push_str(&format!("failed to {what}: {error}\n"));
        self.unwritten = true;
    }

    /// Says how one model ended, if it is said at once: a page between blank lines, or a line.
    fn told(&mut self, proved: &Proved, is_first: bool) {
        if self.args.format != Format::Text {
            return;
        }
        let story = proved.story();
        match (self.args.models.is_empty(), is_first) {
            (true, _) => self.tell(&prove_line(story, self.width)),
            (false, true) => self.tell(&prove_text(story)),
            (false, false) => self.tell(&format!("\n{}", prove_text(story))),
        }
    }

    fn tell(&mut self, text: &str) {
        let mut written = Ok(());
        self.watch.beside(|| written = write(&mut io::stdout().lock(), text));
        // A pipe that is closed has had enough.
        if let Err(error) = written
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            self.err.push_str(&format!("the result could not be written: {error}\n"));
            self.unwritten = true;
        }
    }

    fn answer(mut self, proved: &[Proved], skipped: &[String]) -> Answer {
        let stories: Vec<ProofStory<'_>> = proved.iter().map(Proved::story).collect();
        let sum = prove_sum(&stories, skipped.len());
        let out = match self.args.format {
            Format::Json => prove_json(&stories, skipped),
            Format::Text if stories.len() == 1 && skipped.is_empty() => String::new(),
            Format::Text => format!("\n{sum}"),
        };
        if self.args.format == Format::Json {
            self.err.push_str(&sum);
        }
        let codes = || stories.iter().map(|story| story.verdict.exit_code());
        let exit = if codes().any(|code| code == Exit::Bug.code()) {
            self.err.push_str(
                "fencepost met a bug of its own: the seeded world does not confirm a counterexample; please report the model\n",
            );
            Exit::Bug
        } else if self.unwritten {
            Exit::Unwritten
        } else if codes().any(|code| code == 1) {
            Exit::Violated
        } else if !skipped.is_empty() || codes().any(|code| code != 0) {
            Exit::Inconclusive
        } else {
            Exit::Held
        };
        self.watch.end();
        Answer { out, err: self.err, exit }
    }
}

/// Keeps a counterexample as a folder that `replay` runs.
fn keep(root: &str, shown: &Shown) -> io::Result<String> {
    let story = Story { scenario: &shown.scenario, result: &shown.result };
    let oracle = shown.oracle.expect("only violations are kept");
    folder::keep(root, &keepsake(story, oracle, None, "-proved")).map(|kept| kept.path)
}

/// As many as asked for, or as there are processors.
pub(super) fn threads(args: &ProveArgs) -> usize {
    let threads = args.threads.map(usize::from);
    threads.or_else(|| available_parallelism().ok().map(usize::from)).unwrap_or(1)
}

/// How far to go.
pub(super) fn options(args: &ProveArgs) -> Options {
    Options {
        threads: threads(args),
        states_max: args.max_states.unwrap_or(u32::MAX),
        bytes_max: args.max_memory.map_or_else(free_memory, |megabytes| megabytes.saturating_mul(1 << 20)),
    }
}

/// Three quarters of the memory that is available, where the system says so; without end elsewhere.
fn free_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.map_or(u64::MAX, |kilobytes| kilobytes * 1_024 / 4 * 3)
}
