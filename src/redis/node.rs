//! The server: what a world does with it.
//!
//! A command runs at once and whole, at one reading of the wall clock. Must not know links, clients or time
//! other than the reading it is given.

use super::change::{Change, ChangeKind, Log};
use super::commands::list;
use super::commands::script;
use super::error::CommandError;
use super::exec::Exec;
use super::items::End;
use super::keyspace::{Keyspace, Slot};
use super::lua::Random;
use super::scripts::ScriptCache;
use super::session::{Audience, Blocked, Session};
use super::standing::Standing;
use super::stream::{self, Stream};
use super::table::{self, Handler, Missing, Spec};
use super::value::Value;
use crate::canon::Canon;
use crate::name::CallId;
use crate::resp::{Command, Reply};
use crate::time::{UnixMs, WallTime};
use bytes::Bytes;

/// One Redis server process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    pub(super) compat: Compat,
    pub(super) keys: Keyspace,
    pub(super) scripts: ScriptCache,
    pub(super) random: Random,
    pub(super) activity: Activity,
    pub(super) standing: Standing,
    pub(super) stream: Stream,
}

/// Which Redis is imitated where versions differ.
///
/// A script takes no time here, so a live and a frozen clock inside scripts read the same; what differs is how
/// Lua numbers become arguments, how doubles print, and the version a script reads.
/// Source: Redis 7.0.15 and 7.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
pub enum Compat {
    /// 7.0.15: live time inside scripts; numbers print with 17 digits.
    #[serde(rename = "7.0")]
    V70,
    /// 7.2.6: time frozen at the start of a script; numbers print as short as they can.
    #[serde(rename = "7.2")]
    V72,
    /// Redis 8.4: as 7.2, and `SET … IFEQ` and DELEX.
    #[serde(rename = "8.4")]
    V84,
    /// Valkey 9.0: as 7.2, and `SET … IFEQ` and DELIFEQ.
    #[serde(rename = "valkey-9.0")]
    Valkey90,
}

impl Compat {
    /// Whether numbers print with 17 digits, and a script may not call what can block: up to 7.0.
    pub(super) fn is_70(self) -> bool {
        match self {
            Self::V70 => true,
            Self::V72 | Self::V84 | Self::Valkey90 => false,
        }
    }

    /// The version that a client or a script written for Redis reads.
    pub(super) fn redis_version(self) -> &'static str {
        match self {
            Self::V70 => "7.0.15",
            Self::V72 => "7.2.6",
            Self::V84 => "8.4.0",
            Self::Valkey90 => "7.2.4",
        }
    }

    /// The name and the version that HELLO shows.
    pub(super) fn product(self) -> (&'static str, &'static str) {
        match self {
            Self::V70 | Self::V72 | Self::V84 => ("redis", self.redis_version()),
            Self::Valkey90 => ("valkey", "9.0.0"),
        }
    }

    /// Whether SET knows IFEQ.
    pub(super) fn compares(self) -> bool {
        match self {
            Self::V70 | Self::V72 => false,
            Self::V84 | Self::Valkey90 => true,
        }
    }
}

/// What a connection is answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// This, at once.
    Now(Reply),
    /// Nothing yet: it waits for an item of a list, see [`Node::pop_for`] and [`Session::give_up`].
    Blocked,
}

/// What the process is doing between commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Activity {
    /// Serving commands.
    Serving,
    /// In a script that is over the limits and never ends. Its effects are not in the key space: nobody could
    /// ever read them.
    Busy(Wrote),
}

/// Whether a busy script has written, which decides if SCRIPT KILL may end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Wrote {
    Nothing,
    Something,
}

/// What a server-wide command knows of its caller.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) wall: WallTime,
    pub(super) writer: Option<CallId>,
    pub(super) session: &'a mut Session,
    pub(super) audience: &'a Audience,
    pub(super) log: &'a mut Log,
}

/// A live key as seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyView<'a> {
    /// What it holds.
    pub value: &'a Value,
    /// The acquire call whose command created or overwrote the value; later changes in place keep it.
    pub writer: Option<CallId>,
    /// The last millisecond of its life, on the server's wall clock; `None` if it lives until deleted.
    pub deadline: Option<UnixMs>,
}

impl Node {
    /// A server process that has just started, empty.
    pub fn new(compat: Compat) -> Self {
        Self {
            compat,
            keys: Keyspace::new(),
            scripts: ScriptCache::new(),
            random: Random::AT_START,
            activity: Activity::Serving,
            standing: Standing::ALONE,
            stream: Stream::Off,
        }
    }

    /// Executes one command of a connection that keeps nothing at the server's wall time and appends what it did to
    /// `changes`. As inside a transaction nobody waits for anything.
    ///
    /// See [`Self::apply_in`].
    pub fn apply(
        &mut self,
        wall: WallTime,
        writer: Option<CallId>,
        command: &Command,
        changes: &mut Vec<Change>,
    ) -> Reply {
        let (mut session, mut log) = (Session::new(), Log::default());
        let answer = self.apply_in(wall, writer, command, &mut session, &Audience::default(), &mut log);
        changes.append(&mut log.changes);
        match answer {
            Answer::Now(reply) => reply,
            Answer::Blocked => Reply::NullArray,
        }
    }

    /// Executes one command of a connection at the server's wall time and appends what it did to `log`, which every
    /// connection of the server then has to [notice](Session::notice).
    ///
    /// `writer` tags every value that the command creates or overwrites. Keys that have expired are deleted
    /// silently on the way: that is no change, and a command that then writes saw a missing key. `audience` are the
    /// connections of the server that hear channels; they are sent what was published, in order, behind the answer.
    /// A connection of RESP3 may hear what it publishes itself: Redis sends it that before its answer.
    ///
    /// The answer is written in the [protocol](Session::protocol) that the session has afterwards; a command queued
    /// before a HELLO in the same transaction would in Redis be answered in the earlier one. Behind the answer the
    /// caller closes a connection that [has quit](Session::has_quit).
    ///
    /// A script over the limits (see `lua/limits.rs`) leaves the server busy for ever: it and every later
    /// command is answered `BUSY …`, except what Redis itself rejects earlier and SCRIPT KILL.
    pub fn apply_in(
        &mut self,
        wall: WallTime,
        writer: Option<CallId>,
        command: &Command,
        session: &mut Session,
        audience: &Audience,
        log: &mut Log,
    ) -> Answer {
        let (reported, expired) = (log.changes.len(), log.expired.len());
        let mut request = Request { wall, writer, session, audience, log };
        let done = self.execute(&mut request, command);
        let blocked = request.session.is_blocked();
        self.note(log, reported, expired);
        match done {
            Ok(_) if blocked => Answer::Blocked,
            done => Answer::Now(done.unwrap_or_else(|error| error.reply())),
        }
    }

    /// Gives a connection that waits for an item of this list the next one, if there is one. To be called after a
    /// command that changed the list, for the connections in the order in which they began to wait.
    ///
    /// **Source** Redis 7.0.15: whoever waits is served when the command, script or transaction is over.
    pub fn pop_for(
        &mut self,
        wall: WallTime,
        key: &Bytes,
        session: &mut Session,
        log: &mut Log,
    ) -> Option<Reply> {
        if !session.waits_for(key) || self.is_busy() {
            return None;
        }
        let (reported, expired) = (log.changes.len(), log.expired.len());
        let audience = Audience::default();
        let (keys, standing, compat) = (&mut self.keys, self.standing, self.compat);
        let protocol = session.protocol();
        let mut exec =
            Exec { keys, wall, writer: None, standing, compat, protocol, audience: &audience, log };
        // A key that came to hold another type is none that it waits for.
        let popped = match exec.live(key).map(|slot| &slot.value) {
            Some(Value::List(_)) => {
                let end = session.unblock(key)?;
                list::pop_one(&mut exec, key, end).ok().flatten()
            }
            Some(Value::String(_) | Value::Hash(_) | Value::Set(_) | Value::Scored(_)) | None => None,
        };
        self.note(log, reported, expired);
        popped
    }

    /// Refuses or queues the command as Redis does, or runs it.
    fn execute(&mut self, request: &mut Request<'_>, command: &Command) -> Result<Reply, CommandError> {
        let words = command.words();
        let spec = table::look_up(words, self.compat).map_err(|missing| {
            let error = missing.for_client(words);
            if missing == Missing::Arity("exec") { abort(request, &error) } else { spoil(request, error) }
        })?;
        let args = &words[spec.name_words()..];
        let ends = spec.name == "exec";
        if let Some(error) = self.refusal(request, spec, args) {
            return Err(if ends { abort(request, &error) } else { spoil(request, error) });
        }
        let at_once = ends || matches!(spec.name, "discard" | "multi" | "quit" | "reset" | "watch");
        if let Some(queue) = request.session.queue.as_mut().filter(|_| !at_once) {
            queue.commands.push(command.clone());
            return Ok(Reply::Status(Bytes::from_static(b"QUEUED")));
        }
        let reply = self.run(request, words)?;
        if let (Handler::Waits(end, _), Reply::NullArray) = (spec.handler, &reply) {
            self.block(request, end, args)?;
        }
        Ok(reply)
    }

    /// Why the command is refused before it runs, in Redis' order.
    fn refusal(&self, request: &Request<'_>, spec: &Spec, args: &[Bytes]) -> Option<CommandError> {
        let queued = request.session.queue.as_ref().filter(|_| spec.name == "exec");
        let mut queued = queued.into_iter().flat_map(|queue| &queue.commands);
        let writes = |command: &Command| {
            let words = command.words();
            let spec = table::look_up(words, self.compat);
            spec.is_ok_and(|spec| script::is_write(self, spec, &words[spec.name_words()..]))
        };
        if let Some(refusal) = self.standing.refusal()
            && (script::is_write(self, spec, args) || queued.any(writes))
        {
            return Some(refusal.of_command());
        }
        if request.session.is_confined() && !MAY_WHO_HEARS.contains(&spec.name) {
            return Some(CommandError::Subscribed(spec.name));
        }
        match self.activity {
            Activity::Serving => None,
            Activity::Busy(_) => (!SERVED_WHILE_BUSY.contains(&spec.name)).then_some(CommandError::Busy),
        }
    }

    /// Runs a command that nothing refuses.
    pub(super) fn run(&mut self, request: &mut Request<'_>, words: &[Bytes]) -> Result<Reply, CommandError> {
        let spec = table::look_up(words, self.compat).map_err(|missing| missing.for_client(words))?;
        let args = &words[spec.name_words()..];
        match spec.handler {
            Handler::Keys(_) if spec.name == "ping" && request.session.is_confined() => {
                let message = args.first().cloned().unwrap_or_default();
                Ok(Reply::Array([Bytes::from_static(b"pong"), message].map(Reply::Bulk).into()))
            }
            Handler::Keys(run) | Handler::Waits(_, run) => run(&mut self.exec(request), args),
            Handler::Server(run) => run(self, request, args),
            // Every other container alone fails its arity; COMMAND describes nothing.
            Handler::Container(_) => Ok(Reply::Array(Vec::new())),
        }
    }

    /// The connection waits for an item.
    fn block(&mut self, request: &mut Request<'_>, end: End, args: &[Bytes]) -> Result<(), CommandError> {
        let (until, keys) = list::waiting(args, &self.exec(request))?;
        request.session.block(Blocked { keys: keys.to_vec(), end, until });
        Ok(())
    }

    fn exec<'a>(&'a mut self, request: &'a mut Request<'_>) -> Exec<'a> {
        let Request { wall, writer, session, audience, log } = request;
        let (keys, standing, compat) = (&mut self.keys, self.standing, self.compat);
        let protocol = session.protocol();
        Exec { keys, wall: *wall, writer: *writer, standing, compat, protocol, audience, log }
    }

    /// Whether it is in a script that never ends: then it does nothing by itself either.
    pub fn is_busy(&self) -> bool {
        match self.activity {
            Activity::Serving => false,
            Activity::Busy(_) => true,
        }
    }

    /// The live value of a key at this wall time; expired keys are hidden. No side effects.
    pub fn view(&self, wall: WallTime, key: &[u8]) -> Option<KeyView<'_>> {
        let slot = self.keys.at(self.keys.place(key).ok()?);
        (!slot.is_expired(wall.unix_ms())).then(|| view_of(slot))
    }

    /// Whether a key is physically present, expired or not.
    pub fn has(&self, key: &[u8]) -> bool {
        self.keys.place(key).is_ok()
    }

    /// All live keys at this wall time, ascending. No side effects.
    pub fn keys(&self, wall: WallTime) -> impl Iterator<Item = (&Bytes, KeyView<'_>)> {
        let now = wall.unix_ms();
        let live = self.keys.slots().iter().filter(move |slot| !slot.is_expired(now));
        live.map(|slot| (&slot.key, view_of(slot)))
    }

    /// The deadlines of the keys that are physically present, expired or not, ascending by key.
    pub fn deadlines(&self) -> impl Iterator<Item = (&Bytes, UnixMs)> {
        self.keys.slots().iter().filter_map(|slot| Some((&slot.key, slot.deadline?)))
    }

    /// Deletes a key as memory pressure would; `None` if nothing was alive.
    pub fn evict(&mut self, wall: WallTime, key: &[u8]) -> Option<Change> {
        let place = self.keys.place(key).ok()?;
        let slot = self.keys.remove(place);
        self.note_removal(&slot.key);
        (!slot.is_expired(wall.unix_ms())).then_some(Change {
            key: slot.key,
            kind: ChangeKind::Removed,
            before: slot.writer,
            live_before: true,
            after: None,
        })
    }

    /// The process was killed with no persistence and started again: keys, script cache, the scripts' random
    /// sequence and any busy script are gone. What was set from outside stays: role, writes, replicas, streaming.
    pub fn restart_empty(&mut self) {
        let (standing, stream) = (self.standing, self.stream.restarted());
        *self = Self { standing, stream, ..Self::new(self.compat) };
    }

    /// Prepares a session for [`Self::canonical`], which may drop keys that have expired: to be called before it, for
    /// every connection of this server.
    pub fn settle(&self, session: &mut Session, wall: WallTime) {
        if stream::expired_is_missing(self.standing, &self.stream) {
            session.settle(&self.keys, wall.unix_ms());
        }
    }

    /// Takes part in a pass that makes states with equal futures equal. Expired keys are dropped first where they
    /// behave as missing: where nobody has or sends a copy. `wall` is this server's wall clock before the pass.
    pub fn canonical(&mut self, canon: &mut Canon, wall: WallTime) {
        if stream::expired_is_missing(self.standing, &self.stream) {
            self.keys.drop_expired(wall.unix_ms());
        }
        self.keys.canonical(canon);
        self.stream.canonical(canon);
    }
}

/// A refused EXEC ends its transaction.
fn abort(request: &mut Request<'_>, error: &CommandError) -> CommandError {
    request.session.queue = None;
    request.session.unwatch();
    error.aborted()
}

/// A command that was refused instead of queued spoils its transaction.
fn spoil(request: &mut Request<'_>, error: CommandError) -> CommandError {
    if let Some(queue) = &mut request.session.queue {
        queue.refused = true;
    }
    error
}

fn view_of(slot: &Slot) -> KeyView<'_> {
    KeyView { value: &slot.value, writer: slot.writer, deadline: slot.deadline }
}

/// What a connection that hears channels may do in RESP2.
const MAY_WHO_HEARS: [&str; 9] = [
    "ping",
    "psubscribe",
    "punsubscribe",
    "quit",
    "reset",
    "ssubscribe",
    "subscribe",
    "sunsubscribe",
    "unsubscribe",
];
/// Redis' flag `allow_busy`.
const SERVED_WHILE_BUSY: [&str; 9] =
    ["auth", "discard", "hello", "multi", "quit", "reset", "script|kill", "unwatch", "watch"];
