//! Locks that count holds, proved as any core.
//!
//! They promise until release, so holders must work for less than the life of the key.

use bytes::Bytes;
use fencepost::check::OracleName;
use fencepost::lock::{Core, HashPolicy, HashProtocol, LeaseRenewal, Recipe, Ttl, Waiting};
use fencepost::prove::{Allowed, Kind, Menu, Scope};
use fencepost::time::Span;

/// Two clients on one node, a tick of work.
fn scope() -> Scope {
    Scope { node_timeout: 2, delay: 0, ..Scope::small(1) }
}

fn core(scope: &Scope, change: impl FnOnce(&mut HashPolicy)) -> Core {
    let mut policy = HashPolicy::scripted(HashProtocol::Reentrant, Ttl::Of(scope.key_life()));
    policy.unit = fencepost::lock::LifeUnit::Ms;
    policy.node_timeout = scope.request_limit();
    change(&mut policy);
    Core::of(&Recipe::from(policy), Bytes::from_static(b"resource"))
}

#[test]
fn without_faults_nobody_else_is_inside() {
    let oracles = [OracleName::PromiseOverlap, OracleName::SectionOverlap];
    fencepost::prove(core(&scope(), |_| {}), scope()).judging(&oracles).assert_holds();
}

#[test]
fn a_holder_that_stands_still_is_overtaken() {
    let menu = Menu { total: 1, allowed: vec![Allowed { kind: Kind::ClientStop, budget: 1, ticks: (1, 6) }] };
    let proving = fencepost::prove(core(&scope(), |_| {}), scope()).allowing(menu);
    proving.assert_violates(OracleName::SectionOverlap);
}

/// Work for longer than the life of the key: held by a watchdog, violated without one.
#[test]
fn watchdogs_hold_what_outlives_its_key() {
    let long = Scope { work: 6, ..scope() };
    let watched = core(&long, |policy| policy.renewal = LeaseRenewal::Watchdog);
    fencepost::prove(watched, long).judging(&[OracleName::PromiseOverlap]).assert_holds();
    fencepost::prove(core(&long, |_| {}), long).assert_violates(OracleName::PromiseOverlap);
}

#[test]
fn whoever_polls_is_finite_too() {
    let polls = core(&scope(), |policy| {
        policy.waiting = Waiting::Poll;
        policy.poll.delay = Scope::TICK;
        policy.wait_limit = Some(Span(Scope::TICK.0 * 2));
    });
    fencepost::prove(polls, scope()).judging(&[OracleName::PromiseOverlap]).assert_holds();
}

/// Messages, subscriptions and their connections are part of the states.
#[test]
fn whoever_listens_is_finite_too() {
    let listens = core(&scope(), |policy| policy.waiting = Waiting::Pubsub);
    fencepost::prove(listens, scope()).judging(&[OracleName::PromiseOverlap]).assert_holds();
}
