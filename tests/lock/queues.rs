//! Locks whose callers wait, against a real node: fair, read-write and signal list.

use crate::party::{Party, check};
use fencepost::lock::waiter::{
    AfterError, Bound, Fair, Latch, OnDoubt, Patience, Present, Quitting, ReadWrite, ReaderLife, Shape, Side,
    Signal, Unit, WaiterError, WaiterPolicy, WriterLife,
};
use fencepost::lock::{Basis, Core, LockCore, NonceLife, OnLoss, Recipe, Renewal, Soundness, Ttl, Validity};
use fencepost::time::Span;
use std::collections::BTreeSet;

const TTL: Ttl = Ttl::Of(Span::from_ms(10_000));

/// Without a promised end, so that lines are short.
fn made(shape: Shape, change: impl FnOnce(&mut WaiterPolicy)) -> Recipe {
    let mut policy = WaiterPolicy::spec(shape, TTL);
    (policy.basis, policy.validity) = (Basis::UntilReleased, Validity::NoCheck);
    change(&mut policy);
    policy.validate(Soundness::Waived).expect("a policy that can be run");
    policy.into()
}

fn fair(words: Fair, change: impl FnOnce(&mut WaiterPolicy)) -> Recipe {
    made(Shape::Fair(words), change)
}

fn reader(change: impl FnOnce(&mut WaiterPolicy)) -> Recipe {
    made(Shape::ReadWrite(ReadWrite::spec(Side::Read)), change)
}

fn writer(change: impl FnOnce(&mut WaiterPolicy)) -> Recipe {
    made(Shape::ReadWrite(ReadWrite::spec(Side::Write)), change)
}

fn signal(words: Signal, change: impl FnOnce(&mut WaiterPolicy)) -> Recipe {
    made(Shape::Signal(words), change)
}

fn ever(policy: &mut WaiterPolicy) {
    policy.wait = Patience::Ever;
}

#[test]
fn a_fair_lock_is_given_in_the_order_of_the_calls() {
    check(
        "three in a row, and nothing is left",
        &[fair(Fair::SPEC, |_| {}), fair(Fair::SPEC, |_| {}), fair(Fair::SPEC, |_| {})],
        1,
        "0    a acquire => a granted
         10   b acquire
         20   c acquire
         100  a release => a released Confirmed; b granted
         110  a acquire
         200  b release => b released Confirmed; c granted
         300  c release => c released Confirmed; a granted
         400  a release => a released Confirmed
         400  node 1 exists stock stock:queue stock:times => Int(0)",
    );
    check(
        "whoever tries once does not stand in the queue, and does not overtake it",
        &[fair(Fair::SPEC, |_| {}), fair(Fair::SPEC, |_| {}), fair(Fair::SPEC, |p| p.wait = Patience::Once)],
        1,
        "0    a acquire   => a granted
         10   b acquire
         20   c acquire   => c refused Taken
         20   node 1 llen stock:queue => Int(1)
         30   b lose push
         100  a release   => a released Confirmed
         110  c acquire   => c refused Taken",
    );
    check(
        "the promise is that of the specification",
        &[WaiterPolicy::spec(Shape::Fair(Fair::SPEC), TTL).into()],
        1,
        "0 a acquire => a granted until 9898ms",
    );
}

#[test]
fn a_waiter_that_is_not_told_wakes_when_the_hold_is_over() {
    check(
        "lost message: it sleeps for what the hold had left when it came",
        &[fair(Fair::SPEC, |_| {}), fair(Fair::SPEC, ever)],
        1,
        "0     a acquire => a granted
         10    b acquire
         20    b lose push
         100   a release => a released Confirmed
         12000 wait      => b granted @10000",
    );
    check(
        "a broken connection is subscribed anew",
        &[fair(Fair::SPEC, |_| {}), fair(Fair::SPEC, |_| {})],
        1,
        "0     a acquire => a granted
         10    b acquire
         20    b deaf
         100   a release => a released Confirmed; b granted",
    );
    check(
        "the library's bound is used up after one sleep, the pttl of a renewed hold is not",
        &[
            fair(Fair::SPEC, |p| p.renewal = Renewal::Watchdog),
            fair(Fair { bound: Bound::Score, present: Present::Client, ..Fair::SPEC }, ever),
            fair(Fair::SPEC, ever),
        ],
        1,
        "0     a acquire => a granted
         10    b acquire
         12000 a dies    => a extended @3333; a extended @6666; a extended @9999
         60000 wait      => ",
    );
    check(
        "the pttl of a renewed hold is asked for again",
        &[fair(Fair::SPEC, |p| p.renewal = Renewal::Watchdog), fair(Fair::SPEC, ever)],
        1,
        "0     a acquire => a granted
         10    b acquire
         12000 a dies    => a extended @3333; a extended @6666; a extended @9999
         60000 wait      => b granted @20000",
    );
}

#[test]
fn places_in_the_queue_are_given_up() {
    let spec = || fair(Fair::SPEC, ever);
    let short =
        |quitting| fair(Fair { quitting, ..Fair::SPEC }, |p| p.wait = Patience::For(Span::from_ms(2_000)));
    check(
        "whoever gives up takes itself out",
        &[spec(), short(Quitting::Leave), spec()],
        1,
        "0    a acquire => a granted
         10   b acquire
         20   c acquire
         3000 a release => b refused Taken @2010; a released Confirmed; c granted",
    );
    check(
        "a place that stays is served before it is given up",
        &[spec(), short(Quitting::Stay), spec()],
        1,
        "0     a acquire => a granted
         10    b acquire
         20    c acquire
         3000  a release => b refused Taken @2010; a released Confirmed
         20000 wait      => c granted @12000",
    );
    let clock = |present| {
        let words = Fair { present, place: Span::from_ms(300_000), ..Fair::SPEC };
        [fair(words, ever), fair(words, ever), fair(words, ever)]
    };
    let fast = |order: &str| {
        format!(
            "0    a acquire => a granted
             10   b acquire
             20   c clock 400000
             30   c acquire
             100  a release => a released Confirmed; {order} granted"
        )
    };
    check("a fast clock evicts", &clock(Present::Client), 1, &fast("c"));
    check("the server's clock does not", &clock(Present::Server), 1, &fast("b"));
}

#[test]
fn holds_are_counted_and_a_latch_answers_twice() {
    let latch = |latch, retries| fair(Fair { latch, ..Fair::SPEC }, move |p| p.release_retries = retries);
    let nested = |left: i64| {
        format!(
            "0  a acquire    => a granted
             1  a acquire    => a granted
             2  a lose reply
             3  a release    => a released Confirmed
             3  node 1 exists stock => Int({left})"
        )
    };
    check("once", &[latch(Latch::On, 1)], 1, &nested(1));
    check("twice", &[latch(Latch::Off, 1)], 1, &nested(0));
    check(
        "a writer's and a reader's",
        &[writer(|p| p.release_retries = 2)],
        1,
        "0  a acquire    => a granted
         1  a acquire    => a granted
         2  a lose reply
         2  a lose reply
         3  a release    => a released Confirmed
         3  node 1 hget stock nonce-0000000000000001 => Bulk(b\"1\")
         4  a release    => a released Confirmed
         5  a release    => a released NotOwned",
    );
    check(
        "an answer that never comes",
        &[reader(|p| p.release_retries = 1)],
        1,
        "0  a acquire    => a granted
         2  a lose reply
         2  a lose reply
         3  a release    => a released Unknown
         3  node 1 exists stock => Int(0)",
    );
}

#[test]
fn doubt_is_undone_or_left() {
    let lost = |told: &str| {
        format!(
            "0  a lose reply
             0  a acquire    => a refused Unknown
             1  {told}"
        )
    };
    for (name, recipe) in
        [("fair", fair(Fair::SPEC, |_| {})), ("reader", reader(|_| {})), ("writer", writer(|_| {}))]
    {
        check(name, &[recipe], 1, &lost("node 1 exists stock stock:queue => Int(0)"));
    }
    let left = fair(Fair::SPEC, |p| (p.on_doubt, p.nonce) = (OnDoubt::Leave, NonceLife::Handle));
    check(
        "left, and entered a second time",
        &[left],
        1,
        &format!(
            "{}
             2  a acquire => a granted
             3  a release => a released Confirmed
             4  node 1 exists stock => Int(1)",
            lost("node 1 exists stock => Int(1)")
        ),
    );
    // The handle asks before it sets: SET is the second command.
    let mut party = Party::new(&[signal(Signal::PYTHON, |p| p.nonce = NonceLife::Handle)], 1);
    for (line, told) in [
        ("0 a acquire", "a granted"),
        ("1 a release", "a released Confirmed"),
        ("2 node 1 set stock nonce-0000000000000001", "Status(b\"OK\")"),
        ("3 a acquire", "a refused Misuse"),
    ] {
        assert_eq!(party.line(line), told, "{line}");
    }
}

#[test]
fn readers_share_and_writers_do_not() {
    check(
        "two readers, a writer, a reader",
        &[reader(|_| {}), reader(|_| {}), writer(|_| {}), reader(|_| {})],
        1,
        "0   a acquire => a granted
         10  b acquire => b granted
         20  c acquire
         30  a release => a released Confirmed
         40  b release => b released Confirmed; c granted
         50  d acquire
         60  c release => c released Confirmed; d granted
         70  d release => d released Confirmed
         70  node 1 exists stock => Int(0)",
    );
    let life = |reader_life| {
        let shape = Shape::ReadWrite(ReadWrite { reader_life, ..ReadWrite::spec(Side::Read) });
        [made(shape.clone(), |_| {}), made(shape, |p| p.ttl = Ttl::Of(Span::from_ms(2_000)))]
    };
    for (kind, rest) in [(ReaderLife::Longest, 9_000), (ReaderLife::Own, 2_000)] {
        let script = format!(
            "0    a acquire => a granted
             1000 b acquire => b granted
             1000 node 1 pttl stock => Int({rest})
             1500 b release => b released Confirmed
             1500 node 1 pttl stock => Int({})",
            if rest == 9_000 { 8_500 } else { 2_000 }
        );
        check("the life of all", &life(kind), 1, &script);
    }
    check(
        "a reader that is over does not keep the others' hash",
        &[reader(|_| {}), reader(|p| p.ttl = Ttl::Of(Span::from_ms(2_000)))],
        1,
        "0    b acquire => b granted
         1000 a acquire => a granted
         3000 b check   => b checked Held
         3000 a release => a released Confirmed
         3000 node 1 exists stock => Int(0)",
    );
    for (kind, rest) in [(WriterLife::Add, 19_000), (WriterLife::Reset, 10_000)] {
        let shape = Shape::ReadWrite(ReadWrite { writer_life: kind, ..ReadWrite::spec(Side::Write) });
        let script = format!(
            "0    a acquire => a granted
             1000 a acquire => a granted
             1000 node 1 pttl stock => Int({rest})"
        );
        check("a writer enters again", &[made(shape, |_| {})], 1, &script);
    }
}

#[test]
fn a_signal_wakes_one_waiter_once() {
    let python = || signal(Signal::PYTHON, ever);
    check(
        "one after the other",
        &[python(), python(), python()],
        1,
        "0   a acquire => a granted
         10  b acquire
         20  c acquire
         100 a release => a released Confirmed; b granted
         200 b release => b released Confirmed; c granted
         300 c release => c released Confirmed
         300 node 1 llen stock:signal => Int(1)
         1400 node 1 llen stock:signal => Int(0)",
    );
    check(
        "a lost signal: as long as a life, and then it asks",
        &[python(), python()],
        1,
        "0     a acquire => a granted
         10    b acquire
         20    b lose push
         100   a release => a released Confirmed
         9000  wait      => ",
    );
    check(
        "a limit begins anew with every wait, and the last try is after it",
        &[python(), signal(Signal::PYTHON, |p| p.wait = Patience::For(Span::from_ms(3_000)))],
        1,
        "0     a acquire => a granted
         10    b acquire
         5000  wait      => b refused Taken @3011",
    );
    check(
        "less than a second is no second",
        &[signal(Signal { unit: Unit::S, ..Signal::SPEC }, |p| p.ttl = Ttl::Of(Span::from_ms(500)))],
        1,
        "0     a acquire => a refused Error",
    );
    check(
        "no expiry is no expiry",
        &[signal(Signal::PYTHON, |p| p.ttl = Ttl::Never)],
        1,
        "0     a acquire => a granted
         1     node 1 pttl stock => Int(-1)
         1     a extend 1000 => a extend failed Gone; a lost Gone
         2     a release => a released Confirmed",
    );
}

#[test]
fn a_watchdog_renews_until_it_ends() {
    let watched = |after_error, on_loss| {
        signal(Signal::SPEC, move |p| {
            (p.renewal, p.after_error, p.on_loss) = (Renewal::Watchdog, after_error, on_loss);
        })
    };
    check(
        "an error ends it",
        &[watched(AfterError::End, OnLoss::Silent)],
        1,
        "0     a acquire => a granted
         6000  a lose reply
         30000 wait      => ",
    );
    check(
        "an error does not end it, a loss does",
        &[watched(AfterError::Again, OnLoss::Tell)],
        1,
        "0     a acquire => a granted
         6000  a lose reply
         14000 node 1 del stock => a extended @13332; Int(1)
         30000 wait      => a lost Gone @19998
         30001 a release => a released NotOwned",
    );
    check(
        "a fair lock's",
        &[fair(Fair::SPEC, |p| p.renewal = Renewal::Watchdog)],
        1,
        "0     a acquire => a granted
         4000  node 1 pttl stock => a extended @3333; Int(9333)
         4100  a release => a released Confirmed
         9000  wait      => ",
    );
}

/// A cycle of what each shape does, with a lost answer, twice: the states of the second time are those of the first.
#[test]
fn the_states_of_a_core_are_finite() {
    let cycle: &[(u64, &str)] = &[
        (0, "b acquire"),
        (10, "a acquire"),
        (15, "a deaf"),
        (20, "b release"),
        (30, "a check"),
        (40, "a acquire"),
        (50, "a release"),
        (3_400, "wait"),
        (3_500, "a extend 2000"),
        (3_600, "a lose reply"),
        (3_600, "a release"),
        (3_700, "b acquire"),
        (3_800, "a acquire"),
        (3_900, "a cancel"),
        (4_000, "b release"),
    ];
    for (name, one) in [
        ("fair", fair(Fair::SPEC, |p| (p.renewal, p.release_retries) = (Renewal::Watchdog, 1))),
        ("reader", reader(|p| p.renewal = Renewal::Watchdog)),
        ("writer", writer(|p| p.renewal = Renewal::Watchdog)),
        ("signal", signal(Signal::SPEC, |p| p.renewal = Renewal::Watchdog)),
    ] {
        let other = if name == "reader" { writer(|_| {}) } else { one.clone() };
        let mut party = Party::new(&[one, other], 1);
        let new = party.canonical(0);
        let mut cycles: Vec<Vec<Core>> = Vec::new();
        for start in [0, 60_000, 120_000] {
            party.seen.clear();
            for (ms, line) in cycle {
                // Whoever is blocked when its connection breaks is refused, which is another cycle.
                let line = if name == "signal" && *line == "a deaf" { "wait" } else { line };
                party.line(&format!("{} {line}", start + ms));
            }
            cycles.push(party.seen.clone());
            party.line(&format!("{} wait", start + 50_000));
            assert_eq!(party.canonical(0), new, "{name}: after a cycle it is as new");
        }
        assert_eq!(cycles[0], cycles[1], "{name}");
        assert_eq!(cycles[1], cycles[2], "{name}");
        let states: BTreeSet<String> = cycles[0].iter().map(|state| format!("{state:?}")).collect();
        assert!(states.len() >= 7, "{name}: {} states are no cycle", states.len());
    }
}

#[test]
fn what_cannot_be_run_is_refused() {
    let policy = |change: fn(&mut WaiterPolicy)| {
        let mut policy = WaiterPolicy::spec(Shape::Fair(Fair::SPEC), TTL);
        change(&mut policy);
        policy.validate(Soundness::Required)
    };
    assert_eq!(policy(|_| {}), Ok(()));
    assert_eq!(policy(|p| p.ttl = Ttl::Never), Err(WaiterError::NoTtl));
    assert_eq!(policy(|p| p.ttl = Ttl::Of(Span(999))), Err(WaiterError::ZeroTtl));
    assert_eq!(policy(|p| p.nonce = NonceLife::Attempt), Err(WaiterError::Nonce));
    assert_eq!(policy(|p| p.node_timeout = Span::ZERO), Err(WaiterError::NoNodeTimeout));
    assert_eq!(
        policy(|p| p.wait = Patience::For(Span::ZERO)),
        Err(WaiterError::NoSpan { key: "wait_limit_ms" })
    );
    let none = WaiterPolicy {
        ttl: Ttl::Never,
        renewal: Renewal::Watchdog,
        ..WaiterPolicy::python(Shape::Signal(Signal::PYTHON), TTL)
    };
    assert_eq!(none.validate(Soundness::Waived), Err(WaiterError::RenewalWithoutTtl));
}

/// What each says of itself, which oracles rest on.
#[test]
fn traits_tell_who_shares_and_who_queues() {
    let traits = |recipe: Recipe| Core::of(&recipe, "stock".into()).describe();
    let (queued, read, write) =
        (traits(fair(Fair::SPEC, |_| {})), traits(reader(|_| {})), traits(writer(|_| {})));
    assert_eq!((queued.fifo, queued.shared, queued.reentrant), (true, false, true));
    assert_eq!((read.fifo, read.shared, write.shared), (false, true, false));
    let listed = traits(signal(Signal::SPEC, |p| p.renewal = Renewal::Watchdog));
    assert_eq!((listed.reentrant, listed.renewal), (false, Some(Span::from_ms(6_666))));
}
