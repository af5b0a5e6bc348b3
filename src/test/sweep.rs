//! All shipped scenarios with a lock of one's own, beside the shipped lock that promises the same.
//!
//! What a scenario expects was written for its own lock and plan, and is not asked here. The measure is another run of
//! the same world: the lock of the specification (`single` or `redlock`) on the same terms, under the same plan, with
//! the features that one's own has. Where it holds and one's own does not, one's own is worse. Must not judge what
//! happened: `check` does.

use super::playing::{OwnMake, expecting, fits, hunted};
use super::steer::{Steer, command};
use super::swept::{Ended, Lapse, Swept};
use crate::check::{Expected, OracleName, Outcome};
use crate::history::Fact;
use crate::lock::{Core, CoreTraits, Extension, Fence, LockCore, Renewal, Soundness, Terms};
use crate::report::{Story, run_text};
use crate::scenario::{Runner, Scenario, parse, shipped};
use crate::sim::{Explorer, Keep, Plans, Seeds, Subject, Tally, own_cores, terms};
use crate::world::Setup;
use std::sync::Arc;

/// A sweep that is about to be made.
#[must_use = "nothing is run before `assert_no_worse` or `run`"]
pub struct Sweep<'a, C> {
    make: OwnMake<'a, C>,
    must_hold: Vec<OracleName>,
    accepted: Vec<(String, Lapse)>,
}

/// Every shipped scenario that has as many nodes as the lock asks, with this lock in the place of the file's.
///
/// Each is run under the seed of its file; `FENCEPOST_SEED` replaces it, `FENCEPOST_SEEDS=0..100` runs each under so
/// many.
pub fn sweep<'a, C: LockCore>(make: impl Fn(&Terms) -> C + Sync + 'a) -> Sweep<'a, C> {
    let make = Box::new(move |setup: &Setup| own_cores(setup, &make));
    Sweep { make, must_hold: Vec::new(), accepted: Vec::new() }
}

impl<C: LockCore> Sweep<'_, C> {
    /// Besides, these must hold wherever they can arise, whatever the shipped lock does there, and be exercised
    /// somewhere.
    pub fn must_hold(self, oracles: &[OracleName]) -> Self {
        Self { must_hold: oracles.to_vec(), ..self }
    }

    /// It is known that this lock violates an oracle in this scenario where the shipped one does not.
    pub fn accept(mut self, scenario: &str, oracle: OracleName) -> Self {
        self.accepted.push((scenario.to_owned(), Lapse::Violates(oracle)));
        self
    }

    /// It is known that this lock is never granted in this scenario, where the shipped one is.
    pub fn accept_no_grant(mut self, scenario: &str) -> Self {
        self.accepted.push((scenario.to_owned(), Lapse::NoGrant));
        self
    }

    /// Makes the sweep and returns it, whatever it says.
    ///
    /// # Panics
    /// If two runs of one seed differ: then the lock is no function of its inputs.
    #[track_caller]
    pub fn run(&self) -> Swept {
        let steer = Steer::read();
        let mut swept = Swept::empty();
        for (name, text) in shipped() {
            let scenario = parse(name, text).expect("what is shipped can be read");
            let cores = (self.make)(&scenario.setup);
            swept.lock = cores.first().map_or(swept.lock, |core| core.describe().protocol);
            let Some(peers) = fits(&cores, &scenario).ok().and_then(|()| self.peers(&scenario)) else {
                swept.unfit.push(name.to_owned());
                continue;
            };
            let seeds = match (steer.seed, steer.seeds) {
                (Some(seed), _) => Seeds::new(seed, seed + 1),
                (None, Some(seeds)) => Ok(seeds),
                (None, None) => Seeds::new(scenario.seed, scenario.seed + 1),
            };
            let seeds = seeds.expect("a seed below 2^53 is a range");
            let asked = Scenario { expect: None, ..scenario.clone() };
            let own = hunted(&Subject::with(&asked, Plans::Kept, &*self.make), &asked, seeds).tally;
            let shipped =
                hunted(&Subject::with(&asked, Plans::Kept, &|_| peers.clone()), &asked, seeds).tally;
            self.note(&mut swept, &scenario, &own, &shipped);
        }
        let stale = self.accepted.iter().filter(|known| !swept.worse.iter().any(|worse| worse.is(known)));
        swept.vain = stale.cloned().collect();
        swept
    }

    /// The test passes if the lock is nowhere worse than the shipped one but where that is accepted, holds what it must
    /// hold, and nothing is accepted in vain.
    ///
    /// # Panics
    /// In every other case: the report of the first scenario that shows it, as the command line prints a run, and then
    /// the table of all.
    #[track_caller]
    pub fn assert_no_worse(&self) {
        let swept = self.run();
        // Whoever is never granted has broken nothing else yet.
        let unknown = swept.worse.iter().filter(|worse| !worse.is_accepted);
        let worse = unknown.min_by_key(|worse| worse.lapse != Lapse::NoGrant);
        if let Some(first) = worse.or_else(|| swept.broken.first()) {
            panic!("{}\n{swept}", self.told(first));
        }
        if let Some((name, lapse)) = swept.vain.first() {
            panic!("{name}: this lock is no worse here, so accepting that it {lapse} is in vain\n\n{swept}");
        }
        let missing = self.must_hold.iter().find(|oracle| !swept.is_exercised(**oracle));
        if let Some(oracle) = missing {
            panic!("{oracle} must hold and is exercised in no scenario, which says nothing\n\n{swept}");
        }
    }

    fn note(&self, swept: &mut Swept, scenario: &Scenario, own: &Tally, shipped: &Tally) {
        swept.ran.push(scenario.name.clone());
        let ended = |tally: &Tally, oracle| {
            tally.oracles.get(&oracle).map_or(Outcome::NotApplicable, |found| found.outcome())
        };
        let add = |lapse, seed| {
            let is_accepted = self.accepted.contains(&(scenario.name.clone(), lapse));
            Ended { scenario: scenario.name.clone(), lapse, seed, is_accepted }
        };
        for oracle in own.oracles.keys().copied() {
            let (mine, theirs) = (ended(own, oracle), ended(shipped, oracle));
            swept.counts.entry(oracle).or_default().push(mine, theirs);
            let Outcome::Violated(_) = mine else { continue };
            let seed = own.oracles[&oracle].first.map_or(scenario.seed, |(seed, _)| seed);
            if theirs == Outcome::Held {
                swept.worse.push(add(Lapse::Violates(oracle), seed));
            }
            if self.must_hold.contains(&oracle) {
                swept.broken.push(add(Lapse::Violates(oracle), seed));
            }
        }
        if own.grants() == 0 && shipped.grants() > 0 {
            swept.worse.push(add(Lapse::NoGrant, scenario.seed));
        }
    }

    /// The shipped locks with the features of one's own; `None` where the terms are such that none can be made.
    fn peers(&self, scenario: &Scenario) -> Option<Vec<Core>> {
        let run = Explorer::with(scenario, &*self.make).run(scenario.seed, Keep::Records);
        // Whoever never prolongs a hold is measured by a lock that never does either.
        let extends = run.records.iter().any(|record| matches!(record.fact, Fact::Extended { .. }));
        let cores = terms(&scenario.setup).into_iter().zip(&run.locks);
        cores.map(|(terms, traits)| peer(&terms, traits, extends)).collect()
    }

    /// The report of a run that shows it.
    fn told(&self, ended: &Ended) -> String {
        let text = shipped().find(|(name, _)| *name == ended.scenario).map(|(_, text)| text);
        let scenario =
            parse(&ended.scenario, text.expect("it was run")).expect("what is shipped can be read");
        let expect = match ended.lapse {
            Lapse::Violates(oracle) => Some(expecting(&[oracle], Expected::Held)),
            Lapse::NoGrant => None,
        };
        let scenario = Scenario { expect, runner: Runner::Test(command()), ..scenario };
        let result = Explorer::with(&scenario, &*self.make).run(ended.seed, Keep::Records);
        let text = run_text(Story { scenario: &scenario, result: &result }, Steer::read().length);
        match ended.lapse {
            Lapse::Violates(_) => text,
            Lapse::NoGrant => {
                format!("{}: this lock is never granted, and the shipped one is: {text}", ended.scenario)
            }
        }
    }
}

fn peer(terms: &Terms, traits: &CoreTraits, extends: bool) -> Option<Core> {
    let mut policy = terms.spec();
    if traits.fenced && terms.voters == 1 {
        policy.fence = Fence::Incr;
    }
    if traits.renewal.is_some() {
        policy.renewal = Renewal::Watchdog;
    }
    if extends || traits.renewal.is_some() {
        policy.extension = Extension::Compare;
    }
    policy.validate(Soundness::Waived).ok()?;
    Some(Core::new(Arc::new(policy), terms.key.clone()))
}
