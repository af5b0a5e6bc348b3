//! Sets of kinds of fault that break a lock, and sets that do not: against known answers, against every subset by
//! itself, with answers missing, as the verb tells it, and as the report that is committed.
//!
//! Must not time anything.

use fencepost::check::OracleName::{self, PromiseOverlap, SectionOverlap, StaleWrite};
use fencepost::check::{Expected, Outcome};
use fencepost::prove::assume::{
    Absence, Bounds, Matrix, STATES_MAX, Subject, Within, shipped_subject, shipped_subjects, survey,
};
use fencepost::prove::lattice::Kinds;
use fencepost::prove::{Finding, Kind, Options, REPLAY_SEED, Replay, parse_model, prove_model, replay};
use fencepost::report::{AssumptionStory, Meta, assumptions_json, assumptions_markdown, break_folder};
use fencepost::scenario::parse;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

/// A fenced store under four kinds. A counter that is lost and a client that stands still break it together.
const TOY: &str = r#"
format = 1
title  = "a fenced store"
claim  = "What the test is about."
source = ["none: a test"]

[scope]
clients         = 2
nodes           = 1
ttl_ticks       = 3
delay_ticks_max = 0
work_ticks_min  = 1
work_ticks_max  = 1
writes          = 1
holder          = "never"
store           = "fence"
calls           = 2

[lock.single]
like               = "spec"
node_timeout_ticks = 1
margin_ticks       = 1
fence              = "incr"

[faults]
total             = 1
client-stop       = { ticks_max = 3 }
message-loss      = {}
node-crash-losing = { ticks_max = 1 }
store-delay       = { ticks_max = 3 }

[expect]
section-overlap = "held"
stale-write     = "held"
"#;

const OPTIONS: Options = Options { threads: 2, states_max: STATES_MAX[0], bytes_max: u64::MAX };

fn bounds(threads: usize, states_max: &[u32]) -> Bounds {
    Bounds { threads, states_max: states_max.to_vec(), bytes_max: u64::MAX }
}

fn surveyed(subject: &Subject, bounds: &Bounds) -> Matrix {
    survey(subject, bounds, &mut |_| ControlFlow::Continue(()))
}

fn toy() -> Subject {
    Subject::of(&parse_model("toy.toml", TOY).expect("the toy is a model"))
}

fn within(matrix: &Matrix, oracle: OracleName, faults: u8) -> &Within {
    let row = matrix.rows.iter().find(|row| row.oracle == oracle).expect("it was asked");
    row.within.iter().find(|within| within.faults == faults).expect("it was surveyed")
}

fn breaking(within: &Within) -> Vec<Vec<Kind>> {
    within.minimal.iter().map(|broken| broken.kinds.clone()).collect()
}

/// All sets of so many kinds.
fn every_set(kinds: usize) -> impl Iterator<Item = Kinds> {
    (0..1_u32 << kinds).map(Kinds)
}

#[test]
fn single_breaks_under_the_faults_that_are_known_to_break_it() {
    use Kind::{
        ClientClockSlow, ClientStop, ClientSuspend, Eviction, Failover, LateMessage, MessageLoss,
        NodeClockFast, NodeClockStep, NodeCrashKeeping, NodeCrashLosing, StoreDelay,
    };
    let subject = shipped_subject("single").expect("it is shipped");
    assert_eq!(subject.absent, [(Failover, Absence::NoReplica)]);
    let matrix = surveyed(&subject, &bounds(2, &STATES_MAX[..1]));
    let broken: [(OracleName, &[Kind], &[Kind]); 3] = [
        (
            PromiseOverlap,
            &[ClientSuspend, ClientClockSlow, NodeClockFast, NodeClockStep, NodeCrashLosing, Eviction],
            &[ClientStop, MessageLoss, LateMessage, NodeCrashKeeping, StoreDelay],
        ),
        (
            SectionOverlap,
            &[
                ClientStop,
                ClientSuspend,
                ClientClockSlow,
                NodeClockFast,
                NodeClockStep,
                NodeCrashLosing,
                Eviction,
                StoreDelay,
            ],
            &[MessageLoss, LateMessage, NodeCrashKeeping],
        ),
        (
            StaleWrite,
            &[
                ClientStop,
                ClientSuspend,
                ClientClockSlow,
                NodeClockStep,
                NodeCrashLosing,
                Eviction,
                StoreDelay,
            ],
            &[NodeClockFast, MessageLoss, LateMessage, NodeCrashKeeping],
        ),
    ];
    for (oracle, breaks, safe) in broken {
        let found = within(&matrix, oracle, 1);
        let singles: Vec<Vec<Kind>> = breaks.iter().map(|kind| vec![*kind]).collect();
        assert_eq!(breaking(found), singles, "{oracle}");
        assert_eq!(found.safe, [safe.to_vec()], "{oracle}");
        assert!(found.undecided.0.is_empty() && found.perhaps_minimal.is_empty(), "{oracle}");
    }
    assert_eq!(matrix.idle, []);
    assert_eq!(matrix.disagreements().count(), 0);
    for (oracle, faults, broken) in matrix.breaks() {
        assert_eq!((faults, broken.found.faults.as_slice()), (1, broken.kinds.as_slice()), "{oracle}");
        let found = &broken.found;
        let (outcome, _) = replay(&broken.model, oracle, &found.plan, found.end);
        let agrees = matches!(outcome, Outcome::Violated(_));
        assert_eq!(agrees, found.replay == Replay::Agrees, "{oracle}: {:?}", broken.kinds);
    }
}

/// The answer for each set by itself, from a search of its own.
fn brute(subject: &Subject, oracle: OracleName, faults: u8) -> Vec<(Kinds, bool)> {
    let ask = |set| {
        let proof =
            prove_model(&subject.world(set, faults, &[oracle]), &OPTIONS, &mut |_| ControlFlow::Continue(()));
        match &proof.findings[0].1 {
            Finding::Held => (set, false),
            Finding::Violated(_) => (set, true),
            other @ (Finding::NotExercised | Finding::NotApplicable | Finding::Unknown) => {
                panic!("{oracle}, {:?}: {other:?}", subject.named(set))
            }
        }
    };
    every_set(subject.kinds.len()).map(ask).collect()
}

#[test]
fn a_matrix_says_of_every_set_what_a_search_of_it_says() {
    let subject = toy();
    let matrix = surveyed(&subject, &bounds(2, &STATES_MAX));
    let unknowing = surveyed(&subject, &bounds(2, &[400, 400]));
    let mut pairs = 0;
    for oracle in [SectionOverlap, StaleWrite] {
        for faults in [1, 2] {
            let truth = brute(&subject, oracle, faults);
            let (found, guessed) = (within(&matrix, oracle, faults), within(&unknowing, oracle, faults));
            let minimal = truth.iter().filter(|(set, breaks)| {
                let holds = |smaller| truth.contains(&(smaller, false));
                *breaks && set.without_one().all(holds)
            });
            let minimal: BTreeSet<Vec<Kind>> = minimal.map(|(set, _)| subject.named(*set)).collect();
            pairs += minimal.iter().filter(|kinds| kinds.len() == 2).count();
            assert_eq!(breaking(found).into_iter().collect::<BTreeSet<_>>(), minimal, "{oracle} {faults}");
            for (set, breaks) in truth {
                let kinds = subject.named(set);
                assert_eq!(found.broken(&kinds).is_some(), breaks, "{oracle} {faults} {kinds:?}");
                assert_eq!(found.is_safe(&kinds), !breaks, "{oracle} {faults} {kinds:?}");
                // With few states less is known, and nothing that is wrong.
                assert!(guessed.broken(&kinds).is_none() || breaks, "{oracle} {faults} {kinds:?}");
                assert!(!guessed.is_safe(&kinds) || !breaks, "{oracle} {faults} {kinds:?}");
            }
        }
    }
    assert!(pairs > 0, "the toy has a set that breaks only together");
    let undecided = |within: &Within| !within.undecided.1.is_empty();
    assert!(unknowing.rows.iter().flat_map(|row| &row.within).any(undecided), "400 states are too few");
}

/// Searches that find nothing out decide nothing.
#[test]
fn unknown_prunes_nothing() {
    let subject = toy();
    let matrix = surveyed(&subject, &bounds(1, &[1]));
    for row in &matrix.rows {
        for within in &row.within {
            assert_eq!(within.breaks().count(), 0);
            assert_eq!((within.safe.len(), within.perhaps_larger.len()), (0, 0));
            let all: Vec<Kind> = subject.kinds.iter().map(|(kind, _)| *kind).collect();
            assert_eq!(within.undecided, (vec![vec![]], vec![all]));
        }
    }
}

#[test]
fn whoever_says_stop_gets_what_is_known() {
    let matrix = survey(&toy(), &bounds(1, &STATES_MAX), &mut |_| ControlFlow::Break(()));
    assert!(!matrix.is_complete);
    assert_eq!(matrix.breaks().count(), 0);
}

#[test]
fn the_report_is_the_same_for_any_number_of_threads() {
    let told = |threads| {
        let matrices = [surveyed(&toy(), &bounds(threads, &STATES_MAX[..1]))];
        let story = AssumptionStory { matrices: &matrices, command: "a test", states_max: &STATES_MAX[..1] };
        let (markdown, json) = (assumptions_markdown(story), assumptions_json(story));
        let value: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
        let lock = &value["locks"][0];
        assert_eq!((lock["lock"].as_str(), lock["complete"].as_bool()), (Some("toy"), Some(true)));
        for (oracle, _, broken) in matrices[0].breaks() {
            let folder = break_folder("toy", oracle, broken).expect("the toy breaks by more than a touch");
            assert!(markdown.contains(&format!("(failures/{folder}/scenario.toml)")), "{folder}");
            assert!(json.contains(&format!("\"{folder}\"")), "{folder}");
        }
        (markdown, json)
    };
    let first = told(1);
    assert!(first == told(3), "threads change nothing of it");
}

/// What is compared is what the issue of safety is about: every kind strikes at least one lock.
#[test]
fn every_kind_is_in_some_lock_and_each_lock_has_its_expectations() {
    let subjects = shipped_subjects();
    let mut struck: BTreeSet<Kind> = BTreeSet::new();
    for subject in &subjects {
        struck.extend(subject.kinds.iter().map(|(kind, _)| *kind));
        assert_eq!(subject.kinds.len() + subject.absent.len(), Kind::TEXTS.len());
        assert!(!subject.model.source.is_empty(), "{}", subject.model.name);
        // Without faults each ends as its file says.
        let oracles: Vec<OracleName> = subject.oracles().collect();
        let model = subject.world(Kinds::NONE, 0, &oracles);
        let proof = prove_model(&model, &OPTIONS, &mut |_| ControlFlow::Continue(()));
        for ((oracle, expected), (_, finding)) in subject.model.expect.iter().zip(&proof.findings) {
            let ended = match finding {
                Finding::Held => Expected::Held,
                Finding::Violated(_) => Expected::Violated,
                Finding::NotExercised | Finding::NotApplicable | Finding::Unknown => Expected::NotExercised,
            };
            assert_eq!(ended, *expected, "{}: {oracle}", subject.model.name);
        }
    }
    assert_eq!(struck.len(), Kind::TEXTS.len());
    let unknown = shipped_subject("redlok-3").expect_err("no such lock");
    assert_eq!(unknown.suggestion.as_deref(), Some("redlock-3"));
}

/// The committed report: every plan that it links to is there, and still violates its oracle bit for bit.
#[test]
fn committed_plans_violate_what_they_were_kept_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports");
    let report = std::fs::read_to_string(root.join("assumptions.md")).expect("the report is committed");
    let mut folders = 0;
    for entry in std::fs::read_dir(root.join("failures")).expect("plans are committed") {
        let folder = entry.expect("an entry").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let read = |file: &str| std::fs::read_to_string(folder.join(file)).expect(file);
        let scenario = parse("scenario.toml", &read("scenario.toml")).expect("a scenario");
        let meta = Meta::read(&read("meta.json")).expect("its facts");
        let result = fencepost::sim::run(&scenario, REPLAY_SEED);
        assert_eq!(result.judgement.as_expected(), Some(true), "{name}");
        assert_eq!(format!("{:016x}", result.digest), meta.digest, "{name}");
        assert!(report.contains(&format!("(failures/{name}/scenario.toml)")), "{name} is linked");
        folders += 1;
    }
    assert!(folders > 20, "only {folders} plans");
}

/// One lock as a page and as an object, the right name for a wrong one, and no files unless all are asked for.
#[test]
fn the_verb_tells_one_lock() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| {
        let mut command = assert_cmd::cargo::cargo_bin_cmd!("fencepost");
        let output = command.current_dir(folder.path()).args(args).output().expect("it runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (code, page, _) = run(&["prove", "--assumptions", "none"]);
    assert_eq!(code, Some(0));
    assert!(page.contains("section-overlap: violated without faults"), "{page}");
    assert!(page.contains("even without faults") && page.contains("left out"), "{page}");
    std::fs::write(folder.path().join("toy.toml"), TOY).expect("a file");
    let (code, object, _) = run(&["prove", "--assumptions", "./toy.toml", "--format", "json"]);
    assert_eq!(code, Some(0));
    let value: serde_json::Value = serde_json::from_str(&object).expect("one line of JSON");
    assert_eq!(value["locks"][0]["oracles"][1]["oracle"], "stale-write");
    let (code, _, complaint) = run(&["prove", "--assumptions", "redlok-3"]);
    assert_eq!(code, Some(64));
    assert!(complaint.contains("redlock-3"), "{complaint}");
    assert!(!folder.path().join("reports").exists(), "nothing was written");
}
