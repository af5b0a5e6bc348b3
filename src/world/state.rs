//! The world without its clients: servers, links, faults in force, and the ledger of grants.
//!
//! Must not choose what happens next. Questions about it that facts and bounds rest on are answered here.

use super::client::{Client, Fixed};
use super::event::Trail;
use super::group::Group;
use super::lane::{Body, LaneId, Links};
use super::ledger::{Backing, Ledger};
use super::route::Routes;
use super::seat::Seats;
use super::server::{RedisServer, Server, StoreServer};
use super::setup::Setup;
use crate::history::{Cause, Fact, LostWhy, Record, WatchKind};
use crate::lock::LockCore;
use crate::name::{CallId, ClientId, Direction, MessageName, NodeId, Process, VoterId};
use crate::plan::{CutHow, Fault, MessageFate, PauseKind, PauseScope, WayCut};
use crate::redis::Role;
use crate::time::{ClockKind, Now, Span, WorldTime};
use smallvec::SmallVec;
use std::sync::Arc;

/// Everything but the clients.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    pub(crate) fixed: Fixed<Setup>,
    pub(crate) now: WorldTime,
    pub(crate) servers: Vec<Server>,
    pub(crate) store: StoreServer,
    pub(crate) links: Links,
    /// Of which connections nodes keep something; empty unless a client subscribes, blocks, watches or begins a
    /// transaction.
    pub(crate) seats: Seats,
    /// The nodes of each voter; empty where nodes are independent, keep nothing and nobody waits.
    pub(crate) groups: Vec<Group>,
    pub(crate) routes: Routes,
    /// How far each fault of the plan has come.
    pub(crate) faults: SmallVec<[FaultState; 8]>,
    /// The faults in force, ascending: every message asks for them, and most of a plan is ahead or over.
    pub(crate) active: SmallVec<[u32; 4]>,
    /// Which faults of the plan do the same to different voters; empty unless it is a menu.
    pub(crate) menu: Fixed<Vec<Option<(u32, VoterId)>>>,
    pub(crate) ledger: Ledger,
    /// The bounds that are watched.
    pub(crate) watching: Watching,
    /// Whether backing is followed.
    pub(crate) backing: super::system::BackingFacts,
    /// The smallest quorum that any client uses.
    pub(crate) quorum: u8,
    /// The clients whose grants are shared.
    pub(crate) readers: Fixed<Vec<ClientId>>,
    /// How many of the nodes, the first ones, any client asks: the others have no vote.
    pub(crate) asked: u8,
    /// The serial of the last message.
    pub(crate) serial: u32,
    /// Which clients want or hold the lock.
    pub(crate) busy: SmallVec<[bool; 8]>,
    /// What changed the holds since backing was last looked at.
    pub(crate) stirred: Option<Stir>,
    /// Whether watches must be looked at again.
    pub(crate) review: bool,
    /// When the next derived fact becomes true by itself.
    pub(crate) next_fact: NextFact,
}

/// The kinds of bounds that are watched, by bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Watching(u8);

impl Watching {
    pub(crate) fn of(kinds: &[WatchKind]) -> Self {
        Self(kinds.iter().fold(0, |bits, kind| bits | 1 << *kind as u8))
    }

    pub(crate) fn contains(self, kind: WatchKind) -> bool {
        self.0 >> kind as u8 & 1 != 0
    }
}

/// How far a planned fault has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FaultState {
    /// Has not begun.
    Ahead,
    /// Is in force.
    Active,
    /// Is over.
    Over,
}

/// What changed the holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stir {
    /// A command on behalf of this call.
    Command(CallId),
    /// Something else.
    Other(Cause),
}

/// A cached answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NextFact {
    /// Must be computed.
    Stale,
    /// At this time; `None` never.
    At(Option<WorldTime>),
}

impl World {
    pub(crate) fn new<C: LockCore>(setup: Arc<Setup>, clients: &[Client<C>]) -> Self {
        let nodes = setup.nodes.len();
        let first = setup.nodes.iter().enumerate();
        let first = first.map(|(index, node)| RedisServer::new(index, node.offset, node));
        // The clocks of replicas come last, so that a deployment with replicas leaves all others as they were.
        let replicas = setup.nodes.iter().flat_map(|node| node.replicas.iter().map(move |own| (own, node)));
        let replicas = replicas.enumerate().map(|(index, (own, node))| {
            RedisServer::new(nodes + 1 + clients.len() + index, own.offset, node)
        });
        let servers = first.chain(replicas).map(Server::Redis).collect();
        let quorums = clients.iter().map(|client| client.traits.0.quorum).filter(|quorum| *quorum > 0);
        let readers = clients.iter().filter(|client| client.traits.0.shared).map(|client| client.id);
        let asked = clients.iter().map(|client| client.traits.0.voters).max().unwrap_or(0);
        let grouped = |node: &super::setup::NodeSetup| {
            !node.replicas.is_empty() || node.persistence != super::setup::Persistence::None
        };
        let grouped = setup.nodes.iter().any(grouped);
        let kinds = [WatchKind::Leak, WatchKind::Stuck, WatchKind::Unavailable, WatchKind::SilentLoss];
        let mut world = Self {
            now: WorldTime::ZERO,
            servers,
            store: StoreServer::new(nodes, &setup.store),
            links: Links::default(),
            seats: Seats::default(),
            groups: Vec::new(),
            routes: Routes::new(&setup),
            faults: SmallVec::from_elem(FaultState::Ahead, setup.plan.faults.len()),
            active: SmallVec::new(),
            menu: Fixed(Arc::new(Vec::new())),
            ledger: Ledger::new(),
            watching: Watching::of(&kinds),
            backing: super::system::BackingFacts::Derived,
            quorum: quorums.min().unwrap_or(u8::MAX),
            readers: Fixed(Arc::new(readers.collect())),
            asked,
            serial: 0,
            busy: SmallVec::from_elem(false, clients.len()),
            stirred: None,
            review: true,
            next_fact: NextFact::Stale,
            fixed: Fixed(setup),
        };
        if grouped {
            world.know_groups();
            world.take_parts();
        }
        world
    }

    /// At the start every node is told what it is.
    fn take_parts(&mut self) {
        for node in self.nodes().collect::<Vec<_>>() {
            let followers = self.followers(node).len() as u8;
            let primary = self.is_primary(node);
            let redis = &mut self.redis_mut(node).node;
            redis.set_replicas(followers);
            redis.set_role(if primary { Role::Primary } else { Role::Replica });
            self.recount(node, &mut Trail::default());
        }
    }

    /// The place of a node among the servers: the first node of every voter, then all replicas. `None` if the
    /// deployment has no such node.
    fn place(&self, node: NodeId) -> Option<usize> {
        Self::place_in(&self.fixed.0, node)
    }

    /// The same in any world made from this.
    pub(super) fn place_in(setup: &Setup, node: NodeId) -> Option<usize> {
        let (nodes, voter) = (&setup.nodes, usize::from(node.voter.0));
        let replicas = nodes.get(voter)?.replicas.len();
        match usize::from(node.member) {
            0 => Some(voter),
            number if number <= replicas => {
                let before = nodes[..voter].iter().map(|node| node.replicas.len()).sum::<usize>();
                Some(nodes.len() + before + number - 1)
            }
            _ => None,
        }
    }

    /// Whether the deployment has this node.
    pub(crate) fn has(&self, node: NodeId) -> bool {
        self.place(node).is_some()
    }

    pub(crate) fn redis(&self, node: impl Into<NodeId>) -> &RedisServer {
        let place = self.place(node.into()).expect("a node of the deployment");
        let Server::Redis(server) = &self.servers[place];
        server
    }

    pub(crate) fn redis_mut(&mut self, node: impl Into<NodeId>) -> &mut RedisServer {
        let place = self.place(node.into()).expect("a node of the deployment");
        let Server::Redis(server) = &mut self.servers[place];
        server
    }

    /// The lock key, and a server to change. The setup is borrowed: all threads of a search share it, and would
    /// contend for its count of references.
    pub(crate) fn key_and_redis_mut(&mut self, node: NodeId) -> (&bytes::Bytes, &mut RedisServer) {
        let place = self.place(node).expect("a node of the deployment");
        let Server::Redis(server) = &mut self.servers[place];
        (&self.fixed.0.key, server)
    }

    /// Every node, in the order of the servers.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        let replicas = self.fixed.0.nodes.iter().enumerate().flat_map(|(voter, node)| {
            (1..=node.replicas.len() as u8).map(move |number| NodeId::replica(VoterId(voter as u8), number))
        });
        self.voters().map(NodeId::first).chain(replicas)
    }

    /// Makes the groups, where none were needed so far: somebody waits at an independent node.
    pub(crate) fn know_groups(&mut self) {
        if self.groups.is_empty() {
            let seconds = |node| (self.wall_seconds(node), self.next_beat(node));
            self.groups = Self::all_groups(&self.fixed.0, seconds);
        }
    }

    pub(crate) fn voters(&self) -> impl Iterator<Item = VoterId> + use<> {
        (0..self.fixed.0.nodes.len() as u8).map(VoterId)
    }

    /// The clocks of a server. A client's are its own affair.
    pub(crate) fn server_now(&self, process: Process) -> Now {
        match process {
            Process::Node(node) if self.has(node) => self.redis(node).clocks.now(self.now),
            // A fault may be aimed at a process that is not there.
            Process::Node(_) | Process::Store | Process::Client(_) => self.store.clocks.now(self.now),
        }
    }

    pub(crate) fn record(&self, process: Process, fact: Fact, out: &mut Trail) {
        out.records.push(Record { at: self.now, process, now: self.server_now(process), fact });
    }

    pub(crate) fn facts_stale(&mut self) {
        self.next_fact = NextFact::Stale;
    }

    pub(crate) fn stir(&mut self, cause: Cause) {
        self.stirred = Some(Stir::Other(cause));
        if cause != Cause::Promise {
            self.ledger.tallies.spoil(u32::MAX, |_| true);
        }
    }

    /// A lock key is no longer at a node. Nobody asks a node that nobody addresses.
    pub(crate) fn hold_gone(&mut self, node: NodeId, writer: CallId, cause: Cause, out: &mut Trail) {
        if self.is_addressed(node) {
            self.record(Process::Node(node), Fact::HoldGone { node: node.voter, writer, cause }, out);
            self.stirred = Some(Stir::Other(cause));
            let shared = self.is_reader(writer.client);
            let voters = super::watch::bit(node.voter);
            self.ledger.tallies.spoil(voters, |client| shared || client == writer.client);
        }
        self.facts_stale();
    }

    /// The faults in force.
    pub(crate) fn active(&self) -> impl Iterator<Item = &Fault> {
        self.active.iter().map(|index| &self.fixed.0.plan.faults[*index as usize].fault)
    }

    /// What the faults in force make of a clock: its rate error, and whether it stands still. Rate errors add
    /// up, as those of two causes would, but no clock runs backwards.
    pub(crate) fn tuning(&self, of: Process, clock: ClockKind) -> (i32, bool) {
        let (mut sum, mut frozen) = (0, false);
        for fault in self.active() {
            match fault {
                Fault::ClockRate { process, clocks, ppm } if *process == of && clocks.contains(&clock) => {
                    sum += i64::from(*ppm);
                }
                Fault::ClockFreeze { process, clock: one } => frozen |= *process == of && *one == clock,
                Fault::Pause { scope: PauseScope::Process(process), kind: PauseKind::Suspend } => {
                    frozen |= *process == of && clock == ClockKind::Mono;
                }
                Fault::Pause { .. }
                | Fault::Crash { .. }
                | Fault::Cancel { .. }
                | Fault::Kill { .. }
                | Fault::ClockStep { .. }
                | Fault::ClockRate { .. }
                | Fault::Cut { .. }
                | Fault::Slow { .. }
                | Fault::Evict { .. }
                | Fault::LateTimer { .. }
                | Fault::ErrorReply { .. }
                | Fault::FlushScripts { .. }
                | Fault::Promote { .. }
                | Fault::Demote { .. }
                | Fault::Lag { .. } => {}
            }
        }
        let ppm = i32::try_from(sum.max(-999_999)).unwrap_or(i32::MAX);
        (ppm, frozen)
    }

    /// Whether nothing goes wrong any more: every fault is over, but for crashes and pauses without an end,
    /// whose victims count as idle.
    pub(crate) fn faults_over(&self) -> bool {
        let planned = self.fixed.0.plan.faults.iter().zip(&self.faults);
        planned.into_iter().all(|(planned, state)| match state {
            FaultState::Ahead => false,
            FaultState::Over => true,
            FaultState::Active => {
                planned.lasts.is_none()
                    && matches!(planned.fault, Fault::Crash { .. } | Fault::Kill { .. } | Fault::Pause { .. })
            }
        })
    }

    /// What a directive says of this message.
    pub(crate) fn fate(&self, name: MessageName) -> Option<MessageFate> {
        let messages = &self.fixed.0.plan.messages;
        messages.iter().find(|directive| directive.name == name).map(|directive| directive.fate)
    }

    /// The cut in force on this lane in this direction, if any. Of several the strongest counts: a reset before a
    /// black hole before a hold.
    pub(crate) fn cut(&self, lane: LaneId, direction: Direction) -> Option<CutHow> {
        let cuts = self.active().filter_map(|fault| match fault {
            Fault::Cut { one, other, way, how } => {
                let between = one.contains(&Process::Client(lane.client)) && other.contains(&lane.peer);
                let this_way = match (way, direction) {
                    (WayCut::Both, _) => true,
                    (WayCut::Requests, direction) => direction == Direction::Request,
                    (WayCut::Replies, direction) => direction == Direction::Reply,
                };
                // A reset tears down the connection, whichever way it was meant.
                (between && (this_way || *how == CutHow::Reset)).then_some(*how)
            }
            Fault::Pause { .. }
            | Fault::Crash { .. }
            | Fault::Cancel { .. }
            | Fault::Kill { .. }
            | Fault::ClockStep { .. }
            | Fault::ClockRate { .. }
            | Fault::ClockFreeze { .. }
            | Fault::Slow { .. }
            | Fault::Evict { .. }
            | Fault::LateTimer { .. }
            | Fault::ErrorReply { .. }
            | Fault::FlushScripts { .. }
            | Fault::Promote { .. }
            | Fault::Demote { .. }
            | Fault::Lag { .. } => None,
        });
        cuts.min_by_key(strength)
    }

    /// Why a message on this lane vanishes. A black hole still lets connections be opened or refused; a reset
    /// lets its own notice through.
    pub(crate) fn swallowed(&self, lane: LaneId, direction: Direction, body: &Body) -> Option<LostWhy> {
        match self.cut(lane, direction)? {
            CutHow::Reset => (!body.is_notice()).then_some(LostWhy::Reset),
            CutHow::Hold => None,
            CutHow::BlackHole => {
                (!matches!(body, Body::Connect | Body::Accept | Body::Refuse)).then_some(LostWhy::BlackHole)
            }
        }
    }

    /// What a slow process adds to the latency of every message to and from it.
    pub(crate) fn slowed(&self, process: Process) -> Span {
        let mut sum = Span::ZERO;
        for fault in self.active() {
            if let Fault::Slow { node, by } = fault
                && process == Process::Node(*node)
            {
                sum = sum + *by;
            }
        }
        sum
    }

    /// The error that a node answers to everything, if a fault makes it.
    pub(crate) fn error_of(&self, of: NodeId) -> Option<bytes::Bytes> {
        self.active().find_map(|fault| {
            let Fault::ErrorReply { node, text } = fault else { return None };
            (*node == of).then(|| text.clone())
        })
    }

    /// The next world time at which a promise ends, a lock key expires or a bound is reached by itself.
    pub(crate) fn next_fact(&mut self) -> Option<WorldTime> {
        if let NextFact::At(at) = self.next_fact {
            return at;
        }
        let ends = self.ledger.holds.iter().filter_map(|hold| hold.end_at());
        let keys = self.servers.iter().filter_map(|Server::Redis(server)| server.held.as_ref()?.gone_at);
        let at = ends.chain(keys).chain(self.ledger.watches.next_over()).min();
        self.next_fact = NextFact::At(at);
        at
    }
}

/// Of several cuts in force the least counts.
pub(super) fn strength(how: &CutHow) -> u8 {
    match how {
        CutHow::Reset => 0,
        CutHow::BlackHole => 1,
        CutHow::Hold => 2,
    }
}

impl Backing {
    /// Whether a rival's chances are still followed.
    pub(crate) fn is_followed(self) -> bool {
        self != Self::Closed
    }
}
