//! What the author of a lock writes in plain tests besides proofs: scenarios, hunts, sweeps, comparisons.
//!
//! The locks here are shipped cores on the author's terms, good and bad: what is tested is what a test says and when it
//! fails. Must not use anything that such an author cannot.

mod steered;
mod swept;

use fencepost::check::OracleName;
use fencepost::lock::{Core, Policy, Release, ReleaseScope, Terms};
use fencepost::test::{compare, hunt, scenario, scenario_text};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The lock of the specification.
fn good(terms: &Terms) -> Core {
    core(terms, terms.spec())
}

/// One on a single node that deletes whatever is there.
fn careless(terms: &Terms) -> Core {
    let terms = &Terms { voters: 1, ..terms.clone() };
    let (release, release_on_failure) = (Release::PlainDel, ReleaseScope::Known);
    core(terms, Policy { release, release_on_failure, ..terms.spec() })
}

fn core(terms: &Terms, policy: Policy) -> Core {
    Core::new(Arc::new(policy), terms.key.clone())
}

/// One that asks a single node, however many there are.
fn lonely(terms: &Terms) -> Core {
    good(&Terms { voters: 1, ..terms.clone() })
}

/// The text of a test that fails.
#[track_caller]
fn refusal(test: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(test)).expect_err("the test should fail");
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).expect("a text")
}

#[track_caller]
fn assert_parts(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn a_scenario_is_held_or_violated() {
    let play = || scenario("plain-del-overrun");
    play().with(careless).assert_violates(OracleName::ForeignChange);
    play().with(careless).assert_as_expected();
    play().with(good).assert_holds(&[OracleName::ForeignChange, OracleName::PromiseOverlap]);
    let text = refusal(|| play().with(good).assert_as_expected());
    assert_parts(&text, &["foreign-change was expected to be violated and ended held"]);
}

/// Sentence, the line that repeats it, a timeline of at most 25 lines, the verdict, and the lock that was run.
#[test]
fn a_failure_reads_like_the_command_line() {
    let text =
        refusal(|| scenario("plain-del-overrun").with(careless).assert_holds(&[OracleName::ForeignChange]));
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("plain-del-overrun: not as expected: foreign-change was expected to be held"),
        "{text}"
    );
    assert!(lines[0].contains("hit the live hold of client-2"), "{text}");
    assert_eq!(lines[1], "FENCEPOST_SEED=1 cargo test a_failure_reads_like_the_command_line -- --exact");
    let timeline = lines.iter().skip(3).take_while(|line| !line.is_empty()).count();
    assert!((2..=25).contains(&timeline), "{timeline} lines:\n{text}");
    assert_parts(&text, &["by [1] then [2]", "lock       single: asks one node, TTL 10 s", "digest"]);
}

/// What was not exercised says nothing, and what is not named cannot fail.
#[test]
fn a_test_of_nothing_fails() {
    let text = refusal(|| {
        scenario("calm-single").with(good).assert_holds(&[OracleName::StaleWrite, OracleName::Continuity])
    });
    assert_parts(&text, &["continuity was expected to be held and ended"]);
    let text = refusal(|| scenario("calm-single").with(good).assert_holds(&[]));
    assert_parts(&text, &["name at least one oracle"]);
    let text = refusal(|| hunt("compare:single", "calm", 0..2).with(good).assert_as_expected());
    assert_parts(&text, &["compare:single expects nothing"]);
}

#[test]
fn what_does_not_fit_or_exist_is_refused() {
    let text = refusal(|| scenario("kleppmann-clock-jump").with(lonely).assert_as_expected());
    assert_eq!(text, "single asks 1 nodes, and kleppmann-clock-jump has 5");
    let cases: [(fn(), &str); 5] = [
        (|| drop(scenario("kleppman-gc-pause")), "did you mean `kleppmann-gc-pause`?"),
        (|| drop(scenario("compare:singel")), "did you mean `single`?"),
        (|| drop(scenario("./mine.toml")), "a test reads no files"),
        (|| drop(hunt("compare:single", "calmness", 0..2)), "no shipped profile is called `calmness`"),
        (|| drop(scenario_text("mine", "format = 1\nnonsense = 2")), "nonsense"),
    ];
    for (test, part) in cases {
        assert_parts(&refusal(test), &[part]);
    }
}

#[test]
fn a_scenario_of_one_s_own_is_played_like_a_shipped_one() {
    let text = include_str!("../../scenarios/plain-del-overrun.toml");
    scenario_text("mine", text).with(careless).assert_as_expected();
    let run = scenario_text("mine", text).with(careless).run();
    assert_eq!(run.digest, scenario("plain-del-overrun").with(careless).run().digest);
}

/// Under a profile every seed has a plan of its own; the failing one is shown with its run.
#[test]
fn a_hunt_is_held_or_shows_a_run() {
    hunt("compare:single", "partitions", 0..40).with(good).assert_holds(&[OracleName::PromiseOverlap]);
    hunt("compare:single", "client-suspends", 0..40).with(good).assert_violates(OracleName::PromiseOverlap);
    let text = refusal(|| {
        hunt("compare:single", "client-suspends", 0..40)
            .with(good)
            .assert_holds(&[OracleName::PromiseOverlap]);
    });
    assert!(text.starts_with("compare:single: not as expected over 40 seeds: promise-overlap"), "{text}");
    let repro = "FENCEPOST_SEED=1 cargo test a_hunt_is_held_or_shows_a_run -- --exact\n";
    assert_eq!(text.matches(repro).count(), 3, "above the rates, as the failure, and above the run:\n{text}");
    assert_parts(&text, &["profile: client-suspends", "FAULT", "were both promised the lock"]);
}

/// The row of one's own is filled from the same plans: with the same lock the figures are the same.
#[test]
fn a_comparison_has_a_row_of_one_s_own() {
    let table = compare(good).rows(&["single", "redlock-5"]).columns(&["calm", "suspends"]).runs(20).table();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("single ")).collect();
    assert!(rows.len() >= 8, "{table}");
    for pair in rows.chunks(2) {
        assert_eq!(pair[0], pair[1], "{table}");
    }
    assert_parts(&table, &["3 locks under 2 profiles, 20 runs per cell", "redlock-5"]);
    let text = refusal(|| drop(compare(good).rows(&["singel"])));
    assert_parts(&text, &["did you mean `single`?"]);
}
