//! Small scopes exhausted over the same values that seeded runs use: what holds, what breaks under which fault, and that
//! the seeded world agrees with every counterexample.
//!
//! Must not time anything. State counts are pinned: a change of one is a change of semantics or of the state's
//! form, to be understood and then written here.

use fencepost::check::OracleName::{
    self, FenceOrder, ForeignChange, PromiseEmpty, PromiseOverlap, SectionOverlap, StaleWrite,
    ValidWriteRefused,
};
use fencepost::check::WitnessName;
use fencepost::lock::{Basis, Fence, Policy, Protocol, Release, Ttl, Validity};
use fencepost::name::{NodeId, VoterId};
use fencepost::plan::{Death, Fault, PlannedFault, When};
use fencepost::prove::{
    Allowed, Ended, Finding, Kind, Menu, Options, Proof, Question, Replay, Scope, ScopeModel, prove_cores,
};
use fencepost::sim::cores;
use fencepost::time::{Span, WorldTime};
use fencepost::world::{Holder, OnTimeout, Persistence, StoreMode};
use stateright::{Checker, Model};
use std::ops::ControlFlow;

const OPTIONS: Options = Options { threads: 2, states_max: 3_000_000, bytes_max: 8 << 30 };

fn spec(protocol: Protocol, nodes: u8) -> Policy {
    Policy::spec(protocol, nodes, Ttl::Of(Span::from_ms(1)))
}

fn single() -> Policy {
    spec(Protocol::Single, 1)
}

fn prove(scope: Scope, policy: &Policy, menu: &Menu, oracles: &[OracleName], options: &Options) -> Proof {
    let setup = scope.setup(policy.clone());
    let cores = cores(&setup);
    prove_cores(scope, menu.clone(), setup, cores, oracles, options, &mut |_| ControlFlow::Continue(()))
}

/// Holders work past their lease and leave at its end, and answers may come at the limit: clocks end promises, keys
/// expire under their holders, requests time out.
fn leases(nodes: u8) -> Scope {
    Scope { node_timeout: 2, work: 4, ..Scope::small(nodes) }
}

/// Holders write once, having looked at their clock.
fn writers(nodes: u8) -> Scope {
    Scope { writes: 1, holder: Holder::BeforeWrite, ..Scope::small(nodes) }
}

/// One fault of one kind.
fn one(kind: Kind, ticks: (u8, u8)) -> Menu {
    Menu { total: 1, allowed: vec![Allowed { kind, budget: 1, ticks }] }
}

fn finding(proof: &Proof, oracle: OracleName) -> &Finding {
    let found = proof.findings.iter().find(|(name, _)| *name == oracle);
    &found.expect("the oracle was asked for").1
}

/// Everything held, was exercised and witnessed, in so many states.
#[track_caller]
fn holds(scope: Scope, policy: &Policy, oracles: &[OracleName], pinned: u64) {
    let proof = prove(scope, policy, &Menu::none(), oracles, &OPTIONS);
    for (oracle, found) in &proof.findings {
        assert_eq!(*found, Finding::Held, "{oracle}");
    }
    for name in [WitnessName::Grants, WitnessName::Contention] {
        assert!(proof.witnesses.contains(&(name, true)), "{:?}", proof.witnesses);
    }
    assert_eq!((proof.effort.ended, proof.effort.states), (Ended::Exhausted, pinned));
}

#[test]
fn single_excludes_in_every_schedule() {
    holds(Scope::small(1), &single(), &[PromiseOverlap, PromiseEmpty, SectionOverlap, ForeignChange], 863);
}

#[test]
fn single_excludes_by_its_lease() {
    holds(leases(1), &single(), &[PromiseOverlap, PromiseEmpty, SectionOverlap, ForeignChange], 1_982);
}

#[test]
fn redlock_excludes_by_its_lease() {
    holds(leases(2), &spec(Protocol::Redlock, 2), &[PromiseOverlap], 118_131);
}

/// What each kind of fault breaks of a lock on one node whose holders look at their clock before they write, one fault
/// in the whole run. What is not named is held.
#[test]
fn one_fault_of_each_kind() {
    let all = [PromiseOverlap, SectionOverlap, StaleWrite, ForeignChange];
    let overlap = [PromiseOverlap, SectionOverlap];
    let data = [PromiseOverlap, SectionOverlap, StaleWrite];
    let cases: [(Kind, (u8, u8), &[OracleName]); 10] = [
        (Kind::ClientStop, (1, 6), &[SectionOverlap, StaleWrite]),
        (Kind::ClientSuspend, (1, 6), &data),
        (Kind::ClientClockSlow, (1, 6), &data),
        (Kind::NodeClockFast, (1, 6), &overlap),
        (Kind::NodeClockStep, (4, 4), &data),
        (Kind::MessageLoss, (0, 0), &[]),
        (Kind::NodeCrashLosing, (0, 2), &data),
        (Kind::Eviction, (0, 0), &data),
        (Kind::StoreDelay, (1, 6), &[SectionOverlap, StaleWrite]),
        (Kind::NodeCrashKeeping, (0, 1), &[]),
    ];
    for (kind, ticks, broken) in cases {
        let keeps = if kind == Kind::NodeCrashKeeping { Persistence::AofAlways } else { Persistence::None };
        let scope = Scope { persistence: keeps, ..writers(1) };
        let proof = prove(scope, &single(), &one(kind, ticks), &all, &OPTIONS);
        for oracle in all {
            let found = finding(&proof, oracle);
            match found {
                Finding::Violated(found) => {
                    assert!(broken.contains(&oracle), "{kind:?} breaks {oracle}: {found:?}");
                    assert_eq!(found.replay, Replay::Agrees, "{kind:?}: {found:?}");
                    assert_eq!(found.faults, [kind], "it takes the fault");
                }
                Finding::Held => assert!(!broken.contains(&oracle), "{kind:?} does not break {oracle}"),
                Finding::NotExercised | Finding::NotApplicable | Finding::Unknown => {
                    panic!("{kind:?}: {oracle} is {found:?}");
                }
            }
        }
        assert_eq!(proof.happened, [(kind, true)]);
    }
}

/// A delivery that a client has given up, after it has asked again on another connection.
#[test]
fn a_late_message_changes_nothing_that_compares() {
    let scope = Scope { on_timeout: OnTimeout::Reconnect, delay: 0, node_timeout: 1, ..Scope::small(1) };
    let menu = one(Kind::LateMessage, (1, 6));
    let proof = prove(scope, &single(), &menu, &[PromiseOverlap, ForeignChange], &OPTIONS);
    assert_eq!(*finding(&proof, PromiseOverlap), Finding::Held);
    assert_eq!(*finding(&proof, ForeignChange), Finding::Held);
    let plain = Policy { release: Release::PlainDel, ..single() };
    let proof = prove(scope, &plain, &menu, &[PromiseOverlap, ForeignChange], &OPTIONS);
    broken(&proof, ForeignChange);
    broken(&proof, PromiseOverlap);
}

#[track_caller]
fn broken(proof: &Proof, oracle: OracleName) {
    let Finding::Violated(found) = finding(proof, oracle) else {
        panic!("{oracle}: {:?}", finding(proof, oracle))
    };
    assert_eq!(found.replay, Replay::Agrees, "{oracle}: {found:?}");
}

/// A fence keeps the store from stale writes whatever its holders suffer, and no longer than its counter lives.
#[test]
fn a_fence_holds_while_its_counter_lives() {
    let policy = Policy { fence: Fence::Incr, ..single() };
    let scope =
        Scope { store: StoreMode::Fence, holder: Holder::Never, calls: Some(3), delay: 0, ..writers(1) };
    for (kind, ticks) in
        [(Kind::ClientStop, (1, 6)), (Kind::StoreDelay, (1, 6)), (Kind::ClientClockSlow, (1, 4))]
    {
        let proof =
            prove(scope, &policy, &one(kind, ticks), &[SectionOverlap, StaleWrite, FenceOrder], &OPTIONS);
        broken(&proof, SectionOverlap);
        assert_eq!(*finding(&proof, StaleWrite), Finding::Held, "{kind:?}");
        assert_eq!(*finding(&proof, FenceOrder), Finding::Held, "{kind:?}");
    }
    let losing = one(Kind::NodeCrashLosing, (0, 1));
    let proof = prove(scope, &policy, &losing, &[StaleWrite, FenceOrder, ValidWriteRefused], &OPTIONS);
    broken(&proof, FenceOrder);
    broken(&proof, ValidWriteRefused);
    assert_eq!(*finding(&proof, StaleWrite), Finding::Held, "nobody is late with a write");
    let stop = Allowed { kind: Kind::ClientStop, budget: 1, ticks: (1, 6) };
    let both = Menu { total: 2, allowed: vec![losing.allowed[0], stop] };
    broken(&prove(scope, &policy, &both, &[StaleWrite], &OPTIONS), StaleWrite);
}

#[test]
fn a_promotion_loses_the_last_write() {
    let scope = Scope { replicas: 1, delay: 0, ..Scope::small(1) };
    let proof = prove(scope, &single(), &Menu::none(), &[PromiseOverlap], &OPTIONS);
    assert_eq!(*finding(&proof, PromiseOverlap), Finding::Held);
    let proof = prove(scope, &single(), &one(Kind::Failover, (0, 1)), &[PromiseOverlap], &OPTIONS);
    broken(&proof, PromiseOverlap);
}

/// Two nodes fall at the beginning of one tick: which of them is first in canonical form must not hide the other.
#[test]
fn all_nodes_may_fall_at_once() {
    let crash = Allowed { kind: Kind::NodeCrashLosing, budget: 2, ticks: (1, 1) };
    let scope = Scope { delay: 0, work: 2, holder: Holder::Never, calls: Some(2), ..Scope::small(2) };
    let menu = Menu { total: 2, allowed: vec![crash] };
    let proof = prove(scope, &spec(Protocol::Redlock, 2), &menu, &[SectionOverlap], &OPTIONS);
    broken(&proof, SectionOverlap);
}

/// Known-bad policies need no fault.
#[test]
fn known_bad_policies_are_found() {
    let early = Policy { basis: Basis::Decision, validity: Validity::NoCheck, ..single() };
    let one_of_three = Policy { quorum: 1, ..spec(Protocol::Redlock, 3) };
    let half_of_four = Policy { quorum: 2, ..spec(Protocol::Redlock, 4) };
    let scope = |nodes| Scope { delay: 0, ..Scope::small(nodes) };
    for (scope, policy) in [(leases(1), early), (scope(3), one_of_three), (scope(4), half_of_four)] {
        broken(&prove(scope, &policy, &Menu::none(), &[PromiseOverlap], &OPTIONS), PromiseOverlap);
    }
}

/// A key that lives exactly as long as its promise, counted from where neither is late: in ticks the two touch, and
/// that counts.
#[test]
fn what_touches_overlaps() {
    let scope = Scope { delay: 0, ..leases(1) };
    let exact = one(Kind::NodeClockFast, (1, 1));
    let Finding::Violated(found) =
        finding(&prove(scope, &single(), &exact, &[PromiseOverlap], &OPTIONS), PromiseOverlap).clone()
    else {
        panic!("a clock that gains the whole margin ends a key where its promise ends")
    };
    assert_eq!(found.replay, Replay::Touches, "{found:?}");
    let wide = Scope { margin: 2, ..scope };
    let proof = prove(wide, &single(), &exact, &[PromiseOverlap], &OPTIONS);
    assert_eq!(*finding(&proof, PromiseOverlap), Finding::Held);
}

/// One client overlaps with nobody: that must not pass for an exercised oracle.
#[test]
fn what_cannot_arise_is_not_held() {
    let alone = Scope { clients: 1, ..Scope::small(1) };
    let proof = prove(alone, &single(), &Menu::none(), &[PromiseOverlap], &OPTIONS);
    assert_eq!(*finding(&proof, PromiseOverlap), Finding::NotApplicable);
}

/// A fenced store that never sees two grants.
#[test]
fn what_nothing_exercises_is_not_held() {
    let once = Scope { calls: Some(1), ..writers(1) };
    let proof = prove(once, &single(), &Menu::none(), &[StaleWrite], &OPTIONS);
    assert_eq!(*finding(&proof, StaleWrite), Finding::NotExercised);
}

#[test]
fn what_is_not_exhausted_is_unknown() {
    let options = Options { states_max: 500, ..OPTIONS };
    let proof = prove(leases(2), &spec(Protocol::Redlock, 2), &Menu::none(), &[PromiseOverlap], &options);
    assert_eq!(*finding(&proof, PromiseOverlap), Finding::Unknown);
    assert_eq!(proof.effort.ended, Ended::Limit);
}

/// Our own search and stateright's see the same graph, with any number of threads.
#[test]
fn searches_agree() {
    let scope = Scope { delay: 0, ..writers(2) };
    let policy = spec(Protocol::Redlock, 2);
    let menu = one(Kind::MessageLoss, (0, 0));
    let oracles = [PromiseOverlap, StaleWrite];
    let setup = scope.setup(policy.clone());
    let model =
        ScopeModel::new(scope, menu.clone(), setup.clone(), cores(&setup), &oracles, Question::Violated);
    let checker = model.checker().spawn_bfs().join();
    assert!(checker.is_done() && checker.discovery("held").is_none());
    let mut proofs =
        [1, 2, 3].map(|threads| prove(scope, &policy, &menu, &oracles, &Options { threads, ..OPTIONS }));
    assert_eq!(proofs[0].effort.states, checker.unique_state_count() as u64);
    let first = proofs[0].clone();
    for proof in &mut proofs {
        assert_eq!(*proof, first);
    }
}

/// States keep no names, so a plan would direct the wrong messages, or the same ones again.
#[test]
#[should_panic(expected = "keeps no names")]
fn a_plan_is_refused() {
    let scope = Scope::small(1);
    let mut setup = scope.setup(single());
    let fault = Fault::Kill { node: NodeId::first(VoterId(0)), death: Death::Process };
    setup.plan.faults.push(PlannedFault { when: When::At(WorldTime::ZERO), lasts: None, fault });
    let cores = cores(&setup);
    let _ = ScopeModel::new(scope, Menu::none(), setup, cores, &[PromiseOverlap], Question::Violated);
}
