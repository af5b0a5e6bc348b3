//! Bounded expectations: when a watch begins, is met, missed or voided.
//!
//! A client takes 40 ms at most for one call here (asking and cleaning,
//! 20 ms each); a leak is judged two node timeouts and the largest latency after the caller was told.

use super::story::{Given, given};

const COMPARE: &str = "extension = \"compare\"";
const SILENT: &str = "extension = \"compare\"\non_loss = \"silent\"";
const KINDS: &str = "watch watched";

fn two(plan: &[&str], start: &str) -> Given {
    let mut two = given().plan(plan);
    (two.clients, two.start_ms) = (2, start.into());
    two
}

#[test]
fn an_available_lock_is_watched_and_met() {
    given().tells(
        KINDS,
        "0 client-1 watch Unavailable 1 due 40
         0 client-1 watch Stuck 1 due 240
         2 client-1 watched Stuck 1 Met
         2 client-1 watched Unavailable 1 Met
         104 client-1 watch Leak 1 due 145
         145.001 client-1 watched Leak 1 Met",
    );
}

/// The ends of the watches of one kind.
#[track_caller]
fn ends(given: &Given, kind: &str, expected: &[&str]) {
    let told = super::story::story(&given.run().records, "watched");
    let of_kind = told.iter().filter(|line| line.contains(kind));
    let ends: Vec<_> = of_kind.map(|line| line.rsplit(' ').next().unwrap_or_default()).collect();
    assert_eq!(ends, expected, "{kind} in {told:#?}");
}

#[test]
fn unavailable_is_missed_only_if_nothing_but_the_lock_is_to_blame() {
    let busy = "error-reply = { at_us = 500, of = \"node-1\", text = \"BUSY\", for_ms = 1 }";
    let cases: [(&[&str], &[&str]); 8] = [
        (&[], &["Met"]),
        // Whoever begins while the node is away is not watched.
        (&["kill = { at_ms = 0, of = \"node-1\", for_ms = 50 }"], &[]),
        (&["slow = { at_ms = 0, of = \"node-1\", by_ms = 50, for_ms = 500 }"], &[]),
        (&["clock-rate = { at_ms = 0, of = \"client-1\", ppm = -500_000, for_ms = 500 }"], &[]),
        (&[busy], &["Void"]),
        (&["pause = { at_ms = 1, of = \"client-1\", kind = \"stop\", for_ms = 500 }"], &["Void"]),
        (&["message = { name = \"client-1#1>node-1:acquire.1.set.1:reply\", lose = true }"], &["Void"]),
        (&["crash = { at_ms = 1, of = \"client-1\" }"], &["Void"]),
    ];
    for (plan, expected) in cases {
        ends(&given().plan(plan), "Unavailable", expected);
    }
    // The policy cannot win: its timeout is shorter than a round trip.
    ends(&given().lock("single", "ttl_ms = 1_000\nnode_timeout_ms = 1"), "Unavailable", &["Missed"]);
    // Another client wants it at the same time: nobody is watched, or no longer.
    ends(&two(&[], "0"), "Unavailable", &["Void"]);
    // A live key of another call counts as held.
    ends(&two(&["crash = { at_ms = 50, of = \"client-1\" }"], "[0, 500]"), "Unavailable", &["Met"]);
}

#[test]
fn a_leak_is_a_key_that_could_have_been_removed() {
    let lost = "message = { name = \"client-1#1>node-1:release.1.eval.1:request\", lose = true }";
    ends(&given(), "Leak", &["Met"]);
    ends(&given().plan(&[lost]), "Leak", &["Missed"]);
    let cut = |at: u32| {
        format!(
            "cut = {{ at_ms = {at}, between = [\"client-1\", \"node-1\"], direction = \"both\", how = \"hold\", for_ms = 5 }}"
        )
    };
    // Unreachable when told: not watched. Touched before the bound: not judged.
    ends(&given().plan(&[lost, &cut(120)]), "Leak", &[]);
    ends(&given().plan(&[lost, &cut(130)]), "Leak", &["Void"]);
    // A write that arrives after the caller was told of the failure is its key too.
    let late = "message = { name = \"client-1#1>node-1:acquire.1.set.1:request\", delay_ms = 60 }";
    let mut anew = given().plan(&[late]);
    anew.network = "connections = \"open\"\non_timeout = \"reconnect\"".into();
    ends(&anew, "Leak", &["Missed"]);
}

#[test]
fn stuck_waits_for_the_faults_to_end_and_the_others_to_rest() {
    // Client 1 dies holding; client 2 wants it for long enough: due after the key's remaining life, one call and
    // one wait.
    let patient =
        "cycles = 1\nwork_ms = 100\nwrites = 0\nholder = \"never\"\npatience_ms = 3_000\nagain_ms = 50";
    let crash = "crash = { at_ms = 10, of = \"client-1\" }";
    two(&[crash], "[0, 20]").work(patient).tells(
        KINDS,
        "0 client-1 watch Unavailable 1 due 40
         2 client-1 watched Unavailable 1 Met
         20 client-2 watch Stuck 1 due 1092
         1046 client-2 watch Unavailable 20 due 1086
         1048 client-2 watched Stuck 1 Met
         1048 client-2 watched Unavailable 20 Met
         1150 client-2 watch Leak 20 due 1191
         1191.001 client-2 watched Leak 20 Met",
    );
}

#[test]
fn silent_loss_is_blamed_on_a_watchdog_that_could_know() {
    let renewing = |keys: &str, plan: &[&str]| {
        given()
            .lock("single", &format!("ttl_ms = 90\nrenewal = \"watchdog\"\n{keys}"))
            .work("cycles = 1\nwork_ms = 300\nwrites = 0\nholder = \"never\"")
            .plan(plan)
    };
    let evict = "evict = { at_ms = 100, of = \"node-1\" }";
    let asleep =
        "pause = { at_ms = 90, of = \"client-1\", worker = \"watchdog\", kind = \"stop\", for_ms = 150 }";
    ends(&renewing(COMPARE, &[evict]), "SilentLoss", &["Met"]);
    ends(&renewing(SILENT, &[evict]), "SilentLoss", &["Missed"]);
    ends(&renewing(SILENT, &[asleep, evict]), "SilentLoss", &["Void"]);
    ends(&renewing("extension = \"recreate\"", &[evict]), "SilentLoss", &["Void"]);
    ends(&renewing(SILENT, &[evict, "crash = { at_ms = 110, of = \"client-1\" }"]), "SilentLoss", &["Void"]);
}

/// Two of five voters forgot and one is down: the two that answer and the one that does not could still be a quorum,
/// so no renewal can know. Three that answer that they forgot leave no doubt.
#[test]
fn silent_loss_needs_enough_voters_that_answer_to_be_known() {
    let quorum = |plan: &[&str]| {
        let mut five = given()
            .lock("redlock", &format!("ttl_ms = 90\nrenewal = \"watchdog\"\n{SILENT}"))
            .work("cycles = 1\nwork_ms = 300\nwrites = 0\nholder = \"never\"")
            .plan(plan);
        five.nodes = 5;
        five
    };
    let two = "evict = { at_ms = 100, of = [\"node-1\", \"node-2\"] }";
    ends(&quorum(&[two, "kill = { at_ms = 100, of = \"node-3\" }"]), "SilentLoss", &["Void"]);
    ends(&quorum(&[two, "evict = { at_ms = 100, of = \"node-3\" }"]), "SilentLoss", &["Missed"]);
}

#[test]
fn a_run_in_which_hardly_any_time_passes_is_stopped_by_its_events() {
    // Client 2 asks again after 1 us while client 1 works: five events in each microsecond.
    let mut still = two(&[], "0").lock("single", "ttl_ms = 1_000\nretry_delay_ms = 0\nretry_jitter_ms = 0");
    still.latency_us = (0, 0);
    let still = still.work("cycles = 1\nwork_ms = 100\nwrites = 0\npatience_ms = 1_000\nholder = \"never\"");
    let scenario = still.scenario();
    let run = fencepost::sim::Explorer::new(&scenario).at_most(10_000).run(1, fencepost::sim::Keep::Nothing);
    assert_eq!((run.events, run.end), (10_000, fencepost::time::WorldTime(1_999)));
    assert_eq!(run.judgement.exit_code(), 2);
}
