//! Following a run through the graph: the set of states on paths that do what the run does.
//!
//! Must not choose a path: all are kept.

use super::shape::{Share, Story, is_loose, shape};
use fencepost::lock::Core;
use fencepost::name::Process;
use fencepost::prove::search::{Fingerprinter, Graph};
use fencepost::prove::{ScopeModel, State, Step};
use std::collections::{BTreeMap, BTreeSet};

/// A state on a path that has done what the run did so far.
#[derive(Clone)]
struct Place {
    state: State<Core>,
    tick: u32,
    /// The places of the voters in the run.
    voters: Vec<u8>,
    /// What has happened in this tick so far.
    done: BTreeMap<Process, Share>,
}

/// Whether some path does what the run does, in every tick up to the horizon; else the tick that no path passes.
pub(super) fn accepts(model: &ScopeModel<Core>, run: &Story, horizon: u32) -> Result<(), u32> {
    let first = model.opening();
    let nodes = model.scope().nodes;
    let root =
        Place { state: first.state.clone(), tick: 0, voters: (0..nodes).collect(), done: BTreeMap::new() };
    let mut open: Vec<Place> = arrive(&root, first, run, horizon).into_iter().collect();
    let (mut known, mut latest, mut prints) = (BTreeSet::new(), 0, Fingerprinter::new());
    let mut choices = Vec::new();
    while let Some(place) = open.pop() {
        if place.tick > horizon {
            return Ok(());
        }
        latest = latest.max(place.tick);
        if !known.insert(prints.of(&(&place.state, place.tick, &place.voters, &place.done))) {
            continue;
        }
        choices.clear();
        model.choices(&place.state, &mut choices);
        for choice in &choices {
            open.extend(arrive(&place, model.step_from(&place.state, *choice), run, horizon));
        }
    }
    Err(latest)
}

/// The place that a step leads to, if everything on it happened in the run too, in order, and nothing is left out of a
/// tick that is over.
fn arrive(from: &Place, step: Step<Core>, run: &Story, horizon: u32) -> Option<Place> {
    let mut place = from.clone();
    for told in step.told {
        let told = told.later(from.tick).placed(&from.voters);
        while place.tick < told.tick {
            place.pass(run)?;
        }
        // The run is cut off there.
        if place.tick > horizon {
            return Some(place);
        }
        let Some(shape) = shape(&told.record) else { continue };
        let process = told.record.process;
        let share = place.done.entry(process).or_default();
        let seen = run.0.get(&(place.tick, process))?;
        if is_loose(&told.record.fact) {
            share.loose.push(shape);
            share.loose.sort_unstable();
        } else {
            (seen.acted.get(share.acted.len()) == Some(&shape)).then_some(())?;
            share.acted.push(shape);
        }
    }
    while place.tick < (from.tick + step.ticks).min(horizon + 1) {
        place.pass(run)?;
    }
    place.voters = step.voters.iter().map(|old| from.voters[usize::from(*old)]).collect();
    place.state = step.state;
    Some(place)
}

impl Place {
    /// The tick ends: all of it must have happened.
    fn pass(&mut self, run: &Story) -> Option<()> {
        let seen = run.0.iter().filter(|((tick, _), _)| *tick == self.tick);
        let mut missing = 0;
        for ((_, process), share) in seen {
            missing += usize::from(self.done.get(process) != Some(share));
        }
        let extra = self.done.keys().filter(|process| !run.0.contains_key(&(self.tick, **process))).count();
        self.done.clear();
        self.tick += 1;
        (missing + extra == 0).then_some(())
    }
}
