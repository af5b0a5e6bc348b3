//! Published lock crates run unmodified, and what was seen repeats: each find is a schedule that is kept.
//!
//! `examples/crates` makes the report from the same adapters. Must not judge a crate by what no run shows.

#[expect(dead_code, reason = "the report tells more of a crate than tests need")]
mod adapters;

use adapters::{ALL, Frame, Published, redis_lock};
use distributed_lock_core::traits::{DistributedLock, LockHandle, LockProvider};
use distributed_lock_redis::RedisLockProvider;
use fencepost::async_sim::{self, Code, Sim};
use fencepost::history::{Fact, WatchEnd, WatchKind};
use fencepost::sim::RunResult;
use redis_032::RedisConnectionInfo;
use redis_032::aio::MultiplexedConnection;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn named(name: &str) -> &'static Published {
    ALL.into_iter().find(|published| published.name == name).expect("a crate with an adapter")
}

fn calm(published: &Published, frame: Frame) -> RunResult {
    (published.code)(published.in_frame(frame).profile("calm")).run_seed(SEED).1
}

/// The digest of one run of a crate: the same in every process, whatever nonces it draws.
#[track_caller]
fn check_digest(name: &str, expected: u64) {
    let published = named(name);
    let [first, again] = [calm(published, published.frame), calm(published, published.frame)];
    assert_eq!(first.digest, again.digest);
    assert_eq!(format!("{:016x}", first.digest), format!("{expected:016x}"), "{name} made another run");
    assert!(calm(published, published.replicated).events > 0);
}

#[test]
fn rds_lock_repeats() {
    check_digest("rds_lock", 0x20e8_3a5f_555e_e168);
}

#[test]
fn redis_lock_repeats() {
    check_digest("redis-lock", 0x3efd_525c_8e4f_4baf);
}

#[test]
fn async_redis_lock_repeats() {
    check_digest("async-redis-lock", 0x02d5_58dc_eea2_736b);
}

#[test]
fn rlock_repeats() {
    check_digest("rlock", 0xa8f3_9b18_56a0_9e07);
}

#[test]
fn rslock_repeats() {
    check_digest("rslock", 0xa84b_ef13_e88f_342c);
}

#[test]
fn distributed_lock_redis_repeats() {
    check_digest("distributed-lock-redis", 0x2580_e722_2135_7359);
}

#[test]
fn redsync_repeats() {
    check_digest("redsync", 0x0aa5_e287_95e3_e3df);
}

/// Prolonged every second, the hold of `rds_lock` outlasts any work.
#[test]
fn rds_lock_is_calm() {
    let published = named("rds_lock");
    let code = (published.code)(published.in_frame(published.frame).profile("calm").seeds(1..4));
    code.assert_holds([
        "promise-overlap",
        "section-overlap",
        "stale-write",
        "foreign-change",
        "leak",
        "stuck",
    ]);
}

/// A TTL of 10 ms is over before the work is.
#[test]
fn redis_lock_as_it_comes_protects_no_work() {
    let published = &redis_lock::DEFAULTS;
    (published.code)(published.in_frame(published.frame).profile("calm").seeds(1..4))
        .assert_violates("section-overlap");
}

/// Nobody knows which timer of its runtime is the crate's.
#[test]
#[should_panic(expected = "late timers of client-")]
fn the_profile_of_everything_is_refused() {
    let published = named("rds_lock");
    (published.code)(published.in_frame(published.frame).profile("everything").seeds(1..41)).hunt();
}

/// Every schedule that is kept violates what its name says.
#[test]
fn what_is_kept_breaks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/crates");
    let files = std::fs::read_dir(&folder).expect("the folder").map(|file| file.expect("a file").file_name());
    let files: BTreeSet<String> = files.map(|name| name.into_string().expect("a name")).collect();
    let mut kept = 0;
    for file in &files {
        let name = file.strip_suffix(".toml").expect("scenarios only");
        let owner = ALL.into_iter().find(|published| name.starts_with(&published.stem()));
        let Some(published) = owner else {
            let is_frame = ALL.iter().any(|published| {
                [published.frame, published.replicated].iter().any(|frame| frame.name == name)
            });
            assert!(is_frame, "{file} is neither a frame nor kept for a crate");
            continue;
        };
        let text = std::fs::read_to_string(folder.join(file)).expect("a file");
        let oracle = &name[published.stem().len()..];
        published.in_text(name, &text).assert_violates(oracle);
        kept += 1;
    }
    assert!(kept > 0, "nothing is kept");
}

/// A call of `rds_lock` that is given up when its script has just left leaves a key that nobody holds for the whole TTL.
#[test]
fn rds_lock_given_up_leaves_its_key() {
    let records = given_up("rds_lock", 5).run_seed(SEED).1.records;
    let refused =
        records.iter().find(|record| matches!(record.fact, Fact::Refused { .. })).expect("a refusal");
    let granted = records.iter().find(|record| matches!(record.fact, Fact::Granted { .. })).expect("a grant");
    assert!(
        (granted.at - refused.at).0 > 2_900_000,
        "granted at {:?}, refused at {:?}",
        granted.at,
        refused.at
    );
    given_up("rds_lock", 5).assert_violates("leak");
}

/// A call of `redis-lock` that is given up while it asks takes nothing back.
#[test]
fn redis_lock_given_up_leaks() {
    let code = given_up("redis-lock", 13);
    code.assert_violates("leak");
    // Other calls of it leak too: this is the key of the one that was given up.
    let leaked = |fact: &Fact| {
        let Fact::WatchOver { watch, end } = fact else { return false };
        watch.kind == WatchKind::Leak && watch.call.number == 1 && *end == WatchEnd::Missed
    };
    let records = code.run_seed(SEED).1.records;
    assert!(records.iter().any(|record| record.process.to_string() == "client-1" && leaked(&record.fact)));
}

/// The first call of `client-1` is given up at this await.
fn given_up(name: &str, number: u32) -> Code {
    let published = named(name);
    let plan = format!("[[plan]]\ncancel = {{ after = \"client-1#1:await.{number}\", of = \"client-1\" }}\n");
    published.in_text("given-up", &format!("{}\n{plan}", published.frame.text))
}

/// Once its task has failed to prolong for longer than the TTL, `rds_lock` panics in whoever unlocks, and tells nobody before.
#[test]
fn rds_lock_panics_when_unlocked_after_a_loss() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = Arc::clone(&seen);
    let text =
        format!("{}\n[[plan]]\nevict = {{ at_ms = 1_500, of = \"node-1\" }}\n", named("rds_lock").frame.text);
    let code = async_sim::scenario_text("evicted", &text).client(move |sim: Sim| {
        let told = Arc::clone(&told);
        async move {
            if sim.client() > 0 {
                return;
            }
            let stream = sim.stream(0).await.expect("a node that is up");
            let info = RedisConnectionInfo::default();
            let (connection, driver) = MultiplexedConnection::new(&info, stream).await.expect("a handshake");
            tokio::spawn(driver);
            let unlock = rds_lock::Locker::new(connection).lock(sim.key()).await.expect("a free key");
            sim.sleep(Duration::from_secs(6)).await;
            let panic = tokio::spawn(unlock).await.expect_err("a panic").into_panic();
            told.lock()
                .expect("no panic")
                .push(panic.downcast_ref::<&str>().copied().unwrap_or_default().to_owned());
        }
    });
    code.run();
    // Every run is made twice.
    assert_eq!(*seen.lock().expect("no panic"), ["Failed to stop lock extension"; 2]);
}

/// Given addresses, `distributed-lock-redis` makes its clients itself and waits for all of them: while one of five nodes is down
/// nobody begins.
#[test]
fn distributed_lock_redis_begins_only_when_every_node_is_up() {
    let plan = "[[plan]]\nkill = { at_ms = 0, of = \"node-5\" }\n";
    let granted = |name| {
        let published = named(name);
        let text = published.frame.text.replace("limit_ms  = 300_000", "limit_ms  = 30_000");
        let result = published.in_text("down", &format!("{text}\n{plan}")).run_seed(SEED).1;
        result.records.iter().filter(|record| matches!(record.fact, Fact::Granted { .. })).count()
    };
    assert_eq!(granted("distributed-lock-redis"), 0);
    assert!(granted("rslock") > 0);
}

/// Given addresses, it makes clients that do not connect again: after a node was down and an extension has failed there,
/// `release` waits until the run ends.
#[test]
fn distributed_lock_redis_does_not_end_a_release_after_a_node_was_down() {
    let ends = |name, plan: &str| {
        let published = named(name);
        let text = published.frame.text.replace("count    = 3", "count    = 1");
        let text = text.replace("start_ms = [0, 700, 1_900]", "start_ms = [0]").replace(
            "work_ms     = { p0 = 20, p50 = 1_000, p75 = 9_890, p100 = 15_000 }",
            "work_ms     = 14_000",
        );
        let result = published.in_text("restarted", &format!("{text}\n{plan}")).run_seed(SEED).1;
        let count = |is: fn(&Fact) -> bool| result.records.iter().filter(|record| is(&record.fact)).count();
        [
            count(|fact| matches!(fact, Fact::ReleaseBegan { .. })),
            count(|fact| matches!(fact, Fact::ReleaseEnded { .. })),
        ]
    };
    let plan = "[[plan]]\nkill = { at_ms = 5_000, of = \"node-5\", for_ms = 1_000 }\n";
    assert_eq!(ends("distributed-lock-redis", ""), [2, 2]);
    assert_eq!(ends("distributed-lock-redis", plan), [1, 0]);
    assert_eq!(ends("rslock", plan), [2, 2]);
}

/// Where `lost_token` only ends, its value still says that nothing is lost: its task has panicked.
#[test]
fn distributed_lock_redis_loses_its_task_when_replies_come_apart() {
    let seen: Arc<Mutex<Vec<(bool, bool)>>> = Arc::default();
    let told = Arc::clone(&seen);
    let text = named("distributed-lock-redis").frame.text;
    let slow = "[[plan]]\nslow = { at_ms = 500, of = \"node-1\", by_ms = 25 }\n\
                [[plan]]\nslow = { at_ms = 500, of = \"node-2\", by_ms = 55 }\n\
                [[plan]]\nslow = { at_ms = 500, of = \"node-3\", by_ms = 85 }\n";
    let code =
        async_sim::scenario_text("apart", &format!("{text}\n{slow}")).sockets().client(move |sim: Sim| {
            let told = Arc::clone(&told);
            async move {
                if sim.client() > 0 {
                    return;
                }
                // Of five, three that answer at quite different moments.
                let urls: Vec<String> = (0..3).map(|node| sim.url(node)).collect();
                let builder = RedisLockProvider::builder().urls(&urls);
                let provider = builder.build().await.expect("all of them are up");
                let handle = provider.create_lock("apart").acquire(None).await.expect("a free key");
                sim.sleep(Duration::from_secs(25)).await;
                let mut lost = handle.lost_token().clone();
                let value = *lost.borrow();
                let ended = lost.changed().await.is_err();
                told.lock().expect("no panic").push((value, ended));
            }
        });
    code.run();
    // Every run is made twice.
    assert_eq!(*seen.lock().expect("no panic"), [(false, true); 2]);
}

const SEED: u64 = 1;
