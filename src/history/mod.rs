//! What happened: records with world time and the actor's own clocks, and their digest.
//!
//! A record carries every fact an oracle or a person needs, derived facts included, so that nobody who reads
//! it does clock arithmetic. `fact.rs` lists the facts, `encoding.rs` fixes their bytes, `digest.rs`
//! hashes them; `commands.rs` picks what a lock did. Must not judge.

mod codes;
mod commands;
mod digest;
mod encoding;
mod fact;

pub use commands::{Track, command_digest, commands};
pub use digest::Digest;
pub use encoding::{ENCODING_VERSION, encode};
pub use fact::{
    Access, Cause, Fact, HoldChange, HoldEffect, LostWhy, PromiseEnd, Record, SectionEnd, Watch, WatchEnd,
    WatchKind,
};
