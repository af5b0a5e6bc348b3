//! Plays of an acquire call that waits for replicas: WAIT, ROLE, too few, too late, given up.

use crate::play::{Play, check, single};
use fencepost::lock::{
    Extension, Fence, LockCore, OnError, Policy, PolicyError, Protocol, ReleaseScope, Renewal, Retry,
    Soundness, Ttl, Wait, WaitFor,
};
use fencepost::time::Span;

fn waiting(replicas: WaitFor) -> Policy {
    Policy { wait: Wait { replicas, limit: Span::from_ms(100) }, ..single() }
}

fn retrying(replicas: WaitFor) -> Policy {
    Policy { retry: Retry { retries: 1, ..single().retry }, ..waiting(replicas) }
}

/// A play whose key was set at 1 ms.
#[track_caller]
fn check_set(name: &str, policy: &Policy, script: &str) {
    let question = match policy.wait.replicas {
        WaitFor::All => "role",
        WaitFor::Any | WaitFor::None => "wait",
    };
    let start = format!("0 acquire => attempt 1; >1 acquire.1.set.1\n 1 ok 1 => >1 acquire.1.{question}.1\n");
    check(name, policy, &format!("{start}{script}"));
}

#[test]
fn a_grant_waits_for_the_replicas_and_its_end_does_not() {
    let (any, all) = (waiting(WaitFor::Any), waiting(WaitFor::All));
    check_set("one of one", &any, "9 1 1 => granted nonce 1 until 988ms");
    check_set("more than asked for", &any, "9 2 1 => granted nonce 1 until 988ms");
    check_set(
        "all of two",
        &all,
        "2 master2 1 => >1 acquire.1.wait.1\n 9 2 1 => granted nonce 1 until 988ms",
    );
    check_set(
        "a primary without replicas waits for nobody",
        &all,
        "2 master0 1 => >1 acquire.1.wait.1\n 3 0 1 => granted nonce 1 until 988ms",
    );
    check_set(
        "the fence of the grant is that of the write",
        &Policy { fence: Fence::None, ..any.clone() },
        "9 1 1 => granted nonce 1 until 988ms",
    );
    let fenced = Policy { fence: Fence::Incr, ..any.clone() };
    check(
        "the fence is kept over the wait",
        &fenced,
        "0 acquire => attempt 1; >1 acquire.1.eval.1
         1 7 1     => >1 acquire.1.wait.1
         9 1 1     => granted nonce 1 until 988ms fence 7",
    );
    let watched = Policy { extension: Extension::Compare, renewal: Renewal::Watchdog, ..any };
    check_set(
        "an extension waits for nobody",
        &watched,
        "9 1 1 => granted nonce 1 until 988ms; wake Renew at 342ms
         342 renew => wake Renew at 675ms; >1 extend.1.eval.1 by watchdog
         343 1 1 => extended until 1330ms",
    );
}

#[test]
fn whoever_is_not_sure_of_the_replicas_takes_the_key_back() {
    let back = ">1 acquire.1.eval.1\n 150 1 1 => refused Unknown";
    for (name, replicas, answers) in [
        ("too few", WaitFor::Any, "101 0 1"),
        ("fewer than all", WaitFor::All, "2 master2 1 => >1 acquire.1.wait.1\n 101 1 1"),
        ("demoted while it waited", WaitFor::Any, "60 error 1"),
        ("no answer", WaitFor::Any, "149 timeout 1"),
        ("cut off", WaitFor::Any, "9 broken 1"),
        ("no number", WaitFor::Any, "9 ok 1"),
        ("no primary", WaitFor::All, "2 slave 1"),
        ("no role", WaitFor::All, "2 array 1"),
        ("role unknown", WaitFor::All, "51 timeout 1"),
        ("role refused", WaitFor::All, "2 error 1"),
    ] {
        let script = format!("{answers} => {back}");
        check_set(name, &waiting(replicas), &script);
        // Errors of these commands are no votes: they end no call.
        check_set(name, &Policy { on_error: OnError::Abort, ..waiting(replicas) }, &script);
        // The voter is known to have the key.
        check_set(name, &Policy { release_on_failure: ReleaseScope::Known, ..waiting(replicas) }, &script);
    }
}

#[test]
fn a_failed_wait_is_a_failed_attempt() {
    check_set(
        "tried again, and then taken by somebody: it may have been the own write",
        &retrying(WaitFor::Any),
        "101 0 1 => >1 acquire.1.eval.1
         102 1 1 => wake Retry at 402ms
         402 retry => attempt 2; >1 acquire.2.set.1
         403 null 1 => >1 acquire.2.eval.1
         404 0 1 => refused Unknown",
    );
    check_set(
        "tried again and won",
        &retrying(WaitFor::Any),
        "101 0 1 => >1 acquire.1.eval.1
         102 1 1 => wake Retry at 402ms
         402 retry => attempt 2; >1 acquire.2.set.1
         403 ok 1 => >1 acquire.2.wait.1
         404 1 1 => granted nonce 2 until 1390ms",
    );
    let short = Policy { ttl: Ttl::Of(Span::from_ms(200)), ..waiting(WaitFor::Any) };
    check_set("won too late", &short, "197 1 1 => >1 acquire.1.eval.1\n 198 1 1 => refused TooLate");
    check_set(
        "given up while waiting",
        &waiting(WaitFor::All),
        "2 cancel other
         2 acquire => refused Misuse
         2 release => released NotOwned
         2 extend 10 => extend failed NotHeld still nothing
         2 check => checked Unknown
         3 cancel => >1 acquire.1.eval.1
         4 old master2 1
         5 1 1 => refused Cancelled",
    );
}

#[test]
fn a_driver_repeats_a_broken_wait() {
    let policy = Policy { driver_retries: 1, ..waiting(WaitFor::Any) };
    check_set(
        "once",
        &policy,
        "5 broken 1 => >1 acquire.1.wait.2\n 6 broken 1 => >1 acquire.1.eval.1\n 7 1 1 => refused Unknown",
    );
}

#[test]
fn what_is_sent_and_for_how_long() {
    let mut play = Play::new(&waiting(WaitFor::All));
    let mut newest = |line: &str| {
        play.line(line);
        let open = play.open.last().expect("a command");
        let words = open.command.words().iter().map(|word| String::from_utf8_lossy(word).into_owned());
        (words.collect::<Vec<_>>().join(" "), open.limit)
    };
    newest("0 acquire");
    assert_eq!(newest("1 ok 1"), ("ROLE".to_owned(), Span::from_ms(50)));
    assert_eq!(newest("2 master2 1"), ("WAIT 2 100".to_owned(), Span::from_ms(150)));
}

/// The longest call really takes as long as `call_max` says, and not longer.
#[test]
fn call_max_counts_the_waits() {
    for (replicas, role) in [(WaitFor::Any, 0), (WaitFor::All, 50)] {
        let policy = retrying(replicas);
        let mut play = Play::new(&policy);
        let attempt = 49 + role + 150 + 50;
        play.line("0 acquire");
        for start in [0, attempt + 300] {
            if start > 0 {
                play.line(&format!("{start} retry"));
            }
            play.line(&format!("{} ok 1", start + 49));
            if replicas == WaitFor::All {
                play.line(&format!("{} master2 1", start + 49 + role));
            }
            play.line(&format!("{} timeout 1", start + attempt - 50));
            play.line(&format!("{} timeout 1", start + attempt));
        }
        assert!(play.open.is_empty() && play.wakes.is_empty(), "the call is over");
        // Answers came 1 ms early and the jitter was one half of 200 ms.
        let most = Span::from_ms(2 * (i64::from(attempt) + 1) + 400);
        assert_eq!(play.core.describe().call_max, most);
    }
}

#[test]
fn policies_that_cannot_wait() {
    let wait = |replicas, ms| Wait { replicas, limit: Span::from_ms(ms) };
    let any = |ms| Policy { wait: wait(WaitFor::Any, ms), ..single() };
    let protocol = |protocol| Policy { protocol, ..any(100) };
    let too_long = PolicyError::WaitTooLong { wait: Span::from_ms(1_000), ttl: Span::from_ms(1_000) };
    for (policy, expected) in [
        (any(949), None),
        (any(950), Some(too_long)),
        (any(0), Some(PolicyError::NoWaitLimit)),
        (
            Policy { wait: Wait { replicas: WaitFor::All, limit: Span(999) }, ..single() },
            Some(PolicyError::NoWaitLimit),
        ),
        (Policy { wait: wait(WaitFor::None, 0), ..single() }, None),
        (protocol(Protocol::Redlock), Some(PolicyError::Wait { protocol: "redlock" })),
        (protocol(Protocol::None), Some(PolicyError::Wait { protocol: "none" })),
        (Policy { ttl: Ttl::Never, ..any(5_000) }, None),
    ] {
        assert_eq!(policy.validate(Soundness::Waived).err(), expected, "{policy:?}");
    }
}
