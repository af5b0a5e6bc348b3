//! Canonical form: judging commutes with renaming and with retiring what can no longer act, and histories that
//! differ in names only end in equal panels.

use crate::generated::runner;
use crate::play::histories;
use crate::story::*;
use fencepost::canon::Canon;
use fencepost::check::{Mark, OracleName, Outcome, Panel, WitnessLatches, WitnessName};
use fencepost::history::{Cause, Fact, PromiseEnd, Record, Watch};
use fencepost::name::{CallId, GrantId};
use fencepost::time::WorldTime;
use proptest::prelude::*;

/// Rewrites every grant and call of a record.
fn renamed(
    record: &Record,
    grants: &mut dyn FnMut(&mut GrantId),
    calls: &mut dyn FnMut(&mut CallId),
) -> Record {
    let mut record = record.clone();
    match &mut record.fact {
        Fact::AcquireBegan { call } | Fact::AttemptBegan { call, .. } | Fact::Refused { call, .. } => {
            calls(call)
        }
        Fact::Granted { call, grant, .. } | Fact::PromiseBegan { call, grant } => {
            calls(call);
            grants(grant);
        }
        Fact::ExtendBegan { grant }
        | Fact::Extended { grant, .. }
        | Fact::ExtendFailed { grant, .. }
        | Fact::LossTold { grant, .. }
        | Fact::ReleaseBegan { grant }
        | Fact::ReleaseEnded { grant, .. }
        | Fact::PromiseEnded { grant, .. }
        | Fact::SectionEntered { grant }
        | Fact::SectionLeft { grant, .. }
        | Fact::Backing { grant, .. }
        | Fact::HoldThinned { grant }
        | Fact::CheckEnded { grant, .. }
        | Fact::HoldsCounted { grant, .. }
        | Fact::StoreRead { grant, .. }
        | Fact::StoreLooked { grant, .. }
        | Fact::StoreWrite { grant, .. } => grants(grant),
        Fact::Reentered { grant, outer } => {
            grants(grant);
            grants(outer);
        }
        Fact::Applied { by, change, .. } => {
            calls(by);
            if let Some(owner) = change.as_mut().and_then(|change| change.owner.as_mut()) {
                calls(owner);
            }
        }
        Fact::HoldGone { writer, .. } | Fact::LeftOver { writer, .. } => calls(writer),
        Fact::WatchBegan { watch: Watch { call, .. }, .. }
        | Fact::WatchOver { watch: Watch { call, .. }, .. } => {
            calls(call);
        }
        Fact::Reached { .. }
        | Fact::Sent { .. }
        | Fact::Delayed { .. }
        | Fact::Handled { .. }
        | Fact::MessageLost { .. }
        | Fact::TimedOut { .. }
        | Fact::Blocked { .. }
        | Fact::Published { .. }
        | Fact::FaultBegan { .. }
        | Fact::FaultEnded { .. }
        | Fact::Rerouted { .. }
        | Fact::Replicated { .. }
        | Fact::Resynced { .. }
        | Fact::Started { .. }
        | Fact::Done
        | Fact::Settled => {}
    }
    record
}

/// All monitors and all latches, as they stand in a prover's state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Judges {
    panel: Panel,
    latches: WitnessLatches,
}

impl Judges {
    fn new() -> Self {
        Self { panel: Panel::new(&EVERYTHING), latches: WitnessLatches::new() }
    }

    fn on_records(&mut self, records: &[Record]) {
        for record in records {
            self.panel.on_record(record, &mut Vec::new());
            self.latches.on_record(record);
        }
    }

    /// Brings both into canonical form where exactly these grants may still act.
    fn canonical(&mut self, live: &[GrantId]) -> Canon {
        self.panel.retire(live);
        self.latches.retire(live);
        let mut canon = Canon::new(WorldTime(1_000_000));
        canon.grants(live.iter().copied().chain(self.panel.live_grants()).chain(self.latches.live_grants()));
        self.panel.canonical(&mut canon);
        self.latches.canonical(&mut canon);
        canon
    }

    /// How each oracle stands, without evidence, and what was witnessed.
    fn standing(&self) -> (Vec<(OracleName, &'static str)>, Vec<bool>) {
        let outcomes = self.panel.outcomes().map(|(oracle, outcome)| (oracle, outcome.text()));
        let seen = WitnessName::TEXTS.iter().map(|(name, _)| self.latches.seen(*name));
        (outcomes.collect(), seen.collect())
    }
}

fn grants_of(records: &[Record]) -> Vec<GrantId> {
    let mut found = Vec::new();
    for record in records {
        renamed(record, &mut |grant| found.push(*grant), &mut |_| {});
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[test]
fn judging_commutes_with_renaming_at_any_moment() {
    let cuts = (histories(), any::<prop::sample::Index>());
    let commutes = |(records, cut): (Vec<Record>, prop::sample::Index)| {
        let (before, after) = records.split_at(cut.index(records.len() + 1));
        let decided = |grant: &GrantId| {
            before
                .iter()
                .any(|record| matches!(record.fact, Fact::Granted { grant: known, .. } if known == *grant))
        };
        let live: Vec<GrantId> = grants_of(after).into_iter().filter(decided).collect();
        let mut plain = Judges::new();
        plain.on_records(before);
        let mut canonical = plain.clone();
        let mut canon = canonical.canonical(&live);
        prop_assert_eq!(plain.standing(), canonical.standing());
        let mut again = canonical.clone();
        let ranks: Vec<GrantId> = live.iter().map(|grant| rank(&mut canon, *grant)).collect();
        again.canonical(&ranks);
        prop_assert_eq!(&again, &canonical);

        // Grants still to come are visited in their order, after all that were declared: as a world numbers them.
        for mut grant in grants_of(after) {
            canon.grant(&mut grant);
        }
        let (mut grants, mut calls) = (canon.clone(), canon);
        let rename = |record| renamed(record, &mut |grant| grants.grant(grant), &mut |call| calls.call(call));
        let renamed_after: Vec<Record> = after.iter().map(rename).collect();
        plain.on_records(after);
        canonical.on_records(&renamed_after);
        prop_assert_eq!(plain.standing(), canonical.standing());
        Ok(())
    };
    runner(512).run(&cuts, commutes).expect("judging and renaming do not commute");
}

fn rank(canon: &mut Canon, mut grant: GrantId) -> GrantId {
    canon.grant(&mut grant);
    grant
}

#[test]
fn histories_that_differ_in_names_end_in_equal_panels() {
    let equal = |records: Vec<Record>| {
        let mut shift = |grant: &mut GrantId| grant.0 = grant.0 * 3 + 5;
        let mut count = |call: &mut CallId| call.number += 7;
        let other: Vec<Record> =
            records.iter().map(|record| renamed(record, &mut shift, &mut count)).collect();
        let (mut one, mut two) = (Judges::new(), Judges::new());
        one.on_records(&records);
        two.on_records(&other);
        one.canonical(&grants_of(&records));
        two.canonical(&grants_of(&other));
        prop_assert_eq!(one, two);
        Ok(())
    };
    runner(512).run(&histories(), equal).expect("names show in a canonical panel");
}

#[test]
fn a_panel_stays_finite_while_grants_grow() {
    let cycle = |number: u32| {
        let of = (number % 2) as u16;
        let (by, rival) = (call(of, number), call(1 - of, number + 1));
        history([
            attempt(by),
            wrote(0, by, None),
            granted(by, number),
            promise(by, number),
            entered(of, number),
            attempt(rival),
            write(number, true, true),
            left(of, number),
            promise_over(of, number, PromiseEnd::Released),
            removed(0, by, by),
        ])
    };
    let mut judges = Judges::new();
    let mut seen = Vec::new();
    for number in 1..=200 {
        judges.on_records(&cycle(number));
        judges.canonical(&[]);
        assert_eq!(judges.panel.live_grants().next(), None, "nothing can act any more");
        assert_eq!(judges.latches.live_grants().next(), None, "nothing can act any more");
        if !seen.contains(&judges) {
            seen.push(judges.clone());
        }
    }
    // The exercised latches fill in the first two cycles; which client was granted last alternates for ever.
    assert!(seen.len() <= 4, "{} different panels", seen.len());
}

#[test]
fn a_violated_panel_forgets_its_evidence() {
    let records = history([write(1, true, true), write(2, true, true), write(1, true, false)]);
    let mut judges = Judges::new();
    judges.on_records(&records);
    judges.canonical(&[]);
    let Outcome::Violated(violation) = judges.panel.outcome(OracleName::StaleWrite) else {
        panic!("a canonical form changed an outcome");
    };
    assert_eq!(
        (violation.at, violation.first, violation.second),
        (WorldTime::ZERO, Mark::Forgotten, Mark::Forgotten)
    );
    assert_eq!(violation.evidence(&records), None);
}

#[test]
fn an_expiry_outlives_the_grant_that_it_ended() {
    let (a, b) = (call(0, 1), call(1, 1));
    let mut judges = Judges::new();
    judges.on_records(&history([
        granted(a, 1),
        promise(a, 1),
        entered(0, 1),
        gone(0, a, Cause::Expiry),
        left(0, 1),
        promise_over(0, 1, PromiseEnd::Reached),
    ]));
    judges.canonical(&[]);
    judges.on_records(&history([granted(b, 1)]));
    assert!(judges.latches.seen(WitnessName::ExpiryUnderLoad));
}
