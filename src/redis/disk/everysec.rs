//! Mode `aof-everysec`: a background fsync at whole seconds, and no writing while it runs.
//!
//! An fsync begins at a whole second if the file has anything that the one before did not cover. What the server
//! writes while it runs stays in the process until it has finished, but no longer than two seconds: then it is
//! written all the same, and the server waits for the disk, which takes no time here.

use super::{Canon, Ending, Entry, MonoTime, Snapshot, Span, first_multiple_after, first_tick_after};

/// The file as three layers: synced, in the kernel, and still in the process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Everysec {
    fsync: Span,
    /// The next whole second of the clock the process started with.
    next: MonoTime,
    /// What the last finished fsync has covered.
    synced: Snapshot,
    /// What the file holds. Equal to the server's data unless something is postponed.
    file: Snapshot,
    /// Whether the file holds anything that no fsync has begun to cover.
    unsynced: bool,
    running: Option<Fsync>,
    /// When the first write was made that is still in the process.
    postponed: Option<MonoTime>,
}

/// A background fsync.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Fsync {
    ends: MonoTime,
    /// What the file held when it began.
    covers: Snapshot,
}

impl Everysec {
    pub(super) fn new(fsync: Span, start: MonoTime) -> Self {
        Self {
            fsync: fsync.max(Span::ZERO),
            next: first_multiple_after(SECOND, start),
            synced: Snapshot::empty(),
            file: Snapshot::empty(),
            unsynced: false,
            running: None,
            postponed: None,
        }
    }

    pub(super) fn written(&mut self, mono: MonoTime, before: &Snapshot, entry: &Entry) {
        self.catch_up(mono, before);
        if self.running.is_some() {
            self.postponed.get_or_insert(mono);
        } else {
            self.file.replay(entry);
            self.unsynced = true;
        }
    }

    pub(super) fn reset(&mut self, mono: MonoTime, data: &Snapshot) {
        *self = Self {
            next: first_tick_after(self.next, SECOND, mono),
            synced: data.clone(),
            file: data.clone(),
            unsynced: false,
            running: None,
            postponed: None,
            fsync: self.fsync,
        };
    }

    pub(super) fn left(&self, ending: Ending, mono: MonoTime, present: &Snapshot) -> Snapshot {
        let mut disk = self.clone();
        disk.catch_up(mono, present);
        match ending {
            Ending::Process => disk.file,
            Ending::Power => disk.synced,
            Ending::Shutdown => present.clone(),
        }
    }

    pub(super) fn canonical(&mut self, canon: &mut Canon, mono: MonoTime, present: &Snapshot) {
        self.catch_up(mono, present);
        self.synced.canonical(canon);
        self.file.canonical(canon);
        canon.mono_deadline(&mut self.next);
        if let Some(running) = &mut self.running {
            running.covers.canonical(canon);
            canon.mono_deadline(&mut running.ends);
        }
        if let Some(since) = &mut self.postponed {
            canon.mono_moment(since);
        }
    }

    /// Does what came due since the last write, when the data was as it is at `mono`.
    fn catch_up(&mut self, mono: MonoTime, data: &Snapshot) {
        loop {
            let forced = self.postponed.map(|since| since + POSTPONED_AT_MOST);
            match self.running.take() {
                Some(running) if forced.is_some_and(|at| at <= mono && at < running.ends) => {
                    self.running = Some(running);
                    self.write_postponed(data);
                }
                Some(running) if running.ends <= mono => {
                    self.synced = running.covers;
                    self.write_postponed(data);
                    // One that ends at a whole second makes room for the next.
                    self.next = first_tick_after(self.next, SECOND, running.ends - Span(1));
                }
                None if self.unsynced && self.next <= mono => {
                    self.running = Some(Fsync { ends: self.next + self.fsync, covers: self.file.clone() });
                    self.unsynced = false;
                }
                waiting => {
                    self.running = waiting;
                    self.next = first_tick_after(self.next, SECOND, mono);
                    return;
                }
            }
        }
    }

    /// What the process held back goes into the file.
    fn write_postponed(&mut self, data: &Snapshot) {
        if self.postponed.take().is_some() {
            self.file = data.clone();
            self.unsynced = true;
        }
    }
}

const SECOND: Span = Span::from_ms(1_000);
/// Source: Redis 7.0.15, `flushAppendOnlyFile`.
const POSTPONED_AT_MOST: Span = Span::from_ms(2_000);
