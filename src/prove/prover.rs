//! Proving a model: searches until every oracle asked for is violated or the graph is exhausted, then the witnesses.
//!
//! Oracles are judged together; when some are violated, the search begins anew without them, so that what counts as
//! exhausted was exhausted for exactly those that hold. Reads no clock: who calls imposes time limits by the callback.

use super::ask::Model;
use super::choices::Choice;
use super::export::{Export, export};
use super::kind::{Kind, Menu};
use super::model::{Question, ScopeModel};
use super::progress::{How, progress};
use super::proof::{Counterexample, Effort, Ended, Finding, Proof, Replay};
use super::scope::Scope;
use super::search::{CollisionBound, End, Keep, Limits, Progress, Search, Searched};
use super::seen::{Seen, TOUCHED, exercised, happened, violated, witnessed};
use super::terms::Touch;
use super::witness::witness;
use crate::check::{OracleName, WitnessName};
use crate::lock::LockCore;
use crate::world::Setup;
use std::ops::ControlFlow;

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many threads search. Nothing but the time depends on it.
    pub threads: usize,
    /// The most unique states of one search.
    pub states_max: u32,
    /// The most memory of one search, in bytes, by estimate.
    pub bytes_max: u64,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighted {
    /// Unique states so far.
    pub states: u64,
    /// Transitions so far.
    pub edges: u64,
    /// The depth of those being expanded.
    pub depth: u32,
    /// States not expanded yet.
    pub frontier: u64,
}

/// What a state takes on the heap, about: for the estimate of memory.
const HEAP_PER_STATE: u64 = 3_000;

/// What is seen of a search.
type Watch<'a> = &'a mut dyn FnMut(&Sighted) -> ControlFlow<()>;

/// Proves a model of the shipped cores.
pub fn prove_model(model: &Model, options: &Options, watch: Watch<'_>) -> Proof {
    prove_model_with(model, &crate::sim::cores, options, watch)
}

/// Proves a model with cores of any kind in the place of those that its file names.
///
/// # Panics
/// As [`ScopeModel::new`].
pub fn prove_model_with<C: LockCore>(
    model: &Model,
    make: crate::sim::Make<'_, C>,
    options: &Options,
    watch: Watch<'_>,
) -> Proof {
    let setup = model.scope.setup(model.policy.clone());
    let cores = make(&setup);
    let oracles: Vec<OracleName> = model.expect.iter().map(|(oracle, _)| *oracle).collect();
    let mut prover = Prover::new(model.scope, model.menu.clone(), setup, cores, oracles, *options, watch);
    let mut proof = prover.prove();
    if let Some(asked) = model.progress {
        proof.progress = Some(prover.progress(asked, &mut proof.effort));
    }
    proof
}

/// Proves that cores of any kind keep to these oracles in a scope; one core per client of `setup`.
///
/// # Panics
/// As [`ScopeModel::new`].
pub fn prove_cores<C: LockCore>(
    scope: Scope,
    menu: Menu,
    setup: Setup,
    cores: Vec<C>,
    oracles: &[OracleName],
    options: &Options,
    watch: Watch<'_>,
) -> Proof {
    Prover::new(scope, menu, setup, cores, oracles.to_vec(), *options, watch).prove()
}

struct Prover<'a, C> {
    world: ScopeModel<C>,
    oracles: Vec<OracleName>,
    options: Options,
    watch: Watch<'a>,
    /// What was seen in any search.
    marks: u64,
    beside: u64,
    stopped: bool,
}

impl<'a, C: LockCore> Prover<'a, C> {
    fn new(
        scope: Scope,
        menu: Menu,
        setup: Setup,
        cores: Vec<C>,
        oracles: Vec<OracleName>,
        options: Options,
        watch: Watch<'a>,
    ) -> Self {
        let world = ScopeModel::new(scope, menu, setup, cores, &oracles, Question::Violated);
        Self { world, oracles, options, watch, marks: 0, beside: 0, stopped: false }
    }

    fn prove(&mut self) -> Proof {
        let arising: Vec<OracleName> = self.world.oracles().collect();
        let mut findings: Vec<(OracleName, Finding)> =
            self.oracles.iter().map(|oracle| (*oracle, Finding::NotApplicable)).collect();
        let (effort, held) = self.judge(&arising, &mut findings);
        let (witnesses, seen) = self.witnesses(&held);
        for (oracle, finding) in &mut findings {
            if held.contains(oracle) {
                *finding = match (effort.ended, seen.0 & exercised(*oracle) != 0, seen.1) {
                    (Ended::Exhausted, true, _) => Finding::Held,
                    (Ended::Exhausted, false, true) => Finding::NotExercised,
                    (Ended::Exhausted, false, false)
                    | (Ended::Limit | Ended::Stopped | Ended::Answered, _, _) => Finding::Unknown,
                };
            }
        }
        let kinds = self.world.terms().menu.allowed.iter().map(|allowed| allowed.kind);
        let happened = kinds.map(|kind| (kind, self.marks & happened(kind) != 0)).collect();
        let effort = Effort { beside: self.beside, ..effort };
        Proof { findings, witnesses, happened, progress: None, effort }
    }

    /// Searches, each time without what was violated, until nothing more is. Returns the last search, and the oracles
    /// that it did not see violated.
    fn judge(
        &mut self,
        arising: &[OracleName],
        findings: &mut [(OracleName, Finding)],
    ) -> (Effort, Vec<OracleName>) {
        let mut left = arising.to_vec();
        loop {
            let graph = self.world.asking(Question::Violated, &left);
            let (searched, effort) = self.search(&graph, &left);
            let broken: Vec<OracleName> =
                left.iter().copied().filter(|oracle| searched.marks().0 & violated(*oracle) != 0).collect();
            for oracle in &broken {
                let found = self.counterexample(&graph, &searched, *oracle);
                if let Some((_, finding)) = findings.iter_mut().find(|(name, _)| name == oracle) {
                    *finding = Finding::Violated(Box::new(found));
                }
            }
            left.retain(|oracle| !broken.contains(oracle));
            if broken.is_empty() || left.is_empty() || self.stopped {
                let answered = left.is_empty() && !arising.is_empty() && effort.ended != Ended::Exhausted;
                let ended = if answered { Ended::Answered } else { effort.ended };
                let ended = if self.stopped && !left.is_empty() { Ended::Stopped } else { ended };
                return (Effort { ended, ..effort }, left);
            }
            self.beside += effort.states;
        }
    }

    fn limits(&self) -> Limits {
        Limits {
            states: self.options.states_max,
            bytes: self.options.bytes_max,
            heap_per_state: HEAP_PER_STATE,
        }
    }

    /// A search that ends with the level in which any of these is violated.
    fn search(&mut self, graph: &ScopeModel<C>, oracles: &[OracleName]) -> (Searched, Effort) {
        let any = oracles.iter().fold(0, |all, oracle| all | violated(*oracle));
        let (threads, limits) = (self.options.threads, self.limits());
        let mut level = None;
        let mut stopped = false;
        let watch = &mut self.watch;
        let search = Search { threads, wanted: super::graph::Marks::NONE, limits, keep: Keep::Paths };
        let searched = search.run(graph, |so_far: &Progress| {
            // A violation ends the search, but only with its level: the first in the order of the level is a matter of
            // the graph, and not of blocks.
            if so_far.marks.0 & any != 0 {
                match level {
                    None => level = Some(so_far.depth),
                    Some(known) if known != so_far.depth => return ControlFlow::Break(()),
                    Some(_) => {}
                }
            }
            let flow = watch(&sighted(so_far));
            stopped |= flow.is_break();
            flow
        });
        self.stopped |= stopped;
        self.marks |= searched.marks().0;
        let ended = match searched.end() {
            End::Exhausted => Ended::Exhausted,
            End::States | End::Bytes => Ended::Limit,
            End::Wanted => Ended::Answered,
            End::Interrupted if stopped => Ended::Stopped,
            End::Interrupted => Ended::Answered,
        };
        let effort = Effort {
            states: u64::from(searched.states()),
            edges: searched.generated(),
            depth: searched.depth(),
            beside: 0,
            ended,
            collision_power: CollisionBound::of(searched.states()).bits,
        };
        (searched, effort)
    }

    /// The shortest schedule that violates this oracle, and what the seeded world says of it.
    fn counterexample(
        &mut self,
        graph: &ScopeModel<C>,
        searched: &Searched,
        oracle: OracleName,
    ) -> Counterexample {
        let (found, touches) = self.exported(graph, searched, oracle);
        if found.replay == Replay::Agrees || !touches {
            return found;
        }
        // In ticks it touches in a point. Perhaps there is one that does more.
        let apart = graph.asking(Question::Violated, &[oracle]).with_touch(Touch::Apart);
        let (searched, effort) = self.search(&apart, &[oracle]);
        self.beside += effort.states;
        if searched.marks().0 & violated(oracle) != 0 {
            return self.exported(&apart, &searched, oracle).0;
        }
        match effort.ended {
            Ended::Exhausted => Counterexample { replay: Replay::Touches, ..found },
            // Nobody knows whether there is one that does more.
            Ended::Answered | Ended::Limit | Ended::Stopped => {
                Counterexample { replay: Replay::Untold, ..found }
            }
        }
    }

    fn exported(
        &self,
        graph: &ScopeModel<C>,
        searched: &Searched,
        oracle: OracleName,
    ) -> (Counterexample, bool) {
        let bit = violated(oracle).trailing_zeros() as u8;
        let walk = searched.walk_over(bit).expect("what was seen has a first edge");
        let path = searched.path(graph, &walk);
        let (faults, touches) = told(graph, &path);
        let Export { plan, end, whole } = export(graph, &path);
        let replay = match (super::rerun::violates(&self.world, oracle, &plan, end), whole) {
            (true, _) => Replay::Agrees,
            (false, true) => Replay::Disagrees,
            (false, false) => Replay::Untold,
        };
        (Counterexample { path, plan, end, faults, replay }, touches)
    }

    /// What was witnessed, and the marks behind it with whether what is not there is nowhere.
    fn witnesses(&mut self, held: &[OracleName]) -> (Vec<(WitnessName, bool)>, (u64, bool)) {
        let names = self.names();
        if self.stopped {
            return (names.into_iter().map(|name| (name, false)).collect(), (0, false));
        }
        let wanted = names.iter().fold(0, |all, name| all | witnessed(*name));
        let owed = held.iter().fold(0, |all, oracle| all | exercised(*oracle));
        let graph = self.world.asking(Question::Exercised, &self.oracles);
        let limits = self.limits();
        let watch = &mut self.watch;
        let threads = self.options.threads;
        let found = witness(&graph, wanted, owed, threads, limits, &mut |so_far| watch(&sighted(so_far)));
        self.beside += found.states;
        self.marks |= found.marks & !violated_bits();
        let seen = |name: WitnessName| (name, found.marks & witnessed(name) != 0);
        (names.into_iter().map(seen).collect(), (found.marks, found.exhausted))
    }

    /// What is looked for besides.
    fn names(&self) -> Vec<WitnessName> {
        let scope = self.world.scope();
        let mut names = vec![WitnessName::Grants];
        if scope.clients > 1 {
            names.extend([WitnessName::Contention, WitnessName::HandOver, WitnessName::ExpiryUnderLoad]);
        }
        if scope.store != crate::world::StoreMode::Plain {
            names.push(WitnessName::RefusedWrite);
        }
        names
    }

    fn progress(
        &mut self,
        asked: super::ask::Progress,
        effort: &mut Effort,
    ) -> super::proof::ProgressFinding {
        let how = How { threads: self.options.threads, limits: self.limits() };
        let watch = &mut self.watch;
        let (finding, states) = progress(&self.world, asked, how, &mut |so_far| watch(&sighted(so_far)));
        effort.beside += states;
        let bits = CollisionBound::of(u32::try_from(states).unwrap_or(u32::MAX)).bits;
        effort.collision_power = effort.collision_power.min(bits);
        finding
    }
}

fn violated_bits() -> u64 {
    OracleName::TEXTS.iter().fold(0, |all, (oracle, _)| all | violated(*oracle))
}

fn sighted(so_far: &Progress) -> Sighted {
    Sighted {
        states: u64::from(so_far.states),
        edges: so_far.generated,
        depth: so_far.depth,
        frontier: so_far.frontier as u64,
    }
}

/// The kinds of fault on a path, in order, and whether the intervals at its end only touch.
fn told<C: LockCore>(graph: &ScopeModel<C>, path: &[Choice]) -> (Vec<Kind>, bool) {
    let (mut state, _) = graph.start(&mut Seen::default());
    let (mut faults, mut touches) = (Vec::new(), false);
    for choice in path {
        let mut seen = Seen::default();
        state.choose(*choice, graph.terms(), &mut seen);
        let kinds = Kind::TEXTS.iter().map(|(kind, _)| *kind);
        faults.extend(kinds.filter(|kind| seen.marks & happened(*kind) != 0));
        touches = seen.marks & TOUCHED != 0;
    }
    (faults, touches)
}
