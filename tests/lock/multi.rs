//! A lock over several sub-locks, against real nodes.

use crate::party::{Party, check};
use fencepost::lock::multi::{Holding, Leasing, MultiError, MultiPolicy, Needed, Order, Spread, Sub};
use fencepost::lock::waiter::Patience;
use fencepost::lock::{Basis, Core, NonceLife, Recipe, Renewal, Ttl, Validity};
use fencepost::time::Span;

const TTL: Ttl = Ttl::Of(Span::from_ms(10_000));

/// Without a promised end, so that lines are short.
fn multi(change: impl FnOnce(&mut MultiPolicy)) -> Recipe {
    let mut policy = MultiPolicy::spec(3, TTL);
    (policy.basis, policy.validity) = (Basis::UntilReleased, Validity::NoCheck);
    change(&mut policy);
    policy.validate().expect("a policy that can be run");
    policy.into()
}

fn waiting(policy: &mut MultiPolicy) {
    policy.holding = Holding::AndWait;
    policy.wait = Patience::For(Span::from_ms(2_000));
}

#[test]
fn all_are_taken_and_all_are_given_back() {
    for (name, sub) in [("hash", Sub::Hash), ("text", Sub::Text)] {
        let recipe = || multi(|p| (p.sub, p.wait) = (sub, Patience::Once));
        check(
            name,
            &[recipe(), recipe()],
            3,
            "0 a acquire => a granted
             1 b acquire => b refused Taken
             2 a check   => a checked Held
             3 a extend 5000 => a extended
             3 node 3 pttl stock => Int(5000)
             4 node 2 del stock => Int(1)
             5 a check   => a checked Gone
             6 a release => a released NotOwned
             7 node 1 exists stock => Int(0)
             8 b acquire => b granted
             9 b release => b released Confirmed",
        );
    }
    check(
        "a majority is enough, and a dark voter costs its share only",
        &[multi(|p| p.needed = Needed::Majority)],
        3,
        "0 dark 2
         0 a acquire => a granted
         1 light
         2 a release => a released Confirmed",
    );
    check(
        "all are not to be had",
        &[multi(|p| {
            (p.wait, p.pause) = (Patience::For(Span::from_ms(500)), Spread::exactly(Span::from_ms(200)))
        })],
        3,
        "0    dark 3
         0    a acquire
         2000 wait => a refused Unknown @600
         2000 node 1 exists stock => Int(0)",
    );
}

#[test]
fn opposite_orders_wait_for_each_other_or_give_way() {
    let orders = |change: fn(&mut MultiPolicy)| {
        let one = |order| {
            multi(move |p| {
                change(p);
                p.order = order;
            })
        };
        [one(Order::Ascending), one(Order::Descending)]
    };
    // Both need the middle one: the first takes two and waits for the third, which the second holds.
    check(
        "hold and wait",
        &orders(waiting),
        3,
        "0    node 2 hset stock else 1 => Int(1)
         0    a acquire
         0    b acquire
         1    node 2 del stock => Int(1)
         1    node 2 publish stock:channel released => Int(2)
         5000 wait => a refused Taken @2000; b refused Taken @2000",
    );
    check(
        "all or nothing",
        &orders(|p| p.wait = Patience::For(Span::from_ms(2_000))),
        3,
        "0    a acquire => a granted
         1    b acquire
         100  a release => a released Confirmed
         2000 wait      => b granted @151",
    );
}

#[test]
fn a_provisional_lease_is_settled_without_asking() {
    let recipe = |change: fn(&mut MultiPolicy)| {
        multi(move |p| {
            waiting(p);
            p.leasing = Leasing::Provisional;
            change(p);
        })
    };
    check(
        "twice the wait, then its own",
        &[recipe(|_| {})],
        3,
        "0 a acquire => a granted
         0 node 1 pttl stock => Int(10000)",
    );
    check(
        "a last step that is lost leaves twice the wait",
        &[recipe(|_| {})],
        3,
        "0 node 3 hset stock else 1 => Int(1)
         0 a acquire
         1 node 1 pttl stock => Int(3999)
         1 node 1 del stock => Int(1)
         1 node 1 hset stock thief 1 => Int(1)
         2 node 3 del stock => Int(1)
         2 node 3 publish stock:channel released => Int(1); a granted
         3 node 1 pttl stock => Int(9999)",
    );
}

#[test]
fn a_watchdog_renews_all() {
    check(
        "until the holder is told",
        &[multi(|p| p.renewal = Renewal::Watchdog)],
        3,
        "0    a acquire => a granted
         4000 node 3 pttl stock => a extended @3333; Int(9333)
         4000 node 3 del stock => Int(1)
         9000 wait => a lost Gone @6666
         9001 a release => a released NotOwned",
    );
}

#[test]
fn the_states_of_a_core_are_finite() {
    let recipe = |sub| multi(move |p| (p.sub, p.renewal) = (sub, Renewal::Watchdog));
    for sub in [Sub::Hash, Sub::Text] {
        let mut party = Party::new(&[recipe(sub), recipe(sub)], 3);
        let new = party.canonical(0);
        let mut cycles: Vec<Vec<Core>> = Vec::new();
        for start in [0, 60_000, 120_000] {
            let lines = [
                (0, "b acquire"),
                (10, "a acquire"),
                (500, "b release"),
                (4_900, "wait"),
                (5_000, "a check"),
                (5_100, "a extend 9000"),
                (6_000, "a release"),
            ];
            party.seen.clear();
            for (ms, line) in lines {
                party.line(&format!("{} {line}", start + ms));
            }
            cycles.push(party.seen.clone());
            assert_eq!(party.canonical(0), new, "after a cycle it is as new");
        }
        assert_eq!(cycles[0], cycles[1]);
        assert_eq!(cycles[1], cycles[2]);
        assert!(cycles[0].len() > 10 && cycles[0].iter().any(|state| *state != new));
    }
}

#[test]
fn what_cannot_be_run_is_refused() {
    let policy = |change: fn(&mut MultiPolicy)| {
        let mut policy = MultiPolicy::multilock(3, TTL);
        change(&mut policy);
        policy.validate()
    };
    assert_eq!(policy(|_| {}), Ok(()));
    assert_eq!(policy(|p| p.voters = 9), Err(MultiError::Voters { voters: 9 }));
    assert_eq!(policy(|p| p.wait = Patience::Once), Err(MultiError::Provisional));
    assert_eq!(policy(|p| p.ttl = Ttl::Never), Err(MultiError::NoTtl));
    assert_eq!(policy(|p| p.nonce = NonceLife::Constant), Err(MultiError::Nonce));
    assert_eq!(policy(|p| p.poll = Span::ZERO), Err(MultiError::NoSpan { key: "poll_ms" }));
    assert_eq!(policy(|p| p.pause.most = Span(-1)), Err(MultiError::Spread { key: "pause_most_ms" }));
}
