//! The exhaustive explorer: every schedule of a small scope, over the same values that seeded runs use.
//!
//! A model (`ask.rs`, read by `file/`) is a scope (`scope.rs`) and a menu of faults (`kind.rs`, `offer.rs`). Its graph
//! (`model.rs`) has a state (`state.rs`) for every moment in which something is chosen (`choices.rs`), under terms that
//! never change (`terms.rs`). `search/` walks any graph, `prover.rs` asks it for violations, `witness.rs` for what must
//! have happened, `progress.rs` with `graph/` for waits without end, `lattice/` for sets of assumptions. `export.rs` turns
//! a path into a plan, and the seeded world has to agree with it (`rerun.rs`, `replay.rs`). Must not contain lock, Redis
//! or fault semantics.
//!
//! **Time** advances in ticks; within a tick, what is due at one process happens in every order, and what happens at
//! different processes in every order that a judged oracle can tell apart. All bounds are closed, so that whole ticks are
//! enough for dense time where clocks run true: a violation in which intervals only touch is labelled *margin 0*.
//! What is left out is said in `abstraction.rs`, and with every "held".
//!
//! **Source** Henzinger, Manna, Pnueli, "What good are digital clocks?", 1992.

mod abstraction;
mod ask;
pub mod assume;
mod checker;
mod choices;
mod explorer;
mod export;
mod file;
pub mod graph;
mod graphed;
mod kind;
pub mod lattice;
mod model;
mod offer;
mod progress;
mod proof;
mod prover;
mod replay;
mod rerun;
mod scope;
pub mod search;
mod seen;
mod spelled;
mod state;
mod telling;
mod terms;
mod verdict;
mod witness;
mod wording;

pub use abstraction::LEFT_OUT;
pub use ask::{Endless, Measure, Model, OwnLock, Pinned, Progress};
pub use choices::Choice;
pub use explorer::{Explorable, Narrator, Seen as Explored};
pub use export::{Export, export};
pub use file::{ModelLocator, UnknownModel, find_model, parse_model, pin, shipped_models};
pub use kind::{Allowed, Kind, Menu};
pub use model::{Question, ScopeModel};
pub use proof::{Counterexample, Effort, Ended, Finding, ProgressFinding, Proof, Replay};
pub use prover::{Options, Sighted, prove_cores, prove_model, prove_model_with};
pub use replay::{REPLAY_SEED, counterexample, replay, schedule};
pub use rerun::seeded;
pub use scope::Scope;
pub use state::State;
pub use telling::{Step, Told, records};
pub use terms::{Touch, Will};
pub use verdict::{Difference, Doubt, Verdict};
