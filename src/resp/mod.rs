//! What travels between a client and a Redis server: commands, replies, and their bytes.
//!
//! Must not know any command's meaning. `codec` turns values into RESP2 or RESP3 bytes and back.

pub mod codec;
mod command;
mod reply;

pub use bytes::Bytes;
pub use command::Command;
pub use reply::Reply;
