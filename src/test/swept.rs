//! What a sweep came to, and its table.
//!
//! Must not run anything.

use crate::check::{OracleName, Outcome};
use std::collections::BTreeMap;
use std::fmt;

/// How much of a list a person reads.
const LINES: usize = 20;

/// What a sweep came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swept {
    /// What the lock calls itself.
    pub lock: &'static str,
    /// The scenarios that were run.
    pub ran: Vec<String>,
    /// The scenarios that do not fit: another number of nodes, or terms on which no lock can be.
    pub unfit: Vec<String>,
    /// In how many scenarios each oracle ended how.
    pub counts: BTreeMap<OracleName, Counts>,
    /// Where it is worse than the shipped lock.
    pub worse: Vec<Ended>,
    /// Where it violates what it must hold.
    pub broken: Vec<Ended>,
    /// What was accepted, and is not so.
    pub vain: Vec<(String, Lapse)>,
}

/// Something that went wrong in a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The scenario.
    pub scenario: String,
    /// What.
    pub lapse: Lapse,
    /// The first seed that shows it.
    pub seed: u64,
    /// Whether the test accepts it.
    pub is_accepted: bool,
}

/// What one's own lock does where the shipped one does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lapse {
    /// It violates this oracle.
    Violates(OracleName),
    /// It is never granted.
    NoGrant,
}

/// In how many scenarios an oracle ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counts {
    /// One's own lock held it.
    pub held: u32,
    /// It violated it.
    pub violated: u32,
    /// It did not exercise it, though it can arise.
    pub not_exercised: u32,
    /// It violated what the shipped lock held.
    pub only_own: u32,
    /// The shipped lock violated what it held.
    pub only_shipped: u32,
}

impl Swept {
    pub(super) fn empty() -> Self {
        Self {
            lock: "this lock",
            ran: Vec::new(),
            unfit: Vec::new(),
            counts: BTreeMap::new(),
            worse: Vec::new(),
            broken: Vec::new(),
            vain: Vec::new(),
        }
    }

    /// Whether the oracle judged anything in any scenario.
    pub fn is_exercised(&self, oracle: OracleName) -> bool {
        self.counts.get(&oracle).is_some_and(|counts| counts.held + counts.violated > 0)
    }
}

impl Counts {
    pub(super) fn push(&mut self, own: Outcome, shipped: Outcome) {
        match own {
            Outcome::Held => self.held += 1,
            Outcome::Violated(_) => self.violated += 1,
            Outcome::NotExercised => self.not_exercised += 1,
            Outcome::NotApplicable => {}
        }
        let is_violated = |outcome| matches!(outcome, Outcome::Violated(_));
        self.only_own += u32::from(is_violated(own) && shipped == Outcome::Held);
        self.only_shipped += u32::from(own == Outcome::Held && is_violated(shipped));
    }
}

impl Ended {
    pub(super) fn is(&self, (scenario, lapse): &(String, Lapse)) -> bool {
        (&self.scenario, &self.lapse) == (scenario, lapse)
    }
}

impl fmt::Display for Lapse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Violates(oracle) => write!(f, "violates {oracle}"),
            Self::NoGrant => f.write_str("is never granted"),
        }
    }
}

impl fmt::Display for Swept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ran, all) = (self.ran.len(), self.ran.len() + self.unfit.len());
        writeln!(
            f,
            "{} in the {ran} of {all} shipped scenarios that fit it, beside the shipped lock that promises the same, on \
             the same terms and under the same plans\n",
            self.lock
        )?;
        let head = ["oracle", "held", "violated", "not exercised", "only own", "only shipped"];
        let line = |f: &mut fmt::Formatter<'_>, cells: [String; 6]| {
            let [oracle, held, violated, unexercised, own, shipped] = cells;
            writeln!(f, "{oracle:20}{held:>6}{violated:>10}{unexercised:>15}{own:>10}{shipped:>14}")
        };
        line(f, head.map(str::to_owned))?;
        for (oracle, counts) in &self.counts {
            let Counts { held, violated, not_exercised, only_own, only_shipped } = *counts;
            if held + violated + not_exercised > 0 {
                let counts = [held, violated, not_exercised, only_own, only_shipped].map(|n| n.to_string());
                let [held, violated, unexercised, own, shipped] = counts;
                line(f, [oracle.to_string(), held, violated, unexercised, own, shipped])?;
            }
        }
        f.write_str("\nonly own, only shipped: violated by one of the two and held by the other\n")?;
        let lists = [("worse than the shipped lock", &self.worse), ("must hold and do not", &self.broken)];
        for (title, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
            writeln!(f, "\n{title}")?;
            for Ended { scenario, lapse, seed, is_accepted } in list.iter().take(LINES) {
                let accepted = if *is_accepted { ", accepted" } else { "" };
                writeln!(f, "  {scenario}: {lapse} (seed {seed}){accepted}")?;
            }
            if list.len() > LINES {
                writeln!(f, "  … and {} more", list.len() - LINES)?;
            }
        }
        Ok(())
    }
}
