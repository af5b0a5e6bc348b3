//! `cut`: who cannot talk to whom.
//!
//! Clients talk to servers, and the nodes of one voter to each other. An entry may name both on one side: it becomes
//! one fault for the clients and one for the nodes.

use super::super::super::error::{InputErrorKind, Wrong};
use super::super::super::shape::CutKeys;
use super::super::Scope;
use super::super::names::Named;
use crate::name::Process;
use crate::plan::{Fault, WayCut};

impl Scope {
    pub(super) fn cuts(self, keys: &CutKeys) -> Result<Vec<Fault>, Wrong> {
        let [one_side, other_side] = keys.between.get_ref().as_slice() else {
            let message = "`between` has two sides: the clients, then their peers";
            return Err(Wrong::new(InputErrorKind::Value, keys.between.span(), message)
                .meant("between = [\"clients\", \"nodes\"]"));
        };
        let (one, other) = (self.processes(one_side)?, self.processes(other_side)?);
        for (side, opposite) in [(&one, &other), (&other, &one)] {
            if let Some(mute) = side.iter().find(|named| !opposite.iter().any(|peer| talk(named, peer))) {
                return Err(silent(mute, opposite));
            }
        }
        let reversed = other.iter().find(|named| is_client(named));
        let way = *keys.direction.get_ref();
        if let (Some(named), WayCut::Requests | WayCut::Replies) = (reversed, way) {
            let message = format!(
                "`direction` is seen from the first side; name {} there, or cut both directions",
                named.process
            );
            return Err(Wrong::contradiction(keys.direction.span(), message).meant("direction = \"both\""));
        }
        let side = |of: &[Named], wanted: fn(&Named) -> bool| -> Vec<Process> {
            of.iter().filter(|named| wanted(named)).map(|named| named.process).collect()
        };
        let sides = [
            (side(&one, is_client), side(&other, is_server)),
            (side(&other, is_client), side(&one, is_server)),
            (side(&one, is_node), side(&other, is_node)),
        ];
        let both_sides = sides.into_iter().filter(|(one, other)| !one.is_empty() && !other.is_empty());
        let faults = both_sides.map(|(one, other)| Fault::Cut { one, other, way, how: keys.how });
        Ok(faults.collect())
    }
}

fn is_client(named: &Named) -> bool {
    matches!(named.process, Process::Client(_))
}

fn is_server(named: &Named) -> bool {
    !is_client(named)
}

fn is_node(named: &Named) -> bool {
    matches!(named.process, Process::Node(_))
}

/// Whether two processes ever talk to each other.
fn talk(one: &Named, other: &Named) -> bool {
    match (one.process, other.process) {
        (Process::Client(_), Process::Node(_) | Process::Store)
        | (Process::Node(_) | Process::Store, Process::Client(_)) => true,
        (Process::Node(one), Process::Node(other)) => one.voter == other.voter && one != other,
        (Process::Client(_), Process::Client(_))
        | (Process::Store, Process::Node(_) | Process::Store)
        | (Process::Node(_), Process::Store) => false,
    }
}

/// Somebody who talks to nobody on the opposite side.
fn silent(named: &Named, opposite: &[Named]) -> Wrong {
    let peers = match named.process {
        Process::Client(_) => "clients talk to nodes and the store",
        Process::Store => "the store talks to clients",
        Process::Node(_) => "nodes talk to clients and to the other nodes of their voter",
    };
    let opposite = opposite.first().map_or_else(|| "nobody".to_owned(), |peer| peer.process.to_string());
    let message = format!("{} has nobody to talk to on the side of {opposite}: {peers}", named.process);
    Wrong::contradiction(named.span.clone(), message)
}
