//! A seed is a run, for each kind of code: twice in one process, and, by pinned digests, in every other.
//!
//! Must not share anything between two runs. A digest that changes with a change of the world is pinned anew; one that
//! changes from run to run is a fault.

use super::ground::{Notes, millis, ms, text};
use super::lock::{self, gives_back, prolongs, takes};
use bytes::Bytes;
use fencepost::async_sim::{BlockingSim, Code, Sim, Trial, Wire, scenario_text};
use fencepost::resp::{Command, Reply};
use madsim::rand::Rng;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

fn trial(profile: &str) -> Trial {
    let text = text(3, 1, "p0 = 200, p50 = 1_000, p99 = 20_000, p100 = 100_000", "");
    scenario_text("ground", &text).profile(profile)
}

fn command(words: &[&str]) -> Command {
    Command::new(words.iter().map(|word| Bytes::copy_from_slice(word.as_bytes())))
}

/// Tokio: redis-rs, several tasks, `select!`, hash keys, timeouts.
async fn on_tokio(sim: Sim) {
    for cycle in 0..sim.cycles().max(4) {
        let nap = millis(1 + RandomState::new().hash_one(cycle) % 50);
        tokio::select! {
            () = tokio::time::sleep(nap) => {}
            () = tokio::time::sleep(millis(25)) => {}
        }
        let call = async {
            tokio::time::timeout(Duration::from_secs(5), takes(sim.clone()))
                .await
                .map_err(|_| "late".to_owned())?
        };
        let hold = sim.hold(call).until(|_| sim.lasting(millis(1_000)));
        let work = async |held: &mut lock::Held| {
            let _ = sim.store().write().await;
            tokio::time::sleep(nap).await;
            let _ = sim.extend(prolongs(held), |()| sim.lasting(millis(1_000))).await;
        };
        let _ = hold.work_then(work, async |held| gives_back(held).await).await;
    }
}

async fn asks(sim: &Sim, wire: &Wire, nonce: &str) -> Result<(), String> {
    let reply = wire.call(command(&["SET", &sim.key(), nonce, "NX", "PX", "2000"])).await;
    match reply.map_err(|error| error.to_string())? {
        reply if reply == Reply::OK => Ok(()),
        reply => Err(format!("{reply:?}")),
    }
}

const RELEASE: &str =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

/// madsim: tasks on its own executor, its random numbers, its nodes.
async fn on_madsim(sim: Sim) {
    for _ in 0..4 {
        let nap = millis(madsim::rand::thread_rng().gen_range(1..50));
        let ticks = (0..3).map(|_| {
            madsim::task::spawn(async move {
                let more = millis(madsim::rand::thread_rng().gen_range(0..10));
                madsim::time::sleep(nap + more).await;
            })
        });
        for tick in ticks.collect::<Vec<_>>() {
            tick.await.expect("it ends");
        }
        let Ok(wire) = sim.wire(0).await else { continue };
        let nonce = format!("{:016x}", sim.draw().nonce.0);
        let work = async |_: &mut ()| {
            let _ = sim.store().write().await;
            madsim::time::sleep(nap).await;
        };
        let key = sim.key();
        let back = async |()| wire.call(command(&["EVAL", RELEASE, "1", &key, &nonce])).await;
        let _ = sim
            .hold(asks(&sim, &wire, &nonce))
            .until(|_| sim.lasting(millis(1_000)))
            .work_then(work, back)
            .await;
    }
}

/// A thread that blocks.
fn on_a_thread(sim: BlockingSim) {
    for cycle in 0..4 {
        sim.wait(sim.sleep(millis(1 + RandomState::new().hash_one(cycle) % 50)));
        let Ok(wire) = sim.wait(sim.wire(0)) else { continue };
        let nonce = format!("{:016x}", sim.draw().nonce.0);
        let work = async |_: &mut ()| {
            let _ = sim.store().write().await;
            sim.sleep(millis(20)).await;
        };
        let key = sim.key();
        let back = async |()| wire.call(command(&["EVAL", RELEASE, "1", &key, &nonce])).await;
        let hold = sim.hold(asks(&sim, &wire, &nonce)).until(|_| sim.lasting(millis(1_000)));
        let _ = sim.wait(hold.work_then(work, back));
    }
}

/// Gives a trial code of one kind.
type Kind = fn(Trial) -> Code;

/// The digests of 20 seeds as one number, all of which differ.
fn digest(code: &Code) -> u64 {
    let digests: Vec<u64> = (0..20).map(|seed| code.run_seed(seed).1.digest).collect();
    assert_eq!(digests.iter().collect::<BTreeSet<_>>().len(), digests.len(), "seeds differ");
    digests.iter().fold(0, |sum: u64, digest| sum.rotate_left(7) ^ digest)
}

#[test]
fn a_seed_is_a_run_for_every_kind_of_code() {
    let kinds: [(&str, Kind, [u64; 4]); 3] = [
        (
            "tokio",
            |trial| trial.client(on_tokio),
            [0xb4f5_b5a3_8119_ce03, 0x87d6_e13b_bf40_27f4, 0xc3ce_8f5c_f4cd_e862, 0x88c3_c54a_be9d_799e],
        ),
        (
            "madsim",
            |trial| trial.madsim_client(on_madsim),
            [0x66ad_3b0d_b029_1e49, 0x4efd_de1a_45b6_04b4, 0x42b2_65da_c4c9_4a02, 0x0c0a_3124_4955_63cc],
        ),
        (
            "thread",
            |trial| trial.blocking_client(on_a_thread),
            [0x2618_2c83_0de3_c7dd, 0x55e6_4506_bf12_654e, 0xa38c_abbd_9d6f_ec7f, 0x1dc3_d1dd_4d48_9e2c],
        ),
    ];
    let profiles = ["client-pauses", "crash-restart", "drift-beyond", "partitions"];
    let found = kinds.map(|(kind, of, _)| {
        let found = profiles.map(|profile| digest(&of(trial(profile))));
        assert_eq!(profiles.map(|profile| digest(&of(trial(profile)))), found, "{kind}");
        found
    });
    assert_eq!(found, kinds.map(|(.., pinned)| pinned), "{found:#018x?}");
}

/// What the oracles say of all three is the same: the lock is sound under whatever it may suffer.
#[test]
fn a_hunt_holds_for_every_kind_of_code() {
    let kinds: [Kind; 3] = [
        |trial| trial.client(on_tokio),
        |trial| trial.madsim_client(on_madsim),
        |trial| trial.blocking_client(on_a_thread),
    ];
    for of in kinds {
        of(trial("partitions").seeds(0..40)).assert_holds(["promise-overlap", "promise-unbacked"]);
    }
}

/// madsim's own nodes inside one client: tasks on them stand still and die as madsim has it.
#[test]
fn nodes_of_madsim_can_be_paused_and_killed_inside_a_client() {
    let notes = Notes::default();
    let given = notes.clone();
    let trial = super::ground::world(2, 1, "");
    let result = trial
        .madsim_client(move |sim: Sim| {
            let notes = given.clone();
            async move {
                let handle = madsim::runtime::Handle::current();
                let node = handle.create_node().name("inner").build();
                let (inner, said) = (sim.clone(), notes.clone());
                node.spawn(async move {
                    for tick in 1.. {
                        madsim::time::sleep(millis(100)).await;
                        said.add(format!(
                            "{} tick {tick} at {}",
                            inner.client(),
                            ms(&inner).split('.').next().unwrap_or_default()
                        ));
                    }
                });
                madsim::time::sleep(millis(250)).await;
                handle.pause(node.id());
                madsim::time::sleep(millis(500)).await;
                handle.resume(node.id());
                madsim::time::sleep(millis(120)).await;
                handle.kill(node.id());
                madsim::time::sleep(millis(500)).await;
            }
        })
        .run();
    let noted = notes.of_both();
    let of = |client: usize| -> Vec<String> {
        let prefix = format!("{client} ");
        noted.iter().filter_map(|note| note.strip_prefix(&prefix).map(str::to_owned)).collect()
    };
    assert_eq!(of(0), ["tick 1 at 100", "tick 2 at 200", "tick 3 at 750", "tick 4 at 850"]);
    assert_eq!(of(0), of(1));
    assert_eq!(result.end.0, 1_370_000 + 2_500_000);
}

#[test]
fn blocking_code_waits_for_all_that_a_client_can_wait_for() {
    let notes = Notes::default();
    let given = notes.clone();
    let plan = "[[plan]]\npause = { at_ms = 500, of = \"client-1\", kind = \"stop\", for_ms = 300 }\n\
                [[plan]]\ncrash = { at_ms = 1_000, of = \"client-1\", for_ms = 1_000 }";
    super::ground::world(1, 1, plan)
        .blocking_client(move |sim: BlockingSim| {
            given.say(&sim, format!("life {}", sim.incarnation()));
            let wire = sim.wait(sim.wire(0)).expect("nothing is in the way");
            for _ in 0..4 {
                let reply = sim.wait(wire.call(command(&["INCR", "k"]))).expect("it is answered");
                given.say(&sim, format!("{reply:?}"));
                sim.wait(sim.sleep(millis(200)));
            }
        })
        .run();
    let expected = [
        "0 life 1",
        "40 Int(1)",
        "260 Int(2)",
        "480 Int(3)",
        "820 Int(4)",
        "2000 life 2",
        "2040 Int(5)",
        "2260 Int(6)",
        "2480 Int(7)",
        "2700 Int(8)",
    ];
    assert_eq!(notes.of_both(), expected);
}
