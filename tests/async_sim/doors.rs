//! The ways in: shipped names, paths, texts, seeds, and the two variables of the environment.
//!
//! Must not set variables of this process: its tests run side by side.

use super::ground::{millis, panics, text, world};
use super::lock::{self, gives_back, takes};
use assert_cmd::Command;
use fencepost::async_sim::{Sim, Trial, scenario, scenario_text};
use std::io::Write;

async fn holds(sim: Sim) {
    for _ in 0..sim.cycles() {
        let hold = sim.hold(takes(sim.clone())).until(|_| sim.lasting(millis(1_500)));
        let work = async |_: &mut lock::Held| sim.sleep(millis(200)).await;
        let _ = hold.work_then(work, async |held| gives_back(held).await).await;
    }
}

/// What is shipped keeps its deployment, its network, its plan and its number of clients.
#[test]
fn a_shipped_scenario_a_row_and_a_switch_are_found_by_name() {
    for (name, clients, nodes) in [("calm-single", 2, 1), ("calm-redlock", 2, 5), ("compare:single", 3, 1)] {
        let result = scenario(name)
            .client(move |sim: Sim| async move {
                assert_eq!(sim.nodes(), nodes);
                assert!(sim.client() < clients);
            })
            .run();
        assert_eq!(result.locks.len(), clients, "{name}");
        assert_eq!(result.figures.calls, 0, "{name}");
    }
}

#[test]
fn a_scenario_is_found_by_its_path() {
    let mut file = tempfile::Builder::new().suffix(".toml").tempfile().expect("there is room");
    file.write_all(text(2, 1, "p0 = 10_000, p100 = 10_000", "").as_bytes()).expect("there is room");
    let path = file.path().to_str().expect("a path of letters").to_owned();
    let by_path = scenario(&path).client(holds).run_seed(3).1;
    assert_eq!(by_path.digest, world(2, 1, "").client(holds).run_seed(3).1.digest);
}

type Opens = fn() -> Trial;

#[test]
fn what_cannot_be_found_or_read_is_an_error_that_says_what() {
    let cases: [(&str, Opens, &[&str]); 8] = [
        ("a misspelt name", || scenario("calm-singel"), &["calm-singel", "calm-single"]),
        ("no name at all", || scenario("nobody-knows-this"), &["nobody-knows-this"]),
        ("no such row", || scenario("compare:nothing"), &["nothing"]),
        ("no such file", || scenario("nowhere/at-all.toml"), &["nowhere/at-all.toml", "No such file"]),
        ("a folder", || scenario("./tests"), &["./tests"]),
        ("text that is no scenario", || scenario_text("mine", "format = 1\nfrmat = 2"), &["mine:2:1"]),
        ("no such profile", || world(1, 1, "").profile("everthing"), &["everthing", "everything"]),
        ("no seeds", || world(1, 1, "").seeds(5..5), &["seed"]),
    ];
    for (what, opens, named) in cases {
        let text = panics(opens);
        for name in named {
            assert!(text.contains(name), "{what}: {text}");
        }
    }
}

#[test]
fn the_first_of_several_seeds_is_run_alone() {
    let first = world(2, 1, "").seeds(40..50).client(holds).run();
    assert_eq!((first.seed, world(2, 1, "").client(holds).run().seed), (40, 1));
    let hunted = world(2, 1, "").seeds(40..50).client(holds).hunt();
    assert_eq!((hunted.tally.runs, hunted.violating), (10, 0));
}

/// Runs one of the tests below in a process with a variable.
fn steer(test: &str, variable: &str, value: &str) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().expect("a test has a binary"));
    command.args(["--exact", test, "--nocapture"]);
    command.env_remove("FENCEPOST_SEED").env_remove("FENCEPOST_SEEDS").env(variable, value);
    let output = command.output().expect("it runs");
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.success(), text)
}

#[test]
fn says_its_seeds() {
    println!("ran seed {}", world(1, 1, "").client(holds).run().seed);
    println!("ran seed {}", world(1, 1, "").seeds(10..20).client(holds).run().seed);
}

#[test]
fn holds_over_its_seeds() {
    world(2, 1, "").seeds(0..4).client(holds).assert_holds(["promise-overlap"]);
    world(2, 1, "").client(holds).assert_holds(["promise-overlap"]);
}

#[test]
fn the_environment_steers_every_test() {
    let cases = [
        ("says_its_seeds", "FENCEPOST_SEED", "7", Ok(("ran seed 7\n", 2))),
        (
            "says_its_seeds",
            "FENCEPOST_SEED",
            "seven",
            Err("FENCEPOST_SEED must be a number below 2^53, not \"seven\""),
        ),
        ("holds_over_its_seeds", "FENCEPOST_SEED", "3", Ok(("1 passed", 1))),
        ("holds_over_its_seeds", "FENCEPOST_SEEDS", "10..14", Ok(("1 passed", 1))),
        ("holds_over_its_seeds", "FENCEPOST_SEEDS", "14..10", Err("FENCEPOST_SEEDS cannot be \"14..10\"")),
    ];
    for (test, variable, value, expected) in cases {
        let (passed, text) = steer(&format!("doors::{test}"), variable, value);
        match expected {
            Ok((said, times)) => {
                assert!(passed && text.matches(said).count() == times, "{variable}={value}: {text}")
            }
            Err(said) => assert!(!passed && text.contains(said), "{variable}={value}: {text}"),
        }
    }
}
