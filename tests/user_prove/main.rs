//! What the author of a lock writes in a plain test: a core that is not shipped, proved in a scope; `counted` does so
//! with shipped cores that no model file can name.
//!
//! Must not use anything that such an author cannot.

mod counted;
mod spin;

use fencepost::check::OracleName;
use fencepost::prove::{Allowed, Finding, Kind, Menu, Scope};
use fencepost::time::Span;
use spin::{Slip, Spin};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Two clients on one node; holders work until their promise is over.
fn scope() -> Scope {
    Scope { node_timeout: 2, work: 4, delay: 0, ..Scope::small(1) }
}

fn refusal(test: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(test)).expect_err("the test should fail");
    panic.downcast_ref::<String>().expect("panics here have a text").clone()
}

#[test]
fn a_good_core_holds() {
    fencepost::prove(Spin::new(&scope(), Slip::None), scope()).assert_holds();
}

/// What a node pushes over a further connection is part of a state, in every order, and nothing is lost for it.
#[test]
fn a_core_that_hears_others_give_back_is_proved_too() {
    let listening = |slip| fencepost::prove(Spin::new(&scope(), slip).listening(), scope());
    listening(Slip::None).assert_holds();
    listening(Slip::PromisesLonger).assert_violates(OracleName::PromiseOverlap);
}

/// The text says what went wrong, when, in which scope, and shows the schedule.
#[test]
fn a_core_that_promises_too_long_is_told() {
    let proving = fencepost::prove(Spin::new(&scope(), Slip::PromisesLonger), scope());
    proving.assert_violates(OracleName::PromiseOverlap);
    let text = refusal(|| proving.assert_holds());
    for part in [
        "promise-overlap is violated, without any fault",
        "were both promised the lock",
        "GRANTED",
        "its mono",
        "2 clients, 1 node",
        "spin",
        "unique states",
        "To go on",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn what_is_meant_to_be_violated_and_is_not_fails() {
    let text = refusal(|| {
        fencepost::prove(Spin::new(&scope(), Slip::None), scope()).assert_violates(OracleName::PromiseOverlap)
    });
    assert!(text.contains("promise-overlap is held"), "{text}");
}

/// One client excludes nobody, whatever its lock does.
#[test]
fn a_proof_about_nothing_fails() {
    let alone = Scope { clients: 1, ..scope() };
    let text = refusal(|| fencepost::prove(Spin::new(&alone, Slip::PromisesLonger), alone).assert_holds());
    assert!(text.contains("promise-overlap cannot arise in the scope"), "{text}");
}

/// A proof that ends early says nothing of what it did not see.
#[test]
fn what_is_not_exhausted_fails() {
    let wide = Scope { delay: 1, ..scope() };
    let text =
        refusal(|| fencepost::prove(Spin::new(&wide, Slip::None), wide).states_max(100).assert_holds());
    assert!(text.contains("promise-overlap is unknown, not held"), "{text}");
}

/// Faults are told in the text, and one that never takes effect is no test.
#[test]
fn faults_are_allowed_by_kind() {
    let one = |kind| Menu { total: 1, allowed: vec![Allowed { kind, budget: 1, ticks: (1, 4) }] };
    let proving = fencepost::prove(Spin::new(&scope(), Slip::None), scope());
    let stop = proving.clone().allowing(one(Kind::ClientStop)).judging(&[OracleName::SectionOverlap]);
    let text = refusal(|| stop.assert_holds());
    assert!(text.contains("section-overlap is violated, after client-stop"), "{text}");
    assert!(text.contains("FAULT"), "{text}");
    let never = proving.allowing(one(Kind::StoreDelay)).judging(&[OracleName::PromiseOverlap]);
    assert_eq!(never.run().findings[0].1, Finding::Held);
    let text = refusal(|| never.assert_holds());
    assert!(text.contains("no store-delay ever took effect"), "{text}");
}

#[test]
#[should_panic(expected = "keys of spin live for")]
fn times_that_are_not_the_scope_s_are_refused() {
    let core = Spin::new(&Scope { ttl: 5, ..scope() }, Slip::None);
    fencepost::prove(core, scope()).assert_holds();
}

#[test]
#[should_panic(expected = "must wait")]
fn a_patience_that_is_not_the_scope_s_is_refused() {
    let core = Spin::new(&scope(), Slip::None).with_limit(Span::from_ms(50));
    fencepost::prove(core, scope()).assert_holds();
}
