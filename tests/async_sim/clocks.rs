//! Clocks: sleeps of the runtime, the standard library's clocks and the world's time, under faults of the client's clocks.
//!
//! Must not round away what a clock is off: every reading is exact to the microsecond, or to the runtime's millisecond
//! where the runtime rounds.

#![expect(clippy::disallowed_methods, reason = "the clocks under test are those that user code reads")]

use super::ground::{Notes, millis, ms, noted, panics, text, world};
use fencepost::async_sim::{Sim, Trial, scenario_text};
use fencepost::history::Fact;
use fencepost::lock::Until;
use fencepost::sim::RunResult;
use fencepost::time::{MonoTime, ProcessClocks};
use std::time::{Duration, Instant, SystemTime};

/// When the code said that it called acquire the n-th time, in the world's microseconds.
fn moments(result: &RunResult) -> Vec<u64> {
    let began = result.records.iter().filter(|record| matches!(record.fact, Fact::AcquireBegan { .. }));
    began.map(|record| record.at.0).collect()
}

/// Marks a moment of the world: a call that is refused at once.
async fn mark(sim: &Sim) {
    let refused = sim.section(async { Err::<(), _>("no") }, async |_: &mut ()| ()).await;
    assert!(refused.is_err());
}

/// Sleeps five times for 1 s by tokio, and marks each end.
async fn sleeps(sim: Sim, notes: Notes) {
    let (instant, wall) = (Instant::now(), SystemTime::now());
    for second in 1..=5 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        mark(&sim).await;
        let by_wall = wall.elapsed().expect("the wall clock does not go back");
        notes.add(format!("{:?} {:?}", instant.elapsed(), by_wall));
        assert!(instant.elapsed() >= Duration::from_secs(second));
    }
}

/// A client whose clocks run fast sleeps for less of the world's time, by exactly so much.
#[test]
fn sleeps_last_as_long_as_the_clients_clock_says() {
    let rate = |ppm: i32| format!("[[plan]]\nclock-rate = {{ at_ms = 0, of = \"client-1\", ppm = {ppm} }}");
    let cases = [
        (String::new(), [1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000]),
        (rate(1_000_000), [500_000, 1_000_000, 1_500_000, 2_000_000, 2_500_000]),
        (rate(-500_000), [2_000_000, 4_000_000, 6_000_000, 8_000_000, 10_000_000]),
        (rate(250_000), [800_000, 1_600_000, 2_400_000, 3_200_000, 4_000_000]),
        // Three parts in a million, which are rounded to the first microsecond at which the clock has got so far.
        (rate(3), [999_998, 1_999_995, 2_999_992, 3_999_989, 4_999_986]),
        (rate(-3), [1_000_004, 2_000_007, 3_000_010, 4_000_013, 5_000_016]),
        // Twice as fast from 1.5 s on, for 1 s: 1 s is gained.
        (
            "[[plan]]\nclock-rate = { at_ms = 1_500, of = \"client-1\", ppm = 1_000_000, for_ms = 1_000 }"
                .to_owned(),
            [1_000_000, 1_750_000, 2_250_000, 3_000_000, 4_000_000],
        ),
    ];
    for (plan, expected) in cases {
        let (notes, result) = noted(world(1, 1, &plan), sleeps);
        assert_eq!(moments(&result), expected, "{plan}");
        let own = ["1s 1s", "2s 2s", "3s 3s", "4s 4s", "5s 5s"];
        assert_eq!(notes, own, "{plan}: its own clocks know nothing of it");
    }
}

/// Two sleeps, a reply that arrives meanwhile and a task that watches the clock.
async fn stands_still(sim: Sim, notes: Notes) {
    let wire = sim.wire(0).await.expect("nothing is in the way");
    let ticker = {
        let (sim, notes) = (sim.clone(), notes.clone());
        async move {
            for at in [100, 1_400, 1_500] {
                sim.sleep_until(MonoTime(sim.now().mono.0 / 1_000_000_000 * 1_000_000_000 + at * 1_000))
                    .await;
                notes.say(&sim, format!("timer of {at}"));
            }
        }
    };
    let asker = async {
        sim.sleep(millis(70)).await;
        let ping = fencepost::resp::Command::new([bytes::Bytes::from_static(b"PING")]);
        wire.call(ping).await.expect("it is answered");
        notes.say(&sim, "reply");
    };
    let ticker = tokio::spawn(ticker);
    asker.await;
    ticker.await.expect("it ends");
    mark(&sim).await;
}

/// The request leaves at 90 ms; its reply is due at 110 ms.
#[test]
fn a_client_that_stands_still_finds_its_messages_and_late_timers_when_it_goes_on() {
    let cases: [(&str, Trial, &[&str], u64); 3] = [
        (
            "it runs",
            world(1, 1, ""),
            &["100 timer of 100", "110 reply", "1400 timer of 1400", "1500 timer of 1500"],
            1_500_000,
        ),
        (
            "it stands still from 95 ms to 1 450 ms",
            world(
                1,
                1,
                "[[plan]]\npause = { at_ms = 95, of = \"client-1\", kind = \"stop\", for_ms = 1_355 }",
            ),
            &["1450 reply", "1450 timer of 100", "1450 timer of 1400", "1500 timer of 1500"],
            1_500_000,
        ),
        (
            "its machine is suspended as long: its clock stands still, and everything comes later by 1 355 ms",
            world(
                1,
                1,
                "[[plan]]\npause = { at_ms = 95, of = \"client-1\", kind = \"suspend\", for_ms = 1_355 }",
            )
            .wall_clock_unread(),
            &["95 reply", "100 timer of 100", "1400 timer of 1400", "1500 timer of 1500"],
            2_855_000,
        ),
    ];
    for (what, trial, expected, marked) in cases {
        let (notes, result) = noted(trial, stands_still);
        assert_eq!(notes, expected, "{what}");
        assert_eq!(moments(&result), [marked], "{what}");
    }
}

/// While it stands still nothing of it acts, however many of its timers come due; a timer that renews itself is late once.
#[test]
fn a_paused_client_does_nothing() {
    let plan = "[[plan]]\npause = { at_ms = 1_000, of = \"client-1\", kind = \"stop\", for_ms = 5_000 }";
    let (_, result) = noted(world(1, 1, plan), async |sim: Sim, _: Notes| {
        let mut interval = tokio::time::interval(millis(300));
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        for _ in 0..6 {
            interval.tick().await;
            mark(&sim).await;
        }
    });
    assert_eq!(moments(&result), [0, 300_000, 600_000, 900_000, 6_000_000, 6_300_000]);
}

/// Each client begins when its scenario says, by a wall clock with the offset that its scenario says.
#[test]
fn clients_begin_when_and_with_the_clocks_that_the_scenario_says() {
    let own = "[[client]]\nid = \"client-2\"\noffset_ms = -3_600_000\n[[client]]\nid = \"client-3\"\noffset_ms = 86_400_000";
    let text = text(3, 1, "p0 = 10_000, p100 = 10_000", own)
        .replace("count = 3", "count = 3\nstart_ms = [0, 250, 1_000]");
    let (notes, result) = noted(scenario_text("offsets", &text), async |sim: Sim, notes: Notes| {
        let since = Duration::from_micros(ProcessClocks::WALL_START.0 as u64);
        let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is long after");
        assert_eq!(wall.as_micros() as i64, sim.now().wall.0);
        notes.say(
            &sim,
            format!("client {}: {}", sim.client(), wall.as_millis() as i64 - since.as_millis() as i64),
        );
        mark(&sim).await;
    });
    assert_eq!(notes, ["0 client 0: 0", "250 client 1: -3599750", "1000 client 2: 86401000"]);
    assert_eq!(moments(&result), [0, 250_000, 1_000_000]);
}

/// The end of a promise is told by the standard library's instants, and is a reading of the client's clock.
#[test]
fn ends_of_promises_are_readings_of_the_clients_clock() {
    let plan = "[[plan]]\nclock-rate = { at_ms = 0, of = \"client-1\", ppm = -200_000 }";
    let (notes, _) = noted(world(1, 1, plan), async |sim: Sim, notes: Notes| {
        let began = Instant::now();
        sim.sleep(Duration::from_micros(1_234_567)).await;
        let reading = |until| match until {
            Until::Mono(mono) => mono.0 - sim.now().mono.0,
            Until::Wall(_) | Until::Released | Until::Lost | Until::Untold => {
                panic!("it is a reading of the monotonic clock")
            }
        };
        notes.add(format!(
            "{} {} {} {} {}",
            ms(&sim),
            reading(sim.by(began)),
            reading(sim.by(began + millis(2_000))),
            reading(sim.lasting(millis(1_500))),
            reading(sim.lasting(Duration::ZERO)),
        ));
    });
    assert_eq!(notes, ["1234.567 -1234567 765433 1500000 0"]);
}

/// `sleep` keeps to the microsecond; the runtime's own to its millisecond, rounded up, never down.
#[test]
fn a_sleep_of_the_simulation_is_exact_and_one_of_the_runtime_is_rounded_up() {
    let (notes, result) = noted(world(1, 1, ""), async |sim: Sim, notes: Notes| {
        sim.sleep(Duration::from_micros(1_001)).await;
        notes.say(&sim, "sim");
        mark(&sim).await;
        tokio::time::sleep(Duration::from_micros(1_001)).await;
        notes.say(&sim, "tokio");
        mark(&sim).await;
        for _ in 0..100 {
            sim.sleep(Duration::from_micros(1)).await;
        }
        notes.say(&sim, "a hundred");
        mark(&sim).await;
    });
    assert_eq!(notes, ["1.001 sim", "3 tokio", "3.1 a hundred"]);
    assert_eq!(moments(&result), [1_001, 3_000, 3_100]);
}

#[test]
fn a_clock_that_runs_on_alone_needs_code_that_does_not_look_at_it() {
    let plan = "[[plan]]\nclock-step = { at_ms = 500, of = \"client-1\", by_ms = -3_600_000 }\n\
                [[plan]]\nclock-rate = { at_ms = 0, of = \"client-1\", clock = \"wall\", ppm = 400_000 }";
    let refused = panics(|| world(1, 1, plan).client(async |_| ()).run());
    assert!(refused.contains("wall_clock_unread"), "{refused}");
    let (_, result) = noted(world(1, 1, plan).wall_clock_unread(), async |sim: Sim, _: Notes| {
        tokio::time::sleep(millis(1_000)).await;
        mark(&sim).await;
    });
    assert_eq!(moments(&result), [1_000_000]);
}
