//! What a run's lock did, without how its messages came to be in that order: for comparing two explorers.
//!
//! Two runs whose tracks are equal had the same lock commands reach each node and the store in the same order, the same
//! replies reach each client, and the same calls, grants and sections at the same moments. Left out are: connections and
//! their handshakes; what was sent and lost, or sent and given up by its sender; the order of records of different
//! tracks, but for grants, whose numbers are theirs; and whatever follows from the rest, such as promises and votes. Must
//! not be taken for a digest of the run.

use super::encoding::{ENCODING_VERSION, encode};
use super::fact::{Fact, Record};
use crate::name::{Direction, Process, Route, VoterId};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::Xxh3;

/// Whose records keep their order among themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Track {
    /// What a node did: commands that it handled, in order, and what each did to lock keys.
    Node(Process),
    /// The replies of one voter that a client handled.
    Replies(Process, VoterId),
    /// What a client's caller did and was told: calls, grants, refusals, extensions, losses, releases, sections.
    Caller(Process),
    /// What the store served.
    Store,
}

/// The records of a run that its commands consist of, by track.
pub fn commands(records: &[Record]) -> BTreeMap<Track, Vec<&Record>> {
    let mut tracks: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for record in records {
        if let Some(track) = track(record) {
            tracks.entry(track).or_default().push(record);
        }
    }
    tracks
}

/// A hash over [`commands`]: xxh3-64 over the version of the encoding and, track by track, the number of records and
/// their encodings.
pub fn command_digest(records: &[Record]) -> u64 {
    let (mut hash, mut bytes) = (Xxh3::new(), Vec::new());
    hash.update(&ENCODING_VERSION.to_le_bytes());
    for records in commands(records).into_values() {
        bytes.clear();
        for record in &records {
            encode(record, &mut bytes);
        }
        hash.update(&(records.len() as u64).to_le_bytes());
        hash.update(&bytes);
    }
    hash.digest()
}

fn track(record: &Record) -> Option<Track> {
    let process = record.process;
    match &record.fact {
        Fact::Handled { name } => match (name.route, name.direction) {
            (Route::Command { .. }, Direction::Request) => Some(Track::Node(process)),
            (Route::Command { voter, .. } | Route::Push { voter, .. }, Direction::Reply) => {
                Some(Track::Replies(process, voter))
            }
            (Route::Push { .. }, Direction::Request)
            | (Route::Connect { .. } | Route::Further { .. } | Route::Store { .. }, _) => None,
        },
        Fact::Applied { .. } | Fact::Blocked { .. } | Fact::Published { .. } => Some(Track::Node(process)),
        Fact::AcquireBegan { .. }
        | Fact::AttemptBegan { .. }
        | Fact::Granted { .. }
        | Fact::Refused { .. }
        | Fact::ExtendBegan { .. }
        | Fact::Extended { .. }
        | Fact::ExtendFailed { .. }
        | Fact::LossTold { .. }
        | Fact::CheckEnded { .. }
        | Fact::ReleaseBegan { .. }
        | Fact::ReleaseEnded { .. }
        | Fact::Reached { .. }
        | Fact::SectionEntered { .. }
        | Fact::SectionLeft { .. } => Some(Track::Caller(process)),
        Fact::StoreRead { .. } | Fact::StoreLooked { .. } | Fact::StoreWrite { .. } => Some(Track::Store),
        Fact::Reentered { .. }
        | Fact::PromiseBegan { .. }
        | Fact::PromiseEnded { .. }
        | Fact::Sent { .. }
        | Fact::Delayed { .. }
        | Fact::MessageLost { .. }
        | Fact::TimedOut { .. }
        | Fact::HoldGone { .. }
        | Fact::Backing { .. }
        | Fact::HoldsCounted { .. }
        | Fact::HoldThinned { .. }
        | Fact::WatchBegan { .. }
        | Fact::WatchOver { .. }
        | Fact::FaultBegan { .. }
        | Fact::FaultEnded { .. }
        | Fact::Rerouted { .. }
        | Fact::Replicated { .. }
        | Fact::Resynced { .. }
        | Fact::Started { .. }
        | Fact::Done
        | Fact::Settled
        | Fact::LeftOver { .. } => None,
    }
}
