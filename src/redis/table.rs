//! The command table: every command this server knows, once.
//!
//! Must not hold any meaning: handlers live in `commands/`. Source: Redis 7.0.15, `COMMAND`,
//! and its check order: existence, arity, too few replicas, read-only, busy.

use super::commands::{expiry, hash, key, replication, script, server, string};
use super::error::CommandError;
use super::exec::Exec;
use super::node::{Node, Request};
use crate::resp::Reply;
use bytes::Bytes;

/// One row: a command, or a subcommand of a container.
#[derive(Debug)]
pub(super) struct Spec {
    /// Lower case; a subcommand carries its container: `script|load`.
    pub(super) name: &'static str,
    /// How many bytes of the name are the container's, with the bar.
    container: usize,
    /// Words including the name; negative means at least so many.
    pub(super) arity: i8,
    pub(super) access: Access,
    pub(super) scripts: InScripts,
    pub(super) handler: Handler,
}

/// Redis' flag `write`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// Redis' flag `noscript`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InScripts {
    Allowed,
    Refused,
    /// Refused up to 7.0.
    Since72,
}

/// How a command runs. Arguments are the words after the command's (and subcommand's) name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Handler {
    /// On keys, the clock and the server's standing only; also from scripts.
    Keys(fn(&mut Exec<'_>, &[Bytes]) -> Result<Reply, CommandError>),
    /// On the whole server; never from scripts.
    Server(fn(&mut Node, &mut Request<'_>, &[Bytes]) -> Result<Reply, CommandError>),
    /// Has subcommands.
    Container(&'static [Spec]),
}

impl Spec {
    /// Whether this many words satisfy the arity.
    fn takes(&self, words: usize) -> bool {
        match usize::try_from(self.arity) {
            Ok(exactly) => words == exactly,
            Err(_) => words >= usize::from(self.arity.unsigned_abs()),
        }
    }

    /// The last part of the name: `load` of `script|load`.
    fn last_name(&self) -> &'static str {
        &self.name[self.container..]
    }

    /// How many words the name takes.
    pub(super) fn name_words(&self) -> usize {
        if self.container == 0 { 1 } else { 2 }
    }
}

/// Why a lookup failed. A server and a script phrase it differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// No such command.
    Command,
    /// No such subcommand of this container.
    Subcommand(&'static str),
    /// The command with this name takes another number of words.
    Arity(&'static str),
}

/// The row for these words, subcommands resolved, arity checked.
///
/// # Errors
/// What is missing, in Redis' order: existence, then arity.
pub(super) fn look_up(words: &[Bytes]) -> Result<&'static Spec, Missing> {
    let mut spec = find(COMMANDS, &words[0]).ok_or(Missing::Command)?;
    if let (Handler::Container(subcommands), Some(word)) = (spec.handler, words.get(1)) {
        spec = find(subcommands, word).ok_or(Missing::Subcommand(spec.name))?;
    }
    if spec.takes(words.len()) { Ok(spec) } else { Err(Missing::Arity(spec.name)) }
}

impl Missing {
    /// The error a client sees.
    pub(super) fn for_client(self, words: &[Bytes]) -> CommandError {
        match self {
            Self::Command => CommandError::unknown_command(words),
            Self::Subcommand(container) => CommandError::unknown_subcommand(container, &words[1]),
            Self::Arity(name) => CommandError::WrongArity(name),
        }
    }
}

fn find(table: &'static [Spec], word: &[u8]) -> Option<&'static Spec> {
    table.iter().find(|spec| word.eq_ignore_ascii_case(spec.last_name().as_bytes()))
}

use Access::{Read, Write};
use InScripts::{Allowed, Refused, Since72};

const fn row(name: &'static str, arity: i8, access: Access, scripts: InScripts, handler: Handler) -> Spec {
    let mut container = name.len();
    while container > 0 && name.as_bytes()[container - 1] != b'|' {
        container -= 1;
    }
    Spec { name, container, arity, access, scripts, handler }
}

/// Frequent commands first: the search is linear.
const COMMANDS: &[Spec] = &[
    row("get", 2, Read, Allowed, Handler::Keys(string::get)),
    row("set", -3, Write, Allowed, Handler::Keys(string::set)),
    row("del", -2, Write, Allowed, Handler::Keys(key::del)),
    row("eval", -3, Read, Refused, Handler::Server(script::eval)),
    row("evalsha", -3, Read, Refused, Handler::Server(script::evalsha)),
    row("pexpire", -3, Write, Allowed, Handler::Keys(expiry::pexpire)),
    row("exists", -2, Read, Allowed, Handler::Keys(key::exists)),
    row("expire", -3, Write, Allowed, Handler::Keys(expiry::expire)),
    row("expireat", -3, Write, Allowed, Handler::Keys(expiry::expireat)),
    row("hdel", -3, Write, Allowed, Handler::Keys(hash::hdel)),
    row("hexists", 3, Read, Allowed, Handler::Keys(hash::hexists)),
    row("hget", 3, Read, Allowed, Handler::Keys(hash::hget)),
    row("hincrby", 4, Write, Allowed, Handler::Keys(hash::hincrby)),
    row("hlen", 2, Read, Allowed, Handler::Keys(hash::hlen)),
    row("hset", -4, Write, Allowed, Handler::Keys(hash::hset)),
    row("incr", 2, Write, Allowed, Handler::Keys(string::incr)),
    row("persist", 2, Write, Allowed, Handler::Keys(expiry::persist)),
    row("pexpireat", -3, Write, Allowed, Handler::Keys(expiry::pexpireat)),
    row("ping", -1, Read, Allowed, Handler::Keys(server::ping)),
    row("pttl", 2, Read, Allowed, Handler::Keys(expiry::pttl)),
    row("role", 1, Read, Refused, Handler::Keys(replication::role)),
    row("script", -2, Read, Allowed, Handler::Container(SCRIPT)),
    row("setnx", 3, Write, Allowed, Handler::Keys(string::setnx)),
    row("time", 1, Read, Allowed, Handler::Keys(server::time)),
    row("ttl", 2, Read, Allowed, Handler::Keys(expiry::ttl)),
    row("type", 2, Read, Allowed, Handler::Keys(key::type_of)),
    row("unlink", -2, Write, Allowed, Handler::Keys(key::del)),
    row("wait", 3, Read, Since72, Handler::Keys(replication::wait)),
];

const SCRIPT: &[Spec] = &[
    row("script|exists", -3, Read, Refused, Handler::Server(script::exists)),
    row("script|flush", -2, Read, Refused, Handler::Server(script::flush)),
    row("script|kill", 2, Read, Refused, Handler::Server(script::kill)),
    row("script|load", 3, Read, Refused, Handler::Server(script::load)),
];
