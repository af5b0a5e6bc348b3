//! What a run is told as: the sentence fits the verdict, differences between two runs are found.
//!
//! Runs real scenarios and doctors their results; must not build records by hand.

use fencepost::check::{Expected, OracleName};
use fencepost::report::{Length, Story, divergence, run_json, run_text, sentence, timeline};
use fencepost::scenario::{Scenario, parse, shipped};
use fencepost::sim::{self, RunResult};

fn clock_jump() -> (Scenario, RunResult) {
    let (name, text) = shipped().find(|(name, _)| *name == "kleppmann-clock-jump").expect("it is shipped");
    let scenario = parse(name, text).expect("a scenario");
    let result = sim::run(&scenario, scenario.seed);
    (scenario, result)
}

#[test]
fn the_first_differing_record_is_named() {
    let (scenario, result) = clock_jump();
    let story = Story { scenario: &scenario, result: &result };
    assert_eq!(divergence(story, &result), None);

    let mut changed = result.clone();
    changed.records.swap(20, 60);
    let found = divergence(story, &changed).expect("a difference");
    assert_eq!(found.index, 20);
    let text = found.to_string();
    assert!(
        text.contains("differ from record 21 on\ncargo run --release -- run kleppmann-clock-jump --seed 1")
    );
    assert!(text.contains("\nfirst   ") && text.contains("\nsecond  "));

    let mut shorter = result.clone();
    shorter.records.truncate(30);
    let found = divergence(story, &shorter).expect("a difference");
    assert_eq!(found.index, 30);
    assert!(found.to_string().contains("second  nothing more"));

    let mut digest = result.clone();
    digest.digest ^= 1;
    assert_eq!(divergence(story, &digest).expect("a difference").index, result.records.len());
}

/// The README shows what the command prints, down to the table of oracles.
#[test]
fn the_readme_shows_a_real_run() {
    let (scenario, result) = clock_jump();
    let text = run_text(Story { scenario: &scenario, result: &result }, Length::Short);
    let (shown, _) = text.split_once("\nverdict ").expect("figures follow the table");
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("a README");
    assert!(readme.contains(&format!("```text\n{shown}```")), "the README should show:\n{shown}");
}

/// The file to start from in the reference is accepted as it stands and ends as the text below it says.
#[test]
fn the_example_of_the_reference_is_violated_as_told() {
    let reference = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/README.md"));
    let reference = reference.expect("a reference");
    let (_, after) = reference.split_once("```toml\n").expect("an example");
    let (text, _) = after.split_once("```").expect("the end of the example");
    let scenario = parse("my-lock.toml", text).expect("a scenario");
    let result = sim::run(&scenario, scenario.seed);
    let violated: Vec<OracleName> = result.violations.iter().map(|violation| violation.oracle).collect();
    assert_eq!(violated, [OracleName::SectionOverlap, OracleName::StaleWrite]);
    let told = sentence(Story { scenario: &scenario, result: &result });
    assert!(told.contains("stale-write") && told.contains("stood still for 40 s"), "{told}");
}

/// Every judged oracle, alone, has a sentence of its own that names it, whichever scenario it comes from.
#[test]
fn every_violation_has_a_sentence() {
    for (name, text) in shipped() {
        let mut scenario = parse(name, text).expect("a scenario");
        let Some(expect) = scenario.expect.clone() else { continue };
        for (oracle, _) in expect.oracles.iter().filter(|(_, expected)| **expected == Expected::Violated) {
            let alone = scenario.expect.as_mut().expect("a table");
            alone.oracles.retain(|known, _| known == oracle);
            let result = sim::run(&scenario, scenario.seed);
            let told = sentence(Story { scenario: &scenario, result: &result });
            scenario.expect = Some(expect.clone());
            assert!(told.starts_with("as expected: "), "{name}: {told}");
            assert!(told.contains(&format!("({oracle}), ")), "{name}: {told}");
            assert!(!told.contains("grant 0") && told.len() < 600, "{name}: {told}");
        }
    }
}

/// A sentence says what the records say, here worked out by hand.
#[test]
fn the_clock_jump_in_one_sentence() {
    let (scenario, result) = clock_jump();
    let told = sentence(Story { scenario: &scenario, result: &result });
    assert_eq!(
        told,
        "as expected: client-1 and client-2 were both inside the section for 4 s from 4.004 s (section-overlap), \
         after client-1 was cut off from node-4 and node-5 (reset) for 3.9 s; node-3's wall clock stepped by +11 s; \
         client-2 was cut off from node-1 and node-2 (reset) for 9 s"
    );
}

#[test]
fn an_unexpected_violation_is_told_too() {
    let (mut scenario, _) = clock_jump();
    let expect = scenario.expect.as_mut().expect("a table");
    expect.oracles.insert(OracleName::PromiseOverlap, Expected::Held);
    let result = sim::run(&scenario, scenario.seed);
    let told = sentence(Story { scenario: &scenario, result: &result });
    assert!(
        told.starts_with("not as expected: promise-overlap was expected to be held and ended violated: ")
    );
    assert!(
        told.contains("client-1 and client-2 were both promised the lock for 4 s from 4.004 s"),
        "{told}"
    );
}

/// The evidence is in the short timeline, marked, and the table of oracles points at it.
#[test]
fn evidence_is_marked_in_the_timeline() {
    for (name, text) in shipped() {
        let scenario = parse(name, text).expect("a scenario");
        let result = sim::run(&scenario, scenario.seed);
        let story = Story { scenario: &scenario, result: &result };
        let (short, report) = (timeline(story, Length::Short), run_text(story, Length::Short));
        assert!(short.lines().count() <= Length::LINES, "{name}");
        for line in report.lines().filter(|line| line.contains("  by [")) {
            let marks: Vec<&str> = line.split(['[', ']']).skip(1).step_by(2).collect();
            assert_eq!(marks.len(), 2, "{name}: {line}");
            for mark in marks {
                assert!(
                    short.lines().any(|line| line.starts_with(&format!("[{mark}]"))),
                    "{name}: [{mark}]\n{short}"
                );
            }
        }
    }
}

/// A full timeline has a line for each record and the short one shows a part of it, in the same order.
#[test]
fn the_short_timeline_is_part_of_the_full_one() {
    for (name, text) in shipped() {
        let scenario = parse(name, text).expect("a scenario");
        let result = sim::run(&scenario, scenario.seed);
        let story = Story { scenario: &scenario, result: &result };
        let (short, full) = (timeline(story, Length::Short), timeline(story, Length::Full));
        assert_eq!(full.lines().count(), 1 + result.records.len(), "{name}");
        let squeeze = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut rest = full.lines();
        for line in short.lines().filter(|line| !line.contains("records more: --timeline")) {
            assert!(rest.any(|other| squeeze(other) == squeeze(line)), "{name}: {line}");
        }
    }
}

#[test]
fn json_is_one_line_per_run() {
    for (name, text) in shipped() {
        let scenario = parse(name, text).expect("a scenario");
        let result = sim::run(&scenario, scenario.seed);
        let line = run_json(Story { scenario: &scenario, result: &result });
        assert_eq!(line.matches('\n').count(), 1, "{name}");
        let value: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(value["scenario"], name);
        assert_eq!(value["digest"], format!("{:016x}", result.digest));
    }
}

/// Words that depend on how many there are, and texts from the file.
#[test]
fn one_and_several_are_told_apart() {
    let (name, text) = shipped().find(|(name, _)| *name == "kleppmann-clock-jump").expect("it is shipped");
    let told = |from: &str, to: &str| {
        assert!(text.contains(from), "{from} must be in {name}");
        let scenario = parse(name, &text.replace(from, to)).expect("a scenario");
        run_text(Story { scenario: &scenario, result: &sim::run(&scenario, 1) }, Length::Full)
    };
    let cut = "between = [\"client-1\", [\"node-4\", \"node-5\"]]";
    let both = told(cut, "between = [\"clients\", [\"node-4\", \"node-5\"]]");
    assert!(both.contains("FAULT client-1 and client-2 were cut off from node-4 and node-5"), "{both}");
    let more = told(
        "[expect]",
        "[[plan]]\nerror-reply = { at_ms = 0, of = \"node-1\", text = \"\\u001b[31m\", for_ms = 1 }\n\
         [expect.witness]\nkill = 1\ncrash = 1\n[expect]",
    );
    assert!(more.contains("(and 1 more difference)"), "{more}");
    assert!(more.contains(r#"node-1 answered everything with "\x1b[31m" for 1 ms"#), "{more}");
}

/// A plan that puts nothing in order, or directs a message that is never sent, has not happened: whatever ended as
/// expected did so for another reason.
#[test]
fn directives_that_meet_nothing_are_not_as_expected() {
    let (_, calm) = shipped().find(|(name, _)| *name == "calm-single").expect("it is shipped");
    let inert = [
        ("order = { at_ms = 123, of = \"client-1\", first = \"messages\", then = \"timers\" }", "order 1"),
        ("message = { name = \"client-1#7>node-1:acquire.1.set.1:request\", lose = true }", "client-1#7"),
    ];
    for (entry, named) in inert {
        let scenario = parse("calm-single", &format!("{calm}\n[[plan]]\n{entry}\n")).expect("a scenario");
        let result = sim::run(&scenario, scenario.seed);
        assert_eq!(result.judgement.exit_code(), 2, "{entry}");
        let text = run_text(Story { scenario: &scenario, result: &result }, Length::Short);
        assert!(text.contains(named), "{text}");
    }
}
