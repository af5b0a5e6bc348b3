//! Each oracle on hand-written histories: violated by two named events, held, not exercised, *n/a*; and violated
//! no more once the second event is taken out.

use crate::story::*;
use fencepost::check::{OracleName, Outcome, Panel, Scope};
use fencepost::history::{Cause, Fact, PromiseEnd, Record, WatchEnd, WatchKind};
use fencepost::lock::{ExtendFailure, LossReason, RefuseReason};
use fencepost::name::{GrantId, Operation};

/// How a history shall end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    /// Violated by the records at these places.
    Violated(usize, usize),
    Held,
    NotExercised,
}
use Want::{Held, NotExercised, Violated};

struct Case {
    oracle: OracleName,
    name: &'static str,
    want: Want,
    records: Vec<Record>,
}

fn case(oracle: OracleName, name: &'static str, want: Want, steps: Vec<Step>) -> Case {
    Case { oracle, name, want, records: history(steps) }
}

fn outcome(oracle: OracleName, records: &[Record]) -> Outcome {
    let mut panel = Panel::new(&EVERYTHING);
    let mut violations = Vec::new();
    records.iter().for_each(|record| panel.on_record(record, &mut violations));
    let outcome = panel.outcome(oracle);
    let reported: Vec<_> = violations.iter().filter(|violation| violation.oracle == oracle).collect();
    match outcome {
        Outcome::Violated(violation) => assert_eq!(reported, [&violation]),
        Outcome::Held | Outcome::NotExercised | Outcome::NotApplicable => assert!(reported.is_empty()),
    }
    outcome
}

const A: u16 = 0;
const B: u16 = 1;

fn promises() -> Vec<Case> {
    use OracleName::{PromiseEmpty, PromiseOverlap, PromiseUnbacked};
    let (a, b) = (call(A, 1), call(B, 1));
    let ended = |of, grant, why| promise_over(of, grant, why);
    let two = |between: Vec<Step>| {
        let mut steps = vec![attempt(a), granted(a, 1), promise(a, 1), attempt(b)];
        steps.extend(between);
        steps.extend([granted(b, 2), promise(b, 2)]);
        steps
    };
    let inside = |winnable, promised| {
        vec![granted(a, 1), promise(a, 1), backing(A, 1, winnable, promised, Cause::Eviction)]
    };
    vec![
        case(PromiseOverlap, "second promise inside the first", Violated(2, 5), two(vec![])),
        case(PromiseOverlap, "first promise renewed under the second", Violated(6, 7), {
            let mut steps = two(vec![ended(A, 1, PromiseEnd::Reached)]);
            steps.push(promise(a, 1));
            steps
        }),
        case(PromiseOverlap, "touching", Held, two(vec![ended(A, 1, PromiseEnd::Reached)])),
        case(
            PromiseOverlap,
            "replaced, then ended",
            Held,
            two(vec![ended(A, 1, PromiseEnd::Replaced), promise(a, 1), ended(A, 1, PromiseEnd::Released)]),
        ),
        case(
            PromiseOverlap,
            "nobody asked meanwhile",
            NotExercised,
            vec![
                granted(a, 1),
                promise(a, 1),
                ended(A, 1, PromiseEnd::Released),
                attempt(b),
                granted(b, 2),
                promise(b, 2),
            ],
        ),
        case(
            PromiseOverlap,
            "two promises of one client",
            NotExercised,
            vec![
                granted(a, 1),
                promise(a, 1),
                attempt(call(A, 2)),
                granted(call(A, 2), 2),
                promise(call(A, 2), 2),
            ],
        ),
        case(PromiseOverlap, "asked in vain", NotExercised, vec![granted(a, 1), promise(a, 1), attempt(b)]),
        case(
            PromiseEmpty,
            "granted too late",
            Violated(0, 2),
            vec![acquire(a), attempt(a), granted_with(a, 1, Ahead::No, None)],
        ),
        case(
            PromiseEmpty,
            "extended too late",
            Violated(0, 3),
            vec![
                granted(a, 1),
                promise(a, 1),
                (client(A), Fact::ExtendBegan { grant: GrantId(1) }),
                extended(A, 1, Ahead::No),
            ],
        ),
        case(PromiseEmpty, "in time", Held, vec![granted(a, 1), promise(a, 1), extended(A, 1, Ahead::Yes)]),
        case(PromiseEmpty, "no promise", NotExercised, vec![acquire(a), attempt(a)]),
        case(PromiseUnbacked, "quorum lost inside", Violated(1, 2), inside(3, true)),
        case(PromiseUnbacked, "one vote short", Held, inside(2, true)),
        case(PromiseUnbacked, "winnable after the end", Held, inside(3, false)),
        case(PromiseUnbacked, "no promise", NotExercised, vec![acquire(a), attempt(a)]),
    ]
}

fn sections_and_writes() -> Vec<Case> {
    use OracleName::{LostUpdate, SectionOverlap, StaleWrite, ValidWriteRefused};
    let (a, b) = (call(A, 1), call(B, 1));
    vec![
        case(SectionOverlap, "both inside", Violated(0, 2), vec![entered(A, 1), attempt(b), entered(B, 2)]),
        case(
            SectionOverlap,
            "one after the other, asked meanwhile",
            Held,
            vec![entered(A, 1), attempt(b), left(A, 1), entered(B, 2)],
        ),
        case(
            SectionOverlap,
            "one after the other, asked later",
            NotExercised,
            vec![entered(A, 1), left(A, 1), attempt(b), entered(B, 2)],
        ),
        case(
            StaleWrite,
            "older after newer",
            Violated(1, 2),
            vec![write(1, true, true), write(2, true, true), write(1, true, false)],
        ),
        case(
            StaleWrite,
            "older refused after newer",
            Held,
            vec![write(1, true, true), write(2, true, true), write(1, false, false)],
        ),
        case(StaleWrite, "newer was refused", Held, vec![write(2, false, true), write(1, true, true)]),
        case(StaleWrite, "one writer", NotExercised, vec![write(2, true, true), write(2, true, true)]),
        case(
            ValidWriteRefused,
            "newest refused",
            Violated(1, 2),
            vec![granted(a, 1), granted(b, 2), write(2, false, true)],
        ),
        case(
            ValidWriteRefused,
            "a newer grant exists",
            Held,
            vec![granted(a, 1), granted(b, 2), write(1, false, true)],
        ),
        case(
            ValidWriteRefused,
            "outside of its promise",
            NotExercised,
            vec![granted(a, 1), write(1, false, false), write(1, true, false)],
        ),
        case(
            LostUpdate,
            "sold twice",
            Violated(1, 3),
            vec![read(A, 1, 10), read(B, 2, 10), buy(1, 9, 1, 10), buy(2, 9, 2, 10)],
        ),
        case(
            LostUpdate,
            "sold one by one",
            Held,
            vec![read(A, 1, 10), buy(1, 9, 1, 10), read(B, 2, 9), buy(2, 8, 2, 10)],
        ),
        case(LostUpdate, "one buyer", NotExercised, vec![read(A, 1, 10), buy(1, 9, 1, 10), read(A, 2, 9)]),
        case(
            LostUpdate,
            "one job done twice",
            Violated(2, 3),
            vec![looked(A, 1, 4, 0), looked(B, 2, 4, 0), ran(2, 4, 1), ran(1, 4, 2)],
        ),
        case(
            LostUpdate,
            "one job done once",
            Held,
            vec![looked(A, 1, 4, 0), ran(1, 4, 1), looked(B, 2, 4, 1)],
        ),
        case(
            LostUpdate,
            "two jobs done once each by clients that never met",
            NotExercised,
            vec![looked(A, 1, 4, 0), ran(1, 4, 1), looked(B, 2, 5, 0), ran(2, 5, 1)],
        ),
        case(
            LostUpdate,
            "the second look came after the job, the first at another",
            Held,
            vec![looked(B, 1, 3, 0), looked(A, 2, 4, 0), ran(2, 4, 1), ran(1, 3, 1), looked(B, 3, 4, 1)],
        ),
        case(
            LostUpdate,
            "one client twice, and the other's was refused",
            NotExercised,
            vec![looked(A, 1, 4, 0), looked(A, 2, 4, 0), looked(B, 3, 5, 0), ran(1, 4, 1)],
        ),
        case(LostUpdate, "nobody bought", NotExercised, vec![read(A, 1, 10), read(B, 2, 10)]),
    ]
}

fn grants_and_keys() -> Vec<Case> {
    use OracleName::{Continuity, FalseRefusal, FenceOrder, ForeignChange, Orphan};
    let (a, b) = (call(A, 1), call(B, 1));
    let fenced = |by, grant, fence| granted_with(by, grant, Ahead::Yes, Some(fence));
    let failed = |why| (client(A), Fact::ExtendFailed { grant: GrantId(1), why });
    let told = |why| (client(A), Fact::LossTold { grant: GrantId(1), why });
    let late = |answer| vec![granted(a, 1), granted(b, 2), granted(b, 3), answer];
    vec![
        case(FenceOrder, "falls", Violated(1, 2), vec![fenced(a, 1, 3), fenced(b, 2, 4), fenced(a, 3, 1)]),
        case(FenceOrder, "stays", Violated(0, 1), vec![fenced(a, 1, 3), fenced(b, 2, 3)]),
        case(FenceOrder, "rises", Held, vec![fenced(a, 1, 3), granted(b, 2), fenced(a, 3, 4)]),
        case(FenceOrder, "one fence", NotExercised, vec![fenced(a, 1, 3), granted(b, 2)]),
        case(ForeignChange, "removed", Violated(0, 1), vec![wrote(0, b, None), removed(0, a, b)]),
        case(ForeignChange, "overwritten", Violated(0, 1), vec![wrote(0, b, None), wrote(0, a, Some(b))]),
        case(
            ForeignChange,
            "removed by another call of one client",
            Violated(0, 1),
            vec![wrote(0, call(A, 2), None), removed(0, a, call(A, 2))],
        ),
        case(ForeignChange, "own", Held, vec![wrote(0, a, None), removed(0, a, a)]),
        case(
            ForeignChange,
            "extension without effect",
            Held,
            vec![wrote(0, b, None), applied(0, a, Operation::Extend, None)],
        ),
        case(
            ForeignChange,
            "only acquires",
            NotExercised,
            vec![wrote(0, b, None), applied(0, a, Operation::Acquire, None)],
        ),
        case(Continuity, "extended after a rival", Violated(2, 3), late(extended(A, 1, Ahead::Yes))),
        case(Continuity, "answered gone after a rival", Held, late(failed(ExtendFailure::Gone))),
        case(Continuity, "told gone after a rival", Held, late(told(LossReason::Gone))),
        case(Continuity, "answered too late after a rival", Held, late(failed(ExtendFailure::TooLate))),
        case(Continuity, "not answered", NotExercised, late(failed(ExtendFailure::Unknown))),
        case(Continuity, "lost by the clock", NotExercised, late(told(LossReason::Expired))),
        case(
            Continuity,
            "rival was granted before",
            NotExercised,
            vec![granted(b, 1), granted(a, 2), extended(A, 2, Ahead::Yes)],
        ),
        case(
            Continuity,
            "own newer grant hides the rival's",
            Violated(1, 3),
            vec![granted(a, 1), granted(b, 2), granted(call(A, 2), 3), extended(A, 1, Ahead::Yes)],
        ),
        case(
            FalseRefusal,
            "taken by itself",
            Violated(0, 1),
            vec![wrote(0, a, None), refused(a, RefuseReason::Taken, 3, true)],
        ),
        case(
            FalseRefusal,
            "told unknown",
            Held,
            vec![wrote(0, a, None), refused(a, RefuseReason::Unknown, 3, true)],
        ),
        case(
            FalseRefusal,
            "really taken",
            Held,
            vec![wrote(0, a, None), refused(a, RefuseReason::Taken, 2, true)],
        ),
        case(FalseRefusal, "wrote nothing", NotExercised, vec![refused(a, RefuseReason::Taken, 0, false)]),
        case(
            Orphan,
            "key without writer",
            Violated(0, 2),
            vec![wrote(0, a, None), settled(), left_over(0, a, false)],
        ),
        case(Orphan, "excused", Held, vec![wrote(0, a, None), settled(), left_over(0, a, true)]),
        case(Orphan, "never settled", NotExercised, vec![wrote(0, a, None)]),
        case(Orphan, "nothing written", NotExercised, vec![settled()]),
    ]
}

fn watches() -> Vec<Case> {
    use OracleName::{Leak, SilentLoss, Stuck, Unavailable};
    let a = call(A, 1);
    let mut cases = Vec::new();
    let kinds = [
        (Stuck, WatchKind::Stuck),
        (Unavailable, WatchKind::Unavailable),
        (SilentLoss, WatchKind::SilentLoss),
    ];
    for (oracle, kind) in kinds {
        let ends = |end| vec![watch(kind, a), watch_over(kind, a, end)];
        let other = vec![watch(WatchKind::Leak, a), watch_over(WatchKind::Leak, a, WatchEnd::Missed)];
        cases.extend([
            case(oracle, "missed", Violated(0, 1), ends(WatchEnd::Missed)),
            case(oracle, "met", Held, ends(WatchEnd::Met)),
            case(oracle, "void", NotExercised, ends(WatchEnd::Void)),
            case(oracle, "another watch", NotExercised, other),
        ]);
    }
    let leak = |end| vec![wrote(0, a, None), watch(WatchKind::Leak, a), watch_over(WatchKind::Leak, a, end)];
    let unwritten = leak(WatchEnd::Met).split_off(1);
    cases.extend([
        case(Leak, "missed", Violated(1, 2), leak(WatchEnd::Missed)),
        case(Leak, "met", Held, leak(WatchEnd::Met)),
        case(Leak, "void", NotExercised, leak(WatchEnd::Void)),
        case(Leak, "nothing written", NotExercised, unwritten),
    ]);
    cases
}

fn all() -> Vec<Case> {
    let mut cases = promises();
    cases.extend(sections_and_writes());
    cases.extend(grants_and_keys());
    cases.extend(watches());
    cases.extend(second_holds());
    cases.extend(lines());
    cases
}

fn second_holds() -> Vec<Case> {
    use OracleName::{FenceOrder, ForeignChange, HoldCount, PromiseOverlap, ValidWriteRefused};
    let (a, again, b) = (call(A, 1), call(A, 2), call(B, 1));
    let inside = |more: Vec<Step>| {
        let mut steps = vec![granted(a, 1), promise(a, 1), reentered(A, 2, 1), granted(again, 2)];
        steps.extend(more);
        steps
    };
    let fenced = |of, grant, fence| granted_with(of, grant, Ahead::Yes, Some(fence));
    vec![
        case(HoldCount, "one too many", Violated(0, 4), inside(vec![counted(A, 1, 2, 3, 3)])),
        case(HoldCount, "one too few", Violated(0, 4), inside(vec![counted(A, 1, 1, 1, 0)])),
        case(HoldCount, "a count of 2 for one acquire", Violated(0, 1), {
            vec![granted(a, 1), counted(A, 1, 1, 2, 2)]
        }),
        case(HoldCount, "one at a voter that may lack it", Held, inside(vec![counted(A, 1, 2, 1, 2)])),
        case(HoldCount, "as many", Held, inside(vec![counted(A, 1, 2, 2, 2), counted(A, 1, 1, 1, 1)])),
        case(HoldCount, "counted before it entered again", NotExercised, {
            vec![granted(a, 1), counted(A, 1, 1, 1, 1), reentered(A, 2, 1), granted(again, 2)]
        }),
        case(ForeignChange, "a second hold of one client", Held, {
            let released = joined(0, again, Operation::Release, a);
            vec![wrote(0, a, None), joined(0, again, Operation::Acquire, a), released]
        }),
        case(FenceOrder, "a second hold carries the fence of the first", Held, {
            vec![fenced(b, 1, 4), fenced(a, 2, 5), reentered(A, 3, 2), fenced(again, 3, 5)]
        }),
        case(FenceOrder, "a second hold carries a fence before the last", Violated(0, 2), {
            vec![fenced(a, 1, 5), reentered(A, 2, 1), fenced(again, 2, 4)]
        }),
        case(FenceOrder, "the grant after a second hold carries its fence", Violated(2, 3), {
            vec![fenced(a, 1, 5), reentered(A, 2, 1), fenced(again, 2, 5), fenced(b, 3, 5)]
        }),
        case(FenceOrder, "two fences of one hold", NotExercised, {
            vec![fenced(a, 1, 5), reentered(A, 2, 1), fenced(again, 2, 5)]
        }),
        case(ValidWriteRefused, "a second hold is no newer grant", Violated(0, 4), {
            inside(vec![write(1, false, true)])
        }),
        case(PromiseOverlap, "a second hold beside a rival", Violated(3, 5), {
            vec![
                reentered(A, 2, 1),
                granted(again, 2),
                attempt(b),
                promise(again, 2),
                granted(b, 3),
                promise(b, 3),
            ]
        }),
        case(PromiseOverlap, "a second hold beside the first", Held, {
            let over = |grant| promise_over(A, grant, PromiseEnd::Released);
            inside(vec![promise(again, 2), attempt(b), over(2), over(1), granted(b, 3), promise(b, 3)])
        }),
    ]
}

fn lines() -> Vec<Case> {
    use OracleName::Unfair;
    const C: u16 = 2;
    let (a, b, c) = (call(A, 1), call(B, 1), call(C, 1));
    let came = |by| applied(0, by, Operation::Acquire, None);
    let begun = |more: Vec<Step>| [vec![acquire(a), acquire(b), acquire(c)], more].concat();
    vec![
        case(
            Unfair,
            "the second was served",
            Violated(3, 5),
            begun(vec![came(a), came(b), wrote(0, b, None)]),
        ),
        case(Unfair, "the second was granted", Violated(3, 5), begun(vec![came(a), came(b), granted(b, 1)])),
        case(
            Unfair,
            "one that never waited was served",
            Violated(3, 4),
            begun(vec![came(a), wrote(0, b, None)]),
        ),
        case(Unfair, "the second joined a hold", Violated(4, 6), {
            begun(vec![wrote(0, c, None), came(a), came(b), joined(0, b, Operation::Acquire, c)])
        }),
        case(Unfair, "in the order in which they came", Held, {
            begun(vec![came(b), came(a), wrote(0, b, None), granted(b, 1), wrote(0, a, None), granted(a, 2)])
        }),
        case(Unfair, "the answer to the first came later", Held, {
            begun(vec![
                came(a),
                came(b),
                wrote(0, a, None),
                wrote(0, b, Some(a)),
                granted(b, 1),
                granted(a, 2),
            ])
        }),
        case(Unfair, "the first was refused", Held, {
            begun(vec![came(a), came(b), refused(a, RefuseReason::Taken, 0, false), wrote(0, b, None)])
        }),
        case(Unfair, "the first crashed", Held, {
            begun(vec![came(a), came(b), crashed(A), wrote(0, b, None)])
        }),
        case(Unfair, "the first called anew and came last", Held, {
            let anew = call(A, 2);
            begun(vec![came(a), came(b), acquire(anew), came(anew), wrote(0, b, None)])
        }),
        case(Unfair, "a holder enters again past those who wait", Held, {
            let again = call(A, 2);
            let holds =
                vec![wrote(0, a, None), granted(a, 1), entered(A, 1), came(b), came(c), acquire(again)];
            begun([holds, vec![joined(0, again, Operation::Acquire, a), granted(again, 2)]].concat())
        }),
        case(
            Unfair,
            "one waits",
            NotExercised,
            begun(vec![wrote(0, c, None), came(a), wrote(0, a, Some(c))]),
        ),
    ]
}

fn monitored() -> impl Iterator<Item = OracleName> {
    OracleName::TEXTS.into_iter().map(|(oracle, _)| oracle)
}

#[test]
fn hand_written_histories_end_as_they_say() {
    for Case { oracle, name, want, records } in all() {
        let found = outcome(oracle, &records);
        match (want, found) {
            (Held, Outcome::Held) | (NotExercised, Outcome::NotExercised) => {}
            (Violated(first, second), Outcome::Violated(violation)) => {
                let evidence = violation.evidence(&records);
                assert_eq!(evidence, Some((&records[first], &records[second])), "{oracle}: {name}");
            }
            (want, found) => panic!("{oracle}: {name}: wanted {want:?}, found {found:?}"),
        }
    }
}

#[test]
fn every_oracle_has_a_history_of_each_kind() {
    for oracle in monitored() {
        let wants: Vec<Want> =
            all().into_iter().filter(|case| case.oracle == oracle).map(|c| c.want).collect();
        assert!(wants.iter().any(|want| matches!(want, Violated(..))), "{oracle} is never violated");
        assert!(wants.contains(&Held), "{oracle} never holds");
        assert!(wants.contains(&NotExercised), "{oracle} is always exercised");
    }
}

#[test]
fn without_its_second_event_no_history_violates() {
    for Case { oracle, name, want, mut records } in all() {
        if let Violated(_, second) = want {
            records.remove(second);
            let found = outcome(oracle, &records);
            assert!(!matches!(found, Outcome::Violated(_)), "{oracle}: {name}: {found:?}");
        }
    }
}

#[test]
fn a_violation_is_final_and_reported_once() {
    for Case { oracle, name, want, records } in all() {
        if let Violated(..) = want {
            let twice: Vec<Record> = records.iter().chain(&records).cloned().collect();
            assert_eq!(outcome(oracle, &twice), outcome(oracle, &records), "{oracle}: {name}");
        }
    }
}

#[test]
fn an_oracle_that_cannot_arise_is_not_applicable() {
    use OracleName::*;
    let all = EVERYTHING;
    let alone = Scope { clients: 1, ..EVERYTHING };
    let asks_nobody = Scope { asks: false, ..EVERYTHING };
    let rules: [(&str, Scope, &[OracleName]); 10] = [
        ("one client", alone, &[PromiseOverlap, SectionOverlap, Continuity, Unfair]),
        (
            "no voters",
            asks_nobody,
            &[PromiseUnbacked, ForeignChange, FalseRefusal, Orphan, Leak, Stuck, Unavailable],
        ),
        ("no fences", Scope { fenced: false, ..EVERYTHING }, &[FenceOrder]),
        ("no extensions", Scope { extends: false, ..EVERYTHING }, &[Continuity]),
        ("no watchdog", Scope { renews: false, ..EVERYTHING }, &[SilentLoss]),
        ("no writes", Scope { writes: false, ..EVERYTHING }, &[StaleWrite, ValidWriteRefused]),
        ("plain store", Scope { store_refuses: false, ..EVERYTHING }, &[ValidWriteRefused]),
        ("nothing that must be done once, no stock", Scope { invariant: false, ..EVERYTHING }, &[LostUpdate]),
        ("nothing first-come", Scope { fifo: false, ..EVERYTHING }, &[Unfair]),
        ("nothing to enter again", Scope { reentrant: false, ..EVERYTHING }, &[HoldCount]),
    ];
    for (name, scope, inapplicable) in rules {
        let panel = Panel::new(&scope);
        for oracle in monitored() {
            let expected =
                if inapplicable.contains(&oracle) { Outcome::NotApplicable } else { Outcome::NotExercised };
            assert_eq!(panel.outcome(oracle), expected, "{name}: {oracle}");
        }
    }
    assert!(monitored().all(|oracle| Panel::new(&all).outcome(oracle) == Outcome::NotExercised));
    assert_eq!(Panel::new(&all).outcomes().count(), OracleName::TEXTS.len());
}

#[test]
fn an_inapplicable_monitor_ignores_what_would_violate_it() {
    let scope =
        Scope { clients: 1, asks: false, writes: false, invariant: false, reentrant: false, ..EVERYTHING };
    let mut panel = Panel::new(&scope);
    let mut violations = Vec::new();
    for case in all() {
        case.records.iter().for_each(|record| panel.on_record(record, &mut violations));
    }
    let applicable = [OracleName::PromiseEmpty, OracleName::FenceOrder, OracleName::SilentLoss];
    assert!(violations.iter().all(|violation| applicable.contains(&violation.oracle)), "{violations:?}");
    assert_eq!(violations.len(), applicable.len());
}

#[test]
fn a_restricted_panel_judges_the_named_alone_and_the_same() {
    for Case { oracle, name, records, .. } in all() {
        let mut panel = Panel::new(&EVERYTHING).restrict(&[oracle]);
        let mut violations = Vec::new();
        records.iter().for_each(|record| panel.on_record(record, &mut violations));
        assert_eq!(panel.outcome(oracle), outcome(oracle, &records), "{oracle}: {name}");
        assert!(violations.iter().all(|violation| violation.oracle == oracle));
        let judged: Vec<OracleName> = panel.outcomes().map(|(oracle, _)| oracle).collect();
        assert_eq!(judged, [oracle]);
    }
}
