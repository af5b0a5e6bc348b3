//! What can be asked of a core: the builder behind [`prove()`], and how a test ends.
//!
//! Must not search: `prove::prove_cores` does.

use super::told;
use super::world::world;
use crate::check::OracleName;
use crate::lock::LockCore;
use crate::prove::{Finding, Menu, Options, Proof, Question, Replay, Scope, ScopeModel, prove_cores};
use std::ops::ControlFlow;

/// A proof that is about to be made. It is made by [`run`](Self::run), [`assert_holds`](Self::assert_holds) or
/// [`assert_violates`](Self::assert_violates).
#[derive(Clone, Debug)]
#[must_use = "nothing is proved before `assert_holds`, `assert_violates` or `run`"]
pub struct Proving<C> {
    core: C,
    scope: Scope,
    menu: Menu,
    oracles: Vec<OracleName>,
    options: Options,
}

/// A proof of a core in a scope: every schedule of so many clients with a copy of this core each.
///
/// The core's own times must be those of the scope: [`Scope::key_life`], [`Scope::drift`], [`Scope::request_limit`].
/// Without further calls nothing goes wrong, and judged are `promise-overlap`, `promise-empty`, `section-overlap`,
/// `foreign-change` and, where the scope writes, `stale-write`.
///
/// ```
/// use fencepost::lock::{Core, Policy, Protocol, Ttl};
/// use fencepost::prove::Scope;
/// use std::sync::Arc;
///
/// // A shipped core; a lock of your own implements `fencepost::lock::LockCore`.
/// let scope = Scope { delay: 0, ..Scope::small(1) };
/// let policy = scope.policy(Policy::spec(Protocol::Single, 1, Ttl::Of(scope.key_life())));
/// let my_core = Core::new(Arc::new(policy), "resource".into());
///
/// fencepost::prove(my_core, scope).assert_holds();
/// ```
pub fn prove<C: LockCore>(core: C, scope: Scope) -> Proving<C> {
    let mut oracles = vec![
        OracleName::PromiseOverlap,
        OracleName::PromiseEmpty,
        OracleName::SectionOverlap,
        OracleName::ForeignChange,
    ];
    if scope.writes > 0 {
        oracles.push(OracleName::StaleWrite);
    }
    let options =
        Options { threads: Proving::<C>::THREADS, states_max: Proving::<C>::STATES, bytes_max: 4 << 30 };
    Proving { core, scope, menu: Menu::none(), oracles, options }
}

impl<C: LockCore> Proving<C> {
    /// How many threads search if nothing else is asked for.
    pub const THREADS: usize = 2;
    /// The most states of one search if nothing else is asked for: about half a minute in a debug build.
    pub const STATES: u32 = 200_000;

    /// What may go wrong.
    pub fn allowing(self, menu: Menu) -> Self {
        Self { menu, ..self }
    }

    /// What is judged instead of the usual, from [`ScopeModel::JUDGED`].
    pub fn judging(self, oracles: &[OracleName]) -> Self {
        Self { oracles: oracles.to_vec(), ..self }
    }

    /// How many threads search. Nothing but the time depends on it.
    pub fn threads(self, threads: usize) -> Self {
        Self { options: Options { threads, ..self.options }, ..self }
    }

    /// The most states of one search: with more in the scope the answer is *unknown*.
    pub fn states_max(self, states_max: u32) -> Self {
        Self { options: Options { states_max, ..self.options }, ..self }
    }

    /// Makes the proof and returns it, whatever it says.
    ///
    /// # Panics
    /// If the core does not fit the scope, or as [`ScopeModel::new`].
    pub fn run(&self) -> Proof {
        let setup = world(&self.scope, &self.core.describe());
        let cores = vec![self.core.clone(); usize::from(self.scope.clients)];
        let mut go_on = |_: &_| ControlFlow::Continue(());
        prove_cores(self.scope, self.menu.clone(), setup, cores, &self.oracles, &self.options, &mut go_on)
    }

    /// The test passes if every oracle judged is held: no schedule of the scope violates it, all were looked at, it is
    /// exercised in some, and every kind of fault that is allowed took effect in some.
    ///
    /// # Panics
    /// In every other case, with a text for a person: what went wrong, in which scope, the shortest schedule, how to go
    /// on. Besides as [`run`](Self::run).
    #[track_caller]
    pub fn assert_holds(&self) {
        let proof = self.run();
        let mut faults = Vec::new();
        for (oracle, finding) in &proof.findings {
            match finding {
                Finding::Held => {}
                Finding::Violated(found) => faults.push(told::violated(self, *oracle, found)),
                Finding::NotExercised | Finding::NotApplicable | Finding::Unknown => {
                    faults.push(told::not_held(*oracle, finding, &proof));
                }
            }
        }
        let never = proof.happened.iter().filter(|(_, seen)| !seen);
        faults.extend(never.map(|(kind, _)| told::never_happened(*kind)));
        assert!(faults.is_empty(), "{}", told::page(self, &proof, &faults));
    }

    /// The test passes if some schedule of the scope violates this oracle, and the seeded world agrees.
    ///
    /// # Panics
    /// In every other case, with a text for a person. Besides as [`run`](Self::run).
    #[track_caller]
    pub fn assert_violates(&self, oracle: OracleName) {
        let alone = Self { oracles: vec![oracle], ..self.clone() };
        let proof = alone.run();
        let fault = match &proof.findings[0].1 {
            Finding::Violated(found) if found.replay != Replay::Disagrees => return,
            Finding::Violated(found) => told::violated(&alone, oracle, found),
            Finding::Held => format!("{oracle} is held, and was meant to be violated\n"),
            finding @ (Finding::NotExercised | Finding::NotApplicable | Finding::Unknown) => {
                told::not_held(oracle, finding, &proof)
            }
        };
        panic!("{}", told::page(&alone, &proof, &[fault]));
    }

    pub(super) fn scope(&self) -> &Scope {
        &self.scope
    }

    pub(super) fn menu(&self) -> &Menu {
        &self.menu
    }

    pub(super) fn core(&self) -> &C {
        &self.core
    }

    /// The graph of the proof.
    pub(super) fn model(&self) -> ScopeModel<C> {
        let setup = world(&self.scope, &self.core.describe());
        let cores = vec![self.core.clone(); usize::from(self.scope.clients)];
        ScopeModel::new(self.scope, self.menu.clone(), setup, cores, &self.oracles, Question::Violated)
    }
}
