//! What happens on an edge or a path of the graph: records, told in ticks.
//!
//! For whoever compares the graph with runs, or shows it to a person. Records name calls, grants, operations and
//! moments as the state does in which they happen, where names begin anew in every state; voters have the places of
//! the first state. Must not judge.

use super::choices::Choice;
use super::model::ScopeModel;
use super::seen::Seen;
use super::state::State;
use crate::history::{Fact, Record};
use crate::lock::LockCore;
use crate::name::{MessageName, NodeId, Process, Route, VoterId};
use crate::time::WorldTime;

/// One record of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// In which tick, from 0: of the path, or of the edge.
    pub tick: u32,
    /// What happened. Its world time is the begin of the tick.
    pub record: Record,
}

/// An edge of the graph with all that happens on it.
#[derive(Clone, Debug)]
pub struct Step<C> {
    /// Where it leads.
    pub state: State<C>,
    /// How many ticks pass on it.
    pub ticks: u32,
    /// What happens, in order. Voters have the places of the state that it leaves.
    pub told: Vec<Told>,
    /// The places that the voters of `state` had before, in the order of their places in it.
    pub voters: Vec<u8>,
}

impl<C: LockCore> ScopeModel<C> {
    /// The first state, and what happens before the first choice.
    pub fn opening(&self) -> Step<C> {
        let mut seen = Seen::telling();
        let (state, voters) = self.start(&mut seen);
        step(state, seen, voters)
    }

    /// What this choice leads to.
    pub fn step_from(&self, state: &State<C>, choice: Choice) -> Step<C> {
        let (mut next, mut seen) = (state.clone(), Seen::telling());
        let renaming = next.choose(choice, self.terms(), &mut seen);
        step(next, seen, renaming.voters)
    }
}

fn step<C>(state: State<C>, seen: Seen, voters: Vec<u8>) -> Step<C> {
    let at = |tick: u32| WorldTime::ZERO + super::Scope::ticks(i64::from(tick));
    let told = seen.told.unwrap_or_default().into_iter();
    let told = told.map(|(tick, record)| Told { tick, record: Record { at: at(tick), ..record } }).collect();
    Step { state, ticks: seen.ticks, told, voters }
}

/// All that happens on a path, as choices from the start of the model.
pub fn records<C: LockCore>(model: &ScopeModel<C>, path: &[Choice]) -> Vec<Told> {
    let Step { mut state, mut ticks, told: mut all, mut voters } = model.opening();
    for choice in path {
        let step = model.step_from(&state, *choice);
        all.extend(step.told.into_iter().map(|told| told.later(ticks).placed(&voters)));
        ticks += step.ticks;
        voters = step.voters.iter().map(|place| voters[usize::from(*place)]).collect();
        state = step.state;
    }
    all
}

impl Told {
    /// The same so many ticks later.
    #[must_use]
    pub fn later(mut self, ticks: u32) -> Self {
        self.tick += ticks;
        self.record.at += super::Scope::ticks(i64::from(ticks));
        self
    }

    /// The same with every voter at the place that `voters` gives for it.
    #[must_use]
    pub fn placed(mut self, voters: &[u8]) -> Self {
        let place =
            |voter: &mut VoterId| voter.0 = voters.get(usize::from(voter.0)).copied().unwrap_or(voter.0);
        let node = |node: &mut NodeId| place(&mut node.voter);
        let message = |name: &mut MessageName| match &mut name.route {
            Route::Connect { voter, .. }
            | Route::Further { voter, .. }
            | Route::Push { voter, .. }
            | Route::Command { voter, .. } => place(voter),
            Route::Store { .. } => {}
        };
        if let Process::Node(own) = &mut self.record.process {
            node(own);
        }
        match &mut self.record.fact {
            Fact::Sent { name }
            | Fact::Delayed { name }
            | Fact::Handled { name }
            | Fact::MessageLost { name, .. }
            | Fact::Blocked { name }
            | Fact::Published { name, .. }
            | Fact::TimedOut { name }
            | Fact::Applied { name, .. } => message(name),
            Fact::HoldGone { node, .. } | Fact::LeftOver { node, .. } => place(node),
            Fact::Rerouted { to } => node(to),
            Fact::Replicated { from, .. } | Fact::Resynced { from } => node(from),
            Fact::AcquireBegan { .. }
            | Fact::AttemptBegan { .. }
            | Fact::Granted { .. }
            | Fact::Refused { .. }
            | Fact::ExtendBegan { .. }
            | Fact::Extended { .. }
            | Fact::ExtendFailed { .. }
            | Fact::LossTold { .. }
            | Fact::CheckEnded { .. }
            | Fact::Reentered { .. }
            | Fact::HoldsCounted { .. }
            | Fact::ReleaseBegan { .. }
            | Fact::ReleaseEnded { .. }
            | Fact::Reached { .. }
            | Fact::PromiseBegan { .. }
            | Fact::PromiseEnded { .. }
            | Fact::SectionEntered { .. }
            | Fact::SectionLeft { .. }
            | Fact::Backing { .. }
            | Fact::HoldThinned { .. }
            | Fact::StoreRead { .. }
            | Fact::StoreLooked { .. }
            | Fact::StoreWrite { .. }
            | Fact::WatchBegan { .. }
            | Fact::WatchOver { .. }
            | Fact::FaultBegan { .. }
            | Fact::FaultEnded { .. }
            | Fact::Started { .. }
            | Fact::Done
            | Fact::Settled => {}
        }
        self
    }
}
