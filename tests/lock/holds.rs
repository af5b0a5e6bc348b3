//! Plays of a hold: release, extension by the caller, the watchdog, loss.

use crate::play::{base, check, single, with};
use fencepost::lock::{
    Asking, Basis, Extension, NonceLife, OnLoss, Policy, Reacquire, Release, Renewal, Validity,
};
use fencepost::time::ClockKind;

/// A hold granted at 2 ms, with what the policy outputs then.
#[track_caller]
fn check_held(name: &str, policy: &Policy, granted: &str, script: &str) {
    let start = "0 acquire => attempt 1; >123 acquire.1.set.1\n 2 ok 123 => ";
    check(name, policy, &format!("{start}{granted}\n{script}"));
}

fn extending() -> Policy {
    with(|p| p.extension = Extension::Compare)
}

fn watched() -> Policy {
    Policy { renewal: Renewal::Watchdog, ..extending() }
}

const GRANTED: &str = "granted nonce 1 until 988ms";
const WATCHED: &str = "granted nonce 1 until 988ms; wake Renew at 335ms";

#[test]
fn a_release_asks_everybody_and_says_what_is_known() {
    let asked = "10 release => >123 release.1.eval.1\n";
    for (name, answers) in [
        ("a quorum removed it", "11 1 12\n 60 timeout 3 => released Confirmed"),
        ("a quorum had nothing", "11 0 12\n 11 1 3 => released NotOwned"),
        ("too few know", "11 1 1\n 11 0 2\n 60 timeout 3 => released Unknown"),
        ("errors say nothing", "11 1 1\n 11 error 23 => released Unknown"),
    ] {
        check_held(name, &base(), GRANTED, &format!("{asked}{answers}"));
    }
    check_held(
        "plain DEL",
        &with(|p| p.release = Release::PlainDel),
        GRANTED,
        "10 release => >123 release.1.del.1\n 11 0 123 => released NotOwned",
    );
    check(
        "one after the other",
        &with(|p| p.asking = Asking::Serial),
        "0 acquire  => attempt 1; >1 acquire.1.set.1
         1 ok 1     => >2 acquire.1.set.1
         1 ok 2     => >3 acquire.1.set.1
         1 ok 3     => granted nonce 1 until 988ms
         2 release  => >1 release.1.eval.1
         3 1 1      => >2 release.1.eval.1
         53 timeout 2 => >3 release.1.eval.1
         54 1 3     => released Confirmed",
    );
}

#[test]
fn a_callers_extension_is_always_answered() {
    let asked = "100 extend 2000 => >123 extend.1.eval.1\n";
    let told = "101 0 12\n 101 1 3 => extend failed Gone still nothing; lost Gone\n 102 extend 1 => extend failed NotHeld still nothing";
    for (name, policy, answers) in [
        ("by majority, from its own start", extending(), "101 0 1\n 101 1 23 => extended until 2078ms"),
        ("gone at too many, and told", extending(), told),
        (
            "gone at too many, silent",
            Policy { on_loss: OnLoss::Silent, ..extending() },
            "101 0 12\n 101 1 3 => extend failed Gone still nothing",
        ),
        (
            "unknown at too many",
            extending(),
            "101 0 1\n 101 1 2\n 150 timeout 3 => extend failed Unknown still 988ms",
        ),
        (
            "unknown, and the old promise is over",
            extending(),
            "101 0 1\n 101 1 2\n 988 error 3 => extend failed Unknown still nothing",
        ),
        ("too late", extending(), "101 1 12\n 2078 1 3 => extend failed TooLate still nothing"),
        (
            "too late, unchecked",
            Policy { validity: Validity::NoCheck, ..extending() },
            "101 1 12\n 2078 1 3 => extended until 2078ms",
        ),
        (
            "another caller's, and a second while one is open",
            extending(),
            "100 extend 5 other => extend failed NotHeld still nothing other
             100 extend 5 => extend failed Misuse still 988ms
             101 1 123 => extended until 2078ms
             102 extend 900 => >123 extend.2.eval.1
             103 1 123 => extended until 991ms",
        ),
        (
            "cut short by a release",
            extending(),
            "101 release => extend failed Unknown still nothing; >123 release.1.eval.1
             102 old 1 123
             103 1 123 => released Confirmed",
        ),
    ] {
        check_held(name, &policy, GRANTED, &format!("{asked}{answers}"));
    }
}

#[test]
fn the_basis_of_an_extension_is_that_of_the_grant() {
    for (basis, granted, extended) in [
        (Basis::Decision, "granted nonce 1 until 1002ms", "extended until 2103ms"),
        (Basis::UntilReleased, "granted nonce 1 until released", "extended until released"),
        (Basis::UntilLost, "granted nonce 1 until lost", "extended until lost"),
    ] {
        let script = format!("100 extend 2000 => >123 extend.1.eval.1\n 103 1 123 => {extended}");
        check_held("basis", &Policy { basis, ..extending() }, granted, &script);
    }
}

#[test]
fn what_is_never_prolonged() {
    let misuse = "100 extend 5 => extend failed Misuse still 988ms";
    check_held("no extension", &base(), GRANTED, misuse);
    let never = "100 extend never => extend failed Misuse still 988ms";
    check_held("for ever", &extending(), GRANTED, never);
}

#[test]
fn the_watchdog_renews_every_third_and_is_told_apart() {
    check_held(
        "renewed",
        &watched(),
        WATCHED,
        "335 renew   => wake Renew at 668ms; >123 extend.1.eval.1 by watchdog
         340 1 123   => extended until 1323ms
         668 renew   => wake Renew at 1001ms; >123 extend.2.eval.1 by watchdog
         669 1 12
         700 release => quiet Renew; >123 release.1.eval.1
         701 old 1 3
         702 1 123   => released Confirmed
         1001 renew",
    );
    check_held("no watchdog", &extending(), GRANTED, "335 renew");
    check_held(
        "an unknown renewal is tried again; the end is told",
        &watched(),
        WATCHED,
        "335 renew   => wake Renew at 668ms; >123 extend.1.eval.1 by watchdog
         385 timeout 123
         668 renew   => wake Renew at 988ms; >123 extend.2.eval.1 by watchdog
         718 timeout 123
         988 renew   => lost Expired
         990 release => >123 release.1.eval.1
         991 1 123   => released Confirmed",
    );
    check_held(
        "a late renewal is no renewal",
        &watched(),
        WATCHED,
        "335 renew   => wake Renew at 668ms; >123 extend.1.eval.1 by watchdog
         340 1 12
         668 renew   => wake Renew at 988ms
         988 renew   => lost Expired
         989 1 3
         990 acquire => attempt 2; >123 acquire.2.set.1",
    );
    check_held(
        "the caller's own extension takes the place of a renewal and sets the life",
        &watched(),
        WATCHED,
        "335 renew       => wake Renew at 668ms; >123 extend.1.eval.1 by watchdog
         336 extend 3000 => >123 extend.2.eval.1
         337 old 0 123
         338 1 123       => extended until 3304ms
         668 renew       => wake Renew at 1668ms; >123 extend.3.eval.1 by watchdog",
    );
    check_held(
        "the caller's own extension is answered when the end comes",
        &watched(),
        WATCHED,
        "980 extend 1000 => >123 extend.1.eval.1
         988 renew       => extend failed Unknown still nothing; lost Expired
         989 1 123",
    );
    check_held(
        "a life without end needs no watchdog",
        &Policy { basis: Basis::UntilReleased, ..watched() },
        "granted nonce 1 until released; wake Renew at 335ms",
        "335 renew   => wake Renew at 668ms; >123 extend.1.eval.1 by watchdog
         385 timeout 123
         668 renew   => wake Renew at 1001ms; >123 extend.2.eval.1 by watchdog
         718 timeout 123
         1001 renew  => wake Renew at 1334ms; >123 extend.3.eval.1 by watchdog",
    );
    check(
        "not for a hold without a TTL",
        &watched(),
        "0 acquire never => attempt 1; >123 acquire.1.set.1
         1 ok 123        => granted nonce 1 until released
         335 renew",
    );
    check(
        "the wall clock's end is looked at by the monotonic wake",
        &Policy { clock: ClockKind::Wall, ..watched() },
        "0 acquire    => attempt 1; >123 acquire.1.set.1
         2 ok 123     => granted nonce 1 until wall 988ms; wake Renew at 335ms
         335 renew    => wake Renew at 668ms; >123 extend.1.eval.1 by watchdog
         340 1 123    => extended until wall 1323ms
         400 wall 2000
         668 renew    => lost Expired",
    );
}

#[test]
fn a_loss_is_told_or_not() {
    let renewed =
        "335 renew => wake Renew at 668ms; >123 extend.1.eval.1 by watchdog\n 340 0 12\n 340 1 3 => ";
    check_held(
        "told",
        &watched(),
        WATCHED,
        &format!("{renewed}quiet Renew; lost Gone\n 341 release => >123 release.1.eval.1"),
    );
    let silent = Policy { on_loss: OnLoss::Silent, ..watched() };
    let goes_on =
        "quiet Renew\n 341 acquire => refused Misuse\n 345 release => quiet Renew; >123 release.1.eval.1";
    check_held("silent", &silent, WATCHED, &format!("{renewed}{goes_on}"));
    check_held(
        "silent about the end, whose watchdog stops",
        &silent,
        WATCHED,
        "335 renew => wake Renew at 668ms; >123 extend.1.eval.1 by watchdog
         340 1 1
         988 renew
         989 1 23
         989 acquire => refused Misuse",
    );
    check_held(
        "silent about the end; the caller's own extension goes on",
        &silent,
        WATCHED,
        "980 extend 1000 => >123 extend.1.eval.1
         988 renew
         989 1 123       => extended until 1968ms",
    );
    check_held(
        "until told of a loss: the lease is guarded",
        &Policy { basis: Basis::UntilLost, ..watched() },
        "granted nonce 1 until lost; wake Renew at 335ms",
        "335 renew => wake Renew at 668ms; >123 extend.1.eval.1 by watchdog
         385 timeout 123
         668 renew => wake Renew at 988ms; >123 extend.2.eval.1 by watchdog
         718 timeout 123
         988 renew => lost Expired",
    );
    check(
        "a caller that was told may ask again, another's release is not its own",
        &Policy { extension: Extension::Compare, ..single() },
        "0 acquire       => attempt 1; >1 acquire.1.set.1
         1 ok 1          => granted nonce 1 until 988ms
         2 extend 1000   => >1 extend.1.eval.1
         3 0 1           => extend failed Gone still nothing; lost Gone
         4 release other => released NotOwned other
         4 cancel
         4 acquire       => attempt 2; >1 acquire.2.set.1
         5 ok 1          => granted nonce 2 until 992ms",
    );
}

/// A handle that holds and is asked again: the specification refuses the call; code that asks all the same is refused by
/// its own key, and its cleaning takes the hold away.
#[test]
fn a_second_call_of_a_holder() {
    let again = "10 acquire => ";
    let once = |p: &mut Policy| (p.nonce, p.retry.retries) = (NonceLife::Handle, 0);
    check_held(
        "refused",
        &with(once),
        GRANTED,
        &format!("{again}refused Misuse\n11 release => >123 release.1.eval.1"),
    );
    let asks = with(|p| {
        once(p);
        p.reacquire = Reacquire::Asks;
    });
    check_held(
        "asks",
        &asks,
        GRANTED,
        &format!(
            "{again}attempt 2; >123 acquire.2.set.1
             11 null 123 => >123 acquire.2.eval.1
             12 1 123    => refused Taken
             13 release  => >123 release.1.eval.1
             14 0 123    => released NotOwned"
        ),
    );
}
