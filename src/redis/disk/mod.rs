//! What a server process has on disk, folded as it goes: only what some ending would keep is remembered.
//!
//! Every entry of the server's stream is told to the disk when it is written, with the data before it; whatever
//! was due by itself until then (a snapshot, an fsync, a flush) is worked out at that moment. What is due at the
//! very moment of a write happens before it, and what is due at the very moment of an end still happens.
//! Must not know why a process ends. Read `rdb.rs`, `everysec.rs` and `flushed.rs` for the three kinds of delay.
//!
//! Source: Redis 7.0 persistence page; Redis 7.0.15, `flushAppendOnlyFile` and `serverCron`.

mod everysec;
mod flushed;
mod rdb;

use super::entry::Entry;
use super::persistence::{DiskTimes, Ending, Persistence};
use super::snapshot::Snapshot;
use crate::canon::Canon;
use crate::time::{MonoTime, Span};
use everysec::Everysec;
use flushed::Flushed;
use rdb::Rdb;

/// The disk of one server. Times are on the server's monotonic clock.
///
/// A disk never holds more than three images of the data, which share their values with the server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Disk(Kept);

/// What is remembered, by mode. The large ones are boxed: most servers of a prover keep nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Kept {
    /// `none`: nothing is written.
    Nothing,
    /// `rdb`.
    Rdb(Rdb),
    /// `aof-always`: every entry is in the file and synced before anybody is answered.
    Everything,
    /// `aof-everysec`.
    Everysec(Box<Everysec>),
    /// `aof-no`.
    Flushed(Box<Flushed>),
}

impl Disk {
    /// The empty disk of a process that starts at `start`.
    pub fn new(mode: Persistence, times: DiskTimes, start: MonoTime) -> Self {
        Self(match mode {
            Persistence::None => Kept::Nothing,
            Persistence::Rdb => Kept::Rdb(Rdb::new(times.save_every, start)),
            Persistence::AofAlways => Kept::Everything,
            Persistence::AofEverysec => Kept::Everysec(Box::new(Everysec::new(times.fsync, start))),
            Persistence::AofNo => Kept::Flushed(Box::new(Flushed::new(times.flush_every, start))),
        })
    }

    /// How it is written.
    pub fn mode(&self) -> Persistence {
        match self.0 {
            Kept::Nothing => Persistence::None,
            Kept::Rdb(_) => Persistence::Rdb,
            Kept::Everything => Persistence::AofAlways,
            Kept::Everysec(_) => Persistence::AofEverysec,
            Kept::Flushed(_) => Persistence::AofNo,
        }
    }

    /// The server wrote an entry at `mono`, its own or one of its primary's; `before` is its data before that.
    /// To be called for every entry, in order.
    pub fn written(&mut self, mono: MonoTime, before: &Snapshot, entry: &Entry) {
        match &mut self.0 {
            Kept::Nothing | Kept::Everything => {}
            Kept::Rdb(rdb) => rdb.written(mono, before, entry),
            Kept::Everysec(everysec) => everysec.written(mono, before, entry),
            Kept::Flushed(flushed) => flushed.written(mono, before),
        }
    }

    /// The disk holds exactly this, durably: the process has just loaded it, at a start or in a full
    /// resynchronisation. A snapshot counts as taken at `mono`.
    pub fn reset(&mut self, mono: MonoTime, data: &Snapshot) {
        match &mut self.0 {
            Kept::Nothing | Kept::Everything => {}
            Kept::Rdb(rdb) => rdb.reset(mono, data),
            Kept::Everysec(everysec) => everysec.reset(mono, data),
            Kept::Flushed(flushed) => flushed.reset(mono, data),
        }
    }

    /// What a restart finds if the process ends at `mono` with this data.
    pub fn left(&self, ending: Ending, mono: MonoTime, present: &Snapshot) -> Snapshot {
        match &self.0 {
            Kept::Nothing => Snapshot::empty(),
            Kept::Everything => present.clone(),
            Kept::Rdb(rdb) => rdb.left(ending, mono, present),
            Kept::Everysec(everysec) => everysec.left(ending, mono, present),
            Kept::Flushed(flushed) => flushed.left(ending, mono, present),
        }
    }

    /// Takes part in a pass that makes states with equal futures equal; the pass has turned to the server. `mono`
    /// is its monotonic clock before the pass, and `present` its data before its own visit.
    pub fn canonical(&mut self, canon: &mut Canon, mono: MonoTime, present: &Snapshot) {
        match &mut self.0 {
            Kept::Nothing | Kept::Everything => {}
            Kept::Rdb(rdb) => rdb.canonical(canon, mono, present),
            Kept::Everysec(everysec) => everysec.canonical(canon, mono, present),
            Kept::Flushed(flushed) => flushed.canonical(canon, mono, present),
        }
    }
}

/// The first whole multiple of `every` after `time`; `time` itself if `every` is not positive.
fn first_multiple_after(every: Span, time: MonoTime) -> MonoTime {
    first_tick_after(MonoTime(0), every, time)
}

/// The first of the moments `tick`, `tick + every`, `tick - every`, … that lies after `time`; `time` itself if `every`
/// is not positive.
fn first_tick_after(tick: MonoTime, every: Span, time: MonoTime) -> MonoTime {
    if every <= Span::ZERO {
        return time;
    }
    let since = (time - tick).0.rem_euclid(every.0);
    time + Span(every.0 - since)
}
