//! Many seeds, many threads, one outcome: the parallel hunt for violations.
//!
//! Threads take chunks of the range; whoever hands one in folds all that are next in seed order, so the outcome does
//! not depend on their number or speed, and nobody runs far ahead of the slowest, so memory does not grow with the
//! range. A hunt until K violations ends with the seed that brings the K-th, also if it lies inside a chunk: then
//! the chunk is run again up to it.
//!
//! One seed in 20 is run twice, and so is every failure that is kept; a difference ends the hunt. Must not read a
//! clock: whoever has a time limit sets the flag of cancellation, and what is complete by then is the outcome.

use super::divergent::{Divergent, part, repeat};
use super::judged::{Keep, RunResult};
use super::seeds::Seeds;
use super::subject::Runs;
use super::tally::Tally;
use crate::check::{Expectation, Judgement, OracleName, Outcome, Violation};
use std::collections::BTreeMap;
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What is hunted for, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The seeds.
    pub seeds: Seeds,
    /// On how many threads. Changes nothing of the outcome.
    pub jobs: NonZeroUsize,
    /// Whether to end early.
    pub until: Option<Until>,
    /// How many failures to keep per oracle.
    pub keep: usize,
}

/// When to end early: at the first seed by which there are so many violating runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Until {
    /// How many.
    pub violations: NonZeroU64,
    /// Of which oracle; `None`: runs that violate any judged one, each counted once.
    pub oracle: Option<OracleName>,
}

/// How far a hunt has come, in seed order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Runs that are complete and folded.
    pub done: u64,
    /// Runs asked for.
    pub of: u64,
    /// Of those done, how many violated a judged oracle, or the one that [`Until`] counts.
    pub violating: u64,
}

/// Why a hunt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All seeds were run.
    End,
    /// Enough violations were found.
    Until,
    /// It was cancelled: the seeds before some point are complete, no other counts.
    Cancelled,
}

/// A violation worth keeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The violation; it names its oracle.
    pub violation: Violation,
    /// The seed of its run.
    pub seed: u64,
    /// The digest of its run.
    pub digest: u64,
}

/// What a hunt came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunted {
    /// What was asked for.
    pub request: Request,
    /// Why it ended.
    pub stop: Stop,
    /// The sum of the runs that are complete: the first [`Tally::runs`] seeds.
    pub tally: Tally,
    /// Runs that exercised what [`Until`] counts, else any judged oracle.
    pub exercised: u64,
    /// Runs that violated what [`Until`] counts, else any judged oracle.
    pub violating: u64,
    /// Runs that were executed twice and came out the same.
    pub repeated: u64,
    /// The first failures of each judged oracle, by oracle and seed. Each was run twice.
    pub failures: Vec<Failure>,
    /// All runs judged together.
    pub judgement: Judgement,
}

impl Hunted {
    /// The exit code: that of the judgement, but what held so far in a hunt that was cut short is inconclusive.
    pub fn exit_code(&self) -> u8 {
        match (self.judgement.exit_code(), self.stop) {
            (0, Stop::Cancelled) => 2,
            (code, Stop::End | Stop::Until | Stop::Cancelled) => code,
        }
    }
}

impl Failure {
    /// Runs it again and keeps its records.
    ///
    /// # Errors
    /// The run is not the same.
    pub fn replay<S: Runs>(&self, subject: &S) -> Result<RunResult, Box<Divergent>> {
        let run = subject.run(self.seed, Keep::Records);
        if run.digest == self.digest {
            return Ok(run);
        }
        let mut divergent = part(subject, &run, &run);
        divergent.digests[0] = self.digest;
        Err(Box::new(divergent))
    }
}

/// Runs the seeds. `progress` is told after every chunk; `cancel` ends the hunt with what is complete.
///
/// # Errors
/// Two runs of one seed differed.
pub fn hunt<S: Runs>(
    subject: &S,
    request: Request,
    progress: &mut (dyn FnMut(Progress) + Send),
    cancel: &AtomicBool,
) -> Result<Hunted, Box<Divergent>> {
    let expect = subject.scenario(request.seeds.from()).expect.clone();
    let jobs = request.jobs.get() as u64;
    let hunter = Hunter {
        subject,
        request,
        expect: expect.as_ref(),
        cancel,
        chunk: (request.seeds.count() / (jobs * 8)).clamp(1, CHUNK),
        state: Mutex::new(State {
            next: request.seeds.from(),
            folded: request.seeds.from(),
            pending: BTreeMap::new(),
            sum: Chunk::new(),
            end: None,
            progress,
        }),
        turn: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(|| hunter.work());
        }
        hunter.work();
    });
    let state = hunter.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let stop = match state.end {
        Some(End::Divergent(divergent)) => return Err(divergent),
        Some(End::Panicked) => unreachable!("the scope passes a panic on"),
        Some(End::Stopped(stop)) => stop,
        None if state.folded == request.seeds.to() => Stop::End,
        None => Stop::Cancelled,
    };
    let Chunk { tally, exercised, violating, repeated, failures } = state.sum;
    let judgement = tally.judgement(expect.as_ref());
    let failures = failures.into_values().flatten().collect();
    Ok(Hunted { request, stop, tally, exercised, violating, repeated, failures, judgement })
}

/// The largest chunk: much more than handing it in costs, little enough for a steady progress.
const CHUNK: u64 = 64;

/// How many chunks per thread may wait for the slowest.
const AHEAD: u64 = 16;

/// One seed in so many is run twice.
const SAMPLE: u64 = 20;

struct Hunter<'a, S> {
    subject: &'a S,
    request: Request,
    expect: Option<&'a Expectation>,
    cancel: &'a AtomicBool,
    chunk: u64,
    state: Mutex<State<'a>>,
    /// Told whenever a chunk was folded or the hunt ends.
    turn: Condvar,
}

struct State<'a> {
    /// The first seed that nobody has taken.
    next: u64,
    /// The first seed that is not folded.
    folded: u64,
    /// What was handed in out of turn, by its first seed.
    pending: BTreeMap<u64, Result<Chunk, Box<Divergent>>>,
    sum: Chunk,
    end: Option<End>,
    progress: &'a mut (dyn FnMut(Progress) + Send),
}

enum End {
    Stopped(Stop),
    Divergent(Box<Divergent>),
    Panicked,
}

/// What neighbouring seeds come to.
struct Chunk {
    tally: Tally,
    exercised: u64,
    violating: u64,
    repeated: u64,
    failures: BTreeMap<OracleName, Vec<Failure>>,
}

impl Chunk {
    const fn new() -> Self {
        Self { tally: Tally::new(), exercised: 0, violating: 0, repeated: 0, failures: BTreeMap::new() }
    }
}

impl<'a, S: Runs> Hunter<'a, S> {
    fn work(&self) {
        let _departure = Departure(self);
        while let Some(seeds) = self.take() {
            let first = seeds.start;
            let chunk = self.run(seeds, None);
            self.hand_in(first, chunk);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next chunk; waits while too many are ahead of the slowest. `None` once nothing is left to do.
    fn take(&self) -> Option<Range<u64>> {
        let mut state = self.lock();
        let ahead = self.chunk * AHEAD * self.request.jobs.get() as u64;
        while state.end.is_none() && state.next - state.folded >= ahead {
            state = self.turn.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.end.is_some() || state.next == self.request.seeds.to() || self.is_cancelled() {
            return None;
        }
        let start = state.next;
        state.next = (start + self.chunk).min(self.request.seeds.to());
        Some(start..state.next)
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Runs seeds in order, at most until so many are violating or until it is cancelled.
    fn run(&self, seeds: Range<u64>, enough: Option<u64>) -> Result<Chunk, Box<Divergent>> {
        let mut chunk = Chunk::new();
        for seed in seeds {
            if enough == Some(chunk.violating) || self.is_cancelled() {
                break;
            }
            let run = self.subject.run(seed, Keep::Nothing);
            if seed.is_multiple_of(SAMPLE) {
                repeat(self.subject, &run)?;
                chunk.repeated += 1;
            }
            self.note(&run, &mut chunk);
        }
        Ok(chunk)
    }

    fn note(&self, run: &RunResult, chunk: &mut Chunk) {
        chunk.tally.push(run);
        let (mut exercised, mut violating) = (false, false);
        for (oracle, outcome) in run.outcomes.iter().filter(|(oracle, _)| self.judges(*oracle)) {
            let counts = self.counts(*oracle);
            match outcome {
                Outcome::NotExercised | Outcome::NotApplicable => {}
                Outcome::Held => exercised |= counts,
                Outcome::Violated(violation) => {
                    (exercised, violating) = (exercised | counts, violating | counts);
                    let kept = chunk.failures.entry(*oracle).or_default();
                    if kept.len() < self.request.keep {
                        kept.push(Failure { violation: *violation, seed: run.seed, digest: run.digest });
                    }
                }
            }
        }
        chunk.exercised += u64::from(exercised);
        chunk.violating += u64::from(violating);
    }

    /// Whether the oracle is judged: those that the file names, else all.
    fn judges(&self, oracle: OracleName) -> bool {
        let named = self.expect.is_none_or(|expect| expect.oracles.contains_key(&oracle));
        named || self.request.until.is_some_and(|until| until.oracle == Some(oracle))
    }

    /// Whether the hunt for enough violations counts this oracle.
    fn counts(&self, oracle: OracleName) -> bool {
        self.request.until.and_then(|until| until.oracle).is_none_or(|wanted| wanted == oracle)
    }

    /// Files a chunk and folds all that are next in order.
    fn hand_in(&self, first: u64, chunk: Result<Chunk, Box<Divergent>>) {
        let mut state = self.lock();
        state.pending.insert(first, chunk);
        while state.end.is_none() {
            let folded = state.folded;
            let Some(next) = state.pending.remove(&folded) else { break };
            let end = match next {
                Ok(chunk) => self.fold(&mut state, chunk),
                Err(divergent) => Err(divergent),
            };
            state.end = end.unwrap_or_else(|divergent| Some(End::Divergent(divergent)));
        }
        self.turn.notify_all();
    }

    /// Folds the chunk that is next; says how the hunt ended, if it did.
    fn fold(&self, state: &mut State<'_>, mut chunk: Chunk) -> Result<Option<End>, Box<Divergent>> {
        let seeds = self.request.seeds;
        let start = state.folded;
        let end = seeds.to().min(start + self.chunk);
        let left = self.request.until.map(|until| until.violations.get() - state.sum.violating);
        if left.is_some_and(|left| chunk.violating >= left) {
            chunk = self.run(start..end, left)?;
        }
        let complete = chunk.tally.runs == end - start;
        state.folded += chunk.tally.runs;
        self.add(&mut state.sum, chunk)?;
        (state.progress)(Progress {
            done: state.sum.tally.runs,
            of: seeds.count(),
            violating: state.sum.violating,
        });
        Ok(if self.request.until.is_some_and(|until| state.sum.violating >= until.violations.get()) {
            Some(End::Stopped(Stop::Until))
        } else if complete {
            None
        } else {
            Some(End::Stopped(Stop::Cancelled))
        })
    }

    /// Adds a chunk to the sum. What is kept of its failures is run again.
    fn add(&self, sum: &mut Chunk, chunk: Chunk) -> Result<(), Box<Divergent>> {
        sum.tally.merge(&chunk.tally);
        sum.exercised += chunk.exercised;
        sum.violating += chunk.violating;
        sum.repeated += chunk.repeated;
        for (oracle, failures) in chunk.failures {
            let kept = sum.failures.entry(oracle).or_default();
            for failure in failures.into_iter().take(self.request.keep.saturating_sub(kept.len())) {
                failure.replay(self.subject)?;
                sum.repeated += 1;
                kept.push(failure);
            }
        }
        Ok(())
    }
}

/// A thread that panics tells the others, which would wait for its chunk for ever.
struct Departure<'h, 'a, S: Runs>(&'h Hunter<'a, S>);

impl<S: Runs> Drop for Departure<'_, '_, S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().end = Some(End::Panicked);
            self.0.turn.notify_all();
        }
    }
}
