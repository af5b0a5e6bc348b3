//! Lives of a client: crash, restart, code that ends, code that panics.
//!
//! Must not know locks.

use super::ground::{Notes, count, millis, noted, panics, world};
use bytes::Bytes;
use fencepost::async_sim::Sim;
use fencepost::history::Fact;
use fencepost::resp::Command;
use std::time::Duration;

fn incr(key: &'static str) -> Command {
    Command::new([Bytes::from_static(b"INCR"), Bytes::from_static(key.as_bytes())])
}

/// Counts at the node every 100 ms, for a second, and says what it got.
async fn counts(sim: Sim, notes: Notes) {
    notes.say(&sim, format!("client {} life {}", sim.client(), sim.incarnation()));
    let wire = loop {
        match sim.wire(0).await {
            Ok(wire) => break wire,
            Err(_) => sim.sleep(millis(100)).await,
        }
    };
    for _ in 0..5 {
        sim.sleep(millis(80)).await;
        let reply = wire.call(incr("k")).await.expect("nothing is in the way");
        notes.say(&sim, format!("{reply:?}"));
    }
}

#[test]
fn a_crashed_client_begins_anew_and_nothing_of_its_old_life_goes_on() {
    let cases: [(&str, &str, &[&str]); 5] = [
        (
            "no crash",
            "",
            &["0 client 0 life 1", "120 Int(1)", "220 Int(2)", "320 Int(3)", "420 Int(4)", "520 Int(5)"],
        ),
        (
            "it crashes with a command under way, which still counts",
            "crash = { at_ms = 205, of = \"client-1\", for_ms = 300 }",
            &[
                "0 client 0 life 1",
                "120 Int(1)",
                "505 client 0 life 2",
                "625 Int(3)",
                "725 Int(4)",
                "825 Int(5)",
                "925 Int(6)",
                "1025 Int(7)",
            ],
        ),
        (
            "it never comes back",
            "crash = { at_ms = 205, of = \"client-1\" }",
            &["0 client 0 life 1", "120 Int(1)"],
        ),
        (
            "it crashes twice",
            "crash = { at_ms = 30, of = \"client-1\", for_ms = 10 }\n\
             [[plan]]\ncrash = { at_ms = 60, of = \"client-1\", for_ms = 10 }",
            &[
                "0 client 0 life 1",
                "40 client 0 life 2",
                "70 client 0 life 3",
                "190 Int(1)",
                "290 Int(2)",
                "390 Int(3)",
                "490 Int(4)",
                "590 Int(5)",
            ],
        ),
        (
            "it crashes at the moment at which it would begin",
            "crash = { at_ms = 0, of = \"client-1\", for_ms = 100 }",
            &["100 client 0 life 2", "220 Int(1)", "320 Int(2)", "420 Int(3)", "520 Int(4)", "620 Int(5)"],
        ),
    ];
    for (what, plan, expected) in cases {
        let plan = if plan.is_empty() { String::new() } else { format!("[[plan]]\n{plan}") };
        let (notes, result) = noted(world(1, 1, &plan), counts);
        assert_eq!(notes, expected, "{what}");
        assert!(result.unmet.faults.is_empty(), "{what}");
    }
}

/// A crash before its client wants anything is one all the same: what begins is its second life, not before its time.
#[test]
fn a_client_that_crashes_before_it_starts_begins_as_its_second_life() {
    for (down, began) in [(100, 500), (900, 1_000)] {
        let plan = format!("[[plan]]\ncrash = {{ at_ms = 100, of = \"client-1\", for_ms = {down} }}");
        let text = super::ground::text(1, 1, "p0 = 10_000, p100 = 10_000", &plan)
            .replace("count = 1", "count = 1\nstart_ms = 500");
        let trial = fencepost::async_sim::scenario_text("late", &text);
        let (notes, _) = noted(trial, async |sim: Sim, notes: Notes| {
            notes.say(&sim, format!("life {}", sim.incarnation()));
        });
        assert_eq!(notes, [format!("{began} life 2")]);
    }
}

/// What code does when it is dropped, in a crash, reaches nobody.
struct LastWords {
    sim: Sim,
    wire: Option<fencepost::async_sim::Wire>,
    notes: Notes,
}

impl Drop for LastWords {
    fn drop(&mut self) {
        self.notes.add("dropped");
        if let Some(wire) = &self.wire {
            drop(wire.send(incr("last words")));
        }
        self.sim.tell(fencepost::world::Act::Acquire);
        let sim = self.sim.clone();
        drop(tokio::task::spawn_local(async move {
            sim.tell(fencepost::world::Act::Acquire);
        }));
    }
}

#[test]
fn what_a_dying_life_drops_is_mute() {
    let plan = "[[plan]]\ncrash = { at_ms = 100, of = \"client-1\", for_ms = 100 }";
    let (notes, result) = noted(world(1, 1, plan), async |sim: Sim, notes: Notes| {
        if sim.incarnation() == 2 {
            return notes.say(&sim, "second life");
        }
        let wire = sim.wire(0).await.expect("nothing is in the way");
        let words = LastWords { sim: sim.clone(), wire: Some(wire), notes: notes.clone() };
        tokio::spawn(async move {
            let _words = words;
            std::future::pending::<()>().await;
        });
        let _words = LastWords { sim: sim.clone(), wire: None, notes };
        std::future::pending::<()>().await;
    });
    assert_eq!(notes, ["dropped", "dropped", "200 second life"]);
    assert_eq!(count(&result, |fact| matches!(fact, Fact::AcquireBegan { .. })), 0);
    assert_eq!(count(&result, |fact| matches!(fact, Fact::Handled { .. })), 2, "the handshake alone");
}

#[test]
fn a_client_whose_code_ends_at_once_is_done() {
    let (_, result) = noted(world(3, 1, ""), async |_: Sim, _: Notes| ());
    assert_eq!(count(&result, |fact| matches!(fact, Fact::Done)), 3);
    assert_eq!(result.end.0, 2_500_000, "the run settles");
}

/// What was spawned goes on when the code that spawned it has ended, until the run has settled.
#[test]
fn spawned_tasks_go_on_after_the_code_has_ended() {
    let (notes, _) = noted(world(1, 1, ""), async |sim: Sim, notes: Notes| {
        tokio::spawn(async move {
            for _ in 0..4 {
                tokio::time::sleep(Duration::from_secs(1)).await;
                let wire = sim.wire(0).await.expect("nothing is in the way");
                let reply = wire.call(incr("k")).await.expect("it is answered");
                notes.say(&sim, format!("{reply:?}"));
            }
        });
    });
    // The run settles 2.5 s after the code has ended.
    assert_eq!(notes, ["1040 Int(1)", "2080 Int(2)"]);
}

#[test]
fn code_that_panics_fails_the_test_with_its_text_and_where_to_look() {
    let text = panics(|| {
        world(2, 1, "")
            .seeds(7..9)
            .client(async |sim: Sim| {
                sim.sleep(millis(100)).await;
                assert!(sim.client() == 0, "the second client loses its mind");
            })
            .run()
    });
    assert!(text.contains("client-2"), "{text}");
    assert!(text.contains("the second client loses its mind"), "{text}");
    assert!(text.contains("FENCEPOST_SEED=7"), "{text}");
}

/// As under tokio, a task that panics ends alone, and whoever waits for it is told.
#[test]
fn a_spawned_task_that_panics_is_its_spawners_affair() {
    let (notes, result) = noted(world(1, 1, ""), async |sim: Sim, notes: Notes| {
        let task = tokio::spawn(async { panic!("alone") });
        let error = task.await.expect_err("it panicked");
        notes.say(&sim, error.is_panic());
        sim.sleep(millis(5)).await;
        notes.say(&sim, "goes on");
    });
    assert_eq!(notes, ["0 true", "5 goes on"]);
    assert_eq!(count(&result, |fact| matches!(fact, Fact::Done)), 1);
}

/// Who is paused is the client: its next life stands still as well, until the pause is over.
#[test]
fn a_pause_outlasts_a_crash() {
    let plan = "[[plan]]\npause = { at_ms = 50, of = \"client-1\", kind = \"stop\", for_ms = 400 }\n\
                [[plan]]\ncrash = { at_ms = 100, of = \"client-1\", for_ms = 100 }";
    let (notes, _) = noted(world(1, 1, plan), async |sim: Sim, notes: Notes| {
        notes.say(&sim, format!("life {}", sim.incarnation()));
        sim.sleep(millis(60)).await;
        notes.say(&sim, "slept");
    });
    assert_eq!(notes, ["0 life 1", "450 life 2", "510 slept"]);
}
