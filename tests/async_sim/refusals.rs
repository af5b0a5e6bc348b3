//! Faults that code outside of the world cannot suffer are refused by name, in plans and in profiles.
//!
//! Must not let one of them pass in silence: a run without the fault that was asked for would hold for nothing.

use super::ground::{panics, world};
use fencepost::async_sim::{Sim, Trial};

async fn nothing(_: Sim) {}

#[test]
fn a_plan_that_cannot_be_suffered_is_refused_by_name() {
    let wall = "its wall clock and its monotonic clock are one here; say `.wall_clock_unread()` if its code never looks at \
                the wall clock";
    let cases = [
        (
            "late-timer = { at_ms = 5, of = \"client-2\", by_ms = 1 }",
            "late timers of client-2: its timers are its runtime's".to_owned(),
        ),
        (
            "pause = { at_ms = 5, of = \"client-1\", worker = \"user\", kind = \"stop\", for_ms = 5 }",
            "a pause of the user worker of client-1: which of its tasks that is, nobody knows".to_owned(),
        ),
        (
            "pause = { at_ms = 5, of = \"client-1\", kind = \"suspend\", for_ms = 5 }",
            format!("a suspend of client-1: {wall}"),
        ),
        (
            "clock-step = { at_ms = 5, of = \"client-2\", by_ms = 1 }",
            format!("a step or freeze of the wall clock of client-2: {wall}"),
        ),
        (
            "clock-freeze = { at_ms = 5, of = \"client-2\", clock = \"mono\", for_ms = 5 }",
            format!("a step or freeze of the monotonic clock of client-2: {wall}"),
        ),
        (
            "clock-rate = { at_ms = 5, of = \"client-2\", clock = \"mono\", ppm = 7 }",
            format!("a rate of one clock of client-2: {wall}"),
        ),
    ];
    for (entry, why) in cases {
        let plan =
            format!("[[plan]]\nclock-rate = {{ at_ms = 5, of = \"client-1\", ppm = 7 }}\n[[plan]]\n{entry}");
        let text = panics(|| world(2, 1, &plan).client(nothing).run());
        assert_eq!(text, format!("ground: code outside of the world cannot suffer {why}"), "{entry}");
        let of_a_node = plan.replace("client-1", "node-1").replace("client-2", "node-1");
        if !entry.contains("worker") && !entry.contains("late-timer") {
            assert!(world(2, 1, &of_a_node).client(nothing).run().unmet.faults.is_empty(), "{of_a_node}");
        }
    }
}

/// What needs the declaration is applied with it; what nobody can apply is not.
#[test]
fn code_that_does_not_look_at_the_wall_clock_suffers_more() {
    let cases = [
        ("pause = { at_ms = 5, of = \"client-1\", kind = \"suspend\", for_ms = 5 }", true),
        ("clock-step = { at_ms = 5, of = \"client-1\", by_ms = 1 }", true),
        ("clock-freeze = { at_ms = 5, of = \"client-1\", clock = \"mono\", for_ms = 5 }", true),
        ("clock-rate = { at_ms = 5, of = \"client-1\", clock = \"mono\", ppm = 7, for_ms = 5 }", true),
        ("late-timer = { at_ms = 5, of = \"client-1\", by_ms = 1 }", false),
        ("pause = { at_ms = 5, of = \"client-1\", worker = \"user\", kind = \"stop\", for_ms = 5 }", false),
    ];
    for (entry, suffers) in cases {
        let trial = || world(1, 1, &format!("[[plan]]\n{entry}")).wall_clock_unread();
        match suffers {
            true => assert!(trial().client(nothing).run().unmet.faults.is_empty(), "{entry}"),
            false => {
                let text = panics(|| trial().client(nothing).run());
                assert!(
                    text.starts_with("ground: code outside of the world cannot suffer "),
                    "{entry}: {text}"
                );
            }
        }
    }
}

/// The plans of a profile are refused one by one, by what they hold; the seed that drew it is named.
#[test]
fn a_profile_that_cannot_be_suffered_is_refused_by_name() {
    let hunt = |trial: Trial, profile: &str| trial.profile(profile).seeds(0..20).client(nothing).hunt();
    let text = panics(|| hunt(world(2, 1, ""), "client-suspends"));
    assert!(text.contains("cannot suffer a suspend of client-"), "{text}");
    for profile in ["calm", "client-pauses", "crash-restart", "drift-within", "partitions", "slow-network"] {
        assert_eq!(hunt(world(2, 1, ""), profile).tally.runs, 20, "{profile}");
    }
    assert_eq!(hunt(world(2, 1, "").wall_clock_unread(), "client-suspends").tally.runs, 20);
}

#[test]
fn faults_of_who_is_not_there_are_no_ones() {
    let plan = "[[plan]]\npause = { at_ms = 5, of = \"node-1\", kind = \"suspend\", for_ms = 5 }";
    assert!(world(1, 1, plan).client(nothing).run().unmet.faults.is_empty());
}
