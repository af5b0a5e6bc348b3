//! The command line around presets: `--like`, drills, switches, `list --features`.
//!
//! What comes out of a drill is pinned in `tests/presets.rs`; here it is how it is asked for and told.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

fn fencepost(args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("fencepost").expect("it is built").args(args).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().expect("it was not killed"), text(output.stdout), text(output.stderr))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_preset_takes_the_place_of_a_lock() {
    let (code, out, _) = fencepost(&["run", "drill:overrun", "--like", "shedlock", "--format", "json"]);
    let run = json(&out);
    assert_eq!(code, 1, "{out}");
    assert_eq!(run["oracles"]["promise-overlap"], "violated");
    let (_, out, _) = fencepost(&["run", "drill:overrun", "--like", "shedlock"]);
    let repro = "cargo run --release -- run drill:overrun --like shedlock --seed 1";
    assert_eq!(out.lines().nth(1), Some(repro), "the second line repeats the run");
    // Any scenario takes one, a row of the comparison too.
    let (code, out, err) = fencepost(&["run", "compare:single", "--like", "redis-py", "--format", "json"]);
    assert!(code <= 2 && json(&out)["digest"].is_string(), "{err}");
}

#[test]
fn a_hunt_with_a_preset_keeps_what_can_be_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().to_str().expect("a path of characters");
    let hunt =
        ["hunt", "drill:overrun", "--like", "shedlock", "--seeds", "0..4", "--no-shrink", "--failures", kept];
    let (code, out, err) = fencepost(&hunt);
    assert_eq!(code, 1, "{out}{err}");
    let mut folders: Vec<_> =
        std::fs::read_dir(folder.path()).expect("folders").map(|f| f.expect("one").path()).collect();
    folders.sort();
    assert!(!folders.is_empty(), "{out}");
    for folder in &folders {
        let text = std::fs::read_to_string(folder.join("scenario.toml")).expect("its scenario");
        assert!(text.contains("like = \"shedlock\""), "{text}");
        let (code, out, err) = fencepost(&["replay", folder.to_str().expect("a path")]);
        assert!(code == 1 && out.contains("bit for bit"), "{out}{err}");
    }
}

#[test]
fn names_that_nobody_has() {
    for (args, said, meant) in [
        (vec!["run", "drill:overrun", "--like", "shedlok"], "no preset is called `shedlok`", "shedlock"),
        (vec!["run", "drill:overun"], "drill:overun", "drill:overrun"),
        (vec!["run", "switch:release-plain-dell"], "release-plain-dell", "switch:release-plain-del"),
        (vec!["compare", "--like", "redsync,redsink"], "no preset is called `redsink`", "redsync"),
    ] {
        let (code, out, err) = fencepost(&args);
        assert_eq!((code, out.as_str()), (64, ""), "{args:?}");
        assert!(err.contains(said) && err.contains(meant), "{args:?}: {err}");
    }
}

#[test]
fn drills_of_some_locks() {
    let (code, out, err) = fencepost(&["compare", "--like", "spec-single,no-lock"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("run drill:") && out.contains("to be safe: "), "{out}");
    assert!(!Path::new("reports/drills.json").exists(), "nothing is kept unless it is asked for");
    let folder = tempfile::tempdir().expect("a folder");
    let out_folder = folder.path().join("kept");
    let args = [
        "compare",
        "--like",
        "spec-single",
        "--format",
        "json",
        "--out",
        out_folder.to_str().expect("a path"),
    ];
    let (code, out, err) = fencepost(&args);
    assert_eq!(code, 0, "{out}{err}");
    let told = json(&out);
    assert_eq!((told["schema"].clone(), told["rows"][0]["as_pinned"].clone()), (1.into(), true.into()));
    let overlap = &told["rows"][0]["oracles"]["section-overlap"];
    assert_eq!((&overlap["ends"], &overlap["faults"]), (&"violated".into(), &0.into()));
    let kept = std::fs::read_to_string(out_folder.join("drills.json")).expect("it was kept");
    assert_eq!(kept, out, "what is kept is what is printed");
    let (code, _, err) = fencepost(&["compare", "--like", "spec-single", "--rows", "single"]);
    assert!(code == 64 && err.contains("--like"), "{err}");
}

#[test]
fn what_locks_offer() {
    let (code, out, _) = fencepost(&["list", "--features"]);
    assert_eq!(code, 0);
    let row =
        |name: &str| out.lines().find(|line| line.split_whitespace().next() == Some(name)).map(str::to_owned);
    let spec = row("spec-redlock").expect("it is listed");
    assert_eq!(
        spec.split_whitespace().collect::<Vec<_>>()[1..],
        ["yes", "yes", "-", "-", "yes", "-", "yes", "yes", "-", "-", "yes"]
    );
    let (code, out, _) = fencepost(&["list", "--features", "--format", "json"]);
    assert_eq!(code, 0);
    let told = json(&out);
    let of = |name: &str| {
        let all = told["presets"].as_array().expect("a list");
        let one =
            all.iter().find(|preset| preset["name"] == name).unwrap_or_else(|| panic!("{name} is listed"));
        one["features"].clone()
    };
    assert_eq!(of("no-lock"), serde_json::json!([]));
    assert!(of("redisson").as_array().is_some_and(|has| has.contains(&"reentrant".into())));
    assert!(!of("shedlock").as_array().is_some_and(|has| has.contains(&"owner-check".into())));
    assert!(told["switches"].as_array().is_some_and(|switches| switches.len() >= 40));
}
