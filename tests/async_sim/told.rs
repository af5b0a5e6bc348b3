//! What a failed test says: the sentence, the line that repeats it, the timeline, as on the command line.
//!
//! Must not compare whole texts: reports have tests of their own.

use super::ground::{millis, panics, world};
use super::lock::{self, gives_back, takes};
use fencepost::async_sim::{Code, Sim};
use fencepost::check::OracleName;

/// Works for a second longer than its key lives, and promises it all.
fn careless(plan: &str) -> Code {
    world(2, 1, plan).named("the careless lock").client(async |sim: Sim| {
        sim.sleep(millis(50 * sim.client() as u64)).await;
        let hold = sim.hold(takes(sim.clone())).until(|_| sim.lasting(millis(3_000)));
        let work = async |_: &mut lock::Held| {
            sim.sleep(millis(3_000)).await;
            let _ = sim.store().write().await;
        };
        let _ = hold.work_then(work, async |held| gives_back(held).await).await;
    })
}

#[test]
fn a_failure_says_what_went_wrong_how_to_repeat_it_and_what_happened() {
    let text = panics(|| careless("").assert_holds(["promise-overlap", "stale-write"]));
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("ground: not as expected: promise-overlap was expected to be held"),
        "{text}"
    );
    let here = "told::a_failure_says_what_went_wrong_how_to_repeat_it_and_what_happened";
    assert_eq!(lines[1], format!("FENCEPOST_SEED=1 cargo test {here} -- --exact"));
    for told in [
        "world  actor ",
        "client-1  3000.080",
        "GRANTED grant 1 until ",
        "promise-overlap  violated  EXPECTED held",
        "lock       the careless lock: asks one node, TTL 2 s",
        "digest ",
    ] {
        assert!(text.contains(told), "{told:?} is missing:\n{text}");
    }
    let timeline = lines.iter().skip(4).take_while(|line| !line.is_empty()).count();
    assert!((5..=26).contains(&timeline), "{timeline} lines:\n{text}");
}

/// The hunt says how many, and shows the first.
#[test]
fn a_failed_hunt_shows_a_run_of_it() {
    let code = || careless("");
    let text = panics(|| {
        world(2, 1, "")
            .seeds(5..9)
            .client(async |sim: Sim| {
                sim.sleep(millis(50 * sim.client() as u64)).await;
                let hold = sim.hold(takes(sim.clone())).until(|_| sim.lasting(millis(3_000)));
                let _ = hold.work(async |_: &mut lock::Held| sim.sleep(millis(3_000)).await).await;
            })
            .assert_holds(["promise-overlap"])
    });
    assert!(text.contains("in 4 of 4 runs, first with seed 5\nFENCEPOST_SEED=5 cargo test told::a_failed_hunt_shows_a_run_of_it -- --exact"), "{text}");
    assert!(
        text.contains("\nFENCEPOST_SEED=5 cargo test told::a_failed_hunt_shows_a_run_of_it -- --exact"),
        "{text}"
    );
    code().assert_violates("promise-overlap");
}

#[test]
fn a_test_that_could_not_fail_is_an_error() {
    let cases: [(&str, fn()); 4] = [
        ("name at least one oracle: a test of none cannot fail", || careless("").assert_holds([""; 0])),
        ("\"promise-overlaps\" is no oracle; they are promise-overlap, ", || {
            careless("").assert_holds(["promise-overlaps"])
        }),
        ("ground expects nothing: name oracles with `assert_holds`", || careless("").assert_as_expected()),
        ("not as expected: fence-order was expected to be held and ended n/a", || {
            careless("").assert_holds(["fence-order"])
        }),
    ];
    for (expected, fails) in cases {
        let text = panics(fails);
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn a_plan_that_did_not_come_about_is_a_failure() {
    let plan = "[[plan]]\npause = { after = \"client-1#1:write.7.check\", of = \"client-1\", kind = \"stop\", for_ms = 10 }";
    let text = panics(|| careless(plan).assert_violates("promise-overlap"));
    assert!(text.contains("planned fault 1 never took effect"), "{text}");
}

/// Of code that says nothing but that it holds, a report says nothing more.
#[test]
fn what_the_code_leaves_open_is_left_open() {
    let untold = world(2, 1, "").client(async |sim: Sim| {
        sim.sleep(millis(50 * sim.client() as u64)).await;
        let work = async |_: &mut lock::Held| {
            sim.sleep(millis(3_000)).await;
            let _ = sim.store().write().await;
        };
        let _ = sim.section(takes(sim.clone()), work).await;
    });
    let text = panics(|| untold.assert_holds(["section-overlap", "stuck"]));
    assert!(text.contains("TTL 2 s, promise as its caller says\n"), "{text}");
    assert!(text.contains("ACCEPTS a write of client-1 with grant 1\n"), "{text}");
    assert!(!text.contains("one call of acquire"), "{text}");
}

/// Clocks of the machine are virtual; what is drawn behind the back of the simulation is found out.
#[test]
fn code_that_runs_differently_the_second_time_is_found_out() {
    let runs = std::sync::atomic::AtomicU64::new(0);
    let code = world(1, 1, "").client(move |sim: Sim| {
        let nap = millis(runs.fetch_add(1, std::sync::atomic::Ordering::SeqCst));
        async move {
            sim.sleep(nap).await;
            let _ = sim.section(takes(sim.clone()), async |_: &mut lock::Held| ()).await;
        }
    });
    let text = panics(|| code.run());
    assert!(text.starts_with("ground: two runs of seed 1 differ from record 1 on\n"), "{text}");
}

/// From a run that fails for two reasons, what is left is one of them.
#[test]
fn a_failure_can_be_shrunk() {
    let plan = "[[plan]]\nclock-rate = { at_ms = 0, of = \"client-1\", ppm = 10 }\n\
                [[plan]]\nslow = { at_ms = 0, of = \"node-1\", by_ms = 1, for_ms = 10 }";
    let shrunk = careless(plan).shrink(1, OracleName::PromiseOverlap, 200).expect("it is violated");
    assert!(shrunk.scenario.setup.plan.faults.is_empty(), "{:?}", shrunk.scenario.setup.plan.faults);
    assert!(careless("").shrink(1, OracleName::FenceOrder, 10).is_err());
}
