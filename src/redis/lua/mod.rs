//! Scripts: Redis' Lua 5.1, tamed until equal inputs give equal results on every thread.
//!
//! The interpreter is the real one. It lives in the thread, outside all values, and holds nothing that a later
//! script could notice: globals and libraries are read-only, nothing is collected while a script runs (so weak
//! tables never lose an entry), addresses never become text, `math.random` draws from the server's state,
//! and what stops a script cannot be caught by it. What remains address-dependent is only the length
//! operator on a table with holes that also has tables, functions or coroutines as keys.
//!
//! A script without loops and functions needs no interpreter once Lua has compiled it: `straight.rs` tells which
//! those are, `walk.rs` runs them, and Lua runs whatever leaves what they know.
//!
//! A pattern of legal length may still take very long in C code, which no count interrupts. Where a script
//! calls a library function as a tail call with wrong arguments, the error lacks its place: Redis' functions
//! are C code, which keeps the caller's frame, some of these are Lua.
//!
//! Absent compared with Redis: `cjson`, `cmsgpack`, `struct`, `bit`, `string.dump`.
//! Read `sandbox.lua` for what scripts see, `limits.rs` for what they may use, `turn.rs` for what they touch.

mod bytecode;
mod call;
mod convert;
mod format;
mod limits;
mod random;
mod shebang;
mod straight;
mod turn;
mod vm;
mod walk;

pub(super) use limits::Ending;
pub(super) use random::Random;
pub(super) use shebang::Declared;

use super::change::Log;
use super::error::{self, CommandError};
use super::keyspace::Keyspace;
use super::node::Compat;
use super::scripts::Sha;
use super::session::Audience;
use super::standing::Standing;
use crate::name::CallId;
use crate::resp::Reply;
use crate::resp::codec::Protocol;
use crate::time::WallTime;
use bytes::Bytes;
use limits::Stop;
use turn::{Failure, Place, Turn, Writes};
use vm::{Finished, Vm};

/// A script to run, with everything it can read besides the keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job<'a> {
    pub(super) text: &'a Bytes,
    pub(super) keys: &'a [Bytes],
    pub(super) argv: &'a [Bytes],
    pub(super) wall: WallTime,
    pub(super) writer: Option<CallId>,
    pub(super) compat: Compat,
    pub(super) standing: Standing,
    pub(super) audience: &'a Audience,
}

/// Compiles a script, if this thread has not, and names its digest.
///
/// # Errors
/// Lua's message in Redis' frame.
pub(super) fn load(text: &Bytes) -> Result<Sha, CommandError> {
    Vm::on_thread(|vm| vm.compiled(text).map(|compiled| compiled.sha))
}

/// What the first line of a script that [`load`] accepted declares.
pub(super) fn declared(text: &Bytes) -> Declared {
    Vm::on_thread(|vm| vm.compiled(text).map_or(Declared::Nothing, |compiled| compiled.declared))
}

/// Runs a script that [`load`] accepted on these keys.
pub(super) fn run(job: Job<'_>, keys: &mut Keyspace, random: &mut Random, log: &mut Log) -> Ending {
    if let Some(reply) = Vm::on_thread(|vm| vm.walk(job, keys, log)) {
        return Ending::Reply(reply);
    }
    run_in_lua(job, keys, random, log)
}

fn run_in_lua(job: Job<'_>, keys: &mut Keyspace, random: &mut Random, log: &mut Log) -> Ending {
    let start = Turn {
        keys: keys.clone(),
        random: *random,
        log: Log::default(),
        wall: job.wall,
        writer: job.writer,
        compat: job.compat,
        view: Protocol::Resp2,
        standing: job.standing,
        audience: job.audience.clone(),
        writes: Writes::Allowed,
        spent: 0,
        stop: None,
        failure: None,
    };
    let mut finished = Vm::on_thread(|vm| vm.run(job, start.clone()));
    if finished.is_doubtful() {
        Vm::discard();
        finished = Vm::on_thread(|vm| vm.run(job, start));
        Vm::discard();
    }
    let Finished { turn, result, .. } = finished;
    match turn.stop {
        Some(Stop::TooLong | Stop::TooBig) => return Ending::Endless(turn.wrote()),
        Some(Stop::Unordered) => return Ending::Reply(Reply::Error(UNORDERED)),
        None => {}
    }
    let reply = match &turn.failure {
        Some(failure) => Reply::Error(failure.shown(job.text)),
        None => result,
    };
    *keys = turn.keys;
    *random = turn.random;
    log.changes.extend(turn.log.changes);
    log.expired.extend(turn.log.expired);
    log.published.extend(turn.log.published);
    Ending::Reply(reply)
}

impl Failure {
    /// What the client sees: the text, and where it arose.
    fn shown(&self, script: &Bytes) -> Bytes {
        let mut text = self.text.clone();
        if let Some(Place { chunk, line, .. }) = &self.place {
            let sha = Sha::of(script).hex();
            text.extend_from_slice(format!(" script: {sha}, on {chunk}:{line}.").as_bytes());
        }
        error::one_line(text)
    }
}

/// Not a text of Redis: it would walk the table in an order that differs from run to run.
const UNORDERED: Bytes = Bytes::from_static(
    b"ERR fencepost: the script walks a table keyed by tables or functions, whose order is not defined",
);
