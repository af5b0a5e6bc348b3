//! What may be kept on disk, and the ways a process can end.
//!
//! Plain names; `disk/` says what they mean.

use crate::time::Span;

/// What a restart keeps.
///
/// **Source** Redis 7.0 persistence page, `save`, `appendonly`, `appendfsync`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Persistence {
    /// Nothing.
    None,
    /// The last snapshot.
    Rdb,
    /// Everything acknowledged.
    AofAlways,
    /// Everything written but the last second, if the machine loses power.
    AofEverysec,
    /// Everything written but what the kernel had not flushed, if the machine loses power.
    AofNo,
}

/// How long a disk takes, and how often it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DiskTimes {
    /// `aof-everysec`: how long a background fsync takes. What is written meanwhile stays in the process.
    pub fsync: Span,
    /// `rdb`: a snapshot is taken so long after the last one if anything was written.
    pub save_every: Span,
    /// `aof-no`: the kernel flushes at every whole multiple of this.
    pub flush_every: Span,
}

impl DiskTimes {
    /// An idle disk: an fsync takes 10 ms, a snapshot is due after an hour, the kernel flushes every 30 s.
    ///
    /// **Source** Redis 7.0, default `save 3600 1`; Linux `vm.dirty_expire_centisecs`.
    pub const USUAL: Self = Self {
        fsync: Span::from_ms(10),
        save_every: Span::from_ms(3_600_000),
        flush_every: Span::from_ms(30_000),
    };
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    /// The process was killed; the kernel still writes what it had been given.
    Process,
    /// The machine lost power.
    Power,
    /// SIGTERM or SHUTDOWN: the process wrote and synced what it had to.
    Shutdown,
}
