//! The state graph of a model, for any search: our own, and stateright's.
//!
//! Must not add semantics: the states do everything.

use super::kind::Menu;
use super::offer;
use super::scope::Scope;
use super::seen::{Seen, violated};
use super::state::State;
use super::terms::{Sight, Terms, Touch, Will};
use crate::check::{OracleName, Outcome, Panel, WitnessLatches};
use crate::lock::LockCore;
use crate::plan::Plan;
use crate::world::{BackingFacts, Setup, System};
use std::sync::Arc;

/// A graph: cores in a scope, what may go wrong, and what is asked.
#[derive(Clone, Debug)]
pub struct ScopeModel<C> {
    terms: Arc<Terms>,
    setup: Arc<Setup>,
    cores: Vec<C>,
    question: Question,
    oracles: Vec<OracleName>,
    panel: Panel,
}

/// What is asked of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether an oracle is violated in any schedule. States do not tell whether it was exercised.
    Violated,
    /// Whether oracles are exercised and witnesses seen in some schedule: without that, held says nothing. States keep
    /// what was seen on the way to them, so there are more of them.
    Exercised,
    /// Nothing: every state is looked at, for whoever collects them.
    Reached,
    /// Whether anybody is granted. Nothing goes wrong any more.
    Granted(Will),
}

impl<C: LockCore> ScopeModel<C> {
    /// The oracles that can be judged: those that look at what happens at one process, or at the order of what clients
    /// do. The others see orders that are not explored, or rest on bounds and on the settled world.
    pub const JUDGED: [OracleName; 8] = [
        OracleName::PromiseOverlap,
        OracleName::PromiseEmpty,
        OracleName::SectionOverlap,
        OracleName::StaleWrite,
        OracleName::ValidWriteRefused,
        OracleName::FenceOrder,
        OracleName::ForeignChange,
        OracleName::Continuity,
    ];

    /// A graph of `cores`, one per client of `setup`, with the faults of `menu`, that asks `question` of `oracles`.
    ///
    /// # Panics
    /// If an oracle is not one of [`Self::JUDGED`]; if there are more than 16 clients, whose choices a state keeps as
    /// bits; if `setup` plans anything: canonical states drop the names that plans speak of.
    pub fn new(
        scope: Scope,
        menu: Menu,
        setup: Setup,
        cores: Vec<C>,
        oracles: &[OracleName],
        question: Question,
    ) -> Self {
        for oracle in oracles {
            assert!(Self::JUDGED.contains(oracle), "{oracle} sees orders that are not explored");
        }
        assert!(cores.len() <= 16, "a state keeps sixteen bits of clients");
        assert_eq!(setup.plan, Plan::empty(), "a state of the graph keeps no names that a plan could mean");
        let slots = offer::slots(&scope, &menu, &setup.clients);
        let plan = Plan { faults: offer::plan_faults(&slots), ..Plan::empty() };
        let setup = Arc::new(Setup { plan, ..setup });
        let sight = Sight::default();
        let terms =
            Terms { scope, menu, slots, will: Will::Free, sight, touch: Touch::Overlaps, exposes: false };
        let panel = Panel::new(&crate::sim::check_scope(&setup, &cores));
        let bare = Self { terms: Arc::new(terms), setup, cores, question, oracles: Vec::new(), panel };
        bare.asking(question, oracles)
    }

    /// The same world asked another question.
    #[must_use]
    pub fn asking(&self, question: Question, oracles: &[OracleName]) -> Self {
        let scope = crate::sim::check_scope(&self.setup, &self.cores);
        let counted = scope.reentrant || !scope.readers.is_empty();
        let panel = Panel::new(&scope).restrict(oracles);
        let mut terms = (*self.terms).clone();
        terms.sight = Sight::of(oracles, question == Question::Exercised, counted);
        let panel = match question {
            Question::Violated => panel.assume_exercised(),
            Question::Exercised => panel,
            Question::Reached => {
                terms.exposes = true;
                panel.restrict(&[])
            }
            Question::Granted(will) => {
                (terms.will, terms.exposes) = (will, true);
                terms.menu.total = 0;
                panel.restrict(&[])
            }
        };
        let (setup, cores) = (Arc::clone(&self.setup), self.cores.clone());
        Self { terms: Arc::new(terms), setup, cores, question, oracles: oracles.to_vec(), panel }
    }

    /// The same graph with other rules for intervals that touch.
    #[must_use]
    pub fn with_touch(self, touch: Touch) -> Self {
        Self { terms: Arc::new(Terms { touch, ..(*self.terms).clone() }), ..self }
    }

    /// The scope.
    pub fn scope(&self) -> &Scope {
        &self.terms.scope
    }

    /// The world. Its plan holds one fault for each that may happen.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The oracles asked for that can arise in the scope.
    pub fn oracles(&self) -> impl Iterator<Item = OracleName> {
        let arises = |oracle: &OracleName| self.panel.outcome(*oracle) != Outcome::NotApplicable;
        self.oracles.iter().copied().filter(arises)
    }

    pub(crate) fn terms(&self) -> &Terms {
        &self.terms
    }

    pub(crate) fn panel(&self) -> &Panel {
        &self.panel
    }

    /// The system at the start, before any canonical form.
    pub(crate) fn system(&self) -> System<C> {
        let families = self.terms.slots.iter().map(|slot| slot.family).collect();
        System::new(Arc::clone(&self.setup), self.cores.clone())
            .deriving(&[], BackingFacts::Left)
            .with_menu(families)
    }

    /// The first state, and the places of the voters in it; `seen` what happened before it.
    pub(crate) fn start(&self, seen: &mut Seen) -> (State<C>, Vec<u8>) {
        let readers = crate::sim::check_scope(&self.setup, &self.cores).readers;
        let latches =
            (self.question == Question::Exercised).then(|| Box::new(WitnessLatches::among(&readers)));
        let mut state = State::new(self.system(), self.panel.clone(), latches, &self.terms);
        state.settle(&self.terms, seen);
        let renaming = state.canonical(&self.terms);
        (state, renaming.voters)
    }

    /// The cores, one per client.
    pub fn cores(&self) -> &[C] {
        &self.cores
    }

    /// Whether nothing behind this edge is asked for: an oracle is violated, or somebody was granted.
    pub(crate) fn is_last(&self, seen: &Seen) -> bool {
        match self.question {
            Question::Violated => self.oracles.iter().any(|oracle| seen.marks & violated(*oracle) != 0),
            Question::Exercised | Question::Reached => false,
            Question::Granted(_) => seen.marks & super::seen::GRANTED != 0,
        }
    }
}
