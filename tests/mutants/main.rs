//! Every oracle that the prover judges is violated by a lock with one slip, and by the same lock without it is not, in the
//! same scope under the same faults.
//!
//! An oracle that nothing violates says nothing when it is held. Must not use a scope in which the sound lock fails.

mod mutant;

use fencepost::check::OracleName::{
    self, Continuity, FenceOrder, ForeignChange, PromiseEmpty, PromiseOverlap, SectionOverlap, StaleWrite,
    ValidWriteRefused,
};
use fencepost::lock::{Core, Extension, Fence, Policy, Protocol, Ttl};
use fencepost::prove::{
    Allowed, Finding, Kind, Menu, Options, Proof, Replay, Scope, ScopeModel, prove_cores,
};
use fencepost::sim::cores;
use fencepost::time::Span;
use fencepost::world::{Holder, StoreMode};
use mutant::{Mutant, Slip};
use std::ops::ControlFlow;

struct Case {
    oracle: OracleName,
    slip: Slip,
    scope: Scope,
    policy: Policy,
    menu: Menu,
}

fn single() -> Policy {
    Policy::spec(Protocol::Single, 1, Ttl::Of(Span::from_ms(1)))
}

fn none() -> Menu {
    Menu::none()
}

fn one(kind: Kind, ticks: (u8, u8)) -> Menu {
    Menu { total: 1, allowed: vec![Allowed { kind, budget: 1, ticks }] }
}

fn cases() -> Vec<Case> {
    let small = Scope::small(1);
    // Holders work past their promise, so that clocks end promises and keys.
    let leases = Scope { node_timeout: 2, work: 4, ..small };
    let writers = Scope { writes: 1, holder: Holder::BeforeWrite, work: 1, work_more: 5, ..leases };
    let fenced = Scope { store: StoreMode::Fence, writes: 1, calls: Some(3), delay: 0, ..small };
    let extends = Scope { work: 6, extend_every: Some(2), ..leases };
    let counts = Policy { fence: Fence::Incr, ..single() };
    let prolongs = Policy { extension: Extension::Compare, ..single() };
    let two = Policy::spec(Protocol::Redlock, 2, Ttl::Of(Span::from_ms(1)));
    let case = |oracle, slip, scope, policy: &Policy, menu: Menu| Case {
        oracle,
        slip,
        scope,
        policy: policy.clone(),
        menu,
    };
    vec![
        case(PromiseOverlap, Slip::PromisesLonger, leases, &single(), none()),
        case(PromiseOverlap, Slip::TakesRefusals, Scope { delay: 0, ..Scope::small(2) }, &two, none()),
        case(PromiseOverlap, Slip::DeletesBlindly, leases, &single(), one(Kind::MessageLoss, (0, 0))),
        case(PromiseEmpty, Slip::GrantsThePast, small, &single(), none()),
        case(SectionOverlap, Slip::TakesRefusals, small, &single(), none()),
        case(SectionOverlap, Slip::PromisesLonger, leases, &single(), none()),
        case(StaleWrite, Slip::PromisesLonger, writers, &single(), none()),
        case(ForeignChange, Slip::DeletesBlindly, leases, &single(), none()),
        case(
            ForeignChange,
            Slip::ProlongsBlindly,
            Scope { holder: Holder::Never, ..extends },
            &prolongs,
            none(),
        ),
        case(
            Continuity,
            Slip::ProlongsBlindly,
            Scope { holder: Holder::Never, ..extends },
            &prolongs,
            none(),
        ),
        case(Continuity, Slip::HidesLosses, Scope { holder: Holder::Never, ..extends }, &prolongs, none()),
        case(FenceOrder, Slip::RepeatsFences, fenced, &counts, none()),
        case(FenceOrder, Slip::ReversesFences, fenced, &counts, none()),
        case(ValidWriteRefused, Slip::ReversesFences, fenced, &counts, none()),
    ]
}

fn prove(case: &Case, slip: Option<Slip>) -> Proof {
    let setup = case.scope.setup(case.policy.clone());
    let cores: Vec<Mutant> = cores(&setup).into_iter().map(|core| Mutant::new(core, slip)).collect();
    let options = Options { threads: 2, states_max: 400_000, bytes_max: 4 << 30 };
    let mut go_on = |_: &_| ControlFlow::Continue(());
    prove_cores(case.scope, case.menu.clone(), setup, cores, &[case.oracle], &options, &mut go_on)
}

#[test]
fn every_monitor_kills_a_mutant_and_spares_the_sound_lock() {
    for case in cases() {
        let Case { oracle, slip, .. } = &case;
        let killed = prove(&case, Some(*slip));
        let Finding::Violated(found) = &killed.findings[0].1 else {
            panic!("{slip:?} survives {oracle}: {:?}", killed.findings[0].1)
        };
        assert_eq!(found.replay, Replay::Agrees, "{slip:?} against {oracle}: {found:#?}");
        let spared = prove(&case, None);
        assert_eq!(
            spared.findings[0].1,
            Finding::Held,
            "{oracle} and the sound lock, where {slip:?} is killed"
        );
    }
}

#[test]
fn every_oracle_that_is_judged_has_a_mutant() {
    for oracle in ScopeModel::<Core>::JUDGED {
        assert!(cases().iter().any(|case| case.oracle == oracle), "{oracle} is killed by nothing");
    }
}
