//! Seed and profile to plan.
//!
//! Each hazard draws at each of its targets from a stream of its own, keyed by the sort of hazard, its occurrence
//! among those of its sort, and the target. So another row, another hazard in the file, or a target more changes
//! nothing of what the others suffer. Per event the draws are the length, the sizes, then the time to the next.
//! Everything is in whole milliseconds. Must not look at a scenario: [`Slots`] say what there is to hit.

use super::streams::{Concern, stream};
use crate::name::{ClientId, NodeId, Process, VoterId};
use crate::plan::{
    Between, Class, Death, Failover, Fault, Harm, Hazard, Learn, OldPrimary, Pace, PauseScope, Plan,
    PlannedFault, Profile, Quantiles, Slots, When,
};
use crate::scenario::{Drawn, Scenario};
use crate::time::{ClockKind, Span};
use crate::world::Setup;
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

/// The plan of this seed: the faults of all hazards at the targets that there are, by time, then in the order of
/// hazards and targets.
pub fn draw(seed: u64, profile: &Profile, slots: Slots) -> Plan {
    drawn(seed, profile, slots, |_| true)
}

/// The plan of this seed for a scenario that is [`under`] a profile: its own, then what is drawn.
pub fn plan_under(scenario: &Scenario, profile: &Profile, seed: u64) -> Plan {
    let slots = slots(&scenario.setup);
    let drawn = match scenario.drawn {
        Some(Drawn::Swarm(_)) => draw_swarm(seed, profile, slots),
        Some(Drawn::Profile(_)) | None => draw(seed, profile, slots),
    };
    let mut plan = scenario.setup.plan.clone();
    // What would begin after the end of the run is no part of it.
    let limit = scenario.setup.limit;
    let begins = |planned: &PlannedFault| matches!(planned.when, When::At(at) if at < limit);
    plan.faults.extend(drawn.faults.into_iter().filter(begins));
    plan
}

/// As [`draw`], with a subset of the hazards that the seed chooses: each is left out with one and the same chance,
/// which the seed also draws, but never all. For hunting only: such plans are no sample of the profile.
///
/// **Source** Groce, Zhang, Eide, Chen and Regehr 2012, Swarm testing, ISSTA.
pub fn draw_swarm(seed: u64, profile: &Profile, slots: Slots) -> Plan {
    let mut rng = stream(seed, Concern::Swarm, 0);
    let absent = rng.next_u32();
    let mut chosen: Vec<bool> = profile.hazards.iter().map(|_| rng.next_u32() >= absent).collect();
    if !chosen.contains(&true) && !chosen.is_empty() {
        let spared = (u64::from(rng.next_u32()) * chosen.len() as u64) >> 32;
        chosen[spared as usize] = true;
    }
    drawn(seed, profile, slots, |index| chosen[index])
}

/// Of the hazards that `wanted` picks by their index.
fn drawn(seed: u64, profile: &Profile, slots: Slots, wanted: impl Fn(usize) -> bool) -> Plan {
    let mut faults = Vec::new();
    for (index, hazard) in profile.hazards.iter().enumerate().filter(|(index, _)| wanted(*index)) {
        let before = profile.hazards[..index].iter();
        let occurrence = before.filter(|other| sort(&other.harm) == sort(&hazard.harm)).count() as u32;
        Drawer { seed, profile, slots, hazard, occurrence, faults: &mut faults }.draw();
    }
    faults.sort_by_key(|fault| match fault.when {
        When::At(at) => at,
        When::After(_) => unreachable!("a profile knows no events"),
    });
    Plan { faults, ..Plan::empty() }
}

/// The scenario under a profile, still with its own plan: a profile may replace the latencies that are not those of
/// single links.
pub fn under(scenario: &Scenario, profile: &Profile, drawn: Drawn) -> Scenario {
    let mut scenario = scenario.clone();
    scenario.drawn = Some(drawn);
    if let Some(latency) = &profile.latency {
        scenario.latency = latency.clone();
        let links = scenario.links.iter().map(|link| link.latency.max());
        let slowest = links.chain([latency.max()]).max().unwrap_or_default();
        scenario.setup.latency_max = Span(slowest);
    }
    scenario
}

/// What a profile can hit in this setup. Nodes that no client ever asks are none.
pub fn slots(setup: &Setup) -> Slots {
    let nodes = setup.clients.iter().map(|client| client.lock.voters()).max().unwrap_or(0);
    let asked = setup.nodes.iter().take(nodes.into());
    let replicated = asked.take_while(|node| !node.replicas.is_empty()).count() as u8;
    Slots { clients: setup.clients.len() as u16, nodes, replicated }
}

/// The number of a sort of hazard. Part of every plan that was ever drawn: never reuse or change one.
const fn sort(harm: &Harm) -> u32 {
    match harm {
        Harm::Pause { .. } => 1,
        Harm::Crash { .. } => 2,
        Harm::Kill { death: Death::Process | Death::Shutdown, .. } => 3,
        Harm::Kill { death: Death::Power, .. } => 16,
        Harm::ClockStep { .. } => 4,
        Harm::ClockRate { .. } => 5,
        Harm::ClockFreeze { .. } => 6,
        Harm::Cut { .. } => 7,
        Harm::Slow { .. } => 8,
        Harm::Evict { .. } => 9,
        Harm::FlushScripts { .. } => 10,
        Harm::LateTimer { .. } => 11,
        Harm::ErrorReply { .. } => 12,
        Harm::Lag { .. } => 13,
        Harm::Failover(_) => 14,
        Harm::Down { .. } => 15,
    }
}

/// One hazard of one seed.
struct Drawer<'a> {
    seed: u64,
    profile: &'a Profile,
    slots: Slots,
    hazard: &'a Hazard,
    occurrence: u32,
    faults: &'a mut Vec<PlannedFault>,
}

/// Chance of one hazard at one target.
struct Chance(ChaCha8Rng);

impl Drawer<'_> {
    fn draw(mut self) {
        match &self.hazard.harm {
            Harm::Cut { between, .. } => self.cuts(*between),
            Harm::Failover(failover) => {
                for voter in (0..self.slots.nodes).map(VoterId) {
                    self.failovers(voter, failover);
                }
            }
            Harm::Down { count } => self.down(*count),
            Harm::Pause { of, .. }
            | Harm::Crash { of, .. }
            | Harm::Kill { of, .. }
            | Harm::ClockStep { of, .. }
            | Harm::ClockRate { of, .. }
            | Harm::ClockFreeze { of, .. }
            | Harm::Slow { of, .. }
            | Harm::Evict { of }
            | Harm::FlushScripts { of }
            | Harm::LateTimer { of, .. }
            | Harm::ErrorReply { of, .. }
            | Harm::Lag { of, .. } => self.single(*of),
        }
    }

    /// The stream of one target. Sort, occurrence and target never share bits.
    fn chance(&self, client: Option<ClientId>, node: Option<NodeId>) -> Chance {
        let client = client.map_or(0, |client| u32::from(client.0) + 1);
        let node = node.map_or(0, |node| u32::from(node.voter.0) << 1 | u32::from(node.member.min(1)) | 0x40);
        assert!(client < 1 << 11 && self.occurrence < 1 << 8, "the reader caps both");
        let index = sort(&self.hazard.harm) << 27 | self.occurrence << 19 | client << 8 | node;
        Chance(stream(self.seed, Concern::Hazard, index))
    }

    fn single(&mut self, of: Class) {
        for process in of.targets(self.slots) {
            let chance = match process {
                Process::Client(client) => self.chance(Some(client), None),
                Process::Node(node) => self.chance(None, Some(node)),
                Process::Store => self.chance(None, None),
            };
            self.renew(chance, |harm, chance| fault_at(harm, process, chance));
        }
    }

    fn cuts(&mut self, between: Between) {
        let client = |index: u16| Process::Client(ClientId(index));
        let node = |index: u8| Process::Node(NodeId::first(VoterId(index)));
        let clients: Vec<Process> = (0..self.slots.clients).map(client).collect();
        let nodes: Vec<Process> = (0..self.slots.nodes).map(node).collect();
        let voter = |index: u8| NodeId::first(VoterId(index));
        let pairs: Vec<(Chance, Vec<Process>, Vec<Process>)> = match between {
            Between::ClientNode => (0..self.slots.clients)
                .flat_map(|one| (0..self.slots.nodes).map(move |other| (one, other)))
                .map(|(one, other)| {
                    let chance = self.chance(Some(ClientId(one)), Some(voter(other)));
                    (chance, vec![client(one)], vec![node(other)])
                })
                .collect(),
            Between::ClientAllNodes if nodes.is_empty() => Vec::new(),
            Between::ClientAllNodes => (0..self.slots.clients)
                .map(|one| (self.chance(Some(ClientId(one)), None), vec![client(one)], nodes.clone()))
                .collect(),
            Between::NodeAllClients => (0..self.slots.nodes)
                .map(|one| (self.chance(None, Some(voter(one))), clients.clone(), vec![node(one)]))
                .collect(),
            Between::NodeReplica => (0..self.slots.replicated)
                .map(|one| {
                    let replica = Process::Node(NodeId::replica(VoterId(one), 1));
                    (self.chance(None, Some(voter(one))), vec![node(one)], vec![replica])
                })
                .collect(),
            Between::ClientStore => (0..self.slots.clients)
                .map(|one| (self.chance(Some(ClientId(one)), None), vec![client(one)], vec![Process::Store]))
                .collect(),
        };
        for (chance, one, other) in pairs {
            self.renew(chance, |harm, chance| {
                let Harm::Cut { way, how, lasts, .. } = harm else { unreachable!("this hazard cuts") };
                let fault = Fault::Cut { one: one.clone(), other: other.clone(), way: *way, how: *how };
                (Some(chance.length(lasts)), Some(fault))
            });
        }
    }

    /// A renewal process: events one after the other until the window ends.
    fn renew(
        &mut self,
        mut chance: Chance,
        mut event: impl FnMut(&Harm, &mut Chance) -> (Option<Span>, Option<Fault>),
    ) {
        let profile = self.profile;
        let mut at = match &self.hazard.pace {
            Pace::Window => profile.from,
            Pace::Every(every) => profile.from + chance.ms(every),
        };
        while at < profile.to {
            let (length, fault) = event(&self.hazard.harm, &mut chance);
            let whole = match self.hazard.pace {
                Pace::Window => Some(profile.to - profile.from),
                Pace::Every(_) => None,
            };
            if let Some(fault) = fault {
                let lasts = if fault.is_instant() { None } else { length.or(whole) };
                self.faults.push(PlannedFault { when: When::At(at), lasts, fault });
            }
            let Pace::Every(every) = &self.hazard.pace else { return };
            // A pace of 0 would never come to the end of the window.
            let next = at + chance.length(every);
            at = next.max(at + length.unwrap_or(Span::ZERO));
        }
    }

    fn failovers(&mut self, voter: VoterId, failover: &Failover) {
        let mut chance = self.chance(None, Some(NodeId::first(voter)));
        let Pace::Every(every) = &self.hazard.pace else { unreachable!("the reader wants a pace") };
        let has_replica = voter.0 < self.slots.replicated;
        let (mut at, mut primary) = (self.profile.from + chance.ms(every), 0);
        while at < self.profile.to {
            let old = NodeId { voter, member: primary };
            let down = match &failover.old {
                OldPrimary::Killed(down) => Some(chance.length(down)),
                OldPrimary::Alive => None,
            };
            let promoted = at + chance.ms(&failover.detect);
            let learns: Vec<Span> = (0..LEARNERS).map(|_| chance.ms(&failover.learn)).collect();
            let back = down.map_or(at, |down| at + down);
            let demoted = (promoted + chance.length(&failover.demote)).max(back + Span::from_ms(1));
            if let Some(down) = down {
                let fault = Fault::Kill { node: old, death: Death::Process };
                self.faults.push(PlannedFault { when: When::At(at), lasts: Some(down), fault });
            }
            if has_replica {
                let node = NodeId { voter, member: 1 - primary };
                let clients = learns.iter().take(self.slots.clients.into()).enumerate();
                let except = clients.map(|(index, after)| (ClientId(index as u16), Learn::After(*after)));
                let fault = Fault::Promote { node, learn: Learn::Soon, except: except.collect() };
                self.faults.push(PlannedFault { when: When::At(promoted), lasts: None, fault });
                let fault = Fault::Demote { node: old };
                self.faults.push(PlannedFault { when: When::At(demoted), lasts: None, fault });
                primary = 1 - primary;
            }
            // Not before the demoted node has had time to follow: no Sentinel promotes one that has not.
            at = demoted + chance.length(every);
        }
    }

    fn down(&mut self, count: u8) {
        let candidates = self.slots.nodes.max(Slots::UNIVERSE.nodes);
        let rank = |voter| (self.chance(None, Some(NodeId::first(voter))).0.next_u64(), voter);
        let mut ranks: Vec<(u64, VoterId)> = (0..candidates).map(VoterId).map(rank).collect();
        ranks.sort_unstable();
        let mut chosen: Vec<VoterId> = ranks.into_iter().take(count.into()).map(|(_, voter)| voter).collect();
        chosen.sort_unstable();
        for voter in chosen.into_iter().filter(|voter| voter.0 < self.slots.nodes) {
            let fault = Fault::Kill { node: NodeId::first(voter), death: Death::Process };
            self.faults.push(PlannedFault { when: When::At(self.profile.from), lasts: None, fault });
        }
    }
}

/// For so many clients the moment of learning is drawn one by one; others learn soon.
const LEARNERS: u16 = Slots::UNIVERSE.clients;

impl Chance {
    fn value(&mut self, of: &Quantiles) -> i64 {
        of.at(self.0.next_u64())
    }

    fn ms(&mut self, of: &Quantiles) -> Span {
        Span::from_ms(self.value(of))
    }

    /// At least 1 ms.
    fn length(&mut self, of: &Quantiles) -> Span {
        Span::from_ms(self.value(of).max(1))
    }
}

/// Length and fault of one event at one process. No fault: the size drawn is none.
fn fault_at(harm: &Harm, process: Process, chance: &mut Chance) -> (Option<Span>, Option<Fault>) {
    let mut length = |lasts: &Quantiles| Some(chance.length(lasts));
    let (client, node) = match process {
        Process::Client(client) => (Some(client), None),
        Process::Node(node) => (None, Some(node)),
        Process::Store => (None, None),
    };
    match harm {
        Harm::Pause { kind, lasts, .. } => {
            let fault = Fault::Pause { scope: PauseScope::Process(process), kind: *kind };
            (length(lasts), Some(fault))
        }
        Harm::Crash { lasts, .. } => (length(lasts), client.map(|client| Fault::Crash { client })),
        Harm::Kill { death, lasts, .. } => {
            (length(lasts), node.map(|node| Fault::Kill { node, death: *death }))
        }
        Harm::ClockStep { by, .. } => {
            let by = chance.ms(by);
            let clock = ClockKind::Wall;
            (None, (by != Span::ZERO).then_some(Fault::ClockStep { process, clock, by }))
        }
        Harm::ClockRate { clocks, ppm, lasts, .. } => {
            let length = lasts.as_ref().and_then(length);
            let ppm = i32::try_from(chance.value(ppm)).expect("the reader caps rates");
            (length, (ppm != 0).then(|| Fault::ClockRate { process, clocks: clocks.clone(), ppm }))
        }
        Harm::ClockFreeze { clock, lasts, .. } => {
            (length(lasts), Some(Fault::ClockFreeze { process, clock: *clock }))
        }
        Harm::Slow { by, lasts, .. } => {
            let (length, by) = (length(lasts), chance.length(by));
            (length, node.map(|node| Fault::Slow { node, by }))
        }
        Harm::Evict { .. } => (None, node.map(|node| Fault::Evict { node, key: None })),
        Harm::FlushScripts { .. } => (None, node.map(|node| Fault::FlushScripts { node })),
        Harm::LateTimer { by, lasts, .. } => {
            let (length, by) = (length(lasts), chance.length(by));
            (length, Some(Fault::LateTimer { process, by }))
        }
        Harm::ErrorReply { text, lasts, .. } => {
            (length(lasts), node.map(|node| Fault::ErrorReply { node, text: text.clone() }))
        }
        Harm::Lag { by, lasts, .. } => {
            let (length, by) = (lasts.as_ref().and_then(length), chance.length(by));
            (length, node.map(|node| Fault::Lag { node, by }))
        }
        Harm::Cut { .. } | Harm::Failover(_) | Harm::Down { .. } => unreachable!("drawn apart"),
    }
}
