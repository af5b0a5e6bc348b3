//! Verdicts, expectations and exit codes, as a table.

use crate::story::*;
use fencepost::check::{
    CountRange, Doubt, Ending, Expectation, Expected, Mark, Mismatch, Observed, OracleName, Outcome, Verdict,
    Violation, WitnessName, Witnesses, judge,
};
use fencepost::name::GrantId;
use fencepost::name::{ClientId, Direction, MessageName, Route, VoterId};
use fencepost::time::WorldTime;
use std::collections::BTreeMap;

const PROMISES: OracleName = OracleName::PromiseOverlap;
const SECTIONS: OracleName = OracleName::SectionOverlap;
const FENCES: OracleName = OracleName::FenceOrder;

fn violated(oracle: OracleName) -> Outcome {
    let (first, second) = (Mark::Granted(GrantId(1)), Mark::Granted(GrantId(2)));
    Outcome::Violated(Violation { oracle, at: WorldTime(1), first, second })
}

/// A name, a run, what its file expects, the exit code.
type Row<'a> = (&'a str, &'a Run, &'a [(OracleName, Expected)], u8);

/// What two oracles, the planned faults and the limit came to.
struct Run {
    promises: Outcome,
    sections: Outcome,
    unmet: &'static [u32],
    unsent: &'static [MessageName],
    ending: Ending,
}

const SENT: MessageName = MessageName {
    client: ClientId(0),
    incarnation: 1,
    route: Route::Connect { voter: VoterId(0), number: 1 },
    direction: Direction::Request,
};

const CALM: Run = Run {
    promises: Outcome::Held,
    sections: Outcome::Held,
    unmet: &[],
    unsent: &[],
    ending: Ending::Settled,
};

fn judged(run: &Run, expect: Option<&Expectation>) -> (Verdict, Option<bool>, u8) {
    let mut witnesses = Witnesses::new();
    let records = history([granted(call(0, 1), 1), granted(call(1, 1), 2)]);
    records.iter().for_each(|record| witnesses.on_record(record));
    let outcomes = [(PROMISES, run.promises), (SECTIONS, run.sections), (FENCES, Outcome::NotApplicable)];
    let (unmet_faults, ending) = (run.unmet, run.ending);
    let observed = Observed {
        outcomes: &outcomes,
        witnesses: &witnesses,
        unmet_faults,
        unmet_messages: run.unsent,
        unmet_orders: &[],
        ending,
    };
    let judgement = judge(&observed, expect);
    (judgement.verdict.clone(), judgement.as_expected(), judgement.exit_code())
}

fn inconclusive(doubts: &[Doubt]) -> Verdict {
    Verdict::Inconclusive(doubts.to_vec())
}

#[test]
fn without_expectations_the_verdict_decides() {
    let not_exercised = Run { sections: Outcome::NotExercised, ..CALM };
    let nothing =
        Run { promises: Outcome::NotApplicable, sections: Outcome::NotApplicable, unmet: &[], ..CALM };
    let cases = [
        ("all held", CALM, Verdict::Held, 0),
        ("one violated", Run { sections: violated(SECTIONS), ..CALM }, Verdict::Violated, 1),
        ("one not exercised", not_exercised, inconclusive(&[Doubt::NotExercised(SECTIONS)]), 2),
        ("nothing applies", nothing, inconclusive(&[Doubt::NothingExercised]), 2),
        (
            "directed message was not sent",
            Run { unsent: &[SENT], ..CALM },
            inconclusive(&[Doubt::UnmetMessage(SENT)]),
            2,
        ),
        ("fault did not occur", Run { unmet: &[3], ..CALM }, inconclusive(&[Doubt::UnmetFault(3)]), 2),
        ("limit", Run { ending: Ending::Limit, ..CALM }, inconclusive(&[Doubt::Limit]), 2),
        (
            "violated outweighs every doubt",
            Run {
                promises: violated(PROMISES),
                sections: Outcome::NotExercised,
                unmet: &[0],
                unsent: &[],
                ending: Ending::Limit,
            },
            Verdict::Violated,
            1,
        ),
    ];
    for (name, run, verdict, exit) in cases {
        assert_eq!(judged(&run, None), (verdict, None, exit), "{name}");
    }
}

#[test]
fn with_expectations_the_worst_mismatch_decides() {
    use Expected::{Held, NotExercised as Idle, Violated};
    let broken = Run { sections: violated(SECTIONS), ..CALM };
    let idle = Run { sections: Outcome::NotExercised, ..CALM };
    let cases: [Row<'_>; 13] = [
        ("held as expected", &CALM, &[(PROMISES, Held), (SECTIONS, Held)], 0),
        ("violated as expected", &broken, &[(PROMISES, Held), (SECTIONS, Violated)], 0),
        ("the one not named is not judged", &broken, &[(PROMISES, Held)], 0),
        ("held, expected violated", &CALM, &[(SECTIONS, Violated)], 1),
        ("violated, expected held", &broken, &[(SECTIONS, Held)], 1),
        ("not exercised as expected", &idle, &[(PROMISES, Held), (SECTIONS, Idle)], 0),
        ("held, expected not exercised", &CALM, &[(PROMISES, Held), (SECTIONS, Idle)], 1),
        ("violated, expected not exercised", &broken, &[(SECTIONS, Idle)], 1),
        ("not exercised, expected held", &idle, &[(PROMISES, Held), (SECTIONS, Held)], 2),
        ("not exercised, expected violated", &idle, &[(SECTIONS, Violated)], 2),
        ("not applicable, expected held", &CALM, &[(PROMISES, Held), (FENCES, Held)], 2),
        ("not applicable is not exercised", &CALM, &[(PROMISES, Held), (FENCES, Idle)], 0),
        ("definite outweighs idle", &idle, &[(PROMISES, Violated), (SECTIONS, Held)], 1),
    ];
    for (name, run, oracles, exit) in cases {
        let expect = Expectation { oracles: oracles.iter().copied().collect(), witnesses: BTreeMap::new() };
        let (_, as_expected, found) = judged(run, Some(&expect));
        assert_eq!((as_expected, found), (Some(exit == 0), exit), "{name}");
    }
}

#[test]
fn expected_idleness_raises_no_doubt_but_holds_nothing_either() {
    let run = Run { promises: Outcome::NotExercised, sections: Outcome::NotExercised, ..CALM };
    let oracles = BTreeMap::from([(PROMISES, Expected::NotExercised)]);
    let expect = Expectation { oracles, witnesses: BTreeMap::new() };
    let verdict = inconclusive(&[Doubt::NothingExercised]);
    assert_eq!(judged(&run, Some(&expect)), (verdict, Some(true), 0));
    let run = Run { sections: Outcome::NotExercised, ..CALM };
    let oracles = BTreeMap::from([(PROMISES, Expected::Held), (SECTIONS, Expected::NotExercised)]);
    let expect = Expectation { oracles, witnesses: BTreeMap::new() };
    assert_eq!(judged(&run, Some(&expect)), (Verdict::Held, Some(true), 0));
}

#[test]
fn unmet_faults_and_limits_are_never_as_expected() {
    let oracles = BTreeMap::from([(PROMISES, Expected::Violated)]);
    let expect = Expectation { oracles, witnesses: BTreeMap::new() };
    let broken = Run { promises: violated(PROMISES), ..CALM };
    assert_eq!(judged(&broken, Some(&expect)), (Verdict::Violated, Some(true), 0));
    let unmet = Run { promises: violated(PROMISES), unmet: &[1], ..CALM };
    assert_eq!(judged(&unmet, Some(&expect)), (Verdict::Violated, Some(false), 2));
    let unsent = Run { promises: violated(PROMISES), unsent: &[SENT], ..CALM };
    assert_eq!(judged(&unsent, Some(&expect)), (Verdict::Violated, Some(false), 2));
    let limit = Run { promises: violated(PROMISES), ending: Ending::Limit, ..CALM };
    assert_eq!(judged(&limit, Some(&expect)), (Verdict::Violated, Some(false), 2));
    let opposite = Run { unmet: &[1], ..CALM };
    assert_eq!(judged(&opposite, Some(&expect)).2, 1);
}

#[test]
fn witnesses_too_seldom_are_inconclusive_and_too_often_are_opposite() {
    let cases = [
        ("exactly", CountRange::exactly(2), 0),
        ("at least", CountRange { min: 1, max: None }, 0),
        ("between", CountRange { min: 1, max: Some(2) }, 0),
        ("too seldom", CountRange { min: 3, max: None }, 2),
        ("none expected", CountRange::exactly(0), 1),
        ("too often", CountRange { min: 0, max: Some(1) }, 1),
    ];
    for (name, range, exit) in cases {
        let oracles = BTreeMap::from([(PROMISES, Expected::Held)]);
        let witnesses = BTreeMap::from([(WitnessName::Grants, range)]);
        let expect = Expectation { oracles, witnesses };
        assert_eq!(judged(&CALM, Some(&expect)), (Verdict::Held, Some(exit == 0), exit), "{name}");
    }
    let mismatch =
        Mismatch::Witness { name: WitnessName::Grants, expected: CountRange::exactly(3), found: 2 };
    assert!(!mismatch.is_definite());
}
