//! A driver of a core, as a pure machine: which requests are open, which wakes are set, which connections there are.
//!
//! It turns what happened into the core's inputs, and the core's outputs into what its owner has to do: it answers each
//! request exactly once, opens a connection for what is to be sent on one that is down, and knows when something is due.
//! Connections, clocks and timers are its owner's, who does each [`Duty`] at once and in order. What is answered at one
//! instant comes before what is due at it: hand over all that has arrived, then call [`Desk::fire`].
//!
//! The world has a driver of its own, which also stands still with its process and says why; both do the same. Must not
//! know what carries commands, nor any protocol.

use super::contract::{
    ConnectionId, CoreTraits, Draw, Input, Label, LinkState, LockCore, Output, RequestId, UnknownReason,
    WakeReason,
};
use crate::name::VoterId;
use crate::resp::{Command, Reply};
use crate::time::{MonoTime, Now};
use std::collections::VecDeque;

/// A core and what is under way for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Desk<C> {
    core: C,
    traits: CoreTraits,
    on_timeout: OnTimeout,
    /// By voter, then by age: the order in which requests that end at one instant do.
    requests: Vec<Request>,
    /// By reason.
    wakes: Vec<(WakeReason, MonoTime)>,
    links: Vec<Link>,
}

/// What a driver does with the connection of a request that timed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnTimeout {
    /// Keeps it: pipelining drivers. What follows queues behind what is late.
    Keep,
    /// Closes it and opens another for the next command: blocking drivers. What was sent on the old one may
    /// still arrive, after what is sent on the new one.
    Reconnect,
}

/// What the owner of a desk has to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Duty {
    /// Open this connection, and hand over by [`Desk::linked`] what became of it.
    Connect {
        /// To whom.
        voter: VoterId,
        /// Which.
        connection: ConnectionId,
    },
    /// Let go of this connection. Nothing of it is to be handed over any more.
    HangUp {
        /// To whom.
        voter: VoterId,
        /// Which.
        connection: ConnectionId,
    },
    /// Send this command on this connection, which is open. If it breaks over it, hand that over.
    Send {
        /// To whom.
        voter: VoterId,
        /// Over which connection.
        connection: ConnectionId,
        /// What.
        command: Command,
        /// What it is part of.
        label: Label,
    },
    /// Tell the caller this outcome, or note this attempt.
    Tell(Output),
}

/// A request that was not answered to the core.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Request {
    id: RequestId,
    voter: VoterId,
    connection: ConnectionId,
    label: Label,
    limit_at: MonoTime,
    state: RequestState,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum RequestState {
    /// Waits for its connection to open.
    Queued(Command),
    /// Was sent.
    Sent,
    /// Will not be answered, which the core is about to learn.
    Broken(UnknownReason),
}

/// A connection that was asked for and is not known to be down.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Link {
    voter: VoterId,
    connection: ConnectionId,
    open: bool,
    /// What its replies answer, in order, whether anybody still waits for it or not.
    sent: VecDeque<RequestId>,
}

impl<C: LockCore> Desk<C> {
    /// A driver of a fresh core, without connections.
    pub fn new(core: C, on_timeout: OnTimeout) -> Self {
        let traits = core.describe();
        Self { core, traits, on_timeout, requests: Vec::new(), wakes: Vec::new(), links: Vec::new() }
    }

    /// What the core says of itself.
    pub fn traits(&self) -> &CoreTraits {
        &self.traits
    }

    /// The caller, or whatever else is no business of a connection, has something for the core.
    pub fn feed(&mut self, now: Now, input: Input, duties: &mut Vec<Duty>) {
        let mut outputs = Vec::new();
        self.core.on_input(now, input, &mut outputs);
        for output in outputs {
            self.on_output(now, output, duties);
        }
    }

    /// A connection is open from the beginning: it was opened before anybody asked for it.
    pub fn opened(&mut self, voter: VoterId, connection: ConnectionId) {
        self.links.push(Link { voter, connection, open: true, sent: VecDeque::new() });
    }

    /// A connection is open, could not be opened, or broke.
    pub fn linked(
        &mut self,
        now: Now,
        (voter, connection): (VoterId, ConnectionId),
        state: LinkState,
        duties: &mut Vec<Duty>,
    ) {
        match state {
            LinkState::Up => {
                if let Some(link) = self.link_mut(voter, connection) {
                    link.open = true;
                }
                self.feed(now, Input::Link { voter, connection, state }, duties);
                self.send_queued(voter, connection, duties);
            }
            LinkState::Refused | LinkState::Reset => {
                self.forget(voter, connection);
                self.feed(now, Input::Link { voter, connection, state }, duties);
            }
        }
    }

    /// A reply: the next one of its connection.
    pub fn replied(
        &mut self,
        now: Now,
        (voter, connection): (VoterId, ConnectionId),
        reply: Reply,
        duties: &mut Vec<Duty>,
    ) {
        let Some(request) = self.link_mut(voter, connection).and_then(|link| link.sent.pop_front()) else {
            return;
        };
        let input = match self.take(request) {
            Some(_) => Input::Reply { request, reply },
            None => Input::Late { request, reply },
        };
        self.feed(now, input, duties);
    }

    /// The next replies of a connection, so many, will never come, though later ones do: their requests wait until their
    /// limits. No stream of bytes does this to its reader.
    pub fn missing(&mut self, (voter, connection): (VoterId, ConnectionId), count: usize) {
        if let Some(link) = self.link_mut(voter, connection) {
            link.sent.drain(..count.min(link.sent.len()));
        }
    }

    /// When something is due: the present at the earliest.
    pub fn next_due(&self, now: MonoTime) -> Option<MonoTime> {
        let requests = self.requests.iter().map(|request| request.due(now));
        let wakes = self.wakes.iter().map(|(_, at)| *at);
        requests.chain(wakes).min().map(|due| due.max(now))
    }

    /// One thing that is due happens: requests that end come before wakes. Whether anything was. A wake takes a draw.
    pub fn fire(&mut self, now: Now, draw: impl FnOnce() -> Draw, duties: &mut Vec<Duty>) -> bool {
        let ended = self.requests.iter().position(|request| request.due(now.mono) <= now.mono);
        if let Some(index) = ended {
            let Request { id: request, voter, connection, state, .. } = self.requests.remove(index);
            let why = match state {
                RequestState::Queued(_) => UnknownReason::NotSent,
                RequestState::Broken(why) => why,
                RequestState::Sent => {
                    self.after_timeout(voter, connection, duties);
                    UnknownReason::TimedOut
                }
            };
            self.feed(now, Input::Unknown { request, why }, duties);
            return true;
        }
        let Some(index) = self.wakes.iter().position(|(_, at)| *at <= now.mono) else { return false };
        let (reason, _) = self.wakes.remove(index);
        self.feed(now, Input::Wake { reason, draw: draw() }, duties);
        true
    }

    fn on_output(&mut self, now: Now, output: Output, duties: &mut Vec<Duty>) {
        match output {
            Output::Send { request: id, voter, connection, command, limit, label } => {
                let limit_at = now.mono + limit;
                let state = match self.link_mut(voter, connection) {
                    Some(link) if link.open => {
                        link.sent.push_back(id);
                        duties.push(Duty::Send { voter, connection, command, label });
                        RequestState::Sent
                    }
                    Some(_) => RequestState::Queued(command),
                    None => {
                        self.connect(voter, connection, duties);
                        RequestState::Queued(command)
                    }
                };
                let at = self.requests.partition_point(|known| known.voter <= voter);
                self.requests.insert(at, Request { id, voter, connection, label, limit_at, state });
            }
            Output::Connect { voter, connection } => {
                if self.link_mut(voter, connection).is_none() {
                    self.connect(voter, connection, duties);
                }
            }
            Output::Wake { at, reason } => {
                self.quiet(reason);
                self.wakes.push((reason, at));
                self.wakes.sort_unstable();
            }
            Output::Quiet { reason } => self.quiet(reason),
            Output::Attempt { .. }
            | Output::Granted { .. }
            | Output::Refused { .. }
            | Output::Extended { .. }
            | Output::ExtendFailed { .. }
            | Output::Checked { .. }
            | Output::Released { .. }
            | Output::Lost { .. } => duties.push(Duty::Tell(output)),
        }
    }

    fn quiet(&mut self, reason: WakeReason) {
        self.wakes.retain(|(known, _)| *known != reason);
    }

    fn take(&mut self, request: RequestId) -> Option<Request> {
        let index = self.requests.iter().position(|known| known.id == request)?;
        Some(self.requests.remove(index))
    }

    fn link_mut(&mut self, voter: VoterId, connection: ConnectionId) -> Option<&mut Link> {
        self.links.iter_mut().find(|link| (link.voter, link.connection) == (voter, connection))
    }

    fn connect(&mut self, voter: VoterId, connection: ConnectionId, duties: &mut Vec<Duty>) {
        self.links.push(Link { voter, connection, open: false, sent: VecDeque::new() });
        duties.push(Duty::Connect { voter, connection });
    }

    /// A connection is gone: what was sent on it will not be answered, and what waited for it was never sent.
    fn forget(&mut self, voter: VoterId, connection: ConnectionId) {
        self.links.retain(|link| (link.voter, link.connection) != (voter, connection));
        let own = |request: &&mut Request| (request.voter, request.connection) == (voter, connection);
        for request in self.requests.iter_mut().filter(own) {
            let why = match request.state {
                RequestState::Queued(_) => UnknownReason::NotSent,
                RequestState::Sent => UnknownReason::Disconnected,
                RequestState::Broken(why) => why,
            };
            request.state = RequestState::Broken(why);
        }
    }

    /// A driver that blocks gives up the connection: whatever else it waits for on it will not be answered.
    fn after_timeout(&mut self, voter: VoterId, connection: ConnectionId, duties: &mut Vec<Duty>) {
        if self.on_timeout == OnTimeout::Reconnect && self.link_mut(voter, connection).is_some() {
            self.forget(voter, connection);
            duties.push(Duty::HangUp { voter, connection });
        }
    }

    /// What waited for a connection goes out on it.
    fn send_queued(&mut self, voter: VoterId, connection: ConnectionId, duties: &mut Vec<Duty>) {
        let Some(link) =
            self.links.iter_mut().find(|link| (link.voter, link.connection) == (voter, connection))
        else {
            return;
        };
        let own = |request: &&mut Request| (request.voter, request.connection) == (voter, connection);
        for request in self.requests.iter_mut().filter(own) {
            let RequestState::Queued(command) = &request.state else { continue };
            link.sent.push_back(request.id);
            duties.push(Duty::Send { voter, connection, command: command.clone(), label: request.label });
            request.state = RequestState::Sent;
        }
    }
}

impl Request {
    fn due(&self, now: MonoTime) -> MonoTime {
        match self.state {
            RequestState::Queued(_) | RequestState::Sent => self.limit_at,
            RequestState::Broken(_) => now,
        }
    }
}
