//! Tables of locks that count holds, and clients with a whole lock of their own.

use super::{Kind, bad, changed, good, refuse};
use fencepost::lock::{
    AfterError, HashPolicy, HashProtocol, InnerLease, InnerRelease, Latch, Lease, LeaseRenewal, LifeUnit,
    NamedLease, OnLoss, Poll, ReentryLife, RenewedLife, Resend, Spin, Ttl, Wait, WaitFor, Waiting,
};
use fencepost::time::{ClockKind, Span};

const REDLOCK: &str = "[lock.redlock]\nlike   = \"spec\"\nttl_ms = 10_000";

fn lock(protocol: &str, keys: &str) -> String {
    changed(REDLOCK, &format!("[lock.{protocol}]\n{keys}"))
}

#[track_caller]
fn policy(text: &str, client: usize) -> HashPolicy {
    good(text).setup.clients[client].lock.hash_policy().expect("a lock that counts holds").clone()
}

#[test]
fn starting_values_by_name() {
    let ttl = Ttl::Of(Span::from_ms(9_000));
    let cases = [
        ("reentrant", "scripted", HashPolicy::scripted(HashProtocol::Reentrant, ttl)),
        ("redisson", "redisson-3.23.3", HashPolicy::redisson_3_23_3(HashProtocol::Redisson, ttl)),
        ("redisson", "redisson", HashPolicy::redisson(HashProtocol::Redisson, ttl)),
        ("spin", "redisson", HashPolicy::redisson(HashProtocol::Spin, ttl)),
    ];
    for (protocol, like, expected) in cases {
        let text = lock(protocol, &format!("like = \"{like}\"\nttl_ms = 9_000"));
        assert_eq!(policy(&text, 1), expected, "{protocol} {like}");
    }
}

#[test]
fn every_key_is_read() {
    let keys = r#"like = "redisson"
unsound = true
ttl_ms = 9_500
ttl_unit = "s-decimal"
node_timeout_ms = 40
lease = "named"
inner_lease = "none"
named_lease = "once"
reentry_life = "longer"
inner_release = "keeps-life"
waiting = "spin"
wait_limit_ms = 5_000
wait_clock = "mono"
poll_ms = 7
poll_jitter_ms = 3
spin_first_ms = 2
spin_most_ms = 64
renewal = "watchdog"
renewed_life = "remembered"
after_error = "stops"
on_loss = "tell"
latch = "off"
acquire_resends = 1
release_resends = 2
resend_ms = 11
fence = "incr"
wait = "all"
wait_ms = 12"#;
    let ms = Span::from_ms;
    let expected = HashPolicy {
        protocol: HashProtocol::Redisson,
        ttl: Ttl::Of(ms(9_500)),
        unit: LifeUnit::SDecimal,
        node_timeout: ms(40),
        lease: Lease::Named,
        inner_lease: InnerLease::None,
        named_lease: NamedLease::Once,
        reentry_life: ReentryLife::Longer,
        inner_release: InnerRelease::KeepsLife,
        waiting: Waiting::Spin,
        wait_limit: Some(ms(5_000)),
        wait_clock: ClockKind::Mono,
        poll: Poll { delay: ms(7), jitter: ms(3) },
        spin: Spin { first: ms(2), most: ms(64) },
        renewal: LeaseRenewal::Watchdog,
        renewed_life: RenewedLife::Remembered,
        after_error: AfterError::Stops,
        on_loss: OnLoss::Tell,
        latch: Latch::Off,
        resend: Resend { acquires: 1, releases: 2, delay: ms(11) },
        fence: fencepost::lock::Fence::Incr,
        wait: Wait { replicas: WaitFor::All, limit: ms(12) },
    };
    assert_eq!(policy(&lock("redisson", keys), 0), expected);
}

#[test]
fn a_client_may_have_a_lock_of_its_own() {
    let own = "[[client]]\nid = \"client-2\"\nown_lock.reentrant = { like = \"scripted\", ttl_ms = 4_000 }\n[network]";
    let scenario = good(&changed("[network]", own));
    let names: Vec<&str> = scenario.setup.clients.iter().map(|client| client.lock.name()).collect();
    assert_eq!(names, ["redlock", "reentrant"]);
}

#[test]
fn tables_that_cannot_be_run() {
    let counted = |keys: &str| lock("reentrant", &format!("like = \"scripted\"\n{keys}"));
    let own = |text: &str| changed("[network]", &format!("[[client]]\n{text}\n[network]"));
    refuse(vec![
        bad(
            lock("redisson", "ttl_ms = 9_000"),
            Kind::MissingKey,
            (14, 1),
            "missing key `like`",
            Some("like = \"redisson\""),
        ),
        bad(counted(""), Kind::MissingKey, (14, 1), "missing key `ttl_ms`", Some("ttl_ms = 10_000")),
        bad(counted("ttl_ms = 900"), Kind::Policy, (16, 10), "is 0 in the unit", Some("ttl_ms = 10_000")),
        bad(counted("ttl_ms = 3_000"), Kind::Policy, (16, 10), "not shorter than the TTL", None),
        bad(
            counted("ttl = \"none\""),
            Kind::Policy,
            (16, 7),
            "never freed after a crash",
            Some("ttl_ms = 10_000"),
        ),
        bad(
            counted("ttl_ms = 9_500\nttl_unit = \"s-decimal\""),
            Kind::Policy,
            (17, 12),
            "no whole number of seconds",
            Some("ttl_unit = \"ms\""),
        ),
        bad(
            counted("ttl_ms = 9_000\nrelease_resends = 1"),
            Kind::Policy,
            (17, 19),
            "counts it twice",
            Some("latch = \"on\""),
        ),
        bad(
            counted("ttl_ms = 9_000\nacquire_resends = 1"),
            Kind::Policy,
            (17, 19),
            "two holds for one call",
            Some("acquire_resends = 0"),
        ),
        bad(
            counted("ttl_ms = 9_000\nwait_ms = 1"),
            Kind::Contradiction,
            (17, 11),
            "`wait` is \"none\"",
            Some("wait = \"any\""),
        ),
        bad(
            counted("ttl_ms = 9_000\nwaiting = \"poll\"\npoll_ms = 0"),
            Kind::Policy,
            (18, 11),
            "at least 1 ms between two tries",
            None,
        ),
        bad(
            own("lock = { ttl_ms = 5 }\nown_lock.spin = { like = \"redisson\", ttl_ms = 9_000 }"),
            Kind::Contradiction,
            (28, 8),
            "whole lock",
            None,
        ),
        bad(
            counted("ttl_ms = 9_000").replace("[network]", "[[client]]\nlock = { ttl_ms = 5 }\n[network]"),
            Kind::Contradiction,
            (28, 8),
            "no keys to override here",
            None,
        ),
        bad(
            counted("ttl_ms = 9_000").replace("work_ms = 8_000", "work_ms = 8_000\nextend_at_ms = [5]"),
            Kind::Contradiction,
            (25, 16),
            "has no call that prolongs a hold",
            None,
        ),
    ]);
}
