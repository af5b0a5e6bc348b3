//! The server: what a world does with it.
//!
//! A command runs at once and whole, at one reading of the wall clock. Must not know links, clients or time
//! other than the reading it is given.

use super::change::{Change, ChangeKind, Log};
use super::commands::script;
use super::error::CommandError;
use super::exec::Exec;
use super::keyspace::{Keyspace, Slot};
use super::lua::Random;
use super::scripts::ScriptCache;
use super::standing::Standing;
use super::stream::{self, Stream};
use super::table::{self, Handler};
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

    /// Executes one command at the server's wall time and appends what it did to `changes`.
    ///
    /// `writer` tags every value that the command creates or overwrites. Keys that have expired are deleted
    /// silently on the way: that is no change, and a command that then writes saw a missing key.
    ///
    /// A script over the limits (see `lua/limits.rs`) leaves the server busy for ever: it and every later
    /// command is answered `BUSY …`, except what Redis itself rejects earlier and SCRIPT KILL.
    pub fn apply(
        &mut self,
        wall: WallTime,
        writer: Option<CallId>,
        command: &Command,
        changes: &mut Vec<Change>,
    ) -> Reply {
        let reported = changes.len();
        let mut log = Log { changes: std::mem::take(changes), expired: Vec::new() };
        let done = self.execute(Request { wall, writer, log: &mut log }, command.words());
        self.note(&log, reported);
        *changes = log.changes;
        done.unwrap_or_else(|error| error.reply())
    }

    fn execute(&mut self, mut request: Request<'_>, words: &[Bytes]) -> Result<Reply, CommandError> {
        let spec = table::look_up(words).map_err(|missing| missing.for_client(words))?;
        let args = &words[spec.name_words()..];
        if let Some(refusal) = self.standing.refusal()
            && script::is_write(self, spec, args)
        {
            return Err(refusal.of_command());
        }
        match self.activity {
            Activity::Serving => {}
            Activity::Busy(_) if spec.name == "script|kill" => {}
            Activity::Busy(_) => return Err(CommandError::Busy),
        }
        match spec.handler {
            Handler::Keys(run) => {
                let Request { wall, writer, log } = request;
                let standing = self.standing;
                run(&mut Exec { keys: &mut self.keys, wall, writer, standing, log }, args)
            }
            Handler::Server(run) => run(self, &mut request, args),
            Handler::Container(_) => unreachable!("a container alone fails its arity"),
        }
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

fn view_of(slot: &Slot) -> KeyView<'_> {
    KeyView { value: &slot.value, writer: slot.writer, deadline: slot.deadline }
}
