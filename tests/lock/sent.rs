//! What each switch sends, word by word, and what its answers lead to: keys taken, lives, releases.

use crate::play::{Play, base, check, single, with};
use fencepost::lock::{
    Asking, Extension, Policy, Release, ReleaseKey, ReleaseScope, Repair, Retry, Taking, Ttl, TtlUnit,
};
use fencepost::time::Span;

const NONCE: &str = "nonce-0000000000000001";
const COMPARE_AND_DELETE: &str = include_str!("../../src/lock/scripts/compare_and_delete.lua");
const COMPARE_AND_PEXPIRE: &str = include_str!("../../src/lock/scripts/compare_and_pexpire.lua");
const COMPARE_AND_PEXPIREAT: &str = include_str!("../../src/lock/scripts/compare_and_pexpireat.lua");
const COMPARE_AND_ADD: &str = include_str!("../../src/lock/scripts/compare_and_add.lua");
const REOBTAIN: &str = include_str!("../../src/lock/scripts/reobtain.lua");

#[track_caller]
fn check_all(cases: impl IntoIterator<Item = (&'static str, Policy, &'static str)>) {
    for (name, policy, script) in cases {
        check(name, &policy, script);
    }
}

/// The words of the newest command after these lines.
fn sent(policy: &Policy, lines: &[&str]) -> Vec<String> {
    let mut play = Play::new(policy);
    for line in lines {
        play.line(line);
    }
    let open = play.open.last().expect("a command");
    open.command.words().iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

#[track_caller]
fn assert_sent(rows: &[(Policy, &[&str], &[&str])]) {
    for (policy, lines, expected) in rows {
        assert_eq!(sent(policy, lines), *expected, "{policy:?}");
    }
}

fn seconds(unit: TtlUnit) -> Policy {
    Policy { ttl_unit: unit, ttl: Ttl::Of(Span::from_ms(2_900)), extension: Extension::Compare, ..single() }
}

#[test]
fn a_key_is_taken_with_its_life() {
    let taking = |taking| Policy { taking, ..single() };
    // The wall clock of a play shows 1 700 000 000 s at its beginning.
    assert_sent(&[
        (taking(Taking::SetNxPxat), &["0 acquire"], &["SET", "stock", NONCE, "NX", "PXAT", "1700000001000"]),
        (
            taking(Taking::SetNxPxat),
            &["0 wall -300", "7 acquire"],
            &["SET", "stock", NONCE, "NX", "PXAT", "1700000000707"],
        ),
        (taking(Taking::SetNxPxat), &["0 acquire never"], &["SET", "stock", NONCE, "NX"]),
        (taking(Taking::Reobtain), &["0 acquire"], &["EVAL", REOBTAIN, "1", "stock", NONCE, "1000"]),
        (taking(Taking::Reobtain), &["0 acquire never"], &["EVAL", REOBTAIN, "1", "stock", NONCE]),
        (seconds(TtlUnit::Ms), &["0 acquire"], &["SET", "stock", NONCE, "NX", "PX", "2900"]),
        (seconds(TtlUnit::S), &["0 acquire"], &["SET", "stock", NONCE, "NX", "EX", "2"]),
        (seconds(TtlUnit::SForMs), &["0 acquire"], &["SET", "stock", NONCE, "NX", "EX", "2900"]),
        (seconds(TtlUnit::S), &["0 acquire 999"], &["SET", "stock", NONCE, "NX", "EX", "0"]),
    ]);
    let in_unit = |taking, ttl_unit| Policy { taking, ttl_unit, ..seconds(ttl_unit) };
    assert_sent(&[
        (
            in_unit(Taking::Reobtain, TtlUnit::S),
            &["0 acquire"],
            &["EVAL", REOBTAIN, "1", "stock", NONCE, "2000"],
        ),
        (
            in_unit(Taking::Reobtain, TtlUnit::SForMs),
            &["0 acquire"],
            &["EVAL", REOBTAIN, "1", "stock", NONCE, "2900000"],
        ),
        (in_unit(Taking::SetnxExpire, TtlUnit::Ms), &["0 acquire", "1 1 1"], &["PEXPIRE", "stock", "2900"]),
        (in_unit(Taking::SetnxExpire, TtlUnit::S), &["0 acquire", "1 1 1"], &["EXPIRE", "stock", "2"]),
        (
            in_unit(Taking::SetnxExpire, TtlUnit::SForMs),
            &["0 acquire", "1 1 1"],
            &["EXPIRE", "stock", "2900"],
        ),
    ]);
}

#[test]
fn a_life_is_prolonged() {
    let extension = |extension| Policy { extension, ..single() };
    let extend: &[&str] = &["0 acquire", "1 ok 1", "2 extend 1500"];
    assert_sent(&[
        (
            extension(Extension::Pexpireat),
            extend,
            &["EVAL", COMPARE_AND_PEXPIREAT, "1", "stock", NONCE, "1700000001502"],
        ),
        (extension(Extension::Add), extend, &["EVAL", COMPARE_AND_ADD, "1", "stock", NONCE, "1500"]),
        (extension(Extension::SetXx), extend, &["SET", "stock", NONCE, "XX", "PX", "1500"]),
        (extension(Extension::SetIfeq), extend, &["SET", "stock", NONCE, "IFEQ", NONCE, "PX", "1500"]),
        (seconds(TtlUnit::S), extend, &["EVAL", COMPARE_AND_PEXPIRE, "1", "stock", NONCE, "1000"]),
        (seconds(TtlUnit::SForMs), extend, &["EVAL", COMPARE_AND_PEXPIRE, "1", "stock", NONCE, "1500000"]),
        (
            Policy { extension: Extension::SetXx, ..seconds(TtlUnit::S) },
            extend,
            &["SET", "stock", NONCE, "XX", "EX", "1"],
        ),
        (Policy { extension: Extension::Blind, ..seconds(TtlUnit::S) }, extend, &["EXPIRE", "stock", "1"]),
    ]);
}

#[test]
fn a_hold_is_removed() {
    let release = |release| Policy { release, ..single() };
    let other = |release| Policy { release, release_key: ReleaseKey::Other, ..single() };
    let start: &[&str] = &["0 acquire", "1 ok 1", "2 release"];
    let failed: &[&str] = &["0 acquire", "1 null 1"];
    let found: &[&str] = &["0 acquire", "1 ok 1", "2 release", "3 own 1"];
    let watched: &[&str] = &["0 acquire", "1 ok 1", "2 release", "3 ok 1"];
    let compared: &[&str] = &["0 acquire", "1 ok 1", "2 release", "3 ok 1", "4 own 1"];
    let foreign: &[&str] = &["0 acquire", "1 ok 1", "2 release", "3 ok 1", "4 foreign 1"];
    let begun: &[&str] = &["0 acquire", "1 ok 1", "2 release", "3 ok 1", "4 own 1", "5 ok 1"];
    let queued: &[&str] = &["0 acquire", "1 ok 1", "2 release", "3 ok 1", "4 own 1", "5 ok 1", "6 queued 1"];
    assert_sent(&[
        (release(Release::DelexIfeq), start, &["DELEX", "stock", "IFEQ", NONCE]),
        (release(Release::GetThenDel), start, &["GET", "stock"]),
        (release(Release::GetThenDel), failed, &["GET", "stock"]),
        (release(Release::GetThenDel), found, &["DEL", "stock"]),
        (release(Release::WatchGetDel), start, &["WATCH", "stock"]),
        (release(Release::WatchGetDel), watched, &["GET", "stock"]),
        (release(Release::WatchGetDel), compared, &["DEL", "stock"]),
        (release(Release::WatchMultiExec), watched, &["GET", "stock"]),
        (release(Release::WatchMultiExec), compared, &["MULTI"]),
        (release(Release::WatchMultiExec), foreign, &["UNWATCH"]),
        (release(Release::WatchMultiExec), begun, &["DEL", "stock"]),
        (release(Release::WatchMultiExec), queued, &["EXEC"]),
        (other(Release::CompareAndDelete), start, &["EVAL", COMPARE_AND_DELETE, "1", "stock:other", NONCE]),
        (other(Release::CompareAndDelete), failed, &["EVAL", COMPARE_AND_DELETE, "1", "stock:other", NONCE]),
        (other(Release::PlainDel), start, &["DEL", "stock:other"]),
        (other(Release::GetThenDel), start, &["GET", "stock:other"]),
        (other(Release::GetThenDel), found, &["DEL", "stock:other"]),
        (other(Release::DelexIfeq), start, &["DELEX", "stock:other", "IFEQ", NONCE]),
    ]);
}

#[test]
fn what_a_release_in_several_commands_makes_of_its_answers() {
    let release = |release| with(|p| p.release = release);
    check_all([
        (
            "GET and DEL, each voter on its own",
            release(Release::GetThenDel),
            "0 acquire   => attempt 1; >123 acquire.1.set.1
             1 ok 123    => granted nonce 1 until 988ms
             2 release   => >123 release.1.get.1
             3 own 1     => >1 release.1.del.1
             4 foreign 2
             5 own 3     => >3 release.1.del.1
             6 1 13      => released Confirmed",
        ),
        (
            "gone when GET looked, and when DEL came",
            release(Release::GetThenDel),
            "0 acquire   => attempt 1; >123 acquire.1.set.1
             1 ok 123    => granted nonce 1 until 988ms
             2 release   => >123 release.1.get.1
             3 null 1
             4 own 2     => >2 release.1.del.1
             5 error 3
             6 0 2       => released NotOwned",
        ),
        (
            "without an answer in between nothing is known",
            Policy { driver_retries: 1, ..release(Release::GetThenDel) },
            "0 acquire   => attempt 1; >123 acquire.1.set.1
             1 ok 123    => granted nonce 1 until 988ms
             2 release   => >123 release.1.get.1
             3 own 123   => >123 release.1.del.1
             4 broken 1  => >1 release.1.del.2
             5 timeout 12
             6 1 3       => released Unknown",
        ),
    ]);
}

#[test]
fn what_a_release_under_a_watch_makes_of_its_answers() {
    let release = |release| with(|p| p.release = release);
    check_all([
        (
            "a watch that guards nothing",
            release(Release::WatchGetDel),
            "0 acquire   => attempt 1; >123 acquire.1.set.1
             1 ok 123    => granted nonce 1 until 988ms
             2 release   => >123 release.1.watch.1
             3 ok 12     => >12 release.1.get.1
             4 error 3
             5 own 1     => >1 release.1.del.1
             6 own 2     => >2 release.1.del.1
             7 1 12      => released Confirmed",
        ),
        (
            "a transaction that is executed, is aborted, is given up",
            Policy { asking: Asking::Serial, ..release(Release::WatchMultiExec) },
            "0 acquire   => attempt 1; >1 acquire.1.set.1
             1 ok 1      => >2 acquire.1.set.1
             1 ok 2      => >3 acquire.1.set.1
             1 ok 3      => granted nonce 1 until 988ms
             2 release   => >1 release.1.watch.1
             3 ok 1      => >1 release.1.get.1
             4 own 1     => >1 release.1.multi.1
             5 ok 1      => >1 release.1.del.1
             6 queued 1  => >1 release.1.exec.1
             7 exec1 1   => >2 release.1.watch.1
             8 ok 2      => >2 release.1.get.1
             9 own 2     => >2 release.1.multi.1
             10 ok 2     => >2 release.1.del.1
             11 queued 2 => >2 release.1.exec.1
             12 array 2  => >3 release.1.watch.1
             13 ok 3     => >3 release.1.get.1
             14 null 3   => >3 release.1.unwatch.1
             15 timeout 3 => released NotOwned",
        ),
        (
            "a DEL inside that found nothing, and a refused MULTI",
            Policy { release: Release::WatchMultiExec, ..single() },
            "0 acquire   => attempt 1; >1 acquire.1.set.1
             1 ok 1      => granted nonce 1 until 988ms
             2 release   => >1 release.1.watch.1
             3 ok 1      => >1 release.1.get.1
             4 own 1     => >1 release.1.multi.1
             5 ok 1      => >1 release.1.del.1
             6 error 1   => >1 release.1.exec.1
             7 exec0 1   => released NotOwned
             8 acquire   => attempt 2; >1 acquire.2.set.1
             9 ok 1      => granted nonce 2 until 996ms
             10 release  => >1 release.2.watch.1
             11 ok 1     => >1 release.2.get.1
             12 own 1    => >1 release.2.multi.1
             13 error 1  => released Unknown",
        ),
        (
            "a failed attempt is cleaned in the same steps",
            release(Release::WatchMultiExec),
            "0 acquire   => attempt 1; >123 acquire.1.set.1
             1 ok 1
             1 null 23   => >123 acquire.1.watch.1
             2 ok 1      => >1 acquire.1.get.1
             3 own 1     => >1 acquire.1.multi.1
             4 ok 1      => >1 acquire.1.del.1
             5 timeout 23
             6 queued 1  => >1 acquire.1.exec.1
             7 exec1 1   => refused Taken",
        ),
        (
            "one command that compares",
            release(Release::DelexIfeq),
            "0 acquire   => attempt 1; >123 acquire.1.set.1
             1 ok 123    => granted nonce 1 until 988ms
             2 release   => >123 release.1.delex.1
             3 1 12
             4 0 3       => released Confirmed",
        ),
    ]);
}

#[test]
fn a_key_that_is_taken_is_repaired() {
    let repair = |repair| Policy {
        taking: Taking::SetnxExpire,
        ttl_unit: TtlUnit::S,
        repair,
        release_on_failure: ReleaseScope::None,
        retry: Retry { retries: 0, ..base().retry },
        ..single()
    };
    const REFUSED: &str = "0 acquire => attempt 1; >1 acquire.1.setnx.1\n 1 0 1 => ";
    let then = |rest: &str| -> &'static str { format!("{REFUSED}{rest}").leak() };
    let asked = |rest: &str| then(&format!(">1 acquire.1.ttl.1\n 2 {rest}"));
    check_all([
        ("nothing", repair(Repair::None), then("refused Taken")),
        ("it has a life", repair(Repair::Zero), asked("1 1 => refused Taken")),
        (
            "the last half second of it",
            repair(Repair::Zero),
            asked("0 1 => >1 acquire.1.expire.1\n 3 1 1 => refused Taken"),
        ),
        ("it has none", repair(Repair::Zero), asked("-1 1 => refused Taken")),
        (
            "it has none, as an older driver says it",
            repair(Repair::ZeroAndMissing),
            asked("-1 1 => >1 acquire.1.expire.1\n 3 1 1 => refused Taken"),
        ),
        (
            "it is gone, as an older driver says it",
            repair(Repair::ZeroAndMissing),
            asked("-2 1 => >1 acquire.1.expire.1\n 3 timeout 1 => refused Taken"),
        ),
        (
            "no answer repairs nothing, and it was taken",
            repair(Repair::Zero),
            asked("timeout 1 => refused Taken"),
        ),
        (
            "an own key is given its life as ever",
            repair(Repair::Zero),
            "0 acquire => attempt 1; >1 acquire.1.setnx.1
             1 1 1     => >1 acquire.1.expire.1
             2 1 1     => granted nonce 1 until 988ms",
        ),
    ]);
    let words = sent(&repair(Repair::Zero), &["0 acquire", "1 0 1"]);
    assert_eq!(words, ["TTL", "stock"]);
    let words = sent(&repair(Repair::Zero), &["0 acquire", "1 0 1", "2 0 1"]);
    assert_eq!(words, ["EXPIRE", "stock", "1"]);
}

#[test]
fn a_key_is_taken_again_by_its_own_nonce() {
    check_all([(
        "1 is a grant, 0 a refusal; cleaning is EVAL too",
        Policy { driver_retries: 1, ..with(|p| p.taking = Taking::Reobtain) },
        "0 acquire   => attempt 1; >123 acquire.1.eval.1
         1 broken 1  => >1 acquire.1.eval.2
         2 1 1
         3 0 23      => >123 acquire.1.eval.3
         4 1 1
         5 0 23      => refused Taken
         6 acquire   => attempt 2; >123 acquire.2.eval.1
         7 1 12
         8 0 3       => granted nonce 2 until 994ms",
    )]);
}

/// SETNX, TTL and EXPIRE, or five commands to delete, are as many rounds.
#[test]
fn the_longest_call_counts_every_command() {
    use fencepost::lock::{Core, LockCore};
    let max = |policy: Policy| Core::new(policy.into(), "stock".into()).describe().call_max;
    let plain = |release| Policy { release, ..single() };
    for (release, commands) in [
        (Release::CompareAndDelete, 1),
        (Release::PlainDel, 1),
        (Release::DelexIfeq, 1),
        (Release::GetThenDel, 2),
        (Release::WatchGetDel, 3),
        (Release::WatchMultiExec, 5),
    ] {
        assert_eq!(max(plain(release)), Span::from_ms(50 * (1 + commands)), "{release:?}");
        let repaired = Policy { taking: Taking::SetnxExpire, repair: Repair::Zero, ..plain(release) };
        assert_eq!(max(repaired), Span::from_ms(50 * (3 + commands)), "{release:?}");
    }
    assert_eq!(max(Policy { taking: Taking::Reobtain, ..single() }), Span::from_ms(100));
}
