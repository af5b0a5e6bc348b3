//! A Redis server as a value: keys with wall-clock deadlines, commands, scripts in a real Lua 5.1.
//!
//! Must not read a clock, draw randomness or know what a lock is. Every rule's facts are Redis 7.0.15 as
//! observed on a live server, with the differences of 7.2 behind [`Compat`]. Read `node.rs` for what a caller
//! does with a server, `stream.rs` for a server among others and `disk/` for what its end leaves, `table.rs` for
//! which commands exist, `commands/` for their meaning by family, and `lua/` for how scripts are kept
//! deterministic.

mod change;
mod commands;
mod disk;
mod entry;
mod error;
mod exec;
mod keyspace;
mod lua;
mod node;
mod number;
mod persistence;
mod scripts;
mod snapshot;
mod standing;
mod stream;
mod table;
mod value;

pub use change::{Change, ChangeKind};
pub use commands::replication::wait_arguments;
pub use disk::Disk;
pub use entry::{Effect, Entry, Stored};
pub use node::{Compat, KeyView, Node};
pub use persistence::{DiskTimes, Ending, Persistence};
pub use snapshot::Snapshot;
pub use standing::{Role, Writes};
pub use value::{Fields, Value};
