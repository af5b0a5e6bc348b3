//! What a command did to a key, for whoever watches the server from outside.
//!
//! Must not decide anything: a change is reported after the fact. Silent expiry is no change.

use super::session::Message;
use crate::name::CallId;
use bytes::Bytes;

/// What one command did, or an eviction, or active expiry.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Log {
    /// What it did to keys, in order.
    pub changes: Vec<Change>,
    /// The keys that were deleted on the way because they had expired. Nobody's command did that, but replicas, the
    /// file and whoever watches must hear of it.
    pub expired: Vec<Bytes>,
    /// What it published, in order.
    pub published: Vec<Message>,
}

/// One effect of one command on one key.
///
/// **Shape** in the order of execution; a command may change several keys, and a script one key several times.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// The key.
    pub key: Bytes,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Who had written the value that was alive before; `None` also if nobody's call is known.
    pub before: Option<CallId>,
    /// Whether a value was alive before. An expired key counts as missing.
    pub live_before: bool,
    /// Who wrote the value that is there afterwards; `None` also if there is none.
    pub after: Option<CallId>,
}

/// The kinds of effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// Created, or overwritten as a whole: the value belongs to the command's writer.
    Written,
    /// Changed in place: the value still belongs to whoever created it.
    Updated,
    /// The deadline was set anew or removed; the value is as it was.
    Expiry,
    /// Deleted by a command, by a deadline set into the past, or by eviction.
    Removed,
}
