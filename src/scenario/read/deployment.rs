//! The nodes: how many, what is behind each, what a restart keeps.

use super::super::error::{InputErrorKind, Wrong};
use super::super::shape::{Deployment, MinReplicasKeys, OneOrMany, Topology};
use super::number::{LONGEST_MS, in_range, ranged, span_ms};
use super::{NODES_MAX, Scope};
use crate::name::{NodeId, Process, VoterId};
use crate::redis::Compat;
use crate::time::WorldTime;
use crate::world::{DiskSetup, MinReplicas, NodeSetup, Persistence, ReplicaSetup};
use std::ops::Range;
use toml::Spanned;

/// The most replicas of one node.
const REPLICAS_MAX: i64 = 8;

/// The longest lag of a good replica, in seconds: a day.
const MAX_LAG_S: i64 = 24 * 3_600;

impl Scope {
    /// Who exists: voters, replicas, clients.
    pub(super) fn of(table: &Deployment, clients: u16, limit: WorldTime) -> Result<Self, Wrong> {
        let nodes = ranged(&table.nodes, "nodes", 1..=NODES_MAX as i64)? as u8;
        let mut scope = Self { nodes, replicas: [0; NODES_MAX], clients, limit };
        let replicated = table.topology.as_ref().is_some_and(|word| *word.get_ref() == Topology::Replicated);
        match (&table.replicas, replicated) {
            (Some(replicas), true) => {
                let counts = per_node(replicas, "replicas", nodes.into(), 0..=REPLICAS_MAX)?;
                for (place, count) in scope.replicas.iter_mut().zip(&counts) {
                    *place = *count as u8;
                }
                if counts.iter().all(|count| *count == 0) {
                    let message = "topology \"replicated\" needs at least one replica";
                    return Err(Wrong::contradiction(replicas.span(), message).meant("replicas = 1"));
                }
            }
            (None, true) => {
                let place = table.topology.as_ref().map_or(0..0, Spanned::span);
                let message =
                    "topology \"replicated\" needs to know how many replicas each node has: `replicas`";
                return Err(Wrong::new(InputErrorKind::MissingKey, place, message).meant("replicas = 1"));
            }
            (_, false) => {
                let keys = [
                    (table.replicas.as_ref().map(Spanned::span), "replicas"),
                    (table.replica_offset_ms.as_ref().map(Spanned::span), "replica_offset_ms"),
                    (table.lag_ms.as_ref().map(Spanned::span), "lag_ms"),
                    (table.min_replicas.as_ref().map(Spanned::span), "min_replicas"),
                ];
                if let Some((Some(span), key)) = keys.into_iter().find(|(span, _)| span.is_some()) {
                    let message = format!("`{key}` needs replicas; independent nodes have none");
                    return Err(Wrong::contradiction(span, message).meant("topology = \"replicated\""));
                }
            }
        }
        Ok(scope)
    }

    /// How many replicas are behind a voter.
    pub(super) fn replicas_of(self, voter: VoterId) -> u8 {
        self.replicas.get(usize::from(voter.0)).copied().unwrap_or(0)
    }

    /// All replicas, by voter and number.
    pub(super) fn all_replicas(self) -> impl Iterator<Item = NodeId> {
        let voters = (0..self.nodes).map(VoterId);
        voters.flat_map(move |voter| (1..=self.replicas_of(voter)).map(move |n| NodeId::replica(voter, n)))
    }

    /// A replica that exists, if there is one.
    pub(super) fn a_replica(self) -> Option<String> {
        self.all_replicas().next().map(|node| Process::Node(node).to_string())
    }

    /// The voters, in index order.
    pub(super) fn deployed(self, table: &Deployment) -> Result<Vec<NodeSetup>, Wrong> {
        let (nodes, distance) = (u16::from(self.nodes), -LONGEST_MS..=LONGEST_MS);
        let offsets = self.per_process(table.offset_ms.as_ref(), "offset_ms", nodes, distance.clone())?;
        let count = self.all_replicas().count() as u16;
        let replica_offsets =
            self.per_process(table.replica_offset_ms.as_ref(), "replica_offset_ms", count, distance)?;
        let lags = self.per_process(table.lag_ms.as_ref(), "lag_ms", nodes, 0..=LONGEST_MS)?;
        let delays =
            self.per_process(table.restart_delay_ms.as_ref(), "restart_delay_ms", nodes, 0..=LONGEST_MS)?;
        let persistence = table.persistence.as_ref().map_or(Persistence::None, |word| *word.get_ref());
        let (disk, min_replicas) =
            (disk(table, persistence)?, self.min_replicas(table.min_replicas.as_ref())?);
        let compat = table.compat.unwrap_or(Compat::V72);
        let mut replica_offsets = replica_offsets.into_iter();
        let voters = (0..self.nodes).zip(offsets).zip(lags).zip(delays);
        let deployed = voters.map(|(((voter, offset), lag), restart_delay)| {
            let behind = usize::from(self.replicas_of(VoterId(voter)));
            let replicas: Vec<ReplicaSetup> =
                replica_offsets.by_ref().take(behind).map(|offset| ReplicaSetup { offset }).collect();
            let min_replicas = min_replicas.filter(|_| behind > 0);
            NodeSetup { offset, persistence, compat, disk, restart_delay, replicas, lag, min_replicas }
        });
        Ok(deployed.collect())
    }

    fn min_replicas(self, keys: Option<&Spanned<MinReplicasKeys>>) -> Result<Option<MinReplicas>, Wrong> {
        let Some(keys) = keys else { return Ok(None) };
        let keys = keys.get_ref();
        let count = ranged(&keys.count, "count", 1..=REPLICAS_MAX)?;
        let max_lag_s = ranged(&keys.max_lag_s, "max_lag_s", 1..=MAX_LAG_S)?;
        let least = self.replicas.iter().copied().filter(|count| *count > 0).min().unwrap_or(0);
        if count > i64::from(least) {
            let message = format!("no write would ever be accepted: a node has only {least} replicas");
            return Err(Wrong::contradiction(keys.count.span(), message).meant(format!("count = {least}")));
        }
        Ok(Some(MinReplicas { count: count as u8, max_lag_s: max_lag_s as u32 }))
    }
}

/// How long the disk takes, and that each key matters under this persistence.
fn disk(table: &Deployment, persistence: Persistence) -> Result<DiskSetup, Wrong> {
    let usual = DiskSetup::USUAL;
    let time =
        |number: &Option<Spanned<i64>>, key: &'static str, word: &str, of: Persistence, least, usual| {
            match number {
                Some(number) if persistence != of => {
                    let message = format!("`{key}` is for persistence \"{word}\"; nothing else uses it");
                    let meant = format!("persistence = \"{word}\"");
                    Err(Wrong::contradiction(number.span(), message).meant(meant))
                }
                Some(number) => span_ms(number, key, least),
                None => Ok(usual),
            }
        };
    let (everysec, rdb, no) = (Persistence::AofEverysec, Persistence::Rdb, Persistence::AofNo);
    Ok(DiskSetup {
        fsync: time(&table.fsync_ms, "fsync_ms", "aof-everysec", everysec, 0, usual.fsync)?,
        save_every: time(&table.save_every_ms, "save_every_ms", "rdb", rdb, 1, usual.save_every)?,
        flush_every: time(&table.flush_every_ms, "flush_every_ms", "aof-no", no, 1, usual.flush_every)?,
    })
}

/// One number for all, or one for each of `count`.
fn per_node(
    numbers: &Spanned<OneOrMany<i64>>,
    key: &str,
    count: usize,
    range: std::ops::RangeInclusive<i64>,
) -> Result<Vec<i64>, Wrong> {
    match numbers.get_ref() {
        OneOrMany::One(number) => Ok(vec![in_range(*number, numbers.span(), key, range)?; count]),
        OneOrMany::Many(list) if list.len() != count => {
            Err(miscounted(numbers.span(), key, list.len(), count))
        }
        OneOrMany::Many(list) => list.iter().map(|number| ranged(number, key, range.clone())).collect(),
    }
}

fn miscounted(place: Range<usize>, key: &str, found: usize, count: usize) -> Wrong {
    let message = format!("`{key}` has {found} entries; {count} are needed, or one number");
    Wrong::contradiction(place, message)
}
