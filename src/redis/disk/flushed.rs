//! Mode `aof-no`: the file is the kernel's to flush, now and then.

use super::{Canon, Ending, MonoTime, Snapshot, Span, first_multiple_after, first_tick_after};

/// What the kernel has flushed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Flushed {
    flushed: Snapshot,
    every: Span,
    /// When it flushes next: a whole multiple of `every` on the clock the process started with.
    next: MonoTime,
    /// Whether anything was written since the last flush.
    dirty: bool,
}

impl Flushed {
    pub(super) fn new(every: Span, start: MonoTime) -> Self {
        let next = first_multiple_after(every, start);
        Self { flushed: Snapshot::empty(), every, next, dirty: false }
    }

    pub(super) fn written(&mut self, mono: MonoTime, before: &Snapshot) {
        self.catch_up(mono, before);
        self.dirty = true;
    }

    pub(super) fn reset(&mut self, mono: MonoTime, data: &Snapshot) {
        self.catch_up(mono, data);
        self.flushed = data.clone();
        self.dirty = false;
    }

    pub(super) fn left(&self, ending: Ending, mono: MonoTime, present: &Snapshot) -> Snapshot {
        match ending {
            Ending::Power => {
                let mut flushed = self.clone();
                flushed.catch_up(mono, present);
                flushed.flushed
            }
            Ending::Process | Ending::Shutdown => present.clone(),
        }
    }

    pub(super) fn canonical(&mut self, canon: &mut Canon, mono: MonoTime, present: &Snapshot) {
        self.catch_up(mono, present);
        self.flushed.canonical(canon);
        canon.mono_deadline(&mut self.next);
    }

    /// Does the flushes since the last write, when the data was as it is at `mono`.
    fn catch_up(&mut self, mono: MonoTime, data: &Snapshot) {
        if self.next > mono {
            return;
        }
        if self.dirty {
            self.flushed = data.clone();
            self.dirty = false;
        }
        self.next = first_tick_after(self.next, self.every, mono);
    }
}
