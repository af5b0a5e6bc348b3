//! The command table: every command this server knows, once.
//!
//! Must not hold any meaning: handlers live in `commands/`. Whatever is not listed is an unknown command, as in Redis:
//! functions (FUNCTION, FCALL), streams, KEYS and SCAN among them. Source: Redis 7.0.15, `COMMAND`,
//! and its check order: existence, arity, too few replicas, read-only, busy.

use super::commands::{
    channel, connection, expiry, handshake, hash, key, list, members, replication, scored, script, server,
    string, strings,
};
use super::error::CommandError;
use super::exec::Exec;
use super::items::End;
use super::node::{Compat, Node, Request};
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
    known: Known,
    pub(super) handler: Handler,
}

/// Redis' flags `write` and `may-replicate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    /// Changes no key, but replicas hear of it: a script that declares that it writes nothing must not do it.
    Spread,
}

/// Which servers know the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Everywhere,
    /// Redis from 7.2 on, and Valkey.
    Redis72,
    /// Redis from 8.4 on.
    Redis84,
    /// Valkey from 9.0 on.
    Valkey90,
}

impl Known {
    fn to(self, compat: Compat) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Redis72 => !compat.is_70(),
            Self::Redis84 => compat == Compat::V84,
            Self::Valkey90 => compat == Compat::Valkey90,
        }
    }
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
    /// The same, where a client that gets null waits for more from this end of a list, unless in a transaction.
    Waits(End, fn(&mut Exec<'_>, &[Bytes]) -> Result<Reply, CommandError>),
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
pub(super) fn look_up(words: &[Bytes], compat: Compat) -> Result<&'static Spec, Missing> {
    let mut spec = find(COMMANDS, &words[0]).filter(|spec| spec.known.to(compat)).ok_or(Missing::Command)?;
    if let (Handler::Container(subcommands), Some(word)) = (spec.handler, words.get(1)) {
        let found = find(subcommands, word).filter(|spec| spec.known.to(compat));
        spec = found.ok_or(Missing::Subcommand(spec.name))?;
    }
    if spec.takes(words.len()) { Ok(spec) } else { Err(Missing::Arity(spec.name)) }
}

/// How many commands such a server knows.
pub(super) fn count(compat: Compat) -> usize {
    COMMANDS.iter().filter(|spec| spec.known.to(compat)).count()
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

use Access::{Read, Spread, Write};
use InScripts::{Allowed, Refused, Since72};

const fn row(name: &'static str, arity: i8, access: Access, scripts: InScripts, handler: Handler) -> Spec {
    let mut container = name.len();
    while container > 0 && name.as_bytes()[container - 1] != b'|' {
        container -= 1;
    }
    Spec { name, container, arity, access, scripts, known: Known::Everywhere, handler }
}

/// The same, known to newer servers only.
const fn newer(known: Known, spec: Spec) -> Spec {
    Spec { known, ..spec }
}

/// A command on keys.
const fn keys(
    name: &'static str,
    arity: i8,
    access: Access,
    run: fn(&mut Exec<'_>, &[Bytes]) -> Result<Reply, CommandError>,
) -> Spec {
    row(name, arity, access, Allowed, Handler::Keys(run))
}

/// A command on the connection.
const fn connected(
    name: &'static str,
    arity: i8,
    run: fn(&mut Node, &mut Request<'_>, &[Bytes]) -> Result<Reply, CommandError>,
) -> Spec {
    row(name, arity, Read, Refused, Handler::Server(run))
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
    keys("publish", 3, Spread, channel::publish),
    connected("subscribe", -2, channel::subscribe),
    connected("unsubscribe", -1, channel::unsubscribe),
    connected("multi", 1, connection::multi),
    connected("exec", 1, connection::exec),
    connected("discard", 1, connection::discard),
    connected("watch", -2, connection::watch),
    connected("unwatch", 1, connection::unwatch),
    connected("auth", -2, handshake::auth),
    row("blpop", -3, Write, Since72, Handler::Waits(End::Head, list::blpop)),
    row("brpop", -3, Write, Since72, Handler::Waits(End::Tail, list::brpop)),
    row("client", -2, Read, Allowed, Handler::Container(CLIENT)),
    row("command", -1, Read, Allowed, Handler::Container(COMMAND)),
    row("config", -2, Read, Allowed, Handler::Container(CONFIG)),
    keys("decr", 2, Write, string::decr),
    keys("decrby", 3, Write, string::decrby),
    newer(Known::Redis84, keys("delex", -2, Write, string::delex)),
    newer(Known::Valkey90, keys("delifeq", 3, Write, string::delifeq)),
    keys("echo", 2, Read, server::echo),
    keys("getdel", 2, Write, string::getdel),
    keys("getrange", 4, Read, string::getrange),
    keys("getset", 3, Write, string::getset),
    connected("hello", -1, handshake::hello),
    keys("hgetall", 2, Read, hash::hgetall),
    keys("hkeys", 2, Read, hash::hkeys),
    keys("hmget", -3, Read, hash::hmget),
    keys("hsetnx", 4, Write, hash::hsetnx),
    keys("hvals", 2, Read, hash::hvals),
    keys("incrby", 3, Write, string::incrby),
    keys("info", -1, Read, server::info),
    keys("lindex", 3, Read, list::lindex),
    keys("llen", 2, Read, list::llen),
    keys("lpop", -2, Write, list::lpop),
    keys("lpush", -3, Write, list::lpush),
    keys("lrange", 4, Read, list::lrange),
    keys("lrem", 4, Write, list::lrem),
    keys("mget", -2, Read, strings::mget),
    keys("mset", -3, Write, strings::mset),
    keys("msetnx", -3, Write, strings::msetnx),
    keys("psetex", 4, Write, string::psetex),
    connected("psubscribe", -2, channel::psubscribe),
    connected("punsubscribe", -1, channel::punsubscribe),
    connected("quit", -1, handshake::quit),
    connected("reset", 1, handshake::reset),
    keys("rpop", -2, Write, list::rpop),
    keys("rpush", -3, Write, list::rpush),
    keys("sadd", -3, Write, members::sadd),
    keys("scard", 2, Read, members::scard),
    keys("select", 2, Read, server::select),
    keys("setex", 4, Write, string::setex),
    keys("sismember", 3, Read, members::sismember),
    keys("smembers", 2, Read, members::smembers),
    keys("spublish", 3, Spread, channel::spublish),
    keys("srem", -3, Write, members::srem),
    connected("ssubscribe", -2, channel::ssubscribe),
    keys("strlen", 2, Read, string::strlen),
    connected("sunsubscribe", -1, channel::sunsubscribe),
    keys("zadd", -4, Write, scored::zadd),
    keys("zcard", 2, Read, scored::zcard),
    keys("zcount", 4, Read, scored::zcount),
    keys("zincrby", 4, Write, scored::zincrby),
    keys("zrange", -4, Read, scored::zrange),
    keys("zrangebyscore", -4, Read, scored::zrangebyscore),
    keys("zrank", 3, Read, scored::zrank),
    keys("zrem", -3, Write, scored::zrem),
    keys("zremrangebyscore", 4, Write, scored::zremrangebyscore),
    keys("zrevrange", -4, Read, scored::zrevrange),
    keys("zscore", 3, Read, scored::zscore),
];

const CLIENT: &[Spec] = &[
    connected("client|getname", 2, handshake::name),
    connected("client|id", 2, handshake::id),
    connected("client|no-evict", 3, handshake::switch),
    newer(Known::Redis72, connected("client|no-touch", 3, handshake::switch)),
    newer(Known::Redis72, connected("client|setinfo", 4, handshake::set_info)),
    connected("client|setname", 3, handshake::set_name),
];

const COMMAND: &[Spec] =
    &[keys("command|count", 2, Read, server::command_count), keys("command|docs", -2, Read, server::nothing)];

const CONFIG: &[Spec] = &[row("config|get", -3, Read, Refused, Handler::Keys(server::nothing))];

const SCRIPT: &[Spec] = &[
    row("script|exists", -3, Read, Refused, Handler::Server(script::exists)),
    row("script|flush", -2, Read, Refused, Handler::Server(script::flush)),
    row("script|kill", 2, Read, Refused, Handler::Server(script::kill)),
    row("script|load", 3, Read, Refused, Handler::Server(script::load)),
];
