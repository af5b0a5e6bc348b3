//! Mode `rdb`: one file, replaced as a whole by each snapshot.
//!
//! A snapshot takes no time here, and counts from the moment it was due.

use super::{Canon, Ending, Entry, MonoTime, Snapshot, Span};

/// The last snapshot, and when the next is due.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rdb {
    last: Snapshot,
    every: Span,
    /// When the next is taken, if anything was written; from then on, when something is written.
    due: MonoTime,
    /// Whether anything was written since the last.
    dirty: bool,
}

impl Rdb {
    pub(super) fn new(every: Span, start: MonoTime) -> Self {
        Self { last: Snapshot::empty(), every, due: start + every, dirty: false }
    }

    pub(super) fn written(&mut self, mono: MonoTime, before: &Snapshot, entry: &Entry) {
        self.catch_up(mono, before);
        self.dirty = true;
        if self.due <= mono {
            let mut after = before.clone();
            after.replay(entry);
            self.reset(mono, &after);
        }
    }

    pub(super) fn reset(&mut self, mono: MonoTime, data: &Snapshot) {
        *self = Self { last: data.clone(), every: self.every, due: mono + self.every, dirty: false };
    }

    pub(super) fn left(&self, ending: Ending, mono: MonoTime, present: &Snapshot) -> Snapshot {
        match ending {
            Ending::Process | Ending::Power => {
                let mut rdb = self.clone();
                rdb.catch_up(mono, present);
                rdb.last
            }
            Ending::Shutdown => present.clone(),
        }
    }

    pub(super) fn canonical(&mut self, canon: &mut Canon, mono: MonoTime, present: &Snapshot) {
        self.catch_up(mono, present);
        self.last.canonical(canon);
        canon.mono_deadline(&mut self.due);
    }

    /// Takes the snapshot that became due since the last write, when the data was as it is at `mono`.
    fn catch_up(&mut self, mono: MonoTime, data: &Snapshot) {
        if self.dirty && self.due <= mono {
            self.reset(self.due, data);
        }
    }
}
