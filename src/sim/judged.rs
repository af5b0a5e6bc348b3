//! What a run comes to: records, digest, outcomes, witnesses, margin, verdict.
//!
//! The judge folds each record once and asks nothing of the world. Must not decide what happens.

use super::figures::Figures;
use crate::check::{
    Ending, Judgement, Margin, Observed, OracleName, Outcome, Panel, Readers, Scope, Violation, Witnesses,
    judge,
};
use crate::history::{Digest, Fact, LostWhy, Record};
use crate::lock::{CoreTraits, LockCore};
use crate::name::{ClientId, GrantId, MessageName};
use crate::scenario::Scenario;
use crate::time::{Span, WorldTime};
use crate::world::{Extend, Setup, StoreMode};

/// Whether a run's records are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All of them, for reports.
    Records,
    /// None: they are judged and dropped.
    Nothing,
}

/// Whether all that a plan says must come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owed {
    /// It must: a person wrote it down.
    Everything,
    /// It need not: it was drawn, and may hit what is not there.
    Nothing,
}

/// A finished run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunResult {
    /// Its seed.
    pub seed: u64,
    /// What happened, in order; empty if it was not kept.
    pub records: Vec<Record>,
    /// Identifies the run: a fixed hash over every record.
    pub digest: u64,
    /// How many events happened.
    pub events: u64,
    /// When it ended.
    pub end: WorldTime,
    /// How every oracle ended, in the order of [`OracleName`].
    pub outcomes: Vec<(OracleName, Outcome)>,
    /// The violations, in the order in which they were completed; one per oracle.
    pub violations: Vec<Violation>,
    /// What was observed, and how often.
    pub witnesses: Witnesses,
    /// The smallest margin of a promise: from its end to the first moment a rival could win.
    pub margin: Option<(GrantId, Span)>,
    /// The verdict, and how it compares with the file's expectations.
    pub judgement: Judgement,
    /// How it came to its end.
    pub ending: Ending,
    /// What of the plan never came about.
    pub unmet: Unmet,
    /// Calls, messages, latencies, stock.
    pub figures: Figures,
    /// What the lock of each client says of itself, in order; empty if records were not kept.
    pub locks: Vec<CoreTraits>,
}

/// What of a plan never came about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unmet {
    /// Indices of planned faults that never took effect.
    pub faults: Vec<u32>,
    /// Messages named by directives that were never sent.
    pub messages: Vec<MessageName>,
    /// Indices of order directives whose two terms were never due together.
    pub orders: Vec<u32>,
}

/// Folds the records of one run.
pub(crate) struct Judge {
    expect: Option<crate::check::Expectation>,
    keep: Keep,
    records: Vec<Record>,
    digest: Digest,
    events: u64,
    panel: Panel,
    violations: Vec<Violation>,
    witnesses: Witnesses,
    margin: Margin,
    figures: Figures,
    /// Per planned fault, whether it took effect.
    met: Vec<bool>,
    /// Per order directive, whether both of its terms were ever due at its instant.
    ordered: Vec<bool>,
    /// The messages that directives name and that were not sent yet.
    unsent: Vec<MessageName>,
    locks: Vec<CoreTraits>,
}

impl Judge {
    pub(crate) fn new<C: LockCore>(
        scenario: &Scenario,
        (setup, owed): (&Setup, Owed),
        cores: &[C],
        keep: Keep,
    ) -> Self {
        let plan = &setup.plan;
        let nothing = owed == Owed::Nothing;
        let scope = check_scope(setup, cores);
        let directed = plan.messages.iter().map(|directive| directive.name).filter(|_| !nothing);
        Self {
            expect: scenario.expect.clone(),
            keep,
            records: Vec::new(),
            digest: Digest::new(),
            events: 0,
            panel: Panel::new(&scope),
            violations: Vec::new(),
            witnesses: Witnesses::among(&scope.readers),
            margin: Margin::new(),
            figures: Figures::new(),
            met: vec![nothing; plan.faults.len()],
            ordered: vec![nothing; plan.orders.len()],
            unsent: directed.collect(),
            locks: match keep {
                Keep::Records => cores.iter().map(LockCore::describe).collect(),
                Keep::Nothing => Vec::new(),
            },
        }
    }

    pub(crate) fn on_record(&mut self, record: Record) {
        self.digest.push(&record);
        self.figures.on_record(&record);
        if !record.fact.is_traffic() {
            self.judge(&record);
        }
        if self.keep == Keep::Records {
            self.records.push(record);
        }
    }

    fn judge(&mut self, record: &Record) {
        self.panel.on_record(record, &mut self.violations);
        self.witnesses.on_record(record);
        self.margin.on_record(record);
        if let Fact::FaultBegan { index, effective, .. } = record.fact {
            self.met[index as usize] |= effective;
        }
        if let Fact::Delayed { name } | Fact::MessageLost { name, why: LostWhy::Directive } = record.fact {
            self.unsent.retain(|unsent| *unsent != name);
        }
    }

    pub(crate) fn order_met(&mut self, index: usize) {
        self.ordered[index] = true;
    }

    pub(crate) fn count_event(&mut self) {
        self.events += 1;
    }

    pub(crate) fn finish(self, end: WorldTime, ending: Ending, seed: u64) -> RunResult {
        let outcomes: Vec<_> = self.panel.outcomes().collect();
        let unmet = Unmet { faults: unmet(&self.met), messages: self.unsent, orders: unmet(&self.ordered) };
        let observed = Observed {
            outcomes: &outcomes,
            witnesses: &self.witnesses,
            unmet_faults: &unmet.faults,
            unmet_messages: &unmet.messages,
            unmet_orders: &unmet.orders,
            ending,
        };
        let judgement = judge(&observed, self.expect.as_ref());
        RunResult {
            seed,
            records: self.records,
            digest: self.digest.finish(),
            events: self.events,
            end,
            outcomes,
            violations: self.violations,
            margin: self.margin.smallest(end),
            witnesses: self.witnesses,
            judgement,
            ending,
            unmet,
            figures: self.figures,
            locks: self.locks,
        }
    }
}

/// What the run contains, as far as oracles apply or not.
pub fn check_scope<C: LockCore>(setup: &Setup, cores: &[C]) -> Scope {
    let traits: Vec<_> = cores.iter().map(LockCore::describe).collect();
    let tasks = || setup.clients.iter().map(|client| &client.workload.task);
    let extends = setup.clients.iter().any(|client| match &client.workload.extend {
        Extend::At(times) => !times.is_empty(),
        Extend::Every(_) => true,
    });
    // Code that nobody knows may write and prolong whatever the scenario says of its workload.
    let anything = !cores.iter().all(LockCore::knows_its_holders);
    let invariant = tasks().any(|task| task.has_invariant());
    let renews = traits.iter().any(|traits| traits.renewal.is_some());
    let shared = traits.iter().enumerate().filter(|(_, traits)| traits.shared);
    let readers = shared.map(|(index, _)| ClientId(index as u16));
    Scope {
        clients: setup.clients.len() as u16,
        asks: traits.iter().any(|traits| traits.quorum > 0),
        fenced: traits.iter().any(|traits| traits.fenced),
        extends: extends || renews || anything,
        renews,
        writes: anything || tasks().any(|task| task.writes()),
        store_refuses: setup.store.mode != StoreMode::Plain,
        invariant,
        reentrant: traits.iter().any(|traits| traits.reentrant),
        fifo: traits.iter().any(|traits| traits.fifo && traits.voters == 1),
        readers: Readers::of(readers),
    }
}

/// The indices that were not met.
fn unmet(met: &[bool]) -> Vec<u32> {
    met.iter().enumerate().filter(|(_, met)| !**met).map(|(index, _)| index as u32).collect()
}
