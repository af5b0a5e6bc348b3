//! Oracles: finite monitors over records, their outcomes, and the verdict of a run.
//!
//! A monitor is `Clone + Eq + Hash` and canonical, so that the same value judges a seeded run and lives in a
//! prover's state. It does no clock arithmetic: records carry derived facts. One monitor per file; `panel.rs` runs
//! them all, `verdict.rs` turns outcomes into a verdict and an exit code. Witnesses are counted for a run
//! (`witness_count.rs`) and latched for a prover (`witness_latch.rs`). Must not know any protocol.

mod bounded;
mod contention;
mod continuity;
mod distinct;
mod expectation;
mod expiry_under_load;
mod false_refusal;
mod fence_order;
mod foreign_change;
mod hand_over;
mod hold_count;
mod leak;
mod lost_update;
mod margin;
mod mark;
mod monitor;
mod newest;
mod occupancy;
mod oracle;
mod orphan;
mod panel;
mod promise_empty;
mod promise_overlap;
mod promise_unbacked;
mod readers;
mod scope;
mod section_overlap;
mod sighting;
mod stale_write;
mod unfair;
mod valid_write_refused;
mod verdict;
mod violation;
mod witness;
mod witness_count;
mod witness_latch;

pub use expectation::{CountRange, Expectation};
pub use margin::Margin;
pub use mark::Mark;
pub use oracle::{Expected, OracleName};
pub use panel::Panel;
pub use readers::Readers;
pub use scope::Scope;
pub use verdict::{Doubt, Ending, Judgement, Mismatch, Observed, Verdict, judge};
pub use violation::{Outcome, Violation};
pub use witness::WitnessName;
pub use witness_count::Witnesses;
pub use witness_latch::WitnessLatches;
