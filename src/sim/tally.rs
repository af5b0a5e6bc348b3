//! What many runs come to, flat in memory in their number.
//!
//! Tallies of neighbouring seed ranges merge in seed order into the tally of both, so that it does not matter
//! which thread ran what. Must not hold floats: whoever reports turns counts into rates with `stats`.

use super::judged::{RunResult, Unmet};
use crate::check::{
    Ending, Expectation, Judgement, Observed, OracleName, Outcome, Violation, WitnessName, Witnesses, judge,
};
use crate::stats::{Cluster, Clusters, Histogram};
use std::collections::BTreeMap;

/// The sum of many runs of one subject.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tally {
    /// How many.
    pub runs: u64,
    /// Of these, how many were still going at their limit.
    pub at_limit: u64,
    /// Events of all.
    pub events: u64,
    /// Requests that clients sent to nodes for acquire operations.
    pub messages: u64,
    /// Orders beyond the stock, summed.
    pub oversold: u64,
    /// Runs with such orders.
    pub oversold_runs: u64,
    /// Calls of acquire per run (whole) and how many of them were granted (part).
    pub calls: Clusters,
    /// Simulated microseconds from the beginning of a granted call to the decision.
    pub latency: Histogram,
    /// Per oracle.
    pub oracles: BTreeMap<OracleName, OracleTally>,
    /// What was witnessed.
    pub witnesses: BTreeMap<WitnessName, WitnessTally>,
    /// What of the plan came about in none of the runs; `None` before the first.
    pub unmet: Option<Unmet>,
}

/// What many runs come to for one oracle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OracleTally {
    /// Runs in which it judged or could have.
    pub runs: u64,
    /// Runs that exercised it; a violation counts as exercised.
    pub exercised: u64,
    /// Runs that violated it.
    pub violated: u64,
    /// Runs in which it cannot arise; not among `runs`.
    pub not_applicable: u64,
    /// The first seed that violated it, and the violation there.
    pub first: Option<(u64, Violation)>,
    /// Grants per run (whole) and whether it was violated (part), over `runs`.
    pub per_grant: Clusters,
}

/// What many runs come to for one witness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WitnessTally {
    /// Sightings in all.
    pub total: u64,
    /// Runs with at least one.
    pub runs: u64,
    /// The most in one run.
    pub most: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Self::new()
    }
}

impl Tally {
    /// Of no run.
    pub const fn new() -> Self {
        Self {
            runs: 0,
            at_limit: 0,
            events: 0,
            messages: 0,
            oversold: 0,
            oversold_runs: 0,
            calls: Clusters::new(),
            latency: Histogram::new(),
            oracles: BTreeMap::new(),
            witnesses: BTreeMap::new(),
            unmet: None,
        }
    }

    /// Takes the run of the next seed.
    pub fn push(&mut self, run: &RunResult) {
        let figures = &run.figures;
        self.runs += 1;
        self.at_limit += u64::from(run.ending == Ending::Limit);
        self.events += run.events;
        self.messages += figures.messages;
        self.oversold += figures.oversold;
        self.oversold_runs += u64::from(figures.oversold > 0);
        self.calls.push(Cluster { whole: figures.calls, part: figures.grants });
        for latency in &figures.latencies {
            self.latency.push(latency.0.unsigned_abs());
        }
        for (oracle, outcome) in &run.outcomes {
            self.oracles.entry(*oracle).or_default().push(run.seed, figures.grants, *outcome);
        }
        for (name, count) in run.witnesses.counts() {
            self.witnesses.entry(name).or_default().merge(WitnessTally {
                total: count,
                runs: 1,
                most: count,
            });
        }
        self.meet(&run.unmet);
    }

    /// Takes the tally of the seeds that follow.
    pub fn merge(&mut self, later: &Self) {
        self.runs += later.runs;
        self.at_limit += later.at_limit;
        self.events += later.events;
        self.messages += later.messages;
        self.oversold += later.oversold;
        self.oversold_runs += later.oversold_runs;
        self.calls.merge(&later.calls);
        self.latency.merge(&later.latency);
        for (oracle, tally) in &later.oracles {
            self.oracles.entry(*oracle).or_default().merge(tally);
        }
        for (name, tally) in &later.witnesses {
            self.witnesses.entry(*name).or_default().merge(*tally);
        }
        if let Some(unmet) = &later.unmet {
            self.meet(unmet);
        }
    }

    /// Grants of all runs.
    pub fn grants(&self) -> u64 {
        self.calls.total().part
    }

    /// Judges all runs together: an oracle is held if every run that exercised it held and at least one did, and
    /// violated if one run violated it.
    ///
    /// A witness was seen often enough if one run saw it often enough, and too often if one did. Something of
    /// the plan is unmet if no run met it. The runs were stopped by their limit if all of them were.
    pub fn judgement(&self, expect: Option<&Expectation>) -> Judgement {
        let outcomes: Vec<_> =
            self.oracles.iter().map(|(oracle, tally)| (*oracle, tally.outcome())).collect();
        let most = self.witnesses.iter().map(|(name, tally)| (*name, tally.most)).collect();
        let nothing = Unmet { faults: Vec::new(), messages: Vec::new(), orders: Vec::new() };
        let unmet = self.unmet.as_ref().unwrap_or(&nothing);
        let observed = Observed {
            outcomes: &outcomes,
            witnesses: &Witnesses::of_counts(most),
            unmet_faults: &unmet.faults,
            unmet_messages: &unmet.messages,
            unmet_orders: &unmet.orders,
            ending: if self.at_limit == self.runs { Ending::Limit } else { Ending::Settled },
        };
        judge(&observed, expect)
    }

    /// Keeps of what came about nowhere what did not come about here either.
    fn meet(&mut self, other: &Unmet) {
        match &mut self.unmet {
            None => self.unmet = Some(other.clone()),
            Some(unmet) => {
                unmet.faults.retain(|index| other.faults.contains(index));
                unmet.messages.retain(|name| other.messages.contains(name));
                unmet.orders.retain(|index| other.orders.contains(index));
            }
        }
    }
}

impl OracleTally {
    /// How it ended over all runs.
    pub fn outcome(&self) -> Outcome {
        match self.first {
            Some((_, violation)) => Outcome::Violated(violation),
            None if self.exercised > 0 => Outcome::Held,
            None if self.runs > 0 => Outcome::NotExercised,
            None => Outcome::NotApplicable,
        }
    }

    fn push(&mut self, seed: u64, grants: u64, outcome: Outcome) {
        let part = match outcome {
            Outcome::NotApplicable => {
                self.not_applicable += 1;
                return;
            }
            Outcome::NotExercised => 0,
            Outcome::Held => {
                self.exercised += 1;
                0
            }
            Outcome::Violated(violation) => {
                self.exercised += 1;
                self.violated += 1;
                self.first.get_or_insert((seed, violation));
                1
            }
        };
        self.runs += 1;
        self.per_grant.push(Cluster { whole: grants, part });
    }

    fn merge(&mut self, later: &Self) {
        self.runs += later.runs;
        self.exercised += later.exercised;
        self.violated += later.violated;
        self.not_applicable += later.not_applicable;
        self.first = self.first.or(later.first);
        self.per_grant.merge(&later.per_grant);
    }
}

impl WitnessTally {
    fn merge(&mut self, other: Self) {
        self.total += other.total;
        self.runs += other.runs;
        self.most = self.most.max(other.most);
    }
}
