//! What a client's driver keeps for its core: requests not yet answered, and wakes.
//!
//! It answers each request exactly once. Must not send: `client.rs` does, through the world's links.

use super::lane::{canonical_reply, voter_of};
use super::setup::OfflineQueue;
use crate::canon::{Canon, IdKind};
use crate::lock::{ConnectionId, Label, RequestId, UnknownReason, WakeReason};
use crate::name::{CallId, ClientId, MessageName, VoterId};
use crate::resp::{Command, Reply};
use crate::time::{MonoTime, Span};
use smallvec::SmallVec;

/// A request not yet answered to the core.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pending {
    pub(crate) request: RequestId,
    pub(crate) voter: VoterId,
    pub(crate) connection: ConnectionId,
    pub(crate) label: Label,
    pub(crate) name: MessageName,
    pub(crate) limit_at: MonoTime,
    pub(crate) state: PendingState,
}

/// How far a request has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PendingState {
    /// Waits for its worker to run before it is sent.
    Unsent(Errand),
    /// Waits for its connection to open.
    Queued(Errand),
    /// Was sent.
    Sent,
    /// Its answer is here, but the worker whose request it was is paused.
    Answered(Reply),
    /// It will not be answered, which the worker is about to learn.
    Broken(UnknownReason),
    /// The core was told that it is unknown, and it still waits for its connection: only drivers with an offline queue
    /// keep such.
    Kept(Errand),
}

/// A command and the acquire call on whose behalf it goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Errand {
    pub(crate) command: Command,
    pub(crate) by: CallId,
}

/// How many handshakes there were, by voter and connection.
pub(crate) type Handshakes = SmallVec<[(VoterId, ConnectionId, u32); 5]>;

/// A connection that a driver with an offline queue opens again by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Redial {
    pub(crate) voter: VoterId,
    pub(crate) connection: ConnectionId,
    /// When; `None` while a handshake is under way.
    pub(crate) at: Option<MonoTime>,
    /// How many handshakes have failed, as far as that decides anything.
    times: u8,
}

impl Redial {
    /// **Source** ioredis 5, `retryStrategy`: 50 ms more each time, 2 s at most.
    const STEP: Span = Span::from_ms(50);
    const MOST: u8 = 40;
}

/// The driver of one client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Driver {
    pub(crate) pending: Vec<Pending>,
    pub(crate) wakes: SmallVec<[(WakeReason, MonoTime); 2]>,
    /// Handshakes with each voter over the incarnation, whichever of its nodes was meant.
    pub(crate) connects: Handshakes,
    /// What it opens again by itself; empty without an offline queue.
    pub(crate) redials: Vec<Redial>,
}

impl Pending {
    /// Whether it is this request, and the core waits for its answer.
    fn is_open(&self, request: RequestId) -> bool {
        self.request == request && !matches!(self.state, PendingState::Kept(_))
    }
}

impl Driver {
    pub(crate) fn new() -> Self {
        let (wakes, connects) = (SmallVec::new(), SmallVec::new());
        Self { pending: Vec::new(), wakes, connects, redials: Vec::new() }
    }

    pub(crate) fn set_wake(&mut self, reason: WakeReason, at: MonoTime) {
        self.quiet(reason);
        self.wakes.push((reason, at));
        self.wakes.sort_unstable();
    }

    pub(crate) fn quiet(&mut self, reason: WakeReason) {
        self.wakes.retain(|(known, _)| *known != reason);
    }

    /// Keeps a request until it is answered: by voter, then by age, which is the order in which requests that end
    /// at one instant do.
    pub(crate) fn keep(&mut self, pending: Pending) {
        let at = self.pending.partition_point(|known| known.voter <= pending.voter);
        self.pending.insert(at, pending);
    }

    pub(crate) fn find(&mut self, request: RequestId) -> Option<&mut Pending> {
        self.pending.iter_mut().find(|pending| pending.is_open(request))
    }

    pub(crate) fn take(&mut self, request: RequestId) -> Option<Pending> {
        let index = self.pending.iter().position(|pending| pending.is_open(request))?;
        Some(self.pending.remove(index))
    }

    /// Whether a request still waits for its connection.
    pub(crate) fn is_queued(&mut self, request: RequestId) -> bool {
        self.find(request).is_some_and(|pending| matches!(pending.state, PendingState::Queued(_)))
    }

    /// A request that still waits for its connection is unknown to the core, and is kept to be sent all the same.
    pub(crate) fn keep_unknown(&mut self, request: RequestId) {
        let Some(pending) = self.find(request) else { return };
        if let PendingState::Queued(errand) = &pending.state {
            pending.state = PendingState::Kept(errand.clone());
        }
    }

    /// The number of the next handshake of this connection, from 1.
    pub(crate) fn next_connect(&mut self, voter: VoterId, connection: ConnectionId) -> u32 {
        let own = |known: &&mut (VoterId, ConnectionId, u32)| (known.0, known.1) == (voter, connection);
        if let Some((_, _, count)) = self.connects.iter_mut().find(own) {
            *count += 1;
            return *count;
        }
        self.connects.push((voter, connection, 1));
        1
    }

    /// A connection is gone: what was sent on it will not be answered, and what waited for it to open was never sent
    /// and is given up, or waits on.
    pub(crate) fn break_all(&mut self, voter: VoterId, connection: ConnectionId, queue: OfflineQueue) {
        let own = |pending: &&mut Pending| (pending.voter, pending.connection) == (voter, connection);
        for pending in self.pending.iter_mut().filter(own) {
            let why = match (&pending.state, queue) {
                (PendingState::Queued(_), OfflineQueue::Off) => UnknownReason::NotSent,
                (PendingState::Sent, _) => UnknownReason::Disconnected,
                (
                    PendingState::Queued(_)
                    | PendingState::Unsent(_)
                    | PendingState::Answered(_)
                    | PendingState::Broken(_)
                    | PendingState::Kept(_),
                    _,
                ) => continue,
            };
            pending.state = PendingState::Broken(why);
        }
    }

    /// Opens a broken connection again after a while, if anything waits for it.
    pub(crate) fn plan_redial(&mut self, voter: VoterId, connection: ConnectionId, now: MonoTime) {
        let waits = self.pending.iter().any(|pending| {
            (pending.voter, pending.connection) == (voter, connection)
                && matches!(pending.state, PendingState::Queued(_) | PendingState::Kept(_))
        });
        if !waits {
            return self.end_redial(voter, connection);
        }
        let redial = match self.redial_mut(voter, connection) {
            Some(redial) => redial,
            None => {
                self.redials.push(Redial { voter, connection, at: None, times: 0 });
                self.redials.sort_unstable_by_key(|known| (known.voter, known.connection));
                let added = self.redial_mut(voter, connection);
                added.expect("it was just added")
            }
        };
        redial.times = (redial.times + 1).min(Redial::MOST);
        redial.at = Some(now + Span(Redial::STEP.0 * i64::from(redial.times)));
    }

    /// Whether this connection is to be opened again later.
    pub(crate) fn will_redial(&self, voter: VoterId, connection: ConnectionId) -> bool {
        let own = |known: &Redial| (known.voter, known.connection) == (voter, connection);
        self.redials.iter().any(|known| own(known) && known.at.is_some())
    }

    pub(crate) fn redial_mut(&mut self, voter: VoterId, connection: ConnectionId) -> Option<&mut Redial> {
        self.redials.iter_mut().find(|known| (known.voter, known.connection) == (voter, connection))
    }

    /// The connection is open, or nothing waits for it.
    pub(crate) fn end_redial(&mut self, voter: VoterId, connection: ConnectionId) {
        self.redials.retain(|known| (known.voter, known.connection) != (voter, connection));
    }

    /// Visits all but the handshakes, which are numbered with the lanes.
    pub(crate) fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        for pending in &mut self.pending {
            canon.voter(&mut pending.voter);
        }
        // Stable: a request's number says nothing of its age once it was renamed.
        self.pending.sort_by_key(|pending| pending.voter);
        for pending in &mut self.pending {
            canon.id(IdKind::Request(client), &mut pending.request.0);
            canon.mono_deadline(&mut pending.limit_at);
            canon.id(IdKind::Operation(client, pending.label.operation), &mut pending.label.number);
            pending.name = pending.name.unnumbered();
            if let Some(voter) = voter_of(&mut pending.name.route) {
                canon.voter(voter);
            }
            match &mut pending.state {
                PendingState::Unsent(errand) | PendingState::Queued(errand) | PendingState::Kept(errand) => {
                    errand.command.replace(|word| canon.renamed(word));
                    canon.call(&mut errand.by);
                }
                PendingState::Answered(reply) => canonical_reply(reply, canon),
                PendingState::Sent | PendingState::Broken(_) => {}
            }
        }
        for (_, at) in &mut self.wakes {
            canon.mono_deadline(at);
        }
        for redial in &mut self.redials {
            canon.voter(&mut redial.voter);
            if let Some(at) = &mut redial.at {
                canon.mono_deadline(at);
            }
        }
        self.redials.sort_unstable_by_key(|known| (known.voter, known.connection));
    }
}
