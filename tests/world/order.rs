//! The order at one instant, faults directly after a name, and order directives.
//!
//! The order is ours: fault ends, fault begins, nodes, store, clients, each by index; within a process
//! messages, then due timers.

use super::story::{given, same, story};

#[test]
fn at_one_instant_faults_come_first_then_nodes_store_clients() {
    // At 1 ms: a fault ends, one begins, the nodes handle SETs. At 2 ms both clients hear from both nodes.
    let mut two = given().lock("redlock", "ttl_ms = 1_000").plan(&[
        "slow = { at_ms = 0, of = \"node-3\", by_ms = 50, for_ms = 1 }",
        "clock-step = { at_ms = 1, of = \"node-2\", by_ms = 1 }",
        "late-timer = { at_ms = 1, of = \"client-1\", by_ms = 1, for_ms = 1 }",
    ]);
    (two.nodes, two.clients, two.limit_ms) = (3, 2, 2);
    two.tells(
        "fault fault-end handled",
        "0 node-3 fault 0
         1 node-3 fault-end 0
         1 node-2 fault 1
         1 client-1 fault 2
         1 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         1 node-1 handled client-2#1>node-1:acquire.1.set.1:request
         1 node-2 handled client-1#1>node-2:acquire.1.set.1:request
         1 node-2 handled client-2#1>node-2:acquire.1.set.1:request
         2 client-1 fault-end 2
         2 client-1 handled client-1#1>node-1:acquire.1.set.1:reply
         2 client-1 handled client-1#1>node-2:acquire.1.set.1:reply
         2 client-2 handled client-2#1>node-1:acquire.1.set.1:reply
         2 client-2 handled client-2#1>node-2:acquire.1.set.1:reply",
    );
}

#[test]
fn a_fault_after_a_name_comes_directly_after_it() {
    let cases = [
        ("client-1#1>node-1:acquire.1.set.1:request", "1 client-1 fault 0"),
        ("client-1#1>node-1:acquire.1.set.1:reply", "2 client-1 fault 0"),
        ("client-1#1:acquire.1", "0 client-1 fault 0"),
        ("client-1#1:granted.1", "2 client-1 fault 0"),
        ("client-1#1:enter.1", "2 client-1 fault 0"),
        ("client-1#1:write.1.check", "12 client-1 fault 0"),
        ("client-1#1:write.1.send", "12 client-1 fault 0"),
        ("client-1#1:leave.1", "14 client-1 fault 0"),
        ("client-1#1:release.1", "14 client-1 fault 0"),
        ("client-1#1:refused.1", ""),
    ];
    for (name, expected) in cases {
        let plan =
            format!("pause = {{ after = \"{name}\", of = \"client-1\", kind = \"stop\", for_ms = 5 }}");
        given()
            .work("cycles = 1\nwork_ms = 10\nwrites = 1\nholder = \"never\"")
            .plan(&[&plan])
            .tells("fault", expected);
    }
    // A pause fits between the look and the write.
    given()
        .work("cycles = 1\nwork_ms = 10\nwrites = 1\nholder = \"before-write\"")
        .plan(&[
            "pause = { after = \"client-1#1:write.1.check\", of = \"client-1\", kind = \"stop\", for_ms = 2_000 }",
        ])
        .tells(
            "reached fault promise-end write",
            "12 client-1 reached client-1#1:write.1.check
             12 client-1 fault 0
             988 client-1 promise-end 1 Reached
             2013 store write 1 accepted over Write",
        );
}

#[test]
fn two_faults_after_one_name_come_in_their_order_before_anything_else() {
    let mut two = given().plan(&[
        "crash = { after = \"client-1#1>node-1:acquire.1.set.1:request\", of = \"client-2\" }",
        "kill = { after = \"client-1#1>node-1:acquire.1.set.1:request\", of = \"node-1\" }",
    ]);
    (two.clients, two.limit_ms) = (2, 2);
    two.tells(
        "handled fault lost",
        "1 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         1 client-2 fault 0
         1 node-1 fault 1
         1 node-1 lost client-2#1>node-1:acquire.1.set.1:request Down
         2 client-1 handled client-1#1>node-1:acquire.1.set.1:reply",
    );
}

#[test]
fn an_order_directive_decides_what_a_resumed_client_does_first() {
    let pause = "pause = { at_us = 1_500, of = \"client-1\", kind = \"stop\", for_ms = 40 }";
    let order = |first: &str, then: &str| {
        format!("order = {{ at_us = 41_500, of = \"client-1\", first = \"{first}\", then = \"{then}\" }}")
    };
    let at_resume = |order: &str| {
        let run = given().plan(&[pause, order]).run();
        let told = story(&run.records, "timeout granted handled");
        told.into_iter().filter(|line| line.starts_with("41.500")).collect::<Vec<_>>()
    };
    let in_time = "41.500 client-1 handled client-1#1>node-1:acquire.1.set.1:reply
         41.500 client-1 granted 1 until mono 988";
    let late = "41.500 client-1 timeout client-1#1>node-1:acquire.1.set.1:request
         41.500 client-1 handled client-1#1>node-1:acquire.1.set.1:reply";
    let reply = "client-1#1>node-1:acquire.1.set.1:reply";
    same(&at_resume(&order("messages", "timers")), in_time);
    same(&at_resume(&order("timers", "messages")), late);
    same(&at_resume(&order("timers", reply)), late);
    same(&at_resume(&order(reply, "timers")), in_time);
}

#[test]
fn order_directives_choose_between_messages_of_two_connections() {
    let mut three = given().lock("redlock", "ttl_ms = 1_000").plan(&[
        "order = { at_ms = 2, of = \"client-1\", first = \"client-1#1>node-3:acquire.1.set.1:reply\", then = \"client-1#1>node-1:acquire.1.set.1:reply\" }",
    ]);
    (three.nodes, three.limit_ms) = (3, 3);
    three.tells(
        "granted handled",
        "1 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         1 node-2 handled client-1#1>node-2:acquire.1.set.1:request
         1 node-3 handled client-1#1>node-3:acquire.1.set.1:request
         2 client-1 handled client-1#1>node-3:acquire.1.set.1:reply
         2 client-1 handled client-1#1>node-1:acquire.1.set.1:reply
         2 client-1 handled client-1#1>node-2:acquire.1.set.1:reply
         2 client-1 granted 1 until mono 988",
    );
}

#[test]
fn a_limit_before_everything_has_settled_judges_nothing_left_over() {
    let mut forgotten = given()
        .plan(&["crash = { at_us = 500, of = \"client-1\" }"])
        .lock("single", "ttl = \"none\"\nunsound = true");
    (forgotten.limit_ms, forgotten.settle_ms) = (4_000, 5_000);
    forgotten.tells("settled left-over", "");
    forgotten.limit_ms = 6_000;
    forgotten.tells("settled left-over", "5000.500 store settled\n5000.500 node-1 left-over false");
}

#[test]
fn a_refused_client_that_calls_again_at_once_still_lets_time_pass() {
    // Everything takes no time; without a wait of its own the second client would ask for ever at 0.
    let mut eager = given()
        .work("cycles = 1\nwork_ms = 1\nwrites = 0\nholder = \"never\"\npatience_ms = 2\nagain_ms = 0");
    (eager.clients, eager.latency_us) = (2, (0, 0));
    eager.tells("done", "1 client-1 done\n2 client-2 done");
}
