//! One script at work: the server's state while Lua holds it.
//!
//! It lies in the thread for the duration of the script, because the interpreter's functions are built once
//! and borrow nothing. Must not outlive the script.

use super::super::change::Log;
use super::super::error::CommandError;
use super::super::exec::Exec;
use super::super::keyspace::Keyspace;
use super::super::node::{Compat, Wrote};
use super::super::session::Audience;
use super::super::standing::{Refusal, Standing};
use super::super::table::{self, Access, Handler, InScripts, Missing, Spec};
use super::limits::{COUNT_STEP, INSTRUCTIONS, Stop};
use super::random::Random;
use super::shebang::Declared;
use crate::name::CallId;
use crate::resp::Reply;
use crate::resp::codec::Protocol;
use crate::time::WallTime;
use bytes::Bytes;
use std::cell::RefCell;

/// The state of a running script.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) keys: Keyspace,
    pub(super) random: Random,
    pub(super) log: Log,
    pub(super) wall: WallTime,
    pub(super) writer: Option<CallId>,
    pub(super) compat: Compat,
    pub(super) standing: Standing,
    pub(super) audience: Audience,
    /// How replies look to the script: `redis.setresp`.
    pub(super) view: Protocol,
    pub(super) writes: Writes,
    pub(super) spent: u64,
    pub(super) stop: Option<Stop>,
    /// The text of the error that ended the script, without its place.
    pub(super) failure: Option<Failure>,
}

/// Whether the script may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    Allowed,
    /// Its flag `no-writes`.
    Undeclared,
    /// The server does not write.
    Refused(Refusal),
}

impl Writes {
    /// As the script declares and the server stands.
    pub(super) fn of(declared: Declared, standing: Standing) -> Self {
        match declared {
            Declared::NoWrites => Self::Undeclared,
            Declared::Nothing | Declared::Writes => standing.refusal().map_or(Self::Allowed, Self::Refused),
        }
    }
}

/// The error that ended a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// With its leading code.
    pub(super) text: Vec<u8>,
    /// Where it arose, if that was in a function written in Lua.
    pub(super) place: Option<Place>,
}

/// A line of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The chunk's full name: `@user_script`.
    pub(super) chunk: String,
    /// As messages show it: `user_script`.
    pub(super) short: String,
    pub(super) line: usize,
}

thread_local! {
    static TURN: RefCell<Option<Turn>> = const { RefCell::new(None) };
}

impl Turn {
    /// Puts a turn in place for the interpreter's functions.
    pub(super) fn enter(self) {
        TURN.set(Some(self));
    }

    /// Takes the turn back.
    ///
    /// # Panics
    /// If none is in place.
    pub(super) fn leave() -> Self {
        TURN.take().expect("a script's turn lasts until the script ends")
    }

    /// Works on the turn in place. `None` outside scripts, while the interpreter is being built.
    pub(super) fn with<R>(work: impl FnOnce(&mut Self) -> R) -> Option<R> {
        TURN.with_borrow_mut(|turn| turn.as_mut().map(work))
    }

    /// Charges one step of instructions.
    pub(super) fn charge(&mut self) -> Option<Stop> {
        self.spent += u64::from(COUNT_STEP);
        if self.spent > INSTRUCTIONS {
            self.stop.get_or_insert(Stop::TooLong);
        }
        self.stop
    }

    /// Whether the run came so near a limit that what the interpreter did before may have decided it.
    pub(super) fn is_doubtful(&self) -> bool {
        let near = self.spent + 2 * u64::from(COUNT_STEP) > INSTRUCTIONS;
        near || matches!(self.stop, Some(Stop::TooLong | Stop::TooBig))
    }

    /// Whether the script has changed anything.
    pub(super) fn wrote(&self) -> Wrote {
        if self.log.changes.is_empty() { Wrote::Nothing } else { Wrote::Something }
    }

    /// One command called by the script.
    ///
    /// # Errors
    /// The text of the error, as `redis.pcall` shows it.
    pub(super) fn call(&mut self, words: &[Bytes]) -> Result<Reply, Bytes> {
        let spec = callable(words, self.writes, self.compat)?;
        let Self { keys, wall, writer, standing, compat, view, audience, log, .. } = self;
        let (wall, writer, standing, compat, protocol) = (*wall, *writer, *standing, *compat, *view);
        let mut exec = Exec { keys, wall, writer, standing, compat, protocol, audience, log };
        call(spec, &mut exec, words)
    }
}

/// The command, if a script may call it.
///
/// # Errors
/// The text of the error, as `redis.pcall` shows it.
pub(super) fn callable(words: &[Bytes], writes: Writes, compat: Compat) -> Result<&'static Spec, Bytes> {
    let spec = table::look_up(words, compat).map_err(|missing| match missing {
        Missing::Command | Missing::Subcommand(_) => UNKNOWN,
        Missing::Arity(_) => ARITY,
    })?;
    match (spec.scripts, compat.is_70()) {
        (InScripts::Allowed, _) | (InScripts::Since72, false) => {}
        (InScripts::Refused, _) | (InScripts::Since72, true) => return Err(REFUSED),
    }
    let (Handler::Keys(_) | Handler::Waits(..)) = spec.handler else { return Err(REFUSED) };
    match (writes, spec.access) {
        (Writes::Undeclared, Access::Write | Access::Spread) => Err(READ_ONLY),
        (Writes::Refused(refusal), Access::Write) => Err(refusal.of_command().text()),
        (Writes::Allowed, _)
        | (Writes::Undeclared | Writes::Refused(_), Access::Read)
        | (Writes::Refused(_), Access::Spread) => Ok(spec),
    }
}

/// Executes a command that [`callable`] found.
///
/// # Errors
/// The command's own.
pub(super) fn call(spec: &Spec, exec: &mut Exec<'_>, words: &[Bytes]) -> Result<Reply, Bytes> {
    let (Handler::Keys(run) | Handler::Waits(_, run)) = spec.handler else { return Err(REFUSED) };
    let reported = exec.log.changes.len();
    let done = run(exec, &words[spec.name_words()..]);
    debug_assert!(
        spec.access == Access::Write || exec.log.changes.len() == reported,
        "a read changes nothing"
    );
    let reply = done.unwrap_or_else(|error: CommandError| error.reply());
    if let Reply::Error(text) = reply { Err(text) } else { Ok(reply) }
}

const UNKNOWN: Bytes = Bytes::from_static(b"ERR Unknown Redis command called from script");
const ARITY: Bytes = Bytes::from_static(b"ERR Wrong number of args calling Redis command from script");
const REFUSED: Bytes = Bytes::from_static(b"ERR This Redis command is not allowed from script");
const READ_ONLY: Bytes = Bytes::from_static(b"ERR Write commands are not allowed from read-only scripts.");
