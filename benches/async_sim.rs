//! Code outside of the world: commands a second through redis-rs in virtual time, how often a client of each kind is let
//! go on, and runs a second of a small scenario for each kind.
//!
//! Rates are printed as elements a second. Must not judge speed: machines differ, compare ratios.

use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fencepost::async_sim::{BlockingSim, Code, Sim, Wire, scenario};
use fencepost::resp::{Command, Reply};
use std::hint::black_box;
use std::time::Duration;

/// Every run is made twice, to be compared with itself.
const RUNS: u64 = 2;
/// How many clients the scenario has.
const CLIENTS: u64 = 2;
/// What each of them does in one run.
const COMMANDS: u64 = 2_000;
const TURNS: u64 = 20_000;

fn command(words: &[&str]) -> Command {
    Command::new(words.iter().map(|word| Bytes::copy_from_slice(word.as_bytes())))
}

/// Both clients of the scenario ask one node, one command after another.
fn commands(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("redis-rs in virtual time");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(3))
        .throughput(Throughput::Elements(RUNS * CLIENTS * COMMANDS));
    let singly = scenario("calm-single").client(async |sim: Sim| {
        let mut connection = sim.redis(0).await;
        for _ in 0..COMMANDS {
            let got: redis::RedisResult<Option<String>> =
                redis::cmd("GET").arg("key").query_async(&mut connection).await;
            assert!(got.is_ok());
        }
    });
    let piped = scenario("calm-single").client(async |sim: Sim| {
        let mut connection = sim.redis(0).await;
        for _ in 0..COMMANDS / 100 {
            let mut pipe = redis::pipe();
            for _ in 0..100 {
                pipe.cmd("GET").arg("key").ignore();
            }
            let got: redis::RedisResult<()> = pipe.query_async(&mut connection).await;
            assert!(got.is_ok());
        }
    });
    for (name, code) in [("one after another", singly), ("a hundred at once", piped)] {
        group.bench_function(name, |bencher| bencher.iter(|| black_box(code.run_seed(1).1.digest)));
    }
    group.finish();
}

/// Code that wakes at one moment after another, and does nothing.
fn turns(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("wakes");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(3))
        .throughput(Throughput::Elements(RUNS * CLIENTS * TURNS));
    let millisecond = Duration::from_millis(1);
    let kinds = [
        (
            "tokio, by its own timers",
            scenario("calm-single").client(async move |_| {
                for _ in 0..TURNS {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            }),
        ),
        (
            "tokio, by the simulation",
            scenario("calm-single").client(async |sim: Sim| {
                for _ in 0..TURNS {
                    sim.sleep(Duration::from_millis(1)).await;
                }
            }),
        ),
        (
            "madsim, by its own timers",
            scenario("calm-single").madsim_client(async |_| {
                for _ in 0..TURNS {
                    madsim::time::sleep(Duration::from_millis(1)).await;
                }
            }),
        ),
        (
            "thread",
            scenario("calm-single").blocking_client(move |sim: BlockingSim| {
                for _ in 0..TURNS {
                    sim.wait(sim.sleep(millisecond));
                }
            }),
        ),
    ];
    for (name, code) in kinds {
        group.bench_function(name, |bencher| bencher.iter(|| black_box(code.run_seed(1).1.digest)));
    }
    group.finish();
}

async fn asks(sim: &Sim, wire: &Wire, nonce: &str) -> Result<(), Reply> {
    for _ in 0..100 {
        match wire.call(command(&["SET", &sim.key(), nonce, "NX", "PX", "10000"])).await {
            Ok(Reply::Null) => sim.sleep(Duration::from_millis(100)).await,
            Ok(reply) if reply == Reply::OK => return Ok(()),
            Ok(reply) => return Err(reply),
            Err(_) => return Err(Reply::Null),
        }
    }
    Err(Reply::Null)
}

/// Three cycles of a small lock.
async fn holds(sim: Sim) {
    let wire = sim.wire(0).await.expect("nothing is in the way");
    for _ in 0..sim.cycles() {
        let nonce = format!("{:016x}", sim.draw().nonce.0);
        let work = async |_: &mut ()| {
            let _ = sim.store().write().await;
            sim.sleep(Duration::from_millis(500)).await;
        };
        let key = sim.key();
        let back = async |()| wire.call(command(&["DEL", &key])).await;
        let hold = sim.hold(asks(&sim, &wire, &nonce)).until(|_| sim.lasting(Duration::from_secs(9)));
        assert!(hold.work_then(work, back).await.is_ok());
    }
}

fn runs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a small scenario");
    group.sample_size(10).measurement_time(Duration::from_secs(3)).throughput(Throughput::Elements(RUNS));
    let kinds: [(&str, Code); 3] = [
        ("tokio", scenario("calm-single").client(holds)),
        ("madsim", scenario("calm-single").madsim_client(holds)),
        (
            "thread",
            scenario("calm-single").blocking_client(|sim: BlockingSim| sim.wait(holds((*sim).clone()))),
        ),
    ];
    for (name, code) in kinds {
        let mut seed = 0;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                seed += 1;
                black_box(code.run_seed(seed).1.digest)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, commands, turns, runs);
criterion_main!(benches);
