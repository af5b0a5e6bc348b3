//! Any order of inputs, sensible or not.

use crate::play::Play;
use crate::policies::policies;
use fencepost::lock::{
    Caller, Input, LinkState, Output, Reacquire, RefuseReason, Renewal, RenewalOnRelease, RequestId,
    Soundness, Ttl, UnknownReason, WakeReason,
};
use fencepost::lock::{ConnectionId, ExtendFailure, Found};
use fencepost::name::{Nonce, VoterId};
use fencepost::resp::Reply;
use fencepost::time::Span;
use proptest::prelude::*;
use proptest::sample::select;

/// What a random driver does next.
#[derive(Clone, Debug)]
enum Move {
    Acquire {
        caller: Caller,
        ttl: Ttl,
    },
    Extend {
        caller: Caller,
        ttl: Ttl,
    },
    Check {
        caller: Caller,
    },
    Release {
        caller: Caller,
    },
    Cancel {
        caller: Caller,
    },
    /// Answers the open request at this place.
    Answer {
        place: usize,
        how: How,
    },
    /// Answers a request that may not exist.
    Stray {
        request: u32,
        how: How,
    },
    Late {
        request: u32,
        reply: Reply,
    },
    Wake {
        reason: WakeReason,
    },
    Link,
    Push,
    Pass {
        ms: u64,
    },
}

#[derive(Clone, Debug)]
enum How {
    Reply(Reply),
    Unknown(UnknownReason),
}

impl How {
    fn input(self, request: RequestId) -> Input {
        match self {
            Self::Reply(reply) => Input::Reply { request, reply },
            Self::Unknown(why) => Input::Unknown { request, why },
        }
    }
}

fn replies() -> impl Strategy<Value = Reply> {
    let odd = Reply::Array(vec![Reply::Bool(true)]);
    select(vec![
        Reply::OK,
        Reply::OK,
        Reply::Null,
        Reply::Int(1),
        Reply::Int(1),
        Reply::Int(0),
        Reply::Int(i64::MIN),
        Reply::error("OOM"),
        // What a nonce that a play draws looks like, and what a primary with a replica says of itself.
        Reply::Bulk(Nonce(1).to_bytes()),
        Reply::Array(vec![Reply::Bulk("master".into()), Reply::Int(3), Reply::Array(vec![Reply::Null])]),
        odd,
    ])
}

fn hows() -> impl Strategy<Value = How> {
    let why = select(vec![UnknownReason::NotSent, UnknownReason::Disconnected, UnknownReason::TimedOut]);
    prop_oneof![4 => replies().prop_map(How::Reply), 1 => why.prop_map(How::Unknown)]
}

fn moves() -> impl Strategy<Value = Move> {
    let caller = || select(vec![Caller(1), Caller(1), Caller(2)]);
    let ttl = || {
        let odd = [Ttl::Never, Ttl::Of(Span(i64::MAX)), Ttl::Of(Span(i64::MIN)), Ttl::Of(Span::ZERO)];
        prop_oneof![8 => Just(Ttl::Of(Span::from_ms(300))), 1 => select(odd.to_vec())]
    };
    prop_oneof![
        4 => (caller(), ttl()).prop_map(|(caller, ttl)| Move::Acquire { caller, ttl }),
        2 => (caller(), ttl()).prop_map(|(caller, ttl)| Move::Extend { caller, ttl }),
        2 => caller().prop_map(|caller| Move::Check { caller }),
        2 => caller().prop_map(|caller| Move::Release { caller }),
        1 => caller().prop_map(|caller| Move::Cancel { caller }),
        24 => (0..16_usize, hows()).prop_map(|(place, how)| Move::Answer { place, how }),
        2 => (0..40_u32, hows()).prop_map(|(request, how)| Move::Stray { request, how }),
        1 => (0..40_u32, replies()).prop_map(|(request, reply)| Move::Late { request, reply }),
        3 => select(vec![WakeReason::Retry, WakeReason::Renew]).prop_map(|reason| Move::Wake { reason }),
        1 => Just(Move::Link),
        1 => Just(Move::Push),
        3 => (0..200_u64).prop_map(|ms| Move::Pass { ms }),
    ]
}

/// What the outputs said so far.
#[derive(Default)]
struct Account {
    /// Calls of acquire, extend, release and check.
    asked: [usize; 4],
    answered: [usize; 4],
    holder: Option<Caller>,
    watched: bool,
    /// Whether a handle that holds asks again when it is called, and forgets its hold.
    asks: bool,
}

impl Account {
    fn hear(&mut self, output: &Output) {
        match output {
            Output::Granted { caller, .. } => {
                assert_eq!(self.holder.replace(*caller), None, "granted twice");
                self.answered[0] += 1;
            }
            Output::Refused { why, .. } => {
                assert!(*why == RefuseReason::Misuse || self.holder.is_none(), "refused while held");
                self.answered[0] += 1;
            }
            Output::Extended { caller, .. } => {
                assert_eq!(self.holder, Some(*caller), "prolonged without a hold");
                // With a watchdog a prolongation may be nobody's call.
                self.answered[1] += usize::from(!self.watched);
            }
            Output::ExtendFailed { caller, why, still } => {
                assert!(still.is_none() || self.holder == Some(*caller));
                assert!(*why == ExtendFailure::NotHeld || self.holder == Some(*caller));
                self.answered[1] += 1;
            }
            Output::Checked { caller, found } => {
                assert!(
                    *found == Found::Unknown || self.holder == Some(*caller),
                    "saw what it does not hold"
                );
                self.answered[3] += 1;
            }
            Output::Released { caller, .. } => {
                self.answered[2] += 1;
                if self.holder == Some(*caller) {
                    self.holder = None;
                }
            }
            Output::Lost { caller, .. } => {
                assert_eq!(self.holder.take(), Some(*caller), "lost without a hold")
            }
            Output::Send { .. } | Output::Connect { .. } | Output::Wake { .. } | Output::Quiet { .. } => {}
            Output::Attempt { .. } => {
                assert!(self.asks || self.holder.is_none(), "asks while it holds");
                self.holder = None;
            }
        }
    }

    fn give(&mut self, play: &mut Play, input: Input) {
        match &input {
            Input::Acquire { .. } => self.asked[0] += 1,
            Input::Extend { .. } => self.asked[1] += 1,
            Input::Release { .. } => self.asked[2] += 1,
            Input::Check { .. } => self.asked[3] += 1,
            Input::Reply { .. }
            | Input::Unknown { .. }
            | Input::Late { .. }
            | Input::Link { .. }
            | Input::Push { .. }
            | Input::Wake { .. }
            | Input::Cancel { .. } => {}
        }
        for output in play.give(input) {
            self.hear(&output);
        }
    }
}

fn next(play: &mut Play, time: &mut u64, chosen: Move) -> Option<Input> {
    Some(match chosen {
        Move::Acquire { caller, ttl } => Input::Acquire { caller, ttl, draw: play.draw() },
        Move::Extend { caller, ttl } => Input::Extend { caller, ttl },
        Move::Check { caller } => Input::Check { caller },
        Move::Release { caller } => Input::Release { caller },
        Move::Cancel { caller } => Input::Cancel { caller },
        Move::Answer { place, how } => how.input(play.open.get(place)?.request),
        Move::Stray { request, how } => how.input(RequestId(request)),
        Move::Late { request, reply } => Input::Late { request: RequestId(request), reply },
        Move::Wake { reason } => Input::Wake { reason, draw: play.draw() },
        Move::Link => Input::Link { voter: VoterId(9), connection: ConnectionId(3), state: LinkState::Up },
        Move::Push => Input::Push { voter: VoterId(9), message: Reply::Null },
        Move::Pass { ms } => {
            *time += ms;
            play.at(*time);
            return None;
        }
    })
}

proptest! {
    /// No panic; grants alternate with their ends; every call is answered exactly once; when the world stops
    /// answering, the core runs out of duties and takes a new call.
    #[test]
    fn any_inputs(policy in policies(), script in prop::collection::vec(moves(), 0..120)) {
        policy.validate(Soundness::Waived).expect("a policy that can be run");
        let mut play = Play::new(&policy);
        let (watched, asks) = (policy.renewal == Renewal::Watchdog, policy.reacquire == Reacquire::Asks);
        let mut account = Account { watched, asks, ..Account::default() };
        let mut time = 0;
        for chosen in script {
            if let Some(input) = next(&mut play, &mut time, chosen) {
                account.give(&mut play, input);
            }
        }
        let wakes = |play: &Play, wanted| play.wakes.iter().any(|(reason, _)| *reason == wanted);
        let mut rounds = 0;
        while !play.open.is_empty() || wakes(&play, WakeReason::Retry) {
            rounds += 1;
            prop_assert!(rounds < 1_000, "duties without end");
            let input = match play.open.first() {
                Some(open) => Input::Unknown { request: open.request, why: UnknownReason::Disconnected },
                None => Input::Wake { reason: WakeReason::Retry, draw: play.draw() },
            };
            account.give(&mut play, input);
        }
        if let Some(caller) = account.holder {
            account.give(&mut play, Input::Release { caller });
        }
        let survives = policy.renewal_on_release == RenewalOnRelease::Survives;
        prop_assert!(survives || !wakes(&play, WakeReason::Renew), "a watchdog without a hold");
        while let Some(open) = play.open.first() {
            let input = Input::Unknown { request: open.request, why: UnknownReason::TimedOut };
            account.give(&mut play, input);
        }
        prop_assert_eq!(account.holder, None);
        prop_assert_eq!(account.asked[0], account.answered[0], "acquire calls");
        prop_assert_eq!(account.asked[2], account.answered[2], "release calls");
        prop_assert_eq!(account.asked[3], account.answered[3], "looks");
        if !account.watched {
            prop_assert_eq!(account.asked[1], account.answered[1], "extend calls");
        }
        let draw = play.draw();
        let outputs = play.give(Input::Acquire { caller: Caller(1), ttl: policy.ttl, draw });
        let begins = matches!(outputs.first(), Some(Output::Attempt { .. }));
        prop_assert!(begins, "busy for ever: {:?}", outputs);
    }
}
