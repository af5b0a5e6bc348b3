//! Tables of locks whose callers wait.

use super::{Kind, bad, changed, good, refuse};
use fencepost::lock::multi::{Holding, Leasing, MultiPolicy, Needed, Order, Share, Spread, Sub};
use fencepost::lock::waiter::{
    AfterError, Bound, Fair, Latch, OnDoubt, Patience, Present, Quitting, ReadWrite, ReaderLife, Shape, Side,
    Signal, Unit, WaiterPolicy, WriterLife,
};
use fencepost::lock::{Basis, Drift, NonceLife, OnLoss, Recipe, Renewal, Ttl, Validity};
use fencepost::time::{ClockKind, Span};

const REDLOCK: &str = "[lock.redlock]\nlike   = \"spec\"\nttl_ms = 10_000";
const TTL: Ttl = Ttl::Of(Span::from_ms(9_000));

fn lock(protocol: &str, keys: &str) -> String {
    changed(REDLOCK, &format!("[lock.{protocol}]\n{keys}"))
}

#[track_caller]
fn recipe(protocol: &str, keys: &str) -> Recipe {
    good(&lock(protocol, keys)).setup.clients[1].lock.clone()
}

#[test]
fn starting_values_by_name() {
    let fair = |policy: fn(Shape, Ttl) -> WaiterPolicy, words| Recipe::from(policy(Shape::Fair(words), TTL));
    let (spec, redisson) = (WaiterPolicy::spec, WaiterPolicy::redisson);
    let read_write = |words| Shape::ReadWrite(words);
    let cases = [
        ("fair", "like = \"spec\"", fair(spec, Fair::SPEC)),
        ("fair", "like = \"redisson\"", fair(redisson, Fair::REDISSON)),
        (
            "read-write",
            "like = \"spec\"\nside = \"read\"",
            spec(read_write(ReadWrite::spec(Side::Read)), TTL).into(),
        ),
        (
            "read-write",
            "like = \"redisson\"\nside = \"write\"",
            redisson(read_write(ReadWrite::redisson(Side::Write)), TTL).into(),
        ),
        ("signal", "like = \"spec\"", spec(Shape::Signal(Signal::SPEC), TTL).into()),
        (
            "signal",
            "like = \"python-redis-lock\"",
            WaiterPolicy::python(Shape::Signal(Signal::PYTHON), TTL).into(),
        ),
        ("multi", "like = \"spec\"", MultiPolicy::spec(5, TTL).into()),
        ("multi", "like = \"redisson-multilock\"", MultiPolicy::multilock(5, TTL).into()),
        ("multi", "like = \"redisson-redlock\"", MultiPolicy::redlock(5, TTL).into()),
    ];
    for (protocol, like, expected) in cases {
        assert_eq!(recipe(protocol, &format!("{like}\nttl_ms = 9_000")), expected, "{protocol} {like}");
    }
}

const SHARED: &str = r#"node_timeout_ms = 40
wait_limit_ms = 3_000
nonce = "handle"
basis = "until-lost"
margin_ms = 7
validity = "no-check"
clock = "wall"
renewal = "watchdog"
on_loss = "silent"
"#;

const OF_ONE_NODE: &str = r#"after_error = "end"
on_doubt = "leave"
release_retries = 2
"#;

fn shared(shape: Shape) -> Recipe {
    let policy = WaiterPolicy {
        shape,
        ttl: TTL,
        node_timeout: Span::from_ms(40),
        wait: Patience::For(Span::from_ms(3_000)),
        nonce: NonceLife::Handle,
        basis: Basis::UntilLost,
        drift: Drift { permille: 0, constant: Span::from_ms(7) },
        validity: Validity::NoCheck,
        clock: ClockKind::Wall,
        renewal: Renewal::Watchdog,
        after_error: AfterError::End,
        on_loss: OnLoss::Silent,
        on_doubt: OnDoubt::Leave,
        release_retries: 2,
    };
    policy.into()
}

#[test]
fn every_key_is_read() {
    let of_one_node = |protocol: &str, own: &str| {
        recipe(protocol, &format!("like = \"spec\"\nttl_ms = 9_000\n{SHARED}{OF_ONE_NODE}{own}"))
    };
    let own = "place_ms = 11\npresent = \"client\"\nbound = \"score\"\nquitting = \"stay\"\nlatch = \"off\"";
    let words = Fair {
        place: Span::from_ms(11),
        present: Present::Client,
        bound: Bound::Score,
        quitting: Quitting::Stay,
        latch: Latch::Off,
    };
    assert_eq!(of_one_node("fair", own), shared(Shape::Fair(words)));
    let own = "side = \"write\"\nreader_life = \"own\"\nwriter_life = \"add\"\nlatch = \"off\"";
    let words = ReadWrite {
        side: Side::Write,
        reader_life: ReaderLife::Own,
        writer_life: WriterLife::Add,
        latch: Latch::Off,
    };
    assert_eq!(of_one_node("read-write", own), shared(Shape::ReadWrite(words)));
    let words = Signal { unit: Unit::S, signal: Span::from_ms(12) };
    assert_eq!(of_one_node("signal", "unit = \"s\"\nsignal_ms = 12"), shared(Shape::Signal(words)));
    let own = r#"needed = "majority"
sub = "text"
share = "equal"
order = "descending"
holding = "and-wait"
leasing = "provisional"
round_least_ms = 1
round_most_ms = 2
pause_least_ms = 3
pause_most_ms = 4
poll_ms = 5"#;
    let expected = MultiPolicy {
        voters: 5,
        needed: Needed::Majority,
        sub: Sub::Text,
        ttl: TTL,
        node_timeout: Span::from_ms(40),
        wait: Patience::For(Span::from_ms(3_000)),
        round: Spread { least: Span::from_ms(1), most: Span::from_ms(2) },
        share: Share::Equal,
        order: Order::Descending,
        holding: Holding::AndWait,
        pause: Spread { least: Span::from_ms(3), most: Span::from_ms(4) },
        poll: Span::from_ms(5),
        leasing: Leasing::Provisional,
        nonce: NonceLife::Handle,
        basis: Basis::UntilLost,
        drift: Drift { permille: 0, constant: Span::from_ms(7) },
        validity: Validity::NoCheck,
        clock: ClockKind::Wall,
        renewal: Renewal::Watchdog,
        on_loss: OnLoss::Silent,
    };
    let keys = format!("like = \"spec\"\nttl_ms = 9_000\n{SHARED}{own}");
    assert_eq!(recipe("multi", &keys), expected.into());
}

#[test]
fn tables_that_cannot_be_run() {
    let fair = |keys: &str| lock("fair", &format!("like = \"spec\"\n{keys}"));
    let multi = |keys: &str| lock("multi", &format!("like = \"redisson-multilock\"\n{keys}"));
    refuse(vec![
        bad(
            lock("fair", "ttl_ms = 9"),
            Kind::MissingKey,
            (14, 1),
            "missing key `like`",
            Some("like = \"spec\""),
        ),
        bad(fair(""), Kind::MissingKey, (14, 1), "missing key `ttl_ms`", Some("ttl_ms = 10_000")),
        bad(
            lock("read-write", "like = \"spec\"\nttl_ms = 9_000"),
            Kind::MissingKey,
            (14, 1),
            "missing key `side`",
            Some("side = \"read\""),
        ),
        bad(fair("ttl = \"none\""), Kind::Policy, (16, 7), "unsound = true", Some("ttl_ms = 10_000")),
        bad(
            fair("ttl_ms = 9_000\nnonce = \"attempt\""),
            Kind::Policy,
            (17, 9),
            "waits under one nonce",
            Some("nonce = \"call\""),
        ),
        bad(
            fair("ttl_ms = 9_000\nwait_limit_ms = 3\nwait_limit = \"ever\""),
            Kind::Contradiction,
            (18, 14),
            "both set",
            None,
        ),
        bad(
            lock("signal", "like = \"spec\"\nttl = \"none\"\nunsound = true\nrenewal = \"watchdog\""),
            Kind::Policy,
            (18, 11),
            "nothing to renew",
            Some("renewal = \"none\""),
        ),
        bad(
            multi("ttl_ms = 9_000\nwait_limit = \"once\""),
            Kind::Policy,
            (17, 14),
            "tries once has none",
            Some("leasing = \"final\""),
        ),
        bad(
            multi("ttl_ms = 9_000\npause_least_ms = 5\npause_most_ms = 4"),
            Kind::Policy,
            (18, 17),
            "must not be shorter than its least",
            None,
        ),
    ]);
}
