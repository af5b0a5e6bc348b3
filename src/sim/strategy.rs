//! Plans of a profile as a proptest strategy, for tests of one's own: they shrink.
//!
//! A plan that fails loses its faults one after the other, then the lengths of what is left are bisected. What is left
//! is a plan like any other, but no sample of the profile. Must not be used for rates.

use super::draw::draw;
use crate::plan::{Plan, Profile, Slots};
use crate::time::Span;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use rand_core::Rng as _;

/// Plans of this profile at these targets.
pub fn plans(profile: &Profile, slots: Slots) -> impl Strategy<Value = Plan> + use<> {
    Plans { profile: profile.clone(), slots }
}

#[derive(Clone, Debug)]
struct Plans {
    profile: Profile,
    slots: Slots,
}

/// A plan and how far it is shrunk.
#[derive(Clone, Debug)]
struct PlanTree {
    plan: Plan,
    /// Which faults are still there.
    kept: Vec<bool>,
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Faults before this index have been tried without.
    Drop(usize),
    /// The length of this fault is bisected: shorter than `low` was too short, `high` fails.
    Shorten { index: usize, low: Span, high: Span },
    /// There is nothing left to try.
    Done,
}

impl Strategy for Plans {
    type Tree = PlanTree;
    type Value = Plan;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let plan = draw(runner.rng().next_u64() >> 11, &self.profile, self.slots);
        Ok(PlanTree { kept: vec![true; plan.faults.len()], plan, step: Step::Drop(0) })
    }
}

impl PlanTree {
    fn lasts(&mut self, index: usize) -> &mut Option<Span> {
        &mut self.plan.faults[index].lasts
    }

    /// Bisects the length of the first fault from `index` on that has one to bisect.
    fn shorten_from(&mut self, index: usize) -> bool {
        let shortest = Span::from_ms(1);
        let longer =
            |at: &usize| self.kept[*at] && self.plan.faults[*at].lasts.is_some_and(|lasts| lasts > shortest);
        let Some(index) = (index..self.kept.len()).find(longer) else {
            self.step = Step::Done;
            return false;
        };
        let high = self.plan.faults[index].lasts.expect("it was just looked at");
        self.bisect(index, shortest, high)
    }

    fn bisect(&mut self, index: usize, low: Span, high: Span) -> bool {
        let middle = Span::from_ms((low + high).as_ms_floor().div_euclid(2)).max(low);
        if middle >= high {
            return self.shorten_from(index + 1);
        }
        self.step = Step::Shorten { index, low, high };
        *self.lasts(index) = Some(middle);
        true
    }
}

impl ValueTree for PlanTree {
    type Value = Plan;

    fn current(&self) -> Plan {
        let faults = self.plan.faults.iter().zip(&self.kept).filter(|(_, kept)| **kept);
        Plan { faults: faults.map(|(fault, _)| fault.clone()).collect(), ..self.plan.clone() }
    }

    fn simplify(&mut self) -> bool {
        match self.step {
            Step::Drop(index) if index < self.kept.len() => {
                self.kept[index] = false;
                self.step = Step::Drop(index + 1);
                true
            }
            Step::Drop(_) => self.shorten_from(0),
            Step::Shorten { index, low, .. } => {
                let high = self.plan.faults[index].lasts.expect("only what has a length is bisected");
                self.bisect(index, low, high)
            }
            Step::Done => false,
        }
    }

    fn complicate(&mut self) -> bool {
        match self.step {
            Step::Drop(next) if next > 0 && !self.kept[next - 1] => {
                self.kept[next - 1] = true;
                true
            }
            Step::Shorten { index, high, .. } => {
                let tried = self.plan.faults[index].lasts.expect("only what has a length is bisected");
                if tried >= high {
                    return false;
                }
                // What was tried is too short, and `high` is known to fail.
                *self.lasts(index) = Some(high);
                self.step = Step::Shorten { index, low: tried + Span::from_ms(1), high };
                true
            }
            Step::Drop(_) | Step::Done => false,
        }
    }
}
