//! Plays of the switches of extensions and watchdogs, right value beside deviating value.

use crate::play::{Play, check, single, with};
use fencepost::lock::{
    Asked, Basis, Core, Extension, ExtensionChecks, ExtensionMoves, ExtensionQuorumOf, ExtensionWithin,
    LockCore, OnExtensionFailure, OnLoss, Policy, Protocol, Renewal, RenewalOnRelease, RenewalRearm,
    RenewalRounding, Ttl,
};
use fencepost::name::ClientId;
use fencepost::time::Span;

/// A hold granted at 2 ms, with what the policy outputs then.
#[track_caller]
fn check_held(name: &str, policy: &Policy, granted: &str, script: &str) {
    let start = "0 acquire => attempt 1; >123 acquire.1.set.1\n 2 ok 123 => ";
    check(name, policy, &format!("{start}{granted}\n{script}"));
}

fn extending(change: impl FnOnce(&mut Policy)) -> Policy {
    with(|p| {
        p.extension = Extension::Compare;
        change(p);
    })
}

fn watched(change: impl FnOnce(&mut Policy)) -> Policy {
    extending(|p| {
        p.renewal = Renewal::Watchdog;
        change(p);
    })
}

const GRANTED: &str = "granted nonce 1 until 988ms";
const WATCHED: &str = "granted nonce 1 until 988ms; wake Renew at 335ms";

#[test]
fn what_an_extension_makes_of_its_answers() {
    for (name, policy, script) in [
        (
            "SET XX: OK is a vote, nil none",
            extending(|p| p.extension = Extension::SetXx),
            "100 extend 2000 => >123 extend.1.set.1
             101 null 1
             101 ok 23 => extended until 2078ms
             200 extend 2000 => >123 extend.2.set.1
             201 null 12
             201 ok 3 => extend failed Gone still nothing; lost Gone",
        ),
        (
            "SET IFEQ",
            extending(|p| p.extension = Extension::SetIfeq),
            "100 extend 2000 => >123 extend.1.set.1
             101 ok 12
             101 1 3 => extended until 2078ms",
        ),
        (
            "an added life is added to the promise",
            extending(|p| p.extension = Extension::Add),
            "100 extend 2000 => >123 extend.1.eval.1
             101 1 123 => extended until 2966ms",
        ),
        (
            "a deadline that is not moved",
            extending(|p| p.extension_moves = ExtensionMoves::Nothing),
            "100 extend 2000 => >123 extend.1.eval.1
             101 1 123 => extended until 988ms
             988 extend 5 => >123 extend.2.eval.1
             989 timeout 123 => extend failed Unknown still nothing",
        ),
        (
            "nothing is taken off",
            extending(|p| p.extension_checks = ExtensionChecks::Nothing),
            "100 extend 2000 => >123 extend.1.eval.1
             2100 1 123 => extended until 4100ms",
        ),
        (
            "an end that comes late is looked at where grants are",
            extending(|_| {}),
            "100 extend 2000 => >123 extend.1.eval.1
             2100 1 123 => extend failed TooLate still nothing",
        ),
        (
            "after the end, where the keys let it",
            extending(|_| {}),
            "988 extend 2000 => >123 extend.1.eval.1
             989 1 123 => extended until 2966ms",
        ),
        (
            "not after the end",
            extending(|p| p.extension_within = ExtensionWithin::Validity),
            "987 extend 2000 => >123 extend.1.eval.1
             988 1 123 => extend failed TooLate still nothing
             989 extend 2000 => extend failed TooLate still nothing
             990 release => >123 release.1.eval.1",
        ),
        (
            "within validity all is as ever",
            extending(|p| p.extension_within = ExtensionWithin::Validity),
            "900 extend 2000 => >123 extend.1.eval.1
             987 1 123 => extended until 2878ms",
        ),
        (
            "so often and no more",
            extending(|p| p.renewals_max = 1),
            "100 extend 2000 => >123 extend.1.eval.1
             101 timeout 123 => extend failed Unknown still 988ms
             102 extend 2000 => >123 extend.2.eval.1
             103 1 123 => extended until 2080ms
             104 extend 2000 => extend failed Misuse still 2080ms",
        ),
    ] {
        check_held(name, &policy, GRANTED, script);
    }
    for (basis, granted, extended) in [
        (Basis::Decision, "granted nonce 1 until 1002ms", "extended until 2101ms"),
        (Basis::UntilReleased, "granted nonce 1 until released", "extended until released"),
        (Basis::UntilLost, "granted nonce 1 until lost", "extended until lost"),
    ] {
        let policy = extending(|p| (p.basis, p.extension_checks) = (basis, ExtensionChecks::Nothing));
        let script = format!("100 extend 2000 => >123 extend.1.eval.1\n 101 1 123 => {extended}");
        check_held("unchecked", &policy, granted, &script);
    }
}

#[test]
fn what_a_failed_extension_means() {
    const UNKNOWN: &str = "100 extend 2000 => >123 extend.1.eval.1\n 150 timeout 12\n 150 1 3 => ";
    let failing = |how| extending(|p| p.on_extension_failure = how);
    let silent = |how| extending(|p| (p.on_extension_failure, p.on_loss) = (how, OnLoss::Silent));
    for (name, policy, end) in [
        ("kept", failing(OnExtensionFailure::Keep), "extend failed Unknown still 988ms"),
        ("told", failing(OnExtensionFailure::Tell), "extend failed Unknown still nothing; lost Unrenewed"),
        (
            "given back, and told",
            failing(OnExtensionFailure::ReleaseAll),
            "extend failed Unknown still nothing; >123 release.1.eval.1; lost Unrenewed
             151 1 3
             152 release => >123 release.2.eval.1
             153 old 1 12
             154 0 123 => released NotOwned",
        ),
        (
            "given back, and not told: it believes in the old deadline",
            silent(OnExtensionFailure::ReleaseAll),
            "extend failed Unknown still 988ms; >123 release.1.eval.1
             151 1 3
             200 extend 2000 => >123 extend.2.eval.1
             201 0 123 => extend failed Gone still nothing; >123 release.2.eval.1",
        ),
    ] {
        check_held(name, &policy, GRANTED, &format!("{UNKNOWN}{end}"));
    }
    check_held(
        "by the watchdog",
        &watched(|p| p.on_extension_failure = OnExtensionFailure::ReleaseAll),
        WATCHED,
        "335 renew => wake Renew at 668ms; >123 extend.1.eval.1 by watchdog
         340 1 1
         385 timeout 23 => >123 release.1.eval.1 by watchdog; quiet Renew; lost Unrenewed",
    );
    check_held(
        "the watchdog of a lock that keeps tries again",
        &watched(|_| {}),
        WATCHED,
        "335 renew => wake Renew at 668ms; >123 extend.1.eval.1 by watchdog
         385 timeout 123
         668 renew => wake Renew at 988ms; >123 extend.2.eval.1 by watchdog",
    );
}

#[test]
fn whoever_granted_is_asked() {
    const GRANTED_BY_TWO: &str = "
        0 acquire   => attempt 1; >12345 acquire.1.set.1
        1 ok 134
        2 timeout 25 => granted nonce 1 until 988ms\n";
    let five = |of, asked| {
        let mut policy = Policy::spec(Protocol::Redlock, 5, Ttl::Of(Span::from_ms(1_000)));
        (policy.extension, policy.extension_quorum_of, policy.release_asks) = (Extension::Compare, of, asked);
        policy
    };
    for (name, policy, script) in [
        (
            "all, and a quorum of all",
            five(ExtensionQuorumOf::Voters, Asked::Voters),
            "100 extend 1000 => >12345 extend.1.eval.1
             101 1 13
             101 0 245 => extend failed Gone still nothing; lost Gone
             102 release => >12345 release.1.eval.1",
        ),
        (
            "three granted, and two of these are enough",
            five(ExtensionQuorumOf::Acquired, Asked::Acquired),
            "100 extend 1000 => >134 extend.1.eval.1
             101 1 13
             101 0 4 => extended until 1088ms
             102 extend 1000 => >134 extend.2.eval.1
             103 0 13
             103 1 4 => extend failed Gone still nothing; lost Gone
             104 release => >134 release.1.eval.1
             105 1 134 => released Confirmed",
        ),
    ] {
        check(name, &policy, &format!("{GRANTED_BY_TWO}{script}"));
    }
}

#[test]
fn the_period_of_a_watchdog() {
    let ms = Span::from_ms;
    let period = |permille, rounding, ttl| {
        watched(|p| (p.renewal_permille, p.renewal_rounding) = (permille, rounding)).renewal_period(ms(ttl))
    };
    for (permille, rounding, ttl, expected) in [
        (None, RenewalRounding::Exact, 30_000, 10_000),
        (None, RenewalRounding::Exact, 1_000, 333),
        (None, RenewalRounding::Exact, 2, 1),
        (Some(600), RenewalRounding::Exact, 10_000, 6_000),
        (Some(667), RenewalRounding::Exact, 999, 666),
        (None, RenewalRounding::WholeS, 10_000, 3_000),
        (None, RenewalRounding::WholeS, 2_999, 1),
        (Some(500), RenewalRounding::WholeS, 3_999, 1_000),
    ] {
        assert_eq!(period(permille, rounding, ttl), ms(expected), "{permille:?} {rounding:?} {ttl}");
    }
    let bound =
        |rearm| Core::new(watched(|p| p.renewal_rearm = rearm).into(), "stock".into()).describe().renewal;
    assert_eq!(bound(RenewalRearm::Always), Some(ms(333)));
    assert_eq!(bound(RenewalRearm::AfterSuccess), Some(ms(383)), "the next period begins with the answer");
    check_held(
        "a share of the TTL",
        &watched(|p| p.renewal_permille = Some(600)),
        "granted nonce 1 until 988ms; wake Renew at 602ms",
        "602 renew => wake Renew at 988ms; >123 extend.1.eval.1 by watchdog",
    );
    check_held(
        "seconds of which nothing is left",
        &watched(|p| p.renewal_rounding = RenewalRounding::WholeS),
        "granted nonce 1 until 988ms; wake Renew at 3ms",
        "3 renew => wake Renew at 4ms; >123 extend.1.eval.1 by watchdog
         4 renew => wake Renew at 5ms",
    );
    check_held(
        "a limit: nothing is asked any more, but the end is told",
        &watched(|p| p.renewals_max = 1),
        WATCHED,
        "335 renew => wake Renew at 668ms; >123 extend.1.eval.1 by watchdog
         340 1 123 => extended until 1323ms
         668 renew => wake Renew at 1323ms
         1323 renew => lost Expired",
    );
}

#[test]
fn when_a_watchdog_asks_for_its_next_wake() {
    let rearm = |rearm| watched(|p| p.renewal_rearm = rearm);
    let began = "335 renew => >123 extend.1.eval.1 by watchdog\n";
    for (name, policy, script) in [
        (
            "after success, a period from its answer",
            rearm(RenewalRearm::AfterSuccess),
            "345 1 123 => extended until 1323ms; wake Renew at 678ms",
        ),
        ("not after silence", rearm(RenewalRearm::AfterSuccess), "385 timeout 123"),
        ("not after errors", rearm(RenewalRearm::AfterSuccess), "345 error 123"),
        ("not after a loss", rearm(RenewalRearm::AfterSuccess), "345 0 123 => quiet Renew; lost Gone"),
        (
            "after a reply that it succeeded",
            rearm(RenewalRearm::AfterReply),
            "345 1 123 => extended until 1323ms; wake Renew at 678ms",
        ),
        (
            "after a reply that the keys are gone, which is no loss",
            rearm(RenewalRearm::AfterReply),
            "345 0 123 => wake Renew at 678ms
             678 renew => >123 extend.2.eval.1 by watchdog
             679 1 123 => extended until 1666ms; wake Renew at 1012ms",
        ),
        ("not after an error", rearm(RenewalRearm::AfterReply), "345 error 123"),
        (
            "a call of the holder takes its place, and its wake",
            rearm(RenewalRearm::AfterSuccess),
            "340 extend 1000 => wake Renew at 673ms; >123 extend.2.eval.1
             341 old 1 123
             342 1 123 => extended until 1328ms
             673 renew => >123 extend.3.eval.1 by watchdog",
        ),
        (
            "a call of the holder that is open is waited for",
            rearm(RenewalRearm::AfterSuccess),
            "345 1 123 => extended until 1323ms; wake Renew at 678ms
             670 extend 1000 => >123 extend.2.eval.1
             678 renew => wake Renew at 1011ms",
        ),
    ] {
        check_held(name, &policy, WATCHED, &format!("{began}{script}"));
    }
}

#[test]
fn a_watchdog_that_survives_the_release() {
    let survivor = |rearm| Policy {
        extension: Extension::Compare,
        renewal: Renewal::Watchdog,
        renewal_on_release: RenewalOnRelease::Survives,
        renewal_rearm: rearm,
        ..single()
    };
    const RELEASED: &str = "
        0 acquire   => attempt 1; >1 acquire.1.set.1
        2 ok 1      => granted nonce 1 until 988ms; wake Renew at 335ms
        10 release  => >1 release.1.eval.1\n";
    for (name, rearm, script) in [
        (
            "a release that was not heard: it is renewed for ever",
            RenewalRearm::Always,
            "60 timeout 1 => released Unknown
             335 renew => wake Renew at 668ms; >1 extend.1.eval.1 by watchdog
             336 1 1
             668 renew => wake Renew at 1001ms; >1 extend.2.eval.1 by watchdog
             718 timeout 1
             1001 renew => wake Renew at 1334ms; >1 extend.3.eval.1 by watchdog
             1002 renew => wake Renew at 1335ms",
        ),
        (
            "a release that was: it finds nothing and ends",
            RenewalRearm::Always,
            "11 1 1 => released Confirmed
             335 renew => wake Renew at 668ms; >1 extend.1.eval.1 by watchdog
             336 0 1 => quiet Renew
             668 renew",
        ),
        (
            "even in the next call, whose hold takes its place",
            RenewalRearm::Always,
            "11 1 1 => released Confirmed
             300 acquire => attempt 2; >1 acquire.2.set.1
             335 renew => wake Renew at 668ms; >1 extend.1.eval.1 by watchdog
             336 old ok 1 => granted nonce 2 until 1288ms; wake Renew at 669ms
             337 1 1
             669 renew => wake Renew at 1002ms; >1 extend.2.eval.1 by watchdog
             670 1 1 => extended until 1657ms",
        ),
        (
            "after success only",
            RenewalRearm::AfterSuccess,
            "60 timeout 1 => released Unknown
             335 renew => >1 extend.1.eval.1 by watchdog
             336 1 1 => wake Renew at 669ms
             669 renew => >1 extend.2.eval.1 by watchdog
             719 timeout 1 => quiet Renew
             720 renew",
        ),
        (
            "after any reply",
            RenewalRearm::AfterReply,
            "11 1 1 => released Confirmed
             335 renew => >1 extend.1.eval.1 by watchdog
             336 0 1 => wake Renew at 669ms
             669 renew => >1 extend.2.eval.1 by watchdog
             670 error 1 => quiet Renew",
        ),
    ] {
        check(name, &survivor(rearm), &format!("{RELEASED}{script}"));
    }
    let ends = Policy { renewal_on_release: RenewalOnRelease::Ends, ..survivor(RenewalRearm::Always) };
    let ended = RELEASED.replace("=> >1 release", "=> quiet Renew; >1 release");
    check("one that ends", &ends, &format!("{ended}335 renew"));
}

/// Each state of a watchdog without a hold is the same a release later, and its end leaves nothing.
#[test]
fn a_surviving_watchdog_is_part_of_the_state() {
    let policy =
        watched(|p| (p.renewal_on_release, p.release_asks) = (RenewalOnRelease::Survives, Asked::Acquired));
    let mut play = Play::new(&policy);
    let new = play.canonical(ClientId(0));
    let mut first = Vec::new();
    for start in [0, 5_000] {
        let mut states = Vec::new();
        for line in
            ["0 acquire", "2 ok 12", "3 null 3", "10 release", "11 1 12", "335 renew", "336 0 12", "337 0 3"]
        {
            let (at, rest) = line.split_once(' ').expect("a time");
            play.line(&format!("{} {rest}", start + at.parse::<u64>().expect("milliseconds")));
            states.push(play.canonical(ClientId(0)));
        }
        assert_eq!(states.pop(), Some(new.clone()), "it found nothing and ended");
        assert_ne!(states[4], new, "released, but renewed");
        assert_ne!(states[5], states[4], "asking");
        if first.is_empty() {
            first = states.clone();
        }
        assert_eq!(states, first);
    }
}
