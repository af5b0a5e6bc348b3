//! Failures as folders: kept by a hunt, replayed, shrunk, and refused where they are broken.
//!
//! Every case runs in a folder of its own. Must not run a shell.

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use fencepost::check::OracleName;
use fencepost::scenario::{parse, shipped};
use fencepost::sim::{self, NotViolated, RUNS_MAX, shrink};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Changes a text of a folder.
type Reword<'a> = dyn Fn(String) -> String + 'a;

/// Does something to a folder.
type Harm<'a> = dyn Fn(&Path) + 'a;

const SHIPPED: &str = "kleppmann-clock-jump";
const FOLDER: &str = "failures/kleppmann-clock-jump-promise-overlap-1";
const FILES: [&str; 5] = ["meta.json", "repro.sh", "scenario.toml", "timeline.txt", "trace.jsonl"];

fn place() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn fencepost(place: &TempDir, args: &[&str]) -> Assert {
    Command::new(env!("CARGO_BIN_EXE_fencepost")).current_dir(place.path()).args(args).assert()
}

fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).expect("text")
}

fn stderr(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).expect("text")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A place where one failure is kept, and the path of its folder.
fn kept() -> (TempDir, PathBuf) {
    let place = place();
    fencepost(&place, &["hunt", SHIPPED, "--seeds", "1..2", "--no-shrink"]).code(0);
    let folder = place.path().join(FOLDER);
    assert!(folder.is_dir(), "{:?}", names(&place.path().join("failures")));
    (place, folder)
}

/// Changes one file of a folder.
fn edit(folder: &Path, file: &str, change: impl Fn(String) -> String) {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).expect("a file of the folder");
    let changed = change(text.clone());
    assert_ne!(changed, text, "{file} has nothing to change");
    fs::write(path, changed).expect("a writable folder");
}

#[test]
fn a_hunt_keeps_folders_that_replay_bit_for_bit() {
    let (place, folder) = kept();
    assert_eq!(names(&folder), FILES);
    let meta: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("meta.json")).expect("meta")).expect("JSON");
    assert_eq!(meta["scenario"], SHIPPED);
    assert_eq!((&meta["seed"], &meta["oracle"]), (&Value::from(1), &Value::from("promise-overlap")));
    assert_eq!(meta["verdict"], "violated");
    let repro = fs::read_to_string(folder.join("repro.sh")).expect("a line");
    assert_eq!(repro, format!("cargo run --release -- replay {FOLDER}\n"));

    let text = stdout(&fencepost(&place, &["replay", FOLDER]).code(0));
    assert!(text.starts_with(SHIPPED), "{text}");
    assert!(text.ends_with("replay     reproduced bit for bit\n"), "{text}");
    let text = stdout(&fencepost(&place, &["replay", FOLDER, "--format", "json"]).code(0));
    let replay: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&replay["replay"], &replay["kept"]), (&Value::from("same"), &meta));
    assert_eq!(replay["run"]["digest"], meta["digest"]);
    // The scenario inside is a file like any other.
    let inside = format!("{FOLDER}/scenario.toml");
    let run = stdout(&fencepost(&place, &["run", &inside, "--format", "json"]).code(0));
    assert_eq!(serde_json::from_str::<Value>(&run).expect("JSON")["digest"], meta["digest"]);
}

#[test]
fn the_trace_has_a_line_per_record_and_times_never_go_back() {
    let (_place, folder) = kept();
    let trace = fs::read_to_string(folder.join("trace.jsonl")).expect("a trace");
    let records: Vec<Value> =
        trace.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    let result =
        sim::run(&parse(SHIPPED, shipped().find(|(name, _)| *name == SHIPPED).unwrap().1).unwrap(), 1);
    assert_eq!(records.len(), result.records.len());
    assert!(records.iter().map(|record| record["at_us"].as_u64().expect("a time")).is_sorted());
    let granted = records.iter().find(|record| record["fact"] == "granted").expect("a grant");
    assert_eq!((&granted["process"], &granted["call"]), (&"client-1".into(), &"client-1 call 1".into()));
    assert!(granted["until"]["mono_us"].is_i64() && granted["grant"] == 1, "{granted}");
    let fault = records.iter().find(|record| record["kind"] == "clock-step").expect("a fault");
    assert_eq!((&fault["fact"], &fault["effective"]), (&"fault-began".into(), &true.into()));
}

#[test]
fn a_folder_that_is_there_is_never_overwritten() {
    let (place, folder) = kept();
    let again = ["hunt", SHIPPED, "--seeds", "1..2", "--no-shrink"];
    let before = names(&place.path().join("failures"));
    fencepost(&place, &again).code(0);
    assert_eq!(names(&place.path().join("failures")), before, "the same failure is the same folder");
    edit(&folder, "scenario.toml", |text| text + "# mine\n");
    fencepost(&place, &again).code(0);
    let after = names(&place.path().join("failures"));
    assert!(after.contains(&"kleppmann-clock-jump-promise-overlap-1-2".to_owned()), "{after:?}");
    assert_eq!(after.len(), before.len() + 1, "nothing half written is left: {after:?}");
    assert!(fs::read_to_string(folder.join("scenario.toml")).expect("mine").ends_with("# mine\n"));
}

#[test]
fn a_digest_that_differs_is_nondeterminism() {
    let (place, folder) = kept();
    edit(&folder, "trace.jsonl", |text| text.replacen("\"fence\":null", "\"fence\":7", 1));
    edit(&folder, "meta.json", |text| text.replacen("\"digest\": \"", "\"digest\": \"0", 1));
    let replay = fencepost(&place, &["replay", FOLDER]).code(3);
    let text = stderr(&replay);
    assert!(text.contains("kept  {\"at_us\"") && text.contains("\"fence\":7"), "{text}");
    assert!(text.contains("now   {\"at_us\"") && text.contains("\"fence\":null"), "{text}");
    assert_eq!(stdout(&replay), "");
}

#[test]
fn folders_of_other_versions_say_what_still_matches() {
    let digest = |text: String| text.replacen("\"digest\": \"", "\"digest\": \"0", 1);
    let verdict = |text: String| text.replace("\"verdict\": \"violated\"", "\"verdict\": \"held\"");
    let cases: [(&Reword<'_>, &str, &str); 4] = [
        (&|text| text, "reproduced bit for bit", "same"),
        (&digest, "the verdict still matches, the digest does not", "same-verdict"),
        (&verdict, "the digest still matches, the verdict does not", "same-digest"),
        (&|text| digest(verdict(text)), "neither digest nor verdict match", "neither"),
    ];
    for (change, says, word) in cases {
        let (place, folder) = kept();
        edit(&folder, "meta.json", |text| {
            let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
            change(text.replace(&version, "\"version\": \"0.0.1\""))
        });
        let text = stdout(&fencepost(&place, &["replay", FOLDER]).code(0));
        assert!(text.contains(says), "{text}");
        let json = stdout(&fencepost(&place, &["replay", FOLDER, "--format", "json"]).code(0));
        assert_eq!(serde_json::from_str::<Value>(&json).expect("JSON")["replay"], word);
    }
}

#[test]
fn broken_folders_are_bad_input() {
    let remove =
        |file: &'static str| move |folder: &Path| fs::remove_file(folder.join(file)).expect("a file");
    let cases: [(&Harm<'_>, &str); 8] = [
        (&remove("meta.json"), "failed to read meta.json"),
        (&remove("scenario.toml"), "failed to read scenario.toml"),
        (&remove("trace.jsonl"), "failed to read trace.jsonl"),
        (&|folder| edit(folder, "meta.json", |_| "{".to_owned()), "meta.json:1:1"),
        (
            &|folder| edit(folder, "meta.json", |text| text.replace("\"schema\": 1", "\"schema\": 9")),
            "schema 9",
        ),
        (&|folder| edit(folder, "meta.json", |text| text.replace("\"seed\"", "\"sed\"")), "`sed`"),
        (&|folder| edit(folder, "trace.jsonl", |text| "{\"t\":1}\n".to_owned() + &text), "trace.jsonl:1"),
        (&|folder| edit(folder, "scenario.toml", |text| text.replace("nodes ", "nods ")), "nods"),
    ];
    for (break_it, says) in cases {
        let (place, folder) = kept();
        break_it(&folder);
        for verb in ["replay", "shrink"] {
            let run = fencepost(&place, &[verb, FOLDER]).code(64);
            assert!(stderr(&run).contains(says), "{verb}: {says:?} is missing: {}", stderr(&run));
            assert_eq!(stdout(&run), "");
        }
        let json = stdout(&fencepost(&place, &["replay", FOLDER, "--format", "json"]).code(64));
        assert!(json.starts_with("{\"schema\":1,\"error\":{\"kind\":"), "{json}");
    }
    let (place, _) = kept();
    let text = stderr(&fencepost(&place, &["replay", FOLDER, "--seed", "2"]).code(64));
    assert!(text.contains("kept under seed 1"), "{text}");
    fencepost(&place, &["replay", "no-such-name"]).code(64);
}

#[test]
fn a_file_is_replayed_as_run_does() {
    let place = place();
    let run = stdout(&fencepost(&place, &["run", SHIPPED, "--seed", "5"]).code(0));
    assert_eq!(stdout(&fencepost(&place, &["replay", SHIPPED, "--seed", "5"]).code(0)), run);
}

/// The verdict is printed although nothing can be kept.
#[test]
fn a_place_that_cannot_be_written_is_exit_74() {
    let place = place();
    fs::write(place.path().join("failures"), "a file").expect("a writable folder");
    let run = fencepost(&place, &["hunt", SHIPPED, "--seeds", "1..2"]).code(74);
    assert!(stdout(&run).contains("verdict    violated"), "{}", stdout(&run));
    assert!(stderr(&run).contains("failed to write a folder in failures"), "{}", stderr(&run));
    let run = fencepost(&place, &["shrink", SHIPPED]).code(74);
    assert!(stdout(&run).contains("faults"), "{}", stdout(&run));
    let run =
        fencepost(&place, &["hunt", SHIPPED, "--seeds", "1..2", "--failures", "elsewhere", "--no-shrink"]);
    run.code(0);
    assert!(place.path().join("elsewhere").is_dir());
}

#[test]
fn no_folders_are_kept_if_none_are_wanted() {
    let place = place();
    fencepost(&place, &["hunt", SHIPPED, "--seeds", "1..2", "--no-folders"]).code(0);
    assert_eq!(names(place.path()), Vec::<String>::new());
}

#[test]
fn a_hunt_shrinks_the_first_failure_of_each_oracle() {
    let place = place();
    let text = stdout(&fencepost(&place, &["hunt", SHIPPED, "--seeds", "1..4", "--keep", "2"]).code(0));
    let kept = names(&place.path().join("failures"));
    let shrunk: Vec<&String> = kept.iter().filter(|name| name.ends_with("-shrunk")).collect();
    assert_eq!((kept.len(), shrunk.len()), (9, 3), "{kept:?}");
    assert!(text.contains("\nshrunk     failures/kleppmann-clock-jump-promise-overlap-1-shrunk: "), "{text}");
    for name in kept {
        let folder = format!("failures/{name}");
        let replay: Value =
            serde_json::from_str(&stdout(&fencepost(&place, &["replay", &folder, "--format", "json"])))
                .expect("JSON");
        assert_eq!(replay["replay"], "same", "{name}");
    }
}

/// A shipped exhibit with noise around what matters.
fn noisy() -> String {
    let text = shipped().find(|(name, _)| *name == "kleppmann-gc-pause").expect("it is shipped").1;
    let noise: String = (1..=8)
        .map(|n| {
            format!(
                "[[plan]]\nslow = {{ at_ms = {n}_017, of = \"node-1\", by_ms = {n}, for_ms = {n}37 }}\n\n"
            )
        })
        .collect();
    let noise = noise
        + "[[plan]]\nmessage = { name = \"client-1#1>store:write.1:reply\", delay_us = 777 }\n\n[[plan]]\n\
           clock-step = { at_us = 40_000_123, of = \"client-2\", by_ms = 1_234 }\n\n";
    text.replacen("[[plan]]", &(noise + "[[plan]]"), 1)
        .replace("count    = 2", "count    = 4")
        .replace("[0, 9_500]", "[0, 9_500, 31_007, 33_001]")
        .replace("cycles      = 1", "cycles      = 3")
        .replace("limit_ms  = 60_000", "limit_ms  = 120_000")
}

#[test]
fn shrinking_keeps_the_oracle_and_little_else() {
    let text = noisy();
    let scenario = parse("noisy.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let shrunk = shrink(&scenario, 3, OracleName::StaleWrite, RUNS_MAX).expect("it is violated");
    assert_eq!((shrunk.before.faults, shrunk.before.directives, shrunk.before.clients), (10, 1, 4));
    assert_eq!((shrunk.after.faults, shrunk.after.directives, shrunk.after.clients), (1, 0, 2));
    assert_eq!((shrunk.after.cycles, shrunk.bounded), (1, false));
    assert!(shrunk.after.events < shrunk.before.events / 3, "{:?} {:?}", shrunk.before, shrunk.after);
    // The pause that is left is a round number of seconds, and a second less is no failure.
    let lasts = shrunk.scenario.setup.plan.faults[0].lasts.expect("a length");
    assert_eq!(lasts.0 % 100_000, 0, "{lasts}");
    // Deterministic, and what is left can be run from its own text.
    let again = shrink(&scenario, 3, OracleName::StaleWrite, RUNS_MAX).expect("it is violated");
    assert_eq!((again.scenario.text.as_str(), again.runs), (shrunk.scenario.text.as_str(), shrunk.runs));
    let reread = parse("noisy.toml", &shrunk.scenario.text).expect("it can be read");
    let run = sim::run(&reread, reread.seed);
    assert_eq!((reread.seed, run.digest), (3, shrunk.result.digest));
    assert!(run.violations.iter().any(|violation| violation.oracle == OracleName::StaleWrite));
}

#[test]
fn shrinking_is_bounded_and_needs_a_violation() {
    let scenario = parse("noisy.toml", &noisy()).expect("a good file");
    let few = shrink(&scenario, 3, OracleName::StaleWrite, 5).expect("it is violated");
    assert_eq!((few.runs, few.bounded), (5, true));
    assert!(few.result.violations.iter().any(|violation| violation.oracle == OracleName::StaleWrite));
    let none = shrink(&scenario, 3, OracleName::PromiseOverlap, RUNS_MAX);
    assert_eq!(none.unwrap_err(), NotViolated { oracle: OracleName::PromiseOverlap, seed: 3 });
}

#[test]
fn the_verb_shrink_keeps_a_folder_that_replays() {
    let place = place();
    fs::write(place.path().join("noisy.toml"), noisy()).expect("a writable folder");
    let args = ["shrink", "./noisy.toml", "--seed", "3", "--oracle", "stale-write"];
    let text = stdout(&fencepost(&place, &args).code(0));
    assert!(text.contains("stale-write: 10 faults -> 1, 1 directives -> 0, 4 clients -> 2"), "{text}");
    assert!(text.contains("replay failures/noisy-stale-write-3-shrunk\n"), "{text}");
    let replay = stdout(&fencepost(&place, &["replay", "failures/noisy-stale-write-3-shrunk"]));
    assert!(replay.ends_with("reproduced bit for bit\n"), "{replay}");
    let json = stdout(&fencepost(&place, &[&args[..], &["--format", "json"]].concat()).code(0));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["after"]["faults"], &json["shrunk"]), (&1.into(), &true.into()));
    assert_eq!(json["folder"], "failures/noisy-stale-write-3-shrunk");
    let nothing = fencepost(&place, &["shrink", "calm-single"]).code(2);
    assert!(stdout(&nothing).contains("nothing to shrink"), "{}", stdout(&nothing));
    let wrong = fencepost(&place, &["shrink", "./noisy.toml", "--oracle", "stale-wrte"]).code(64);
    assert!(stderr(&wrong).contains("stale-write"), "{}", stderr(&wrong));
}
