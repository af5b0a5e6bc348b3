//! Whose locks the verbs run: those that files name, or one of somebody's own in their place.
//!
//! What a shipped file expects was written for its own lock: of another one its oracles are judged, and nothing is
//! expected. Must not judge.

use super::failure::Failure;
use super::load::{self, Loaded};
use super::pin::Place;
use crate::check::Expected;
use crate::lock::{Core, CoreTraits, LockCore};
use crate::prove::{Measure, Model, OwnLock};
use crate::report::quoted;
use crate::scenario::{Comparison, Locator, Row, Runner, Scenario, find};
use crate::sim::{self, Explorer, Keep, Make, NotViolated, RunResult, Shrunk};
use crate::world::Setup;
use std::ffi::OsStr;
use std::path::Path;

/// The locks that are run.
#[derive(Clone)]
pub(super) struct Lock<'a, C> {
    /// Makes the cores of a run.
    pub(super) make: Make<'a, C>,
    /// Who runs them.
    pub(super) runner: Runner,
}

impl Lock<'static, Core> {
    /// Those that files name.
    pub(super) fn shipped() -> Self {
        Self { make: &sim::cores, runner: Runner::Shipped }
    }
}

impl<C: LockCore> Lock<'_, C> {
    /// Reads the scenario that a name, a path, or a row of a table means.
    pub(super) fn load(&self, name_or_path: &str) -> Result<Scenario, Failure> {
        let mut scenario = load::load(name_or_path)?;
        let is_shipped = match find(name_or_path) {
            Ok(Locator::Path(_)) | Err(_) => false,
            Ok(Locator::Shipped { .. } | Locator::Switch(_) | Locator::Row { .. }) => true,
        };
        if self.is_own() && is_shipped {
            scenario.expect = None;
        }
        self.adopt(scenario)
    }

    /// The same with the lock of a preset in it, if one is named.
    pub(super) fn load_like(&self, name_or_path: &str, like: Option<&String>) -> Result<Scenario, Failure> {
        match like {
            None => self.load(name_or_path),
            Some(like) if self.is_own() => Err(Failure::NoSuch {
                kind: "own-lock",
                name: like.clone(),
                message: "this program runs a lock of its own in the place of every other".to_owned(),
                suggestion: None,
            }),
            Some(_) => self.adopt(load::load_like(name_or_path, like)?),
        }
    }

    /// The scenario as one that is run with these locks.
    pub(super) fn adopt(&self, mut scenario: Scenario) -> Result<Scenario, Failure> {
        scenario.runner = self.runner.clone();
        self.fit(&scenario.setup, &scenario.name)?;
        Ok(scenario)
    }

    /// Runs it, with records.
    pub(super) fn run(&self, scenario: &Scenario, seed: u64) -> RunResult {
        Explorer::with(scenario, self.make).run(seed, Keep::Records)
    }

    /// Shrinks it.
    pub(super) fn shrink(
        &self,
        scenario: &Scenario,
        seed: u64,
        oracle: crate::check::OracleName,
        runs_max: u32,
    ) -> Result<Shrunk, NotViolated> {
        sim::shrink_with(scenario, seed, oracle, runs_max, self.make)
    }

    /// Reads the models that names, paths and folders mean.
    pub(super) fn models(&self, names: &[String]) -> Result<Vec<Loaded>, Failure> {
        let mut all = load::models(names)?;
        if let Runner::Own(program) = &self.runner {
            // Of all models those that fit; of those that are named each.
            let fits = |model: &Model| self.fit(&model.scope.setup(model.policy.clone()), &model.name);
            if names.is_empty() {
                all.retain(|loaded| fits(&loaded.model).is_ok());
            }
            for Loaded { model, place } in &mut all {
                fits(model)?;
                let setup = model.scope.setup(model.policy.clone());
                let traits = (self.make)(&setup).first().map(LockCore::describe);
                let measure = match place {
                    Place::Shipped => Measure::Held,
                    Place::Path(_) => Measure::File,
                };
                model.own = traits.map(|traits| OwnLock { traits, program: program.clone(), measure });
                if measure == Measure::Held {
                    model.pinned = None;
                    model.progress = None;
                    model.expect.iter_mut().for_each(|(_, expected)| *expected = Expected::Held);
                }
            }
        }
        Ok(all)
    }

    /// Puts a row of one's own at the head of a table: on the deployment of the first row that it fits.
    pub(super) fn join(&self, comparison: &mut Comparison) -> Result<(), Failure> {
        if !self.is_own() {
            return Ok(());
        }
        let fitting = |row: &&Row| self.fit(&row.scenario.setup, &row.name).is_ok();
        let Some(base) = comparison.rows.iter().find(fitting) else {
            return Err(unfit(format!("no row of {} fits this lock", comparison.origin), &comparison.origin));
        };
        let name = self.traits(&base.scenario.setup).map_or("own", |traits| traits.protocol).to_owned();
        let title = format!("a lock of one's own, on the deployment of `{}`", base.name);
        let scenario = self.adopt(base.scenario.clone())?;
        comparison.rows.insert(0, Row { name, title, scenario });
        Ok(())
    }

    /// The row of one's own.
    pub(super) fn own_row(&self, comparison: &Comparison) -> Option<sim::OwnRow<'_, C>> {
        let row = comparison.rows.iter().position(is_own)?;
        Some(sim::OwnRow { row, make: self.make })
    }

    /// Whether it is somebody's own.
    pub(super) fn is_own(&self) -> bool {
        self.runner != Runner::Shipped
    }

    fn traits(&self, setup: &Setup) -> Option<CoreTraits> {
        (self.make)(setup).first().map(LockCore::describe)
    }

    /// A lock of somebody's own has to ask as many nodes as there are.
    fn fit(&self, setup: &Setup, name: &str) -> Result<(), Failure> {
        match self.traits(setup).filter(|traits| self.is_own() && traits.quorum > 0) {
            Some(CoreTraits { protocol, voters, .. }) if usize::from(voters) != setup.nodes.len() => {
                let nodes = setup.nodes.len();
                Err(unfit(format!("{protocol} asks {voters} nodes, and {name} has {nodes}"), name))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// Whether a row is run with a lock of somebody's own.
pub(super) fn is_own(row: &Row) -> bool {
    row.scenario.runner != Runner::Shipped
}

fn unfit(message: String, name: &str) -> Failure {
    Failure::NoSuch { kind: "unfit-lock", name: name.to_owned(), message, suggestion: None }
}

/// What comes before the verb when somebody calls this binary again: by cargo if it lies where cargo puts binaries.
pub(super) fn program(own_path: &OsStr) -> String {
    let path = Path::new(own_path);
    let name = path.file_stem().unwrap_or(own_path).to_string_lossy();
    let mut folders = path.parent().into_iter().flat_map(Path::iter).rev().filter_map(OsStr::to_str);
    match folders.next() {
        Some("examples") => format!("cargo run --release --example {} --", quoted(&name)),
        Some("debug" | "release") => format!("cargo run --release --bin {} --", quoted(&name)),
        Some(_) | None => quoted(&own_path.to_string_lossy()),
    }
}
