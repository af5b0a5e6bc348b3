//! Witnesses as counts and as latches, and the margin.

use crate::generated::runner;
use crate::play::histories;
use crate::story::*;
use fencepost::check::{Margin, Readers, WitnessLatches, WitnessName, Witnesses};
use fencepost::history::{Cause, Fact, PromiseEnd, Record};
use fencepost::name::{ClientId, GrantId, Process};
use fencepost::plan::FaultKind;
use fencepost::time::{Span, WorldTime};
use proptest::prelude::*;

fn names() -> impl Iterator<Item = WitnessName> {
    let plain = WitnessName::TEXTS.into_iter().map(|(name, _)| name);
    plain.chain(FaultKind::TEXTS.into_iter().map(|(kind, _)| WitnessName::Fault(kind)))
}

#[test]
fn witnesses_are_counted() {
    let (a, b, c) = (call(0, 1), call(1, 1), call(2, 1));
    let released = |of, grant| promise_over(of, grant, PromiseEnd::Released);
    let fault = |kind, effective| (Process::Store, Fact::FaultBegan { index: 0, kind, effective });
    let hold = |by, grant, of| vec![granted(by, grant), promise(by, grant), entered(of, grant)];
    let with = |mut steps: Vec<Step>, more: Vec<Step>| {
        steps.extend(more);
        steps
    };
    let cases: Vec<(&str, WitnessName, u64, Vec<Step>)> = vec![
        ("grants", WitnessName::Grants, 2, vec![granted(a, 1), granted(b, 2)]),
        (
            "attempts inside, of both rivals and each time",
            WitnessName::Contention,
            3,
            vec![promise(a, 1), attempt(b), attempt(b), attempt(c), attempt(a), released(0, 1), attempt(b)],
        ),
        (
            "released and taken over",
            WitnessName::HandOver,
            2,
            vec![granted(a, 1), released(0, 1), granted(b, 2), released(1, 2), granted(c, 3)],
        ),
        (
            "taken over by itself",
            WitnessName::HandOver,
            0,
            vec![granted(a, 1), released(0, 1), granted(call(0, 2), 2)],
        ),
        (
            "overran, then taken over",
            WitnessName::HandOver,
            0,
            vec![granted(a, 1), promise_over(0, 1, PromiseEnd::Reached), granted(b, 2)],
        ),
        (
            "an older release is not the last grant's",
            WitnessName::HandOver,
            0,
            vec![granted(a, 1), granted(b, 2), released(0, 1), granted(c, 3)],
        ),
        (
            "two keys of one hold count once",
            WitnessName::ExpiryUnderLoad,
            1,
            with(
                hold(a, 1, 0),
                vec![gone(0, a, Cause::Expiry), gone(1, a, Cause::ClockFault), granted(b, 2), granted(c, 3)],
            ),
        ),
        (
            "carried past its end by a clock fault",
            WitnessName::ExpiryUnderLoad,
            1,
            with(hold(a, 1, 0), vec![gone(0, a, Cause::ClockFault), granted(b, 2)]),
        ),
        (
            "left before it expired",
            WitnessName::ExpiryUnderLoad,
            0,
            with(hold(a, 1, 0), vec![left(0, 1), gone(0, a, Cause::Expiry), granted(b, 2)]),
        ),
        (
            "evicted, not expired",
            WitnessName::ExpiryUnderLoad,
            0,
            with(hold(a, 1, 0), vec![gone(0, a, Cause::Eviction), granted(b, 2)]),
        ),
        (
            "only its own grant follows",
            WitnessName::ExpiryUnderLoad,
            0,
            with(hold(a, 1, 0), vec![gone(0, a, Cause::Expiry), granted(call(0, 2), 2)]),
        ),
        ("refused writes", WitnessName::RefusedWrite, 1, vec![write(1, false, true), write(1, true, true)]),
        (
            "faults that took effect",
            WitnessName::Fault(FaultKind::Cut),
            1,
            vec![fault(FaultKind::Cut, true), fault(FaultKind::Cut, false), fault(FaultKind::Kill, true)],
        ),
    ];
    for (case, name, count, steps) in cases {
        let mut witnesses = Witnesses::new();
        history(steps).iter().for_each(|record| witnesses.on_record(record));
        assert_eq!(witnesses.of(name), count, "{name}: {case}");
        assert_eq!(witnesses.counts().any(|(known, _)| known == name), count > 0, "{name}: {case}");
    }
}

#[test]
fn second_holds_are_passed_over() {
    let (a, again, b) = (call(0, 1), call(0, 2), call(1, 1));
    let released = |grant| promise_over(0, grant, PromiseEnd::Released);
    let inside = [granted(a, 1), promise(a, 1), entered(0, 1), reentered(0, 2, 1), granted(again, 2)];
    let count = |name, more: [Step; 3]| {
        let mut witnesses = Witnesses::new();
        history(inside.clone().into_iter().chain(more)).iter().for_each(|record| witnesses.on_record(record));
        witnesses.of(name)
    };
    // The release of the second hold hands nothing over; that of the first does.
    assert_eq!(count(WitnessName::HandOver, [released(2), released(1), granted(b, 3)]), 1);
    assert_eq!(count(WitnessName::HandOver, [released(2), left(0, 1), granted(b, 3)]), 0);
    // It is no other client's grant after an expiry, and who was inside is not forgotten for it.
    let expired = gone(0, a, Cause::Expiry);
    assert_eq!(count(WitnessName::ExpiryUnderLoad, [expired.clone(), released(2), granted(b, 3)]), 1);
    assert_eq!(count(WitnessName::ExpiryUnderLoad, [expired, reentered(0, 3, 1), granted(call(0, 3), 3)]), 0);
}

#[test]
fn readers_see_nothing_of_each_other() {
    let (a, b, c) = (call(0, 1), call(1, 1), call(2, 1));
    let released = |of, grant| promise_over(of, grant, PromiseEnd::Released);
    let hold = [granted(a, 1), promise(a, 1), entered(0, 1), attempt(b), gone(0, a, Cause::Expiry)];
    let rest = [granted(b, 2), released(0, 1), attempt(c), granted(c, 3), released(2, 3), granted(b, 4)];
    let records = history(hold.into_iter().chain(rest));
    let count = |readers: &[u16]| {
        let readers = Readers::of(readers.iter().map(|reader| ClientId(*reader)));
        let (mut witnesses, mut latches) = (Witnesses::among(&readers), WitnessLatches::among(&readers));
        records.iter().for_each(|record| witnesses.on_record(record));
        records.iter().for_each(|record| latches.on_record(record));
        let names = [WitnessName::Contention, WitnessName::HandOver, WitnessName::ExpiryUnderLoad];
        assert!(names.iter().all(|name| latches.seen(*name) == (witnesses.of(*name) > 0)));
        names.map(|name| witnesses.of(name))
    };
    assert_eq!(count(&[]), [1, 1, 1]);
    // Another reader finds nothing expired; the writer that comes after it does.
    assert_eq!(count(&[0, 1]), [0, 1, 1]);
    assert_eq!(count(&[0, 1, 2]), [0, 0, 0]);
}

#[test]
fn a_latch_is_set_where_a_count_is_not_zero() {
    let agree = |records: Vec<Record>| {
        let (mut counts, mut latches) = (Witnesses::new(), WitnessLatches::new());
        for record in &records {
            counts.on_record(record);
            latches.on_record(record);
        }
        for name in names() {
            prop_assert_eq!(latches.seen(name), counts.of(name) > 0, "{}", name);
        }
        Ok(())
    };
    runner(256).run(&histories(), agree).expect("a latch and a count disagree");
}

#[test]
fn every_fault_has_a_latch_of_its_own() {
    for (kind, _) in FaultKind::TEXTS {
        let mut latches = WitnessLatches::new();
        latches.on_record(&record(1, Process::Store, Fact::FaultBegan { index: 0, kind, effective: true }));
        assert!(names().all(|name| latches.seen(name) == (name == WitnessName::Fault(kind))), "{kind:?}");
    }
}

/// A name, the margin, and what happens when.
type Row = (&'static str, Option<i64>, Vec<(u64, Step)>);

#[test]
fn the_margin_is_the_first_winnable_moment_minus_the_promised_end() {
    let a = call(0, 1);
    let ended = |why| promise_over(0, 1, why);
    let winnable = |promised, cause| backing(0, 1, 3, promised, cause);
    let safe = |promised| backing(0, 1, 2, promised, Cause::Expiry);
    let cases: Vec<Row> = vec![
        (
            "expired after the end",
            Some(30),
            vec![
                (0, promise(a, 1)),
                (50, safe(true)),
                (100, ended(PromiseEnd::Reached)),
                (130, winnable(false, Cause::Expiry)),
                (140, winnable(false, Cause::Rival)),
            ],
        ),
        (
            "unbacked inside",
            Some(-60),
            vec![
                (0, promise(a, 1)),
                (40, winnable(true, Cause::Eviction)),
                (70, winnable(true, Cause::Rival)),
                (100, ended(PromiseEnd::Reached)),
            ],
        ),
        (
            "unbacked inside, then cut by release",
            Some(-20),
            vec![(0, promise(a, 1)), (40, winnable(true, Cause::Restart)), (60, ended(PromiseEnd::Released))],
        ),
        (
            "released",
            None,
            vec![(0, promise(a, 1)), (60, ended(PromiseEnd::Released)), (61, winnable(false, Cause::Own))],
        ),
        (
            "released late",
            None,
            vec![(0, promise(a, 1)), (60, ended(PromiseEnd::Reached)), (61, winnable(false, Cause::Own))],
        ),
        (
            "crashed: its promised end is not known",
            None,
            vec![(0, promise(a, 1)), (60, ended(PromiseEnd::Crashed)), (61, winnable(false, Cause::Expiry))],
        ),
        (
            "extended: the last end counts",
            Some(5),
            vec![
                (0, promise(a, 1)),
                (60, ended(PromiseEnd::Replaced)),
                (60, promise(a, 1)),
                (120, ended(PromiseEnd::Reached)),
                (125, winnable(false, Cause::Expiry)),
            ],
        ),
        (
            "extended after its end: the second interval counts",
            Some(7),
            vec![
                (0, promise(a, 1)),
                (60, ended(PromiseEnd::Reached)),
                (70, promise(a, 1)),
                (120, ended(PromiseEnd::Reached)),
                (127, winnable(false, Cause::Expiry)),
            ],
        ),
        ("still running", Some(-160), vec![(0, promise(a, 1)), (40, winnable(true, Cause::Eviction))]),
        ("never winnable", None, vec![(0, promise(a, 1)), (100, ended(PromiseEnd::Reached))]),
    ];
    for (case, wanted, steps) in cases {
        let mut margin = Margin::new();
        for (at, (process, fact)) in steps {
            margin.on_record(&record(at, process, fact));
        }
        let found = margin.smallest(WorldTime(200));
        assert_eq!(found, wanted.map(|span| (GrantId(1), Span(span))), "{case}");
    }
}

#[test]
fn the_smallest_margin_of_a_run_counts() {
    let mut margin = Margin::new();
    let steps = [(1, 100, 130), (2, 200, 204), (3, 300, 390)];
    for (grant, end, free) in steps {
        let by = call(grant as u16, 1);
        let over = promise_over(grant as u16, grant, PromiseEnd::Reached);
        let open = backing(grant as u16, grant, 3, false, Cause::Expiry);
        for (at, (process, fact)) in [(end - 50, promise(by, grant)), (end, over), (free, open)] {
            margin.on_record(&record(at, process, fact));
        }
    }
    assert_eq!(margin.smallest(WorldTime(400)), Some((GrantId(2), Span(4))));
}
