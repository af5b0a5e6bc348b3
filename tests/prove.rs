//! The same values under the model checker: small scopes exhausted, a known-bad core found and replayed.
//!
//! Must not time anything. State counts are pinned: a change of one is a change of semantics or of the state's
//! form, to be understood and then written here.

use bytes::Bytes;
use fencepost::check::{OracleName, Outcome};
use fencepost::lock::{Basis, Core, Policy, Protocol, Ttl, Validity};
use fencepost::name::{NodeId, VoterId};
use fencepost::plan::{Death, Fault, PlannedFault, Quantile, Quantiles, When};
use fencepost::prove::{Question, Scope, ScopeModel, export};
use fencepost::scenario::Scenario;
use fencepost::sim::{Explorer, Keep};
use fencepost::time::{Span, WorldTime};
use fencepost::world::{Holder, Setup};
use stateright::{Checker, Model};
use std::sync::Arc;

const ORACLE: OracleName = OracleName::PromiseOverlap;

fn scope(nodes: u8) -> Scope {
    Scope { clients: 2, nodes, ttl: 4, margin: 1, node_timeout: 3, delay: 1, work: 1, holder: Holder::Leaves }
}

fn cores(setup: &Setup) -> Vec<Core> {
    let key = &setup.key;
    setup.clients.iter().map(|client| Core::new(Arc::clone(&client.policy), Bytes::clone(key))).collect()
}

fn model(scope: Scope, policy: Policy, question: Question) -> ScopeModel<Core> {
    let setup = scope.setup(policy);
    let cores = cores(&setup);
    ScopeModel::new(scope, setup, cores, ORACLE, question)
}

fn spec(protocol: Protocol, nodes: u8) -> Policy {
    Policy::spec(protocol, nodes, Ttl::Of(Span::from_ms(1)))
}

#[track_caller]
fn excludes(scope: Scope, policy: Policy, pinned: usize) {
    let exercised = model(scope, policy.clone(), Question::Exercised).checker().spawn_bfs().join();
    assert!(exercised.discovery("exercised").is_some(), "nobody contends: held would say nothing");
    let checker = model(scope, policy, Question::Violated).checker().threads(2).spawn_bfs().join();
    assert!(checker.is_done());
    assert!(checker.discovery("held").is_none(), "two promises overlap without any fault");
    assert_eq!(checker.unique_state_count(), pinned, "the pinned number of states");
}

/// Holders work past their lease and leave at its end, and answers may come at the limit: clocks end promises, keys
/// expire under their holders, requests time out.
fn leases(nodes: u8) -> Scope {
    Scope { node_timeout: 2, work: 4, ..scope(nodes) }
}

#[test]
fn single_excludes_in_every_schedule() {
    excludes(scope(1), spec(Protocol::Single, 1), 863);
}

#[test]
fn single_excludes_by_its_lease() {
    excludes(leases(1), spec(Protocol::Single, 1), 1_965);
}

#[test]
fn redlock_excludes_in_every_schedule() {
    excludes(scope(3), spec(Protocol::Redlock, 3), 914_639);
}

#[test]
fn redlock_excludes_by_its_lease() {
    excludes(leases(2), spec(Protocol::Redlock, 2), 117_910);
}

/// Known-bad cores: each is found, and the seeded world agrees.
#[test]
fn a_quorum_of_one_is_found() {
    is_found(scope(3), Policy { quorum: 1, ..spec(Protocol::Redlock, 3) });
}

#[test]
fn a_lease_counted_from_the_decision_is_found() {
    for (protocol, nodes) in [(Protocol::Single, 1), (Protocol::Redlock, 2)] {
        let policy = Policy { basis: Basis::Decision, validity: Validity::NoCheck, ..spec(protocol, nodes) };
        is_found(leases(nodes), policy);
    }
}

/// One client overlaps with nobody: that must not pass for an exercised oracle.
#[test]
fn what_cannot_arise_is_not_exercised() {
    let alone = Scope { clients: 1, ..scope(1) };
    let checker = model(alone, spec(Protocol::Single, 1), Question::Exercised).checker().spawn_bfs().join();
    assert!(checker.is_done());
    assert!(checker.discovery("exercised").is_none(), "promise-overlap is n/a for one client");
}

/// States keep no names, so a plan would direct the wrong messages, or the same ones again.
#[test]
#[should_panic(expected = "keeps no names")]
fn a_plan_is_refused() {
    let scope = scope(1);
    let mut setup = scope.setup(spec(Protocol::Single, 1));
    let fault = Fault::Kill { node: NodeId::first(VoterId(0)), death: Death::Process };
    setup.plan.faults.push(PlannedFault { when: When::At(WorldTime::ZERO), lasts: None, fault });
    let cores = cores(&setup);
    let _ = ScopeModel::new(scope, setup, cores, ORACLE, Question::Violated);
}

#[track_caller]
fn is_found(scope: Scope, policy: Policy) {
    let model = model(scope, policy, Question::Violated);
    let checker = model.clone().checker().threads(1).spawn_bfs().join();
    let path = checker.discovery("held").expect("a promise overlap");
    let choices = path.into_actions();
    let export = export(&model, &choices);
    let result = replay(model.setup(), export.plan.clone());
    let outcome = result.outcomes.iter().find(|(oracle, _)| *oracle == ORACLE).map(|(_, outcome)| outcome);
    assert!(
        matches!(outcome, Some(Outcome::Violated(_))),
        "the seeded world disagrees: {outcome:?}\n{export:#?}"
    );
    let at = result.violations.iter().find(|violation| violation.oracle == ORACLE).map(|found| found.at);
    assert!(at.is_some_and(|at| at <= export.end), "the violation comes on the path, not after it: {at:?}");
}

/// Runs a plan in the seeded world.
fn replay(setup: &Setup, plan: fencepost::plan::Plan) -> fencepost::sim::RunResult {
    let limit = WorldTime(plan_end(&plan));
    let setup = Setup { plan, limit, ..setup.clone() };
    let instant = vec![Quantile { permille: 0, value: 1 }, Quantile { permille: 1_000, value: 1 }];
    let cores = cores(&setup);
    let scenario = Scenario {
        name: "counterexample".to_owned(),
        title: String::new(),
        claim: String::new(),
        source: Vec::new(),
        seed: 1,
        protocol: Protocol::Redlock,
        latency: Quantiles::new(instant).expect("a constant is a distribution"),
        links: Vec::new(),
        drawn: None,
        expect: None,
        text: String::new(),
        origin: "counterexample".to_owned(),
        setup,
    };
    Explorer::new(&scenario).run_cores(cores, 1, Keep::Records)
}

fn plan_end(plan: &fencepost::plan::Plan) -> u64 {
    let ends = plan.deferrals.iter().map(|deferral| deferral.until.0);
    ends.max().expect("a path fires timers")
}
