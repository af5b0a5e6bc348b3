//! The scripts of the hash core, executed by a node: what is stored, and for how long.
//!
//! Clients are cores; every command is executed at once, and its answer given back at once.

use bytes::Bytes;
use fencepost::lock::{
    Caller, Core, Draw, Fence, HashPolicy, HashProtocol, Input, Latch, LifeUnit, LockCore, Output, Recipe,
    ReentryLife, RefuseReason, Released, Stored, Ttl,
};
use fencepost::name::Nonce;
use fencepost::redis::{Compat, Node, Value};
use fencepost::resp::Command;
use fencepost::time::{MonoTime, Now, Span, WallTime};

const KEY: &[u8] = b"stock";
const CALLER: Caller = Caller(1);

struct Stage {
    node: Node,
    ms: i64,
}

impl Stage {
    fn new() -> Self {
        Self { node: Node::new(Compat::V72), ms: 0 }
    }

    fn now(&self) -> Now {
        let wall = WallTime(1_700_000_000_000_000) + Span::from_ms(self.ms);
        Now { mono: MonoTime(0) + Span::from_ms(self.ms), wall }
    }

    /// Gives the input and executes what is sent, until nothing is; answers what the caller is told.
    fn give(&mut self, core: &mut Core, input: Input) -> Vec<Output> {
        let (mut inputs, mut told) = (vec![input], Vec::new());
        while let Some(input) = inputs.pop() {
            let mut out = Vec::new();
            core.on_input(self.now(), input, &mut out);
            for output in out {
                if let Output::Send { request, command, .. } = output {
                    let reply = self.node.apply(self.now().wall, None, &command, &mut Vec::new());
                    inputs.push(Input::Reply { request, reply });
                } else if !matches!(
                    output,
                    Output::Attempt { .. } | Output::Wake { .. } | Output::Quiet { .. }
                ) {
                    told.push(output);
                }
            }
        }
        told
    }

    fn acquire(&mut self, core: &mut Core, nonce: u64, ttl: Ttl) -> Vec<Output> {
        let draw = Draw { nonce: Nonce(nonce), jitter: 0 };
        self.give(core, Input::Acquire { caller: CALLER, ttl, draw })
    }

    /// Holds of the nonce, and what is left of the key's life.
    fn holds(&self, core: &Core, nonce: u64) -> (u32, Option<i64>) {
        let Some(view) = self.node.view(self.now().wall, KEY) else { return (0, None) };
        let stored = if let Value::Hash(fields) = view.value {
            Stored::Hash(fields.iter().map(|(field, value)| (field.clone(), value.clone())).collect())
        } else if let Value::String(text) = view.value {
            Stored::Text(text.clone())
        } else {
            Stored::Other
        };
        let left = view.deadline.map(|deadline| deadline.0 - self.now().wall.unix_ms().0);
        (core.holds(Nonce(nonce), &stored), left)
    }
}

fn core(policy: &HashPolicy) -> Core {
    Core::of(&Recipe::from(policy.clone()), Bytes::from_static(KEY))
}

fn policy(ttl_ms: i64) -> HashPolicy {
    HashPolicy::scripted(HashProtocol::Reentrant, Ttl::Of(Span::from_ms(ttl_ms)))
}

fn life(ms: i64) -> Ttl {
    Ttl::Of(Span::from_ms(ms))
}

fn is_granted(told: &[Output]) -> bool {
    matches!(told, [Output::Granted { .. }])
}

#[test]
fn holds_are_counted_and_the_last_takes_the_key() {
    for latch in [Latch::Off, Latch::On] {
        let policy = HashPolicy { latch, ..policy(10_000) };
        let (mut stage, mut one, mut two) = (Stage::new(), core(&policy), core(&policy));
        assert!(is_granted(&stage.acquire(&mut one, 7, life(10_000))));
        stage.ms = 2_000;
        assert_eq!(stage.holds(&one, 7), (1, Some(8_000)));
        assert!(is_granted(&stage.acquire(&mut one, 8, life(4_000))));
        assert_eq!(stage.holds(&one, 7), (2, Some(4_000)), "the owner is that of the first call");
        let refused = stage.acquire(&mut two, 9, life(10_000));
        assert_eq!(refused, [Output::Refused { caller: CALLER, why: RefuseReason::Taken }]);
        let released = [Output::Released { caller: CALLER, how: Released::Confirmed }];
        stage.ms = 3_000;
        assert_eq!(stage.give(&mut one, Input::Release { caller: CALLER }), released);
        assert_eq!(stage.holds(&one, 7), (1, Some(10_000)), "an inner release sets the life anew");
        assert_eq!(stage.give(&mut one, Input::Release { caller: CALLER }), released);
        assert_eq!(stage.holds(&one, 7), (0, None));
        assert!(is_granted(&stage.acquire(&mut two, 9, life(10_000))));
        assert_eq!(stage.holds(&one, 7).0, 0, "another's hold is not this one's");
        let latches = stage.node.keys(stage.now().wall).filter(|(key, _)| key.starts_with(b"stock:latch:"));
        assert_eq!(latches.count(), if latch == Latch::On { 2 } else { 0 });
        stage.ms += 60_000;
        assert_eq!(stage.node.keys(stage.now().wall).count(), 0, "every key has a life");
    }
}

#[test]
fn a_life_that_is_refused_leaves_the_hold() {
    let policy = HashPolicy { unit: LifeUnit::SDecimal, ..policy(1_500) };
    let (mut stage, mut one, mut two) = (Stage::new(), core(&policy), core(&policy));
    let refused = stage.acquire(&mut one, 7, life(1_500));
    assert_eq!(refused, [Output::Refused { caller: CALLER, why: RefuseReason::Error }]);
    assert_eq!(stage.holds(&one, 7), (1, None), "counted, and without a life");
    stage.ms = 1_000_000;
    let refused = stage.acquire(&mut two, 8, life(1_500));
    assert_eq!(refused, [Output::Refused { caller: CALLER, why: RefuseReason::Taken }]);
}

#[test]
fn units_lives_and_fences() {
    let seconds = policy(1_999);
    let milliseconds = HashPolicy { unit: LifeUnit::Ms, ..seconds.clone() };
    let for_ever = HashPolicy { ttl: Ttl::Never, ..seconds.clone() };
    for (policy, left) in [(&seconds, Some(1_000)), (&milliseconds, Some(1_999)), (&for_ever, None)] {
        let (mut stage, mut one) = (Stage::new(), core(policy));
        assert!(is_granted(&stage.acquire(&mut one, 7, policy.ttl)));
        assert_eq!(stage.holds(&one, 7), (1, left));
        assert!(is_granted(&stage.acquire(&mut one, 7, policy.ttl)));
        assert_eq!(stage.holds(&one, 7), (2, left));
    }
    for (reentry_life, left) in [(ReentryLife::Reset, 2_000), (ReentryLife::Longer, 10_000)] {
        for fence in [Fence::None, Fence::Incr] {
            let policy = HashPolicy { reentry_life, fence, ..policy(10_000) };
            let (mut stage, mut one) = (Stage::new(), core(&policy));
            let mut fences = Vec::new();
            for ttl in [10_000, 2_000] {
                let told = stage.acquire(&mut one, 7, life(ttl));
                let [Output::Granted { fence, .. }] = told.as_slice() else { panic!("{told:?}") };
                fences.push(*fence);
            }
            assert_eq!(stage.holds(&one, 7), (2, Some(left)));
            let counted = if fence == Fence::Incr { [Some(1), Some(2)] } else { [None, None] };
            assert_eq!(fences, counted);
        }
    }
}

#[test]
fn a_string_on_the_key_is_an_error() {
    let (mut stage, mut one) = (Stage::new(), core(&policy(10_000)));
    let set = Command::new([&b"SET"[..], KEY, b"else"].map(Bytes::from_static));
    let wall = stage.now().wall;
    stage.node.apply(wall, None, &set, &mut Vec::new());
    let refused = stage.acquire(&mut one, 7, life(10_000));
    assert_eq!(refused, [Output::Refused { caller: CALLER, why: RefuseReason::Error }]);
    assert_eq!(stage.holds(&one, 7).0, 0);
}

#[test]
fn a_release_that_is_sent_twice() {
    for (latch, left) in [(Latch::Off, 0), (Latch::On, 1)] {
        let policy = HashPolicy { latch, ..policy(10_000) };
        let (mut stage, mut one) = (Stage::new(), core(&policy));
        stage.acquire(&mut one, 7, life(10_000));
        stage.acquire(&mut one, 7, life(10_000));
        let mut out = Vec::new();
        one.on_input(stage.now(), Input::Release { caller: CALLER }, &mut out);
        let [Output::Send { command, .. }] = out.as_slice() else { panic!("{out:?}") };
        let wall = stage.now().wall;
        let first = stage.node.apply(wall, None, command, &mut Vec::new());
        let second = stage.node.apply(wall, None, command, &mut Vec::new());
        assert_eq!(first == second, latch == Latch::On);
        assert_eq!(stage.holds(&one, 7).0, left);
    }
}

/// Who the rivals at a voter are does not depend on how often they hold.
#[test]
fn owners_are_compared_without_their_counts() {
    let text = |text: &'static str| Bytes::from_static(text.as_bytes());
    let hash = |fields: &[(&'static str, &'static str)]| {
        Stored::Hash(fields.iter().map(|(field, count)| (text(field), text(count))).collect())
    };
    let one = hash(&[("a", "1")]);
    assert!(one.has_owners_of(&hash(&[("a", "2")])));
    for other in
        [hash(&[("b", "1")]), hash(&[("a", "1"), ("b", "1")]), Stored::Text(text("a")), Stored::Other]
    {
        assert!(!one.has_owners_of(&other) && !other.has_owners_of(&one), "{other:?}");
    }
    assert!(Stored::Text(text("a")).has_owners_of(&Stored::Text(text("a"))));
}
