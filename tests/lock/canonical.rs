//! The states of a core are finite, and equal futures are equal values.

use crate::play::{Play, base, single, with};
use fencepost::canon::{Canon, IdKind};
use fencepost::lock::{
    Basis, Core, Extension, Fence, LockCore, NonceLife, OnLoss, Policy, Renewal, Validity, Wait, WaitFor,
};
use fencepost::name::ClientId;
use fencepost::time::{ClockKind, ProcessClocks, Span, WorldTime};
use std::collections::BTreeSet;

const CLIENT: ClientId = ClientId(0);

/// One cycle of 2 s: a failed attempt, a retry, a grant, looks, renewals, a release; or what the policy makes of it.
const CYCLE: &[(u64, &str)] = &[
    (0, "acquire"),
    (1, "ok 1"),
    (2, "null 2"),
    (50, "timeout 3"),
    (51, "0 12"),
    (52, "0 3"),
    (352, "retry"),
    (353, "ok 123"),
    (400, "check"),
    (401, "own 1"),
    (402, "null 23"),
    (403, "check"),
    (500, "extend 1000"),
    (501, "1 12"),
    (505, "1 3"),
    (686, "renew"),
    (690, "1 3"),
    (740, "broken 12"),
    (900, "renew"),
    (901, "0 123"),
    (905, "check"),
    (910, "release"),
    (911, "1 1"),
    (912, "0 23"),
    (913, "own 123"),
];

fn policies() -> Vec<(&'static str, Policy)> {
    let watched = with(|p| {
        (p.extension, p.renewal, p.retry.retries) = (Extension::Compare, Renewal::Watchdog, 1);
    });
    vec![
        ("spec", with(|p| p.retry.retries = 1)),
        ("call", with(|p| (p.retry.retries, p.nonce) = (1, NonceLife::Call))),
        ("handle", with(|p| (p.retry.retries, p.nonce) = (1, NonceLife::Handle))),
        ("watched", watched.clone()),
        ("wall", Policy { clock: ClockKind::Wall, ..watched.clone() }),
        ("repeating", Policy { driver_retries: 2, ..watched.clone() }),
        ("blind", Policy { extension: Extension::Blind, ..watched.clone() }),
        ("constant", Policy { nonce: NonceLife::Constant, ..watched.clone() }),
        ("silent", Policy { on_loss: OnLoss::Silent, ..watched }),
    ]
}

/// Plays a line; answers to requests that the policy did not send are left out.
fn step(play: &mut Play, start: u64, (ms, input): (u64, &str)) {
    play.at(start + ms);
    let mut words = input.split(' ');
    let (first, second) = (words.next().expect("an input"), words.next());
    match second {
        Some(voters) if first != "extend" => {
            for voter in voters.chars() {
                let index = voter as u8 - b'1';
                if play.open.iter().any(|open| open.voter.0 == index) {
                    play.line(&format!("{} {first} {voter}", start + ms));
                }
            }
        }
        Some(_) | None => {
            play.line(&format!("{} {input}", start + ms));
        }
    }
}

/// The canonical form after every input of the cycle that starts at this time.
fn cycle(play: &mut Play, start: u64) -> Vec<Core> {
    CYCLE
        .iter()
        .map(|line| {
            step(play, start, *line);
            play.canonical(CLIENT)
        })
        .collect()
}

#[test]
fn after_acquire_and_release_a_core_is_as_new() {
    for (name, policy) in policies() {
        let mut play = Play::new(&policy);
        let new = play.canonical(CLIENT);
        let first = cycle(&mut play, 0);
        assert_eq!(play.canonical(CLIENT) == new, policy.nonce != NonceLife::Handle, "{name}");
        assert!(first.iter().any(|state| *state != new), "{name}");
        let states: BTreeSet<String> = first.iter().map(|state| format!("{state:?}")).collect();
        let second = cycle(&mut play, 2_000);
        let mut all: BTreeSet<String> = second.iter().map(|state| format!("{state:?}")).collect();
        let of_one_cycle = all.len();
        for number in 2..20 {
            let again = cycle(&mut play, 2_000 * number);
            assert_eq!(again, second, "{name}: cycle {number}");
            all.extend(again.iter().map(|state| format!("{state:?}")));
        }
        assert_eq!(all.len(), of_one_cycle, "{name}");
        assert!(of_one_cycle >= 8, "{name}: {of_one_cycle} states are no cycle");
        assert_eq!(states, all, "{name}: the first cycle is like the others");
    }
}

#[test]
fn a_run_that_is_shifted_in_time_and_named_otherwise_is_the_same() {
    for (name, policy) in policies() {
        let mut here = Play::new(&policy);
        let mut there = Play::started(&policy, 7, WorldTime(123_456_000));
        cycle(&mut there, 0);
        cycle(&mut here, 0);
        for line in CYCLE {
            step(&mut here, 2_000, *line);
            step(&mut there, 5_000, *line);
            assert_ne!(here.now(), there.now());
            assert_eq!(here.canonical(CLIENT), there.canonical(CLIENT), "{name}: {line:?}");
        }
    }
}

#[test]
fn canonical_form_is_its_own_canonical_form() {
    for (name, policy) in policies() {
        let mut play = Play::started(&policy, 3, WorldTime(5_000_000));
        for line in CYCLE {
            step(&mut play, 0, *line);
            let once = play.canonical(CLIENT);
            let mut twice = once.clone();
            let mut clocks = ProcessClocks::new(0, Span::ZERO);
            let mut canon = Canon::new(WorldTime::ZERO);
            canon.enter(&mut clocks);
            twice.canonical(CLIENT, &mut canon);
            assert_eq!(once, twice, "{name}: {line:?}");
        }
    }
}

/// A hold that nobody gives back does not age for ever.
#[test]
fn an_old_hold_stands_still() {
    let policy = Policy { extension: Extension::Compare, fence: Fence::Incr, ..single() };
    let mut play = Play::new(&policy);
    play.line("0 acquire");
    play.line("1 7 1");
    let young = play.canonical(CLIENT);
    play.at(500);
    let older = play.canonical(CLIENT);
    play.at(988);
    let over = play.canonical(CLIENT);
    play.at(100_000);
    assert_ne!(young, older);
    assert_ne!(older, over);
    assert_eq!(over, play.canonical(CLIENT));
    assert_ne!(over, Play::new(&base()).canonical(CLIENT));
}

/// An attempt that waits for its replicas ages as its lease does, and after the call the core is as new.
#[test]
fn a_wait_for_replicas_leaves_nothing_behind() {
    let wait = Wait { replicas: WaitFor::All, limit: Span::from_ms(100) };
    let mut play = Play::new(&Policy { wait, ..single() });
    let new = play.canonical(CLIENT);
    let mut first = Vec::new();
    for start in [0, 2_000, 4_000] {
        let mut states = Vec::new();
        for (ms, line) in [(0, "acquire"), (1, "ok 1"), (2, "master2 1"), (40, "1 1"), (41, "1 1")] {
            play.line(&format!("{} {line}", start + ms));
            states.push(play.canonical(CLIENT));
            play.at(start + ms + 1);
            assert!(line == "1 1" || play.canonical(CLIENT) != *states.last().unwrap(), "{line} has no age");
        }
        assert_eq!(play.canonical(CLIENT), new);
        if first.is_empty() {
            first = states.clone();
        }
        assert_eq!(states, first);
    }
}

/// A moment that no decision will look at is not kept.
#[test]
fn an_attempt_without_an_end_has_no_age() {
    for (basis, ages) in [(Basis::Send, true), (Basis::UntilReleased, false), (Basis::Decision, false)] {
        let mut play = Play::new(&with(|p| (p.validity, p.basis) = (Validity::NoCheck, basis)));
        play.line("0 acquire");
        let young = play.canonical(CLIENT);
        play.at(40);
        assert_eq!(young != play.canonical(CLIENT), ages, "{basis:?}");
    }
}

/// A canonical state goes on as the state it stands for.
#[test]
fn a_rewritten_core_goes_on_in_the_middle_of_a_call() {
    let mut play = Play::new(&with(|p| p.retry.retries = 1));
    cycle(&mut play, 0);
    play.line("3000 acquire");
    let mut canon = Canon::new(WorldTime(3_000_000));
    let mut clocks = play.clocks;
    canon.enter(&mut clocks);
    // Identities in flight are visited first.
    for open in &mut play.open {
        canon.id(IdKind::Request(CLIENT), &mut open.request.0);
    }
    play.core.canonical(CLIENT, &mut canon);
    play.names.clear();
    assert_eq!(play.line("3001 null 123"), ">123 acquire.1.eval.1");
    let requests: Vec<u32> = play.open.iter().map(|open| open.request.0).collect();
    assert_eq!(requests, [4, 5, 6]);
}
