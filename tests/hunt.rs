//! The parallel hunt: one outcome whatever the threads, exact stops, honest prefixes, nondeterminism found.
//!
//! What is compared with is counted here, run by run. Must not look at verdicts of single runs.

use fencepost::check::{OracleName, Outcome};
use fencepost::history::Fact;
use fencepost::plan::Plan;
use fencepost::scenario::{Locator, Scenario, find, parse};
use fencepost::sim::{
    Explorer, Hunted, Keep, Plans, Progress, Request, RunResult, Runs, Seeds, SeedsError, Stop, Subject,
    Tally, Until, hunt,
};
use std::borrow::Cow;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const OVERLAP: OracleName = OracleName::PromiseOverlap;

fn shipped(name: &str) -> Scenario {
    let Ok(Locator::Shipped { text, .. }) = find(name) else { panic!("{name} is not shipped") };
    parse(name, text).expect("a shipped scenario")
}

fn request(seeds: &str, jobs: usize) -> Request {
    Request {
        seeds: seeds.parse().expect("a range"),
        jobs: NonZeroUsize::new(jobs).expect("a thread"),
        until: None,
        keep: 1,
    }
}

fn until(violations: u64, oracle: Option<OracleName>) -> Option<Until> {
    Some(Until { violations: NonZeroU64::new(violations).expect("some"), oracle })
}

fn all<S: Runs>(subject: &S, request: Request) -> Hunted {
    hunt(subject, request, &mut |_| {}, &AtomicBool::new(false)).expect("determinism")
}

/// The clock jump happens where a fixed mix of the seed says so, in about one of three; elsewhere nothing does.
fn sometimes(scenario: &Scenario) -> impl Fn(u64) -> Plan + Sync + '_ {
    |seed| if fails(seed) { scenario.setup.plan.clone() } else { Plan::empty() }
}

fn fails(seed: u64) -> bool {
    (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32).is_multiple_of(3)
}

fn singly(subject: &Subject<'_>, seeds: std::ops::Range<u64>) -> Vec<RunResult> {
    seeds.map(|seed| subject.run(seed, Keep::Records)).collect()
}

#[test]
fn the_outcome_does_not_depend_on_threads() {
    let scenario = shipped("kleppmann-clock-jump");
    let plans = sometimes(&scenario);
    let subject = Subject::new(&scenario, Plans::Drawn(&plans));
    for until in [None, until(11, None), until(1, Some(OVERLAP)), until(1_000_000, None)] {
        let one = all(&subject, Request { until, keep: 3, ..request("5..125", 1) });
        for jobs in [2, 5] {
            let request = Request { until, keep: 3, ..request("5..125", jobs) };
            assert_eq!(
                all(&subject, request),
                Hunted { request, ..one.clone() },
                "{jobs} threads, {until:?}"
            );
        }
    }
}

#[test]
fn a_tally_is_the_sum_of_its_runs() {
    let scenario = shipped("kleppmann-clock-jump");
    let plans = sometimes(&scenario);
    let subject = Subject::new(&scenario, Plans::Drawn(&plans));
    let hunted = all(&subject, request("0..90", 2));
    let runs = singly(&subject, 0..90);
    let tally = &hunted.tally;
    let ended = |run: &&RunResult, wanted: fn(&Outcome) -> bool| {
        run.outcomes.iter().any(|(oracle, outcome)| *oracle == OVERLAP && wanted(outcome))
    };
    let violated: Vec<u64> = runs
        .iter()
        .filter(|run| ended(run, |outcome| matches!(outcome, Outcome::Violated(_))))
        .map(|run| run.seed)
        .collect();
    let idle = runs.iter().filter(|run| ended(run, |outcome| *outcome == Outcome::NotExercised)).count();
    assert_eq!(violated, (0..90).filter(|seed| fails(*seed)).collect::<Vec<_>>(), "the plan alone decides");
    let overlap = &tally.oracles[&OVERLAP];
    assert_eq!((overlap.runs, overlap.violated, overlap.not_applicable), (90, violated.len() as u64, 0));
    assert_eq!(overlap.exercised, 90 - idle as u64);
    assert_eq!(overlap.first.expect("a violation").0, violated[0]);

    let count = |wanted: &dyn Fn(&Fact) -> bool| {
        runs.iter().flat_map(|run| &run.records).filter(|record| wanted(&record.fact)).count() as u64
    };
    let grants = count(&|fact| matches!(fact, Fact::Granted { .. }));
    assert_eq!(tally.grants(), grants);
    assert_eq!(overlap.per_grant.total().whole, grants);
    assert_eq!(tally.latency.count(), grants);
    assert_eq!(tally.calls.total().whole, count(&|fact| matches!(fact, Fact::AcquireBegan { .. })));
    let asks = |fact: &Fact| {
        let Fact::Sent { name } = fact else { return false };
        let text = name.to_string();
        text.contains(":acquire.") && text.ends_with(":request")
    };
    assert_eq!(tally.messages, count(&asks));
    assert_eq!(tally.events, runs.iter().map(|run| run.events).sum::<u64>());
    // The call of the first client spans the two messages of a vote, so it takes 0.4 to 10 ms.
    assert!((400..10_000).contains(&tally.latency.percentile(0).expect("grants")), "{:?}", tally.latency);
}

#[test]
fn tallies_of_neighbours_merge() {
    let scenario = shipped("oversell-no-lock");
    let subject = Subject::new(&scenario, Plans::Kept);
    let whole = all(&subject, request("0..20", 1)).tally;
    for middle in [1, 7, 19] {
        let mut left = all(&subject, request(&format!("0..{middle}"), 2)).tally;
        left.merge(&all(&subject, request(&format!("{middle}..20"), 2)).tally);
        assert_eq!(left, whole, "at {middle}");
    }
    assert!(whole.oversold > 0, "without a lock too much is sold");
    assert_eq!(whole.oversold_runs, whole.oracles[&OracleName::LostUpdate].violated);
    assert_eq!(Tally::new().runs, 0);
}

#[test]
fn a_hunt_until_k_ends_with_the_seed_of_the_kth() {
    let scenario = shipped("kleppmann-clock-jump");
    let plans = sometimes(&scenario);
    let subject = Subject::new(&scenario, Plans::Drawn(&plans));
    let failing: Vec<u64> = (0..400).filter(|seed| fails(*seed)).collect();
    for k in [1, 2, 17, 60] {
        for oracle in [None, Some(OVERLAP)] {
            let hunted = all(&subject, Request { until: until(k, oracle), ..request("0..400", 3) });
            assert_eq!(hunted.stop, Stop::Until);
            assert_eq!(
                hunted.tally.runs,
                failing[k as usize - 1] + 1,
                "the seed of violation {k} is the last"
            );
            assert_eq!((hunted.violating, hunted.tally.oracles[&OVERLAP].violated), (k, k));
        }
    }
    let hunted = all(&subject, Request { until: until(1_000, None), ..request("0..100", 2) });
    assert_eq!((hunted.stop, hunted.tally.runs), (Stop::End, 100), "never enough");
}

#[test]
fn a_cancelled_hunt_is_a_complete_prefix() {
    let scenario = shipped("kleppmann-clock-jump");
    let subject = Subject::new(&scenario, Plans::Kept);
    for jobs in [1, 3] {
        let cancel = AtomicBool::new(false);
        let mut stop = |progress: Progress| {
            if progress.done >= 70 {
                cancel.store(true, Ordering::Relaxed);
            }
        };
        let cut = hunt(&subject, request("0..100000", jobs), &mut stop, &cancel).expect("determinism");
        assert_eq!(cut.stop, Stop::Cancelled);
        let done = cut.tally.runs;
        assert!((70..10_000).contains(&done), "{done} runs");
        let whole = all(&subject, request(&format!("0..{done}"), 2));
        assert_eq!((&cut.tally, &cut.failures), (&whole.tally, &whole.failures));
        assert_eq!((whole.exit_code(), cut.exit_code()), (0, 2), "what held so far is inconclusive");
    }
    let cut = hunt(&subject, request("0..100", 2), &mut |_| {}, &AtomicBool::new(true)).expect("determinism");
    assert_eq!((cut.stop, cut.tally.runs, cut.exit_code()), (Stop::Cancelled, 0, 2), "nothing was run");
}

#[test]
fn failures_are_kept_and_run_again() {
    let scenario = shipped("kleppmann-clock-jump");
    let plans = sometimes(&scenario);
    let subject = Subject::new(&scenario, Plans::Drawn(&plans));
    let hunted = all(&subject, Request { keep: 2, ..request("0..100", 2) });
    let failing: Vec<u64> = (0..100).filter(|seed| fails(*seed)).take(2).collect();
    let judged = [OVERLAP, OracleName::PromiseUnbacked, OracleName::SectionOverlap];
    let wanted: Vec<_> =
        judged.iter().flat_map(|oracle| failing.iter().map(|seed| (*oracle, *seed))).collect();
    let kept = hunted.failures.iter().map(|failure| (failure.violation.oracle, failure.seed));
    assert_eq!(kept.collect::<Vec<_>>(), wanted, "the first of each judged oracle");
    assert_eq!(hunted.repeated, 5 + 6, "one seed in 20, and each failure");
    let run = hunted.failures[0].replay(&subject).expect("the same run");
    assert!(!run.records.is_empty() && run.violations.contains(&hunted.failures[0].violation));
    assert!(subject.scenario(failing[0]).setup.plan == scenario.setup.plan, "with its own plan");
}

#[test]
fn all_runs_are_judged_together() {
    let scenario = shipped("kleppmann-clock-jump");
    let plans = sometimes(&scenario);
    let subject = Subject::new(&scenario, Plans::Drawn(&plans));
    assert_eq!(all(&subject, request("0..60", 2)).exit_code(), 0, "violated in one is violated");
    // Nothing goes wrong: what the file expects to be violated holds.
    let calm = Subject::new(&scenario, Plans::Drawn(&|_| Plan::empty()));
    assert_eq!(all(&calm, request("0..60", 2)).exit_code(), 1);

    let mut held = scenario.clone();
    held.expect = None;
    assert_eq!(all(&Subject::new(&held, Plans::Kept), request("0..20", 1)).exit_code(), 1, "violated");
    // Client 2 comes long after client 1 has left: no second grant is asked for inside a promise.
    held.setup.clients[1].start = fencepost::time::WorldTime(20_000_000);
    held.setup.plan = Plan::empty();
    let idle = all(&Subject::new(&held, Plans::Kept), request("0..20", 1));
    assert_eq!((idle.tally.at_limit, idle.exit_code()), (0, 2), "not exercised");
    held.setup.limit = fencepost::time::WorldTime(1_000);
    let cut = all(&Subject::new(&held, Plans::Kept), request("0..20", 1));
    assert_eq!((cut.tally.at_limit, cut.exit_code()), (20, 2), "all were stopped by their limit");
}

/// A subject that ceases to repeat itself at one seed.
struct Flaky<'a> {
    scenario: &'a Scenario,
    seed: u64,
    runs: AtomicU64,
}

impl Runs for Flaky<'_> {
    fn run(&self, seed: u64, keep: Keep) -> RunResult {
        let odd = seed == self.seed && self.runs.fetch_add(1, Ordering::Relaxed) % 2 == 1;
        let run = Explorer::new(self.scenario).run(if odd { seed + 1 } else { seed }, keep);
        RunResult { seed, ..run }
    }

    fn scenario(&self, _: u64) -> Cow<'_, Scenario> {
        Cow::Borrowed(self.scenario)
    }
}

#[test]
fn nondeterminism_is_found() {
    let scenario = shipped("kleppmann-clock-jump");
    // Seed 40 is one of the sample; seed 3 brings the first failure of this range.
    for (seeds, seed) in [("1..100", 40), ("3..19", 3)] {
        for jobs in [1, 3] {
            let flaky = Flaky { scenario: &scenario, seed, runs: AtomicU64::new(0) };
            let divergent = hunt(&flaky, request(seeds, jobs), &mut |_| {}, &AtomicBool::new(false))
                .expect_err("two runs differ");
            assert_eq!(divergent.seed, seed);
            assert_ne!(divergent.digests[0], divergent.digests[1]);
            let [one, other] = divergent.runs.expect("a pair with records");
            assert!(one.records.iter().zip(&other.records).any(|(one, other)| one != other));
        }
    }
    // Outside the sample, and no failure to keep: nobody asks twice.
    let flaky = Flaky { scenario: &scenario, seed: 41, runs: AtomicU64::new(0) };
    all(&flaky, request("1..100", 2));
}

/// A subject with a bug.
struct Broken<'a>(&'a Scenario);

impl Runs for Broken<'_> {
    fn run(&self, seed: u64, keep: Keep) -> RunResult {
        assert!(seed != 37, "on purpose");
        Explorer::new(self.0).run(seed, keep)
    }

    fn scenario(&self, _: u64) -> Cow<'_, Scenario> {
        Cow::Borrowed(self.0)
    }
}

#[test]
fn a_panic_ends_the_hunt_on_every_thread() {
    let scenario = shipped("calm-single");
    for jobs in [1, 2, 4] {
        let hunt = || all(&Broken(&scenario), request("0..100000", jobs));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(hunt)).is_err(), "{jobs} threads");
    }
}

#[test]
fn ranges_of_seeds_are_read_strictly() {
    for (text, from, to) in [("0..1", 0, 1), ("7..10_000", 7, 10_000), ("0..9007199254740992", 0, 1 << 53)] {
        let seeds: Seeds = text.parse().expect(text);
        assert_eq!((seeds.from(), seeds.to(), seeds.count()), (from, to, to - from));
    }
    let number = |text: &str| SeedsError::Number(text.to_owned());
    for (text, error) in [
        ("5..5", SeedsError::Empty { from: 5, to: 5 }),
        ("9..5", SeedsError::Empty { from: 9, to: 5 }),
        ("a..b", number("a")),
        ("1..", number("")),
        ("..4", number("")),
        ("0..=4", number("=4")),
        ("-1..4", number("-1")),
        ("5", SeedsError::Shape),
        ("", SeedsError::Shape),
        ("0..9007199254740993", SeedsError::TooLarge),
        ("0..99999999999999999999999", SeedsError::TooLarge),
    ] {
        assert_eq!(text.parse::<Seeds>(), Err(error), "{text}");
    }
}
