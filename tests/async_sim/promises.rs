//! What code says of its holds, and what follows: promises are judged only where they are told, misuse is an error.
//!
//! The locks of this file are the smallest that show a thing, not good ones.

use super::ground::{Notes, count, millis, noted, panics, text, world};
use super::lock::{self, TTL, gives_back, prolongs, takes};
use fencepost::async_sim::{NotGranted, Sim, StoreError, scenario_text};
use fencepost::check::{OracleName, Outcome};
use fencepost::history::{Fact, SectionEnd};
use fencepost::lock::{LossReason, Until};
use fencepost::name::VoterId;
use fencepost::sim::RunResult;
use fencepost::world::{Act, Carries};
use std::time::Duration;

/// How an oracle ended, in one word.
fn ended(result: &RunResult, name: OracleName) -> &'static str {
    let outcome = result.outcomes.iter().find(|(oracle, _)| *oracle == name);
    match outcome.map(|(_, outcome)| outcome) {
        Some(Outcome::Held) => "held",
        Some(Outcome::Violated(_)) => "violated",
        Some(Outcome::NotExercised) => "not exercised",
        Some(Outcome::NotApplicable) | None => "n/a",
    }
}

/// What a holder says of the end of its hold.
#[derive(Clone, Copy, Debug)]
enum Says {
    Nothing,
    /// It lasts as long as the key, counted from before it asked, less a margin.
    Rightly,
    /// It lasts for ten seconds.
    TooMuch,
    UntilReleased,
}

async fn holds(sim: Sim, says: Says, work: Duration) {
    sim.sleep(millis(50 * sim.client() as u64)).await;
    let rightly = TTL - millis(100);
    // The key is set 10 ms after it was last asked for at the earliest.
    let until = {
        let sim = sim.clone();
        move |_: &lock::Held| match says {
            Says::Nothing => Until::Untold,
            Says::Rightly => sim.lasting(rightly - millis(60)),
            Says::TooMuch => sim.lasting(Duration::from_secs(10)),
            Says::UntilReleased => Until::Released,
        }
    };
    let hold = sim.hold(takes(sim.clone())).until(until);
    let held = hold.work_then(async |_| sim.sleep(work).await, async |held| gives_back(held).await).await;
    assert!(held.is_ok());
}

/// The first works for 3 s, and its key lives for 2 s: sections overlap. Promises do only if they say so.
#[test]
fn promises_are_judged_as_they_are_told() {
    let (long, short) = (millis(3_000), millis(500));
    let cases = [
        (Says::Nothing, short, "not exercised", "not exercised", "held"),
        (Says::Rightly, short, "held", "held", "held"),
        (Says::TooMuch, short, "held", "held", "held"),
        (Says::UntilReleased, short, "held", "held", "held"),
        (Says::Nothing, long, "not exercised", "not exercised", "violated"),
        (Says::Rightly, long, "held", "held", "violated"),
        (Says::TooMuch, long, "violated", "violated", "violated"),
        (Says::UntilReleased, long, "violated", "violated", "violated"),
    ];
    for (says, work, overlap, unbacked, section) in cases {
        let (_, result) = noted(world(2, 1, ""), move |sim: Sim, _| holds(sim, says, work));
        let got = [OracleName::PromiseOverlap, OracleName::PromiseUnbacked, OracleName::SectionOverlap];
        assert_eq!(
            got.map(|oracle| ended(&result, oracle)),
            [overlap, unbacked, section],
            "{says:?}, {work:?}"
        );
    }
}

/// The first holder stands still inside until its key is gone and another has written; then it writes.
#[test]
fn a_fence_keeps_a_late_write_out() {
    let pause = "[[plan]]\npause = { after = \"client-1#1:enter.1\", of = \"client-1\", kind = \"stop\", for_ms = 4_000 }";
    let fenced = format!("[store]\nmode = \"fence\"\n{pause}");
    let cases = [(pause, "wrote", "violated", "violated"), (&fenced, "Err(Refused)", "held", "violated")];
    for (more, late, stale, section) in cases {
        let trial = scenario_text(
            "fence",
            &text(2, 1, "p0 = 10_000, p100 = 10_000", more).replace("ttl_ms", "fence = \"incr\"\nttl_ms"),
        )
        .fenced();
        let (notes, result) = noted(trial, async |sim: Sim, notes: Notes| {
            sim.sleep(millis(200 * sim.client() as u64)).await;
            let hold = sim.hold(takes(sim.clone())).fence(|held| held.fence);
            let work = async |_: &mut lock::Held| {
                let wrote = sim.store().write().await;
                notes.add(format!(
                    "{} {}",
                    sim.client(),
                    wrote.map_or_else(|error| format!("Err({error:?})"), |()| "wrote".to_owned())
                ));
            };
            let done = hold.work_then(work, async |held| gives_back(held).await).await;
            assert!(done.is_ok());
        });
        assert_eq!(notes, ["1 wrote".to_owned(), format!("0 {late}")]);
        assert_eq!(ended(&result, OracleName::StaleWrite), stale, "{more}");
        assert_eq!(ended(&result, OracleName::FenceOrder), "held", "{more}");
        assert_eq!(ended(&result, OracleName::SectionOverlap), section, "{more}");
    }
}

/// Six seconds of work on a key that lives for two: it is prolonged every second, and nobody else comes in.
#[test]
fn a_hold_that_is_prolonged_is_promised_for_longer() {
    let (_, result) = noted(world(2, 1, ""), async |sim: Sim, _| {
        sim.sleep(millis(50 * sim.client() as u64)).await;
        let until = |sim: &Sim| sim.lasting(TTL - millis(200));
        let hold = sim.hold(takes(sim.clone())).until(|_| until(&sim));
        let work = async |held: &mut lock::Held| {
            for _ in 0..3 {
                sim.sleep(millis(1_000)).await;
                sim.extend(prolongs(held), |()| until(&sim)).await.expect("nothing is in the way");
            }
            sim.store().write().await.expect("the store takes it");
        };
        assert!(hold.work_then(work, async |held| gives_back(held).await).await.is_ok());
    });
    for oracle in [OracleName::PromiseOverlap, OracleName::PromiseUnbacked, OracleName::SectionOverlap] {
        assert_eq!(ended(&result, oracle), "held", "{oracle:?}");
    }
    assert_eq!(count(&result, |fact| matches!(fact, Fact::Extended { .. })), 6);
}

/// The first is overtaken while it stands still. Then it prolongs: by a script that looks, or by one that does not.
#[test]
fn an_extension_after_another_held_must_fail() {
    let plan = "[[plan]]\npause = { after = \"client-1#1:enter.1\", of = \"client-1\", kind = \"stop\", for_ms = 3_000 }";
    // A loss that is told without a reason is no answer.
    for (looks, why, expected) in
        [(true, Some(LossReason::Gone), "held"), (true, None, "not exercised"), (false, None, "violated")]
    {
        let (_, result) = noted(world(2, 1, plan), move |sim: Sim, _| async move {
            sim.sleep(millis(200 * sim.client() as u64)).await;
            let work = async |held: &mut lock::Held| {
                sim.sleep(millis(1_500)).await;
                let extension = async {
                    match looks {
                        true => prolongs(held).await,
                        false => Ok(()),
                    }
                };
                if sim.extend(extension, |()| sim.lasting(TTL)).await.is_err() {
                    match why {
                        Some(why) => sim.tell(Act::Lost(why)),
                        None => sim.lost(),
                    }
                }
            };
            assert!(sim.section(takes(sim.clone()), work).await.is_ok());
        });
        assert_eq!(ended(&result, OracleName::Continuity), expected, "it looks: {looks}, {why:?}");
    }
}

/// The key is evicted; the holder finds out when it prolongs, says so, and its promise ends there.
#[test]
fn a_loss_that_is_told_ends_the_promise() {
    let plan = "[[plan]]\nevict = { at_ms = 500, of = \"node-1\" }";
    let (_, result) = noted(world(1, 1, plan), async |sim: Sim, _| {
        let hold = sim.hold(takes(sim.clone())).until(|_| sim.lasting(TTL - millis(200)));
        let work = async |held: &mut lock::Held| {
            sim.sleep(millis(1_000)).await;
            let prolonged = sim.extend(prolongs(held), |()| sim.lasting(TTL)).await;
            assert_eq!(prolonged, Err("gone".to_owned()));
            sim.lost();
            sim.sleep(millis(2_000)).await;
        };
        assert!(hold.work_then(work, async |held| gives_back(held).await).await.is_ok());
    });
    let at =
        |is: fn(&Fact) -> bool| result.records.iter().find(|record| is(&record.fact)).map(|record| record.at);
    let failed = at(|fact| matches!(fact, Fact::ExtendFailed { .. }));
    let told = at(|fact| matches!(fact, Fact::LossTold { .. }));
    assert!(failed.is_some());
    assert_eq!(failed, told);
    assert_eq!(at(|fact| matches!(fact, Fact::PromiseEnded { .. })), told);
}

#[test]
fn a_crash_inside_ends_the_section_and_the_promise() {
    let plan = "[[plan]]\ncrash = { after = \"client-1#1:enter.1\", of = \"client-1\", for_ms = 5_000 }";
    let (_, result) = noted(world(1, 1, plan), |sim: Sim, _| holds(sim, Says::Rightly, millis(300)));
    let ends: Vec<SectionEnd> = result
        .records
        .iter()
        .filter_map(|record| {
            let Fact::SectionLeft { why, .. } = &record.fact else { return None };
            Some(*why)
        })
        .collect();
    assert_eq!(ends, [SectionEnd::Crashed, SectionEnd::Finished]);
    assert_eq!(count(&result, |fact| matches!(fact, Fact::PromiseBegan { .. })), 2);
}

/// A lock that runs the work itself, and gives back by itself.
#[test]
fn a_lock_that_takes_the_work_is_told_of_as_well() {
    async fn runs<T>(sim: Sim, work: impl Future<Output = T>) -> Result<T, String> {
        let held = takes(sim).await?;
        let done = work.await;
        gives_back(held).await.map_err(|error| error.to_string())?;
        Ok(done)
    }
    let (notes, result) = noted(world(2, 1, ""), async |sim: Sim, notes: Notes| {
        let done = sim
            .enclosed(|inside| {
                let sim = sim.clone();
                async move {
                    let until = || sim.lasting(TTL - millis(200));
                    let write = async {
                        sim.sleep(millis(500)).await;
                        sim.store().write().await
                    };
                    runs(sim.clone(), inside.work(until, write)).await
                }
            })
            .await;
        notes.add(format!("{} {done:?}", sim.client()));
        let failed: Result<(), _> = sim.enclosed(|_| async { Err("never") }).await;
        notes.add(format!("{} {failed:?}", sim.client()));
    });
    let refused = "Err(Refused(\"never\"))";
    let mut expected: Vec<String> = Vec::new();
    for client in 0..2 {
        expected.extend([format!("{client} {refused}"), format!("{client} Ok(Ok(()))")]);
    }
    let mut sorted = notes.clone();
    sorted.sort();
    assert_eq!(sorted, expected);
    assert_eq!(ended(&result, OracleName::PromiseOverlap), "held");
    assert_eq!(count(&result, |fact| matches!(fact, Fact::ReleaseEnded { .. })), 2);
}

/// The store's answers go to who asked, even if the one before was not waited for.
#[test]
fn an_answer_of_the_store_that_nobody_waits_for_is_nobody_elses() {
    let plan = "[[plan]]\nmessage = { name = \"client-1#1>store:write.1:reply\", delay_ms = 60 }";
    let (notes, _) =
        noted(world(1, 1, &format!("[store]\nmode = \"plain\"\n{plan}")), async |sim: Sim, notes: Notes| {
            let work = async |_: &mut lock::Held| {
                let given_up = tokio::time::timeout(millis(50), sim.store().write()).await;
                notes.say(&sim, format!("given up: {}", given_up.is_err()));
                sim.sleep(millis(30)).await;
                notes.say(&sim, format!("{:?}", sim.store().write().await));
            };
            sim.section(takes(sim.clone()), work).await.expect("it is granted");
        });
    assert_eq!(notes, ["130 given up: true", "180 Ok(())"]);
}

/// The store's link breaks with a write under way: nobody knows, and the next write goes through.
#[test]
fn a_write_whose_answer_is_lost_is_unknown() {
    let plan = "[[plan]]\ncut = { after = \"client-1#1>store:write.1:request\", between = [\"client-1\", \"store\"], direction = \"both\", how = \"reset\", for_ms = 100 }";
    let (notes, _) = noted(world(1, 1, plan), async |sim: Sim, notes: Notes| {
        let work = async |_: &mut lock::Held| {
            let first = sim.store().write().await;
            assert_eq!(first, Err(StoreError::Unknown));
            notes.say(&sim, "unknown");
            sim.sleep(millis(200)).await;
            notes.say(&sim, format!("{:?}", sim.store().write().await));
        };
        sim.section(takes(sim.clone()), work).await.expect("it is granted");
    });
    assert_eq!(notes, ["100 unknown", "320 Ok(())"]);
}

async fn granted() -> Result<(), &'static str> {
    Ok(())
}

async fn nothing(_: &mut ()) {}

async fn both_at_once(sim: Sim) {
    let slow = async {
        sim.sleep(millis(10)).await;
        granted().await
    };
    let _ = tokio::join!(sim.section(slow, nothing), sim.section(granted(), nothing));
}

#[test]
fn what_cannot_be_is_an_error_that_says_what_it_was() {
    type Does = fn(Sim) -> std::pin::Pin<Box<dyn Future<Output = ()>>>;
    let cases: [(&str, Does); 11] = [
        (
            "client-1 calls acquire while it calls, holds or releases: a client process has one caller",
            |sim| Box::pin(both_at_once(sim)),
        ),
        (
            "client-1 calls acquire while it calls, holds or releases: a client process has one caller",
            |sim| {
                Box::pin(async move {
                    let inner = sim.clone();
                    let work = async move |_: &mut ()| inner.section(granted(), nothing).await;
                    let _ = sim.section(granted(), work).await;
                })
            },
        ),
        ("client-1 calls acquire after its code has ended", |sim| {
            Box::pin(async move {
                tokio::spawn(async move {
                    sim.sleep(millis(10)).await;
                    let _ = sim.section(granted(), nothing).await;
                });
            })
        }),
        ("client-1 releases what it does not hold, or while it is inside", |sim| {
            Box::pin(async move { sim.tell(Act::Release) })
        }),
        ("client-1 asks the store without being inside", |sim| {
            Box::pin(async move {
                let _ = sim.store().write().await;
            })
        }),
        ("client-1 prolongs nothing", |sim| Box::pin(async move { sim.tell(Act::Extend) })),
        ("client-1 was granted without a call of acquire", |sim| {
            Box::pin(async move { sim.tell(Act::Granted { until: Until::Untold, fence: None, nonce: None }) })
        }),
        ("client-1 was refused without a call of acquire", |sim| {
            Box::pin(async move { sim.tell(Act::Refused(fencepost::lock::RefuseReason::Taken)) })
        }),
        ("client-1 enters without a grant", |sim| Box::pin(async move { sim.tell(Act::Enter(None)) })),
        ("client-1 leaves without being inside", |sim| {
            Box::pin(async move { sim.tell(Act::Leave(SectionEnd::Finished)) })
        }),
        ("client-1 opens a connection that is open", |sim| {
            Box::pin(async move {
                let connection = fencepost::lock::ConnectionId(0);
                let _wire = sim.wire(0).await;
                sim.tell(Act::Connect { voter: VoterId(0), connection, carries: Carries::Bytes });
                sim.turn().await;
            })
        }),
    ];
    for (expected, does) in cases {
        let text = panics(|| world(1, 1, "").client(does).run());
        assert!(text.starts_with(expected), "{text:?} instead of {expected:?}");
        assert!(text.contains("FENCEPOST_SEED=1 "), "{text}");
    }
}

#[test]
fn a_node_that_is_not_there_is_named() {
    let text = panics(|| world(1, 3, "").client(async |sim: Sim| drop(sim.stream(3).await)).run());
    assert!(text.contains("node 3 of 3, counted from 0"), "{text}");
}

/// A lock under another key than it was said would be judged blindly.
#[test]
fn a_lock_under_another_key_is_found_out() {
    let lock = |key: fn(&str) -> String| {
        world(1, 1, "").named("the small lock").key(key).client(async |sim: Sim| {
            drop(sim.section(takes(sim.clone()), async |_: &mut lock::Held| ()).await);
        })
    };
    let text = panics(|| lock(|resource| format!("locks/{resource}")).run());
    assert!(text.contains("the small lock was granted, but no node ever saw the key \"locks/"), "{text}");
    assert_eq!(count(&lock(str::to_owned).run(), |fact| matches!(fact, Fact::Granted { .. })), 1);
}

#[test]
fn a_refusal_is_handed_on() {
    let (notes, _) = noted(world(1, 1, ""), async |sim: Sim, notes: Notes| {
        let refused = sim.section(async { Err::<(), _>("taken") }, nothing).await;
        assert_eq!(refused, Err(NotGranted::Refused("taken")));
        notes.add(refused.expect_err("it was refused"));
    });
    assert_eq!(notes, ["not granted: taken"]);
}
