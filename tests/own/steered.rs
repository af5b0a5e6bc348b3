//! The variables of the environment, seen by a process of its own: this test binary, called again.
//!
//! Must not set variables of this process: its tests run side by side.

use crate::{careless, good};
use assert_cmd::Command;
use fencepost::check::OracleName;
use fencepost::test::{hunt, scenario, sweep};

/// Runs one of the tests below in a process with a variable.
fn steer(test: &str, variable: &str, value: &str) -> (bool, String) {
    let own = std::env::current_exe().expect("a test has a binary");
    let mut command = Command::new(own);
    command.args(["--exact", test, "--nocapture"]);
    for name in ["FENCEPOST_SEED", "FENCEPOST_SEEDS", "FENCEPOST_TIMELINE"] {
        command.env_remove(name);
    }
    command.env(variable, value);
    let output = command.output().expect("it runs");
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.success(), text)
}

#[test]
fn says_its_seeds() {
    println!("seed {}", scenario("calm-single").with(good).run().seed);
    println!("seed {}", hunt("compare:single", "calm", 5..9).with(good).run().seed);
    let seeds = sweep(careless).run().worse.first().map(|worse| worse.seed);
    println!("seed {seeds:?}");
}

#[test]
fn holds_over_its_seeds() {
    hunt("compare:single", "calm", 0..4).with(good).assert_holds(&[OracleName::PromiseOverlap]);
}

#[test]
fn is_careless() {
    scenario("plain-del-overrun").with(careless).assert_violates(OracleName::ForeignChange);
}

#[test]
fn prints_a_failure() {
    let fails = || scenario("plain-del-overrun").with(careless).assert_holds(&[OracleName::ForeignChange]);
    let failure = std::panic::catch_unwind(fails).expect_err("it is violated");
    println!("{}", failure.downcast_ref::<String>().expect("a text"));
}

#[test]
fn a_failure_tells_as_much_as_is_asked_for() {
    let rest = "records more: FENCEPOST_TIMELINE=full shows all";
    for (value, short) in [("short", true), ("full", false)] {
        let (passed, text) = steer("steered::prints_a_failure", "FENCEPOST_TIMELINE", value);
        assert!(passed && text.contains(rest) == short, "{text}");
    }
    let (passed, text) = steer("steered::holds_over_its_seeds", "FENCEPOST_TIMELINE", "long");
    assert!(!passed && text.contains("FENCEPOST_TIMELINE must be short or full, not \"long\""), "{text}");
}

#[test]
fn a_seed_replaces_every_seed() {
    let (passed, text) = steer("steered::says_its_seeds", "FENCEPOST_SEED", "7");
    assert!(passed && text.matches("seed 7\n").count() == 2 && text.contains("seed Some(7)"), "{text}");
    let (passed, text) = steer("steered::holds_over_its_seeds", "FENCEPOST_SEED", "3");
    assert!(passed, "{text}");
    let (passed, text) = steer("steered::holds_over_its_seeds", "FENCEPOST_SEED", "three");
    assert!(!passed && text.contains("FENCEPOST_SEED must be a number below 2^53, not \"three\""), "{text}");
}

#[test]
fn seeds_widen_every_test() {
    for test in ["steered::holds_over_its_seeds", "steered::is_careless"] {
        let (passed, text) = steer(test, "FENCEPOST_SEEDS", "10..20");
        assert!(passed, "{text}");
    }
    let (passed, text) = steer("steered::is_careless", "FENCEPOST_SEEDS", "20..10");
    assert!(!passed && text.contains("FENCEPOST_SEEDS cannot be \"20..10\""), "{text}");
}
