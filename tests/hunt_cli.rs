//! The verb `hunt` as a process: ranges, formats, limits, exit codes.
//!
//! What a hunt comes to is the business of `tests/hunt.rs`. Must not run a shell.

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

const SHIPPED: &str = "kleppmann-clock-jump";

fn hunt(args: &[&str]) -> Assert {
    Command::new(env!("CARGO_BIN_EXE_fencepost")).arg("hunt").args(args).arg("--no-folders").assert()
}

fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).expect("text")
}

fn stderr(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).expect("text")
}

fn json(args: &[&str], code: i32) -> Value {
    let text = stdout(&hunt(&[args, &["--format", "json"]].concat()).code(code));
    assert_eq!(text.lines().count(), 1);
    serde_json::from_str(&text).expect("JSON")
}

/// A folder with one scenario file: the shipped one with this text replaced.
#[track_caller]
fn changed(from: &str, to: &str) -> (TempDir, String) {
    let path: std::path::PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "scenarios", &format!("{SHIPPED}.toml")].iter().collect();
    let text = fs::read_to_string(path).expect("a shipped scenario");
    assert!(text.contains(from), "the shipped scenario has no {from:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("changed.toml");
    fs::write(&path, text.replacen(from, to, 1)).expect("a writable folder");
    let path = path.to_str().expect("a path of text").to_owned();
    (folder, path)
}

#[test]
fn a_hunt_as_expected_states_its_rates() {
    let run = hunt(&[SHIPPED, "--seeds", "0..100", "--jobs", "2"]).code(0);
    let text = stdout(&run);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with(&format!("{SHIPPED}: as expected over 100 seeds: ")), "{}", lines[0]);
    assert_eq!(lines[1], format!("cargo run --release -- run {SHIPPED} --seed 0"));
    // All of 100 runs: the exact lower end is 0.025 to the power of 1/100.
    for part in [
        "100 of 100  100 %  96.38 % .. 100 %",
        "0 of 100    0 %  0 % .. 3.62 %",
        "each 95 %, not jointly",
        "profile: plan of the file",
        "approximate: cluster bootstrap",
        "run twice, the same",
        "verdict    violated",
        "latency    p50 ",
    ] {
        assert!(text.contains(part), "{part:?} is missing:\n{text}");
    }
    let command = format!("failure    promise-overlap: cargo run --release -- run {SHIPPED} --seed 0");
    assert!(text.contains(&command), "{text}");
    let err = stderr(&run);
    assert!(err.contains("schedules/s") && err.lines().count() == 1, "only the speed, no bar: {err}");
    assert!(!text.contains("schedules/s"), "results carry no real time");
}

#[test]
fn results_do_not_depend_on_threads() {
    let text = |jobs| stdout(&hunt(&[SHIPPED, "--seeds", "3..80", "--jobs", jobs]).code(0));
    assert_eq!(text("1"), text("3"));
    let all = json(&[SHIPPED, "--seeds", "3..80", "--jobs", "1"], 0);
    assert_eq!(all, json(&[SHIPPED, "--seeds", "3..80"], 0));
}

#[test]
fn json_has_the_fixed_shape() {
    let hunt = json(&[SHIPPED, "--seeds", "10..50", "--keep", "2"], 0);
    for (key, value) in [
        ("schema", Value::from(1)),
        ("scenario", SHIPPED.into()),
        ("profile", "plan of the file".into()),
        ("seeds", vec![10, 50].into()),
        ("ended", "complete".into()),
        ("runs", 40.into()),
        ("verdict", "violated".into()),
        ("as_expected", true.into()),
        ("repeated", (2 + 6).into()),
    ] {
        assert_eq!(hunt[key], value, "{key}");
    }
    let overlap = &hunt["oracles"]["promise-overlap"];
    for (key, value) in [
        ("ended", Value::from("violated")),
        ("runs", 40.into()),
        ("exercised", 40.into()),
        ("violations", 40.into()),
        ("grants", 80.into()),
        ("rate", 1.0.into()),
        ("low", 0.911903.into()),
        ("high", 1.0.into()),
        ("sampling", "fixed".into()),
        ("per_grant", 0.5.into()),
        ("first_seed", 10.into()),
    ] {
        assert_eq!(overlap[key], value, "{key}");
    }
    let failures = hunt["failures"].as_array().expect("a list");
    assert_eq!(failures.len(), 6);
    let run = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(["run", SHIPPED, "--seed", "11", "--format", "json"])
        .assert();
    let run: Value = serde_json::from_str(&stdout(&run)).expect("JSON");
    assert_eq!((&failures[1]["seed"], &failures[1]["digest"]), (&Value::from(11), &run["digest"]));
}

#[test]
fn an_opposite_end_is_exit_1_and_names_the_run() {
    let (_folder, path) = changed("promise-overlap  = \"violated\"", "promise-overlap  = \"held\"");
    let text = stdout(&hunt(&[&path, "--seeds", "4..24"]).code(1));
    let says = "changed: not as expected over 20 seeds: promise-overlap was expected to be held and ended violated, \
                in 20 of 20 runs, first with seed 4";
    assert!(text.starts_with(says), "{text}");
    assert!(text.contains(&format!("\ncargo run --release -- run {path} --seed 4\n")), "{text}");
    assert!(text.contains("EXPECTED held"), "{text}");
}

#[test]
fn until_violations_states_the_rule() {
    let args = [SHIPPED, "--seeds", "0..1000", "--until-violations", "3"];
    let text = stdout(&hunt(&args).code(0));
    for part in ["any of these", "3 of 3", "negative binomial", "seeds 0..3, ended by the violation"] {
        assert!(text.contains(part), "{part:?} is missing:\n{text}");
    }
    let one = json(&[&args[..], &["--oracle", "promise-overlap"]].concat(), 0);
    assert_eq!(one["ended"], "until-violations");
    assert_eq!(one["oracles"]["promise-overlap"]["sampling"], "until-this");
    assert_eq!(one["oracles"]["orphan"]["sampling"], "until-other");
}

/// An hour of seeds ends after a second, as a complete prefix.
#[test]
fn a_time_limit_is_a_partial_result() {
    let run = hunt(&["calm-single", "--seeds", "0..9007199254740992", "--time-limit", "1"]).code(2);
    let text = stdout(&run);
    assert!(text.starts_with("calm-single: PARTIAL, "), "{text}");
    assert!(text.contains("PARTIAL: cut short, 9007199254740992 were asked for"), "{text}");
    assert!(text.contains("\ncargo run --release -- hunt calm-single --seeds 0.."), "{text}");
}

#[test]
fn bad_usage_is_exit_64_and_says_why() {
    for (args, says) in [
        (&["--seeds", "5..5"][..], "5..5 holds no seed"),
        (&["--seeds", "9..5"], "9..5 holds no seed"),
        (&["--seeds", "a..b"], "`a` is no number"),
        (&["--seeds", "0..=9"], "`=9` is no number"),
        (&["--seeds", "17"], "two numbers, like 0..10000"),
        (&["--seeds", "0..9007199254740993"], "below 2^53"),
        (&["--jobs", "0"], "1..=1024"),
        (&["--jobs", "many"], "invalid value 'many'"),
        (&["--time-limit", "0"], "--time-limit"),
        (&["--until-violations", "0"], "--until-violations"),
        (&["--oracle", "orphan"], "--until-violations"),
        (&["--until-violations", "1", "--oracle", "orfan"], "orphan"),
        (&["--until-violations", "1", "--oracle", "fence-order"], "fence-order cannot arise"),
    ] {
        let run = hunt(&[&[SHIPPED], args].concat()).code(64);
        assert!(stderr(&run).contains(says), "{args:?}: {}", stderr(&run));
        assert_eq!(stdout(&run), "", "{args:?}");
    }
    let run = hunt(&["kleppmann-clock-jmp"]).code(64);
    assert!(stderr(&run).contains("did you mean `kleppmann-clock-jump`?"), "{}", stderr(&run));
}

/// Ctrl-C ends a hunt with what is complete so far.
#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_is_a_partial_result() {
    use std::process::{Command, Stdio};
    let mut hunt = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    hunt.args(["hunt", "calm-single", "--seeds", "0..9007199254740992"]);
    let child = hunt.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let process = format!("/proc/{}/status", child.id());
    // The handler is in place once SIGINT, number 2, is among the caught signals.
    let caught = |status: String| {
        let mask =
            status.lines().find_map(|line| line.strip_prefix("SigCgt:").map(str::trim).map(str::to_owned));
        mask.and_then(|mask| u64::from_str_radix(&mask, 16).ok()).is_some_and(|mask| mask & 2 != 0)
    };
    while !fs::read_to_string(&process).is_ok_and(caught) {
        std::thread::yield_now();
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("calm-single: PARTIAL, "));
}

/// A full disk is exit 74, not a verdict.
#[test]
#[cfg(target_os = "linux")]
fn results_that_cannot_be_written_are_exit_74() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the full device");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fencepost"));
    let output =
        command.args(["hunt", SHIPPED, "--seeds", "0..10"]).stdout(full).output().expect("it starts");
    assert_eq!(output.status.code(), Some(74));
    assert!(String::from_utf8_lossy(&output.stderr).contains("failed to write the results"));
}

/// Found by a profile that changes the clock of a primary which counts its replicas: what the clock showed before a change
/// was asked for after it.
#[test]
fn clocks_that_change_while_replicas_are_counted() {
    for scenario in ["min-replicas-after", "min-replicas-inside"] {
        let args =
            ["hunt", scenario, "--profile", "everything", "--seeds", "0..10", "--no-folders", "--no-shrink"];
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_fencepost")).args(args).output().expect("it runs");
        let code = output.status.code().expect("it was not killed");
        assert!(code <= 2, "{code}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
