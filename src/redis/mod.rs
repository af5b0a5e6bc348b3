//! A Redis server as a value: keys with wall-clock deadlines, commands, scripts in a real Lua 5.1.
//!
//! Must not read a clock, draw randomness or know what a lock is. Every rule's facts are Redis 7.0.15 as
//! observed on a live server, with the differences of 7.2 behind [`Compat`]. Read `node.rs` for what a caller
//! does with a server, `table.rs` for which commands exist, `commands/` for their meaning by family, and
//! `lua/` for how scripts are kept deterministic.

mod change;
mod commands;
mod error;
mod exec;
mod keyspace;
mod lua;
mod node;
mod number;
mod scripts;
mod table;
mod value;

pub use change::{Change, ChangeKind};
pub use node::{Compat, KeyView, Node};
pub use value::{Fields, Value};
