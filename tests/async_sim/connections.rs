//! Connections: how they open, are refused, break, and what becomes of what was sent on them.
//!
//! Must not know locks.

use super::ground::{Notes, count, millis, noted, world};
use bytes::Bytes;
use fencepost::async_sim::{Sim, Stream};
use fencepost::history::Fact;
use fencepost::resp::{Command, Reply};
use redis::{AsyncCommands, RedisError, RedisResult};
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Tries to open a connection, for up to a second, with 100 ms between the attempts.
async fn opens(sim: Sim, notes: Notes) {
    for _ in 0..3 {
        match tokio::time::timeout(millis(1_000), sim.stream(0)).await {
            Ok(Ok(_)) => return notes.say(&sim, "open"),
            Ok(Err(error)) => notes.say(&sim, format!("{:?}", error.kind())),
            Err(_) => notes.say(&sim, "nothing"),
        }
        sim.sleep(millis(100)).await;
    }
}

#[test]
fn a_connection_opens_as_the_network_lets_it() {
    let cases: [(&str, &str, &[&str]); 7] = [
        ("in one round trip", "", &["20 open"]),
        (
            "refused while the node is down",
            r#"kill = { at_ms = 0, of = "node-1", for_ms = 150 }"#,
            &["20 ConnectionRefused", "140 ConnectionRefused", "260 open"],
        ),
        (
            "refused by a cut that resets",
            r#"cut = { at_ms = 0, between = ["client-1", "node-1"], direction = "both", how = "reset", for_ms = 150 }"#,
            &["10 ConnectionRefused", "120 ConnectionRefused", "240 open"],
        ),
        (
            "late through a cut that holds",
            r#"cut = { at_ms = 0, between = ["client-1", "node-1"], direction = "both", how = "hold", for_ms = 150 }"#,
            &["160 open"],
        ),
        (
            "at once through a black hole, which lets handshakes through",
            r#"cut = { at_ms = 0, between = ["client-1", "node-1"], direction = "both", how = "black-hole", for_ms = 150 }"#,
            &["20 open"],
        ),
        ("slowly to a slow node", r#"slow = { at_ms = 0, of = "node-1", by_ms = 7 }"#, &["34 open"]),
        (
            "at once at a node that stands still, whose machine answers for it",
            r#"pause = { at_ms = 5, of = "node-1", kind = "stop", for_ms = 100 }"#,
            &["20 open"],
        ),
    ];
    for (what, plan, expected) in cases {
        let plan = if plan.is_empty() { String::new() } else { format!("[[plan]]\n{plan}") };
        let (notes, result) = noted(world(1, 1, &plan), opens);
        assert_eq!(notes, expected, "{what}");
        assert!(result.unmet.faults.is_empty(), "{what}");
    }
}

fn kind(error: &RedisError) -> String {
    match error {
        error if error.is_timeout() => "timed out".to_owned(),
        error if error.is_connection_dropped() => "connection dropped".to_owned(),
        error => error.to_string(),
    }
}

fn told<T: std::fmt::Debug>(result: RedisResult<T>) -> String {
    result.map_or_else(|error| kind(&error), |value| format!("{value:?}"))
}

/// Writes on a connection that may break meanwhile, once more on the same one, and then reads on a new one.
async fn writes_and_looks(sim: Sim, notes: Notes) {
    let mut old = sim.redis(0).await;
    notes.say(&sim, "connected");
    sim.sleep_until(fencepost::time::MonoTime(sim.now().mono.0 / 1_000_000 * 1_000_000 + 100_000)).await;
    let first: RedisResult<()> = old.set("k", "first").await;
    notes.say(&sim, told(first));
    let second: RedisResult<Option<String>> = old.get("k").await;
    notes.say(&sim, told(second));
    let mut new = sim.redis(0).await;
    let seen: RedisResult<Option<String>> = new.get("k").await;
    notes.say(&sim, told(seen));
}

#[test]
fn a_command_on_a_connection_that_breaks_fails_and_a_new_connection_works() {
    let cases: [(&str, &str, &[&str]); 5] = [
        ("nothing goes wrong", "", &["40 connected", "120 ()", "140 Some(\"first\")", "200 Some(\"first\")"]),
        (
            "the node ends before it has executed it",
            r#"kill = { at_ms = 105, of = "node-1", for_ms = 200 }"#,
            &["40 connected", "115 connection dropped", "115 connection dropped", "415 None"],
        ),
        (
            "the link breaks after the node has executed it",
            r#"cut = { after = "client-1#1>node-1:aside.3.set.1:request", between = ["client-1", "node-1"], direction = "both", how = "reset", for_ms = 200 }"#,
            &["40 connected", "120 connection dropped", "120 connection dropped", "400 Some(\"first\")"],
        ),
        (
            "a black hole opens: the client's own limit of 500 ms ends each wait",
            r#"cut = { at_ms = 105, between = ["client-1", "node-1"], direction = "replies", how = "black-hole", for_ms = 300 }"#,
            &["40 connected", "600 timed out", "1100 timed out", "1160 Some(\"first\")"],
        ),
        (
            "a cut holds everything back for less than that limit",
            r#"cut = { at_ms = 105, between = ["client-1", "node-1"], direction = "both", how = "hold", for_ms = 300 }"#,
            &["40 connected", "415 ()", "435 Some(\"first\")", "495 Some(\"first\")"],
        ),
    ];
    for (what, plan, expected) in cases {
        let plan = if plan.is_empty() { String::new() } else { format!("[[plan]]\n{plan}") };
        let (notes, result) = noted(world(1, 1, &plan), writes_and_looks);
        assert_eq!(notes, expected, "{what}");
        assert!(result.unmet.faults.is_empty(), "{what}");
    }
}

/// A request that is under way when its connection is let go of arrives all the same, after everything on the next.
#[test]
fn what_was_sent_on_an_old_connection_takes_effect_after_a_new_one_is_open() {
    let plan = "[[plan]]\nmessage = { name = \"client-1#1>node-1:aside.3.set.1:request\", delay_ms = 200 }";
    let (notes, result) = noted(world(1, 1, plan), async |sim: Sim, notes: Notes| {
        let mut old = sim.redis(0).await;
        let set = async { old.set("k", "late").await };
        let given_up: Result<RedisResult<()>, _> = tokio::time::timeout(millis(50), set).await;
        notes.say(&sim, format!("given up: {}", given_up.is_err()));
        drop(old);
        let mut new = sim.redis(0).await;
        for _ in 0..3 {
            let seen: RedisResult<Option<String>> = new.get("k").await;
            notes.say(&sim, told(seen));
            sim.sleep(millis(40)).await;
        }
    });
    assert_eq!(notes, ["90 given up: true", "150 None", "210 None", "270 Some(\"late\")"]);
    assert!(result.unmet.messages.is_empty());
}

/// Whoever subscribed on a connection hears nothing once it is dropped, and the node knows.
#[test]
fn a_dropped_connection_is_closed_at_the_node() {
    let (notes, _) = noted(world(1, 1, ""), async |sim: Sim, notes: Notes| {
        let publisher = sim.wire(0).await.expect("nothing is in the way");
        let mut others = Vec::new();
        for _ in 0..3 {
            let wire = sim.wire(0).await.expect("nothing is in the way");
            wire.call(command(&["SUBSCRIBE", "news"])).await.expect("it is answered");
            others.push(wire);
        }
        for left in [3, 1, 0] {
            others.truncate(left);
            sim.sleep(millis(50)).await;
            let heard = publisher.call(command(&["PUBLISH", "news", "freed"])).await;
            notes.add(kind_of(heard));
        }
    });
    assert_eq!(notes, ["Int(3)", "Int(1)", "Int(0)"]);
}

#[test]
fn a_process_has_up_to_256_connections_to_a_node() {
    let (notes, _) = noted(world(1, 2, ""), async |sim: Sim, notes: Notes| {
        let mut open: Vec<Stream> = Vec::new();
        let failed = loop {
            match sim.stream(0).await {
                Ok(stream) => open.push(stream),
                Err(error) => break error,
            }
        };
        notes.say(&sim, format!("{}, then {failed}", open.len()));
        notes.say(&sim, format!("another node: {}", sim.stream(1).await.is_ok()));
        open.swap_remove(100);
        notes.say(&sim, format!("one less: {}", sim.stream(0).await.is_ok()));
    });
    assert_eq!(
        notes,
        ["5120 256, then 256 connections are open", "5140 another node: true", "5160 one less: true"]
    );
}

async fn reads(stream: &mut Stream, most: usize) -> String {
    let mut bytes = vec![0; most];
    let count = stream.read(&mut bytes).await;
    count.map_or_else(
        |error| format!("{:?}", error.kind()),
        |count| format!("{:?}", String::from_utf8_lossy(&bytes[..count])),
    )
}

#[test]
fn a_command_goes_out_with_its_last_byte() {
    let (notes, result) = noted(world(1, 1, ""), async |sim: Sim, notes: Notes| {
        let mut stream = sim.stream(0).await.expect("nothing is in the way");
        for part in ["*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nhel", "lo\r", "\n*2\r\n$3\r\nGET\r\n$1\r\nk"] {
            stream.write_all(part.as_bytes()).await.expect("the connection is open");
            sim.sleep(millis(50)).await;
        }
        notes.say(&sim, reads(&mut stream, 3).await);
        notes.say(&sim, reads(&mut stream, 100).await);
        // Two commands and an empty line in one write; the replies come one after another.
        stream.write_all(b"\r\n\r\nPING\r\n").await.expect("the connection is open");
        notes.say(&sim, reads(&mut stream, 100).await);
    });
    assert_eq!(notes, [r#"170 "+OK""#, r#"170 "\r\n""#, r#"190 "$5\r\nhello\r\n+PONG\r\n""#]);
    assert_eq!(
        count(&result, |fact| matches!(fact, Fact::Sent { name } if name.to_string().contains("request"))),
        3 + 1
    );
}

#[test]
fn bytes_that_are_no_command_are_an_error_that_says_so() {
    let cases = [
        ("*x\r\n", "InvalidData ERR Protocol error: invalid multibulk length"),
        ("*1\r\n+PING\r\n", "InvalidData ERR Protocol error: expected '$', got '+'"),
        ("*1\r\n$-7\r\nPING\r\n", "InvalidData ERR Protocol error: invalid bulk length"),
    ];
    for (bytes, expected) in cases {
        let (notes, _) = noted(world(1, 1, ""), move |sim: Sim, notes: Notes| async move {
            let mut stream = sim.stream(0).await.expect("nothing is in the way");
            let error = stream.write_all(bytes.as_bytes()).await.expect_err("no node takes these");
            notes.add(format!("{:?} {error}", error.kind()));
        });
        assert_eq!(notes, [expected], "{bytes:?}");
    }
}

#[test]
fn values_of_megabytes_arrive_whole() {
    let (notes, _) = noted(world(1, 1, ""), async |sim: Sim, notes: Notes| {
        let mut connection = sim.redis(0).await;
        let value: Vec<u8> = (0..3_000_000_u32).map(|place| (place % 251) as u8).collect();
        let set: RedisResult<()> = connection.set("k", &value).await;
        let got: RedisResult<Vec<u8>> = connection.get("k").await;
        notes.say(&sim, format!("{} {}", told(set), got.is_ok_and(|got| got == value)));
    });
    assert_eq!(notes, ["80 () true"]);
}

fn command(words: &[&'static str]) -> Command {
    Command::new(words.iter().map(|word| Bytes::from_static(word.as_bytes())))
}

fn kind_of<T: std::fmt::Debug>(result: io::Result<T>) -> String {
    result.map_or_else(|error| format!("{:?}", error.kind()), |value| format!("{value:?}"))
}

#[test]
fn a_wire_gives_the_replies_in_the_order_of_its_commands_until_it_breaks() {
    let plan = "[[plan]]\nkill = { at_ms = 100, of = \"node-1\" }";
    let (notes, _) = noted(world(1, 1, plan), async |sim: Sim, notes: Notes| {
        let wire = sim.wire(0).await.expect("nothing is in the way");
        for words in [&["SET", "k", "1"][..], &["INCR", "k"], &["GET", "k"]] {
            wire.send(command(words)).expect("the connection is open");
        }
        assert_eq!(wire.reply().await.expect("it is answered"), Reply::OK);
        assert_eq!(wire.reply().await.expect("it is answered"), Reply::Int(2));
        assert_eq!(wire.call(command(&["PING"])).await.expect("it is answered"), Reply::Bulk("2".into()));
        notes.say(&sim, "three replies");
        notes.say(&sim, kind_of(wire.reply().await));
        notes.say(&sim, kind_of(wire.reply().await));
        notes.say(&sim, kind_of(wire.send(command(&["PING"]))));
        notes.say(&sim, kind_of(sim.wire(0).await));
    });
    let pong = "60 Status(b\"PONG\")";
    let rest = ["110 ConnectionReset", "110 BrokenPipe", "130 ConnectionRefused"];
    assert_eq!(notes[..2], ["40 three replies", pong]);
    assert_eq!(notes[2..], rest);
}

/// A connection carries bytes: what follows a lost one never arrives, so that no reply is taken for another's.
#[test]
fn nothing_arrives_behind_what_was_lost() {
    let lost = |what: &str| {
        format!("[[plan]]\nmessage = {{ name = \"client-1#1>node-1:aside.{what}\", lose = true }}")
    };
    let cases: [(&str, String, &[&str]); 3] = [
        (
            "nothing is lost",
            String::new(),
            &["100 Status(b\"OK\")", "100 Int(2)", "100 Bulk(b\"2\")", "160 Int(3)"],
        ),
        ("a request", lost("2.other.1:request"), &["100 Status(b\"OK\")", "600 nothing", "660 Int(2)"]),
        ("a reply", lost("2.other.1:reply"), &["100 Status(b\"OK\")", "600 nothing", "660 Int(3)"]),
    ];
    for (what, plan, expected) in cases {
        let (notes, result) = noted(world(1, 1, &plan), async |sim: Sim, notes: Notes| {
            let wire = sim.wire(0).await.expect("nothing is in the way");
            sim.sleep(millis(60)).await;
            for words in [&["SET", "k", "1"][..], &["INCR", "k"], &["GET", "k"]] {
                wire.send(command(words)).expect("the connection is open");
            }
            for _ in 0..3 {
                match tokio::time::timeout(millis(500), wire.reply()).await {
                    Ok(reply) => notes.say(&sim, kind_of(reply)),
                    Err(_) => {
                        notes.say(&sim, "nothing");
                        break;
                    }
                }
            }
            let other = sim.wire(0).await.expect("nothing is in the way");
            sim.sleep(millis(20)).await;
            notes.say(&sim, kind_of(other.call(command(&["INCR", "k"])).await));
        });
        assert_eq!(notes, expected, "{what}");
        assert!(result.unmet.messages.is_empty(), "{what}");
    }
}
