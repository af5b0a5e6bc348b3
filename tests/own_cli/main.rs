//! The command line of somebody's own lock. Called with `own` as its first argument this binary is one; else it runs the
//! tests, which call it.
//!
//! What the verbs say of shipped locks is the business of other tests. Must not run a shell.

use assert_cmd::Command;
use fencepost::cli::{Exit, main_with};
use fencepost::lock::{Core, Policy, Release, ReleaseScope, Terms};
use libtest_mimic::{Arguments, Failed, Trial};
use std::ffi::OsString;
use std::process::{ExitCode, Termination};
use std::sync::Arc;
use tempfile::TempDir;

/// A test, in a folder of its own.
type Case = fn(&TempDir) -> Result<(), Failed>;

/// A careless lock on one node, which deletes whatever is there.
fn careless(terms: &Terms) -> Core {
    let (release, release_on_failure) = (Release::PlainDel, ReleaseScope::Known);
    let spec = Terms { voters: 1, ..terms.clone() }.spec();
    Core::new(Arc::new(Policy { release, release_on_failure, ..spec }), terms.key.clone())
}

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    if args.get(1).is_some_and(|first| first == "own") {
        let program = OsString::from("target/debug/own-lock");
        return main_with(std::iter::once(program).chain(args.into_iter().skip(2)), careless).report();
    }
    let cases: [(&str, Case); 6] = [
        ("runs_are_judged_without_expectations", runs),
        ("what_does_not_fit_is_refused", refused),
        ("a_hunt_keeps_what_replays_and_shrinks", hunts),
        ("a_comparison_has_a_row_of_its_own", compares),
        ("models_are_proved_with_it", proves),
        ("files_keep_their_expectations", files),
    ];
    let trials = cases.map(|(name, test)| {
        Trial::test(name, move || test(&tempfile::tempdir().map_err(|error| error.to_string())?))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit_code()
}

/// What it says, and how it exits.
fn own(folder: &TempDir, args: &[&str]) -> (String, u8) {
    let binary = std::env::current_exe().expect("a test has a binary");
    let output = Command::new(binary).current_dir(folder).arg("own").args(args).output().expect("it runs");
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    let code = output.status.code().and_then(|code| u8::try_from(code).ok());
    (text, code.expect("it exits by itself"))
}

fn expect((text, code): (String, u8), exit: Exit, parts: &[&str]) -> Result<String, Failed> {
    match parts.iter().find(|part| !text.contains(**part)) {
        Some(part) => Err(format!("no {part:?} in\n{text}").into()),
        None if code != exit.code() => Err(format!("exit {code}, not {}:\n{text}", exit.code()).into()),
        None => Ok(text),
    }
}

fn runs(folder: &TempDir) -> Result<(), Failed> {
    let again = "cargo run --release --bin own-lock -- run plain-del-overrun --seed 1\n";
    let run = own(folder, &["run", "plain-del-overrun"]);
    let text = expect(
        run,
        Exit::Violated,
        &[again, "foreign-change    violated", "lock       single: asks one node"],
    )?;
    if text.contains("expected") {
        return Err(format!("nothing is expected of another lock than the file's:\n{text}").into());
    }
    // What is not put to the test is told, as of any file that expects nothing.
    expect(own(folder, &["run", "calm-single"]), Exit::Inconclusive, &["false-refusal was not exercised"])?;
    // No lock at all is replaced like any other: nothing is sold twice.
    let parts = ["asks one node", "0 oversold"];
    expect(own(folder, &["run", "oversell-no-lock"]), Exit::Inconclusive, &parts).map(drop)
}

fn refused(folder: &TempDir) -> Result<(), Failed> {
    let said = "error: single asks 1 nodes, and kleppmann-clock-jump has 5";
    expect(own(folder, &["run", "kleppmann-clock-jump"]), Exit::Input, &[said])?;
    expect(own(folder, &["prove", "redlock-3"]), Exit::Input, &["asks 1 nodes, and redlock-3 has 3"])?;
    expect(own(folder, &["prove", "single", "--pin"]), Exit::Input, &["that of the lock that it names"])?;
    let said = "are not surveyed";
    expect(own(folder, &["prove", "--assumptions", "single"]), Exit::Input, &[said]).map(drop)
}

fn hunts(folder: &TempDir) -> Result<(), Failed> {
    let args = [
        "hunt",
        "plain-del-overrun",
        "--seeds",
        "0..20",
        "--until-violations",
        "1",
        "--oracle",
        "foreign-change",
    ];
    let text = expect(own(folder, &args), Exit::Violated, &["foreign-change", "kept       failures/"])?;
    let kept = text
        .lines()
        .filter_map(|line| line.strip_prefix("kept       "))
        .find(|path| path.contains("foreign"));
    let kept = kept.ok_or_else(|| format!("nothing of foreign-change was kept:\n{text}"))?;
    expect(own(folder, &["replay", kept]), Exit::Held, &["reproduced bit for bit", "as expected: "])?;
    let again = "cargo run --release --bin own-lock -- replay failures/";
    let repro = std::fs::read_to_string(folder.path().join(kept).join("repro.sh"))?;
    expect((repro, 0), Exit::Held, &[again])?;
    expect(own(folder, &["shrink", kept]), Exit::Held, &["foreign-change: ", again]).map(drop)
}

/// Besides the shipped rows, and without overwriting the report on them.
fn compares(folder: &TempDir) -> Result<(), Failed> {
    let args = ["compare", "--runs", "20", "--rows", "no-lock", "--columns", "calm,suspends"];
    let text = expect(own(folder, &args), Exit::Held, &["2 locks under 2 profiles", "single ", "no-lock "])?;
    let nothing = folder.path().read_dir()?.next().is_none();
    if !nothing {
        return Err(format!("something was written:\n{text}").into());
    }
    let args = ["compare", "--runs", "20", "--columns", "calm", "--pair", "redlock-5,single"];
    expect(own(folder, &args), Exit::Held, &["redlock-5 and single on the same 20 plans"]).map(drop)
}

/// Of a shipped model the oracles are judged, and what its own lock counts is no matter.
fn proves(folder: &TempDir) -> Result<(), Failed> {
    let again = "cargo run --release --bin own-lock -- prove plain-del\n";
    let parts = ["plain-del: VIOLATED: promise-overlap", again, "own-lock -- replay failures/"];
    let text = expect(own(folder, &["prove", "plain-del"]), Exit::Violated, &parts)?;
    let kept = text.lines().find_map(|line| line.split_once(" replay ").map(|(_, kept)| kept));
    let kept = kept.ok_or("no folder was named")?;
    expect(own(folder, &["replay", kept]), Exit::Held, &["reproduced bit for bit"])?;
    let parts = ["single-message-loss: held: held promise-overlap", "not pinned"];
    let args = ["prove", "single-message-loss", "--no-folders"];
    expect(own(folder, &args), Exit::Held, &parts).map(drop)
}

fn files(folder: &TempDir) -> Result<(), Failed> {
    let shipped = include_str!("../../scenarios/plain-del-overrun.toml");
    std::fs::write(folder.path().join("mine.toml"), shipped)?;
    expect(own(folder, &["run", "mine.toml"]), Exit::Held, &["as expected: "])?;
    std::fs::write(folder.path().join("mine.toml"), shipped.replace("\"violated\"", "\"held\""))?;
    expect(own(folder, &["run", "mine.toml"]), Exit::Violated, &["not as expected: "]).map(drop)
}
