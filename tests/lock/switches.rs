//! Plays of the switches of time, votes and cleaning: for each value the same script as the specification's, and what
//! it says otherwise.

use crate::play::{Play, base, check, single, with};
use bytes::Bytes;
use fencepost::lock::{
    AfterLast, Arithmetic, Asking, Basis, Cleanup, Core, Deciding, DriftSign, Elapsed, Growth, LockCore,
    NonceLife, OnError, Pace, Policy, Protocol, QuorumOf, QuorumRule, ReleaseScope, Retry, Start, Taking,
    Ttl, Validity, WhenLate,
};
use fencepost::name::ClientId;
use fencepost::time::{ClockKind, Span};
use std::sync::Arc;

#[track_caller]
fn check_all(cases: impl IntoIterator<Item = (&'static str, Policy, &'static str)>) {
    for (name, policy, script) in cases {
        check(name, &policy, script);
    }
}

fn ms(count: i64) -> Span {
    Span::from_ms(count)
}

/// One voter that refuses at 300 ms, and is won at the retry.
fn won_late(start: Start) -> Policy {
    let retry = Retry { retries: 1, delay: ms(200), jitter: Span::ZERO };
    Policy { start, retry, ..single() }
}

#[test]
fn validity_counts_from_the_attempt_or_from_the_call() {
    const LATE: &str = "
        0 acquire    => attempt 1; >1 acquire.1.set.1
        20 null 1    => >1 acquire.1.eval.1
        40 0 1       => wake Retry at 240ms
        240 retry    => attempt 2; >1 acquire.2.set.1
        250 ok 1     => granted nonce 2 until ";
    let granted = |until: &str| -> &'static str { format!("{LATE}{until}").leak() };
    let short = |start| Policy { ttl: Ttl::Of(ms(250)), ..won_late(start) };
    check_all([
        ("attempt", won_late(Start::Attempt), granted("1228ms")),
        ("call", won_late(Start::Call), granted("988ms")),
        ("short attempt", short(Start::Attempt), granted("485.5ms")),
        (
            "a call that took longer than the TTL can only lose",
            short(Start::Call),
            "0 acquire    => attempt 1; >1 acquire.1.set.1
             20 null 1    => >1 acquire.1.eval.1
             40 0 1       => wake Retry at 240ms
             240 retry    => attempt 2; >1 acquire.2.set.1
             250 ok 1     => >1 acquire.2.eval.1
             251 1 1      => refused TooLate",
        ),
    ]);
}

#[test]
fn what_is_left_is_computed_as_the_code_does() {
    let at = |script: &str| -> &'static str { script.to_owned().leak() };
    let answered = |ms: u32, until: &str| {
        at(&format!("0 acquire => attempt 1; >123 acquire.1.set.1\n{ms} ok 123 => {until}"))
    };
    let late = answered(990, ">123 acquire.1.eval.1");
    let sign = || with(|p| p.drift_sign = DriftSign::Added);
    let seconds = |ttl| with(|p| (p.elapsed, p.ttl) = (Elapsed::WholeS, Ttl::Of(ms(ttl))));
    let wrapping = || with(|p| p.arithmetic = Arithmetic::Wrapping);
    check_all([
        ("the margin is added", sign(), answered(5, "granted nonce 1 until 1012ms")),
        ("and the check sees it added", sign(), answered(1_005, "granted nonce 1 until 1012ms")),
        (
            "whole milliseconds, all of them",
            with(|p| p.elapsed = Elapsed::WholeMs),
            answered(5, "granted nonce 1 until 988ms"),
        ),
        ("no second has passed", seconds(1_000), answered(900, "granted nonce 1 until 1888ms")),
        ("one second has passed of two", seconds(2_000), answered(1_900, "granted nonce 1 until 2878ms")),
        ("nothing left", base(), answered(988, ">123 acquire.1.eval.1")),
        (
            "nothing left is enough",
            with(|p| p.validity = Validity::ZeroPasses),
            answered(988, "granted nonce 1 until 988ms"),
        ),
        ("less than nothing is not", with(|p| p.validity = Validity::ZeroPasses), late),
        ("enough left", with(|p| p.min_validity = ms(900)), answered(87, "granted nonce 1 until 988ms")),
        ("just too little left", with(|p| p.min_validity = ms(900)), answered(88, ">123 acquire.1.eval.1")),
        (
            "just as much as is enough",
            with(|p| (p.validity, p.min_validity) = (Validity::ZeroPasses, ms(900))),
            answered(88, "granted nonce 1 until 988ms"),
        ),
        ("late", base(), late),
        ("late, unsigned", wrapping(), answered(990, "granted nonce 1 until 2305843009214683.952ms")),
        ("in time, unsigned", wrapping(), answered(980, "granted nonce 1 until 988ms")),
        ("nothing left, unsigned", wrapping(), answered(988, ">123 acquire.1.eval.1")),
    ]);
}

#[test]
fn an_elapsed_time_in_whole_milliseconds_loses_its_remainder() {
    let until = |elapsed| {
        let mut play = Play::new(&Policy { elapsed, ..single() });
        play.line("0 acquire");
        play.after(Span(5_700));
        play.again("ok 1")
    };
    assert_eq!(until(Elapsed::Exact), "granted nonce 1 until 988ms");
    assert_eq!(until(Elapsed::WholeMs), "granted nonce 1 until 988.7ms");
}

#[test]
fn a_quorum_rule_is_a_number() {
    let rules = [
        (QuorumRule::Majority, [1, 2, 2, 3, 3]),
        (QuorumRule::Half, [1, 1, 1, 2, 2]),
        (QuorumRule::Float, [1, 2, 3, 3, 4]),
        (QuorumRule::All, [1, 2, 3, 4, 5]),
        (QuorumRule::One, [1, 1, 1, 1, 1]),
    ];
    for (rule, expected) in rules {
        assert_eq!([1, 2, 3, 4, 5].map(|voters| rule.of(voters)), expected, "{rule:?}");
    }
}

#[test]
fn those_who_cannot_be_reached_count_or_do_not() {
    const CUT_OFF: &str = "
        0 acquire      => attempt 1; >123 acquire.1.set.1
        1 ok 1
        50 unsent 23   => ";
    let ends = |end: &str| -> &'static str { format!("{CUT_OFF}{end}").leak() };
    let connected = || with(|p| p.quorum_of = QuorumOf::Connected);
    check_all([
        ("of all", base(), ends(">123 acquire.1.eval.1")),
        ("of those connected", connected(), ends("granted nonce 1 until 988ms")),
        (
            "who does not answer is connected",
            connected(),
            "0 acquire      => attempt 1; >123 acquire.1.set.1
             1 ok 1
             50 unsent 2
             50 timeout 3   => >123 acquire.1.eval.1
             51 1 123       => refused Unknown",
        ),
        (
            "the driver tries again first",
            Policy { driver_retries: 1, ..connected() },
            "0 acquire      => attempt 1; >123 acquire.1.set.1
             1 ok 1
             2 unsent 23    => >23 acquire.1.set.2
             3 null 23      => >123 acquire.1.eval.1",
        ),
    ]);
}

#[test]
fn a_round_is_decided_by_all_or_at_a_quorum() {
    let deciding = |deciding| with(|p| p.deciding = deciding);
    let four =
        |deciding| Policy { deciding, retry: base().retry, ..Policy::spec(Protocol::Redlock, 4, base().ttl) };
    check_all([
        (
            "won at the quorum; the straggler is not heard",
            deciding(Deciding::AtQuorum),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 ok 12      => granted nonce 1 until 988ms
             2 ok 3
             3 release    => >123 release.1.eval.1
             4 1 12       => released Confirmed
             5 0 3",
        ),
        (
            "lost as soon as no quorum can come: the straggler may have written",
            deciding(Deciding::AtQuorum),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 1
             2 timeout 2  => >123 acquire.1.eval.1
             3 old ok 3
             4 0 12
             5 1 3        => refused Unknown",
        ),
        (
            "definitely taken",
            deciding(Deciding::AtQuorum),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 12    => >123 acquire.1.eval.1
             2 0 123      => refused Taken",
        ),
        (
            "one after the other: the rest is not asked",
            Policy { asking: Asking::Serial, ..deciding(Deciding::AtQuorum) },
            "0 acquire    => attempt 1; >1 acquire.1.set.1
             1 ok 1       => >2 acquire.1.set.1
             2 ok 2       => granted nonce 1 until 988ms",
        ),
        (
            "an even split is lost",
            four(Deciding::AtQuorum),
            "0 acquire    => attempt 1; >1234 acquire.1.set.1
             1 ok 12
             2 null 34    => >1234 acquire.1.eval.1",
        ),
        (
            "an even split never ends, but can be given up",
            four(Deciding::AtQuorumOfBoth),
            "0 acquire    => attempt 1; >1234 acquire.1.set.1
             1 ok 12
             2 null 34
             3 cancel     => >1234 acquire.1.eval.1
             4 0 1234     => refused Cancelled",
        ),
        (
            "three against are as good as a quorum",
            four(Deciding::AtQuorumOfBoth),
            "0 acquire    => attempt 1; >1234 acquire.1.set.1
             1 null 12
             2 error 3    => >1234 acquire.1.eval.1",
        ),
        (
            "three are for",
            four(Deciding::AtQuorumOfBoth),
            "0 acquire    => attempt 1; >1234 acquire.1.set.1
             1 ok 123     => granted nonce 1 until 988ms
             2 release    => >1234 release.1.eval.1
             3 1 12
             4 0 34",
        ),
    ]);
}

#[test]
fn what_an_error_does() {
    let on = |on_error, retries| with(|p| (p.on_error, p.retry.retries) = (on_error, retries));
    check_all([
        (
            "a node that does not answer ends the call",
            on(OnError::AbortAny, 3),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 ok 12
             50 timeout 3 => >123 acquire.1.eval.1
             51 1 12
             51 0 3       => refused Error",
        ),
        (
            "so does an error, and nobody is released where nobody shall be",
            Policy { release_on_failure: ReleaseScope::None, ..on(OnError::AbortAny, 3) },
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 ok 12
             2 error 3    => refused Error",
        ),
        (
            "but not where the driver repeats",
            Policy { driver_retries: 1, ..on(OnError::AbortAny, 3) },
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 broken 1   => >1 acquire.1.set.2
             2 ok 123     => granted nonce 1 until 988ms",
        ),
        (
            "a late answer of an earlier attempt ends nothing",
            on(OnError::AbortAny, 1),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 123   => >123 acquire.1.eval.1
             2 0 123      => wake Retry at 302ms
             302 retry    => attempt 2; >123 acquire.2.set.1
             303 late 1
             304 ok 123   => granted nonce 2 until 1290ms",
        ),
        (
            "after a quorum: the error is told and the keys stay",
            on(OnError::AbortAfterQuorum, 3),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 ok 12
             2 error 3    => refused Error",
        ),
        (
            "no answer is an error too",
            on(OnError::AbortAfterQuorum, 3),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 ok 12
             50 timeout 3 => refused Error",
        ),
        (
            "without a quorum it is a vote against",
            on(OnError::AbortAfterQuorum, 0),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 ok 1
             1 null 2
             2 error 3    => >123 acquire.1.eval.1
             3 0 123      => refused Taken",
        ),
        (
            "without validity it is a failure as any",
            on(OnError::AbortAfterQuorum, 0),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 ok 12
             988 error 3  => >123 acquire.1.eval.1
             989 1 12
             990 0 3      => refused TooLate",
        ),
        (
            "a quorum of all is granted",
            on(OnError::AbortAfterQuorum, 0),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 ok 12
             2 null 3     => granted nonce 1 until 988ms",
        ),
    ]);
}

#[test]
fn who_is_released_after_a_failure_and_who_waits_for_it() {
    let retry = |retries| Retry { retries, delay: ms(200), jitter: Span::ZERO };
    let failing = |cleanup, retries| with(|p| (p.cleanup, p.retry) = (cleanup, retry(retries)));
    check_all([
        (
            "nobody",
            with(|p| p.release_on_failure = ReleaseScope::None),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 ok 1
             2 null 23    => refused Taken",
        ),
        (
            "nobody after a late win",
            with(|p| p.release_when_late = WhenLate::None),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             988 ok 123   => refused TooLate",
        ),
        (
            "but everybody after another failure",
            with(|p| p.release_when_late = WhenLate::None),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             988 null 123 => >123 acquire.1.eval.1",
        ),
        (
            "in the background: the wait begins at once",
            failing(Cleanup::Background, 1),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 123   => >123 acquire.1.eval.1; wake Retry at 201ms
             2 0 12
             201 retry    => attempt 2; >123 acquire.2.set.1
             202 old 0 3
             203 null 123 => >123 acquire.2.eval.1; refused Taken
             204 0 123",
        ),
        (
            "to all at once, also where they are asked one after the other",
            Policy { asking: Asking::Serial, ..failing(Cleanup::Background, 0) },
            "0 acquire    => attempt 1; >1 acquire.1.set.1
             1 null 1     => >2 acquire.1.set.1
             2 null 2     => >3 acquire.1.set.1
             3 null 3     => >123 acquire.1.eval.1; refused Taken",
        ),
        (
            "a call given up sends none under its own context",
            failing(Cleanup::CallersContext, 1),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 cancel     => refused Cancelled
             2 ok 123",
        ),
        (
            "and waits for none",
            failing(Cleanup::CallersContext, 1),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 123   => >123 acquire.1.eval.1
             2 cancel     => refused Cancelled
             3 0 123",
        ),
        (
            "any other failure is cleaned",
            failing(Cleanup::CallersContext, 1),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 123   => >123 acquire.1.eval.1
             2 0 123      => wake Retry at 202ms
             3 cancel     => quiet Retry; refused Cancelled",
        ),
    ]);
}

fn pace(change: impl FnOnce(&mut Pace)) -> Policy {
    let mut pace = Pace::SPEC;
    change(&mut pace);
    let retry = Retry { retries: 4, delay: ms(100), jitter: Span::ZERO };
    Policy { retry, pace, release_on_failure: ReleaseScope::None, ..single() }
}

#[test]
fn the_waits_of_a_call() {
    check_all([
        (
            "doubling up to a maximum, and one more after the last",
            pace(|p| (p.growth, p.delay_max, p.after_last) = (Growth::Doubling, ms(300), AfterLast::Waits)),
            "0 acquire    => attempt 1; >1 acquire.1.set.1
             1 null 1     => wake Retry at 101ms
             101 retry    => attempt 2; >1 acquire.2.set.1
             102 null 1   => wake Retry at 302ms
             302 retry    => attempt 3; >1 acquire.3.set.1
             303 null 1   => wake Retry at 603ms
             603 retry    => attempt 4; >1 acquire.4.set.1
             604 null 1   => wake Retry at 904ms
             904 retry    => attempt 5; >1 acquire.5.set.1
             905 null 1   => wake Retry at 1205ms
             906 acquire other => refused Misuse other
             1205 retry   => refused Taken
             1206 acquire => attempt 6; >1 acquire.6.set.1",
        ),
        (
            "given up in the last wait",
            Policy {
                retry: Retry { retries: 0, ..pace(|_| {}).retry },
                ..pace(|p| p.after_last = AfterLast::Waits)
            },
            "0 acquire    => attempt 1; >1 acquire.1.set.1
             1 null 1     => wake Retry at 101ms
             2 cancel     => quiet Retry; refused Cancelled",
        ),
        (
            "until a limit, looked at after the wait",
            pace(|p| p.limit = Some(ms(202))),
            "0 acquire    => attempt 1; >1 acquire.1.set.1
             1 null 1     => wake Retry at 101ms
             101 retry    => attempt 2; >1 acquire.2.set.1
             102 null 1   => wake Retry at 202ms
             202 retry    => refused Taken",
        ),
        (
            "the answer is how the last attempt ended",
            pace(|p| p.limit = Some(ms(90))),
            "0 acquire    => attempt 1; >1 acquire.1.set.1
             50 timeout 1 => wake Retry at 150ms
             150 retry    => refused Unknown",
        ),
        (
            "the monotonic clock does not jump",
            pace(|p| p.limit = Some(ms(500))),
            "0 acquire    => attempt 1; >1 acquire.1.set.1
             1 null 1     => wake Retry at 101ms
             50 wall 600
             101 retry    => attempt 2; >1 acquire.2.set.1",
        ),
        (
            "the wall clock does",
            pace(|p| (p.limit, p.limit_clock) = (Some(ms(500)), ClockKind::Wall)),
            "0 acquire    => attempt 1; >1 acquire.1.set.1
             1 null 1     => wake Retry at 101ms
             50 wall 600
             101 retry    => refused Taken",
        ),
    ]);
}

#[test]
fn the_longest_call_knows_these_switches() {
    let max = |policy: Policy| Core::new(Arc::new(policy), Bytes::from_static(b"stock")).describe().call_max;
    let plain = || Policy { release_on_failure: ReleaseScope::All, ..pace(|_| {}) };
    assert_eq!(max(plain()), ms(5 * 100 + 4 * 100));
    assert_eq!(max(pace(|_| {})), ms(5 * 50 + 4 * 100));
    assert_eq!(max(Policy { cleanup: Cleanup::Background, ..plain() }), ms(5 * 50 + 4 * 100));
    assert_eq!(max(Policy { cleanup: Cleanup::CallersContext, ..plain() }), ms(5 * 100 + 4 * 100));
    assert_eq!(max(pace(|p| p.after_last = AfterLast::Waits)), ms(5 * 50 + 5 * 100));
    let doubling = pace(|p| (p.growth, p.delay_max) = (Growth::Doubling, ms(300)));
    assert_eq!(max(doubling), ms(5 * 50 + 100 + 200 + 300 + 300));
    assert_eq!(max(pace(|p| p.limit = Some(ms(120)))), ms(120 + 50 + 100));
    assert_eq!(max(pace(|p| p.limit = Some(ms(10_000)))), ms(5 * 50 + 4 * 100));
}

/// What a call remembers of its beginning ages with it, and is gone with it.
#[test]
fn a_call_that_remembers_its_beginning_leaves_nothing_behind() {
    let policy =
        Policy { start: Start::Call, nonce: NonceLife::Attempt, ..pace(|p| p.limit = Some(ms(5_000))) };
    let mut play = Play::new(&policy);
    let new = play.canonical(ClientId(0));
    let mut waits = Vec::new();
    for start in [0, 4_000] {
        for line in ["0 acquire", "1 null 1"] {
            let (at, rest) = line.split_once(' ').expect("a time");
            play.line(&format!("{} {rest}", start + at.parse::<u64>().expect("milliseconds")));
        }
        waits.push(play.canonical(ClientId(0)));
        play.line(&format!("{} cancel", start + 2));
        assert_eq!(play.canonical(ClientId(0)), new);
    }
    assert_eq!(waits[0], waits[1], "one call is as another");
    play.line("8000 acquire");
    play.line("8001 null 1");
    play.at(8_050);
    assert_ne!(play.canonical(ClientId(0)), waits[0], "its limit came nearer");
}

#[test]
fn nobody_decides_early_who_takes_in_two_steps() {
    let policy = with(|p| (p.deciding, p.taking) = (Deciding::AtQuorum, Taking::SetnxExpire));
    let error = policy.validate(fencepost::lock::Soundness::Waived).expect_err("stragglers in between");
    assert!(error.to_string().starts_with("deciding leaves voters behind"), "{error}");
    let endless = Policy { ttl: Ttl::Never, basis: Basis::UntilReleased, ..policy };
    assert_eq!(endless.validate(fencepost::lock::Soundness::Waived), Ok(()));
}
