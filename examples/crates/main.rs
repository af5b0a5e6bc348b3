//! Published lock crates, unmodified, under the faults of the comparison: makes `reports/crates.md`.
//!
//! `cargo run --example crates` writes the report, byte for byte the same every time. `… -- show CRATE PROFILE
//! SEED` tells one run of it, `… -- kept` all schedules that are kept, `… -- kept full` with every record. `… -- find CRATE` shrinks what breaks it and has no schedule in `scenarios/crates/` yet, and writes
//! it there. Progress goes to stderr. Must not say more of a crate than runs show: what a find means stands in the
//! `claim` of its file, written by whoever looked at it.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]

#[path = "../../tests/crates/adapters/mod.rs"]
mod adapters;
mod exhibit;
mod find;
mod given_up;
mod markdown;
mod survey;

use adapters::{ALL, Published};
use fencepost::report::{Length, Story, run_text};
use std::process::ExitCode;
use survey::Surveyed;

fn main() -> ExitCode {
    quiet();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => report(),
        ["find", name] => {
            ALL.iter()
                .filter(|published| published.name == name)
                .for_each(|published| find::all(&survey::of(published)));
        }
        ["kept"] => print!("{}", markdown::kept(Length::Short)),
        ["kept", "full"] => print!("{}", markdown::kept(Length::Full)),
        ["show", name, profile, seed] => return show(name, profile, seed),
        _ => {
            eprintln!("usage: crates [find CRATE | kept [full] | show CRATE PROFILE SEED]");
            return ExitCode::from(64);
        }
    }
    ExitCode::SUCCESS
}

fn report() {
    let text = markdown::report(&surveys());
    std::fs::write(REPORT, text).expect("the report can be written");
    eprintln!("wrote {REPORT}");
}

fn surveys() -> Vec<Surveyed> {
    ALL.iter().map(|published| survey::of(published)).collect()
}

fn show(name: &str, profile: &str, seed: &str) -> ExitCode {
    let published: Option<&&Published> = ALL.iter().find(|published| published.name == name);
    let (Some(published), Ok(seed)) = (published, seed.parse()) else {
        eprintln!("a crate of the report, a profile and a seed");
        return ExitCode::from(64);
    };
    let (scenario, result) = survey::code(published, profile).run_seed(seed);
    println!("{}", run_text(Story { scenario: &scenario, result: &result }, Length::Short));
    ExitCode::SUCCESS
}

/// Says nothing of the panics by which `rds_lock` ends its task, and refuses to unlock after that, and of that in the task of
/// `distributed-lock-redis`: they are what these crates do.
fn quiet() {
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.payload_as_str().unwrap_or_default();
        if !PANICS.contains(&text) {
            loud(panic);
        }
    }));
}

const PANICS: [&str; 3] =
    ["Failed to extend lock", "Failed to stop lock extension", "JoinHandle polled after completion"];

const REPORT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/reports/crates.md");
