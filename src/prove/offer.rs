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
    let allowed = menu.allowed.iter().filter(|allowed| allowed.budget > 0).enumerate();
    allowed.flat_map(|(place, allowed)| of_kind(scope, allowed, place as u32 * 1_000, clients)).collect()
}

fn of_kind(scope: &Scope, allowed: &Allowed, family: u32, clients: &[ClientSetup]) -> Vec<Slot> {
    let lasting = Some(allowed.ticks);
    match allowed.kind {
        Kind::ClientStop => {
            // Only a stop that may also be shorter can as well begin later.
            let offered = if allowed.ticks.0 > 1 { Offered::Both } else { Offered::Events };
            of_clients(allowed, offered, clients, |process, _| pause(process, PauseKind::Stop))
        }
        Kind::ClientSuspend => {
            of_clients(allowed, Offered::Both, clients, |process, _| pause(process, PauseKind::Suspend))
        }
        Kind::ClientClockSlow => of_clients(allowed, Offered::Ticks, clients, |process, clock| {
            Fault::ClockFreeze { process, clock }
        }),
        Kind::NodeClockFast => of_nodes(scope, allowed.kind, family, (Offered::Ticks, lasting), |node| {
            let (process, clocks) = (Process::Node(node), vec![ClockKind::Wall]);
            Fault::ClockRate { process, clocks, ppm: DOUBLE_PPM }
        }),
        // What a node keeps is up to its persistence.
        Kind::NodeCrashKeeping | Kind::NodeCrashLosing => {
            of_nodes(scope, allowed.kind, family, (Offered::Both, lasting), |node| Fault::Kill {
                node,
                death: Death::Process,
            })
        }
        Kind::Eviction => of_nodes(scope, allowed.kind, family, (Offered::Events, None), |node| {
            Fault::Evict { node, key: None }
        }),
        Kind::NodeClockStep => {
            let steps = allowed.ticks.0..=allowed.ticks.1;
            let by = |ticks: u8| {
                let family = family + u32::from(ticks);
                of_nodes(scope, allowed.kind, family, (Offered::Events, None), move |node| {
                    let (process, by) = (Process::Node(node), Scope::ticks(i64::from(ticks)));
                    Fault::ClockStep { process, clock: ClockKind::Wall, by }
                })
            };
            steps.flat_map(by).collect()
        }
        Kind::Failover => {
            let replicas = (0..scope.nodes).flat_map(|voter| {
                (1..=scope.replicas).map(move |number| NodeId::replica(VoterId(voter), number))
            });
            replicas.flat_map(|replica| promotions(scope, allowed, replica)).collect()
        }
        Kind::MessageLoss | Kind::LateMessage | Kind::StoreDelay => Vec::new(),
    }
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

fn pause(process: Process, kind: PauseKind) -> Fault {
    Fault::Pause { scope: PauseScope::Process(process), kind }
}

/// One slot for each client; a fault is told the clock on which the client counts its promises.
fn of_clients(
    allowed: &Allowed,
    offered: Offered,
    clients: &[ClientSetup],
    fault: impl Fn(Process, ClockKind) -> Fault,
) -> Vec<Slot> {
    let slot = |(index, own): (usize, &ClientSetup)| {
        let at = Process::Client(ClientId(index as u16));
        let fault = fault(at, own.lock.clock());
        Slot { kind: allowed.kind, at, offered, lasts: Some(allowed.ticks), fault, family: None }
    };
    clients.iter().enumerate().map(slot).collect()
}

/// One slot for the first node of each voter.
fn of_nodes(
    scope: &Scope,
    kind: Kind,
    family: u32,
    (offered, lasts): (Offered, Option<(u8, u8)>),
    fault: impl Fn(NodeId) -> Fault,
) -> Vec<Slot> {
    let slot = |voter: u8| {
        let node = NodeId::first(VoterId(voter));
        let family = Some((family, node.voter));
        Slot { kind, at: Process::Node(node), offered, lasts, fault: fault(node), family }
    };
    (0..scope.nodes).map(slot).collect()
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
