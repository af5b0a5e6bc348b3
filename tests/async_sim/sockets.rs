//! Libraries that connect by themselves, at addresses: what they see is what a stream of the same world shows.
//!
//! Must not test redis-rs: what it meets at an address is what is looked at.

use super::ground::{Notes, count, millis, noted, panics, text, world};
use super::lock::{gives_back, tries};
use fencepost::async_sim::{BlockingSim, Code, Sim, scenario_text};
use fencepost::history::Fact;
use redis::aio::{ConnectionManager, MultiplexedConnection};
use redis::{AsyncCommands, Client, RedisError, RedisResult};
use std::path::Path;
use std::sync::{Arc, Mutex};
use tokio::io::AsyncWriteExt;

fn client(sim: &Sim, node: usize) -> Client {
    Client::open(sim.url(node)).expect("it is an address")
}

fn told<T: std::fmt::Debug>(result: RedisResult<T>) -> String {
    let kind = |error: RedisError| match error {
        error if error.is_timeout() => "timed out".to_owned(),
        error if error.is_connection_dropped() || error.is_io_error() => "connection dropped".to_owned(),
        error => error.to_string(),
    };
    result.map_or_else(kind, |value| format!("{value:?}"))
}

/// Commands, a pipeline, and a reply that is longer than any buffer on the way.
async fn talks(sim: Sim, notes: Notes, dial: impl AsyncFn(&Sim) -> MultiplexedConnection) {
    let mut connection = dial(&sim).await;
    notes.say(&sim, "connected");
    let long = "x".repeat(1_000_000);
    let set: RedisResult<()> = connection.set("long", &long).await;
    notes.say(&sim, told(set));
    let got: RedisResult<String> = connection.get("long").await;
    notes.say(&sim, told(got.map(|got| got == long)));
    let mut pipe = redis::pipe();
    pipe.incr("n", 1).incr("n", 1).get("n");
    let piped: RedisResult<(i64, i64, i64)> = pipe.query_async(&mut connection).await;
    notes.say(&sim, told(piped));
    tokio::time::sleep(millis(30)).await;
    let raced = tokio::time::timeout(millis(15), connection.get::<_, Option<String>>("n")).await;
    notes.say(&sim, format!("late: {}", raced.is_err()));
    drop(connection);
    let mut connection = dial(&sim).await;
    let pong: RedisResult<String> = connection.ping().await;
    notes.say(&sim, told(pong));
}

/// The same at the same moments, whether a library is given a stream or connects by itself, on plans that break connections.
#[test]
fn what_connects_by_itself_sees_what_a_stream_shows() {
    let plans = [
        "",
        "slow = { at_ms = 70, of = \"node-1\", by_ms = 7 }",
        "pause = { at_ms = 65, of = \"client-1\", kind = \"stop\", for_ms = 300 }",
        "pause = { at_ms = 65, of = \"node-1\", kind = \"stop\", for_ms = 300 }",
        "kill = { at_ms = 105, of = \"node-1\", for_ms = 200 }",
        "kill = { at_ms = 0, of = \"node-1\", for_ms = 250 }",
        "crash = { at_ms = 95, of = \"client-1\", for_ms = 200 }",
        r#"cut = { at_ms = 85, between = ["client-1", "node-1"], direction = "both", how = "reset", for_ms = 200 }"#,
        r#"cut = { at_ms = 85, between = ["client-1", "node-1"], direction = "replies", how = "black-hole", for_ms = 900 }"#,
        r#"cut = { at_ms = 0, between = ["client-1", "node-1"], direction = "both", how = "hold", for_ms = 300 }"#,
    ];
    for plan in plans {
        let plan = if plan.is_empty() { String::new() } else { format!("[[plan]]\n{plan}") };
        let given = noted(world(1, 1, &plan), |sim, notes| talks(sim, notes, async |sim| sim.redis(0).await));
        let dialed = noted(world(1, 1, &plan).sockets(), |sim, notes| {
            talks(sim, notes, async |sim: &Sim| {
                loop {
                    match client(sim, 0).get_multiplexed_async_connection().await {
                        Ok(connection) => return connection,
                        Err(_) => sim.sleep(millis(100)).await,
                    }
                }
            })
        });
        assert!(!given.0.is_empty());
        assert_eq!(dialed.0, given.0, "{plan}");
        assert_eq!(dialed.1.end, given.1.end, "{plan}");
        let facts = |fact: &Fact| matches!(fact, Fact::Sent { .. });
        assert_eq!(count(&dialed.1, facts), count(&given.1, facts), "{plan}");
    }
}

/// The library's own manager of connections dials again behind the scenes, as it does anywhere.
#[test]
fn a_connection_manager_connects_again() {
    let plan = "[[plan]]\nkill = { at_ms = 100, of = \"node-1\", for_ms = 200 }";
    let (notes, _) = noted(world(1, 1, plan).sockets(), async |sim: Sim, notes: Notes| {
        let mut manager = ConnectionManager::new(client(&sim, 0)).await.expect("the node is up");
        notes.say(&sim, "connected");
        for _ in 0..5 {
            let counted: RedisResult<i64> = manager.incr("n", 1).await;
            notes.say(&sim, told(counted));
            sim.sleep(millis(100)).await;
        }
    });
    // The node has forgotten its number. When the manager dials again it draws by itself, always alike.
    let expected = ["40 connected", "60 1", "160 connection dropped", "389 1", "509 2", "629 3"];
    assert_eq!(notes, expected);
}

/// Where the node is down the connection is there and ends at once, as through a proxy; a message that is lost on the way
/// leaves a handshake that the library gives up after its own second.
#[test]
fn what_the_world_refuses_ends_at_once_and_what_it_loses_ends_by_the_clients_own_limit() {
    let cases = [
        (
            "kill = { at_ms = 0, of = \"node-1\", for_ms = 150 }",
            ["20 connection dropped", "140 connection dropped", "280 ()"],
        ),
        (
            r#"cut = { at_ms = 0, between = ["client-1", "node-1"], direction = "both", how = "black-hole", for_ms = 900 }"#,
            ["1000 timed out", "1140 ()", "1280 ()"],
        ),
    ];
    for (plan, expected) in cases {
        let plan = format!("[[plan]]\n{plan}");
        let (notes, _) = noted(world(1, 1, &plan).sockets(), async |sim: Sim, notes: Notes| {
            for _ in 0..3 {
                let opened = client(&sim, 0).get_multiplexed_async_connection().await.map(drop);
                notes.say(&sim, told(opened));
                sim.sleep(millis(100)).await;
            }
        });
        assert_eq!(notes, expected, "{plan}");
    }
}

/// Every version of redis-rs that connects to a Unix socket can.
#[test]
fn older_versions_connect_too() {
    let (notes, _) = noted(world(1, 1, "").sockets(), async |sim: Sim, notes: Notes| {
        let old = redis_027::Client::open(sim.url(0)).expect("an address");
        let mut old = old.get_multiplexed_async_connection().await.expect("the node is up");
        let counted: Result<i64, _> = redis_027::cmd("INCR").arg("n").query_async(&mut old).await;
        notes.say(&sim, format!("{counted:?}"));
        let newer = redis_032::Client::open(sim.url(0)).expect("an address");
        let mut newer = newer.get_multiplexed_async_connection().await.expect("the node is up");
        let counted: Result<i64, _> = redis_032::cmd("INCR").arg("n").query_async(&mut newer).await;
        notes.say(&sim, format!("{counted:?}"));
    });
    assert_eq!(notes, ["60 Ok(1)", "120 Ok(2)"]);
}

/// A lock whose connections are the library's own affair.
async fn locks(sim: Sim) {
    let manager = ConnectionManager::new(client(&sim, 0)).await;
    let Ok(_manager) = manager else { return };
    for _ in 0..3 {
        let call = async {
            let client = client(&sim, 0);
            for _ in 0..50 {
                let connection = client.get_multiplexed_async_connection().await;
                let connection = connection.map_err(|error| error.to_string())?;
                let nonce = format!("{:016x}", sim.draw().nonce.0);
                match tries(connection, sim.key(), nonce).await {
                    Ok(Some(held)) => return Ok(held),
                    Ok(None) => tokio::time::sleep(millis(50)).await,
                    Err(error) => return Err(error.to_string()),
                }
            }
            Err("nobody gave way".to_owned())
        };
        let work = async |_: &mut _| {
            let _ = sim.store().write().await;
            tokio::time::sleep(millis(120)).await;
        };
        let hold = sim.hold(call).until(|_| sim.lasting(millis(1_000)));
        let _ = hold.work_then(work, async |held| gives_back(held).await).await;
    }
}

fn code(profile: &str) -> Code {
    let text = text(3, 1, "p0 = 200, p50 = 1_000, p99 = 20_000, p100 = 100_000", "");
    scenario_text("ground", &text).profile(profile).sockets().client(locks)
}

/// In the same process, in any other, and beside other runs.
#[test]
fn a_seed_is_a_run_at_addresses_too() {
    let pinned = [
        ("client-pauses", 0xbb97_3b31_18ac_e793),
        ("crash-restart", 0xbdcb_b076_ba11_fc80),
        ("drift-beyond", 0xc3a1_22f7_c253_0868),
        ("partitions", 0x0266_efd3_ef8b_35f9),
    ];
    let found = pinned.map(|(profile, _)| {
        let digests = || (0..20).map(|seed| code(profile).run_seed(seed).1.digest);
        let beside = std::thread::scope(|scope| {
            let other = scope.spawn(|| digests().collect::<Vec<u64>>());
            let here = digests().collect::<Vec<u64>>();
            assert_eq!(other.join().expect("no panic"), here, "{profile}");
            here
        });
        (profile, beside.iter().fold(0, |sum: u64, digest| sum.rotate_left(7) ^ digest))
    });
    assert_eq!(found, pinned, "{found:#018x?}");
}

#[test]
fn a_hunt_holds_at_addresses_too() {
    code("partitions").seeds(0..40).assert_holds(["promise-overlap", "promise-unbacked"]);
}

/// Every life has a socket of its own, and none is left behind.
#[test]
fn nothing_of_a_run_is_left_in_the_file_system() {
    let urls: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&urls);
    let plan = "[[plan]]\ncrash = { at_ms = 100, of = \"client-1\", for_ms = 100 }";
    world(2, 2, plan)
        .sockets()
        .client(move |sim: Sim| {
            let seen = Arc::clone(&seen);
            async move {
                for node in [0, 1, 0] {
                    let url = sim.url(node);
                    assert!(Path::new(path(&url)).exists());
                    seen.lock().expect("no panic").push(url);
                }
                sim.sleep(millis(300)).await;
            }
        })
        .run();
    let mut urls = std::mem::take(&mut *urls.lock().expect("no panic"));
    // Two runs, three lives, three questions.
    assert_eq!(urls.len(), 2 * 3 * 3);
    urls.sort();
    urls.dedup();
    assert_eq!(urls.len(), 2 * 3 * 2);
    for url in urls {
        assert!(!Path::new(path(&url)).parent().expect("a folder").exists(), "{url}");
    }
}

/// Whoever hangs up before it is connected leaves nothing behind: 300 such dials are not too many.
#[test]
fn a_dial_that_is_given_up_is_over_for_the_world_too() {
    let cut = r#"cut = { at_ms = 0, between = ["client-1", "node-1"], direction = "both", how = "hold", for_ms = 9_000 }"#;
    let (notes, _) =
        noted(world(1, 1, &format!("[[plan]]\n{cut}")).sockets(), async |sim: Sim, notes: Notes| {
            let url = sim.url(0);
            for _ in 0..300 {
                let mut dialed = tokio::net::UnixStream::connect(path(&url)).await.expect("somebody listens");
                dialed.write_all(b"PING\r\n").await.expect("it is taken over");
                tokio::time::sleep(millis(5)).await;
            }
            sim.sleep(millis(8_000)).await;
            let mut connection = sim.redis(0).await;
            notes.say(&sim, told(connection.ping::<String>().await));
        });
    assert_eq!(notes, ["9560 \"PONG\""]);
}

/// What the simulation cannot do is not shown as a fault of the world.
#[test]
fn more_connections_than_are_simulated_end_the_run() {
    let text = panics(|| {
        world(1, 1, "")
            .sockets()
            .client(async |sim: Sim| {
                let mut open = Vec::new();
                for _ in 0..257 {
                    open.push(tokio::net::UnixStream::connect(path(&sim.url(0))).await);
                }
                sim.sleep(millis(100)).await;
            })
            .run()
    });
    let expected = "client-1: no further connection to node-1 is simulated: 256 connections are open";
    assert!(text.contains(expected), "{text}");
}

fn path(url: &str) -> &str {
    url.trim_start_matches("redis+unix://")
}

#[test]
fn whoever_did_not_ask_for_addresses_is_told_how() {
    let expected = "nodes have no addresses: say `.sockets()` before `.client(..)`";
    let ask = async |sim: Sim| drop(sim.url(0));
    let tokio = panics(|| world(1, 1, "").client(ask).run());
    assert!(tokio.contains(expected), "{tokio}");
    let ends = [
        panics(|| world(1, 1, "").sockets().madsim_client(ask).run()),
        panics(|| world(1, 1, "").sockets().blocking_client(|sim: BlockingSim| drop(sim.url(0))).run()),
    ];
    for text in ends {
        assert!(text.contains("ground: only code on tokio can connect by itself"), "{text}");
    }
    let missing = panics(|| world(1, 1, "").sockets().client(async |sim: Sim| drop(sim.url(1))).run());
    assert!(missing.contains("node 1 of 1, counted from 0"), "{missing}");
}
