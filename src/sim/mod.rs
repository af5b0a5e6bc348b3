//! The seeded explorer: one seed, one schedule, the same to the bit on every machine.
//!
//! It files delivery times and lets the earliest event happen; it contains no Redis, lock or fault semantics.
//! `streams.rs` turns a seed into nonces and jitter, `latency.rs` into latencies, `queue.rs` orders what is due,
//! `run.rs` is the loop, `judged.rs` what comes out. `hunt.rs` runs many seeds of a `subject.rs` on many threads,
//! and `tally.rs` is what they come to. `draw.rs` draws plans from a profile,
//! `outside.rs` is the door to code that runs elsewhere, `compare.rs` fills a table of locks and profiles, `drill.rs` one of locks and fixed plans.

mod compare;
mod cores;
mod divergent;
mod draw;
mod drill;
mod figures;
mod hunt;
mod judged;
mod latency;
mod magnitude;
mod outside;
mod queue;
mod run;
mod seeds;
mod shrink;
#[cfg(feature = "testing")]
mod strategy;
mod streams;
mod subject;
mod tally;

pub use compare::{
    Cell, CompareRequest, Compared, OwnRow, PairTally, Pairs, compare, compare_with, pairs, pairs_with,
};
pub use cores::{Make, cores, own_cores, terms};
pub use divergent::Divergent;
pub use draw::{draw, draw_swarm, plan_under, slots, under};
pub use drill::{
    DRILL_RUNS, DrillCell, DrillEnd, DrillRow, Over, drill_all, drill_one, drill_scenario, in_order,
};
pub use figures::Figures;
pub use hunt::{Failure, Hunted, Progress, Request, Stop, Until, hunt};
pub use judged::{Keep, RunResult, Unmet, check_scope};
pub use outside::Outside;
pub use run::{Explorer, run};
pub use seeds::{Seeds, SeedsError};
pub use shrink::{NotViolated, Play, RUNS_MAX, Shrunk, Size, shrink, shrink_by, shrink_with};
#[cfg(feature = "testing")]
pub use strategy::plans;
#[cfg(feature = "async-sim")]
pub(crate) use streams::Streams;
#[cfg(feature = "prove")]
pub(crate) use streams::{Concern, stream};
pub use subject::{Plans, Runs, Subject};
pub use tally::{OracleTally, Tally, WitnessTally};
