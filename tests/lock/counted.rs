//! Plays of the hash core: re-entry, waiting, watchdogs, releases that are sent again.

use super::play::Play;
use fencepost::lock::{
    AfterError, Fence, HashPolicy, HashProtocol, InnerLease, Latch, Lease, LeaseRenewal, OnLoss, RenewedLife,
    Resend, Soundness, Ttl, Wait, WaitFor, Waiting,
};
use fencepost::time::{Span, WorldTime};

/// 9 s, a node that may take 100 ms: what the plays start from.
fn scripted(change: impl FnOnce(&mut HashPolicy)) -> HashPolicy {
    let mut policy = HashPolicy::scripted(HashProtocol::Reentrant, Ttl::Of(Span::from_ms(9_000)));
    policy.node_timeout = Span::from_ms(100);
    change(&mut policy);
    policy
}

fn redisson(change: impl FnOnce(&mut HashPolicy)) -> HashPolicy {
    let mut policy = HashPolicy::redisson(HashProtocol::Redisson, Ttl::Of(Span::from_ms(9_000)));
    policy.node_timeout = Span::from_ms(100);
    policy.resend.delay = Span::from_ms(500);
    change(&mut policy);
    policy
}

#[track_caller]
fn check(name: &str, policy: &HashPolicy, script: &str) {
    policy.validate(Soundness::Waived).expect("a policy that can be run");
    let mut play = Play::of(&policy.clone().into(), 0, WorldTime::ZERO);
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (input, expected) = line.split_once("=>").unwrap_or((line, ""));
        let outputs = play.line(input);
        assert_eq!(outputs, expected.trim(), "{name}: {line}");
    }
}

#[test]
fn holds_are_counted_by_the_caller_too() {
    check(
        "granted twice with one nonce, released twice",
        &scripted(|_| {}),
        "0    acquire  => attempt 1; >1 acquire.1.eval.1
         1    null 1   => granted nonce 1 until released
         2    acquire  => attempt 2; >1 acquire.2.eval.1
         3    null 1   => granted nonce 1 until released
         4    release  => >1 release.1.eval.1
         5    1 1      => released Confirmed
         6    release  => >1 release.2.eval.1
         7    0 1      => released Confirmed
         8    release  => released NotOwned
         9    acquire  => attempt 3; >1 acquire.3.eval.1
         10   null 1   => granted nonce 1 until released",
    );
    check(
        "a stranger in the process is no holder",
        &scripted(|_| {}),
        "0    acquire       => attempt 1; >1 acquire.1.eval.1
         1    acquire other => refused Misuse other
         2    null 1        => granted nonce 1 until released
         3    acquire other => refused Misuse other
         4    release other => released NotOwned other
         5    extend 50     => extend failed Misuse still released
         6    extend 50 other => extend failed NotHeld still nothing other",
    );
    check(
        "whoever lost it is told by the release",
        &scripted(|_| {}),
        "0    acquire  => attempt 1; >1 acquire.1.eval.1
         1    null 1   => granted nonce 1 until released
         2    release  => >1 release.1.eval.1
         3    null 1   => released NotOwned
         4    acquire  => attempt 2; >1 acquire.2.eval.1
         5    error 1  => refused Error
         6    acquire  => attempt 3; >1 acquire.3.eval.1
         7    timeout 1 => refused Unknown
         8    acquire  => attempt 4; >1 acquire.4.eval.1
         9    7000 1   => refused Taken",
    );
    check(
        "a fence comes with every hold",
        &scripted(|policy| policy.fence = Fence::Incr),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         1    held9 1   => refused Taken
         2    acquire   => attempt 2; >1 acquire.2.eval.1
         3    fence4 1  => granted nonce 1 until released fence 4
         4    check     => >1 check.1.other.1
         5    1 1       => checked Held
         6    check     => >1 check.2.other.1
         7    release   => checked Unknown; >1 release.1.eval.1",
    );
}

#[test]
fn commands_without_an_answer() {
    let again = |latch| {
        scripted(|policy| {
            policy.latch = latch;
            policy.resend = Resend { acquires: 1, releases: 1, delay: Span::from_ms(50) };
        })
    };
    for latch in [Latch::Off, Latch::On] {
        check(
            "both are sent again, once",
            &again(latch),
            "0    acquire   => attempt 1; >1 acquire.1.eval.1
             100  timeout 1 => wake Retry at 150ms
             150  retry     => >1 acquire.1.eval.2
             151  null 1    => granted nonce 1 until released
             200  release   => >1 release.1.eval.1
             201  broken 1  => wake Retry at 251ms
             251  retry     => >1 release.1.eval.2
             351  timeout 1 => released Unknown",
        );
    }
    check(
        "what looks taken may be the call's own",
        &again(Latch::Off),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         100  timeout 1 => wake Retry at 150ms
         150  retry     => >1 acquire.1.eval.2
         151  8900 1    => refused Unknown",
    );
}

#[test]
fn refused_calls_wait_as_the_policy_says() {
    check(
        "for messages, and at most for the life of the key",
        &redisson(|_| {}),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         1    5000 1    => >1 acquire.1.other.1
         2    ok 1      => attempt 2; >1 acquire.2.eval.1
         3    4998 1    => wake Retry at 5001ms
         9    told elsewhere
         10   told      => quiet Retry; attempt 3; >1 acquire.3.eval.1
         11   told
         12   8000 1    => attempt 4; >1 acquire.4.eval.1
         13   7000 1    => wake Retry at 7013ms
         20   link messages => >1 acquire.4.other.2
         21   ok 1
         7013 retry     => attempt 5; >1 acquire.5.eval.1
         7014 null 1    => >1 acquire.5.other.3; granted nonce 1 until released; wake Renew at 10014ms
         7020 told",
    );
    check(
        "without a bound where the key has no life, and not where nobody would tell",
        &redisson(|_| {}),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         1    -1 1      => >1 acquire.1.other.1
         2    ok 1      => attempt 2; >1 acquire.2.eval.1
         3    -1 1
         4    cancel    => quiet Retry; >1 acquire.2.other.2; refused Cancelled
         5    acquire   => attempt 3; >1 acquire.3.eval.1
         6    900 1     => >1 acquire.3.other.1
         106  old timeout 1
         107  timeout 1 => refused Taken",
    );
    check(
        "no longer than its own limit, on the clock of the policy",
        &redisson(|policy| policy.wait_limit = Some(Span::from_ms(1_000))),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         1    5000 1    => >1 acquire.1.other.1
         2    ok 1      => attempt 2; >1 acquire.2.eval.1
         3    4998 1    => wake Retry at 1000ms
         500  wall 600
         600  told      => quiet Retry; >1 acquire.2.other.2; refused Taken",
    );
    check(
        "for pauses that double",
        &redisson(|policy| {
            policy.waiting = Waiting::Spin;
            policy.spin.most = Span::from_ms(4);
        }),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         1    9 1       => wake Retry at 1.75ms
         2    retry     => attempt 2; >1 acquire.2.eval.1
         3    9 1       => wake Retry at 4.5ms
         5    retry     => attempt 3; >1 acquire.3.eval.1
         6    9 1       => wake Retry at 9ms
         9    retry     => attempt 4; >1 acquire.4.eval.1
         10   9 1       => wake Retry at 13ms",
    );
}

#[test]
fn watchdogs_renew_what_named_no_lease() {
    check(
        "a third of the life after each answer",
        &redisson(|_| {}),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         1    null 1    => granted nonce 1 until released; wake Renew at 3001ms
         3001 renew     => >1 extend.1.eval.1 by watchdog
         3002 1 1       => wake Renew at 6002ms
         6002 renew     => >1 extend.2.eval.1 by watchdog
         6102 timeout 1 => wake Renew at 9102ms
         9102 renew     => >1 extend.3.eval.1 by watchdog
         9103 0 1
         9200 release   => >1 release.1.eval.1
         9201 null 1    => released NotOwned",
    );
    check(
        "not again after an error, where there is no other",
        &redisson(|policy| policy.after_error = AfterError::Stops),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         1    null 1    => granted nonce 1 until released; wake Renew at 3001ms
         3001 renew     => >1 extend.1.eval.1 by watchdog
         3002 error 1
         3003 release   => >1 release.1.eval.1
         3004 0 1       => released Confirmed",
    );
    check(
        "and tells where it tells",
        &redisson(|policy| policy.on_loss = OnLoss::Tell),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         1    null 1    => granted nonce 1 until lost; wake Renew at 3001ms
         3001 renew     => >1 extend.1.eval.1 by watchdog
         3002 0 1       => lost Gone
         3003 release   => >1 release.1.eval.1
         3004 null 1    => released NotOwned",
    );
    check(
        "no hold of a call that named one, and the unlock of any hold counts",
        &redisson(|_| {}),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         1    null 1    => granted nonce 1 until released; wake Renew at 3001ms
         2    acquire 600 => attempt 2; >1 acquire.2.eval.1
         3    null 1    => granted nonce 1 until released
         4    release   => >1 release.1.eval.1
         5    1 1       => quiet Renew; released Confirmed
         6    release   => >1 release.2.eval.1
         7    0 1       => released Confirmed
         8    acquire   => attempt 3; >1 acquire.3.eval.1
         9    null 1    => granted nonce 1 until released; wake Renew at 3009ms",
    );
    check(
        "at a third of what the handle remembers, where that is the life it gives",
        &redisson(|policy| policy.renewed_life = RenewedLife::Remembered),
        "0    acquire 600 => attempt 1; >1 acquire.1.eval.1
         1    null 1    => granted nonce 1 until released
         2    acquire   => attempt 2; >1 acquire.2.eval.1
         3    null 1    => granted nonce 1 until released; wake Renew at 203ms
         203  renew     => >1 extend.1.eval.1 by watchdog
         204  1 1       => wake Renew at 404ms",
    );
    check(
        "an inner call starts it for the outer hold",
        &redisson(|policy| (policy.lease, policy.inner_lease) = (Lease::Named, InnerLease::None)),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         1    null 1    => granted nonce 1 until released
         2    acquire   => attempt 2; >1 acquire.2.eval.1
         3    null 1    => granted nonce 1 until released; wake Renew at 3003ms
         4    release   => >1 release.1.eval.1
         5    1 1       => quiet Renew; released Confirmed",
    );
    check(
        "every hold, where it renews every hold",
        &redisson(|policy| (policy.lease, policy.renewal) = (Lease::Named, LeaseRenewal::Watchdog)),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         1    null 1    => granted nonce 1 until released; wake Renew at 3001ms",
    );
}

#[test]
fn replicas_are_asked_before_a_grant() {
    let waits = |replicas| redisson(|policy| policy.wait = Wait { replicas, limit: Span::from_ms(80) });
    check(
        "any one of those connected",
        &waits(WaitFor::Any),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         1    null 1    => >1 acquire.1.role.1
         2    master2 1 => >1 acquire.1.wait.1
         3    1 1       => granted nonce 1 until released; wake Renew at 3003ms",
    );
    check(
        "none where none is connected",
        &waits(WaitFor::All),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         1    null 1    => >1 acquire.1.role.1
         2    master0 1 => granted nonce 1 until released; wake Renew at 3002ms",
    );
    check(
        "too few give the hold back",
        &waits(WaitFor::All),
        "0    acquire   => attempt 1; >1 acquire.1.eval.1
         1    null 1    => >1 acquire.1.role.1
         2    master2 1 => >1 acquire.1.wait.1
         82   1 1       => >1 acquire.1.eval.2
         83   0 1       => refused Unknown
         84   acquire   => attempt 2; >1 acquire.2.eval.1
         85   null 1    => >1 acquire.2.role.1
         86   slave 1   => >1 acquire.2.eval.2
         87   cancel
         88   timeout 1 => refused Cancelled",
    );
}
