//! A lock in its deployment whose assumptions are dropped one by one: which kinds of fault it can suffer, how far
//! each goes.
//!
//! A kind that cannot happen in a deployment says nothing about the lock. Must not search.

use super::super::ask::Model;
use super::super::kind::{Allowed, Kind, Menu};
use super::super::lattice::Kinds;
use crate::check::{Expected, OracleName};
use crate::lock::Protocol;
use crate::world::Persistence;

/// A lock in its deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The world in which nothing goes wrong. The oracles that it expects something of are asked.
    pub model: Model,
    /// The kinds that it can suffer, in the order of [`Kind::TEXTS`], each with how far it may go: at least and at most.
    pub kinds: Vec<(Kind, (u8, u8))>,
    /// The kinds that cannot happen in it, in the same order.
    pub absent: Vec<(Kind, Absence)>,
}

/// Why a kind cannot happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Absence {
    /// The lock asks no node.
    NoNode,
    /// There is no replica.
    NoReplica,
    /// Nobody writes to a store.
    NoStore,
    /// Nobody makes a promise that ends by a clock.
    NoPromise,
    /// The model's file lists kinds, and not this one.
    NotListed,
}

impl Subject {
    /// The subject of a model. If the model allows some kinds of fault, those are its kinds, as far as it lets them
    /// go. Otherwise all that can happen are, with lengths, delays and jumps of 1 tick up to 2 more than a TTL, so that
    /// each can outlast a key; a node may be back at once; of a promotion a client learns at once or a tick later.
    pub fn of(model: &Model) -> Self {
        let (mut kinds, mut absent) = (Vec::new(), Vec::new());
        for (kind, _) in Kind::TEXTS {
            let listed = model.menu.of(kind).map(|allowed| allowed.ticks);
            match (absence(kind, model), listed) {
                (Some(why), _) => absent.push((kind, why)),
                (None, Some(ticks)) => kinds.push((kind, ticks)),
                (None, None) if model.menu.allowed.is_empty() => kinds.push((kind, extent(kind, model))),
                (None, None) => absent.push((kind, Absence::NotListed)),
            }
        }
        Self { model: Model { menu: Menu::none(), ..model.clone() }, kinds, absent }
    }

    /// The oracles asked for, in their order.
    pub fn oracles(&self) -> impl Iterator<Item = OracleName> {
        self.model.expect.iter().map(|(oracle, _)| *oracle)
    }

    /// The kinds of a set, in order.
    pub fn named(&self, set: Kinds) -> Vec<Kind> {
        set.iter().map(|place| self.kinds[place as usize].0).collect()
    }

    /// The set of these kinds.
    ///
    /// # Panics
    /// If one of them cannot happen here.
    pub fn set(&self, kinds: &[Kind]) -> Kinds {
        kinds.iter().fold(Kinds::NONE, |set, kind| {
            let place = self.kinds.iter().position(|(known, _)| known == kind);
            set.union(Kinds::one(place.expect("a kind that can happen here") as u32))
        })
    }

    /// The worlds that a set of kinds stands for. Nodes keep nothing, or all of them keep everything: with both kinds
    /// of crash in the set it may be either.
    pub fn worlds(&self, set: Kinds) -> Vec<Kinds> {
        let one = |kind| self.kinds.iter().position(|(known, _)| *known == kind);
        match (one(Kind::NodeCrashKeeping), one(Kind::NodeCrashLosing)) {
            (Some(keeping), Some(losing)) => {
                let (keeping, losing) = (Kinds::one(keeping as u32), Kinds::one(losing as u32));
                if set.contains(keeping.union(losing)) {
                    vec![set.minus(keeping), set.minus(losing)]
                } else {
                    vec![set]
                }
            }
            (Some(_), None) | (None, Some(_) | None) => vec![set],
        }
    }

    /// The model of one world: faults of these kinds, so many in the whole run, and what is asked.
    pub fn world(&self, set: Kinds, faults: u8, oracles: &[OracleName]) -> Model {
        let mut model = self.model.clone();
        let allowed = set.iter().map(|place| {
            let (kind, ticks) = self.kinds[place as usize];
            Allowed { kind, budget: faults, ticks }
        });
        let allowed: Vec<Allowed> = allowed.collect();
        let keeps = allowed.iter().any(|allowed| allowed.kind == Kind::NodeCrashKeeping);
        model.scope.persistence = if keeps { Persistence::AofAlways } else { Persistence::None };
        model.menu = if allowed.is_empty() { Menu::none() } else { Menu { total: faults, allowed } };
        model.expect = oracles.iter().map(|oracle| (*oracle, Expected::Held)).collect();
        model.progress = None;
        model.pinned = None;
        model
    }
}

/// Why this kind cannot happen in a model's world, if so.
fn absence(kind: Kind, model: &Model) -> Option<Absence> {
    let has_lock = model.policy.protocol != Protocol::None;
    let scope = &model.scope;
    match kind {
        Kind::ClientStop => None,
        // All that these do is to move the end of a promise.
        Kind::ClientSuspend | Kind::ClientClockSlow => (!has_lock).then_some(Absence::NoPromise),
        Kind::NodeClockFast
        | Kind::NodeClockStep
        | Kind::MessageLoss
        | Kind::LateMessage
        | Kind::NodeCrashKeeping
        | Kind::NodeCrashLosing
        | Kind::Eviction => (!has_lock).then_some(Absence::NoNode),
        Kind::Failover if !has_lock => Some(Absence::NoNode),
        Kind::Failover => (scope.replicas == 0).then_some(Absence::NoReplica),
        Kind::StoreDelay => (scope.writes == 0).then_some(Absence::NoStore),
    }
}

/// How far a kind goes, at least and at most, in ticks.
fn extent(kind: Kind, model: &Model) -> (u8, u8) {
    let longest = u8::try_from(model.scope.ttl + 2).unwrap_or(u8::MAX);
    match kind {
        Kind::ClientStop
        | Kind::ClientSuspend
        | Kind::ClientClockSlow
        | Kind::NodeClockFast
        | Kind::NodeClockStep
        | Kind::LateMessage
        | Kind::StoreDelay => (1, longest),
        Kind::NodeCrashKeeping | Kind::NodeCrashLosing => (0, longest),
        Kind::Failover => (0, 1),
        Kind::MessageLoss | Kind::Eviction => (0, 0),
    }
}
