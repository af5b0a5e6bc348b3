//! A scenario whose clients are somebody's code, and the assertions of a test about it.
//!
//! A failed test carries the text of the command line: the sentence, the line that repeats it, a timeline. Every run that
//! is told of was made twice. Must not judge: `check` does, against what the test expects.

use super::about::{About, WallClock, span};
use super::blocking::BlockingSim;
use super::clock::Kind;
use super::driven::Driven;
use super::hub::{Birth, Hub, Slot, Start};
use super::process::{Drivers, MadsimProcess, Process, Stirred, ThreadProcess, TokioProcess};
use super::sim::{Habits, Sim};
use super::workload::{self, NotDriven};
use crate::check::{Expectation, Expected, OracleName};
use crate::history::Fact;
use crate::lock::Terms;
use crate::name::{ClientId, VoterId};
use crate::plan::Plan;
use crate::report::{HuntStory, Story, divergence, hunt_text, run_command, run_text, telling_failure};
use crate::scenario::{Runner, Scenario};
use crate::sim::{self, Explorer, Hunted, Keep, NotViolated, RunResult, Runs, Seeds, Shrunk};
use crate::test::{Play, Steer, command, expecting, hunted};
use crate::time::{ProcessClocks, WallTime, WorldTime};
use crate::world::{Act, ClientSetup, Connections, Draws};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A scenario that waits for its clients' code, and what is said of their lock.
#[must_use = "nothing is run before it is given code: `.client(…)`"]
pub struct Trial {
    play: Play,
    about: About,
    drivers: Drivers,
}

/// A scenario with its clients' code.
#[must_use = "nothing is run before `assert_holds`, `assert_violates`, `assert_as_expected`, `run` or `hunt`"]
pub struct Code {
    trial: Trial,
    start: Box<dyn Start + Send + Sync>,
}

/// A shipped scenario by name (`fencepost list` shows all), a switch, a row of the comparison, or a file by its path. Its
/// lock and its workload give way to the code of its clients; the deployment, the network, the plan, the store and the
/// number of clients stay.
///
/// # Panics
/// If there is no such scenario, or its file cannot be read.
#[track_caller]
pub fn scenario(name: &str) -> Trial {
    let is_path = name.contains('/') || name.ends_with(".toml");
    let play = match is_path {
        true => {
            let text = std::fs::read_to_string(name).unwrap_or_else(|error| panic!("{name}: {error}"));
            crate::test::scenario_text(name, &text)
        }
        false => crate::test::scenario(name),
    };
    Trial { play, about: About::new(), drivers: Drivers::Time }
}

/// A scenario of one's own as text.
///
/// # Panics
/// If it cannot be read as one.
#[track_caller]
pub fn scenario_text(name: &str, text: &str) -> Trial {
    Trial { play: crate::test::scenario_text(name, text), about: About::new(), drivers: Drivers::Time }
}

impl Trial {
    /// How the lock is called in reports.
    pub fn named(mut self, name: &'static str) -> Self {
        self.about.name = name;
        self
    }

    /// The key under which the lock keeps its hold, made from the name of the resource; without this it is that name.
    pub fn key(mut self, key: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        self.about.key = Box::new(key);
        self
    }

    /// How long its keys live; without this as long as the scenario's.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.about.ttl = Some(span(ttl));
        self
    }

    /// How many nodes must agree; without this a majority of all.
    pub fn quorum(mut self, quorum: u8) -> Self {
        self.about.quorum = Some(quorum);
        self
    }

    /// How often the lock renews by itself: part of the bound of *silent-loss*, which is not judged without it.
    pub fn renewal(mut self, every: Duration) -> Self {
        self.about.renewal = Some(span(every));
        self
    }

    /// How long the lock waits for one node: part of the bounds of *leak* and *silent-loss*.
    pub fn node_timeout(mut self, time: Duration) -> Self {
        self.about.node_timeout = Some(span(time));
        self
    }

    /// The longest that one call of acquire takes: the bound of *unavailable*, and part of that of *stuck*; neither is
    /// judged without it.
    pub fn call_max(mut self, time: Duration) -> Self {
        self.about.call_max = Some(span(time));
        self
    }

    /// Its grants carry fences.
    pub fn fenced(mut self) -> Self {
        self.about.fenced = true;
        self
    }

    /// Its code never looks at the wall clock, so that faults of it, and suspended machines, can be applied.
    pub fn wall_clock_unread(mut self) -> Self {
        self.about.wall = WallClock::Unread;
        self
    }

    /// Nodes can be reached at addresses, [`Sim::url`], by code that connects by itself. A run takes about 1.4 times as long.
    ///
    /// For code on tokio only: the others refuse it.
    pub fn sockets(mut self) -> Self {
        self.drivers = Drivers::TimeAndSockets;
        self
    }

    /// The code drives the shipped cores of the scenario's own lock, which say what they are.
    fn of_cores(mut self) -> Self {
        self.about.cores = true;
        self
    }

    /// Under a plan that is drawn for each seed from a shipped profile of faults, instead of the scenario's own.
    ///
    /// # Panics
    /// If no profile has this name.
    #[track_caller]
    pub fn profile(self, name: &str) -> Self {
        Self { play: self.play.profiled(name), ..self }
    }

    /// The same lock under another plan.
    pub fn plan(mut self, plan: Plan) -> Self {
        self.play.scenario_mut().setup.plan = plan;
        self
    }

    /// Under all of these seeds instead of the scenario's own.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn seeds(self, seeds: Range<u64>) -> Self {
        Self { play: self.play.seeded(seeds), ..self }
    }

    /// The code of one client process, for real tokio: called once in each life of each client.
    pub fn client<F>(self, code: impl Fn(Sim) -> F + Send + Sync + 'static) -> Code
    where
        F: Future + 'static,
    {
        let drivers = self.drivers;
        Code { trial: self, start: Box::new(OnTokio { code: Arc::new(code), drivers }) }
    }

    /// The scenario's own lock and its workload `hold` as code: each core behind a [`Driven`](super::Driven). Such a run
    /// ends as one of the plain explorer.
    ///
    /// # Errors
    /// The scenario has what no such code does.
    pub fn driven(self) -> Result<Code, NotDriven> {
        let setup = Arc::new(self.play.scenario().setup.clone());
        workload::check(&setup)?;
        let cores = sim::cores(&setup);
        Ok(self.of_cores().client(move |sim| {
            let (setup, core) = (Arc::clone(&setup), cores[sim.client()].clone());
            async move {
                let (lock, driver) = Driven::new(&sim, core, setup.on_timeout);
                tokio::spawn(driver);
                workload::run(sim, lock, &setup).await;
            }
        }))
    }

    /// The same for code written for madsim, such as on `madsim-tokio`.
    ///
    /// # Panics
    /// After [`sockets`](Self::sockets).
    #[track_caller]
    pub fn madsim_client<F>(self, code: impl Fn(Sim) -> F + Send + Sync + 'static) -> Code
    where
        F: Future + 'static,
    {
        self.check_sockets();
        Code { trial: self, start: Box::new(OnMadsim(Arc::new(code))) }
    }

    /// The same for code that blocks, on a thread of its own.
    ///
    /// # Panics
    /// After [`sockets`](Self::sockets).
    #[track_caller]
    pub fn blocking_client(mut self, code: impl Fn(BlockingSim) + Send + Sync + 'static) -> Code {
        self.check_sockets();
        self.about.blocks = true;
        Code { trial: self, start: Box::new(OnThread(Arc::new(code))) }
    }

    /// Nobody else has a driver that looks at sockets between two moments of virtual time.
    #[track_caller]
    fn check_sockets(&self) {
        let name = &self.play.scenario().name;
        assert!(
            self.drivers == Drivers::Time,
            "{name}: only code on tokio can connect by itself: leave out `.sockets()`"
        );
    }
}

impl Code {
    /// Under all of these seeds instead of the scenario's own.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    #[must_use = "nothing is run before it is asserted"]
    pub fn seeds(self, seeds: Range<u64>) -> Self {
        Self { trial: self.trial.seeds(seeds), ..self }
    }

    /// What of its own plan code outside of the world cannot suffer, if anything.
    pub fn unfit(&self) -> Option<String> {
        let setup = &self.trial.play.scenario().setup;
        self.trial.about.unfit(&setup.plan, setup.clients.len())
    }

    /// The run of the scenario's seed, or of the first of several, with its records.
    ///
    /// # Panics
    /// If the plan holds what code cannot suffer, the code panics, or it does what cannot be.
    #[track_caller]
    pub fn run(&self) -> RunResult {
        let scenario = self.judging(self.trial.play.scenario().expect.clone());
        let seed = Steer::read().seed.or(self.trial.play.seeds().map(Seeds::from));
        self.one(&scenario, seed.unwrap_or(scenario.seed)).1
    }

    /// The run of this seed under the plan of this seed, with its scenario.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    #[track_caller]
    pub fn run_seed(&self, seed: u64) -> (Scenario, RunResult) {
        self.one(&self.judging(self.trial.play.scenario().expect.clone()), seed)
    }

    /// What all of its seeds come to.
    ///
    /// # Panics
    /// As [`run`](Self::run); if two runs of one seed differ.
    #[track_caller]
    pub fn hunt(&self) -> Hunted {
        let scenario = self.judging(self.trial.play.scenario().expect.clone());
        let own = Seeds::new(scenario.seed, scenario.seed + 1).expect("a seed and the next");
        hunted(&Many { code: self, scenario: &scenario }, &scenario, self.trial.play.seeds().unwrap_or(own))
    }

    /// The smallest schedule that violates an oracle, from the run of a seed that does.
    ///
    /// # Errors
    /// The run of this seed does not violate it.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    #[track_caller]
    pub fn shrink(&self, seed: u64, oracle: OracleName, runs_max: u32) -> Result<Shrunk, NotViolated> {
        let scenario = self.planned(&self.judging(None), seed);
        let play = |scenario: &Scenario, keep, events| {
            self.play_at_most(&self.keyed(scenario.clone()), seed, keep, events)
        };
        sim::shrink_by(&scenario, seed, oracle, runs_max, &play)
    }

    /// The test passes if each of these oracles is exercised and held in every run that exercises it, and, where the plan
    /// is the scenario's own, all of it came about.
    ///
    /// # Panics
    /// In every other case, with the report for a person; if a name is no oracle's; as [`run`](Self::run).
    #[track_caller]
    pub fn assert_holds(&self, oracles: impl IntoIterator<Item = impl AsRef<str>>) {
        let oracles: Vec<OracleName> = oracles.into_iter().map(|name| oracle(name.as_ref())).collect();
        assert!(!oracles.is_empty(), "name at least one oracle: a test of none cannot fail");
        self.assert_ends(expecting(&oracles, Expected::Held));
    }

    /// The test passes if this oracle is violated, in at least one run.
    ///
    /// # Panics
    /// As [`assert_holds`](Self::assert_holds).
    #[track_caller]
    pub fn assert_violates(&self, name: &str) {
        self.assert_ends(expecting(&[oracle(name)], Expected::Violated));
    }

    /// The test passes if all ends as the file expects, witnesses included. What a shipped file expects was written for
    /// its own lock.
    ///
    /// # Panics
    /// As [`assert_holds`](Self::assert_holds); if the file expects nothing.
    #[track_caller]
    pub fn assert_as_expected(&self) {
        let scenario = self.trial.play.scenario();
        let Some(expect) = scenario.expect.clone() else {
            panic!("{} expects nothing: name oracles with `assert_holds`", scenario.name)
        };
        self.assert_ends(expect);
    }

    #[track_caller]
    fn assert_ends(&self, expect: Expectation) {
        let scenario = self.judging(Some(expect));
        let steer = Steer::read();
        let seeds = steer.seeds.or(self.trial.play.seeds());
        let Some(seeds) = seeds.filter(|_| steer.seed.is_none()) else {
            let (scenario, result) = self.one(&scenario, steer.seed.unwrap_or(scenario.seed));
            let story = Story { scenario: &scenario, result: &result };
            assert!(result.judgement.as_expected() == Some(true), "{}", run_text(story, steer.length));
            return;
        };
        let hunted = hunted(&Many { code: self, scenario: &scenario }, &scenario, seeds);
        self.check_key(&scenario, seeds.from());
        if hunted.judgement.as_expected() == Some(true) {
            return;
        }
        let story = HuntStory { scenario: &scenario, hunted: &hunted };
        let mut text = hunt_text(story);
        if let Some(failure) = telling_failure(story) {
            let (scenario, result) = self.one(&scenario, failure.seed);
            let run = run_text(Story { scenario: &scenario, result: &result }, steer.length);
            text.push_str(&format!("\n{run}"));
        }
        panic!("{text}");
    }

    /// The scenario as this test judges it: with the key of the lock.
    fn judging(&self, expect: Option<Expectation>) -> Scenario {
        let scenario = self.trial.play.scenario().clone();
        Scenario { expect, runner: Runner::Test(command()), ..self.keyed(scenario) }
    }

    /// The scenario with the key of the lock in the place of the resource's.
    fn keyed(&self, mut scenario: Scenario) -> Scenario {
        scenario.setup.key = self.trial.about.key(&self.trial.play.scenario().setup.key);
        scenario
    }

    /// One run, made twice: code that looks at the machine it runs on is found out. Its plan comes with it.
    #[track_caller]
    fn one(&self, scenario: &Scenario, seed: u64) -> (Scenario, RunResult) {
        let scenario = self.planned(scenario, seed);
        let result = self.play(&scenario, seed, Keep::Records);
        let again = self.play(&scenario, seed, Keep::Records);
        if let Some(difference) = divergence(Story { scenario: &scenario, result: &result }, &again) {
            panic!("{difference}");
        }
        self.find_key(&scenario, &result);
        (scenario, result)
    }

    /// The scenario with the plan of this seed.
    fn planned(&self, scenario: &Scenario, seed: u64) -> Scenario {
        let mut scenario = scenario.clone();
        if let Some(profile) = self.trial.play.profile() {
            scenario.setup.plan = sim::plan_under(&scenario, profile, seed);
        }
        scenario
    }

    #[track_caller]
    fn check_key(&self, scenario: &Scenario, seed: u64) {
        self.one(scenario, seed);
    }

    /// A lock whose key no node ever saw is one under another key: every oracle that looks at keys would be blind.
    #[track_caller]
    fn find_key(&self, scenario: &Scenario, result: &RunResult) {
        let (mut granted, mut seen) = (false, false);
        for record in &result.records {
            granted |= matches!(record.fact, Fact::Granted { .. });
            seen |= matches!(record.fact, Fact::Applied { change: Some(_), .. });
        }
        assert!(
            seen || !granted,
            "{} was granted, but no node ever saw the key {:?}: say under which key it keeps its hold with \
             `.key(|resource| …)`",
            self.trial.about.name,
            String::from_utf8_lossy(&scenario.setup.key)
        );
    }

    /// One run, on a thread of its own: what belongs to a thread begins anew.
    #[track_caller]
    fn play(&self, scenario: &Scenario, seed: u64, keep: Keep) -> RunResult {
        self.play_at_most(scenario, seed, keep, None)
    }

    #[track_caller]
    fn play_at_most(&self, scenario: &Scenario, seed: u64, keep: Keep, events: Option<u64>) -> RunResult {
        let clients = scenario.setup.clients.len();
        if let Some(why) = self.trial.about.unfit(&scenario.setup.plan, clients) {
            panic!("{}: code outside of the world cannot suffer {why}", scenario.name);
        }
        // Its name is drawn here, before the run has a thread whose entropy is its own.
        let folder = (self.trial.drivers == Drivers::TimeAndSockets).then(|| {
            tempfile::Builder::new().prefix("fencepost-").tempdir().unwrap_or_else(|error| {
                panic!("{}: no folder for sockets: {error}", std::env::temp_dir().display())
            })
        });
        let run = || {
            let locks = self.trial.about.locks(&scenario.setup);
            let mut hub = Hub::new(&*self.start, self.slots(scenario, seed), folder);
            let explorer = Explorer::with(scenario, &|setup| self.trial.about.locks(setup));
            let explorer = if let Some(events) = events { explorer.at_most(events) } else { explorer };
            explorer.run_outside(locks, seed, keep, &mut hub)
        };
        let done = std::thread::scope(|scope| scope.spawn(run).join());
        done.unwrap_or_else(|payload| {
            panic!("{}\n{}", super::process::panic_text(&*payload), run_command(scenario, seed))
        })
    }

    fn slots(&self, scenario: &Scenario, seed: u64) -> Vec<Slot> {
        let (setup, resource) = (&scenario.setup, &self.trial.play.scenario().setup.key);
        let each = sim::terms(setup).into_iter().zip(&setup.clients).enumerate();
        let open = setup.connections == Connections::Open;
        let ready: Vec<VoterId> = (0..setup.nodes.len() as u8).map(VoterId).filter(|_| open).collect();
        let slot = |(index, (terms, client)): (usize, (Terms, &ClientSetup))| {
            let clocks = ProcessClocks::new(setup.nodes.len() + 1 + index, client.offset);
            let first = clocks.now(WorldTime::ZERO);
            let (id, mut streams) = (ClientId(index as u16), sim::Streams::new(seed, setup.clients.len()));
            let begins = client.start - WorldTime::ZERO;
            let terms = Terms { key: resource.clone(), ..terms };
            let own = xxh3_64_with_seed(&(index as u64).to_le_bytes(), seed);
            let habits = Habits { workload: client.workload.clone(), seed };
            Slot::new(terms, habits, own, (first, begins), ready.clone(), move || streams.draw(id))
        };
        each.map(slot).collect()
    }
}

/// The runs of many seeds.
struct Many<'a> {
    code: &'a Code,
    scenario: &'a Scenario,
}

impl Runs for Many<'_> {
    fn run(&self, seed: u64, keep: Keep) -> RunResult {
        self.code.play(&self.code.planned(self.scenario, seed), seed, keep)
    }

    fn scenario(&self, seed: u64) -> Cow<'_, Scenario> {
        Cow::Owned(self.code.planned(self.scenario, seed))
    }
}

/// Starts code on tokio.
struct OnTokio<C> {
    code: Arc<C>,
    drivers: Drivers,
}

/// Starts code on madsim.
struct OnMadsim<C>(Arc<C>);
/// Starts code that blocks.
struct OnThread<C>(Arc<C>);

/// What starts asynchronous code, and says when it is done.
fn main_of<C, F>(code: &Arc<C>, kind: Kind, birth: Birth) -> super::process::Main
where
    C: Fn(Sim) -> F + 'static,
    F: Future + 'static,
{
    let code = Arc::clone(code);
    Box::new(move || {
        let sim = birth.sim(kind);
        let running = code(sim.clone());
        Box::pin(async move {
            running.await;
            sim.tell(Act::Done);
        })
    })
}

impl<C: Fn(Sim) -> F + 'static, F: Future + 'static> Start for OnTokio<C> {
    fn start(&self, seed: u64, wall: WallTime, stirred: Stirred, birth: Birth) -> Box<dyn Process> {
        let main = main_of(&self.code, Kind::Tokio, birth);
        Box::new(TokioProcess::new(seed, wall, stirred, self.drivers, main))
    }
}

impl<C: Fn(Sim) -> F + 'static, F: Future + 'static> Start for OnMadsim<C> {
    fn start(&self, seed: u64, wall: WallTime, stirred: Stirred, birth: Birth) -> Box<dyn Process> {
        Box::new(MadsimProcess::new(seed, wall, stirred, main_of(&self.0, Kind::Madsim, birth)))
    }
}

impl<C: Fn(BlockingSim) + Send + Sync + 'static> Start for OnThread<C> {
    fn start(&self, seed: u64, wall: WallTime, stirred: Stirred, birth: Birth) -> Box<dyn Process> {
        let code = Arc::clone(&self.0);
        let main = move |blocking| {
            let sim = birth.sim(Kind::Thread);
            code(BlockingSim::new(sim.clone(), blocking));
            sim.tell(Act::Done);
        };
        Box::new(ThreadProcess::new(seed, wall, stirred, Box::new(main)))
    }
}

#[track_caller]
fn oracle(name: &str) -> OracleName {
    let known = OracleName::TEXTS.iter().find(|(_, text)| *text == name);
    let all = || OracleName::TEXTS.map(|(_, text)| text).join(", ");
    known.map_or_else(|| panic!("{name:?} is no oracle; they are {}", all()), |(oracle, _)| *oracle)
}
