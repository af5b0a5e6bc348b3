//! Sweeps: who is worse than the shipped lock, and who is not.

use crate::{assert_parts, careless, core, good, lonely, refusal};
use fencepost::check::OracleName;
use fencepost::lock::{Core, Extension, Fence, Policy, Renewal, Terms};
use fencepost::scenario::shipped;
use fencepost::test::{Lapse, sweep};
use fencepost::time::Span;

/// Nobody is worse than himself, over all deployments, with and without what a lock may have besides.
#[test]
fn the_shipped_lock_is_no_worse_than_itself() {
    let watched = |terms: &Terms| {
        core(terms, Policy { extension: Extension::Compare, renewal: Renewal::Watchdog, ..terms.spec() })
    };
    let fenced = |terms: &Terms| {
        let fence = if terms.voters == 1 { Fence::Incr } else { Fence::None };
        core(terms, Policy { fence, ..terms.spec() })
    };
    let makers: [&(dyn Fn(&Terms) -> Core + Sync); 3] = [&good, &watched, &fenced];
    for make in makers {
        let swept = sweep(make).run();
        assert!(swept.worse.is_empty() && swept.vain.is_empty(), "{swept}");
        assert!(swept.counts.values().all(|counts| counts.only_own + counts.only_shipped == 0), "{swept}");
        assert!(swept.unfit.is_empty(), "a lock that asks whoever is there fits everywhere:\n{swept}");
        assert_eq!(swept.ran.len(), shipped().count());
    }
    sweep(lonely).must_hold(&[OracleName::ForeignChange]).assert_no_worse();
}

#[test]
fn a_worse_lock_is_told_with_its_run() {
    let text = refusal(|| sweep(careless).assert_no_worse());
    let lines: Vec<&str> = text.lines().collect();
    // The worst is told first: that nobody ever gets it.
    assert!(lines[0].contains("this lock is never granted, and the shipped one is"), "{text}");
    assert!(lines[0].contains("client-1 does not hold, and a key of its call 1 still blocked"), "{text}");
    assert_eq!(lines[1], "FENCEPOST_SEED=1 cargo test swept::a_worse_lock_is_told_with_its_run -- --exact");
    assert_parts(
        &text,
        &[
            "lost on purpose",
            "worse than the shipped lock",
            "plain-del-overrun: violates foreign-change (seed 1)",
        ],
    );
}

/// What is accepted does not fail; what is accepted in vain does, and so does what must hold and is never exercised.
#[test]
fn what_is_known_is_accepted_by_name() {
    let swept = sweep(careless).run();
    let known = swept.worse.iter().map(|worse| (worse.scenario.clone(), worse.lapse));
    let accepting = known.fold(sweep(careless), |sweep, (name, lapse)| match lapse {
        Lapse::Violates(oracle) => sweep.accept(&name, oracle),
        Lapse::NoGrant => sweep.accept_no_grant(&name),
    });
    assert!(!swept.worse.is_empty());
    accepting.assert_no_worse();
    let text = refusal(|| sweep(lonely).accept("calm-single", OracleName::ForeignChange).assert_no_worse());
    assert_parts(
        &text,
        &["calm-single: this lock is no worse here, so accepting that it violates foreign-change is in vain"],
    );
    let text = refusal(|| sweep(lonely).must_hold(&[OracleName::FenceOrder]).assert_no_worse());
    assert_parts(&text, &["fence-order must hold and is exercised in no scenario"]);
    let text = refusal(|| sweep(lonely).must_hold(&[OracleName::SectionOverlap]).assert_no_worse());
    assert_parts(
        &text,
        &["section-overlap was expected to be held and ended violated", "must hold and do not"],
    );
}

/// A lock that nobody ever gets violates nothing, and is worse all the same.
#[test]
fn a_lock_that_is_never_granted_is_worse() {
    let never = |terms: &Terms| {
        let terms = Terms { voters: 1, margin: terms.ttl - Span(1), ..terms.clone() };
        core(&terms, terms.spec())
    };
    let text = refusal(|| sweep(never).assert_no_worse());
    assert_parts(&text, &["this lock is never granted, and the shipped one is", "is never granted (seed"]);
}

#[test]
fn what_asks_other_nodes_is_left_out() {
    let swept = sweep(lonely).run();
    assert!(swept.worse.is_empty(), "{swept}");
    assert!(
        swept.unfit.contains(&"calm-redlock".to_owned()) && swept.ran.contains(&"calm-single".to_owned())
    );
    assert_eq!(swept.ran.len() + swept.unfit.len(), shipped().count());
}
