//! The faults of a menu, spelled out: one slot for each kind, target and extent, each a fault of the plan format.
//!
//! The slots are the plan of the model's world, so that a slot's place is the index of its fault there; when a slot's
//! fault is over it can be used again. Must not decide when: `state.rs` offers them.

use super::kind::{Allowed, Kind, Menu};
use super::scope::Scope;
use crate::name::{ClientId, NodeId, Process, VoterId};
use crate::plan::{Death, Fault, Learn, PauseKind, PauseScope, PlannedFault, When};
use crate::time::{ClockKind, WorldTime};
use crate::world::ClientSetup;

/// Twice as fast.
const DOUBLE_PPM: i32 = 1_000_000;

/// One fault that the checker may let happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Of which kind.
    pub(crate) kind: Kind,
    /// Where it happens.
    pub(crate) at: Process,
    /// When it is offered.
    pub(crate) offered: Offered,
    /// How many ticks it lasts, at least and at most; `None` if it is over at once.
    pub(crate) lasts: Option<(u8, u8)>,
    /// The fault.
    pub(crate) fault: Fault,
    /// The same slot of other voters has the same family; `None` where no voter is meant.
    pub(crate) family: Option<(u32, VoterId)>,
}

/// At which moments a slot is offered: where it makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// At the beginning of a tick: it acts by the time that passes.
    Ticks,
    /// Directly before something is due at its process: earlier comes to the same.
    Events,
    /// Both.
    Both,
}

impl Offered {
    pub(crate) fn at_ticks(self) -> bool {
        matches!(self, Self::Ticks | Self::Both)
    }

    pub(crate) fn before_events(self) -> bool {
        matches!(self, Self::Events | Self::Both)
    }
}

/// All slots of a menu. Kinds that act on messages have none.
pub(crate) fn slots(scope: &Scope, menu: &Menu, clients: &[ClientSetup]) -> Vec<Slot> {
    let mut slots = Vec::new();
    for (family, allowed) in menu.allowed.iter().filter(|allowed| allowed.budget > 0).enumerate() {
        let family = family as u32 * 1_000;
        match allowed.kind {
            Kind::ClientStop | Kind::ClientSuspend | Kind::ClientClockSlow => {
                let own = clients.iter().enumerate();
                slots.extend(
                    own.map(|(index, own)| client(allowed, ClientId(index as u16), own.policy.clock)),
                );
            }
            Kind::NodeClockFast | Kind::NodeCrashKeeping | Kind::NodeCrashLosing | Kind::Eviction => {
                slots.extend(nodes(scope).map(|node| node_slot(allowed, node, family)));
            }
            Kind::NodeClockStep => {
                for ticks in allowed.ticks.0..=allowed.ticks.1 {
                    slots.extend(nodes(scope).map(|node| step(node, ticks, family)));
                }
            }
            Kind::Failover => {
                let replicas = (0..scope.nodes).flat_map(|voter| {
                    (1..=scope.replicas).map(move |number| NodeId::replica(VoterId(voter), number))
                });
                slots.extend(replicas.flat_map(|replica| promotions(scope, allowed, replica)));
            }
            Kind::MessageLoss | Kind::LateMessage | Kind::StoreDelay => {}
        }
    }
    slots
}

/// The slots as a plan: the world begins and ends them when it is told to.
pub(crate) fn plan_faults(slots: &[Slot]) -> Vec<PlannedFault> {
    let planned = |slot: &Slot| PlannedFault {
        when: When::At(WorldTime(u64::MAX >> 1)),
        lasts: slot.lasts.map(|_| Scope::TICK),
        fault: slot.fault.clone(),
    };
    slots.iter().map(planned).collect()
}

fn nodes(scope: &Scope) -> impl Iterator<Item = NodeId> + use<> {
    (0..scope.nodes).map(|voter| NodeId::first(VoterId(voter)))
}

fn client(allowed: &Allowed, id: ClientId, clock: ClockKind) -> Slot {
    let process = Process::Client(id);
    let scope = PauseScope::Process(process);
    let (offered, fault) = match allowed.kind {
        Kind::ClientSuspend => (Offered::Both, Fault::Pause { scope, kind: PauseKind::Suspend }),
        Kind::ClientClockSlow => (Offered::Ticks, Fault::ClockFreeze { process, clock }),
        Kind::ClientStop
        | Kind::NodeClockFast
        | Kind::NodeClockStep
        | Kind::MessageLoss
        | Kind::LateMessage
        | Kind::NodeCrashKeeping
        | Kind::NodeCrashLosing
        | Kind::Failover
        | Kind::Eviction
        | Kind::StoreDelay => {
            // Only a stop that may also be shorter can as well begin later.
            let offered = if allowed.ticks.0 > 1 { Offered::Both } else { Offered::Events };
            (offered, Fault::Pause { scope, kind: PauseKind::Stop })
        }
    };
    Slot { kind: allowed.kind, at: process, offered, lasts: Some(allowed.ticks), fault, family: None }
}

fn node_slot(allowed: &Allowed, node: NodeId, family: u32) -> Slot {
    let process = Process::Node(node);
    let (offered, lasts, fault) = match allowed.kind {
        Kind::NodeClockFast => {
            let clocks = vec![ClockKind::Wall];
            (Offered::Ticks, Some(allowed.ticks), Fault::ClockRate { process, clocks, ppm: DOUBLE_PPM })
        }
        Kind::Eviction => (Offered::Events, None, Fault::Evict { node, key: None }),
        // What it keeps is up to its persistence.
        Kind::NodeCrashKeeping
        | Kind::NodeCrashLosing
        | Kind::ClientStop
        | Kind::ClientSuspend
        | Kind::ClientClockSlow
        | Kind::NodeClockStep
        | Kind::MessageLoss
        | Kind::LateMessage
        | Kind::Failover
        | Kind::StoreDelay => {
            (Offered::Both, Some(allowed.ticks), Fault::Kill { node, death: Death::Process })
        }
    };
    Slot { kind: allowed.kind, at: process, offered, lasts, fault, family: Some((family, node.voter)) }
}

fn step(node: NodeId, ticks: u8, family: u32) -> Slot {
    let process = Process::Node(node);
    let fault = Fault::ClockStep { process, clock: ClockKind::Wall, by: Scope::ticks(i64::from(ticks)) };
    let family = Some((family + u32::from(ticks), node.voter));
    Slot { kind: Kind::NodeClockStep, at: process, offered: Offered::Events, lasts: None, fault, family }
}

/// One for every combination of how long each client takes to learn.
fn promotions(scope: &Scope, allowed: &Allowed, node: NodeId) -> Vec<Slot> {
    let (least, most) = allowed.ticks;
    let base = u32::from(most - least) + 1;
    let combinations = base.pow(u32::from(scope.clients));
    let slot = |mut code: u32| {
        let mut except = Vec::new();
        for client in 0..scope.clients {
            let ticks = i64::from(least) + i64::from(code % base);
            except.push((ClientId(client), Learn::After(Scope::ticks(ticks))));
            code /= base;
        }
        let fault = Fault::Promote { node, learn: Learn::Soon, except };
        let at = Process::Node(node);
        Slot { kind: Kind::Failover, at, offered: Offered::Both, lasts: None, fault, family: None }
    };
    (0..combinations).map(slot).collect()
}
