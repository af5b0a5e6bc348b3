//! The smallest schedule that violates the same oracle.
//!
//! Faults go first, in halves and then one by one (ddmin: Zeller and Hildebrandt 2002, Simplifying and Isolating
//! Failure-Inducing Input), then directives, then clients from the last, cycles and work; what is left is made
//! shorter and its times rounder. Every step is written as a file, read again and run: what is accepted can be kept.
//! Deterministic, and bounded by a number of runs. Must not open files.

use super::cores::{Make, cores};
use super::judged::{Keep, RunResult};
use super::magnitude::{magnitudes, moments, rounder};
use super::run::Explorer;
use crate::check::{OracleName, Outcome};
use crate::lock::LockCore;
use crate::name::{ClientId, Name, Process};
use crate::plan::{
    Deferral, Fault, MessageDirective, OrderDirective, OrderTerm, PauseScope, Plan, PlannedFault, When,
};
use crate::scenario::{Edits, Scenario, parse, write};
use crate::time::Span;
use crate::world::Length;

/// The most runs that shrinking takes unless somebody says otherwise.
pub const RUNS_MAX: u32 = 2_000;

/// A schedule that nothing could be taken from.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The scenario, read from its own text; its plan is spelled out and its seed in place.
    pub scenario: Scenario,
    /// Its run, with records.
    pub result: RunResult,
    /// What it was before.
    pub before: Size,
    /// What it is.
    pub after: Size,
    /// How many runs it took.
    pub runs: u32,
    /// Whether the bound on runs ended it.
    pub bounded: bool,
}

/// How large a schedule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Size {
    /// Faults of its plan.
    pub faults: usize,
    /// Directives of messages and orders, and deferrals.
    pub directives: usize,
    /// Clients.
    pub clients: usize,
    /// Sections that the busiest client wants.
    pub cycles: u32,
    /// Events of its run.
    pub events: u64,
}

/// Why nothing was shrunk: under this seed the oracle is not violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{oracle} is not violated under seed {seed}")]
pub struct NotViolated {
    /// The oracle.
    pub oracle: OracleName,
    /// The seed.
    pub seed: u64,
}

/// Makes a run of a scenario, of at most so many events if any number is given.
pub type Play<'a> = dyn Fn(&Scenario, Keep, Option<u64>) -> RunResult + 'a;

/// Shrinks the run of a scenario under a seed to the smallest that violates the oracle. At most `runs_max` runs,
/// the first and the last not counted.
///
/// # Errors
/// There is nothing to shrink.
pub fn shrink(
    scenario: &Scenario,
    seed: u64,
    oracle: OracleName,
    runs_max: u32,
) -> Result<Shrunk, NotViolated> {
    shrink_with(scenario, seed, oracle, runs_max, &cores)
}

/// The same with cores of any kind.
///
/// # Errors
/// As [`shrink`].
pub fn shrink_with<C: LockCore>(
    scenario: &Scenario,
    seed: u64,
    oracle: OracleName,
    runs_max: u32,
    make: Make<'_, C>,
) -> Result<Shrunk, NotViolated> {
    let play = |scenario: &Scenario, keep, events| {
        let explorer = Explorer::with(scenario, make);
        let explorer = if let Some(events) = events { explorer.at_most(events) } else { explorer };
        explorer.run(seed, keep)
    };
    shrink_by(scenario, seed, oracle, runs_max, &play)
}

/// The same by whoever makes a run of a scenario under this seed; of at most so many events, if any number is given.
///
/// # Errors
/// As [`shrink`].
pub fn shrink_by(
    scenario: &Scenario,
    seed: u64,
    oracle: OracleName,
    runs_max: u32,
    play: &Play<'_>,
) -> Result<Shrunk, NotViolated> {
    let first = play(scenario, Keep::Nothing, None);
    if !violates(&first, oracle) {
        return Err(NotViolated { oracle, seed });
    }
    let cycles = busiest(scenario);
    let mut shrinker = Shrinker {
        scenario,
        play,
        seed,
        oracle,
        runs: 0,
        runs_max,
        // A step that makes a run much longer is no step towards a small one.
        events_max: first.events.saturating_mul(4).max(1_000),
        best: Candidate {
            plan: scenario.setup.plan.clone(),
            clients: scenario.setup.clients.len() as u16,
            cycles,
            work: longest_work(scenario),
        },
    };
    shrinker.whole();
    let small = shrinker.read(&shrinker.best).expect("what was accepted can be read");
    let result = play(&small, Keep::Records, None);
    assert!(violates(&result, oracle), "a step that was accepted violates {oracle} again");
    Ok(Shrunk {
        before: size(scenario, first.events),
        after: size(&small, result.events),
        scenario: small,
        result,
        runs: shrinker.runs,
        bounded: shrinker.runs >= runs_max,
    })
}

/// What may get smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Candidate {
    plan: Plan,
    clients: u16,
    cycles: u32,
    /// The longest work; zero if all of it is drawn.
    work: Span,
}

/// A directive of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Directive {
    Message(MessageDirective),
    Order(OrderDirective),
    Deferral(Deferral),
}

struct Shrinker<'a> {
    scenario: &'a Scenario,
    play: &'a Play<'a>,
    seed: u64,
    oracle: OracleName,
    runs: u32,
    runs_max: u32,
    events_max: u64,
    best: Candidate,
}

impl Shrinker<'_> {
    /// All steps, again and again until none helps.
    fn whole(&mut self) {
        loop {
            let before = self.best.clone();
            self.faults();
            self.directives();
            self.clients();
            self.cycles();
            self.work();
            self.magnitudes();
            self.moments();
            if self.best == before || self.runs >= self.runs_max {
                return;
            }
        }
    }

    fn faults(&mut self) {
        let faults = self.best.plan.faults.clone();
        self.thin(&faults, |best, faults| best.plan.faults = faults);
    }

    fn directives(&mut self) {
        let plan = &self.best.plan;
        let messages = plan.messages.iter().map(|directive| Directive::Message(*directive));
        let orders = plan.orders.iter().map(|directive| Directive::Order(*directive));
        let deferrals = plan.deferrals.iter().map(|deferral| Directive::Deferral(*deferral));
        let all: Vec<Directive> = messages.chain(orders).chain(deferrals).collect();
        self.thin(&all, |best, directives| {
            let plan = Plan { faults: std::mem::take(&mut best.plan.faults), ..Plan::empty() };
            best.plan = directives.into_iter().fold(plan, |mut plan, directive| {
                match directive {
                    Directive::Message(message) => plan.messages.push(message),
                    Directive::Order(order) => plan.orders.push(order),
                    Directive::Deferral(deferral) => plan.deferrals.push(deferral),
                }
                plan
            });
        });
    }

    /// ddmin by complements: leaves out ever smaller parts while the rest still violates.
    fn thin<T: Clone>(&mut self, all: &[T], set: impl Fn(&mut Candidate, Vec<T>)) {
        let mut kept = all.to_vec();
        let mut part = kept.len();
        while part > 0 && !kept.is_empty() {
            let (mut at, mut shorter) = (0, false);
            while at < kept.len() {
                let mut rest = kept.clone();
                rest.drain(at..(at + part).min(kept.len()));
                if self.accepts(|best| set(best, rest.clone())) {
                    (kept, shorter) = (rest, true);
                } else {
                    at += part;
                }
            }
            part = match (part, shorter) {
                (1, true) => 1,
                (part, _) => part / 2,
            };
        }
    }

    fn clients(&mut self) {
        let (least, most) = (1, i64::from(self.best.clients));
        self.smallest(least, most, 1, |best, count| {
            best.clients = count as u16;
            best.plan = only_clients(&best.plan, best.clients);
        });
    }

    fn cycles(&mut self) {
        self.smallest(1, i64::from(self.best.cycles), 1, |best, cycles| best.cycles = cycles as u32);
    }

    fn work(&mut self) {
        let longest = self.best.work.as_ms_floor();
        if longest > 0 {
            self.smallest(0, longest, 1 + longest / 64, |best, ms| best.work = Span::from_ms(ms));
            self.round(|best| Some(best.work.0), |best, us| best.work = Span(us));
        }
    }

    /// Durations, steps, delays, lags: each by itself towards nothing.
    fn magnitudes(&mut self) {
        for index in 0..magnitudes(&mut self.best.plan.clone()).len() {
            let now = *magnitudes(&mut self.best.plan.clone())[index];
            let (sign, most) = (now.0.signum(), now.0.abs());
            let set = |best: &mut Candidate, us: i64| *magnitudes(&mut best.plan)[index] = Span(sign * us);
            self.smallest(1, most, 1 + most / 64, set);
            let value = |best: &Candidate| Some(magnitudes(&mut best.plan.clone())[index].0.abs());
            self.round(value, set);
        }
    }

    /// The moments at which faults begin: rounder, earlier or later by less than the unit.
    fn moments(&mut self) {
        for index in 0..moments(&mut self.best.plan.clone()).len() {
            let value = |best: &Candidate| i64::try_from(moments(&mut best.plan.clone())[index].0).ok();
            self.round(value, |best, us| moments(&mut best.plan)[index].0 = us.unsigned_abs());
        }
    }

    /// Finds a small value between `least` and `most`, which violates, to within `grain`: halves as long as the
    /// smaller half violates.
    fn smallest(&mut self, least: i64, most: i64, grain: i64, set: impl Fn(&mut Candidate, i64)) {
        if least >= most || self.accepts(|best| set(best, least)) {
            return;
        }
        let (mut low, mut high) = (least, most);
        while high - low > grain {
            let middle = low + (high - low) / 2;
            if self.accepts(|best| set(best, middle)) {
                high = middle;
            } else {
                low = middle;
            }
        }
    }

    /// Replaces a time by the roundest one near it that still violates.
    fn round(&mut self, value: impl Fn(&Candidate) -> Option<i64>, set: impl Fn(&mut Candidate, i64)) {
        let Some(now) = value(&self.best) else { return };
        for rounder in rounder(now) {
            if self.accepts(|best| set(best, rounder)) {
                return;
            }
        }
    }

    /// Whether the best so far with this change still violates; then it is the best.
    fn accepts(&mut self, change: impl FnOnce(&mut Candidate)) -> bool {
        let mut candidate = self.best.clone();
        change(&mut candidate);
        if candidate == self.best || self.runs >= self.runs_max {
            return false;
        }
        let Some(scenario) = self.read(&candidate) else { return false };
        self.runs += 1;
        let run = (self.play)(&scenario, Keep::Nothing, Some(self.events_max));
        let accepted = violates(&run, self.oracle);
        if accepted {
            self.best = candidate;
        }
        accepted
    }

    /// The candidate, written and read again; `None` if it contradicts what the file says elsewhere.
    fn read(&self, candidate: &Candidate) -> Option<Scenario> {
        let edits = Edits {
            seed: self.seed,
            plan: &candidate.plan,
            clients: Some(candidate.clients),
            cycles: Some(candidate.cycles),
            work: (candidate.work > Span::ZERO || longest_work(self.scenario) > Span::ZERO)
                .then_some(candidate.work),
            only: Some(self.oracle),
        };
        let text = write(self.scenario, &edits);
        let mut scenario = parse(&self.scenario.origin, &text).ok()?;
        scenario.name.clone_from(&self.scenario.name);
        scenario.runner.clone_from(&self.scenario.runner);
        Some(scenario)
    }
}

fn violates(run: &RunResult, oracle: OracleName) -> bool {
    run.outcomes.iter().any(|(name, outcome)| *name == oracle && matches!(outcome, Outcome::Violated(_)))
}

fn busiest(scenario: &Scenario) -> u32 {
    scenario.setup.clients.iter().map(|client| client.workload.cycles).max().unwrap_or(1)
}

/// The longest work that is no distribution.
fn longest_work(scenario: &Scenario) -> Span {
    let works = scenario.setup.clients.iter().filter_map(|client| match &client.workload.work {
        Length::Of(span) => Some(*span),
        Length::Drawn(_) => None,
    });
    works.max().unwrap_or(Span::ZERO)
}

fn size(scenario: &Scenario, events: u64) -> Size {
    let plan = &scenario.setup.plan;
    Size {
        faults: plan.faults.len(),
        directives: plan.messages.len() + plan.orders.len() + plan.deferrals.len(),
        clients: scenario.setup.clients.len(),
        cycles: busiest(scenario),
        events,
    }
}

/// The plan without whatever is about clients that are gone.
fn only_clients(plan: &Plan, count: u16) -> Plan {
    let stays = |client: ClientId| client.0 < count;
    let process = |process: &Process| match process {
        Process::Client(client) => stays(*client),
        Process::Node(_) | Process::Store => true,
    };
    let term = |term: OrderTerm| match term {
        OrderTerm::Message(name) => stays(name.client),
        OrderTerm::Messages | OrderTerm::Timers => true,
    };
    let orders =
        plan.orders.iter().filter(|order| process(&order.of) && term(order.first) && term(order.then));
    Plan {
        faults: plan.faults.iter().filter_map(|planned| fault_of(planned, stays)).collect(),
        messages: plan.messages.iter().filter(|message| stays(message.name.client)).copied().collect(),
        orders: orders.copied().collect(),
        deferrals: plan.deferrals.iter().filter(|deferral| stays(deferral.client)).copied().collect(),
    }
}

/// The fault as far as it is about clients that stay.
fn fault_of(planned: &PlannedFault, stays: impl Fn(ClientId) -> bool) -> Option<PlannedFault> {
    let begins = match planned.when {
        When::At(_) => true,
        When::After(Name::Message(name)) => stays(name.client),
        When::After(Name::Point(name)) => stays(name.client),
    };
    let process = |process: &Process| match process {
        Process::Client(client) => stays(*client),
        Process::Node(_) | Process::Store => true,
    };
    let mut fault = planned.fault.clone();
    let remains = match &mut fault {
        Fault::Pause { scope: PauseScope::Process(paused), .. } => process(paused),
        Fault::Pause { scope: PauseScope::Worker(client, _), .. }
        | Fault::Crash { client }
        | Fault::Cancel { client } => stays(*client),
        Fault::ClockStep { process: whose, .. }
        | Fault::ClockRate { process: whose, .. }
        | Fault::ClockFreeze { process: whose, .. }
        | Fault::LateTimer { process: whose, .. } => process(whose),
        Fault::Cut { one, other, .. } => {
            one.retain(process);
            other.retain(process);
            !one.is_empty() && !other.is_empty()
        }
        Fault::Promote { except, .. } => {
            except.retain(|(client, _)| stays(*client));
            true
        }
        Fault::Kill { .. }
        | Fault::Slow { .. }
        | Fault::Evict { .. }
        | Fault::ErrorReply { .. }
        | Fault::FlushScripts { .. }
        | Fault::Demote { .. }
        | Fault::Lag { .. } => true,
    };
    (begins && remains).then_some(PlannedFault { fault, ..planned.clone() })
}
