//! Several cores and real nodes: one step per line, expected outcomes behind `=>`.
//!
//! ```text
//! 0     a acquire       => a granted
//! 10    b acquire
//! 100   a release       => a released Confirmed; b granted
//! 5000  wait            => b lost Gone @4000
//! ```
//! The first word is the time in milliseconds since the start; wakes that are due by then come first, and what follows
//! from one carries its time behind `@`. Clients are letters. Every message arrives at once and in order, except what
//! `lose` says: the next `request`, `reply` or `push` of a client. The Lua texts of the cores run in the fake Redis.

use bytes::Bytes;
use fencepost::canon::Canon;
use fencepost::lock::{
    Caller, ConnectionId, Core, Draw, Input, LinkState, LockCore, Output, Recipe, RequestId, Ttl,
    UnknownReason, Until, WakeReason,
};
use fencepost::name::{ClientId, Nonce, VoterId};
use fencepost::redis::{Answer, Audience, Compat, Log, Node, Session};
use fencepost::resp::{Command, Reply};
use fencepost::time::{MonoTime, Now, ProcessClocks, Span, WorldTime};
use std::collections::{BTreeSet, VecDeque};

/// A connection, by client, voter and number.
type Wire = (usize, u8, u8);

/// What is lost next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loss {
    Request,
    Reply,
    Push,
}

/// One client.
pub(crate) struct Guest {
    pub(crate) core: Core,
    recipe: Recipe,
    clocks: ProcessClocks,
    alive: bool,
    wakes: Vec<(MonoTime, WakeReason)>,
    losses: Vec<Loss>,
    nonces: u64,
}

/// Clients, nodes, and all that is open between them.
pub(crate) struct Party {
    pub(crate) guests: Vec<Guest>,
    pub(crate) nodes: Vec<Node>,
    node_clocks: ProcessClocks,
    world: WorldTime,
    sessions: Vec<(Wire, Session)>,
    /// Requests that a node answers later, in the order in which they came, with the end of their limit.
    blocked: Vec<(Wire, RequestId)>,
    /// Voters that answer nothing, by bit.
    dark: u8,
    inbox: VecDeque<(usize, Input)>,
    said: Vec<String>,
    /// The names of all messages, to see that none is used twice.
    names: BTreeSet<String>,
    /// The canonical form of the first client's core after every input.
    pub(crate) seen: Vec<Core>,
}

/// Runs a script with these locks and compares every line.
#[track_caller]
pub(crate) fn check(name: &str, recipes: &[Recipe], nodes: usize, script: &str) -> Party {
    let mut party = Party::new(recipes, nodes);
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (input, expected) = line.split_once("=>").unwrap_or((line, ""));
        let said = party.line(input);
        assert_eq!(said, expected.trim(), "{name}: {line}");
    }
    party
}

impl Party {
    pub(crate) fn new(recipes: &[Recipe], nodes: usize) -> Self {
        let guest = |(index, recipe): (usize, &Recipe)| Guest {
            core: Core::of(recipe, Bytes::from_static(b"stock")),
            recipe: recipe.clone(),
            clocks: ProcessClocks::new(index, Span::ZERO),
            alive: true,
            wakes: Vec::new(),
            losses: Vec::new(),
            nonces: 100 * index as u64,
        };
        Self {
            guests: recipes.iter().enumerate().map(guest).collect(),
            nodes: (0..nodes).map(|_| Node::new(Compat::V72)).collect(),
            node_clocks: ProcessClocks::new(9, Span::ZERO),
            world: WorldTime::ZERO,
            sessions: Vec::new(),
            blocked: Vec::new(),
            dark: 0,
            inbox: VecDeque::new(),
            said: Vec::new(),
            names: BTreeSet::new(),
            seen: Vec::new(),
        }
    }

    /// Does one line and tells what the callers were told.
    #[track_caller]
    pub(crate) fn line(&mut self, line: &str) -> String {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [ms, words @ ..] = words.as_slice() else { panic!("no time in {line}") };
        self.advance(WorldTime(1_000 * ms.parse::<u64>().expect("a time")));
        self.act(words);
        self.settle("");
        std::mem::take(&mut self.said).join("; ")
    }

    fn act(&mut self, words: &[&str]) {
        match *words {
            ["wait"] => {}
            ["dark", voter] => self.dark |= 1 << (voter.parse::<u8>().expect("a voter") - 1),
            ["light"] => self.dark = 0,
            ["node", voter, ref command @ ..] => {
                let words = command.iter().map(|word| Bytes::copy_from_slice(word.as_bytes()));
                let voter = voter.parse::<u8>().expect("a voter") - 1;
                let reply = self.execute((99, voter, 0), None, &Command::new(words));
                self.said.push(format!("{:?}", reply.expect("an answer")));
            }
            [client, ref words @ ..] => self.ask(usize::from(client.as_bytes()[0] - b'a'), words),
            [] => panic!("nothing to do"),
        }
    }

    fn ask(&mut self, client: usize, words: &[&str]) {
        let caller = Caller(1);
        let life = |ms: &str| Ttl::Of(Span::from_ms(ms.parse().expect("milliseconds")));
        let ttl = self.guests[client].recipe.ttl();
        let input = match *words {
            ["acquire"] => Input::Acquire { caller, ttl, draw: self.draw(client) },
            ["acquire", ms] => Input::Acquire { caller, ttl: life(ms), draw: self.draw(client) },
            ["extend", ms] => Input::Extend { caller, ttl: life(ms) },
            ["check"] => Input::Check { caller },
            ["release"] => Input::Release { caller },
            ["cancel"] => Input::Cancel { caller },
            ["lose", what] => {
                let loss = [("request", Loss::Request), ("reply", Loss::Reply), ("push", Loss::Push)];
                let (_, loss) = loss.into_iter().find(|(name, _)| *name == what).expect("a loss");
                return self.guests[client].losses.push(loss);
            }
            ["dies"] => {
                self.guests[client].alive = false;
                self.sessions.retain(|((owner, ..), _)| *owner != client);
                return self.blocked.retain(|((owner, ..), _)| *owner != client);
            }
            ["clock", ms] => {
                let by = Span::from_ms(ms.parse().expect("milliseconds"));
                use fencepost::time::ClockKind::Wall;
                let world = self.world;
                return self.guests[client].clocks.clock_mut(Wall).step(world, by);
            }
            // The waiting connections break.
            ["deaf"] => {
                self.sessions.retain(|((owner, _, number), _)| *owner != client || *number != 1);
                let broken = |(wire, _): &(Wire, RequestId)| wire.0 == client && wire.2 == 1;
                for (_, request) in self.blocked.iter().filter(|wait| broken(wait)) {
                    let (request, why) = (*request, UnknownReason::Disconnected);
                    self.inbox.push_back((client, Input::Unknown { request, why }));
                }
                self.blocked.retain(|wait| !broken(wait));
                let (voter, connection, state) = (VoterId(0), ConnectionId(1), LinkState::Reset);
                Input::Link { voter, connection, state }
            }
            _ => panic!("{words:?}"),
        };
        self.inbox.push_back((client, input));
    }

    fn draw(&mut self, client: usize) -> Draw {
        let guest = &mut self.guests[client];
        guest.nonces += 1;
        Draw { nonce: Nonce(guest.nonces), jitter: 1 << 31 }
    }

    pub(crate) fn now(&self, client: usize) -> Now {
        self.guests[client].clocks.now(self.world)
    }

    /// The canonical form of a core as it stands.
    pub(crate) fn canonical(&self, client: usize) -> Core {
        let (mut core, mut clocks) = (self.guests[client].core.clone(), self.guests[client].clocks);
        let mut canon = Canon::new(self.world);
        canon.enter(&mut clocks);
        core.canonical(ClientId(0), &mut canon);
        core
    }

    /// Fires all wakes and ends all waits at the nodes up to this time, in order.
    fn advance(&mut self, to: WorldTime) {
        loop {
            let wake = |(client, guest): (usize, &Guest)| {
                let (at, reason) = *guest.wakes.iter().filter(|_| guest.alive).min()?;
                let at = guest.clocks.mono_reaches(at, self.world)?.max(self.world);
                Some((at, client, Some(reason)))
            };
            let wakes = self.guests.iter().enumerate().filter_map(wake);
            let ends = self.sessions.iter().filter_map(|((client, ..), session)| {
                let end = session.waits_until()?.start() + Span::from_ms(1);
                let at = WorldTime((end - self.node_clocks.now(WorldTime::ZERO).wall).0 as u64);
                Some((at, *client, None))
            });
            let Some((at, client, reason)) = wakes.chain(ends).min() else { break };
            if at > to {
                break;
            }
            self.world = at;
            match reason {
                Some(reason) => {
                    self.guests[client].wakes.retain(|(_, known)| *known != reason);
                    let draw = self.draw(client);
                    self.inbox.push_back((client, Input::Wake { reason, draw }));
                }
                None => self.end_wait(client),
            }
            self.settle(&format!(" @{}", at.0 / 1_000));
        }
        self.world = to;
    }

    fn end_wait(&mut self, client: usize) {
        let blocked = |session: &Session| session.is_blocked();
        let of = |((owner, ..), session): &&mut (Wire, Session)| *owner == client && blocked(session);
        let (wire, session) = self.sessions.iter_mut().find(of).expect("a wait");
        let (wire, reply) = (*wire, session.give_up());
        let index = self.blocked.iter().position(|(known, _)| *known == wire).expect("a request");
        let (_, request) = self.blocked.remove(index);
        self.inbox.push_back((client, Input::Reply { request, reply }));
    }

    /// Delivers until nothing is on its way.
    fn settle(&mut self, when: &str) {
        while let Some((client, input)) = self.inbox.pop_front() {
            if !self.guests[client].alive {
                continue;
            }
            let mut out = Vec::new();
            let now = self.now(client);
            self.guests[client].core.on_input(now, input, &mut out);
            for output in out {
                self.obey(client, output, when);
            }
            if client == 0 {
                self.seen.push(self.canonical(0));
            }
        }
    }

    fn obey(&mut self, client: usize, output: Output, when: &str) {
        let letter = char::from(b'a' + client as u8);
        let told = match output {
            Output::Send { request, voter, connection, command, label, limit: _ } => {
                let name = format!("{letter}{}{label:?}{:?}", voter.0, command.name());
                assert!(self.names.insert(name.clone()), "{name} was sent before");
                return self.transmit((client, voter.0, connection.0), request, &command);
            }
            Output::Connect { .. } => panic!("no core connects by itself"),
            Output::Wake { at, reason } => {
                let wakes = &mut self.guests[client].wakes;
                wakes.retain(|(_, known)| *known != reason);
                return wakes.push((at, reason));
            }
            Output::Quiet { reason } => {
                return self.guests[client].wakes.retain(|(_, known)| *known != reason);
            }
            Output::Attempt { .. } => return,
            Output::Granted { until, .. } => format!("granted{}", self.until(client, until)),
            Output::Refused { why, .. } => format!("refused {why:?}"),
            Output::Extended { until, .. } => format!("extended{}", self.until(client, until)),
            Output::ExtendFailed { why, .. } => format!("extend failed {why:?}"),
            Output::Checked { found, .. } => format!("checked {found:?}"),
            Output::Released { how, .. } => format!("released {how:?}"),
            Output::Lost { why, .. } => format!("lost {why:?}"),
        };
        self.said.push(format!("{letter} {told}{when}"));
    }

    fn until(&self, client: usize, until: Until) -> String {
        let zero = ProcessClocks::new(client, Span::ZERO).now(WorldTime::ZERO);
        match until {
            Until::Mono(end) => format!(" until {}", end - zero.mono),
            Until::Wall(end) => format!(" until wall {}", end - zero.wall),
            Until::Released => String::new(),
            Until::Lost => " until lost".to_owned(),
            Until::Untold => " untold".to_owned(),
        }
    }

    fn transmit(&mut self, wire: Wire, request: RequestId, command: &Command) {
        let (client, voter, _) = wire;
        let why = UnknownReason::TimedOut;
        let unknown = (client, Input::Unknown { request, why });
        if self.lost(client, Loss::Request) || self.dark & 1 << voter != 0 {
            return self.inbox.push_back(unknown);
        }
        match self.execute(wire, Some(request), command) {
            Some(_) if self.lost(client, Loss::Reply) => self.inbox.push_back(unknown),
            Some(reply) => self.inbox.push_back((client, Input::Reply { request, reply })),
            None => {}
        }
    }

    /// The answer, unless it comes later.
    fn execute(&mut self, wire: Wire, request: Option<RequestId>, command: &Command) -> Option<Reply> {
        let wall = self.node_clocks.now(self.world).wall;
        if !self.sessions.iter().any(|(known, _)| *known == wire) {
            self.sessions.push((wire, Session::new()));
        }
        let at = self.sessions.iter().position(|(known, _)| *known == wire).expect("a session");
        let here = self.sessions.iter().filter(|((_, voter, _), _)| *voter == wire.1);
        let audience = Audience::of(here.map(|(_, session)| session));
        let (mut log, node) = (Log::default(), usize::from(wire.1));
        let session = &mut self.sessions[at].1;
        let answer = self.nodes[node].apply_in(wall, None, command, session, &audience, &mut log);
        self.publish(wire.1, &log);
        self.serve(node, &log);
        match answer {
            Answer::Now(reply) => Some(reply),
            Answer::Blocked => {
                self.blocked.push((wire, request.expect("only clients wait")));
                None
            }
        }
    }

    fn publish(&mut self, voter: u8, log: &Log) {
        for message in &log.published {
            let here = self.sessions.iter().filter(|(wire, _)| wire.1 == voter);
            let pushes: Vec<(usize, Reply)> =
                here.flat_map(|(wire, session)| session.pushes(message).map(|push| (wire.0, push))).collect();
            for (client, message) in pushes {
                if !self.lost(client, Loss::Push) {
                    let voter = VoterId(voter);
                    self.inbox.push_back((client, Input::Push { voter, message }));
                }
            }
        }
    }

    /// Serves who waits for an item, the oldest first.
    fn serve(&mut self, node: usize, log: &Log) {
        let wall = self.node_clocks.now(self.world).wall;
        for change in &log.changes {
            for index in 0..self.blocked.len() {
                let (wire, request) = self.blocked[index];
                let Some((_, session)) = self.sessions.iter_mut().find(|(known, _)| *known == wire) else {
                    continue;
                };
                let mut log = Log::default();
                let popped = self.nodes[node].pop_for(wall, &change.key, session, &mut log);
                if let Some(reply) = popped {
                    self.blocked.remove(index);
                    if !self.lost(wire.0, Loss::Push) {
                        self.inbox.push_back((wire.0, Input::Reply { request, reply }));
                    }
                    break;
                }
            }
        }
    }

    fn lost(&mut self, client: usize, what: Loss) -> bool {
        let Some(guest) = self.guests.get_mut(client) else { return false };
        let at = guest.losses.iter().position(|loss| *loss == what);
        at.map(|at| guest.losses.remove(at)).is_some()
    }
}
