//! Counterexamples through the scenario format: written, read again, run, and the same oracle is violated.

use fencepost::check::{OracleName, Outcome};
use fencepost::lock::{AfterLast, Deciding, Growth, Pace, Protocol, Start, Taking};
use fencepost::plan::{MessageDirective, MessageFate};
use fencepost::prove::{
    Counterexample, Finding, Model, Options, counterexample, parse_model, prove_model, replay, shipped_models,
};
use fencepost::scenario::{Scenario, parse};
use fencepost::sim;
use fencepost::time::{ClockKind, Span, WorldTime};
use fencepost::world::Workload;
use std::ops::ControlFlow;

const ORACLE: OracleName = OracleName::PromiseOverlap;

fn shipped(name: &str) -> Model {
    let (_, text) = shipped_models().find(|(found, _)| *found == name).expect("it is shipped");
    parse_model(name, text).expect("a shipped model")
}

/// The shortest schedule of the model that violates the oracle.
#[track_caller]
fn found(model: &Model) -> Counterexample {
    let options = Options { threads: 1, states_max: 1_000_000, bytes_max: 4 << 30 };
    let proof = prove_model(model, &options, &mut |_| ControlFlow::Continue(()));
    match proof.findings.into_iter().find(|(oracle, _)| *oracle == ORACLE) {
        Some((_, Finding::Violated(found))) => *found,
        other => panic!("a known-bad lock is found: {other:?}"),
    }
}

/// The shipped lock of one node, changed.
fn bad(changes: &[(&str, &str)]) -> Model {
    let model = shipped("single");
    let mut text = model.text;
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    parse_model("folder/known-bad.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn survives(model: &Model) {
    let Counterexample { plan, end, .. } = found(model);
    let scenario = counterexample(model, ORACLE, &plan, end);
    let written = &scenario.setup.plan;
    assert_eq!((&written.faults, &written.orders), (&plan.faults, &plan.orders));
    assert_eq!(written.deferrals, plan.deferrals);
    let usual = |directive: &&MessageDirective| directive.fate == MessageFate::Delay(Span(1));
    let said = plan.messages.iter().filter(|directive| !usual(directive));
    assert!(written.messages.iter().eq(said), "all of the plan is in the file but what happens anyway");
    assert_eq!(*scenario.setup.clients[0].lock.policy().expect("a quorum lock"), model.policy);
    assert!(scenario.setup.clients.iter().all(|client| client.workload.cycles < Workload::ENDLESS));
    assert_eq!(parse(&scenario.origin, &scenario.text).as_ref(), Ok(&scenario), "the text says all of it");

    let result = sim::run(&scenario, scenario.seed);
    assert_eq!(result.judgement.as_expected(), Some(true), "{:?}\n{}", result.judgement, scenario.text);
    let at = result.violations.iter().find(|violation| violation.oracle == ORACLE).map(|found| found.at);
    assert!(at.is_some_and(|at| at <= end), "the violation comes on the path, not after it: {at:?} {end:?}");

    let (outcome, again) = replay(model, ORACLE, &plan, end);
    assert!(matches!(outcome, Outcome::Violated(_)), "{outcome:?}");
    assert_eq!(again.digest, result.digest);
    // Cut before the violation, the same plan proves nothing.
    let (early, _) = replay(model, ORACLE, &plan, WorldTime::ZERO);
    assert!(!matches!(early, Outcome::Violated(_)), "{early:?}");
}

#[test]
fn a_lease_counted_from_the_decision() {
    survives(&bad(&[(
        "like               = \"spec\"",
        "like = \"spec\"\nbasis = \"decision+ttl\"\nvalidity = \"no-check\"",
    )]));
}

#[test]
fn a_quorum_of_one() {
    survives(&bad(&[
        ("[lock.single]", "[lock.redlock]\nunsound = true\nquorum = 1"),
        ("nodes           = 1", "nodes = 2"),
        ("node_timeout_ticks = 2", "node_timeout_ticks = 3"),
        ("work_ticks_max  = 4", "work_ticks_max = 1"),
    ]));
}

#[test]
fn a_plain_del() {
    survives(&Model {
        name: "plain-del".to_owned(),
        ..bad(&[(
            "like               = \"spec\"",
            "like = \"spec\"\nrelease = \"plain-del\"\nrelease_on_failure = \"known\"",
        )])
    });
}

/// What no path has made yet is still said in full: every word of a policy, every key of a workload.
#[test]
fn worlds_of_every_shape() {
    let worlds: [&[(&str, &str)]; 4] = [
        &[
            (
                "[lock.single]",
                "[lock.single]\nfence = \"incr\"\nnonce = \"handle\"\nvalidity = \"no-check\"\nclock = \"wall\"\n\
              asking = \"serial\"\non_error = \"abort\"\nrelease_on_failure = \"known\"\ndriver_retries = 2\n\
              extension = \"recreate\"\non_loss = \"silent\"\nbasis = \"until-lost\"",
            ),
            (
                "holder          = \"leaves\"",
                "holder = \"never\"\nwrites = 3\nack = \"fire-and-forget\"\n\
              store = \"fence\"\nextend_every_ticks = 2\non_timeout = \"reconnect\"\ncalls = 3",
            ),
        ],
        &[
            ("nodes           = 1", "nodes = 1\nreplicas = 2\npersistence = \"aof-always\""),
            ("[lock.single]", "[lock.single]\nwait = \"all\"\nrenewal = \"watchdog\""),
        ],
        &[("ttl_ticks       = 4", ""), ("[lock.single]", "[lock.single]\nttl = \"none\"\nunsound = true")],
        &[
            ("ttl_ticks       = 4", ""),
            (
                "[lock.single]\nlike               = \"spec\"\nnode_timeout_ticks = 2\nmargin_ticks       = 1",
                "[lock.none]",
            ),
        ],
    ];
    for changes in worlds {
        let model = bad(changes.iter().map(|(from, to)| (*from, *to)).collect::<Vec<_>>().as_slice());
        round_trips(&model);
    }
}

/// Every switch that can be set, in one world or another, also those that a model cannot write.
#[test]
fn worlds_of_every_switch() {
    let single = |keys: &str| ("[lock.single]", format!("[lock.single]\nunsound = true\n{keys}"));
    let [first, second, third] = [
        single(
            "elapsed = \"whole-s\"\narithmetic = \"wrapping\"\nvalidity = \"zero-passes\"\nmargin_sign = \"added\"\n\
             min_validity_ticks = 1\nquorum_of = \"connected\"\nreacquire = \"asks\"\n\
             on_error = \"abort-after-quorum\"\nrelease_on_failure = \"none\"\nrelease_when_late = \"none\"\n\
             cleanup = \"callers-context\"\ntaking = \"reobtain\"\nttl_unit = \"s-for-ms\"\n\
             release = \"delex-ifeq\"\nrelease_key = \"other\"\nrelease_asks = \"acquired\"",
        ),
        single(
            "taking = \"setnx-expire\"\nrepair = \"zero-and-missing\"\nrelease = \"watch-get-del\"\n\
             on_error = \"abort-any\"\nelapsed = \"whole-ms\"\nttl_unit = \"s\"",
        ),
        single(
            "extension = \"set-xx\"\nextension_quorum_of = \"acquired\"\nextension_within = \"validity\"\n\
             extension_moves = \"nothing\"\nextension_checks = \"nothing\"\n\
             on_extension_failure = \"release-all\"\nrenewals_max = 3\nrenewal = \"watchdog\"\n\
             renewal_permille = 600\nrenewal_rounding = \"whole-s\"\nrenewal_rearm = \"after-success\"\n\
             renewal_on_release = \"survives\"\ncleanup = \"background\"\ndeciding = \"at-quorum\"",
        ),
    ]
    .map(|(from, to)| bad(&[(from, to.as_str())]));
    let millisecond = Span::from_ms(1);
    let mut written = bad(&[]);
    written.policy.start = Start::Call;
    written.policy.deciding = Deciding::AtQuorumOfBoth;
    written.policy.taking = Taking::SetNxPxat;
    written.policy.pace = Pace {
        growth: Growth::Doubling,
        delay_max: Span(written.policy.retry.delay.0 * 8),
        after_last: AfterLast::Waits,
        limit: Some(millisecond),
        limit_clock: ClockKind::Wall,
    };
    for model in [first, second, third, written] {
        round_trips(&model);
    }
}

#[track_caller]
fn round_trips(model: &Model) {
    let plan = fencepost::plan::Plan::empty();
    // Whether what is written is this world is asserted inside.
    let scenario: Scenario = counterexample(model, ORACLE, &plan, WorldTime(1_000_000));
    let policy = scenario.setup.clients[0].lock.policy().expect("a quorum lock");
    assert!(model.policy.protocol == Protocol::None || *policy == model.policy);
}
