//! The verb `prove` as a process: lines and pages, exit codes, limits, pins, folders, JSON.
//!
//! What proofs come to is the business of other tests. Only small models are proved here. Must not run a shell.

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

fn prove(folder: &TempDir, args: &[&str]) -> Assert {
    Command::new(env!("CARGO_BIN_EXE_fencepost")).current_dir(folder).arg("prove").args(args).assert()
}

fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).expect("text")
}

fn stderr(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).expect("text")
}

fn json(assert: &Assert) -> Value {
    let text = stdout(assert);
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(&text).expect("JSON")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn shipped(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "models", &format!("{name}.toml")].iter().collect();
    fs::read_to_string(path).expect("a shipped model")
}

/// The shipped model with this text replaced and no count pinned, as a file in the folder.
#[track_caller]
fn write(folder: &TempDir, file: &str, name: &str, from: &str, to: &str) -> String {
    let text = shipped(name);
    assert!(text.contains(from), "{name} has no {from:?}");
    let text = text.split("\n[pinned]").next().expect("a first part").replacen(from, to, 1);
    fs::write(folder.path().join(file), text + "\n").expect("a writable folder");
    format!("./{file}")
}

fn read(folder: &TempDir, path: &str) -> String {
    fs::read_to_string(folder.path().join(path)).expect("a file")
}

#[test]
fn what_holds_is_told_with_its_scope_and_its_witnesses() {
    let folder = folder();
    let run = prove(&folder, &["single", "--no-folders"]).code(0);
    let text = stdout(&run);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("single: as expected: held promise-overlap"), "{}", lines[0]);
    assert_eq!(lines[1], "cargo run --release -- prove single");
    for part in [
        "in every schedule of this scope, and exercised in some",
        "2 clients, 1 node; a restart keeps nothing; runs of any length",
        "TTL 4 ticks less 1 ms, margin 1, node timeout 2",
        "a message takes 0 to 1",
        "send+ttl-drift",
        "leave at the end of their promise; work for 0 to 4 ticks; write nothing",
        "faults     none",
        "unique states",
        "exhausted",
        "1 in 2^",
        "witnessed  grants",
        "contention",
        "left out   time is cut into ticks",
        "timers are never late",
    ] {
        assert!(text.contains(part), "{part:?} is missing:\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "no colours in a pipe");
    // Holders that leave in time are out when their keys expire.
    assert!(text.contains("; not seen: expiry-under-load"), "{text}");
    assert_eq!(stderr(&run), "");
}

#[test]
fn a_violation_is_told_as_a_timeline_and_kept_as_a_folder_that_replays() {
    let folder = folder();
    let path = write(&folder, "wrong.toml", "plain-del", "\"violated\"", "\"held\"");
    let run = prove(&folder, &[&path]).code(1);
    let text = stdout(&run);
    let first = text.lines().next().expect("a line");
    assert!(first.starts_with("wrong: NOT AS EXPECTED: promise-overlap was expected to be held"), "{first}");
    for part in ["were both promised the lock", "without any fault", "its mono", "GRANTED", "[2]"] {
        assert!(text.contains(part), "{part:?} is missing:\n{text}");
    }
    assert!(!text.contains("+1005"), "what comes after the path is not told:\n{text}");
    let kept = "failures/wrong-promise-overlap-1-proved";
    assert!(text.contains(&format!("cargo run --release -- replay {kept}")), "{text}");
    for file in ["scenario.toml", "meta.json", "trace.jsonl", "timeline.txt", "repro.sh"] {
        assert!(folder.path().join(kept).join(file).is_file(), "{file} is missing");
    }
    let fencepost = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        command.current_dir(&folder);
        command
    };
    let replayed = stdout(&fencepost().args(["replay", kept]).assert().code(0));
    assert!(replayed.contains("reproduced bit for bit"), "{replayed}");
    // The scenario in it is one like any other.
    let scenario = format!("{kept}/scenario.toml");
    let text = stdout(&fencepost().args(["run", &scenario]).assert().code(0));
    assert!(text.contains("as expected") && text.contains("promise-overlap"), "{text}");
}

#[test]
fn a_model_that_says_so_is_expected_to_break() {
    let folder = folder();
    let run = prove(&folder, &["plain-del", "--no-folders"]).code(0);
    assert!(stdout(&run).starts_with("plain-del: as expected: violated promise-overlap"), "{}", stdout(&run));
    assert!(!folder.path().join("failures").exists());
}

#[test]
fn a_limit_leaves_it_unknown() {
    let folder = folder();
    let run = prove(&folder, &["single", "--max-states", "10", "--format", "json"]).code(2);
    let all = json(&run);
    let model = &all["models"][0];
    assert_eq!(model["as_expected"], false);
    assert_eq!((&model["ended"], &model["exhausted"]), (&"limit".into(), &false.into()));
    assert_eq!(model["oracles"][0]["ended"], "unknown");
    assert_eq!(model["states"], Value::Null, "what was seen until a limit differs from run to run");
    let text = stdout(&prove(&folder, &["single", "--max-states", "10"]).code(2));
    assert!(text.contains("inconclusive") && text.contains("NOT exhausted"), "{text}");
    assert!(!text.contains("held"), "nothing is held that was not exhausted:\n{text}");
}

#[test]
fn time_that_is_up_ends_it_with_what_is_known() {
    let folder = folder();
    let path = write(&folder, "large.toml", "redlock-3", "node_timeout_ticks = 3", "node_timeout_ticks = 2");
    let run = prove(&folder, &[&path, "single", "--max-seconds", "1"]).code(2);
    let text = stdout(&run);
    assert!(text.starts_with("large: inconclusive: promise-overlap is unknown"), "{text}");
    assert!(text.contains("NOT exhausted: stopped") && text.contains("1 not looked at"), "{text}");
    let all = json(&prove(&folder, &[&path, "single", "--max-seconds", "1", "--format", "json"]).code(2));
    assert_eq!(
        (&all["models"][0]["ended"], &all["skipped"]),
        (&"stopped".into(), &serde_json::json!(["single"]))
    );
}

#[test]
fn counts_are_pinned_checked_and_comments_stay() {
    let folder = folder();
    let path = write(&folder, "mine.toml", "single", "[expect]", "# Kept.\n[expect]");
    let before = read(&folder, &path);
    assert!(stdout(&prove(&folder, &[&path]).code(0)).contains("pinned     not pinned"));
    assert_eq!(read(&folder, &path), before, "nothing is written unless somebody asks");

    let run = prove(&folder, &[&path, "--pin"]).code(0);
    assert!(stderr(&run).contains("mine: pinned "), "{}", stderr(&run));
    let after = read(&folder, &path);
    assert!(after.starts_with(before.trim_end()), "only a table is added:\n{after}");
    assert!(after.contains("# Kept.") && after.contains("[pinned]\nexhausted = true\nstates = "), "{after}");
    assert!(stdout(&prove(&folder, &[&path]).code(0)).contains("pinned     as pinned"));
    let files = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(files, 1, "nothing is left beside the file");

    let wrong = after.replacen("states = ", "states = 9", 1);
    fs::write(folder.path().join("mine.toml"), &wrong).expect("a writable folder");
    let run = prove(&folder, &[&path]).code(1);
    assert!(stdout(&run).contains("are pinned"), "{}", stdout(&run));
    prove(&folder, &[&path, "--pin"]).code(0);
    assert_eq!(read(&folder, &path), after);
}

#[test]
fn what_is_not_as_expected_is_not_pinned() {
    let folder = folder();
    let path =
        write(&folder, "wrong.toml", "single", "promise-empty   = \"held\"", "promise-empty = \"violated\"");
    let before = read(&folder, &path);
    let run = prove(&folder, &[&path, "--pin"]).code(1);
    assert!(stderr(&run).contains("not pinned"), "{}", stderr(&run));
    assert_eq!(read(&folder, &path), before);
    // A shipped model is pinned in the folder of the repository, which is not here.
    let refused = stderr(&prove(&folder, &["single", "--pin"]).code(64));
    assert!(refused.contains("models/single.toml"), "{refused}");
}

#[test]
fn folders_and_several_models() {
    let folder = folder();
    fs::create_dir(folder.path().join("mine")).expect("a writable folder");
    write(&folder, "mine/b.toml", "single", "title", "title");
    write(&folder, "mine/a.toml", "plain-del", "title", "title");
    write(&folder, "mine/notes.txt", "single", "title", "title");
    let run = prove(&folder, &["mine", "single", "--format", "json", "--no-folders"]).code(0);
    let all = json(&run);
    let names: Vec<&str> = all["models"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|model| model["model"].as_str())
        .collect();
    assert_eq!(names, ["a", "b", "single"]);
    assert_eq!((&all["schema"], &all["skipped"]), (&1.into(), &serde_json::json!([])));
    let again =
        prove(&folder, &["mine", "single", "--format", "json", "--no-folders", "--threads", "3"]).code(0);
    assert_eq!(stdout(&again), stdout(&run), "threads change nothing");
    let text = stdout(&prove(&folder, &["./mine/", "--no-folders"]).code(0));
    assert!(text.contains("2 as expected"), "{text}");
    fs::create_dir(folder.path().join("empty")).expect("a writable folder");
    assert!(stderr(&prove(&folder, &["empty"]).code(64)).contains("no model in empty"));
}

#[test]
fn json_says_what_the_page_says() {
    let folder = folder();
    let all = json(&prove(&folder, &["single", "plain-del", "--format", "json"]).code(0));
    let (single, plain) = (&all["models"][0], &all["models"][1]);
    assert_eq!((&single["ended"], &single["as_expected"]), (&"exhausted".into(), &true.into()));
    assert!(single["states"].as_u64().is_some_and(|states| states > 100), "{single}");
    assert_eq!(single["witnesses"]["contention"], true);
    assert_eq!(single["scope"]["faults"], "none");
    assert!(single["left_out"].as_array().is_some_and(|lines| !lines.is_empty()));
    let oracle = &plain["oracles"][0];
    assert_eq!((&oracle["ended"], &oracle["expected"]), (&"violated".into(), &"violated".into()));
    assert_eq!((&oracle["replay"], &oracle["faults"]), (&"agrees".into(), &serde_json::json!([])));
    assert!(oracle["folder"].as_str().is_some_and(|kept| folder.path().join(kept).is_dir()), "{oracle}");
}

#[test]
fn bad_input_and_names_that_are_not_there() {
    let folder = folder();
    let refused = prove(&folder, &["singel"]).code(64);
    assert!(stderr(&refused).contains("did you mean `single`?"), "{}", stderr(&refused));
    let path = write(&folder, "bad.toml", "single", "margin_ticks       = 1", "margin_ms = 5");
    let text = stderr(&prove(&folder, &[&path]).code(64));
    assert!(text.contains("margin_ticks") && text.contains("bad.toml:"), "{text}");
    let error = &json(&prove(&folder, &[&path, "--format", "json"]).code(64))["error"];
    assert_eq!((&error["kind"], &error["suggestion"]), (&"unknown-key".into(), &"margin_ticks".into()));
    assert!(stderr(&prove(&folder, &["./none.toml"]).code(64)).contains("failed to read"));
    prove(&folder, &["single", "--max-states", "0"]).code(64);
    prove(&folder, &["single", "--threads", "0"]).code(64);
}

#[test]
fn results_that_cannot_be_written_have_their_own_exit() {
    let folder = folder();
    fs::write(folder.path().join("full"), "a file, no folder").expect("a writable folder");
    let run = prove(&folder, &["plain-del", "--failures", "full"]).code(74);
    assert!(stderr(&run).contains("failed to write a folder in full"), "{}", stderr(&run));
    assert!(stdout(&run).contains("were both promised the lock"), "it is told all the same");
}
