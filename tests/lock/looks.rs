//! Plays of a holder's look at its own keys, alone and among extensions, releases and losses.

use crate::play::{base, check, with};
use fencepost::lock::{Asking, Extension, OnLoss, Policy, Protocol, Renewal};

/// A hold granted at 2 ms.
#[track_caller]
fn check_held(name: &str, policy: &Policy, script: &str) {
    let wake = match policy.renewal {
        Renewal::Watchdog => "; wake Renew at 335ms",
        Renewal::None => "",
    };
    let start = "0 acquire => attempt 1; >123 acquire.1.set.1\n 2 ok 123 => granted nonce 1 until 988ms";
    check(name, policy, &format!("{start}{wake}\n{script}"));
}

fn extending() -> Policy {
    with(|p| p.extension = Extension::Compare)
}

#[test]
fn a_look_asks_everybody_and_says_what_is_known() {
    let asked = "10 check => >123 check.1.get.1\n";
    for (name, answers) in [
        ("a quorum carries it", "11 own 12\n 12 null 3 => checked Held"),
        ("gone and foreign", "11 null 1\n 11 foreign 2\n 12 own 3 => checked Gone"),
        ("too few know", "11 own 1\n 11 null 2\n 60 timeout 3 => checked Unknown"),
        ("errors say nothing", "11 own 1\n 11 error 23 => checked Unknown"),
        ("neither does what is no value", "11 own 1\n 11 ok 2\n 11 array 3 => checked Unknown"),
        ("no answer at all", "60 timeout 123 => checked Unknown"),
    ] {
        check_held(name, &base(), &format!("{asked}{answers}"));
    }
    check_held(
        "numbers rise, and a driver repeats",
        &with(|p| p.driver_retries = 1),
        "10 check => >123 check.1.get.1
         11 own 12
         11 broken 3 => >3 check.1.get.2
         12 own 3 => checked Held
         20 check => >123 check.2.get.1
         21 null 123 => checked Gone
         30 release => >123 release.1.eval.1",
    );
    check(
        "one after the other",
        &with(|p| p.asking = Asking::Serial),
        "0 acquire  => attempt 1; >1 acquire.1.set.1
         1 ok 1     => >2 acquire.1.set.1
         1 ok 2     => >3 acquire.1.set.1
         1 ok 3     => granted nonce 1 until 988ms
         2 check    => >1 check.1.get.1
         3 own 1    => >2 check.1.get.1
         53 timeout 2 => >3 check.1.get.1
         54 own 3   => checked Held",
    );
}

#[test]
fn only_a_holder_looks_and_one_look_at_a_time() {
    check(
        "nobody else",
        &with(|p| p.retry.retries = 1),
        "0 check      => checked Unknown
         1 acquire    => attempt 1; >123 acquire.1.set.1
         1 check      => checked Unknown
         2 null 123   => >123 acquire.1.eval.1
         2 check      => checked Unknown
         3 0 123      => wake Retry at 303ms
         4 check      => checked Unknown
         303 retry    => attempt 2; >123 acquire.2.set.1
         304 ok 123   => granted nonce 2 until 1291ms
         305 check other => checked Unknown other
         305 check    => >123 check.1.get.1
         305 check    => checked Unknown
         306 own 123  => checked Held
         307 release  => >123 release.1.eval.1
         307 check    => checked Unknown",
    );
    check(
        "without a lock there is nothing to doubt",
        &Policy { protocol: Protocol::None, ..base() },
        "0 check => checked Held",
    );
}

#[test]
fn a_look_and_an_extension_do_not_mix_their_answers() {
    check_held(
        "looked first",
        &extending(),
        "10 check => >123 check.1.get.1
         11 extend 2000 => >123 extend.1.eval.1
         12 1 12
         13 old own 12
         14 1 3 => extended until 1989ms
         15 null 3 => checked Held",
    );
    check_held(
        "extended first, and the look is over before",
        &extending(),
        "10 extend 2000 => >123 extend.1.eval.1
         11 check => >123 check.1.get.1
         12 own 123 => checked Held
         13 1 123 => extended until 1988ms",
    );
    check_held(
        "an answer to the one is none to the other",
        &extending(),
        "10 extend 2000 => >123 extend.1.eval.1
         11 check => >123 check.1.get.1
         12 old 0 12
         13 null 12
         14 own 3 => checked Gone
         15 1 3 => extend failed Gone still nothing; lost Gone",
    );
}

#[test]
fn what_ends_the_hold_ends_the_look() {
    check_held(
        "release",
        &base(),
        "10 check => >123 check.1.get.1
         11 own 1
         12 release => checked Unknown; >123 release.1.eval.1
         13 old own 2
         13 1 123 => released Confirmed
         14 old own 3",
    );
    let watched = Policy { renewal: Renewal::Watchdog, ..extending() };
    let lost = "300 check => >123 check.1.get.1
         335 renew => wake Renew at 668ms; >123 extend.1.eval.1 by watchdog
         336 0 12
         337 0 3 => quiet Renew; ";
    check_held(
        "a loss that is told",
        &watched,
        &format!("{lost}checked Unknown; lost Gone\n 338 old own 123\n 339 check => checked Unknown"),
    );
    check_held(
        "a loss that is kept silent ends nothing",
        &Policy { on_loss: OnLoss::Silent, ..watched },
        &format!("{lost}\n 338 null 123 => checked Gone").replace("quiet Renew; \n", "quiet Renew\n"),
    );
}
