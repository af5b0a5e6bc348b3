//! What each fault of a process or a clock does, to the microsecond.

use super::story::{Given, given};

const LIFE: &str = "acquire granted refused promise-end enter leave released done started fault fault-end";

#[test]
fn without_faults_a_cycle_takes_two_round_trips_and_its_work() {
    given().tells(
        "sent handled applied granted promise promise-end enter leave released done gone backing",
        "0 client-1 sent client-1#1>node-1:acquire.1.set.1:request
         1 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         1 node-1 applied 1.1 Written
         1 node-1 sent client-1#1>node-1:acquire.1.set.1:reply
         2 client-1 handled client-1#1>node-1:acquire.1.set.1:reply
         2 client-1 granted 1 until mono 988
         2 client-1 promise 1
         2 client-1 enter 1
         2 client-1 backing 1 0/1 promised Promise
         102 client-1 leave 1 Finished
         102 client-1 promise-end 1 Released
         102 client-1 sent client-1#1>node-1:release.1.eval.1:request
         103 node-1 handled client-1#1>node-1:release.1.eval.1:request
         103 node-1 applied 1.1 Removed
         103 node-1 sent client-1#1>node-1:release.1.eval.1:reply
         104 client-1 handled client-1#1>node-1:release.1.eval.1:reply
         104 client-1 released 1 Confirmed
         104 client-1 done",
    );
}

#[test]
fn a_stopped_client_handles_nothing_and_its_clocks_run_on() {
    // Its promise ends on its clock while it stands still inside; its work is over when it wakes.
    given().plan(&["pause = { at_ms = 50, of = \"client-1\", kind = \"stop\", for_ms = 2_000 }"]).tells(
        LIFE,
        "0 client-1 acquire 1
         2 client-1 granted 1 until mono 988
         2 client-1 enter 1
         50 client-1 fault 0
         988 client-1 promise-end 1 Reached
         2050 client-1 fault-end 0
         2050 client-1 leave 1 Finished
         2052 client-1 released 1 NotOwned
         2052 client-1 done",
    );
}

#[test]
fn a_suspended_client_keeps_its_monotonic_promise() {
    given().plan(&["pause = { at_ms = 50, of = \"client-1\", kind = \"suspend\", for_ms = 2_000 }"]).tells(
        "promise-end leave gone backing",
        "2 client-1 backing 1 0/1 promised Promise
         1002 node-1 gone Expiry
         1002 client-1 backing 1 1/1 promised Expiry
         2102 client-1 leave 1 Finished
         2102 client-1 promise-end 1 Released",
    );
    // On the wall clock the promise runs on.
    given()
        .lock("single", "ttl_ms = 1_000\nclock = \"wall\"")
        .plan(&["pause = { at_ms = 50, of = \"client-1\", kind = \"suspend\", for_ms = 2_000 }"])
        .tells("promise-end leave", "988 client-1 promise-end 1 Reached\n2102 client-1 leave 1 Finished");
}

#[test]
fn a_message_and_a_timer_wait_for_the_end_of_a_pause() {
    let pause = "pause = { at_us = 1_500, of = \"client-1\", kind = \"stop\", for_ms = 40 }";
    // By default the queued reply comes before the due timer of its request, so it counts as in time.
    given().plan(&[pause]).tells(
        "timeout granted refused handled",
        "1 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         41.500 client-1 handled client-1#1>node-1:acquire.1.set.1:reply
         41.500 client-1 granted 1 until mono 988
         142.500 node-1 handled client-1#1>node-1:release.1.eval.1:request
         143.500 client-1 handled client-1#1>node-1:release.1.eval.1:reply",
    );
}

#[test]
fn a_paused_node_and_a_paused_store_answer_afterwards() {
    given()
        .work("cycles = 1\nwork_ms = 100\nwrites = 1\nholder = \"never\"")
        .plan(&["pause = { at_ms = 0, of = \"node-1\", kind = \"stop\", for_ms = 10 }"])
        .tells(
            "handled applied granted",
            "10 node-1 handled client-1#1>node-1:acquire.1.set.1:request
             10 node-1 applied 1.1 Written
             11 client-1 handled client-1#1>node-1:acquire.1.set.1:reply
             11 client-1 granted 1 until mono 988
             112 store handled client-1#1>store:write.1:request
             113 client-1 handled client-1#1>store:write.1:reply
             114 node-1 handled client-1#1>node-1:release.1.eval.1:request
             114 node-1 applied 1.1 Removed
             115 client-1 handled client-1#1>node-1:release.1.eval.1:reply",
        );
}

/// A lock of 90 ms whose watchdog renews every 30 ms, and 200 ms of work.
fn renewing() -> Given {
    given()
        .lock("single", "ttl_ms = 90\nextension = \"compare\"\nrenewal = \"watchdog\"")
        .work("cycles = 1\nwork_ms = 200\nwrites = 0\nholder = \"never\"")
}

#[test]
fn a_paused_worker_stops_alone() {
    // The user stands still from 50 to 400; the watchdog renews on. The user's release waits.
    renewing()
        .plan(&[
            "pause = { at_ms = 50, of = \"client-1\", worker = \"user\", kind = \"stop\", for_ms = 150 }",
        ])
        .tells(
            "extended leave promise-end fault-end",
            "34 client-1 extended 1 true
             64 client-1 extended 1 true
             94 client-1 extended 1 true
             124 client-1 extended 1 true
             154 client-1 extended 1 true
             184 client-1 extended 1 true
             200 client-1 fault-end 0
             202 client-1 leave 1 Finished
             202 client-1 promise-end 1 Released",
        );
    // The watchdog stands still: nothing is renewed, and the promise ends on the clock; the user goes on. When
    // the watchdog runs again it tells the loss.
    renewing()
        .plan(&[
            "pause = { at_ms = 40, of = \"client-1\", worker = \"watchdog\", kind = \"stop\", for_ms = 140 }",
        ])
        .tells(
            "extended leave promise-end loss released",
            "34 client-1 extended 1 true
             119.100 client-1 promise-end 1 Reached
             180 client-1 loss 1 Expired
             202 client-1 leave 1 Finished
             204 client-1 released 1 NotOwned",
        );
}

#[test]
fn replies_to_a_paused_worker_wait_and_what_it_would_send_is_not_sent() {
    let user = "pause = { at_us = 500, of = \"client-1\", worker = \"user\", kind = \"stop\", for_ms = 10 }";
    given().plan(&[user]).tells(
        "handled granted",
        "1 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         2 client-1 handled client-1#1>node-1:acquire.1.set.1:reply
         10.500 client-1 granted 1 until mono 988
         111.500 node-1 handled client-1#1>node-1:release.1.eval.1:request
         112.500 client-1 handled client-1#1>node-1:release.1.eval.1:reply",
    );
    // The connection opens while the worker whose command waits for it is paused.
    let mut closed = given().plan(&[user]);
    closed.network = String::new();
    closed.tells(
        "sent granted",
        "0 client-1 sent client-1#1>node-1:connect.1:request
         1 node-1 sent client-1#1>node-1:connect.1:reply
         10.500 client-1 sent client-1#1>node-1:acquire.1.set.1:request
         11.500 node-1 sent client-1#1>node-1:acquire.1.set.1:reply
         12.500 client-1 granted 1 until mono 988
         112.500 client-1 sent client-1#1>node-1:release.1.eval.1:request
         113.500 node-1 sent client-1#1>node-1:release.1.eval.1:reply",
    );
}

#[test]
fn a_crashed_client_leaves_what_it_sent() {
    // The SET arrives, its answer finds nobody, and the key lives out its time.
    given().plan(&["crash = { at_us = 500, of = \"client-1\" }"]).tells(
        "handled applied lost granted gone done fault",
        "0.500 client-1 fault 0
         1 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         1 node-1 applied 1.1 Written
         2 client-1 lost client-1#1>node-1:acquire.1.set.1:reply Down
         1002 node-1 gone Expiry",
    );
}

#[test]
fn bytes_not_yet_sent_vanish_with_the_client() {
    let mut closed = given().plan(&["crash = { at_us = 500, of = \"client-1\" }"]);
    closed.network = String::new();
    closed.tells(
        "sent handled lost applied",
        "0 client-1 sent client-1#1>node-1:connect.1:request
         1 node-1 handled client-1#1>node-1:connect.1:request
         1 node-1 sent client-1#1>node-1:connect.1:reply
         2 client-1 lost client-1#1>node-1:connect.1:reply Down",
    );
}

#[test]
fn a_restarted_client_is_a_new_incarnation_that_goes_on_with_its_cycles() {
    given()
        .work("cycles = 2\nwork_ms = 100\nwrites = 0\nholder = \"never\"")
        .plan(&["crash = { at_ms = 150, of = \"client-1\", for_ms = 2_000 }"])
        .tells(
            LIFE,
            "0 client-1 acquire 1
             2 client-1 granted 1 until mono 988
             2 client-1 enter 1
             102 client-1 leave 1 Finished
             102 client-1 promise-end 1 Released
             104 client-1 released 1 Confirmed
             104 client-1 acquire 2
             106 client-1 granted 2 until mono 1092
             106 client-1 enter 2
             150 client-1 fault 0
             150 client-1 promise-end 2 Crashed
             150 client-1 leave 2 Crashed
             2150 client-1 started 2
             2150 client-1 fault-end 0
             2150 client-1 acquire 3
             2154 client-1 granted 3 until mono 3138
             2154 client-1 enter 3
             2254 client-1 leave 3 Finished
             2254 client-1 promise-end 3 Released
             2256 client-1 released 3 Confirmed
             2256 client-1 done",
        );
}

#[test]
fn answers_to_an_earlier_life_are_dropped() {
    given()
        .plan(&[
            "slow = { at_ms = 0, of = \"node-1\", by_ms = 8, for_ms = 12 }",
            "crash = { at_ms = 1, of = \"client-1\", for_ms = 12 }",
        ])
        .tells(
            "started handled lost refused",
            "9 node-1 handled client-1#1>node-1:acquire.1.set.1:request
             13 client-1 started 2
             14 node-1 handled client-1#2>node-1:connect.1:request
             15 client-1 handled client-1#2>node-1:connect.1:reply
             16 node-1 handled client-1#2>node-1:acquire.1.set.1:request
             17 client-1 handled client-1#2>node-1:acquire.1.set.1:reply
             18 node-1 handled client-1#2>node-1:acquire.1.eval.1:request
             18 client-1 lost client-1#1>node-1:acquire.1.set.1:reply Down
             19 client-1 handled client-1#2>node-1:acquire.1.eval.1:reply
             19 client-1 refused Taken",
        );
}

#[test]
fn overlapping_crashes_are_one_death() {
    given()
        .plan(&[
            "crash = { at_ms = 10, of = \"client-1\", for_ms = 100 }",
            "crash = { at_ms = 50, of = \"client-1\", for_ms = 2_000 }",
        ])
        .tells(
            "fault fault-end started granted leave",
            "2 client-1 granted 1 until mono 988
             10 client-1 fault 0
             10 client-1 leave 1 Crashed
             50 client-1 fault 1 without effect
             110 client-1 fault-end 0
             2050 client-1 started 2
             2050 client-1 fault-end 1
             2054 client-1 granted 2 until mono 3038
             2154 client-1 leave 2 Finished",
        );
    // A crash that ends inside another one: the later end starts the client, once.
    given()
        .plan(&[
            "crash = { at_ms = 10, of = \"client-1\", for_ms = 2_000 }",
            "crash = { at_ms = 50, of = \"client-1\", for_ms = 100 }",
        ])
        .tells(
            "started fault-end",
            "150 client-1 fault-end 1\n2010 client-1 started 2\n2010 client-1 fault-end 0",
        );
}

#[test]
fn a_restart_before_the_start_waits_for_it() {
    let mut late = given().plan(&["crash = { at_ms = 0, of = \"client-1\", for_ms = 100 }"]);
    late.start_ms = "500".into();
    late.tells("started acquire", "100 client-1 started 2\n500 client-1 acquire 1");
}

#[test]
fn a_killed_node_loses_its_data_and_resets_its_peers() {
    // In flight: a request that it has not handled.
    given().plan(&["kill = { at_us = 500, of = \"node-1\", for_ms = 1 }"]).tells(
        "handled lost refused timeout",
        "0.500 node-1 lost client-1#1>node-1:acquire.1.set.1:request Down
         2.500 node-1 handled client-1#1>node-1:connect.2:request
         3.500 client-1 handled client-1#1>node-1:connect.2:reply
         4.500 node-1 handled client-1#1>node-1:acquire.1.eval.1:request
         5.500 client-1 handled client-1#1>node-1:acquire.1.eval.1:reply
         5.500 client-1 refused Unknown",
    );
    // In flight: an answer that it had sent, which arrives.
    given().plan(&["kill = { at_us = 1_500, of = \"node-1\", for_ms = 1 }"]).tells(
        "handled lost granted gone backing",
        "1 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         1.500 node-1 gone Restart
         2 client-1 handled client-1#1>node-1:acquire.1.set.1:reply
         2 client-1 granted 1 until mono 988
         2 client-1 backing 1 0/1 promised Promise
         2.500 client-1 backing 1 1/1 promised Restart
         103 node-1 handled client-1#1>node-1:connect.2:request
         104 client-1 handled client-1#1>node-1:connect.2:reply
         105 node-1 handled client-1#1>node-1:release.1.eval.1:request
         106 client-1 handled client-1#1>node-1:release.1.eval.1:reply",
    );
}

#[test]
fn a_node_that_is_down_refuses_connections_and_overlapping_kills_are_one() {
    given()
        .plan(&[
            "kill = { at_ms = 0, of = \"node-1\", for_ms = 3 }",
            "kill = { at_ms = 1, of = \"node-1\", for_ms = 200 }",
        ])
        .work("cycles = 1\nwork_ms = 1\nwrites = 0\nholder = \"never\"\npatience_ms = 1_000\nagain_ms = 98")
        .tells(
            "fault fault-end lost refused granted",
            "0 node-1 fault 0
             1 node-1 fault 1 without effect
             1 node-1 lost client-1#1>node-1:acquire.1.set.1:request Down
             2 node-1 lost client-1#1>node-1:connect.2:request Down
             3 node-1 fault-end 0
             3 client-1 refused Unknown
             102 node-1 lost client-1#1>node-1:connect.3:request Down
             104 node-1 lost client-1#1>node-1:connect.4:request Down
             105 client-1 refused Unknown
             201 node-1 fault-end 1
             207 client-1 granted 1 until mono 1191",
        );
}

#[test]
fn faults_aimed_at_nobody_or_at_the_dead_do_nothing() {
    given()
        .plan(&[
            "crash = { at_ms = 0, of = \"client-1\" }",
            "pause = { at_ms = 1, of = \"client-1\", kind = \"stop\", for_ms = 5 }",
            "crash = { at_ms = 2, of = \"client-1\" }",
            "kill = { at_ms = 3, of = \"node-1\" }",
            "evict = { at_ms = 4, of = \"node-1\" }",
            "flush-scripts = { at_ms = 5, of = \"node-1\" }",
            "clock-step = { at_ms = 6, of = \"client-1\", by_ms = 5 }",
        ])
        .tells(
            "fault acquire started sent",
            "0 client-1 fault 0
             1 client-1 fault 1 without effect
             2 client-1 fault 2 without effect
             3 node-1 fault 3
             4 node-1 fault 4 without effect
             5 node-1 fault 5 without effect
             6 client-1 fault 6 without effect",
        );
}

#[test]
fn slow_late_error_evict() {
    let plan = |entry: &str| given().plan(&[entry]);
    plan("slow = { at_ms = 0, of = \"node-1\", by_ms = 3, for_ms = 2 }").tells(
        "handled granted",
        "4 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         5 client-1 handled client-1#1>node-1:acquire.1.set.1:reply
         5 client-1 granted 1 until mono 988
         106 node-1 handled client-1#1>node-1:release.1.eval.1:request
         107 client-1 handled client-1#1>node-1:release.1.eval.1:reply",
    );
    // Of two slow faults the waits add up.
    given()
        .plan(&[
            "slow = { at_ms = 0, of = \"node-1\", by_ms = 3, for_ms = 2 }",
            "slow = { at_ms = 0, of = \"node-1\", by_ms = 2, for_ms = 2 }",
        ])
        .tells("granted", "7 client-1 granted 1 until mono 988");
    plan("late-timer = { at_ms = 50, of = \"client-1\", by_ms = 30, for_ms = 500 }").tells(
        "leave released",
        "132 client-1 leave 1 Finished
         134 client-1 released 1 Confirmed",
    );
    plan("late-timer = { at_ms = 50, of = \"client-1\", by_ms = 300, for_ms = 100 }")
        .tells("leave", "150 client-1 leave 1 Finished");
    plan("error-reply = { at_ms = 0, of = \"node-1\", text = \"LOADING x\", for_ms = 2 }").tells(
        "handled applied refused",
        "1 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         2 client-1 handled client-1#1>node-1:acquire.1.set.1:reply
         3 node-1 handled client-1#1>node-1:acquire.1.eval.1:request
         3 node-1 applied 1.1 nothing
         4 client-1 handled client-1#1>node-1:acquire.1.eval.1:reply
         4 client-1 refused Taken",
    );
    plan("evict = { at_ms = 50, of = \"node-1\" }").tells(
        "fault gone backing thinned released",
        "2 client-1 backing 1 0/1 promised Promise
         50 node-1 fault 0
         50 node-1 gone Eviction
         50 client-1 backing 1 1/1 promised Eviction
         50 client-1 thinned 1
         104 client-1 released 1 NotOwned",
    );
}

/// The client works for a long time, and the key of 1 s goes.
fn idle() -> Given {
    given().work("cycles = 1\nwork_ms = 4_000\nwrites = 0\nholder = \"never\"")
}

#[test]
fn a_clock_fault_moves_the_promised_end_and_the_key_to_the_first_microsecond() {
    let cases: [(&[&str], &str); 9] = [
        (&[], "988 client-1 promise-end 1 Reached\n1002 node-1 gone Expiry"),
        (
            &["clock-step = { at_ms = 500, of = \"node-1\", by_ms = 100 }"],
            "902 node-1 gone Expiry\n988 client-1 promise-end 1 Reached",
        ),
        (
            &["clock-step = { at_ms = 500, of = \"node-1\", by_ms = -100 }"],
            "988 client-1 promise-end 1 Reached\n1102 node-1 gone Expiry",
        ),
        (
            &["clock-step = { at_ms = 500, of = \"node-1\", by_ms = 502 }"],
            "500 node-1 gone ClockFault\n988 client-1 promise-end 1 Reached",
        ),
        (
            // Written at 1.5 ms of its clock, gone when that shows 1002.
            &["clock-rate = { at_ms = 0, of = \"node-1\", ppm = 500_000, for_ms = 3_000 }"],
            "668 node-1 gone Expiry\n988 client-1 promise-end 1 Reached",
        ),
        (
            &["clock-freeze = { at_ms = 500, of = \"node-1\", for_ms = 1_000 }"],
            "988 client-1 promise-end 1 Reached\n2002 node-1 gone Expiry",
        ),
        (
            &["clock-rate = { at_ms = 0, of = \"client-1\", ppm = -500_000, for_ms = 9_000 }"],
            "1002 node-1 gone Expiry\n1976 client-1 promise-end 1 Reached",
        ),
        (
            &["clock-freeze = { at_ms = 500, of = \"client-1\", clock = \"mono\", for_ms = 1_000 }"],
            "1002 node-1 gone Expiry\n1988 client-1 promise-end 1 Reached",
        ),
        (
            // Two causes at once: 1.5 times the rate from 0 to 400, twice to 600 (they add up), 1.5 again.
            &[
                "clock-rate = { at_ms = 0, of = \"node-1\", ppm = 500_000, for_ms = 3_000 }",
                "clock-rate = { at_ms = 400, of = \"node-1\", ppm = 500_000, for_ms = 200 }",
            ],
            "601.334 node-1 gone Expiry\n988 client-1 promise-end 1 Reached",
        ),
    ];
    for (plan, expected) in cases {
        idle().plan(plan).tells("promise-end gone", &format!("{expected}\n"));
    }
}

#[test]
fn a_wall_clock_promise_follows_steps_and_ends_with_the_step_that_passes_it() {
    let wall = || idle().lock("single", "ttl_ms = 1_000\nclock = \"wall\"");
    wall()
        .plan(&["clock-step = { at_ms = 500, of = \"client-1\", by_ms = -200 }"])
        .tells("promise-end", "1188 client-1 promise-end 1 Reached");
    wall()
        .plan(&["clock-step = { at_ms = 500, of = \"client-1\", by_ms = 200 }"])
        .tells("promise-end", "788 client-1 promise-end 1 Reached");
    // The crash that comes directly after the step cuts a promise that is over already.
    wall()
        .plan(&[
            "clock-step = { at_ms = 500, of = \"client-1\", by_ms = 600 }",
            "crash = { at_ms = 500, of = \"client-1\" }",
        ])
        .tells(
            "fault promise-end",
            "500 client-1 fault 0\n500 client-1 promise-end 1 Reached\n500 client-1 fault 1",
        );
}

#[test]
fn overlapping_freezes_and_suspends_end_with_the_last() {
    let freeze = "clock-freeze = { at_ms = 500, of = \"client-1\", clock = \"mono\", for_ms = 1_000 }";
    let cases = [
        "clock-freeze = { at_ms = 600, of = \"client-1\", clock = \"mono\", for_ms = 100 }",
        "pause = { at_ms = 600, of = \"client-1\", kind = \"suspend\", for_ms = 100 }",
    ];
    for other in cases {
        idle().plan(&[freeze, other]).tells("promise-end", "1988 client-1 promise-end 1 Reached");
    }
    let suspend = "pause = { at_ms = 500, of = \"node-1\", kind = \"suspend\", for_ms = 100 }";
    let stop = "pause = { at_ms = 550, of = \"node-1\", kind = \"stop\", for_ms = 200 }";
    let run = idle().plan(&[suspend, stop]).run();
    let shown = |at: u64| {
        let record = run.records.iter().find(|r| r.at.0 == at * 1_000 && r.process == super::story::node(0));
        record.map(|record| record.now.mono.0 - 1_000_000_000)
    };
    // A stop does not touch the clock: it stood still for 100 ms only.
    assert_eq!((shown(600), shown(750)), (Some(500_000), Some(650_000)));
}
