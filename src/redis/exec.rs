//! One command at work on the key space: lazy expiry, writer tags, and the report of changes.
//!
//! Every access by name goes through here, so that an expired key is seen by nobody: a primary deletes it
//! silently, a replica keeps it for its primary to delete. Must not know any command.
//! Source: Redis 7.0.15.

use super::change::{Change, ChangeKind, Log};
use super::keyspace::{Keyspace, Slot};
use super::node::Compat;
use super::session::Audience;
use super::standing::{Role, Standing};
use super::value::Value;
use crate::name::CallId;
use crate::resp::codec::Protocol;
use crate::time::{UnixMs, WallTime};
use bytes::Bytes;

/// What a command handler may touch.
#[derive(Debug)]
pub(super) struct Exec<'a> {
    pub(super) keys: &'a mut Keyspace,
    /// The server's wall clock. One reading for the whole command, and for a whole script.
    pub(super) wall: WallTime,
    pub(super) writer: Option<CallId>,
    pub(super) standing: Standing,
    pub(super) compat: Compat,
    /// Which shapes a reply may have: of the connection, or as a script sees replies.
    pub(super) protocol: Protocol,
    pub(super) audience: &'a Audience,
    pub(super) log: &'a mut Log,
}

/// What a write does to the deadline of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deadline {
    /// None from here on.
    Clear,
    /// As before.
    Keep,
    /// This one.
    At(UnixMs),
}

impl Exec<'_> {
    /// The server's time.
    pub(super) fn now(&self) -> UnixMs {
        self.wall.unix_ms()
    }

    /// The live key; an expired one is seen as missing, and a primary deletes it here.
    pub(super) fn live(&mut self, key: &[u8]) -> Option<&Slot> {
        let place = self.place(key).ok()?;
        Some(self.keys.at(place))
    }

    /// Creates or overwrites a key.
    pub(super) fn write(&mut self, key: &Bytes, value: Value, deadline: Deadline) {
        match self.place(key) {
            Ok(place) => {
                let writer = self.writer;
                let slot = self.keys.at_mut(place);
                let before = slot.writer;
                slot.value = value;
                slot.writer = writer;
                match deadline {
                    Deadline::Clear => slot.deadline = None,
                    Deadline::Keep => {}
                    Deadline::At(when) => slot.deadline = Some(when),
                }
                self.report(key, ChangeKind::Written, Some(before), writer);
            }
            Err(place) => {
                let deadline = match deadline {
                    Deadline::Clear | Deadline::Keep => None,
                    Deadline::At(when) => Some(when),
                };
                let slot = Slot { key: key.clone(), value, writer: self.writer, deadline };
                self.keys.insert(place, slot);
                self.report(key, ChangeKind::Written, None, self.writer);
            }
        }
    }

    /// Replaces the value of a live key in place: writer and deadline stay.
    ///
    /// # Panics
    /// If the key is not there.
    pub(super) fn update(&mut self, key: &Bytes, change: impl FnOnce(&mut Value)) {
        let place = self.keys.place(key).expect("a key that is updated was looked up before");
        let slot = self.keys.at_mut(place);
        change(&mut slot.value);
        let writer = slot.writer;
        self.report(key, ChangeKind::Updated, Some(writer), writer);
    }

    /// Sets or removes the deadline of a live key.
    ///
    /// # Panics
    /// If the key is not there.
    pub(super) fn set_deadline(&mut self, key: &Bytes, deadline: Option<UnixMs>) {
        let place = self.keys.place(key).expect("a key whose deadline is set was looked up before");
        let slot = self.keys.at_mut(place);
        slot.deadline = deadline;
        let writer = slot.writer;
        self.report(key, ChangeKind::Expiry, Some(writer), writer);
    }

    /// Deletes a live key; false if there was none.
    pub(super) fn remove(&mut self, key: &Bytes) -> bool {
        let Ok(place) = self.place(key) else { return false };
        let writer = self.keys.remove(place).writer;
        self.report(key, ChangeKind::Removed, Some(writer), None);
        true
    }

    /// The place of a live key, after lazy expiry. On a replica something expired may lie at the place where the
    /// key would go: no command writes there.
    fn place(&mut self, key: &[u8]) -> Result<usize, usize> {
        let place = self.keys.place(key)?;
        if self.keys.at(place).is_expired(self.now()) {
            match self.standing.role {
                Role::Primary => self.log.expired.push(self.keys.remove(place).key),
                Role::Replica => {}
            }
            return Err(place);
        }
        Ok(place)
    }

    /// `before` is `None` if nothing was alive.
    fn report(
        &mut self,
        key: &Bytes,
        kind: ChangeKind,
        before: Option<Option<CallId>>,
        after: Option<CallId>,
    ) {
        self.log.changes.push(Change {
            key: key.clone(),
            kind,
            before: before.flatten(),
            live_before: before.is_some(),
            after,
        });
    }
}
