//! Comparison: cells, n/a, files, repetition, and what is refused where.
//!
//! Goes through the binary where files and exit codes are concerned, else through the library.

use assert_cmd::Command;
use fencepost::scenario::{InputErrorKind as Kind, parse, parse_comparison, shipped_comparison};
use std::fs;
use std::io;
use std::path::Path;

const SMALL: &str = r#"format = 1
title  = "a small table"
claim  = "A claim."
source = ["a source"]
runs   = 12

[run]
seed      = 5
limit_ms  = 120_000
settle_ms = 5_000

[deployment]
nodes = 1

[clients]
count = 2

[clients.workload.stock]
cycles      = 1
work_ms     = { p0 = 10, p50 = 500, p100 = 2_500 }
patience_ms = 20_000
holder      = "never"

[store]
stock = 2

[network]
latency_us = 400

[[row]]
name  = "single"
title = "one node"
lock.single = { like = "spec", ttl_ms = 2_000 }

[[row]]
name  = "redlock"
title = "three nodes"
deployment = { nodes = 3 }
lock.redlock = { like = "spec", ttl_ms = 2_000 }

[[row]]
name  = "none"
title = "no lock"
lock.none = {}

[[column]]
profile = "calm"

[[column]]
name    = "restarts"
profile = "kills.toml"
"#;

const KILLS: &str = r#"[profile]
name = "kills"
window_ms = [0, 5_000]
kill = { of = "nodes", every_ms = { p0 = 100, p100 = 2_000 }, for_ms = 20 }
"#;

fn nothing(_: &str) -> io::Result<String> {
    Err(io::Error::from(io::ErrorKind::NotFound))
}

/// The small table and its profile in a folder of their own.
fn table() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("kills.toml"), KILLS).expect("a file");
    let file = folder.path().join("small.toml");
    fs::write(&file, SMALL).expect("a file");
    let file = file.to_str().expect("a path of text").to_owned();
    (folder, file)
}

fn fencepost(arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("fencepost").expect("the binary").args(arguments).output().expect("a run")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

#[track_caller]
fn files(folder: &Path) -> [String; 2] {
    ["compare.md", "compare.json"].map(|name| fs::read_to_string(folder.join(name)).expect("a report"))
}

#[test]
fn one_thread_and_two_write_the_same_bytes() {
    let (folder, file) = table();
    let outs = ["1", "2"].map(|jobs| {
        let out = folder.path().join(format!("out-{jobs}"));
        let out = out.to_str().unwrap();
        let run = fencepost(&["compare", "--file", &file, "--jobs", jobs, "--out", out]);
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        (run.stdout, files(Path::new(out)))
    });
    assert_eq!(text(&outs[0].0), text(&outs[1].0));
    assert_eq!(outs[0].1, outs[1].1);
    let left: Vec<_> = fs::read_dir(folder.path().join("out-1")).unwrap().collect();
    assert_eq!(left.len(), 2, "nothing is left beside the files: {left:?}");
}

#[test]
fn cells_say_what_was_counted() {
    let (_folder, file) = table();
    let run = fencepost(&["compare", "--file", &file, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(
        (&json["schema"], &json["complete"], &json["runs_per_cell"]),
        (&1.into(), &true.into(), &12.into())
    );
    assert_eq!(json["seeds"], serde_json::json!([5, 17]));
    let cells = json["cells"].as_array().unwrap();
    let cell = |row: &str, column: &str| {
        cells.iter().find(|cell| cell["row"] == row && cell["column"] == column).unwrap()
    };
    assert_eq!(cells.len(), 6);
    // A lock that asks nobody cannot suffer what happens to nodes.
    assert_eq!(cell("none", "restarts")["state"], "not-applicable");
    let lost = &cell("single", "restarts")["oracles"]["promise-overlap"];
    assert!(lost["violations"].as_u64().unwrap() > 0, "{lost}");
    assert!(lost["low"].as_f64().unwrap() > 0.0 && lost["high"].as_f64().unwrap() <= 1.0);
    let calm = &cell("single", "calm")["oracles"]["promise-overlap"];
    assert_eq!((&calm["violations"], &calm["first_seed"]), (&0.into(), &serde_json::Value::Null));
    assert_eq!(calm["low"], 0.0);
    let unlocked = &cell("none", "calm")["oracles"]["lost-update"];
    assert_eq!(unlocked["violations"], unlocked["exercised"]);
    assert!(cell("none", "calm")["orders_oversold"].as_u64().unwrap() > 0);
    // The first violation of a cell is repeated by what stands beside it.
    let repro = lost["repro"].as_str().unwrap();
    let arguments =
        repro.strip_prefix("cargo run --release -- ").unwrap().replace("kills.toml", &sibling(&file));
    let again = fencepost(&arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(again.status.code(), Some(1), "{repro}: {}", text(&again.stderr));
    assert!(text(&again.stdout).contains("promise-overlap   violated"), "{}", text(&again.stdout));
}

/// The profile beside the table, as seen from here.
fn sibling(file: &str) -> String {
    Path::new(file).with_file_name("kills.toml").to_str().expect("a path of text").to_owned()
}

#[test]
fn pairs_count_plans_and_drops() {
    let (_folder, file) = table();
    let run = fencepost(&["compare", "--file", &file, "--pair", "single,redlock", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(json["rows"], serde_json::json!(["single", "redlock"]));
    for column in json["columns"].as_array().unwrap() {
        for (oracle, pair) in column["oracles"].as_object().unwrap() {
            let counts = ["first_only", "second_only", "both", "neither", "dropped"];
            let sum: u64 = counts.iter().map(|count| pair[count].as_u64().unwrap()).sum();
            assert_eq!(sum, 12, "{oracle}: {pair}");
        }
    }
    let shown = fencepost(&["compare", "--file", &file, "--pair", "single,none"]);
    let line = text(&shown.stdout).lines().find(|line| line.starts_with("kills")).unwrap();
    assert!(line.ends_with("n/a"), "{line}");
}

#[test]
fn what_is_not_there_is_refused() {
    let (_folder, file) = table();
    let cases = [
        (vec!["compare", "--file", &file, "--rows", "singel"], "did you mean `single`?"),
        (vec!["compare", "--file", &file, "--columns", "clam"], "did you mean `calm`?"),
        (vec!["compare", "--file", &file, "--pair", "single"], "two different rows"),
        (vec!["compare", "--file", "no/such.toml"], "failed to read no/such.toml"),
        (vec!["run", "compare:redlok-5"], "did you mean `compare:redlock-5`?"),
        (vec!["run", "calm-single", "--profile", "client-pause"], "did you mean `client-pauses`?"),
        (vec!["run", "calm-single", "--swarm"], "--profile"),
    ];
    for (arguments, words) in cases {
        let run = fencepost(&arguments);
        assert_eq!(run.status.code(), Some(64), "{arguments:?}");
        assert!(text(&run.stderr).contains(words), "{arguments:?}: {}", text(&run.stderr));
    }
}

#[test]
fn an_unwritable_place_still_prints_the_tables() {
    let (folder, file) = table();
    let blocked = folder.path().join("blocked");
    fs::write(&blocked, "a file where a folder is wanted").unwrap();
    let run = fencepost(&["compare", "--file", &file, "--runs", "2", "--out", blocked.to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(74));
    assert!(text(&run.stdout).contains("promise-overlap: runs that violated it"), "{}", text(&run.stdout));
    assert!(text(&run.stderr).contains("failed to write the results"), "{}", text(&run.stderr));
}

#[test]
fn bad_tables_are_refused_at_their_places() {
    let calm_only = SMALL.replace("\n[[column]]\nname    = \"restarts\"\nprofile = \"kills.toml\"\n", "");
    assert!(parse_comparison("small.toml", &calm_only, &mut nothing).is_ok());
    let cases = [
        ("nodes = 3 }", "nodes = 99 }", Kind::Range, (38, 24), "between 1 and 31"),
        (
            "[[row]]\nname  = \"none\"",
            "[[row]]\nname  = \"single\"",
            Kind::Contradiction,
            (42, 9),
            "already a row",
        ),
        ("name  = \"redlock\"", "name  = \"red lock\"", Kind::Value, (36, 9), "letters, digits"),
        (
            "title = \"no lock\"\nlock.none = {}",
            "title = \"no lock\"",
            Kind::MissingKey,
            (41, 1),
            "has no [lock",
        ),
        ("lock.none = {}", "lock.nothing = {}", Kind::UnknownKey, (44, 6), "unknown key `nothing`"),
        ("runs   = 12", "runs   = 0", Kind::Range, (5, 10), "between 1"),
        ("profile = \"calm\"", "profile = \"clam\"", Kind::Name, (47, 11), "no shipped profile"),
        (
            "ttl_ms = 2_000 }\n\n[[row]]\nname  = \"none\"",
            "ttl_ms = 2_000, qourum = 2 }\n\n[[row]]\nname  = \"none\"",
            Kind::UnknownKey,
            (39, 49),
            "unknown key `qourum`",
        ),
    ];
    for (from, to, kind, place, words) in cases {
        assert_eq!(calm_only.matches(from).count(), 1, "{from:?}");
        let text = calm_only.replace(from, to);
        let error = parse_comparison("small.toml", &text, &mut nothing).expect_err(to);
        assert_eq!((error.kind, (error.line, error.column)), (kind, place), "{to:?}: {error}");
        assert!(error.message.contains(words), "{to:?}: {error}");
    }
    let error = parse_comparison("small.toml", SMALL, &mut nothing).unwrap_err();
    assert_eq!((error.kind, error.line, error.column), (Kind::Name, 51, 11), "{error}");
}

#[test]
fn every_shipped_row_is_a_scenario_of_its_own() {
    let table =
        parse_comparison("compare", shipped_comparison(), &mut nothing).unwrap_or_else(|e| panic!("{e}"));
    assert!(table.rows.len() >= 13 && table.columns.len() >= 12);
    for row in &table.rows {
        let again =
            parse(&row.scenario.origin, &row.scenario.text).unwrap_or_else(|e| panic!("{}: {e}", row.name));
        assert_eq!(again, row.scenario);
        assert_eq!(row.scenario.origin, format!("compare:{}", row.name));
        // Everything but the lock, its nodes and the store is the same in every row.
        assert_eq!(again.setup.clients.len(), table.rows[0].scenario.setup.clients.len());
        let work = |index: usize| again.setup.clients[index].workload.work.clone();
        assert_eq!(work(0), table.rows[0].scenario.setup.clients[0].workload.work);
        assert_eq!(again.latency, table.rows[0].scenario.latency);
    }
}

/// The gate makes the report anew and compares it; the README repeats its first table.
#[test]
fn the_readme_shows_the_kept_table() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let kept: serde_json::Value = serde_json::from_str(&read("reports/compare.json")).unwrap();
    assert_eq!(kept["complete"], true);
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap().to_owned();
    let names = |key: &str| kept[key].as_array().unwrap().iter().map(name).collect::<Vec<_>>();
    let cell = |row: &str, column: &str| -> String {
        let cells = kept["cells"].as_array().unwrap();
        let cell = cells.iter().find(|cell| cell["row"] == row && cell["column"] == column).unwrap();
        if cell["state"] != "complete" {
            return "n/a".to_owned();
        }
        let oracle = &cell["oracles"]["promise-overlap"];
        format!("{}/{}", oracle["violations"], oracle["exercised"])
    };
    let readme = read("README.md");
    let shown: Vec<&str> =
        readme.lines().filter(|line| line.starts_with("| `") && line.contains('/')).collect();
    for row in names("rows") {
        let cells: Vec<String> = names("columns").iter().map(|column| cell(&row, column)).collect();
        let line = format!("| `{row}` | {} |", cells.join(" | "));
        assert!(shown.contains(&line.as_str()), "README.md does not show: {line}");
    }
}
