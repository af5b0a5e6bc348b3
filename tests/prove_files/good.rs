//! What is read: every key, its default, and ticks as spans.

use super::{GOOD, changed, good};
use fencepost::check::{Expected, OracleName};
use fencepost::lock::{Basis, DriftSign, Extension, Fence, Protocol, Release, Retry, Ttl, Wait, WaitFor};
use fencepost::prove::{Allowed, Endless, Kind, Pinned, Progress, Scope};
use fencepost::time::Span;
use fencepost::world::{Ack, Holder, OnTimeout, Persistence, StoreMode};

#[test]
fn a_model_with_its_defaults() {
    let model = good(GOOD);
    assert_eq!((model.name.as_str(), model.title.as_str()), ("some-name", "a title"));
    assert_eq!((model.claim.as_str(), model.source.as_slice()), ("a claim", &["a source".to_owned()][..]));
    assert_eq!((model.text.as_str(), model.origin.as_str()), (GOOD, "folder/some-name.toml"));
    let scope = Scope { node_timeout: 2, work: 0, work_more: 2, ..Scope::small(3) };
    assert_eq!(model.scope, scope);
    assert_eq!(model.menu.total, 2);
    assert_eq!(model.menu.allowed, [Allowed { kind: Kind::ClientStop, budget: 1, ticks: (1, 6) }]);
    assert_eq!(model.expect, [(OracleName::PromiseOverlap, Expected::Held)]);
    assert_eq!((model.progress, model.pinned), (None, None));
    let policy = &model.policy;
    assert_eq!((policy.protocol, policy.voters, policy.quorum), (Protocol::Redlock, 3, 2));
    // A key set with PX lives up to a millisecond longer, and the margin takes it back.
    assert_eq!(policy.ttl, Ttl::Of(Span::from_ms(3_999)));
    assert_eq!(policy.node_timeout, Span::from_ms(2_000));
    assert_eq!(policy.drift.margin(Span::from_ms(3_999)), Span::from_ms(999));
    assert_eq!(policy.retry, Retry { retries: 0, delay: Span::from_ms(1_000), jitter: Span::ZERO });
}

#[test]
fn every_key_of_the_scope() {
    let text = GOOD
        .replace("nodes           = 3", "nodes = 1\nreplicas = 2\npersistence = \"aof-always\"\ntick_ms = 1_000")
        .replace("[lock.redlock]", "[lock.single]\nfence = \"incr\"\nextension = \"recreate\"")
        .replace("work_ticks_max  = 2", "work_ticks_min = 1\nwork_ticks_max = 5\nattempts_open = 1\nwrites = 2")
        .replace(
            "holder          = \"leaves\"",
            "holder = \"before-write\"\nack = \"fire-and-forget\"\nstore = \"fence\"\nextend_every_ticks = 2\n\
             on_timeout = \"reconnect\"\ncalls = 3\nstore_delay_ticks_max = 4",
        );
    let model = good(&text);
    let scope = Scope {
        clients: 2,
        nodes: 1,
        replicas: 2,
        persistence: Persistence::AofAlways,
        ttl: 4,
        margin: 1,
        node_timeout: 2,
        delay: 1,
        store_delay: 4,
        work: 1,
        work_more: 4,
        writes: 2,
        ack: Ack::FireAndForget,
        holder: Holder::BeforeWrite,
        extend_every: Some(2),
        store: StoreMode::Fence,
        on_timeout: OnTimeout::Reconnect,
        calls: Some(3),
    };
    assert_eq!(model.scope, scope);
    assert_eq!((model.policy.fence, model.policy.extension), (Fence::Incr, Extension::Recreate));
}

#[test]
fn policies_as_scenarios_write_them() {
    let keys =
        "like = \"spec\"\nunsound = true\nquorum = 1\nbasis = \"decision+ttl\"\nrelease = \"plain-del\"";
    let policy = good(&changed("like               = \"spec\"", keys)).policy;
    assert_eq!((policy.quorum, policy.basis, policy.release), (1, Basis::Decision, Release::PlainDel));
    let least = changed("like               = \"spec\"", "like = \"spec\"\nmin_validity_ticks = 2");
    assert_eq!(good(&least).policy.min_validity, Scope::ticks(2));
    // A margin that is added makes a promise of whole ticks too: the lease ends a millisecond early with it.
    let added = "like = \"spec\"\nunsound = true\nmargin_sign = \"added\"";
    let policy = good(&changed("like               = \"spec\"", added)).policy;
    assert_eq!(
        (policy.drift_sign, policy.less_margin(Scope::ticks(4) - Span::from_ms(1))),
        (DriftSign::Added, Scope::ticks(5))
    );
    // A watchdog brings its extension along, as in a scenario.
    let watched = changed("like               = \"spec\"", "like = \"spec\"\nrenewal = \"watchdog\"");
    assert_eq!(good(&watched).policy.extension, Extension::Compare);
    let endless = changed("ttl_ticks       = 4\n", "")
        .replace("margin_ticks       = 1", "margin_ticks = 1\nttl = \"none\"\nunsound = true");
    assert_eq!(good(&endless).policy.ttl, Ttl::Never);
    let single = GOOD.replace("nodes           = 3", "nodes = 1\nreplicas = 1").replace("redlock", "single");
    let waits =
        good(&single.replace("margin_ticks       = 1", "margin_ticks = 1\nwait = \"any\"")).policy.wait;
    assert_eq!(waits, Wait { replicas: WaitFor::Any, limit: Scope::ticks(1) });
    let none = "ttl_ticks       = 4\n";
    let none = changed(none, "").replace("[lock.redlock]\nlike               = \"spec\"", "[lock.none]");
    let none = none.replace("node_timeout_ticks = 2\nmargin_ticks       = 1\n", "");
    assert_eq!(good(&none).policy.protocol, Protocol::None);
}

#[test]
fn faults_in_the_order_of_tables() {
    let stop = "client-stop = { budget = 1, ticks_max = 6 }";
    let kinds = "failover = {}\nnode-crash-losing = { ticks_max = 3 }\nmessage-loss = { budget = 2 }\n\
                 client-suspend = { ticks_min = 2, ticks_max = 2 }\nnode-clock-step = { budget = 1, ticks_max = 4 }";
    let model = good(&changed(stop, kinds).replace("nodes           = 3", "nodes = 3\nreplicas = 1"));
    let allowed = |kind, budget, ticks| Allowed { kind, budget, ticks };
    assert_eq!(
        model.menu.allowed,
        [
            allowed(Kind::ClientSuspend, 2, (2, 2)),
            allowed(Kind::NodeClockStep, 1, (1, 4)),
            allowed(Kind::MessageLoss, 2, (0, 0)),
            allowed(Kind::NodeCrashLosing, 2, (0, 3)),
            allowed(Kind::Failover, 2, (0, 0)),
        ]
    );
    let none = good(&changed("[faults]\ntotal       = 2\nclient-stop = { budget = 1, ticks_max = 6 }\n", ""));
    assert_eq!((none.menu.total, none.menu.allowed.len()), (0, 0));
}

#[test]
fn questions_about_progress() {
    let asked = |table: &str| good(&format!("{GOOD}\n[progress]\n{table}\n")).progress;
    assert_eq!(asked("alone_within_ticks = 9"), Some(Progress::Alone { within: Some(9) }));
    assert_eq!(asked("alone = \"trapped\""), Some(Progress::Alone { within: None }));
    for (word, expect) in
        [("trapped", Endless::Trapped), ("way-out", Endless::WayOut), ("never", Endless::Never)]
    {
        let table = format!("together = {{ retry_ticks = [1, 3], expect = \"{word}\" }}");
        let calm = changed("[faults]\ntotal       = 2\nclient-stop = { budget = 1, ticks_max = 6 }\n", "");
        let found = good(&format!("{calm}\n[progress]\n{table}\n")).progress;
        assert_eq!(found, Some(Progress::Together { retry: (1, 3), expect }));
    }
    let alone = changed("[expect]\npromise-overlap = \"held\"\n", "[progress]\nalone_within_ticks = 9\n");
    assert!(good(&alone).expect.is_empty(), "progress is question enough");
}

#[test]
fn expectations_and_what_is_pinned() {
    let more = changed(
        "promise-overlap = \"held\"",
        "section-overlap = \"violated\"\nstale-write = \"not-exercised\"\npromise-overlap = \"held\"",
    );
    let model = good(&format!("{more}\n[pinned]\nexhausted = true\nstates = 412_331\n"));
    assert_eq!(model.pinned, Some(Pinned { states: 412_331 }));
    assert_eq!(
        model.expect,
        [
            (OracleName::PromiseOverlap, Expected::Held),
            (OracleName::SectionOverlap, Expected::Violated),
            (OracleName::StaleWrite, Expected::NotExercised),
        ]
    );
}
