//! The folded monitors against the naive references, on generated histories.
//!
//! Both must name the same first violation, and each reference must find violations, holds and idleness in a good
//! share of the histories: an oracle that the generator never provokes would be tested by nothing.

use crate::play::histories;
use crate::references::{Reference, reference};
use crate::story::EVERYTHING;
use fencepost::check::{OracleName, Outcome, Panel, Readers, Scope};
use fencepost::history::Record;
use fencepost::name::ClientId;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Cases are the same in every run of the tests: shares are asserted below.
pub(crate) fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn monitors_agree_with_the_references() {
    agree(&[]);
}

#[test]
fn monitors_agree_with_the_references_about_readers() {
    agree(&[ClientId(1), ClientId(2)]);
}

fn agree(readers: &[ClientId]) {
    /// Violated, held, not exercised.
    type Tally = BTreeMap<OracleName, [u32; 3]>;
    let scope = Scope { readers: Readers::of(readers.iter().copied()), ..EVERYTHING };
    let tally: RefCell<Tally> = RefCell::new(BTreeMap::new());
    let agree = |records: Vec<Record>| {
        let mut panel = Panel::new(&scope);
        records.iter().for_each(|record| panel.on_record(record, &mut Vec::new()));
        for (oracle, found) in panel.outcomes() {
            let Reference { violated_at, exercised } = reference(oracle, &records, readers);
            let place = match found {
                Outcome::Violated(violation) => {
                    let wanted = violated_at.map(|place| records[place].at);
                    prop_assert_eq!(Some(violation.at), wanted, "{}", oracle);
                    let Some((first, second)) = violation.evidence(&records) else {
                        return Err(TestCaseError::fail(format!("{oracle}: no evidence for {violation:?}")));
                    };
                    prop_assert!(first.at < second.at);
                    0
                }
                Outcome::Held => {
                    prop_assert_eq!((violated_at, exercised), (None, true), "{}", oracle);
                    1
                }
                Outcome::NotExercised => {
                    prop_assert_eq!((violated_at, exercised), (None, false), "{}", oracle);
                    2
                }
                Outcome::NotApplicable => return Err(TestCaseError::fail("everything applies")),
            };
            tally.borrow_mut().entry(oracle).or_default()[place] += 1;
        }
        Ok(())
    };
    let cases = 1_024;
    runner(cases).run(&histories(), agree).expect("a monitor and its reference disagree");
    let tally = tally.into_inner();
    assert_eq!(tally.len(), OracleName::TEXTS.len(), "one reference per monitor");
    for (oracle, [violated, held, not_exercised]) in tally {
        let shares = format!("{oracle}: {violated} violated, {held} held, {not_exercised} not exercised");
        assert!(violated >= cases / 20, "{shares}");
        assert!(held >= cases / 20, "{shares}");
        assert!(not_exercised >= cases / 50, "{shares}");
    }
}
