//! How a proof compares with what its model expects, and what the process says of it.
//!
//! Must not search or render: reports put it into words.

use super::ask::{Endless, Model, Progress};
use super::kind::Kind;
use super::proof::{Ended, Finding, ProgressFinding, Proof, Replay};
use crate::check::{Expected, OracleName};

/// What a proof comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Where it is opposite to what the file says.
    pub differences: Vec<Difference>,
    /// Why it says less than it should.
    pub doubts: Vec<Doubt>,
    /// Oracles whose counterexample the seeded world does not confirm: faults of ours.
    pub disagreements: Vec<OracleName>,
}

/// Something that ended opposite to what the file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Difference {
    /// An oracle.
    Oracle(OracleName, Expected),
    /// The question of progress.
    Progress,
    /// Another number of states was pinned.
    Pinned {
        /// The pinned number.
        pinned: u64,
        /// The number that was counted.
        counted: u64,
    },
    /// A count is pinned, but everything asked for was violated before all states were seen.
    NotExhausted,
}

/// Something that keeps a proof from saying what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// Not all states were looked at, and the oracle was not violated in those that were.
    Unknown(OracleName),
    /// The oracle was not exercised in any schedule, or cannot arise.
    NotExercised(OracleName),
    /// The schedule that violates the oracle could not be told to the seeded world.
    Unconfirmed(OracleName),
    /// A kind of fault that is allowed never took effect.
    NeverHappened(Kind),
    /// The question of progress was not answered.
    Progress,
    /// The search ended early, so its count cannot be compared with the pinned one.
    Uncounted,
}

impl Verdict {
    /// The verdict on a proof of this model.
    pub fn of(model: &Model, proof: &Proof) -> Self {
        let mut verdict = Self { differences: Vec::new(), doubts: Vec::new(), disagreements: Vec::new() };
        for (oracle, finding) in &proof.findings {
            let expected = model.expect.iter().find(|(name, _)| name == oracle);
            verdict.finding(*oracle, expected.map_or(Expected::Held, |(_, expected)| *expected), finding);
        }
        if let (Some(asked), Some(found)) = (model.progress, &proof.progress) {
            match is_answered(asked, found) {
                Some(true) => {}
                Some(false) => verdict.differences.push(Difference::Progress),
                None => verdict.doubts.push(Doubt::Progress),
            }
        }
        let holds = proof.findings.iter().any(|(_, finding)| *finding == Finding::Held);
        if holds {
            let kinds = proof.happened.iter().filter(|(_, seen)| !seen);
            verdict.doubts.extend(kinds.map(|(kind, _)| Doubt::NeverHappened(*kind)));
        }
        verdict.count(model, proof);
        verdict
    }

    /// Whether all is as the file says, pinned count included.
    pub fn as_expected(&self) -> bool {
        self.differences.is_empty() && self.doubts.is_empty() && self.disagreements.is_empty()
    }

    /// How a process ends after it: 0 as expected, 1 opposite, 2 inconclusive, 70 a fault of ours.
    pub fn exit_code(&self) -> u8 {
        match (self.disagreements.as_slice(), self.differences.as_slice(), self.doubts.as_slice()) {
            ([_, ..], _, _) => 70,
            ([], [_, ..], _) => 1,
            ([], [], [_, ..]) => 2,
            ([], [], []) => 0,
        }
    }

    /// The same without the count, for whoever is about to pin it.
    #[must_use]
    pub fn without_count(mut self) -> Self {
        self.differences
            .retain(|difference| !matches!(difference, Difference::Pinned { .. } | Difference::NotExhausted));
        self.doubts.retain(|doubt| *doubt != Doubt::Uncounted);
        self
    }

    fn finding(&mut self, oracle: OracleName, expected: Expected, finding: &Finding) {
        match (finding, expected) {
            (Finding::Held, Expected::Held)
            | (Finding::NotExercised | Finding::NotApplicable, Expected::NotExercised) => {}
            (Finding::Violated(found), expected) => {
                match found.replay {
                    Replay::Disagrees => self.disagreements.push(oracle),
                    Replay::Untold => self.doubts.push(Doubt::Unconfirmed(oracle)),
                    Replay::Agrees | Replay::Touches => {}
                }
                if expected != Expected::Violated {
                    self.differences.push(Difference::Oracle(oracle, expected));
                }
            }
            (Finding::Held, Expected::Violated | Expected::NotExercised) => {
                self.differences.push(Difference::Oracle(oracle, expected));
            }
            (Finding::NotExercised | Finding::NotApplicable, Expected::Held | Expected::Violated) => {
                self.doubts.push(Doubt::NotExercised(oracle));
            }
            (Finding::Unknown, _) => self.doubts.push(Doubt::Unknown(oracle)),
        }
    }

    fn count(&mut self, model: &Model, proof: &Proof) {
        let Some(pinned) = model.pinned else { return };
        let counted = proof.effort.states;
        match proof.effort.ended {
            Ended::Exhausted if counted == pinned.states => {}
            Ended::Exhausted => {
                self.differences.push(Difference::Pinned { pinned: pinned.states, counted });
            }
            Ended::Answered => self.differences.push(Difference::NotExhausted),
            Ended::Limit | Ended::Stopped => self.doubts.push(Doubt::Uncounted),
        }
    }
}

/// Whether progress came to what was expected; `None` if that is not known.
fn is_answered(asked: Progress, found: &ProgressFinding) -> Option<bool> {
    match (asked, found) {
        (_, ProgressFinding::Unknown) => None,
        (Progress::Alone { within }, ProgressFinding::Within { ticks, .. }) => {
            Some(within.is_some_and(|within| *ticks <= within))
        }
        (Progress::Alone { within }, ProgressFinding::Endless { .. } | ProgressFinding::DeadEnd { .. }) => {
            Some(within.is_none())
        }
        (Progress::Together { expect, .. }, ProgressFinding::Within { .. }) => Some(expect == Endless::Never),
        (Progress::Together { expect, .. }, ProgressFinding::Endless { way_out, .. }) => Some(match expect {
            Endless::Trapped => !way_out,
            Endless::WayOut => *way_out,
            Endless::Never => false,
        }),
        (Progress::Together { .. }, ProgressFinding::DeadEnd { .. }) => Some(false),
    }
}
