//! Cuts, black holes, reconnects and single messages: what becomes of bytes in flight.
//!
//! **Source** The order of bytes on one connection is TCP's.

use super::scripted::{Voice, Watched};
use super::story::{Given, given, same, story};

fn cut(at: &str, how: &str, direction: &str, peer: &str, for_ms: u32) -> String {
    format!(
        "cut = {{ {at}, between = [\"client-1\", \"{peer}\"], direction = \"{direction}\", how = \"{how}\", for_ms = {for_ms} }}"
    )
}

#[track_caller]
fn tells(given: Given, plan: &str, kinds: &str, expected: &str) {
    given.plan(&[plan]).tells(kinds, expected);
}

#[test]
fn a_reset_loses_both_directions_and_tells_both_sides_after_one_latency() {
    for direction in ["both", "requests", "replies"] {
        // The request is lost; at 1.5 ms its client is told, and takes its attempt back on a new connection.
        tells(
            given(),
            &cut("at_us = 500", "reset", direction, "node-1", 1),
            "lost timeout handled refused",
            "0.500 node-1 lost client-1#1>node-1:acquire.1.set.1:request Reset
             2.500 node-1 handled client-1#1>node-1:connect.2:request
             3.500 client-1 handled client-1#1>node-1:connect.2:reply
             4.500 node-1 handled client-1#1>node-1:acquire.1.eval.1:request
             5.500 client-1 handled client-1#1>node-1:acquire.1.eval.1:reply
             5.500 client-1 refused Unknown",
        );
    }
}

#[test]
fn a_reset_loses_the_answer_of_what_was_done() {
    tells(
        given(),
        &cut("at_us = 1_500", "reset", "both", "node-1", 1),
        "lost applied gone refused",
        "1 node-1 applied 1.1 Written
         1.500 node-1 lost client-1#1>node-1:acquire.1.set.1:reply Reset
         5.500 node-1 applied 1.1 Removed
         6.500 client-1 refused Unknown",
    );
}

#[test]
fn a_connection_that_was_reset_stays_dead_after_healing() {
    // The cut is over at 52.5 ms, its notice arrives at 53.5: what is sent between on the dead connection is lost.
    let mut slow = given()
        .lock("single", "ttl_ms = 1_000\nextension = \"compare\"")
        .work("cycles = 1\nwork_ms = 100\nwrites = 0\nextend_at_ms = [49]\nholder = \"never\"");
    (slow.latency_us, slow.limit_ms) = ((2_000, 2_000), 100);
    tells(
        slow,
        &cut("at_us = 51_500", "reset", "both", "node-1", 1),
        "sent lost extend-failed",
        "0 client-1 sent client-1#1>node-1:acquire.1.set.1:request
         2 node-1 sent client-1#1>node-1:acquire.1.set.1:reply
         53 client-1 sent client-1#1>node-1:extend.1.eval.1:request
         53.500 client-1 extend-failed 1 Unknown
         55 node-1 lost client-1#1>node-1:extend.1.eval.1:request Reset",
    );
}

#[test]
fn a_hold_keeps_bytes_in_order_until_healing() {
    let requests = "4 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         5 client-1 handled client-1#1>node-1:acquire.1.set.1:reply
         5 client-1 granted 1 until mono 988";
    let replies = "1 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         4 client-1 handled client-1#1>node-1:acquire.1.set.1:reply
         4 client-1 granted 1 until mono 988";
    for (direction, expected) in [("both", requests), ("requests", requests), ("replies", replies)] {
        let mut brief = given().plan(&[&cut("at_ms = 0", "hold", direction, "node-1", 4)]);
        brief.limit_ms = 100;
        brief.tells("handled granted lost", expected);
    }
    // A connection that is opened into a hold is answered after healing.
    let mut closed = given().plan(&[&cut("at_ms = 0", "hold", "both", "node-1", 4)]);
    (closed.network, closed.limit_ms) = (String::new(), 7);
    closed.tells(
        "handled",
        "4 node-1 handled client-1#1>node-1:connect.1:request
         5 client-1 handled client-1#1>node-1:connect.1:reply
         6 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         7 client-1 handled client-1#1>node-1:acquire.1.set.1:reply",
    );
}

#[test]
fn a_connect_into_a_reset_is_refused_after_one_latency() {
    let mut closed = given().plan(&[&cut("at_ms = 0", "reset", "both", "node-1", 4)]);
    closed.network = String::new();
    closed.tells(
        "sent lost refused",
        "0 client-1 sent client-1#1>node-1:connect.1:request
         0 client-1 lost client-1#1>node-1:connect.1:request Reset
         1 client-1 sent client-1#1>node-1:connect.2:request
         1 client-1 lost client-1#1>node-1:connect.2:request Reset
         2 client-1 refused Unknown",
    );
}

#[test]
fn a_black_hole_accepts_and_never_answers() {
    let hole = |direction| cut("at_ms = 0", "black-hole", direction, "node-1", 30);
    let mut closed = given().plan(&[&hole("both")]);
    (closed.network, closed.limit_ms) = (String::new(), 50);
    closed.tells(
        "handled lost timeout refused",
        "1 node-1 handled client-1#1>node-1:connect.1:request
         2 client-1 handled client-1#1>node-1:connect.1:reply
         2 client-1 lost client-1#1>node-1:acquire.1.set.1:request BlackHole
         20 client-1 timeout client-1#1>node-1:acquire.1.set.1:request
         20 client-1 lost client-1#1>node-1:acquire.1.eval.1:request BlackHole
         40 client-1 timeout client-1#1>node-1:acquire.1.eval.1:request
         40 client-1 refused Unknown",
    );
    let mut replies = given().plan(&[&hole("replies")]);
    replies.limit_ms = 30;
    replies.tells(
        "handled lost timeout applied",
        "1 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         1 node-1 applied 1.1 Written
         1 node-1 lost client-1#1>node-1:acquire.1.set.1:reply BlackHole
         20 client-1 timeout client-1#1>node-1:acquire.1.set.1:request
         21 node-1 handled client-1#1>node-1:acquire.1.eval.1:request
         21 node-1 applied 1.1 Removed
         21 node-1 lost client-1#1>node-1:acquire.1.eval.1:reply BlackHole",
    );
}

#[test]
fn of_two_cuts_the_strongest_counts_and_each_ends_alone() {
    let hold = cut("at_ms = 0", "hold", "both", "node-1", 10);
    let reset = cut("at_ms = 0", "reset", "both", "node-1", 3);
    for plan in [[hold.as_str(), reset.as_str()], [reset.as_str(), hold.as_str()]] {
        let mut given = given().plan(&plan);
        given.limit_ms = 14;
        // The notice of the reset at 1 ms gets through while the reset lasts; the next connection waits in the
        // hold if the reset is over, and is refused if not.
        given.tells(
            "sent lost handled refused",
            "0 client-1 sent client-1#1>node-1:acquire.1.set.1:request
             0 client-1 lost client-1#1>node-1:acquire.1.set.1:request Reset
             1 client-1 sent client-1#1>node-1:connect.2:request
             1 client-1 lost client-1#1>node-1:connect.2:request Reset
             2 client-1 refused Unknown",
        );
    }
    let holds =
        [cut("at_ms = 0", "hold", "both", "node-1", 4), cut("at_ms = 2", "hold", "both", "node-1", 6)];
    let mut given = given().plan(&[&holds[0], &holds[1]]);
    given.limit_ms = 50;
    given.tells("granted", "9 client-1 granted 1 until mono 988");
}

#[test]
fn the_store_can_be_cut_off_like_a_node() {
    let writer = || given().work("cycles = 1\nwork_ms = 10\nwrites = 1\nholder = \"never\"");
    tells(
        writer(),
        &cut("at_ms = 10", "hold", "both", "store", 20),
        "write leave",
        "30 store write 1 accepted promised Write\n31 client-1 leave 1 Finished",
    );
    // The client is told that its write will not be answered and goes on.
    tells(
        writer(),
        &cut("at_ms = 10", "reset", "both", "store", 20),
        "write lost leave",
        "12 client-1 lost client-1#1>store:write.1:request Reset\n13 client-1 leave 1 Finished",
    );
    tells(
        writer(),
        &cut("at_us = 13_500", "reset", "both", "store", 1),
        "write lost leave",
        "13 store write 1 accepted promised Write
         13.500 store lost client-1#1>store:write.1:reply Reset
         14.500 client-1 leave 1 Finished",
    );
    // A cut between two writes: the connection is opened anew, and the second write is answered.
    tells(
        given().work("cycles = 1\nwork_ms = 40\nwrites = 2\nholder = \"never\""),
        &cut("at_ms = 30", "reset", "both", "store", 1),
        "write lost leave",
        "23 store write 1 accepted promised Write
         43 store write 1 accepted promised Write
         44 client-1 leave 1 Finished",
    );
}

#[test]
fn one_message_can_be_lost_or_delayed() {
    let message = |name: &str, what: &str| format!("message = {{ name = \"client-1#1>{name}\", {what} }}");
    tells(
        given(),
        &message("node-1:acquire.1.set.1:reply", "lose = true"),
        "lost timeout refused applied",
        "1 node-1 applied 1.1 Written
         1 node-1 lost client-1#1>node-1:acquire.1.set.1:reply Directive
         20 client-1 timeout client-1#1>node-1:acquire.1.set.1:request
         21 node-1 applied 1.1 Removed
         22 client-1 refused Unknown",
    );
    // What follows on the same connection waits behind it; another connection does not.
    let late = message("node-1:acquire.1.set.1:request", "delay_ms = 40");
    tells(
        given(),
        &late,
        "delayed applied timeout refused",
        "0 client-1 delayed client-1#1>node-1:acquire.1.set.1:request
         20 client-1 timeout client-1#1>node-1:acquire.1.set.1:request
         40 node-1 applied 1.1 Written
         40 node-1 applied 1.1 Removed
         40 client-1 timeout client-1#1>node-1:acquire.1.eval.1:request
         40 client-1 refused Unknown",
    );
    let mut anew = given();
    anew.network = "connections = \"open\"\non_timeout = \"reconnect\"".into();
    tells(
        anew,
        &late,
        "applied refused lost",
        "23 node-1 applied 1.1 nothing
         24 client-1 refused Unknown
         40 node-1 applied 1.1 Written
         41 client-1 lost client-1#1>node-1:acquire.1.set.1:reply Reset",
    );
}

#[test]
fn every_request_is_answered_once_and_late_answers_are_called_late() {
    let told = |plan: &str, network: &str| {
        let mut given = given().plan(&[plan]);
        given.network = format!("connections = \"open\"\n{network}");
        let run = given.run_with(|index, setup| Watched::new(index, setup, Voice::Telling));
        story(&run.records, "attempt")
    };
    // 1: SET times out at 20, its cleaning is answered in time, then the late answer comes.
    let late = "message = { name = \"client-1#1>node-1:acquire.1.set.1:reply\", delay_ms = 20 }";
    same(
        &told(late, ""),
        "0 client-1 attempt 1
         20 client-1 attempt 4001
         21 client-1 attempt 5001
         22 client-1 attempt 1002",
    );
    let cut = &cut("at_us = 500", "reset", "both", "node-1", 1);
    same(&told(cut, ""), "0 client-1 attempt 1\n1.500 client-1 attempt 3001\n5.500 client-1 attempt 1002");
}

#[test]
fn a_link_has_its_own_latency_both_ways() {
    let work = "cycles = 1\nwork_ms = 5\nwrites = 1\nholder = \"never\"";
    let mut far = given().lock("redlock", "ttl_ms = 1_000").work(work);
    (far.nodes, far.clients, far.start_ms) = (3, 2, "[0, 100]".into());
    let link = "[[network.link]]\nbetween = [\"client-1\", [\"node-2\", \"store\"]]\nlatency_us = 4_000\n";
    far.more = link.into();
    far.tells(
        "applied granted write leave",
        "1 node-1 applied 1.1 Written
         1 node-3 applied 1.1 Written
         4 node-2 applied 1.1 Written
         8 client-1 granted 1 until mono 988
         17 store write 1 accepted promised Write
         21 client-1 leave 1 Finished
         22 node-1 applied 1.1 Removed
         22 node-3 applied 1.1 Removed
         25 node-2 applied 1.1 Removed
         101 node-1 applied 2.1 Written
         101 node-2 applied 2.1 Written
         101 node-3 applied 2.1 Written
         102 client-2 granted 2 until mono 1088
         108 store write 2 accepted promised Write
         109 client-2 leave 2 Finished
         110 node-1 applied 2.1 Removed
         110 node-2 applied 2.1 Removed
         110 node-3 applied 2.1 Removed",
    );
}
