//! Locks that count holds, under inputs of any order, and their canonical form.

use super::play::Play;
use bytes::Bytes;
use fencepost::canon::Canon;
use fencepost::lock::{
    AfterError, Caller, Core, Fence, HashPolicy, HashProtocol, InnerLease, Input, Latch, Lease, LeaseRenewal,
    LockCore, NamedLease, OnLoss, Output, Recipe, RenewedLife, Resend, Ttl, UnknownReason, Wait, WaitFor,
    Waiting, WakeReason,
};
use fencepost::name::{ClientId, VoterId};
use fencepost::resp::Reply;
use fencepost::time::{ClockKind, ProcessClocks, Span, WorldTime};
use proptest::prelude::*;
use proptest::sample::select;

const CALLER: Caller = Caller(1);

#[derive(Clone, Debug)]
enum Move {
    Acquire(Ttl),
    Release,
    Check,
    Cancel,
    Answer(usize, Reply),
    Fail(usize),
    Wake(WakeReason),
    Told,
    LinkLost,
    Pass(u64),
}

fn moves() -> impl Strategy<Value = Move> {
    let text = |text: &'static str| Reply::Bulk(Bytes::from_static(text.as_bytes()));
    let role = Reply::Array(vec![text("master"), Reply::Int(1), Reply::Array(vec![Reply::Null])]);
    let fenced = |kind, number| Reply::Array(vec![Reply::Int(kind), Reply::Int(number)]);
    let replies = vec![
        Reply::Null,
        Reply::Null,
        Reply::Int(0),
        Reply::Int(1),
        Reply::Int(-1),
        Reply::Int(120),
        Reply::OK,
        Reply::error("ERR"),
        role,
        fenced(1, 3),
        fenced(0, 70),
    ];
    let ttl = select(vec![
        Ttl::Of(Span::from_ms(900)),
        Ttl::Of(Span::from_ms(900)),
        Ttl::Of(Span::from_ms(50)),
        Ttl::Never,
    ]);
    prop_oneof![
        4 => ttl.prop_map(Move::Acquire),
        3 => Just(Move::Release),
        1 => Just(Move::Check),
        1 => Just(Move::Cancel),
        12 => (0..4_usize, select(replies)).prop_map(|(place, reply)| Move::Answer(place, reply)),
        3 => (0..4_usize).prop_map(Move::Fail),
        4 => select(vec![WakeReason::Retry, WakeReason::Renew]).prop_map(Move::Wake),
        2 => Just(Move::Told),
        1 => Just(Move::LinkLost),
        2 => (0..400_u64).prop_map(Move::Pass),
    ]
}

prop_compose! {
    fn policies()(
        waiting in select(vec![Waiting::None, Waiting::Poll, Waiting::Pubsub, Waiting::Pubsub, Waiting::Spin]),
        wait_limit in select(vec![None, Some(Span::ZERO), Some(Span::from_ms(300))]),
        wait_clock in select(vec![ClockKind::Mono, ClockKind::Wall]),
        renewal in select(vec![LeaseRenewal::None, LeaseRenewal::Watchdog, LeaseRenewal::WatchdogUnlessLease]),
        (lease, inner_lease) in (select(vec![Lease::Named, Lease::None]), select(vec![InnerLease::Same, InnerLease::None])),
        named_lease in select(vec![NamedLease::Once, NamedLease::Sticks]),
        renewed_life in select(vec![RenewedLife::Ttl, RenewedLife::Remembered]),
        after_error in select(vec![AfterError::Stops, AfterError::GoesOn]),
        on_loss in select(vec![OnLoss::Tell, OnLoss::Silent]),
        latch in select(vec![Latch::Off, Latch::On]),
        (acquires, releases, delay) in (0..2_u8, 0..2_u8, select(vec![Span::ZERO, Span::from_ms(40)])),
        fence in select(vec![Fence::None, Fence::Incr]),
        replicas in select(vec![WaitFor::None, WaitFor::None, WaitFor::Any, WaitFor::All]),
    ) -> HashPolicy {
        HashPolicy {
            waiting, wait_limit, wait_clock, renewal, lease, inner_lease, named_lease, renewed_life, after_error, on_loss, latch, fence,
            node_timeout: Span::from_ms(100),
            resend: Resend { acquires, releases, delay },
            wait: Wait { replicas, limit: Span::from_ms(20) },
            ..HashPolicy::redisson(HashProtocol::Redisson, Ttl::Of(Span::from_ms(900)))
        }
    }
}

fn play(policy: &HashPolicy) -> Play {
    Play::of(&Recipe::from(policy.clone()), 0, WorldTime::ZERO)
}

fn message() -> Reply {
    let text = |text: &'static str| Reply::Bulk(Bytes::from_static(text.as_bytes()));
    Reply::Array(vec![text("message"), text("stock:channel"), text("released")])
}

/// The input of a move, if it means anything now: drivers answer what is open, and wake whom they were asked to wake.
fn input(play: &mut Play, of: Move) -> Option<Input> {
    use fencepost::lock::{ConnectionId, LinkState};
    Some(match of {
        Move::Acquire(ttl) => Input::Acquire { caller: CALLER, ttl, draw: play.draw() },
        Move::Release => Input::Release { caller: CALLER },
        Move::Check => Input::Check { caller: CALLER },
        Move::Cancel => Input::Cancel { caller: CALLER },
        Move::Answer(place, reply) => Input::Reply { request: play.open.get(place)?.request, reply },
        Move::Fail(place) => {
            Input::Unknown { request: play.open.get(place)?.request, why: UnknownReason::TimedOut }
        }
        Move::Wake(reason) => {
            play.wakes.iter().find(|(known, _)| *known == reason)?;
            Input::Wake { reason, draw: play.draw() }
        }
        Move::Told => Input::Push { voter: VoterId(0), message: message() },
        Move::LinkLost => {
            Input::Link { voter: VoterId(0), connection: ConnectionId(1), state: LinkState::Reset }
        }
        Move::Pass(ms) => {
            play.after(Span::from_ms(ms as i64));
            return None;
        }
    })
}

/// What the outputs said so far.
#[derive(Debug, Default)]
struct Account {
    acquires: usize,
    decided: usize,
    releases: usize,
    released: usize,
    depth: usize,
}

impl Account {
    fn hear(&mut self, output: &Output) {
        match output {
            Output::Granted { .. } => {
                self.decided += 1;
                self.depth += 1;
            }
            Output::Refused { .. } => self.decided += 1,
            Output::Released { .. } => self.released += 1,
            Output::Lost { .. } => assert!(self.depth > 0, "lost without a hold"),
            Output::Checked { .. } => {}
            Output::Send { .. }
            | Output::Connect { .. }
            | Output::Wake { .. }
            | Output::Quiet { .. }
            | Output::Attempt { .. }
            | Output::Extended { .. }
            | Output::ExtendFailed { .. } => {}
        }
    }
}

proptest! {
    /// Every call is answered once, a watchdog does not outlive the last hold, and when nothing is open and nothing is
    /// to come nothing happens by itself.
    #[test]
    fn every_call_is_answered_and_watchdogs_end(policy in policies(), moves in prop::collection::vec(moves(), 1..60)) {
        let (mut play, mut account) = (play(&policy), Account::default());
        let mut releasing = false;
        for of in moves {
            let Some(input) = input(&mut play, of) else { continue };
            let (acquires, releases) = (
                matches!(input, Input::Acquire { .. }),
                matches!(input, Input::Release { .. }),
            );
            account.acquires += usize::from(acquires);
            account.releases += usize::from(releases);
            let held = account.depth;
            let out = play.give(input);
            let sends_release = out.iter().any(|output| matches!(
                output,
                Output::Send { label, .. } if label.operation == fencepost::name::Operation::Release
            ));
            releasing |= releases && sends_release;
            for output in &out {
                account.hear(output);
                // A release that was sent gives one back, whatever comes of it.
                if matches!(output, Output::Released { .. }) && releasing && (!releases || sends_release) {
                    account.depth -= 1;
                    releasing = false;
                }
            }
            prop_assert!(account.decided <= account.acquires && account.released <= account.releases);
            let watched = play.wakes.iter().any(|(reason, _)| *reason == WakeReason::Renew);
            prop_assert!(!watched || account.depth > 0, "a watchdog without a hold; held {held} before");
            prop_assert!(account.acquires - account.decided + (account.releases - account.released) <= 1);
        }
        // Whatever is open is given up: everything is answered in the end.
        for _ in 0..400 {
            if let Some(open) = play.open.first() {
                let input = Input::Unknown { request: open.request, why: UnknownReason::TimedOut };
                let out = play.give(input);
                out.iter().for_each(|output| account.hear(output));
            } else if let Some((reason, _)) = play.wakes.iter().find(|(reason, _)| *reason == WakeReason::Retry) {
                let input = Input::Wake { reason: *reason, draw: play.draw() };
                let out = play.give(input);
                out.iter().for_each(|output| account.hear(output));
            } else {
                break;
            }
        }
        let cancelled = play.give(Input::Cancel { caller: CALLER });
        cancelled.iter().for_each(|output| account.hear(output));
        prop_assert_eq!((account.decided, account.released), (account.acquires, account.releases));
    }

    /// Without a latch the states of a handle do not grow: many times the same inputs give the same canonical states.
    #[test]
    fn states_do_not_grow(policy in policies(), moves in prop::collection::vec(moves(), 1..30)) {
        let policy = HashPolicy { latch: Latch::Off, ..policy };
        let mut play = play(&policy);
        let mut rounds = Vec::new();
        for _ in 0..6 {
            for of in moves.clone() {
                if let Some(input) = input(&mut play, of) {
                    play.give(input);
                }
            }
            // To where the next round can begin as this one did.
            settle(&mut play);
            rounds.push(play.canonical(ClientId(0)));
        }
        prop_assert_eq!(&rounds[4], &rounds[5]);
        let mut twice = rounds[5].clone();
        let mut canon = Canon::new(WorldTime::ZERO);
        canon.enter(&mut ProcessClocks::new(0, Span::ZERO));
        Core::canonical(&mut twice, ClientId(0), &mut canon);
    }
}

/// Ends what is open, and gives back every hold.
fn settle(play: &mut Play) {
    for _ in 0..2_000 {
        let next = if let Some(open) = play.open.first() {
            Input::Unknown { request: open.request, why: UnknownReason::TimedOut }
        } else {
            let mut probe = play.clone();
            let out = probe.give(Input::Release { caller: CALLER });
            let holds = out.iter().any(|output| matches!(output, Output::Send { .. }));
            if holds {
                Input::Release { caller: CALLER }
            } else if let Some((reason, _)) = play.wakes.first() {
                Input::Wake { reason: *reason, draw: play.draw() }
            } else {
                break;
            }
        };
        play.give(next);
    }
    play.give(Input::Cancel { caller: CALLER });
    while let Some(open) = play.open.first() {
        let input = Input::Unknown { request: open.request, why: UnknownReason::TimedOut };
        play.give(input);
    }
}
