//! Promises, holders and backing: the facts that oracles rest on.

use super::story::{Given, given};

fn work(holder: &str, work_ms: u32, writes: u32) -> Given {
    given().work(&format!("cycles = 1\nwork_ms = {work_ms}\nwrites = {writes}\nholder = \"{holder}\""))
}

#[test]
fn holders_treat_the_promised_end_as_they_say() {
    // 1500 ms of work with writes at 750 and 1500 under a promise that ends at 988.
    let cases = [
        (
            "never",
            "752 client-1 reached client-1#1:write.1.check
             753 store write 1 accepted promised Write
             988 client-1 promise-end 1 Reached
             1502 client-1 reached client-1#1:write.2.check
             1503 store write 1 accepted over Write
             1504 client-1 leave 1 Finished",
        ),
        (
            "before-write",
            "752 client-1 reached client-1#1:write.1.check
             753 store write 1 accepted promised Write
             988 client-1 promise-end 1 Reached
             1502 client-1 reached client-1#1:write.2.check
             1502 client-1 leave 1 Expired",
        ),
        (
            "leaves",
            "752 client-1 reached client-1#1:write.1.check
             753 store write 1 accepted promised Write
             988 client-1 promise-end 1 Reached
             988 client-1 leave 1 Expired",
        ),
    ];
    for (holder, expected) in cases {
        work(holder, 1_500, 2).tells("reached write promise-end leave", expected);
    }
}

#[test]
fn a_grant_that_is_over_is_given_back_unused_by_those_who_look() {
    let late = |holder: &str| {
        work(holder, 10, 0)
            .lock("single", "ttl_ms = 30\nnode_timeout_ms = 29\nvalidity = \"no-check\"")
            .plan(&["message = { name = \"client-1#1>node-1:acquire.1.set.1:reply\", delay_ms = 28 }"])
    };
    let kinds = "granted promise enter leave release released";
    late("never").tells(
        kinds,
        "29 client-1 granted 1 until mono 27.700
         29 client-1 enter 1
         39 client-1 leave 1 Finished
         39 client-1 release 1
         41 client-1 released 1 NotOwned",
    );
    late("leaves").tells(
        kinds,
        "29 client-1 granted 1 until mono 27.700
         29 client-1 release 1
         31 client-1 released 1 Confirmed",
    );
}

#[test]
fn an_extension_moves_the_end_and_a_late_one_opens_a_second_interval() {
    let extending = |at: u32| {
        given().lock("single", "ttl_ms = 100\nextension = \"recreate\"").work(&format!(
            "cycles = 1\nwork_ms = 300\nwrites = 0\nextend_at_ms = [{at}]\nholder = \"never\""
        ))
    };
    let kinds = "extend extended promise promise-end gone thinned";
    extending(50).tells(
        kinds,
        "2 client-1 promise 1
         52 client-1 extend 1
         54 client-1 extended 1 true
         149 client-1 promise-end 1 Reached
         154 node-1 gone Expiry
         154 client-1 thinned 1",
    );
    extending(150).tells(
        kinds,
        "2 client-1 promise 1
         97 client-1 promise-end 1 Reached
         102 node-1 gone Expiry
         102 client-1 thinned 1
         152 client-1 extend 1
         154 client-1 extended 1 true
         154 client-1 promise 1
         249 client-1 promise-end 1 Reached
         254 node-1 gone Expiry
         254 client-1 thinned 1",
    );
}

#[test]
fn backing_is_told_at_every_change_until_a_rival_could_win() {
    let mut three = given()
        .lock("redlock", "ttl_ms = 1_000\nnode_timeout_ms = 20")
        .work("cycles = 1\nwork_ms = 3_000\nwrites = 0\nholder = \"never\"")
        .plan(&[
            "kill = { at_ms = 100, of = \"node-1\", for_ms = 100 }",
            "evict = { at_ms = 300, of = \"node-2\" }",
            "evict = { at_ms = 400, of = \"node-3\" }",
        ]);
    three.nodes = 3;
    // A node that is down counts only when it is back.
    three.tells(
        "backing thinned promise-end",
        "2 client-1 backing 1 0/2 promised Promise
         200 client-1 backing 1 1/2 promised Restart
         300 client-1 backing 1 2/2 promised Eviction
         300 client-1 thinned 1
         400 client-1 backing 1 3/2 promised Eviction
         988 client-1 promise-end 1 Reached",
    );
}

#[test]
fn a_key_expires_within_the_millisecond_after_its_life() {
    // Written 0.3 ms into a millisecond of the node's clock: 1000 ms and 0.7 ms later it is gone.
    for (latency, gone) in [(1_300, "1002"), (1_000, "1002"), (1_999, "1002"), (2_000, "1003")] {
        let mut quiet = work("never", 2_000, 0);
        quiet.latency_us = (latency, latency);
        quiet.tells("gone", &format!("{gone} node-1 gone Expiry"));
    }
}

#[test]
fn a_leaver_by_the_wall_clock_waits_for_the_wall_clock() {
    // The wall clock runs at half its rate, so the timer that was set for the distance rings early.
    work("leaves", 3_000, 0)
        .lock("single", "ttl_ms = 1_000\nclock = \"wall\"")
        .plan(&[
            "clock-rate = { at_ms = 0, of = \"client-1\", clock = \"wall\", ppm = -500_000, for_ms = 9_000 }",
        ])
        .tells("leave promise-end", "1976 client-1 promise-end 1 Reached\n1976 client-1 leave 1 Expired");
}

#[test]
fn nodes_that_nobody_asks_have_no_vote() {
    // A lock on one node of five: the other four are empty, and nobody could win there.
    let mut single = given();
    single.nodes = 5;
    single.tells("backing", "2 client-1 backing 1 0/1 promised Promise");
    // The one that is asked is down: that the others are up makes no lock available.
    let down = single.plan(&["kill = { at_ms = 0, of = \"node-1\" }"]);
    down.tells("granted watch", "");
}
