//! Connections with state: channels, waits for items, transactions, further connections, offline queues.

use super::steps::{Step, Steps, heard};
use super::story::{Given, given, same, story};
use fencepost::sim::RunResult;

fn run(given: &Given, clients: &[&[Step]]) -> RunResult {
    let mut given = given.clone();
    given.clients = clients.len() as u8;
    given.limit_ms = 2_000;
    given.run_with(|index, setup| Steps::new(index, setup, clients[index]))
}

#[track_caller]
fn hear(given: &Given, clients: &[&[Step]], expected: &str) {
    same(&heard(&run(given, clients).records), expected);
}

const LISTENER: &[Step] = &[(0, 1, "subscribe c", 50)];
const SPEAKER: &[Step] =
    &[(10, 0, "publish c 7", 50), (20, 0, "publish c 8", 50), (30, 0, "publish d 9", 50)];

#[test]
fn a_message_reaches_who_hears_the_channel() {
    hear(
        &given(),
        &[LISTENER, SPEAKER],
        "2 client-1 up 1
         4 client-1 reply 1 1
         12 client-1 push 7
         12 client-2 reply 1 1
         22 client-1 push 8
         22 client-2 reply 2 1
         32 client-2 reply 3 0",
    );
    let result = run(&given(), &[LISTENER, SPEAKER]);
    same(
        &story(&result.records, "published"),
        "11 node-1 published client-2#1>node-1:acquire.1.other.1:request 1
         21 node-1 published client-2#1>node-1:acquire.1.other.2:request 1
         31 node-1 published client-2#1>node-1:acquire.1.other.3:request 0",
    );
    let names: Vec<String> = story(&result.records, "sent handled");
    assert!(names.contains(&"11 node-1 sent client-1#1>node-1:push.1:reply".to_owned()), "{names:#?}");
    assert!(names.contains(&"22 client-1 handled client-1#1>node-1:push.2:reply".to_owned()), "{names:#?}");
    assert!(
        names.contains(&"0 client-1 sent client-1#1>node-1:connect-2.1:request".to_owned()),
        "{names:#?}"
    );
}

/// Each row: what goes wrong, and which messages are heard nevertheless.
#[test]
fn messages_are_lost_as_answers_are() {
    let cut = |way: &str, how: &str| {
        format!(
            "cut = {{ at_ms = 9, between = [\"client-1\", \"node-1\"], direction = \"{way}\", how = \"{how}\", for_ms = 6 }}"
        )
    };
    let cases = [
        (
            "message = { name = \"client-1#1>node-1:push.1:reply\", lose = true }".to_owned(),
            vec!["22 push 8"],
        ),
        (
            "message = { name = \"client-1#1>node-1:push.1:reply\", delay_us = 15_000 }".to_owned(),
            vec!["26 push 7", "26 push 8"],
        ),
        (cut("replies", "black-hole"), vec!["22 push 8"]),
        (cut("replies", "hold"), vec!["15 push 7", "22 push 8"]),
        (cut("requests", "hold"), vec!["12 push 7", "22 push 8"]),
        // Nobody subscribes again.
        (cut("both", "reset"), vec![]),
        ("kill = { at_ms = 5, of = \"node-1\", for_ms = 2 }".to_owned(), vec![]),
        (
            "pause = { at_ms = 5, of = \"client-1\", kind = \"stop\", for_ms = 30 }".to_owned(),
            vec!["35 push 7", "35 push 8"],
        ),
        ("crash = { at_ms = 5, of = \"client-1\" }".to_owned(), vec![]),
    ];
    for (plan, expected) in cases {
        let told = heard(&run(&given().plan(&[&plan]), &[LISTENER, SPEAKER]).records);
        let pushes: Vec<String> = told
            .iter()
            .filter(|line| line.contains(" client-1 push "))
            .map(|line| line.replace("client-1 ", ""))
            .collect();
        assert_eq!(pushes, expected, "{plan}");
    }
}

#[test]
fn connections_of_one_client_are_independent() {
    // The second connection is behind nothing that the first sent, and opens with a handshake of its own.
    let steps: &[Step] =
        &[(0, 1, "connect", 0), (0, 1, "connect", 0), (10, 0, "blpop q 0", 500), (11, 1, "rpush q 5", 50)];
    hear(
        &given(),
        &[steps],
        "2 client-1 up 1
         13 client-1 reply 4 1
         13 client-1 reply 3 5",
    );
    // What breaks is told of each.
    let cut = "cut = { at_ms = 5, between = [\"client-1\", \"node-1\"], direction = \"both\", how = \"reset\", for_ms = 3 }";
    let steps: &[Step] = &[(0, 1, "connect", 0), (20, 1, "ping", 50), (40, 0, "ping", 50)];
    hear(
        &given().plan(&[cut]),
        &[steps],
        "2 client-1 up 1
         6 client-1 reset 0
         6 client-1 reset 1
         22 client-1 up 1
         24 client-1 reply 2 status
         42 client-1 up 0
         44 client-1 reply 3 status",
    );
    let names = story(&run(&given().plan(&[cut]), &[steps]).records, "sent");
    let requests: Vec<&str> = names.iter().filter_map(|line| line.strip_suffix(":request")).collect();
    assert!(requests.contains(&"20 client-1 sent client-1#1>node-1:connect-2.2"), "{requests:#?}");
    assert!(requests.contains(&"40 client-1 sent client-1#1>node-1:connect.2"), "{requests:#?}");
}

#[test]
fn a_wait_is_answered_when_an_item_comes_in_the_order_of_waiting() {
    hear(
        &given(),
        &[
            &[(2, 0, "blpop q 0", 500)],
            &[(1, 0, "blpop q 0", 500)],
            &[(10, 0, "rpush q 1", 50), (20, 0, "rpush q 2 3", 50), (30, 0, "llen q", 50)],
        ],
        "12 client-2 reply 1 1
         12 client-3 reply 1 1
         22 client-1 reply 1 2
         22 client-3 reply 2 2
         32 client-3 reply 3 1",
    );
}

#[test]
fn a_connection_that_waits_handles_nothing_else() {
    hear(
        &given(),
        &[&[(0, 0, "blpop q 0.05", 500), (5, 0, "ping", 500)]],
        // The last millisecond of the wait has to be over.
        "53 client-1 reply 1 null-array
         53 client-1 reply 2 status",
    );
}

/// The client gives up, the node does not know: it takes an item for nobody.
#[test]
fn an_item_is_taken_for_a_client_that_no_longer_waits() {
    let steps: [&[Step]; 2] =
        [&[(0, 0, "blpop q 0", 20)], &[(30, 0, "rpush q 4", 50), (40, 0, "llen q", 50)]];
    hear(
        &given(),
        &steps,
        "20 client-1 timed-out 1
         32 client-1 late 1 4
         32 client-2 reply 1 1
         42 client-2 reply 2 0",
    );
    // A driver that closes the connection takes its wait away with it.
    let mut closing = given();
    closing.network.push_str("\non_timeout = \"reconnect\"");
    hear(
        &closing,
        &steps,
        "20 client-1 timed-out 1
         32 client-2 reply 1 1
         42 client-2 reply 2 1",
    );
    // Unless the node cannot hear of it.
    let cut = "cut = { at_ms = 10, between = [\"client-1\", \"node-1\"], direction = \"both\", how = \"black-hole\", for_ms = 25 }";
    hear(
        &closing.plan(&[cut]),
        &steps,
        "20 client-1 timed-out 1
         32 client-2 reply 1 1
         42 client-2 reply 2 0",
    );
}

#[test]
fn the_end_of_a_wait_follows_the_nodes_clock() {
    let steps: &[Step] = &[(0, 0, "blpop q 0.1", 500)];
    let fast = "clock-step = { at_ms = 20, of = \"node-1\", clock = \"wall\", by_ms = 50 }";
    hear(&given(), &[steps], "103 client-1 reply 1 null-array");
    hear(&given().plan(&[fast]), &[steps], "53 client-1 reply 1 null-array");
    let stopped = "pause = { at_ms = 20, of = \"node-1\", kind = \"stop\", for_ms = 200 }";
    hear(&given().plan(&[stopped]), &[steps], "221 client-1 reply 1 null-array");
}

#[test]
fn a_node_that_dies_forgets_who_waits_and_what_is_queued() {
    let kill = "kill = { at_ms = 10, of = \"node-1\", for_ms = 2 }";
    hear(
        &given().plan(&[kill]),
        &[
            &[(0, 0, "blpop q 0", 500)],
            &[
                (0, 0, "multi", 50),
                (4, 0, "set k 1", 50),
                (20, 0, "exec", 50),
                (30, 0, "rpush q 1", 50),
                (40, 0, "llen q", 50),
            ],
        ],
        "2 client-2 reply 1 status
         6 client-2 reply 2 status
         11 client-1 reset 0
         11 client-1 disconnected 1
         11 client-2 reset 0
         22 client-2 up 0
         24 client-2 reply 3 error
         32 client-2 reply 4 1
         42 client-2 reply 5 1",
    );
}

#[test]
fn a_transaction_belongs_to_its_connection() {
    hear(
        &given(),
        &[
            &[(0, 0, "watch k", 50), (2, 0, "multi", 50), (4, 0, "set k 1", 50), (20, 0, "exec", 50)],
            &[(0, 0, "set other 1", 50)],
        ],
        "2 client-1 reply 1 status
         2 client-2 reply 1 status
         4 client-1 reply 2 status
         6 client-1 reply 3 status
         22 client-1 reply 4 status",
    );
    let evict = "evict = { at_ms = 10, of = \"node-1\", key = \"k\" }";
    hear(
        &given().plan(&[evict]),
        &[&[(0, 0, "set k 5", 50), (3, 0, "watch k", 50), (20, 0, "multi", 50), (24, 0, "exec", 50)]],
        "2 client-1 reply 1 status
         5 client-1 reply 2 status
         22 client-1 reply 3 status
         26 client-1 reply 4 null-array",
    );
}

/// The node is down from 5 ms to 60 ms.
#[test]
fn an_offline_queue_sends_what_its_core_has_given_up() {
    let kill = "kill = { at_ms = 5, of = \"node-1\", for_ms = 55 }";
    let steps: [&[Step]; 1] = [&[(10, 0, "set k 5", 20), (200, 0, "get k", 50)]];
    let told = |network: &str| {
        let mut given = given().plan(&[kill]);
        given.network.push_str(network);
        heard(&run(&given, &steps).records)
    };
    let without = "6 client-1 reset 0
                   12 client-1 refused 0
                   12 client-1 not-sent 1
                   202 client-1 up 0
                   204 client-1 reply 2 null";
    same(&told(""), without);
    same(&told("\noffline_queue = false"), without);
    // Dialled again after 50 ms: refused at 12 ms, open at 64 ms.
    same(
        &told("\noffline_queue = true"),
        "6 client-1 reset 0
         12 client-1 refused 0
         30 client-1 timed-out 1
         64 client-1 up 0
         66 client-1 late 1 status
         202 client-1 reply 2 5",
    );
}
