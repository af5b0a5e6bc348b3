//! The command line as a process: exit codes, streams, bad input, JSON.
//!
//! Verdicts are the business of `tests/it`. Must not run a shell.

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const SHIPPED: &str = "kleppmann-clock-jump";

fn fencepost(args: &[&str]) -> Assert {
    Command::new(env!("CARGO_BIN_EXE_fencepost")).args(args).assert()
}

fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).expect("text")
}

fn stderr(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).expect("text")
}

fn shipped() -> String {
    let path: std::path::PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "scenarios", &format!("{SHIPPED}.toml")].iter().collect();
    fs::read_to_string(path).expect("a shipped scenario")
}

/// A folder with one scenario file: the shipped one with this text replaced.
#[track_caller]
fn changed(from: &str, to: &str) -> (TempDir, String) {
    let text = shipped();
    assert!(text.contains(from), "the shipped scenario has no {from:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("changed.toml");
    fs::write(&path, text.replacen(from, to, 1)).expect("a writable folder");
    let path = path.to_str().expect("a path of text").to_owned();
    (folder, path)
}

fn without_expectations() -> (TempDir, String) {
    let text = shipped();
    let table = &text[text.find("[expect]").expect("a table")..];
    changed(table, "")
}

#[test]
fn a_run_as_expected_explains_itself() {
    let run = fencepost(&["run", SHIPPED]).code(0);
    let text = stdout(&run);
    let lines: Vec<&str> = text.lines().collect();
    for part in
        [SHIPPED, "as expected", "client-1 and client-2 were both inside the section", "node-3's wall clock"]
    {
        assert!(lines[0].contains(part), "{part:?} is missing from the sentence: {}", lines[0]);
    }
    assert_eq!(lines[1], format!("cargo run --release -- run {SHIPPED} --seed 1"));
    for part in ["its mono", "GRANTED grant 2", "promise-overlap", "as expected", "send+ttl-drift", "digest"]
    {
        assert!(text.contains(part), "{part:?} is missing:\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "no colours in a pipe");
    assert_eq!(stderr(&run), "");
}

#[test]
fn the_full_timeline_has_every_record() {
    let short = stdout(&fencepost(&["run", SHIPPED]).code(0));
    let full = stdout(&fencepost(&["run", SHIPPED, "--timeline", "full", "--legend"]).code(0));
    let count = short.lines().find_map(|line| line.strip_prefix("run ")).expect("a line of figures");
    let records: usize = count
        .split(", ")
        .nth(1)
        .and_then(|part| part.split(' ').next())
        .expect("a count")
        .parse()
        .expect("a number");
    let lines = full.lines().skip_while(|line| !line.starts_with("cargo run")).skip(3);
    assert_eq!(lines.take_while(|line| !line.is_empty()).count(), records);
    assert!(full.starts_with("       world"), "the legend comes first");
}

#[test]
fn an_opposite_end_is_exit_1() {
    let (_folder, path) = changed("promise-overlap  = \"violated\"", "promise-overlap  = \"held\"");
    let run = fencepost(&["run", &path]).code(1);
    let text = stdout(&run);
    assert!(text.starts_with("changed: not as expected: promise-overlap was expected to be held"), "{text}");
    assert!(text.contains("EXPECTED held"), "{text}");
    assert!(text.contains(&format!("run {path} --seed 1")), "{text}");
}

#[test]
fn a_violation_without_expectations_is_exit_1() {
    let (_folder, path) = without_expectations();
    let json = stdout(&fencepost(&["run", &path, "--format", "json"]).code(1));
    let run: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(run["verdict"], "violated");
    assert_eq!(run["as_expected"], serde_json::Value::Null);
}

#[test]
fn a_run_that_is_stopped_is_exit_2() {
    let (_folder, path) = changed("limit_ms  = 60_000", "limit_ms  = 13_000");
    let text = stdout(&fencepost(&["run", &path]).code(2));
    assert!(
        text.contains("not as expected: orphan was expected to be held and ended not-exercised"),
        "{text}"
    );
    assert!(text.contains("still going at its limit"), "{text}");
}

#[test]
fn a_run_that_shows_nothing_is_exit_2() {
    let (_folder, path) = without_expectations();
    let text = fs::read_to_string(&path).expect("the file");
    let plan = &text[text.find("[[plan]]").expect("a plan")..];
    fs::write(&path, text.replace(plan, "").replace("[0, 4_000]", "[0, 30_000]")).expect("a writable file");
    let text = stdout(&fencepost(&["run", &path]).code(2));
    assert!(text.starts_with("changed: inconclusive: promise-overlap was not exercised"), "{text}");
}

#[test]
fn seeds_change_the_run_and_repeat_it() {
    let digest = |args: &[&str]| {
        let json = stdout(&fencepost(&[&["run", SHIPPED, "--format", "json"], args].concat()));
        let run: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        run["digest"].as_str().expect("text").to_owned()
    };
    assert_eq!(digest(&[]), digest(&["--seed", "1"]), "the file's own seed");
    assert_eq!(digest(&["--seed", "9007199254740991"]), digest(&["--seed", "9007199254740991"]));
    assert_ne!(digest(&["--seed", "1"]), digest(&["--seed", "2"]));
}

#[test]
fn json_has_the_fixed_shape() {
    let run = fencepost(&["run", SHIPPED, "--format", "json"]).code(0);
    let text = stdout(&run);
    assert_eq!(text.lines().count(), 1);
    let places: Vec<Option<usize>> = [
        "{\"schema\":1,\"scenario\":\"kleppmann-clock-jump\",\"seed\":1,\"verdict\":\"violated\",\"as_expected\":true",
        ",\"oracles\":{\"promise-overlap\":\"violated\"",
        ",\"witnesses\":{\"grants\":2",
        ",\"digest\":\"",
        ",\"events\":",
        ",\"world_us\":",
    ]
    .iter()
    .map(|part| text.find(part))
    .collect();
    assert!(places.is_sorted() && places[0] == Some(0), "{places:?} in {text}");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value.as_object().expect("an object").len(), 10);
    let digest = value["digest"].as_str().expect("text");
    assert!(digest.len() == 16 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()));
}

#[test]
fn bad_files_are_shown_with_their_place() {
    for (from, to, place, says) in [
        ("work_ms ", "work_msx ", ":28:1", "did you mean `work_ms`?"),
        ("seed      = 1 ", "seed      = -1 ", ":7:", "seed"),
        ("like            = \"spec\"", "like            = \"spec\"\nquorum = 6", ":19:", "quorum"),
        ("node_timeout_ms = 50", "node_timeout_ms = 10_000", ":20:", "timeout"),
        ("ttl_ms          = 10_000", "ttl_ms          = 0", ":19:", "unsound"),
        ("of = \"node-3\"", "of = \"node-9\"", ":44:36", "node-9"),
        ("[store]", "[store", "", "error"),
    ] {
        let (folder, path) = changed(from, to);
        let run = fencepost(&["run", &path]).code(64);
        let text = stderr(&run);
        for part in [path.as_str(), place, says] {
            assert!(text.contains(part), "{to:?}: {part:?} is missing:\n{text}");
        }
        assert!(text.contains('^'), "{to:?}: no caret:\n{text}");
        assert_eq!(stdout(&run), "", "{to:?}: nothing on stdout");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "{to:?}: nothing was written");
    }
}

#[test]
fn bad_files_are_json_for_programs() {
    let (_folder, path) = changed("work_ms ", "work_msx ");
    let text = stdout(&fencepost(&["run", &path, "--format", "json"]).code(64));
    assert!(text.starts_with("{\"schema\":1,\"error\":{\"kind\":\"unknown-key\",\"file\":"), "{text}");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let error = value["error"].as_object().expect("an object");
    assert_eq!(error["line"], 28);
    assert_eq!(error["column"], 1);
    assert_eq!(error["suggestion"], "work_ms");
    assert_eq!(error.len(), 6);
}

#[test]
fn what_is_not_there_is_exit_64() {
    let run = fencepost(&["run", "kleppmann-clock-jmp"]).code(64);
    assert!(stderr(&run).contains("did you mean `kleppmann-clock-jump`?"), "{}", stderr(&run));
    let run = fencepost(&["run", "no/such/file.toml"]).code(64);
    assert!(stderr(&run).contains("failed to read no/such/file.toml"), "{}", stderr(&run));
    for (name, kind) in [("kleppmann-clock-jmp", "unknown-scenario"), ("no/such/file.toml", "unreadable")] {
        let text = stdout(&fencepost(&["run", name, "--format", "json"]).code(64));
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["error"]["kind"], kind);
        assert_eq!(value["error"].as_object().expect("an object").len(), 6);
    }
}

#[test]
fn bad_usage_is_exit_64_and_help_is_0() {
    for args in [
        &[][..],
        &["walk"],
        &["run"],
        &["run", SHIPPED, "--sed", "1"],
        &["run", SHIPPED, "--seed", "one"],
        &["run", SHIPPED, "--seed", "9007199254740992"],
        &["run", SHIPPED, "--format", "xml"],
    ] {
        let run = fencepost(args).code(64);
        assert!(!stderr(&run).is_empty(), "{args:?}");
        assert_eq!(stdout(&run), "", "{args:?}");
    }
    for args in [&["--help"][..], &["--version"], &["run", "--help"], &["help", "list"]] {
        let run = fencepost(args).code(0);
        assert!(!stdout(&run).is_empty(), "{args:?}");
        assert_eq!(stderr(&run), "", "{args:?}");
    }
}

#[test]
fn the_list_is_complete() {
    let text = stdout(&fencepost(&["list"]).code(0));
    let json = stdout(&fencepost(&["list", "--format", "json"]).code(0));
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let listed: Vec<&str> = value["scenarios"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|entry| entry["name"].as_str())
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut names: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(listed, names);
    for name in &names {
        assert!(text.contains(&format!("\n  {name}\n")), "{name}");
    }
    for protocol in ["single: asks one node", "redlock: needs 3 of 5 voters", "none: asks nobody"] {
        assert!(text.contains(protocol), "{protocol}");
    }
    assert_eq!(value["protocols"].as_array().expect("a list").len(), 3);
}

/// Whoever reads only the first lines has seen enough: the verdict's exit code stays.
#[test]
fn a_closed_pipe_is_no_error() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fencepost"));
    let output = command.args(["run", SHIPPED]).stdout(writer).output().expect("it starts");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

/// A full disk is exit 74, not a verdict.
#[test]
#[cfg(target_os = "linux")]
fn results_that_cannot_be_written_are_exit_74() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the full device");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fencepost"));
    let output = command.args(["run", SHIPPED]).stdout(full).output().expect("it starts");
    assert_eq!(output.status.code(), Some(74));
    assert!(String::from_utf8_lossy(&output.stderr).contains("failed to write the results"));
}
