//! The verdict of a run, whether it is the expected one, and the exit code.
//!
//! Two questions, kept apart. The *verdict* says what the run showed: violated > inconclusive > held, over the
//! judged oracles. Whether it went *as expected* is asked only of a file with expectations, and there it decides
//! the exit code. Must not look at records.

use super::expectation::{CountRange, Expectation};
use super::oracle::{Expected, OracleName};
use super::violation::Outcome;
use super::witness::WitnessName;
use super::witness_count::Witnesses;
use crate::name::MessageName;

/// What a run showed, before it is judged.
#[derive(Clone, Debug)]
pub struct Observed<'a> {
    /// How every oracle ended.
    pub outcomes: &'a [(OracleName, Outcome)],
    /// What was witnessed.
    pub witnesses: &'a Witnesses,
    /// Indices of the planned faults that never took effect; entries of a profile are never among them.
    pub unmet_faults: &'a [u32],
    /// Messages named by directives that were never sent.
    pub unmet_messages: &'a [MessageName],
    /// Indices of the order directives whose two terms were never due together.
    pub unmet_orders: &'a [u32],
    /// How the run came to its end.
    pub ending: Ending,
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    /// Everything was quiet.
    Settled,
    /// It was still going at its limit, of time or of events.
    Limit,
}

/// What a run showed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Every judged oracle was exercised and held, but for those expected not to be exercised.
    Held,
    /// At least one judged oracle was violated.
    Violated,
    /// None was violated, and "held" would say too much, for all of these reasons.
    Inconclusive(Vec<Doubt>),
}

/// Why "held" would say too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Doubt {
    /// A judged oracle was not exercised.
    NotExercised(OracleName),
    /// A judged oracle cannot arise in this scope.
    NotApplicable(OracleName),
    /// No judged oracle was exercised at all.
    NothingExercised,
    /// This planned fault never took effect.
    UnmetFault(u32),
    /// A directive's message was never sent.
    UnmetMessage(MessageName),
    /// This order directive never had two things to put in order.
    UnmetOrder(u32),
    /// The run was stopped by its limit.
    Limit,
}

/// How a run differs from its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mismatch {
    /// An oracle ended otherwise.
    Oracle {
        /// Which.
        oracle: OracleName,
        /// How it should have ended.
        expected: Expected,
        /// How it ended.
        found: Outcome,
    },
    /// A witness was observed too seldom or too often.
    Witness {
        /// Which.
        name: WitnessName,
        /// How often it should have been.
        expected: CountRange,
        /// How often it was.
        found: u64,
    },
    /// This planned fault never took effect, so whatever ended as expected did so for another reason.
    UnmetFault(u32),
    /// A directive's message was never sent.
    UnmetMessage(MessageName),
    /// This order directive never had two things to put in order.
    UnmetOrder(u32),
    /// The run was stopped by its limit, so what held until then might not have.
    Limit,
}

/// The verdict of a run, and how it compares with its file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Judgement {
    /// What the run showed.
    pub verdict: Verdict,
    /// How it differs from the expectations; `None` without a file that has any.
    pub mismatches: Option<Vec<Mismatch>>,
}

/// Judges a run: over the oracles that `expect` names, without it over all that apply.
pub fn judge(observed: &Observed<'_>, expect: Option<&Expectation>) -> Judgement {
    Judgement {
        verdict: verdict(observed, expect),
        mismatches: expect.map(|expect| mismatches(observed, expect)),
    }
}

impl Judgement {
    /// Whether everything went as the file expects; `None` without expectations.
    pub fn as_expected(&self) -> Option<bool> {
        self.mismatches.as_ref().map(Vec::is_empty)
    }

    /// The exit code: 0 held or as expected, 1 violated or opposite, 2 inconclusive.
    ///
    /// With expectations the worst mismatch decides, definite (1) over inconclusive (2).
    pub fn exit_code(&self) -> u8 {
        match (&self.mismatches, &self.verdict) {
            (Some(mismatches), _) if mismatches.is_empty() => 0,
            (Some(mismatches), _) if mismatches.iter().any(Mismatch::is_definite) => 1,
            (Some(_), _) => 2,
            (None, Verdict::Held) => 0,
            (None, Verdict::Violated) => 1,
            (None, Verdict::Inconclusive(_)) => 2,
        }
    }
}

impl Mismatch {
    /// Whether the run contradicts the file, rather than having shown too little.
    ///
    /// An oracle that ended decidedly but otherwise is a contradiction, also where the file expects that it is not
    /// exercised. A witness observed too often contradicts the file (`grants = 0` is a claim); one observed too
    /// seldom is something that the run failed to exercise.
    pub fn is_definite(&self) -> bool {
        match self {
            Self::Oracle { found, .. } => match found {
                Outcome::Held | Outcome::Violated(_) => true,
                Outcome::NotExercised | Outcome::NotApplicable => false,
            },
            Self::Witness { expected, found, .. } => *found >= expected.min,
            Self::UnmetFault(_) | Self::UnmetMessage(_) | Self::UnmetOrder(_) | Self::Limit => false,
        }
    }
}

impl Expected {
    /// Whether an oracle that ended so ended as expected. What cannot arise was not exercised.
    pub fn is_met_by(self, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Held => self == Self::Held,
            Outcome::Violated(_) => self == Self::Violated,
            Outcome::NotExercised | Outcome::NotApplicable => self == Self::NotExercised,
        }
    }
}

impl CountRange {
    /// Whether this count lies inside.
    pub fn contains(self, count: u64) -> bool {
        count >= self.min && self.max.is_none_or(|max| count <= max)
    }
}

impl Observed<'_> {
    fn outcome(&self, oracle: OracleName) -> Outcome {
        let found = self.outcomes.iter().find(|(known, _)| *known == oracle);
        found.map_or(Outcome::NotApplicable, |(_, outcome)| *outcome)
    }
}

fn verdict(observed: &Observed<'_>, expect: Option<&Expectation>) -> Verdict {
    let judged: Vec<(OracleName, Outcome, Option<Expected>)> = match expect {
        Some(expect) => {
            let named = expect.oracles.iter();
            named.map(|(oracle, expected)| (*oracle, observed.outcome(*oracle), Some(*expected))).collect()
        }
        None => {
            let applying = observed.outcomes.iter().filter(|(_, outcome)| *outcome != Outcome::NotApplicable);
            applying.map(|(oracle, outcome)| (*oracle, *outcome, None)).collect()
        }
    };
    if judged.iter().any(|(_, outcome, _)| matches!(outcome, Outcome::Violated(_))) {
        return Verdict::Violated;
    }
    let mut doubts = Vec::new();
    for (oracle, outcome, expected) in &judged {
        match outcome {
            Outcome::Held | Outcome::Violated(_) => {}
            Outcome::NotExercised | Outcome::NotApplicable if *expected == Some(Expected::NotExercised) => {}
            Outcome::NotExercised => doubts.push(Doubt::NotExercised(*oracle)),
            Outcome::NotApplicable => doubts.push(Doubt::NotApplicable(*oracle)),
        }
    }
    if !judged.iter().any(|(_, outcome, _)| *outcome == Outcome::Held) {
        doubts.push(Doubt::NothingExercised);
    }
    doubts.extend(observed.unmet_faults.iter().map(|index| Doubt::UnmetFault(*index)));
    doubts.extend(observed.unmet_messages.iter().map(|name| Doubt::UnmetMessage(*name)));
    doubts.extend(observed.unmet_orders.iter().map(|index| Doubt::UnmetOrder(*index)));
    if observed.ending == Ending::Limit {
        doubts.push(Doubt::Limit);
    }
    if doubts.is_empty() { Verdict::Held } else { Verdict::Inconclusive(doubts) }
}

fn mismatches(observed: &Observed<'_>, expect: &Expectation) -> Vec<Mismatch> {
    let mut mismatches = Vec::new();
    for (&oracle, &expected) in &expect.oracles {
        let found = observed.outcome(oracle);
        if !expected.is_met_by(found) {
            mismatches.push(Mismatch::Oracle { oracle, expected, found });
        }
    }
    for (&name, &expected) in &expect.witnesses {
        let found = observed.witnesses.of(name);
        if !expected.contains(found) {
            mismatches.push(Mismatch::Witness { name, expected, found });
        }
    }
    mismatches.extend(observed.unmet_faults.iter().map(|index| Mismatch::UnmetFault(*index)));
    mismatches.extend(observed.unmet_messages.iter().map(|name| Mismatch::UnmetMessage(*name)));
    mismatches.extend(observed.unmet_orders.iter().map(|index| Mismatch::UnmetOrder(*index)));
    if observed.ending == Ending::Limit {
        mismatches.push(Mismatch::Limit);
    }
    mismatches
}
