//! What a run comes to: records, digest, outcomes, witnesses, margin, verdict.
//!
//! The judge folds each record once and asks nothing of the world. Must not decide what happens.

use crate::check::{
    Ending, Judgement, Margin, Observed, OracleName, Outcome, Panel, Scope, Violation, Witnesses, judge,
};
use crate::history::{Digest, Fact, LostWhy, Record};
use crate::lock::LockCore;
use crate::name::{GrantId, MessageName};
use crate::scenario::Scenario;
use crate::time::{Span, WorldTime};
use crate::world::{StoreMode, Task};

/// Whether a run's records are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All of them, for reports.
    Records,
    /// None: they are judged and dropped.
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
    /// Per planned fault, whether it took effect.
    met: Vec<bool>,
    /// Per order directive, whether both of its terms were ever due at its instant.
    ordered: Vec<bool>,
    /// The messages that directives name and that were not sent yet.
    unsent: Vec<MessageName>,
}

impl Judge {
    pub(crate) fn new<C: LockCore>(scenario: &Scenario, cores: &[C], keep: Keep) -> Self {
        let plan = &scenario.setup.plan;
        Self {
            expect: scenario.expect.clone(),
            keep,
            records: Vec::new(),
            digest: Digest::new(),
            events: 0,
            panel: Panel::new(&check_scope(&scenario.setup, cores)),
            violations: Vec::new(),
            witnesses: Witnesses::new(),
            margin: Margin::new(),
            met: vec![false; plan.faults.len()],
            ordered: vec![false; plan.orders.len()],
            unsent: plan.messages.iter().map(|directive| directive.name).collect(),
        }
    }

    pub(crate) fn on_record(&mut self, record: Record) {
        self.digest.push(&record);
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
        let unmet_faults = unmet(&self.met);
        let unmet_orders = unmet(&self.ordered);
        let observed = Observed {
            outcomes: &outcomes,
            witnesses: &self.witnesses,
            unmet_faults: &unmet_faults,
            unmet_messages: &self.unsent,
            unmet_orders: &unmet_orders,
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
        }
    }
}

/// What the run contains, as far as oracles apply or not.
pub fn check_scope<C: LockCore>(setup: &crate::world::Setup, cores: &[C]) -> Scope {
    let traits: Vec<_> = cores.iter().map(LockCore::describe).collect();
    let tasks = || setup.clients.iter().map(|client| &client.workload.task);
    let extends = tasks().any(|task| matches!(task, Task::Hold { extend_at, .. } if !extend_at.is_empty()));
    let stock = tasks().any(|task| *task == Task::Stock);
    let renews = traits.iter().any(|traits| traits.renewal.is_some());
    Scope {
        clients: setup.clients.len() as u16,
        asks: traits.iter().any(|traits| traits.quorum > 0),
        fenced: traits.iter().any(|traits| traits.fenced),
        extends: extends || renews,
        renews,
        writes: stock || tasks().any(|task| matches!(task, Task::Hold { writes, .. } if *writes > 0)),
        store_refuses: setup.store.mode != StoreMode::Plain,
        stock,
    }
}

/// The indices that were not met.
fn unmet(met: &[bool]) -> Vec<u32> {
    met.iter().enumerate().filter(|(_, met)| !**met).map(|(index, _)| index as u32).collect()
}
