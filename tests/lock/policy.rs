//! What a policy sends, promises of itself, and refuses to be.

use crate::play::{Play, base, single, with};
use bytes::Bytes;
use fencepost::lock::{
    Asking, Basis, Core, Counting, Drift, Extension, Fence, KeyRole, LockCore, NonceLife, Policy,
    PolicyError, Protocol, Release, Renewal, Retry, Soundness, Stored, Taking, Ttl,
};
use fencepost::name::Nonce;
use fencepost::time::Span;
use std::sync::Arc;

const NONCE: &str = "nonce-0000000000000001";
const ACQUIRE_FENCED: &str = include_str!("../../src/lock/scripts/acquire_fenced.lua");
const COMPARE_AND_DELETE: &str = include_str!("../../src/lock/scripts/compare_and_delete.lua");
const COMPARE_AND_PEXPIRE: &str = include_str!("../../src/lock/scripts/compare_and_pexpire.lua");
const RECREATE: &str = include_str!("../../src/lock/scripts/recreate.lua");

/// The words of the newest command after these lines, and its limit.
fn sent(policy: &Policy, lines: &[&str]) -> (Vec<String>, Span) {
    let mut play = Play::new(policy);
    for line in lines {
        play.line(line);
    }
    let open = play.open.last().expect("a command");
    let words = open.command.words().iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    (words, open.limit)
}

#[test]
fn commands_word_by_word() {
    let extension = |extension| Policy { extension, ..single() };
    let fenced = Policy { fence: Fence::Incr, ..single() };
    let two_steps = Policy { taking: Taking::SetnxExpire, ..single() };
    let release = ["0 acquire", "1 ok 1", "2 release"];
    let extend = ["0 acquire", "1 ok 1", "2 extend 1500"];
    for (policy, lines, expected) in [
        (single(), &["0 acquire"][..], vec!["SET", "stock", NONCE, "NX", "PX", "1000"]),
        (single(), &["0 acquire never"], vec!["SET", "stock", NONCE, "NX"]),
        (
            fenced.clone(),
            &["0 acquire"],
            vec!["EVAL", ACQUIRE_FENCED, "2", "stock", "stock:fence", NONCE, "1000"],
        ),
        (fenced, &["0 acquire never"], vec!["EVAL", ACQUIRE_FENCED, "2", "stock", "stock:fence", NONCE]),
        (single(), &release, vec!["EVAL", COMPARE_AND_DELETE, "1", "stock", NONCE]),
        (single(), &["0 acquire", "1 null 1"], vec!["EVAL", COMPARE_AND_DELETE, "1", "stock", NONCE]),
        (Policy { release: Release::PlainDel, ..single() }, &release, vec!["DEL", "stock"]),
        (
            extension(Extension::Compare),
            &extend,
            vec!["EVAL", COMPARE_AND_PEXPIRE, "1", "stock", NONCE, "1500"],
        ),
        (extension(Extension::Blind), &extend, vec!["PEXPIRE", "stock", "1500"]),
        (two_steps.clone(), &["0 acquire 3999"], vec!["SETNX", "stock", NONCE]),
        (two_steps, &["0 acquire 3999", "1 1 1"], vec!["PEXPIRE", "stock", "3999"]),
        (extension(Extension::Recreate), &extend, vec!["EVAL", RECREATE, "1", "stock", NONCE, "1500"]),
    ] {
        assert_eq!(
            sent(&policy, lines),
            (expected.into_iter().map(str::to_owned).collect(), Span::from_ms(50))
        );
    }
    let quick = Policy { node_timeout: Span::from_ms(5), ttl: Ttl::Of(Span(9_999)), ..single() };
    let (words, limit) = sent(&quick, &["0 acquire"]);
    assert_eq!((words.last().map(String::as_str), limit), (Some("9"), Span::from_ms(5)));
}

#[test]
fn every_script_says_where_its_rule_comes_from() {
    let scripts = std::fs::read_dir("src/lock/scripts").expect("the folder of scripts");
    let paths = scripts.map(|file| file.expect("a file").path());
    let texts = paths
        .filter(|path| path.extension().is_some_and(|end| end == "lua"))
        .map(|path| std::fs::read_to_string(path).expect("a text"));
    let texts: Vec<String> = texts.collect();
    assert!(texts.len() >= 7, "{} scripts", texts.len());
    for text in texts {
        assert!(text.starts_with("-- "), "{text}");
        assert!(text.contains("\n-- Rule: "), "{text}");
    }
}

#[test]
fn a_core_describes_itself() {
    let describe = |policy: Policy| Core::new(Arc::new(policy), Bytes::from_static(b"stock")).describe();
    let spec = describe(Policy::spec(Protocol::Redlock, 5, Ttl::Of(Span::from_ms(10_000))));
    assert_eq!((spec.protocol, spec.voters, spec.quorum), ("redlock", 5, 3));
    assert_eq!((spec.ordered_voters, spec.fenced, spec.renewal), (false, false, None));
    // Four attempts of asking and cleaning at 50 ms each, three waits of at most 400 ms.
    assert_eq!(spec.call_max, Span::from_ms(4 * 2 * 50 + 3 * 400));

    let retry = Retry { retries: 1, delay: Span::from_ms(10), jitter: Span::ZERO };
    let serial = describe(with(|p| (p.asking, p.driver_retries, p.retry) = (Asking::Serial, 1, retry)));
    assert!(serial.ordered_voters);
    assert_eq!(serial.call_max, Span::from_ms(2 * 2 * (50 * 3 * 2) + 10));

    // SETNX and PEXPIRE are two rounds, and without a life to give only one.
    let two_steps = with(|p| (p.taking, p.retry) = (Taking::SetnxExpire, retry));
    assert_eq!(describe(two_steps.clone()).call_max, Span::from_ms(2 * 3 * 50 + 10));
    let endless = Policy { ttl: Ttl::Never, ..two_steps };
    assert_eq!(describe(endless).call_max, Span::from_ms(2 * 2 * 50 + 10));

    let keys = describe(Policy { fence: Fence::Incr, ..single() }).keys;
    let keys: Vec<_> = keys.iter().map(|key| (key.key.as_ref(), key.role)).collect();
    assert_eq!(keys, [(&b"stock"[..], KeyRole::Hold), (b"stock:fence", KeyRole::Fence)]);

    let watched = with(|p| (p.extension, p.renewal) = (Extension::Compare, Renewal::Watchdog));
    assert_eq!(describe(watched).renewal, Some(Span::from_ms(333)));
    assert_eq!(
        describe(with(|p| (p.ttl, p.basis) = (Ttl::Never, Basis::Send))).basis,
        Some(Basis::UntilReleased)
    );

    let none = describe(with(|p| p.protocol = Protocol::None));
    assert_eq!((none.protocol, none.voters, none.quorum, none.keys.len()), ("none", 0, 0, 0));
}

/// The longest call really takes as long as `call_max` says, and not longer.
#[test]
fn call_max_is_reached_by_a_world_that_never_answers() {
    let retry = Retry { retries: 2, delay: Span::from_ms(10), jitter: Span::from_ms(8) };
    for asking in [Asking::Concurrent, Asking::Serial] {
        let policy = with(|p| (p.asking, p.retry) = (asking, retry));
        let mut play = Play::new(&policy);
        play.line("0 acquire");
        let mut ms = 0;
        let refused = loop {
            let line = match play.wakes.first() {
                Some(_) => {
                    ms += 18;
                    format!("{ms} retry")
                }
                None => {
                    ms += 50;
                    let voters =
                        play.open.iter().map(|open| char::from(b'1' + open.voter.0)).collect::<String>();
                    format!("{ms} timeout {voters}")
                }
            };
            let outputs = play.line(&line);
            if outputs.contains("refused") {
                break outputs;
            }
        };
        assert_eq!(refused, "refused Unknown");
        assert_eq!(play.core.describe().call_max, Span::from_ms(ms));
    }
}

#[test]
fn a_key_backs_exactly_its_own_nonce() {
    let core = Core::new(Arc::new(base()), Bytes::from_static(b"stock"));
    assert!(core.backs(Nonce(1), &Stored::Text(Nonce(1).to_bytes())));
    assert!(!core.backs(Nonce(1), &Stored::Text(Nonce(2).to_bytes())));
    assert!(!core.backs(Nonce(1), &Stored::Text(Bytes::from_static(b"1"))));
    let none = Core::new(Arc::new(with(|p| p.protocol = Protocol::None)), Bytes::from_static(b"stock"));
    assert!(!none.backs(Nonce(1), &Stored::Text(Nonce(1).to_bytes())));
}

#[test]
fn policies_that_cannot_be_run() {
    let required = Soundness::Required;
    let waived = Soundness::Waived;
    let ms = Span::from_ms;
    let cases: Vec<(Policy, Soundness, Option<PolicyError>)> = vec![
        (base(), required, None),
        (single(), required, None),
        (with(|p| p.quorum = 4), waived, Some(PolicyError::Quorum { quorum: 4, voters: 3, majority: 2 })),
        (with(|p| p.quorum = 0), waived, Some(PolicyError::Quorum { quorum: 0, voters: 3, majority: 2 })),
        (
            with(|p| p.quorum = 1),
            required,
            Some(PolicyError::NoMajority { quorum: 1, voters: 3, majority: 2 }),
        ),
        (with(|p| p.quorum = 1), waived, None),
        (with(|p| p.protocol = Protocol::Single), waived, Some(PolicyError::Single { voters: 3 })),
        (with(|p| p.node_timeout = ms(0)), waived, Some(PolicyError::NoNodeTimeout)),
        (with(|p| p.node_timeout = ms(1_000)), waived, None),
        (
            with(|p| p.node_timeout = ms(1_000)),
            required,
            Some(PolicyError::NodeTimeout { timeout: ms(1_000), ttl: ms(1_000) }),
        ),
        (with(|p| p.ttl = Ttl::Of(Span(999))), required, Some(PolicyError::ZeroTtl)),
        (with(|p| p.ttl = Ttl::Of(Span(999))), waived, None),
        (with(|p| p.ttl = Ttl::Never), required, Some(PolicyError::NoTtl)),
        (with(|p| p.ttl = Ttl::Never), waived, None),
        (
            with(|p| (p.ttl, p.extension) = (Ttl::Never, Extension::Compare)),
            waived,
            Some(PolicyError::ExtensionWithoutTtl),
        ),
        (
            with(|p| p.drift = Drift { permille: 990, constant: ms(10) }),
            waived,
            Some(PolicyError::Drift { drift: ms(1_000), ttl: ms(1_000) }),
        ),
        (with(|p| p.drift.constant = Span(-1)), waived, Some(PolicyError::Negative)),
        (with(|p| p.retry.delay = Span(-1)), waived, Some(PolicyError::Negative)),
        (with(|p| p.retry.jitter = Span(-1)), waived, Some(PolicyError::Negative)),
        (
            with(|p| p.driver_retries = 101),
            waived,
            Some(PolicyError::DriverRetries { retries: 101, most: 100 }),
        ),
        (with(|p| p.fence = Fence::Incr), waived, Some(PolicyError::Fence { voters: 3 })),
        (with(|p| p.counting = Counting::Replies), required, Some(PolicyError::CountingReplies)),
        (with(|p| p.counting = Counting::Replies), waived, None),
        (with(|p| p.taking = Taking::SetnxExpire), required, Some(PolicyError::SetnxExpire)),
        (with(|p| p.taking = Taking::SetnxExpire), waived, None),
        (with(|p| p.extension = Extension::Blind), required, Some(PolicyError::BlindExtension)),
        (with(|p| p.extension = Extension::Blind), waived, None),
        (with(|p| p.nonce = NonceLife::Constant), required, Some(PolicyError::ConstantNonce)),
        (with(|p| p.nonce = NonceLife::Constant), waived, None),
        (
            Policy { fence: Fence::Incr, taking: Taking::SetnxExpire, ..single() },
            waived,
            Some(PolicyError::FenceAlone { key: "taking", value: "set-nx-px" }),
        ),
        (
            Policy { fence: Fence::Incr, counting: Counting::Replies, ..single() },
            waived,
            Some(PolicyError::FenceAlone { key: "counting", value: "grants" }),
        ),
        (with(|p| p.renewal = Renewal::Watchdog), waived, Some(PolicyError::Renewal)),
        (with(|p| (p.protocol, p.quorum) = (Protocol::None, 9)), required, None),
    ];
    for (policy, soundness, expected) in cases {
        assert_eq!(policy.validate(soundness).err(), expected, "{policy:?}");
    }
}

#[test]
fn a_margin_is_rounded_up_and_never_overflows() {
    let margin = |permille, ttl| Drift { permille, constant: Span(5) }.margin(Span(ttl)).0;
    assert_eq!(margin(10, 1_000_000), 10_005);
    assert_eq!(margin(10, 1), 6);
    assert_eq!(margin(u32::MAX, i64::MAX), i64::MAX);
}
