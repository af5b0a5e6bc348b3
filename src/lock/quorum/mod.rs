//! The quorum algorithm: ask every voter to set a key, hold if enough did and time is left. One voter is `single`.
//!
//! Must not know what lies behind a voter. Start at `machine` (which input goes where), then `state` (the one
//! state machine); `attempt`, `confirm`, `extension`, `look` and `release` are its transitions, `ballot` a round of questions,
//! `validity` the arithmetic of promises, `commands` what is sent and how an answer counts.

mod attempt;
mod ballot;
mod canonical;
mod commands;
mod confirm;
mod extension;
mod look;
mod machine;
mod release;
mod state;
mod terms;
mod validity;

pub use machine::Quorum;
