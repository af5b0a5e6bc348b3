//! How much a script may use, and what happens beyond.
//!
//! Redis has no such limits: a script past its time runs on and everybody is told BUSY. Here a script over a
//! limit counts as one that never ends. All limits are exact functions of the script and the state it reads:
//! a run that comes near one on a used interpreter is repeated on a fresh one, whose run alone decides.

use super::super::node::Wrote;

/// Why a script was stopped. The error that stops it cannot be caught by the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Over [`INSTRUCTIONS`].
    TooLong,
    /// Over [`MEMORY`], or a reply of more than [`REPLY_PARTS`] parts.
    TooBig,
    /// The script walks through a table that has tables, functions or coroutines as keys. Lua orders those by
    /// address, so that no two runs need agree.
    Unordered,
}

impl Stop {
    /// The text of the error inside Lua; no script sees it.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::TooLong => "script over the instruction limit",
            Self::TooBig => "script over the memory limit",
            Self::Unordered => "script depends on addresses",
        }
    }
}

/// How a script ended, seen from the command that ran it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::redis) enum Ending {
    /// With this reply.
    Reply(crate::resp::Reply),
    /// Not at all. Its effects are dropped.
    Endless(Wrote),
}

/// Lua instructions that one script may execute, counted in steps of [`COUNT_STEP`].
pub(super) const INSTRUCTIONS: u64 = 10_000_000;
/// How many instructions the interpreter executes between two looks at the count.
pub(super) const COUNT_STEP: u32 = 10_000;
/// Bytes that the interpreter may hold while a script runs; nothing is collected before the script ends.
pub(super) const MEMORY: usize = 64 << 20;
/// Bytes held at a script's end beyond which the interpreter is thrown away.
pub(super) const MEMORY_DOUBTFUL: usize = MEMORY / 2;
/// Bytes held between scripts beyond which garbage is collected.
pub(super) const MEMORY_IDLE: usize = 2 << 20;
/// How deep tables may nest in a reply; what lies deeper is an error in its place, as in Redis, whose own
/// depth is that of its interpreter's stack.
pub(super) const REPLY_DEPTH: usize = 1_000;
/// How many values one reply may consist of.
pub(super) const REPLY_PARTS: usize = 1 << 20;
/// How many compiled scripts a thread keeps.
pub(super) const COMPILED: usize = 1_000;
