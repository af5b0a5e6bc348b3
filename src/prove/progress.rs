//! Whether somebody is granted in the end: bounds over every schedule, and schedules that go on for ever.
//!
//! Both questions are asked of a graph of their own, in which clients call again until a grant ends the path. The
//! longest path bounds the wait; a cycle is a schedule without any grant. Must not judge safety.

use super::ask::Progress;
use super::choices::Choice;
use super::export::export;
use super::graph::{Longest, Marks, Walk, forcing, lasso_without, longest};
use super::model::{Question, ScopeModel};
use super::proof::ProgressFinding;
use super::search::{End, Graph, Keep, Limits, Search, Searched, Step};
use super::seen::GRANTED;
use super::state::State;
use super::terms::Will;
use crate::lock::LockCore;
use crate::name::ClientId;
use std::ops::ControlFlow;

/// A graph that begins in many states.
struct From<C> {
    model: ScopeModel<C>,
    roots: Vec<State<C>>,
}

impl<C: LockCore> Graph for From<C> {
    type State = State<C>;
    type Choice = Choice;

    fn starts(&self) -> Vec<Self::State> {
        self.roots.clone()
    }

    fn choices(&self, state: &Self::State, out: &mut Vec<Self::Choice>) {
        self.model.choices(state, out);
    }

    fn follow(&self, state: &Self::State, choice: Self::Choice) -> Step<Self::State> {
        self.model.follow(state, choice)
    }

    fn expand(&self, state: &Self::State, out: &mut Vec<(Self::Choice, Step<Self::State>)>) {
        self.model.expand(state, out);
    }
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) threads: usize,
    pub(crate) limits: Limits,
}

type Watch<'a> = &'a mut dyn FnMut(&super::search::Progress) -> ControlFlow<()>;

/// What is found, and how many states it took.
pub(crate) fn progress<C: LockCore>(
    model: &ScopeModel<C>,
    asked: Progress,
    how: How,
    watch: Watch<'_>,
) -> (ProgressFinding, u64) {
    match asked {
        Progress::Alone { .. } => alone(model, how, watch),
        Progress::Together { retry: (least, most), .. } => {
            together(&model.asking(Question::Granted(Will::Together(least, most)), &[]), how, watch)
        }
    }
}

/// From every state in which no fault is in force and everybody is at rest but perhaps one, who wants the lock.
fn alone<C: LockCore>(model: &ScopeModel<C>, how: How, watch: Watch<'_>) -> (ProgressFinding, u64) {
    let free = model.asking(Question::Reached, &[]);
    let search = Search { threads: how.threads, wanted: Marks::NONE, limits: how.limits, keep: Keep::Paths };
    let (found, roots) = search.collect(&free, |state| state.waiters().next().is_some(), &mut *watch);
    let mut states = u64::from(found.states());
    if found.end() != End::Exhausted {
        return (ProgressFinding::Unknown, states);
    }
    let mut worst = ProgressFinding::Within { ticks: 0, slowest: Vec::new() };
    for client in free.scope_clients() {
        let lonely = model.asking(Question::Granted(Will::Alone(client)), &[]);
        let from: Vec<State<C>> = roots
            .iter()
            .filter(|(_, state)| state.waiters().any(|waiter| waiter == client))
            .map(|(_, state)| state.under(lonely.panel().clone(), lonely.terms()))
            .collect();
        if from.is_empty() {
            continue;
        }
        let graph = From { model: lonely, roots: from };
        let search = Search { keep: Keep::Edges, ..search };
        let searched = search.run(&graph, &mut *watch);
        states += u64::from(searched.states());
        match slowest(&graph, &searched) {
            ProgressFinding::Within { ticks, slowest } => {
                if let ProgressFinding::Within { ticks: most, .. } = worst
                    && ticks > most
                {
                    worst = ProgressFinding::Within { ticks, slowest };
                }
            }
            other @ (ProgressFinding::Endless { .. }
            | ProgressFinding::DeadEnd { .. }
            | ProgressFinding::Unknown) => return (other, states),
        }
    }
    (worst, states)
}

fn slowest<C: LockCore>(graph: &From<C>, searched: &Searched) -> ProgressFinding {
    let (Some(edges), End::Exhausted) = (searched.edges(), searched.end()) else {
        return ProgressFinding::Unknown;
    };
    if graph.roots.is_empty() {
        return ProgressFinding::Within { ticks: 0, slowest: Vec::new() };
    }
    match longest(edges, Marks(GRANTED)) {
        Longest::Within { ticks, walk } => ProgressFinding::Within {
            ticks: u32::try_from(ticks).unwrap_or(u32::MAX),
            slowest: searched.path(graph, &walk),
        },
        Longest::Endless(lasso) => ProgressFinding::Endless {
            stem: searched.path(graph, &lasso.stem),
            cycle: cycle_of(searched.path(graph, &lasso.once_round()), lasso.stem.choices.len()),
            way_out: false,
            shown: None,
        },
        Longest::DeadEnd(walk) => ProgressFinding::DeadEnd { path: searched.path(graph, &walk) },
        Longest::Unknown(_) => ProgressFinding::Unknown,
    }
}

fn cycle_of(mut path: Vec<Choice>, stem: usize) -> Vec<Choice> {
    path.split_off(stem)
}

/// All want the lock and call again after each refusal.
fn together<C: LockCore>(model: &ScopeModel<C>, how: How, watch: Watch<'_>) -> (ProgressFinding, u64) {
    let search = Search { threads: how.threads, wanted: Marks::NONE, limits: how.limits, keep: Keep::Edges };
    let (searched, waiting) = search.collect(model, |state| state.chooses_wait(model.terms()), watch);
    let states = u64::from(searched.states());
    let (Some(edges), End::Exhausted) = (searched.edges(), searched.end()) else {
        return (ProgressFinding::Unknown, states);
    };
    let goal = Marks(GRANTED);
    let Some(lasso) = lasso_without(edges, goal) else {
        let root = From { model: model.clone(), roots: model.starts() };
        return (slowest(&root, &searched), states);
    };
    let mut own = vec![false; searched.states() as usize];
    for (number, _) in &waiting {
        own[*number as usize] = true;
    }
    let forced = forcing(edges, goal, &own);
    let round = lasso.once_round();
    let way_out =
        (0..edges.states()).filter(|state| edges.is_expanded(*state)).all(|state| forced[state as usize]);
    let twice = Walk { start: round.start, choices: [&round.choices[..], &lasso.cycle].concat() };
    let shown = export(model, &searched.path(model, &twice));
    let path = searched.path(model, &round);
    let stem = path[..lasso.stem.choices.len()].to_vec();
    let cycle = cycle_of(path, lasso.stem.choices.len());
    (ProgressFinding::Endless { stem, cycle, way_out, shown: Some((shown.plan, shown.end)) }, states)
}

impl<C: LockCore> ScopeModel<C> {
    fn scope_clients(&self) -> impl Iterator<Item = ClientId> + use<C> {
        (0..self.scope().clients).map(ClientId)
    }
}
