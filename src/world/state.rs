//! The world without its clients: servers, links, faults in force, and the ledger of grants.
//!
//! Must not choose what happens next. Questions about it that facts and bounds rest on are answered here.

use super::client::{Client, Fixed};
use super::event::Trail;
use super::lane::{Body, LaneId, Links};
use super::ledger::{Backing, Ledger};
use super::server::{RedisServer, Server, StoreServer};
use super::setup::Setup;
use super::watch::bit;
use crate::history::{Cause, Fact, LostWhy, Record, WatchKind};
use crate::lock::LockCore;
use crate::name::{CallId, ClientId, Direction, MessageName, Process, VoterId};
use crate::plan::{CutHow, Fault, MessageFate, PauseKind, PauseScope, WayCut};
use crate::time::{ClockKind, Now, Span, WorldTime};
use std::sync::Arc;

/// Everything but the clients.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    pub(crate) fixed: Fixed<Setup>,
    pub(crate) now: WorldTime,
    pub(crate) servers: Vec<Server>,
    pub(crate) store: StoreServer,
    pub(crate) links: Links,
    /// How far each fault of the plan has come.
    pub(crate) faults: Vec<FaultState>,
    pub(crate) ledger: Ledger,
    /// The bounds that are watched.
    pub(crate) watching: Fixed<Vec<WatchKind>>,
    /// Whether backing is followed.
    pub(crate) backing: Fixed<super::system::BackingFacts>,
    /// The smallest quorum that any client uses.
    pub(crate) quorum: u8,
    /// How many of the nodes, the first ones, any client asks: the others have no vote.
    pub(crate) asked: u8,
    /// The serial of the last message.
    pub(crate) serial: u32,
    /// Which clients want or hold the lock.
    pub(crate) busy: Vec<bool>,
    /// What changed the holds since backing was last looked at.
    pub(crate) stirred: Option<Stir>,
    /// Whether watches must be looked at again.
    pub(crate) review: bool,
    /// When the next derived fact becomes true by itself.
    pub(crate) next_fact: NextFact,
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
        let servers = setup.nodes.iter().enumerate();
        let servers = servers.map(|(index, node)| Server::Redis(RedisServer::new(index, node))).collect();
        let quorums = clients.iter().map(|client| client.traits.0.quorum).filter(|quorum| *quorum > 0);
        let asked = clients.iter().map(|client| client.traits.0.voters).max().unwrap_or(0);
        let kinds = vec![WatchKind::Leak, WatchKind::Stuck, WatchKind::Unavailable, WatchKind::SilentLoss];
        Self {
            now: WorldTime::ZERO,
            servers,
            store: StoreServer::new(nodes, &setup.store),
            links: Links::default(),
            faults: vec![FaultState::Ahead; setup.plan.faults.len()],
            ledger: Ledger::new(),
            watching: Fixed(Arc::new(kinds)),
            backing: Fixed(Arc::new(super::system::BackingFacts::Derived)),
            quorum: quorums.min().unwrap_or(u8::MAX),
            asked,
            serial: 0,
            busy: vec![false; clients.len()],
            stirred: None,
            review: true,
            next_fact: NextFact::Stale,
            fixed: Fixed(setup),
        }
    }

    pub(crate) fn redis(&self, voter: VoterId) -> &RedisServer {
        let Server::Redis(server) = &self.servers[usize::from(voter.0)];
        server
    }

    pub(crate) fn redis_mut(&mut self, voter: VoterId) -> &mut RedisServer {
        let Server::Redis(server) = &mut self.servers[usize::from(voter.0)];
        server
    }

    pub(crate) fn voters(&self) -> impl Iterator<Item = VoterId> + use<> {
        (0..self.servers.len() as u8).map(VoterId)
    }

    /// The clocks of a server. A client's are its own affair.
    pub(crate) fn server_now(&self, process: Process) -> Now {
        match process {
            Process::Node(voter) if usize::from(voter.0) < self.servers.len() => {
                self.redis(voter).clocks.now(self.now)
            }
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
    }

    /// The faults in force.
    pub(crate) fn active(&self) -> impl Iterator<Item = &Fault> {
        let planned = self.fixed.0.plan.faults.iter().zip(&self.faults);
        planned.filter(|(_, state)| **state == FaultState::Active).map(|(planned, _)| &planned.fault)
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
                | Fault::Kill { .. }
                | Fault::ClockStep { .. }
                | Fault::ClockRate { .. }
                | Fault::Cut { .. }
                | Fault::Slow { .. }
                | Fault::Evict { .. }
                | Fault::LateTimer { .. }
                | Fault::ErrorReply { .. }
                | Fault::FlushScripts { .. } => {}
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
            Fault::Cut { clients, peers, way, how } => {
                let between = clients.contains(&lane.client) && peers.contains(&lane.peer);
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
            | Fault::Kill { .. }
            | Fault::ClockStep { .. }
            | Fault::ClockRate { .. }
            | Fault::ClockFreeze { .. }
            | Fault::Slow { .. }
            | Fault::Evict { .. }
            | Fault::LateTimer { .. }
            | Fault::ErrorReply { .. }
            | Fault::FlushScripts { .. } => None,
        });
        cuts.min_by_key(|how| match how {
            CutHow::Reset => 0,
            CutHow::BlackHole => 1,
            CutHow::Hold => 2,
        })
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

    /// What slow nodes add to the latency of this lane.
    pub(crate) fn extra(&self, lane: LaneId) -> Span {
        let mut sum = Span::ZERO;
        for fault in self.active() {
            if let Fault::Slow { node, by } = fault
                && Process::Node(*node) == lane.peer
            {
                sum = sum + *by;
            }
        }
        sum
    }

    /// The error that a node answers to everything, if a fault makes it.
    pub(crate) fn error_of(&self, voter: VoterId) -> Option<bytes::Bytes> {
        self.active().find_map(|fault| {
            let Fault::ErrorReply { node, text } = fault else { return None };
            (*node == voter).then(|| text.clone())
        })
    }

    /// The voters that are up, run, answer, are not slowed, and can talk with this client both ways over a
    /// connection that is not broken, by bit.
    pub(crate) fn reachable(&self, client: ClientId) -> u32 {
        let serves = |voter: &VoterId| {
            let server = self.redis(*voter);
            let lane = LaneId { client, peer: Process::Node(*voter), number: 1, incarnation: 1 };
            let current = self.links.current(client, lane.peer);
            server.is_up()
                && current.is_none_or(|lane| lane.torn.is_none())
                && self.extra(lane) == Span::ZERO
                && server.pauses == 0
                && self.error_of(*voter).is_none()
                && self.cut(lane, Direction::Request).is_none()
                && self.cut(lane, Direction::Reply).is_none()
        };
        self.voters().take(self.asked.into()).filter(serves).map(bit).sum()
    }

    /// The voters that carry a value written by this call.
    pub(crate) fn carriers(&self, call: CallId) -> impl Iterator<Item = VoterId> {
        let carries =
            move |voter: &VoterId| self.redis(*voter).held.as_ref().is_some_and(|held| held.writer == call);
        self.voters().filter(carries)
    }

    /// How many voters carry one and the same value written by this call: keys of two attempts with nonces of
    /// their own are no quorum together.
    pub(crate) fn carried(&self, call: CallId) -> u8 {
        let mut values: Vec<&bytes::Bytes> = Vec::new();
        values.extend(self.carriers(call).filter_map(|voter| Some(&self.redis(voter).held.as_ref()?.value)));
        let alike = |value: &&bytes::Bytes| values.iter().filter(|other| *other == value).count() as u8;
        values.iter().map(alike).max().unwrap_or(0)
    }

    /// When a call that begins now must have succeeded, if nothing slows the client itself, a quorum is up and
    /// reachable and nobody else holds or wants the lock. A live key of another call counts as held.
    pub(crate) fn unavailable_due<C: LockCore>(&self, client: &Client<C>, call: CallId) -> Option<WorldTime> {
        let traits = &client.traits.0;
        let asks = traits.quorum > 0 && client.is_able();
        (asks && self.is_available(client.id, traits.quorum, call)).then(|| self.now + traits.call_max)
    }

    /// Whether a quorum is up and reachable for this client and nobody else holds or wants the lock.
    pub(crate) fn is_available(&self, client: ClientId, quorum: u8, call: CallId) -> bool {
        let others_want = self.busy.iter().enumerate().any(|(id, busy)| *busy && id != usize::from(client.0));
        let held = self
            .voters()
            .any(|voter| self.redis(voter).held.as_ref().is_some_and(|held| held.writer != call));
        !others_want
            && !held
            && !self.ledger.others_hold(client)
            && self.reachable(client).count_ones() >= u32::from(quorum)
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

    /// How many votes a rival could win against a nonce that `backs` recognises, and how many voters carry it.
    pub(crate) fn votes(&self, backs: impl Fn(&bytes::Bytes) -> bool) -> (u8, u8) {
        let (mut free, mut own) = (0, 0);
        let mut rivals: Vec<(&bytes::Bytes, u8)> = Vec::new();
        for Server::Redis(server) in self.servers.iter().take(self.asked.into()) {
            match &server.held {
                _ if !server.is_up() => {}
                None => free += 1,
                Some(held) if backs(&held.value) => own += 1,
                Some(held) => match rivals.iter_mut().find(|(value, _)| **value == held.value) {
                    Some((_, count)) => *count += 1,
                    None => rivals.push((&held.value, 1)),
                },
            }
        }
        (free + rivals.iter().map(|(_, count)| *count).max().unwrap_or(0), own)
    }
}

impl Backing {
    /// Whether a rival's chances are still followed.
    pub(crate) fn is_followed(self) -> bool {
        self != Self::Closed
    }
}
