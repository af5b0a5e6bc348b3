//! Plays of the policies that break on purpose: what real code did, to the letter.

use crate::play::{Play, base, check, single, with};
use fencepost::canon::Canon;
use fencepost::lock::{
    Asking, Core, Counting, Extension, LockCore, NonceLife, OnError, Policy, ReleaseScope, Renewal, Stored,
    Taking, Ttl,
};
use fencepost::name::{ClientId, Nonce};
use fencepost::time::{ProcessClocks, Span, WorldTime};
use std::sync::Arc;

#[track_caller]
fn check_all(cases: impl IntoIterator<Item = (&'static str, Policy, &'static str)>) {
    for (name, policy, script) in cases {
        check(name, &policy, script);
    }
}

#[test]
fn a_refusal_is_a_vote_where_replies_are_counted() {
    let counting = || with(|p| p.counting = Counting::Replies);
    check_all([
        (
            "refused by all is granted",
            counting(),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 123   => granted nonce 1 until 988ms",
        ),
        (
            "no answer and a strange one are no votes",
            counting(),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 1
             2 7 2
             50 timeout 3 => >123 acquire.1.eval.1
             51 0 123     => refused Unknown",
        ),
        (
            "an error is a vote against",
            counting(),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 1
             2 error 23   => >123 acquire.1.eval.1
             3 0 123      => refused Taken",
        ),
        (
            "extension and release count what they are told",
            Policy { extension: Extension::Compare, ..counting() },
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 null 123   => granted nonce 1 until 988ms
             2 extend 500 => >123 extend.1.eval.1
             3 0 123      => extend failed Gone still nothing; lost Gone
             4 release    => >123 release.1.eval.1
             5 0 123      => released NotOwned",
        ),
        (
            "a refusal of SETNX is a vote too, and no life follows it",
            Policy { taking: Taking::SetnxExpire, ..counting() },
            "0 acquire    => attempt 1; >123 acquire.1.setnx.1
             1 0 123      => granted nonce 1 until 988ms",
        ),
    ]);
}

fn two_steps() -> Policy {
    with(|p| p.taking = Taking::SetnxExpire)
}

#[test]
fn setnx_is_followed_by_pexpire_where_it_wrote_the_key() {
    check_all([
        (
            "each voter on its own, and what PEXPIRE answers is not looked at",
            two_steps(),
            "0 acquire    => attempt 1; >123 acquire.1.setnx.1
             1 1 1        => >1 acquire.1.pexpire.1
             2 0 2
             3 0 1
             4 1 3        => >3 acquire.1.pexpire.1
             5 1 3        => granted nonce 1 until 988ms",
        ),
        (
            "one after the other",
            Policy { asking: Asking::Serial, ..two_steps() },
            "0 acquire    => attempt 1; >1 acquire.1.setnx.1
             1 1 1        => >1 acquire.1.pexpire.1
             2 1 1        => >2 acquire.1.setnx.1
             3 0 2        => >3 acquire.1.setnx.1
             4 1 3        => >3 acquire.1.pexpire.1
             5 1 3        => granted nonce 1 until 988ms",
        ),
        (
            "a lock without a TTL needs no second command",
            Policy { ttl: Ttl::Never, ..two_steps() },
            "0 acquire    => attempt 1; >123 acquire.1.setnx.1
             1 1 123      => granted nonce 1 until released",
        ),
        (
            "the driver repeats each command by itself",
            Policy { taking: Taking::SetnxExpire, driver_retries: 1, ..single() },
            "0 acquire    => attempt 1; >1 acquire.1.setnx.1
             1 broken 1   => >1 acquire.1.setnx.2
             2 1 1        => >1 acquire.1.pexpire.1
             3 broken 1   => >1 acquire.1.pexpire.2
             4 1 1        => granted nonce 1 until 988ms",
        ),
        (
            "a repeated SETNX meets itself",
            Policy { taking: Taking::SetnxExpire, driver_retries: 1, ..single() },
            "0 acquire    => attempt 1; >1 acquire.1.setnx.1
             1 broken 1   => >1 acquire.1.setnx.2
             2 0 1        => >1 acquire.1.eval.1
             3 1 1        => refused Taken",
        ),
    ]);
}

#[test]
fn a_second_command_that_fails_is_unknown_and_the_key_may_stay() {
    let left = || Policy { release_on_failure: ReleaseScope::Known, ..two_steps() };
    check_all([
        (
            "unanswered, and taken back",
            two_steps(),
            "0 acquire    => attempt 1; >123 acquire.1.setnx.1
             1 1 12       => >12 acquire.1.pexpire.1
             1 0 3
             2 1 1
             51 timeout 2 => >123 acquire.1.eval.1
             52 1 12
             52 0 3       => refused Unknown",
        ),
        (
            "unanswered, and left alone",
            Policy { release_on_failure: ReleaseScope::Known, taking: Taking::SetnxExpire, ..single() },
            "0 acquire    => attempt 1; >1 acquire.1.setnx.1
             1 1 1        => >1 acquire.1.pexpire.1
             51 timeout 1 => refused Unknown",
        ),
        (
            "an error is not a refusal: the key is there",
            left(),
            "0 acquire    => attempt 1; >123 acquire.1.setnx.1
             1 0 1
             1 1 23       => >23 acquire.1.pexpire.1
             2 error 23   => refused Unknown",
        ),
        (
            "an error ends the call where errors do",
            Policy { on_error: OnError::Abort, ..left() },
            "0 acquire    => attempt 1; >123 acquire.1.setnx.1
             1 1 1        => >1 acquire.1.pexpire.1
             2 error 1    => refused Error",
        ),
        (
            "given up in between",
            left(),
            "0 acquire    => attempt 1; >123 acquire.1.setnx.1
             1 1 1        => >1 acquire.1.pexpire.1
             2 cancel     => refused Cancelled
             3 1 1
             4 1 23",
        ),
    ]);
}

#[test]
fn a_blind_extension_counts_every_key_that_it_prolonged() {
    let blind = || with(|p| p.extension = Extension::Blind);
    check_all([
        (
            "by the caller",
            blind(),
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 ok 123     => granted nonce 1 until 988ms
             2 extend 500 => >123 extend.1.pexpire.1
             3 1 12
             3 0 3        => extended until 495ms
             4 extend 500 => >123 extend.2.pexpire.1
             5 0 123      => extend failed Gone still nothing; lost Gone",
        ),
        (
            "by the watchdog",
            Policy { renewal: Renewal::Watchdog, ..blind() },
            "0 acquire    => attempt 1; >123 acquire.1.set.1
             1 ok 123     => granted nonce 1 until 988ms; wake Renew at 334ms
             334 renew    => wake Renew at 667ms; >123 extend.1.pexpire.1 by watchdog
             335 1 123    => extended until 1322ms",
        ),
    ]);
}

#[test]
fn a_constant_nonce_is_everybodys() {
    let constant = || with(|p| (p.nonce, p.retry.retries) = (NonceLife::Constant, 1));
    let value = |play: &Play| play.open.last().expect("a command").command.words().last().cloned();
    let own = Some(Nonce::CONSTANT.to_bytes());
    let (mut one, mut other) = (Play::new(&constant()), Play::started(&constant(), 7, WorldTime(500_000)));
    for play in [&mut one, &mut other] {
        play.line("0 acquire");
        assert_eq!(play.open[0].command.words().get(2).cloned(), own, "the first attempt writes it");
        play.line("1 null 123");
        assert_eq!(value(play), own, "the cleaning compares it");
        play.line("2 0 123");
        play.line("302 retry");
        assert_eq!(
            play.line("303 ok 123"),
            format!("granted nonce {} until 1290ms", u64::MAX),
            "so does the second attempt"
        );
        play.line("304 release");
        assert_eq!(value(play), own, "and the release");
    }
    let core = Core::new(Arc::new(constant()), "stock".into());
    assert!(core.backs(Nonce::CONSTANT, &Stored::Text(Nonce::CONSTANT.to_bytes())));
}

/// A renaming that touched it would make a canonical state go on otherwise than the state it stands for.
#[test]
fn the_constant_nonce_keeps_its_value_in_canonical_form() {
    let mut canon = Canon::new(WorldTime::ZERO);
    let (mut nonce, mut drawn) = (Nonce::CONSTANT, Nonce(77));
    let mut text = Nonce::CONSTANT.to_bytes();
    canon.nonce(&mut nonce);
    canon.nonce(&mut drawn);
    canon.bytes(&mut text);
    assert_eq!((nonce, drawn, canon.nonces()), (Nonce::CONSTANT, Nonce(0), 1));
    assert_eq!(text, Nonce::CONSTANT.to_bytes());
}

/// Both steps age as the lease does, a step more is another state, and after the call the core is as new.
#[test]
fn a_taking_in_two_steps_leaves_nothing_behind() {
    let client = ClientId(0);
    let mut play = Play::new(&two_steps());
    let new = play.canonical(client);
    let mut first = Vec::new();
    for start in [0, 2_000, 4_000] {
        let mut states = Vec::new();
        let lines = ["acquire", "1 1", "0 2", "1 1", "1 3", "1 3", "release", "1 12", "0 3"];
        for (ms, line) in lines.into_iter().enumerate() {
            play.line(&format!("{} {line}", start + 10 * ms as u64));
            states.push(play.canonical(client));
        }
        assert_eq!(states.pop(), Some(new.clone()));
        let mut clocks = ProcessClocks::new(0, Span::ZERO);
        for (place, state) in states.iter().enumerate() {
            assert!(!states[..place].contains(state), "state {place} is an earlier one");
            let (mut again, mut canon) = (state.clone(), Canon::new(WorldTime::ZERO));
            canon.enter(&mut clocks);
            again.canonical(client, &mut canon);
            assert_eq!(again, *state, "state {place} is not its own canonical form");
        }
        if first.is_empty() {
            first = states.clone();
        }
        assert_eq!(states, first);
    }
    assert_ne!(first[0], Play::new(&base()).canonical(client));
}
