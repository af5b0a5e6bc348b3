//! Plays of the acquire call: asking, deciding, cleaning up, retrying, cancelling.

use crate::play::{base, check, single, with};
use fencepost::lock::{
    Asking, Basis, Drift, Fence, NonceLife, OnError, Policy, Protocol, Release, ReleaseScope, Retry, Ttl,
    Validity,
};
use fencepost::time::{ClockKind, Span};

/// A play: name, policy, script.
type Case = (&'static str, Policy, &'static str);

#[track_caller]
fn check_all(cases: impl IntoIterator<Item = Case>) {
    for (name, policy, script) in cases {
        check(name, &policy, script);
    }
}

const GRANT_AT_5: &str = "
    0 acquire           => attempt 1; >123 acquire.1.set.1
    5 ok 12
    5 null 3            => granted nonce 1 until ";

fn granted(until: &str) -> &'static str {
    format!("{GRANT_AT_5}{until}").leak()
}

#[test]
fn a_majority_is_granted_until_the_end_that_the_policy_computes() {
    check_all([
        ("spec: from before the first send", base(), granted("988ms")),
        ("drift", with(|p| p.drift = Drift { permille: 0, constant: Span(1) }), granted("999.999ms")),
        ("elapsed counted off", with(|p| p.basis = Basis::DecisionElapsed), granted("988ms")),
        ("from the decision", with(|p| p.basis = Basis::Decision), granted("1005ms")),
        ("no end", with(|p| p.basis = Basis::UntilReleased), granted("released")),
        ("until told", with(|p| p.basis = Basis::UntilLost), granted("lost")),
        ("wall clock", with(|p| p.clock = ClockKind::Wall), granted("wall 988ms")),
        ("no TTL", with(|p| p.ttl = Ttl::Never), granted("released")),
        (
            "no TTL whatever the basis",
            with(|p| (p.ttl, p.basis) = (Ttl::Never, Basis::UntilLost)),
            granted("released"),
        ),
    ]);
}

#[test]
fn what_counts_as_a_vote() {
    check_all([
        (
            "everybody is heard, even when it is decided",
            base(),
            "0 acquire  => attempt 1; >123 acquire.1.set.1
             1 null 12
             2 ok 3     => >123 acquire.1.eval.1
             3 1 3
             3 0 12     => refused Taken",
        ),
        (
            "a quorum of one",
            with(|p| p.quorum = 1),
            "0 acquire  => attempt 1; >123 acquire.1.set.1
             1 null 12
             2 ok 3     => granted nonce 1 until 988ms",
        ),
        (
            "too many unknown to say taken",
            base(),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 ok 1
             2 null 2
             50 timeout 3 => >123 acquire.1.eval.1
             51 1 1
             51 0 23      => refused Unknown",
        ),
        (
            "one unknown is too few to win",
            base(),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             2 null 12
             50 unsent 3  => >123 acquire.1.eval.1
             51 0 12
             99 timeout 3 => refused Taken",
        ),
        (
            "a reply outside the contract is unknown",
            base(),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             2 null 1
             3 7 2
             3 array 3    => >123 acquire.1.eval.1
             4 0 123      => refused Unknown",
        ),
        (
            "an error reply counts against",
            base(),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 error 1
             1 ok 23      => granted nonce 1 until 988ms",
        ),
        (
            "an error reply ends the call; late answers change nothing",
            with(|p| (p.on_error, p.retry.retries) = (OnError::Abort, 3)),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 ok 2
             1 error 1    => >123 acquire.1.eval.1
             2 old ok 3
             3 late 1
             3 0 1
             3 1 23       => refused Error",
        ),
        (
            "one after the other",
            with(|p| p.asking = Asking::Serial),
            "0 acquire    => attempt 1; >1 acquire.1.set.1
             1 null 1     => >2 acquire.1.set.1
             51 timeout 2 => >3 acquire.1.set.1
             52 ok 3      => >1 acquire.1.eval.1
             53 0 1       => >2 acquire.1.eval.1
             53 0 2       => >3 acquire.1.eval.1
             53 1 3       => refused Unknown",
        ),
        (
            "a fence comes with the grant",
            Policy { fence: Fence::Incr, ..single() },
            "0 acquire    => attempt 1; >1 acquire.1.eval.1
             1 33 1       => granted nonce 1 until 988ms fence 33
             2 release    => >1 release.1.eval.1
             3 1 1        => released Confirmed",
        ),
        (
            "no fence, no number",
            Policy { fence: Fence::Incr, ..single() },
            "0 acquire    => attempt 1; >1 acquire.1.eval.1
             1 null 1     => >1 acquire.1.eval.2
             2 0 1        => refused Taken",
        ),
        (
            "the driver's repetitions have places of their own",
            Policy { fence: Fence::Incr, driver_retries: 2, ..single() },
            "0 acquire    => attempt 1; >1 acquire.1.eval.1
             1 null 1     => >1 acquire.1.eval.4
             2 broken 1   => >1 acquire.1.eval.5
             3 0 1        => refused Taken",
        ),
    ]);
}

#[test]
fn validity_is_checked_against_the_moment_before_the_first_send() {
    const LATE: &str = "
        0 acquire      => attempt 1; >123 acquire.1.set.1
        10 ok 12
        988 ok 3       => ";
    let late = |outputs: &str| -> &'static str { format!("{LATE}{outputs}").leak() };
    let cleaned = ">123 acquire.1.eval.1\n 989 1 123 => refused TooLate";
    let unchecked = |basis| with(|p| (p.validity, p.basis) = (Validity::NoCheck, basis));
    check_all([
        (
            "in time by a microsecond's worth",
            base(),
            "0 acquire     => attempt 1; >123 acquire.1.set.1
             987 ok 123    => granted nonce 1 until 988ms",
        ),
        ("checked", base(), late(cleaned)),
        ("checked, believed from the decision", with(|p| p.basis = Basis::Decision), late(cleaned)),
        ("checked, no end", with(|p| p.basis = Basis::UntilReleased), late(cleaned)),
        ("an end in the past", unchecked(Basis::Send), late("granted nonce 1 until 988ms")),
        ("an end too far", unchecked(Basis::Decision), late("granted nonce 1 until 1988ms")),
        ("no end", unchecked(Basis::UntilReleased), late("granted nonce 1 until released")),
        (
            "a wall clock that stepped back believes too long",
            with(|p| p.clock = ClockKind::Wall),
            "0 acquire     => attempt 1; >123 acquire.1.set.1
             1 wall -5000
             1500 ok 123   => granted nonce 1 until wall 988ms",
        ),
    ]);
}

#[test]
fn a_failed_attempt_is_taken_back_before_anything_else() {
    let retries = |retries| Retry { retries, ..base().retry };
    check_all([
        (
            "all voters, then the wait, then a fresh nonce",
            with(|p| p.retry = retries(1)),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 23
             1 ok 1       => >123 acquire.1.eval.1
             2 1 1
             2 error 2
             52 timeout 3 => wake Retry at 352ms
             352 retry    => attempt 2; >123 acquire.2.set.1
             353 ok 12
             353 null 3   => granted nonce 2 until 1340ms",
        ),
        (
            "only known grants",
            with(|p| p.release_on_failure = ReleaseScope::Known),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 2
             1 ok 1
             50 timeout 3 => >1 acquire.1.eval.1
             51 1 1       => refused Unknown",
        ),
        (
            "no known grants, nothing to wait for",
            with(|p| p.release_on_failure = ReleaseScope::Known),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 123   => refused Taken",
        ),
        (
            "plain DEL",
            with(|p| p.release = Release::PlainDel),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 123   => >123 acquire.1.del.1
             2 0 123      => refused Taken",
        ),
        (
            "taken is not said of a call that may have met itself",
            with(|p| p.retry = retries(1)),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             50 timeout 123 => >123 acquire.1.eval.1
             99 timeout 123 => wake Retry at 399ms
             399 retry    => attempt 2; >123 acquire.2.set.1
             400 null 123 => >123 acquire.2.eval.1
             401 0 123    => refused Unknown",
        ),
        (
            "taken twice is taken",
            with(|p| p.retry = retries(1)),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 123   => >123 acquire.1.eval.1
             2 0 123      => wake Retry at 302ms
             302 retry    => attempt 2; >123 acquire.2.set.1
             303 null 123 => >123 acquire.2.eval.1
             304 0 123    => refused Taken",
        ),
        (
            "no jitter, shorter delay",
            with(|p| p.retry = Retry { retries: 1, delay: Span::from_ms(7), jitter: Span::ZERO }),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 123   => >123 acquire.1.eval.1
             2 0 123      => wake Retry at 9ms",
        ),
    ]);
}

#[test]
fn a_driver_that_repeats_turns_an_own_grant_into_taken() {
    check_all([
        (
            "repeated behind the algorithm's back",
            Policy { driver_retries: 1, release_on_failure: ReleaseScope::Known, ..single() },
            "0 acquire   => attempt 1; >1 acquire.1.set.1
             1 broken 1  => >1 acquire.1.set.2
             2 null 1    => refused Taken",
        ),
        (
            "not more often than allowed",
            Policy { driver_retries: 1, release_on_failure: ReleaseScope::Known, ..single() },
            "0 acquire   => attempt 1; >1 acquire.1.set.1
             1 unsent 1  => >1 acquire.1.set.2
             2 broken 1  => refused Unknown",
        ),
        (
            "a timeout is not repeated",
            Policy { driver_retries: 1, release_on_failure: ReleaseScope::Known, ..single() },
            "0 acquire    => attempt 1; >1 acquire.1.set.1
             50 timeout 1 => refused Unknown",
        ),
        (
            "without repetition it stays unknown",
            Policy { release_on_failure: ReleaseScope::Known, ..single() },
            "0 acquire   => attempt 1; >1 acquire.1.set.1
             1 broken 1  => refused Unknown",
        ),
        (
            "releases are repeated too",
            Policy { driver_retries: 1, ..single() },
            "0 acquire   => attempt 1; >1 acquire.1.set.1
             1 ok 1      => granted nonce 1 until 988ms
             2 release   => >1 release.1.eval.1
             3 broken 1  => >1 release.1.eval.2
             4 0 1       => released NotOwned",
        ),
    ]);
}

#[test]
fn how_long_a_nonce_lives() {
    let script = |second: u64, third: u64| -> &'static str {
        format!(
            "0 acquire   => attempt 1; >123 acquire.1.set.1
             1 null 123  => >123 acquire.1.eval.1
             2 0 123     => wake Retry at 302ms
             302 retry   => attempt 2; >123 acquire.2.set.1
             303 ok 123  => granted nonce {second} until 1290ms
             304 release => >123 release.1.eval.1
             305 1 123   => released Confirmed
             400 acquire => attempt 3; >123 acquire.3.set.1
             401 ok 123  => granted nonce {third} until 1388ms"
        )
        .leak()
    };
    let life = |nonce| with(|p| (p.nonce, p.retry.retries) = (nonce, 1));
    check_all([
        ("attempt", life(NonceLife::Attempt), script(2, 3)),
        ("call", life(NonceLife::Call), script(1, 3)),
        ("handle", life(NonceLife::Handle), script(1, 1)),
        (
            "a refused call takes its nonce along",
            with(|p| p.nonce = NonceLife::Call),
            "0 acquire   => attempt 1; >123 acquire.1.set.1
             1 null 123  => >123 acquire.1.eval.1
             2 0 123     => refused Taken
             3 acquire   => attempt 2; >123 acquire.2.set.1
             4 ok 123    => granted nonce 2 until 991ms",
        ),
    ]);
}

#[test]
fn a_call_can_be_given_up_at_every_moment() {
    let policy = with(|p| p.retry.retries = 1);
    check_all([
        (
            "while asking",
            policy.clone(),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 cancel other
             1 cancel     => >123 acquire.1.eval.1
             2 old ok 123
             3 0 123      => refused Cancelled",
        ),
        (
            "while cleaning up",
            policy.clone(),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 123   => >123 acquire.1.eval.1
             1 cancel other
             1 cancel
             2 0 123      => refused Cancelled",
        ),
        (
            "while waiting",
            policy.clone(),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 123   => >123 acquire.1.eval.1
             2 0 123      => wake Retry at 302ms
             2 cancel other
             3 cancel     => quiet Retry; refused Cancelled
             302 retry",
        ),
        (
            "not when it is over",
            policy,
            "0 cancel
             0 acquire    => attempt 1; >123 acquire.1.set.1
             1 ok 123     => granted nonce 1 until 988ms
             2 cancel
             3 release    => >123 release.1.eval.1
             3 cancel
             4 1 123      => released Confirmed",
        ),
    ]);
}

#[test]
fn one_call_or_hold_at_a_time() {
    check(
        "misuse and facts without consequence",
        &with(|p| p.retry.retries = 1),
        "0 release       => released NotOwned
         0 extend 1000   => extend failed NotHeld still nothing
         0 renew
         0 acquire       => attempt 1; >123 acquire.1.set.1
         0 acquire other => refused Misuse other
         0 release       => released NotOwned
         0 extend 1000   => extend failed NotHeld still nothing
         0 link
         0 push
         0 retry
         1 null 123      => >123 acquire.1.eval.1
         1 acquire       => refused Misuse
         2 0 123         => wake Retry at 302ms
         2 acquire       => refused Misuse
         302 retry       => attempt 2; >123 acquire.2.set.1
         303 ok 123      => granted nonce 7 until 1290ms
         303 acquire     => refused Misuse
         303 late 3
         304 release other => released NotOwned other
         304 release     => >123 release.1.eval.1
         304 acquire     => refused Misuse
         305 1 123       => released Confirmed
         306 acquire     => attempt 3; >123 acquire.3.set.1",
    );
}

#[test]
fn no_lock_grants_everybody() {
    check(
        "none",
        &with(|p| p.protocol = Protocol::None),
        "0 acquire       => attempt 1; granted nonce 1 until released
         0 acquire other => attempt 2; granted nonce 2 until released other
         1 extend 5      => extended until released
         1 cancel
         1 renew
         2 release       => released Confirmed
         2 release other => released Confirmed other",
    );
}
