//! The whole: a world and the clients in it. Explorers hold this value and nothing else.
//!
//! [`System::advance`] lets time pass and derives what becomes true by itself; [`System::step`] lets one event
//! happen. Must not choose: no latency, no randomness, no order.

use super::client::Client;
use super::event::{Draws, Event, GroupEvent, NodeTimer, Readiness, Shipment, TimerKind, Trail};
use super::lane::{Body, Lane, LaneId, LaneState, Packet};
use super::ledger::Backing;
use super::scene::Scene;
use super::server::{Served, Server};
use super::setup::{Connections, Setup};
use super::state::{NextFact, Stir, Watching, World};
use crate::canon::Gather;
use crate::history::{Cause, Fact, LostWhy, PromiseEnd, Watch, WatchEnd, WatchKind};
use crate::lock::{ConnectionId, LockCore, Stored};
use crate::name::{ClientId, Direction, MessageName, Name, NodeId, Process, VoterId, Worker};
use crate::plan::{CutHow, Fault};
use crate::time::{Span, WorldTime};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A world with its clients, as one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System<C> {
    pub(crate) world: World,
    pub(crate) clients: Vec<Client<C>>,
    /// The cores as they were at the start: what a crashed client starts again with.
    pub(crate) fresh: super::client::Fixed<Vec<C>>,
}

impl<C: Hash> Hash for System<C> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut gather = Gather::new(state);
        self.world.hash(&mut gather);
        self.clients.hash(&mut gather);
        gather.flush();
    }
}

/// Whether facts about backing are derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BackingFacts {
    /// Yes.
    Derived,
    /// No: holds are forgotten as soon as their promise is over.
    Left,
}

impl<C: LockCore> System<C> {
    /// A world at time 0. `cores` are one per client of `setup`, in order.
    ///
    /// # Panics
    /// If there are not as many cores as clients.
    pub fn new(setup: Arc<Setup>, cores: Vec<C>) -> Self {
        assert_eq!(cores.len(), setup.clients.len(), "one core per client");
        let servers = setup.nodes.len() + 1;
        let client = |(index, core): (usize, &C)| {
            Client::new(ClientId(index as u16), servers + index, &setup.clients[index], core.clone())
        };
        let mut clients: Vec<Client<C>> = cores.iter().enumerate().map(client).collect();
        let open = setup.connections == Connections::Open;
        let mut world = World::new(setup, &clients);
        for client in &mut clients {
            let (id, connection, number, incarnation) = (client.id, ConnectionId(0), 1, 1);
            let store = LaneId { client: id, peer: Process::Store, connection, number, incarnation };
            world.links.open(store, LaneState::Open);
            for voter in world.voters().filter(|_| open) {
                let peer = Process::Node(voter.into());
                let lane = LaneId { client: id, peer, connection, number, incarnation };
                world.links.open(lane, LaneState::Open);
                client.driver.next_connect(voter, connection);
            }
        }
        Self { world, clients, fresh: super::client::Fixed(Arc::new(cores)) }
    }

    /// Derives only these bounds, and backing or not: what is not judged need not be kept.
    pub fn deriving(mut self, kinds: &[WatchKind], backing: BackingFacts) -> Self {
        self.world.watching = Watching::of(kinds);
        self.world.backing = backing;
        self
    }

    /// Says that the plan is a menu: faults of one family do the same, each to its own voter, so that voters can be put
    /// into another order. One entry per fault; `None` where no voter is meant.
    #[must_use]
    pub fn with_menu(mut self, families: Vec<Option<(u32, VoterId)>>) -> Self {
        self.world.menu = super::client::Fixed(Arc::new(families));
        self
    }

    /// The world's present.
    pub fn now(&self) -> WorldTime {
        self.world.now
    }

    /// What this world was made from.
    pub fn setup(&self) -> &Setup {
        &self.world.fixed.0
    }

    /// Whether every client has nothing more to do, now or after a restart that is planned.
    pub fn is_done(&self) -> bool {
        self.clients.iter().all(|client| match client.alive {
            true => client.user == super::user::User::Done || self.is_at_rest_for_good(client.id),
            false => !self.will_rise(client.id),
        })
    }

    /// When the next timer of this client fires if nothing changes, and which.
    pub fn next_timer(&self, client: ClientId) -> Option<(WorldTime, TimerKind)> {
        let index = usize::from(client.0);
        let firing = self.clients[index].counts.firings + 1;
        let (at, kind) = self.clients[index].next_timer(&self.setup().clients[index], self.world.now)?;
        let deferrals = &self.setup().plan.deferrals;
        let deferred =
            deferrals.iter().find(|deferral| (deferral.client, deferral.firing) == (client, firing));
        Some((deferred.map_or(at, |deferral| at.max(deferral.until)), kind))
    }

    /// Every timer of this client that is due now: requests, then wakes, then the user's.
    pub fn due_timers(&self, client: ClientId) -> Vec<TimerKind> {
        let index = usize::from(client.0);
        self.clients[index].due_timers(&self.setup().clients[index], self.world.now)
    }

    /// Whether this client neither wants nor holds the lock.
    pub fn is_idle(&self, client: ClientId) -> bool {
        self.clients[usize::from(client.0)].user.is_idle()
    }

    /// The clients, in index order.
    pub fn clients(&self) -> impl Iterator<Item = ClientId> + use<C> {
        (0..self.clients.len() as u16).map(ClientId)
    }

    /// Whether this message is the first of its lane: nothing is queued before it.
    pub fn is_first(&self, sent: &super::event::Sent) -> bool {
        let front = self.world.links.front(sent.lane, sent.direction);
        front.is_some_and(|packet| packet.serial == sent.serial)
    }

    /// The first message of this lane in this direction, if it could be handled now: its serial and name.
    pub fn deliverable(&self, lane: LaneId, direction: Direction) -> Option<(u32, MessageName)> {
        let packet = self.world.links.front(lane, direction)?;
        self.can_handle(self.world.links.get(lane)?, packet, direction)
            .then_some((packet.serial, packet.name))
    }

    /// Every message that could be handled now.
    pub fn deliverables(&self) -> impl Iterator<Item = (LaneId, Direction)> {
        let packets = self.world.links.packets();
        let enabled = |at: &(LaneId, Direction)| self.deliverable(at.0, at.1).is_some();
        packets
            .chunk_by(|one, next| one.queue() == next.queue())
            .map(|queue| queue[0].queue())
            .filter(enabled)
    }

    fn can_handle(&self, lane: &Lane, packet: &Packet, direction: Direction) -> bool {
        if self.world.cut(lane.id, direction) == Some(CutHow::Hold) {
            return false;
        }
        match (direction, lane.id.peer) {
            // The kernel accepts connections for a process that stands still.
            (Direction::Request, Process::Node(node)) => {
                let server = self.world.redis(node);
                let stands = server.pauses > 0 && server.is_up() && !matches!(packet.body, Body::Connect);
                !stands && (lane.torn.is_some() || !self.world.is_waiting(lane.id))
            }
            (Direction::Request, _) => self.world.store.pauses == 0,
            (Direction::Reply, _) => {
                let client = &self.clients[usize::from(lane.id.client.0)];
                let waits_for_user = matches!(packet.body, Body::StoreAnswer { .. });
                !client.alive
                    || (client.pauses.process == 0 && !(waits_for_user && client.pauses.stops(Worker::User)))
            }
        }
    }

    /// Lets time pass to `to`, emitting what becomes true by itself on the way. What becomes true at `to`
    /// comes before anything else of that instant.
    ///
    /// # Panics
    /// If `to` lies before the present.
    pub fn advance(&mut self, to: WorldTime, out: &mut Trail) {
        assert!(to >= self.world.now, "time does not run backwards");
        while let Some(at) = self.world.next_fact().filter(|at| *at <= to) {
            self.world.now = at.max(self.world.now);
            self.derive(out);
            self.settle_facts(out);
        }
        self.world.now = to;
    }

    /// Emits everything that becomes true by itself at this instant: promises end, keys expire, bounds are
    /// reached, in this order.
    fn derive(&mut self, out: &mut Trail) {
        let now = self.world.now;
        self.world.next_fact = NextFact::Stale;
        for index in 0..self.world.ledger.holds.len() {
            let hold = &self.world.ledger.holds[index];
            if hold.end_at().is_some_and(|end| end <= now) {
                let (grant, client) = (hold.grant, usize::from(hold.client().0));
                let mut scene = Scene { world: &mut self.world, out };
                scene.end_promise(&self.clients[client], grant, PromiseEnd::Reached);
                self.world.stir(Cause::Promise);
            }
        }
        self.settle_backing(out);
        for place in 0..self.world.servers.len() {
            let gone = |held: &super::server::Held| held.gone_at.is_some_and(|gone| gone <= now);
            let Server::Redis(server) = &mut self.world.servers[place];
            if let Some(held) = server.held.take_if(|held| gone(held)) {
                let node = self.world.nodes().nth(place).expect("as many nodes as servers");
                self.world.hold_gone(node, held.writer, Cause::Expiry, out);
            }
        }
        self.settle_backing(out);
        self.judge_due(out);
    }

    /// Lets one event happen. The event must be enabled; one that has lost its object does nothing.
    pub fn step(&mut self, event: Event, draws: &mut dyn Draws, out: &mut Trail) {
        match event {
            Event::FaultEnd(index) => self.end_fault(index, out),
            Event::FaultBegin(index) => self.begin_fault(index, out),
            Event::Deliver(lane, direction) => self.deliver(lane, direction, out),
            Event::Timer(client, kind) => {
                out.touched.push(client);
                let client = &mut self.clients[usize::from(client.0)];
                client.on_timer(kind, &mut Scene { world: &mut self.world, out }, draws);
            }
            Event::Group(event) => self.step_group(event, out),
        }
        self.settle_facts(out);
        if let Event::FaultBegin(_) | Event::FaultEnd(_) = event {
            // A clock that a fault moved may have reached what lay ahead.
            self.advance(self.world.now, out);
        }
        self.world.links.sweep();
        self.world.forget_seats();
        self.world.ledger.sweep();
    }

    fn deliver(&mut self, id: LaneId, direction: Direction, out: &mut Trail) {
        let Some(Lane { torn, state, .. }) = self.world.links.get(id).copied() else { return };
        let Some(packet) = self.world.links.pop(id, direction) else { return };
        if let Some(why) = self.world.swallowed(id, direction, &packet.body) {
            if !packet.body.is_notice() {
                self.world.record(id.peer, Fact::MessageLost { name: packet.name, why }, out);
                self.lose_behind(id, direction, why, out);
            }
            return;
        }
        if let (Direction::Request, Some(why)) = (direction, torn) {
            self.world.record(id.peer, Fact::MessageLost { name: packet.name, why }, out);
            // The kernel knows no such connection and says so, in case its first notice did not get through.
            if state != LaneState::Abandoned {
                self.world.notify(id, packet.name.reply(), Body::Reset, out);
            }
            return;
        }
        match (direction, id.peer) {
            (Direction::Reply, _) => {
                out.touched.push(id.client);
                let client = &mut self.clients[usize::from(id.client.0)];
                client.on_packet(id, packet, &mut Scene { world: &mut self.world, out });
            }
            (Direction::Request, Process::Node(node)) => self.serve(node, id, packet, out),
            (Direction::Request, Process::Store | Process::Client(_)) => self.serve_store(id, packet, out),
        }
    }

    /// A message was lost on its way: where bytes travel, nothing that was sent behind it arrives.
    fn lose_behind(&mut self, id: LaneId, direction: Direction, why: LostWhy, out: &mut Trail) {
        if !self.world.links.note_lost(id, direction, why) {
            return;
        }
        let behind = |packet: &Packet| packet.name.direction == direction && !packet.body.is_notice();
        for name in self.world.links.lose(id, behind) {
            self.world.record(id.peer, Fact::MessageLost { name, why }, out);
        }
    }

    fn serve(&mut self, node: NodeId, lane: LaneId, packet: Packet, out: &mut Trail) {
        let (process, name, at) = (Process::Node(node), packet.name, self.world.now);
        let up = self.world.redis(node).is_up();
        if !up {
            self.world.record(process, Fact::MessageLost { name, why: LostWhy::Down }, out);
        } else {
            self.world.record(process, Fact::Handled { name }, out);
            out.names.push(Name::Message(name));
        }
        let answer = match packet.body {
            Body::Connect if up => Body::Accept,
            Body::Connect => return self.world.notify(lane, name.reply(), Body::Refuse, out),
            Body::Command { request, command, by } if up => {
                let (reply, log) = self.apply(node, (lane, name, request), &command, by, out);
                if let Some(reply) = reply {
                    let now = self.world.redis(node).clocks.now(at);
                    let answer = Body::Answer { request, reply };
                    self.world.transmit(process, now, lane, name.reply(), answer, out);
                }
                return self.after_command(node, name, &log, out);
            }
            // Its sender is told by the reset that the crash sent.
            Body::Command { .. } => return,
            Body::Accept
            | Body::Refuse
            | Body::Reset
            | Body::Answer { .. }
            | Body::Push { .. }
            | Body::StoreRequest(_)
            | Body::StoreAnswer { .. } => unreachable!("a node is sent commands only"),
        };
        let now = self.world.redis(node).clocks.now(at);
        self.world.transmit(process, now, lane, name.reply(), answer, out);
    }

    fn step_group(&mut self, event: GroupEvent, out: &mut Trail) {
        match event {
            GroupEvent::Ship(stream) => self.world.ship(stream, out),
            GroupEvent::Arrive(stream, way) => self.world.arrive(stream, way, out),
            GroupEvent::Timer(node, timer) => self.world.on_node_timer(node, timer, out),
            GroupEvent::Learn(client, voter) => self.learn(client, voter, out),
        }
    }

    /// Whether an event of a group that was filed under this stamp can happen. A timer's stamp is the explorer's.
    pub fn readiness(&self, event: GroupEvent, stamp: u32) -> Readiness {
        match event {
            GroupEvent::Learn(client, voter) => self.lesson_ready(client, voter, stamp),
            GroupEvent::Ship(_) | GroupEvent::Arrive(..) | GroupEvent::Timer(..) => {
                self.world.group_ready(event, stamp)
            }
        }
    }

    /// The nodes that may have timers: where nodes are independent and keep nothing, those at which somebody waits.
    pub fn timed_nodes(&self) -> Vec<NodeId> {
        if self.world.groups.is_empty() { self.world.waited_at() } else { self.world.nodes().collect() }
    }

    /// When the next timer of this node fires if nothing changes, and which.
    pub fn next_node_timer(&self, node: NodeId) -> Option<(WorldTime, NodeTimer)> {
        self.world.next_node_timer(node)
    }

    /// Whether this parcel is the first of its leg: nothing is queued before it.
    pub fn leads(&self, shipment: &Shipment) -> bool {
        let feed = self.world.feed(shipment.stream);
        feed.and_then(|feed| feed.leg(shipment.leg).front()).map(|parcel| parcel.serial)
            == Some(shipment.serial)
    }

    /// How much longer than its fault lasts a node stays down.
    pub fn restart_delay(&self, index: u32) -> Span {
        let Fault::Kill { node, .. } = &self.setup().plan.faults[index as usize].fault else {
            return Span::ZERO;
        };
        let node = self.setup().nodes.get(usize::from(node.voter.0));
        node.map_or(Span::ZERO, |node| node.restart_delay)
    }

    fn serve_store(&mut self, lane: LaneId, packet: Packet, out: &mut Trail) {
        let (process, name) = (Process::Store, packet.name);
        self.world.record(process, Fact::Handled { name }, out);
        out.names.push(Name::Message(name));
        let Body::StoreRequest(request) = packet.body else {
            unreachable!("the store is sent requests only")
        };
        let grant = request.grant;
        let (answer, served) = self.world.store.serve(&request);
        match served {
            Served::Claimed => {}
            Served::Read { stock } => {
                let fact = Fact::StoreRead { client: lane.client, grant, stock };
                self.world.record(process, fact, out);
            }
            Served::Looked { item, times } => {
                let fact = Fact::StoreLooked { client: lane.client, grant, item, times };
                self.world.record(process, fact, out);
            }
            Served::Write { accepted, access } => {
                let promised = self.world.ledger.get(grant).is_some_and(|hold| hold.is_promised());
                let fact = Fact::StoreWrite { grant, accepted, promised, access };
                self.world.record(process, fact, out);
            }
        }
        let now = self.world.store.clocks.now(self.world.now);
        self.world.transmit(process, now, lane, name.reply(), Body::StoreAnswer { grant, answer }, out);
    }

    /// Derives what the last event made true: backing, then who is busy, then the watches.
    pub(crate) fn settle_facts(&mut self, out: &mut Trail) {
        self.settle_backing(out);
        for client in &self.clients {
            let busy = client.alive && !client.user.is_idle() && !self.is_paused_for_good(client.id);
            let known = self.world.busy[usize::from(client.id.0)];
            if busy != known {
                self.world.busy[usize::from(client.id.0)] = busy;
                self.world.review = true;
            }
        }
        if std::mem::take(&mut self.world.review) {
            self.review_watches(out);
        }
    }

    fn settle_backing(&mut self, out: &mut Trail) {
        let Some(stir) = self.world.stirred.take() else { return };
        for index in 0..self.world.ledger.holds.len() {
            let hold = &self.world.ledger.holds[index];
            let followed = hold.backing.is_followed();
            if !followed && !hold.inside && !hold.thinned {
                continue;
            }
            let (grant, promised, nonce, own_quorum) =
                (hold.grant, hold.is_promised(), hold.nonce, hold.quorum);
            let client = &self.clients[usize::from(hold.client().0)];
            let second = self.world.ledger.second_of(index);
            let backs = |value: &Stored| {
                client.core.backs(nonce, value) || second.is_some_and(|nonce| client.core.backs(nonce, value))
            };
            let (winnable, own) = self.world.votes(client.id, backs);
            let cause = match stir {
                Stir::Command(by) if by.client == client.id => Cause::Own,
                Stir::Command(_) => Cause::Rival,
                Stir::Other(cause) => cause,
            };
            let quorum = self.world.quorum;
            if followed && hold.backing != Backing::Winnable(winnable) {
                let fact = Fact::Backing { grant, winnable, quorum, promised, cause };
                Scene { world: &mut self.world, out }.record(client, fact);
            }
            let hold = &mut self.world.ledger.holds[index];
            let lost = !promised && winnable >= quorum;
            if followed {
                hold.backing = if lost { Backing::Closed } else { Backing::Winnable(winnable) };
            }
            let thin = own < own_quorum;
            if thin && hold.inside && !hold.thinned {
                hold.thinned = true;
                self.on_thinned(index, out);
            } else if !thin && hold.thinned {
                hold.thinned = false;
                let watch = Watch { kind: WatchKind::SilentLoss, call: hold.call };
                self.end(watch, WatchEnd::Void, out);
            }
        }
    }
}
