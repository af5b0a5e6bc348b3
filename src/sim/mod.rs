//! The seeded explorer: one seed, one schedule, the same to the bit on every machine.
//!
//! It files delivery times and lets the earliest event happen; it contains no Redis, lock or fault semantics.
//! `streams.rs` turns a seed into nonces and jitter, `latency.rs` into latencies, `queue.rs` orders what is due,
//! `run.rs` is the loop, `judged.rs` what comes out.

mod cores;
mod judged;
mod latency;
mod queue;
mod run;
mod streams;

pub use cores::cores;
pub use judged::{Keep, RunResult, check_scope};
pub use run::{Explorer, run};
