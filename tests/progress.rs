//! Whether somebody is granted in the end: bounds over every schedule, and schedules that go on for ever.
//!
//! Must not time anything.

use fencepost::lock::{Policy, Protocol, Ttl};
use fencepost::prove::{
    Allowed, Endless, Kind, Menu, Model, Options, Progress, ProgressFinding, Scope, prove_model,
};
use fencepost::time::Span;
use std::ops::ControlFlow;

fn find(scope: Scope, protocol: Protocol, menu: Menu, asked: Progress) -> ProgressFinding {
    let policy = Policy::spec(protocol, scope.nodes, Ttl::Of(Span::from_ms(1)));
    let model = Model {
        own: None,
        name: "progress".to_owned(),
        title: String::new(),
        claim: String::new(),
        source: Vec::new(),
        scope,
        menu,
        policy: scope.policy(policy),
        expect: Vec::new(),
        progress: Some(asked),
        pinned: None,
        text: String::new(),
        origin: String::new(),
    };
    let options = Options { threads: 2, states_max: 2_000_000, bytes_max: 8 << 30 };
    let proof = prove_model(&model, &options, &mut |_| ControlFlow::Continue(()));
    proof.progress.expect("progress was asked for")
}

fn alone(scope: Scope, menu: Menu) -> u32 {
    let found = find(scope, Protocol::Single, menu, Progress::Alone { within: None });
    let ProgressFinding::Within { ticks, slowest } = found else { panic!("{found:?}") };
    assert_eq!(slowest.is_empty(), ticks == 0, "who had to wait, waited on some schedule");
    ticks
}

/// What is left of others' keys runs out, and then the only one who calls is granted. A key that was written when
/// messages took no time lives for the TTL; a client that has just been refused waits one tick for its next call.
#[test]
fn who_is_alone_is_granted_within_the_life_of_a_key() {
    let prompt = Scope { delay: 0, node_timeout: 1, ttl: 6, ..Scope::small(1) };
    assert_eq!(alone(prompt, Menu::none()), 1, "releases arrive, so nobody waits for a key's end");
    let lossy =
        Menu { total: 1, allowed: vec![Allowed { kind: Kind::MessageLoss, budget: 1, ticks: (0, 0) }] };
    let waited = alone(prompt, lossy.clone());
    assert_eq!(
        waited, 4,
        "one tick of work and one until the release is given up are over when the other begins"
    );
    let longer = Scope { ttl: 8, ..prompt };
    assert_eq!(alone(longer, lossy), waited + 2, "two ticks more of TTL are two ticks more of waiting");
}

fn together(nodes: u8, retry: (u8, u8)) -> ProgressFinding {
    let scope = Scope { delay: 0, ..Scope::small(nodes) };
    let asked = Progress::Together { retry, expect: Endless::Never };
    find(scope, Protocol::Redlock, Menu::none(), asked)
}

/// Two clients that always call again at the same time can split the votes for ever.
///
/// **Source** "Distributed Locks with Redis", section "Retry on failure".
#[test]
fn equal_fixed_delays_split_votes_for_ever() {
    let found = together(2, (1, 1));
    let ProgressFinding::Endless { cycle, way_out, shown, .. } = found else { panic!("{found:?}") };
    assert!(!cycle.is_empty());
    assert!(!way_out, "no wait is chosen, so none leads out");
    assert!(shown.is_some(), "the seeded world can show it");
}

#[test]
fn different_delays_lead_out_of_a_split() {
    let found = together(2, (1, 2));
    let ProgressFinding::Endless { way_out, .. } = found else { panic!("{found:?}") };
    assert!(way_out, "one waits longer, the other is granted");
}

/// One vote cannot be split.
#[test]
fn one_node_grants_somebody() {
    let found = together(1, (1, 1));
    assert!(matches!(found, ProgressFinding::Within { .. }), "{found:?}");
}
