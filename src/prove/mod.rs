//! The exhaustive explorer: every schedule of a small scope, over the same values that seeded runs use.
//!
//! Time advances in ticks. What a tick holds, and which orders are not explored because they come to the same, is
//! said in `state.rs`; `scope.rs` fits a policy into ticks, `model.rs` is the graph for stateright, `export.rs`
//! turns a path into a plan that the seeded explorer replays. Must not contain lock, Redis or fault semantics.
//!
//! **What the abstraction leaves out**, to be said with every "held": messages are late by whole ticks up to the
//! bound, timers are never late, a client starts an attempt at the beginning of a tick and only when nothing of
//! its last one is in flight, connections stay open, clocks run true. Integer ticks are enough for dense time
//! where clock rates are true and all bounds are closed.
//!
//! **Source** Henzinger, Manna, Pnueli 1992 for digitization.

mod export;
mod model;
mod scope;
mod state;

pub use export::{Export, export};
pub use model::{Question, ScopeModel};
pub use scope::Scope;
pub use state::{Choice, State};
