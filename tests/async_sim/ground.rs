//! The world of these tests, and what code in it notes down.
//!
//! Every message takes exactly 10 ms, so that what happens when is known. Must not judge.

use fencepost::async_sim::{Sim, Trial, scenario_text};
use fencepost::history::Fact;
use fencepost::sim::RunResult;
use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A world with so many clients and nodes, all of whose messages take 10 ms, under this plan.
pub(crate) fn world(clients: usize, nodes: usize, plan: &str) -> Trial {
    scenario_text("ground", &text(clients, nodes, "p0 = 10_000, p100 = 10_000", plan))
}

/// The text of such a world, over this network, with more behind it.
pub(crate) fn text(clients: usize, nodes: usize, latency: &str, more: &str) -> String {
    format!(
        r#"
format = 1
title  = "the ground of tests"
claim  = "None: what happens is up to the code of the clients."
source = ["none"]

[run]
seed      = 1
limit_ms  = 60_000
settle_ms = 2_500

[deployment]
nodes = {nodes}

[lock.{protocol}]
like            = "spec"
ttl_ms          = 2_000
node_timeout_ms = 50

[clients]
count = {clients}

[clients.workload.hold]
cycles  = 1
work_ms = 500
holder  = "never"

[network]
latency_us = {{ {latency} }}
{more}
"#,
        protocol = if nodes == 1 { "single" } else { "redlock" },
    )
}

/// What code noted: clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    /// Notes what happened, without when.
    pub(crate) fn add(&self, what: impl Display) {
        self.0.lock().expect("no code panics while it notes").push(what.to_string());
    }

    /// Notes what happened, and when by the process's clock, in milliseconds since the world began.
    pub(crate) fn say(&self, sim: &Sim, what: impl Display) {
        self.add(format!("{} {what}", ms(sim)));
    }

    /// Everything that was noted since the last look.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("no code panics while it notes"))
    }

    /// What one run noted: every run is made twice, and both must have noted the same.
    #[track_caller]
    pub(crate) fn of_both(&self) -> Vec<String> {
        let mut first = self.take();
        let second = first.split_off(first.len() / 2);
        assert_eq!(first, second, "the second run noted something else");
        first
    }
}

/// What the process's monotonic clock has counted since the world began, to the microsecond, without trailing zeros.
pub(crate) fn ms(sim: &Sim) -> String {
    // Each process's clock begins at another whole number of 1000 s.
    let us = sim.now().mono.0 % 1_000_000_000;
    let text = format!("{}.{:03}", us / 1_000, us % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Runs code on tokio; what it noted, and the run.
#[track_caller]
pub(crate) fn noted<F>(
    trial: Trial,
    code: impl Fn(Sim, Notes) -> F + Send + Sync + 'static,
) -> (Vec<String>, RunResult)
where
    F: Future + 'static,
{
    let notes = Notes::default();
    let given = notes.clone();
    let result = trial.client(move |sim| code(sim, given.clone())).run();
    (notes.of_both(), result)
}

/// How often something is recorded.
pub(crate) fn count(result: &RunResult, is: impl Fn(&Fact) -> bool) -> usize {
    result.records.iter().filter(|record| is(&record.fact)).count()
}

/// The text with which something panics.
#[track_caller]
pub(crate) fn panics<T>(what: impl FnOnce() -> T) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(what)) else { panic!("it ends without a panic") };
    words(&*payload)
}

fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    text.expect("a panic has a text")
}

/// That time, which is short.
pub(crate) const fn millis(ms: u64) -> Duration {
    Duration::from_millis(ms)
}
