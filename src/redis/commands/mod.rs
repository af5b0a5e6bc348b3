//! The commands' meaning, one file per family.
//!
//! A handler checks in Redis' order, because the first failing check decides the error. Must not look a key up
//! except through `Exec`. Which commands exist, their arity and flags: `table.rs`.

pub(super) mod channel;
pub(super) mod connection;
mod container;
pub(super) mod expiry;
pub(super) mod handshake;
pub(super) mod hash;
pub(super) mod key;
pub(super) mod list;
pub(super) mod members;
pub(super) mod replication;
pub(super) mod scored;
pub(super) mod script;
pub(super) mod server;
mod set_options;
mod shape;
pub(super) mod string;
pub(super) mod strings;
