//! The seeded explorer: one seed, one schedule, the same to the bit on every machine.
//!
//! It files delivery times and lets the earliest event happen; it contains no Redis, lock or fault semantics.
//! `streams.rs` turns a seed into nonces and jitter, `latency.rs` into latencies, `queue.rs` orders what is due,
//! `run.rs` is the loop, `judged.rs` what comes out. `hunt.rs` runs many seeds of a `subject.rs` on many threads,
//! and `tally.rs` is what they come to. `draw.rs` draws plans from a profile,
//! and `compare.rs` fills a table of locks and profiles.

mod compare;
mod cores;
mod divergent;
mod draw;
mod figures;
mod hunt;
mod judged;
mod latency;
mod magnitude;
mod queue;
mod run;
mod seeds;
mod shrink;
#[cfg(feature = "testing")]
mod strategy;
mod streams;
mod subject;
mod tally;

pub use compare::{Cell, CompareRequest, Compared, PairTally, Pairs, compare, pairs};
pub use cores::cores;
pub use divergent::Divergent;
pub use draw::{draw, draw_swarm, plan_under, slots, under};
pub use figures::Figures;
pub use hunt::{Failure, Hunted, Progress, Request, Stop, Until, hunt};
pub use judged::{Keep, RunResult, Unmet, check_scope};
pub use run::{Explorer, run};
pub use seeds::{Seeds, SeedsError};
pub use shrink::{NotViolated, RUNS_MAX, Shrunk, Size, shrink};
#[cfg(feature = "testing")]
pub use strategy::plans;
#[cfg(feature = "prove")]
pub(crate) use streams::{Concern, stream};
pub use subject::{Plans, Runs, Subject};
pub use tally::{OracleTally, Tally, WitnessTally};
