//! A Redis server as a value: keys with wall-clock deadlines, commands, scripts in a real Lua 5.1.
//!
//! Must not read a clock, draw randomness or know what a lock is. Every rule's facts are Redis 7.0.15 as
//! observed on a live server, with the differences of others behind [`Compat`]. Replies have the shapes of RESP2 until
//! a connection says HELLO 3, but for messages of channels, which are pushes. Read `node.rs` for what a caller
//! does with a server, `session.rs` for what it keeps of a connection, `stream.rs` for a server among others and `disk/` for what its end leaves, `table.rs` for
//! which commands exist, `commands/` for their meaning by family, and `lua/` for how scripts are kept
//! deterministic.

mod change;
mod commands;
mod disk;
mod entry;
mod error;
mod exec;
mod glob;
mod items;
mod keyspace;
mod lua;
mod members;
mod node;
mod number;
mod persistence;
mod scored;
mod scripts;
mod session;
mod snapshot;
mod standing;
mod stream;
mod table;
mod value;

pub use change::{Change, ChangeKind, Log};
pub use commands::replication::wait_arguments;
pub use disk::Disk;
pub use entry::{Effect, Entry, Stored};
pub use items::Items;
pub use members::Members;
pub use node::{Answer, Compat, KeyView, Node};
pub use persistence::{DiskTimes, Ending, Persistence};
pub use scored::{Score, Scored};
pub use session::{Audience, Message, Session, Space};
pub use snapshot::Snapshot;
pub use standing::{Role, Writes};
pub use value::{Fields, Value};
