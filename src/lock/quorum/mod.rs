//! The quorum algorithm: ask every voter to set a key, hold if enough did and time is left. One voter is `single`.
//!
//! Must not know what lies behind a voter. Start at `machine` (which input goes where), then `state` (the one
//! state machine); `attempt`, `confirm`, `extension`, `look` and `release` are its transitions, `ballot` a round of questions,
//! `validity` the arithmetic of promises, `errand` what a round is for, `commands` what is sent and `steps` what an answer
//! leads to. `stray` is what a watchdog does without a hold.

mod attempt;
mod ballot;
mod canonical;
mod commands;
mod confirm;
mod errand;
mod extension;
mod look;
mod machine;
mod release;
mod state;
mod steps;
mod stray;
mod terms;
pub(super) mod validity;

pub(in crate::lock) use commands::connected;
pub use machine::Quorum;
