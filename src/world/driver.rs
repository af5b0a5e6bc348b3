//! What a client's driver keeps for its core: requests not yet answered, and wakes.
//!
//! It answers each request exactly once. Must not send: `client.rs` does, through the world's links.

use super::lane::canonical_reply;
use crate::canon::{Canon, IdKind};
use crate::lock::{Label, RequestId, UnknownReason, WakeReason};
use crate::name::{CallId, ClientId, MessageName, Route, VoterId};
use crate::resp::{Command, Reply};
use crate::time::MonoTime;
use smallvec::SmallVec;

/// A request not yet answered to the core.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pending {
    pub(crate) request: RequestId,
    pub(crate) voter: VoterId,
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
}

/// A command and the acquire call on whose behalf it goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Errand {
    pub(crate) command: Command,
    pub(crate) by: CallId,
}

/// How many handshakes there were, by voter.
pub(crate) type Handshakes = SmallVec<[(VoterId, u32); 5]>;

/// The driver of one client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Driver {
    pub(crate) pending: Vec<Pending>,
    pub(crate) wakes: SmallVec<[(WakeReason, MonoTime); 2]>,
    /// Handshakes with each voter over the incarnation, whichever of its nodes was meant.
    pub(crate) connects: Handshakes,
}

impl Driver {
    pub(crate) fn new() -> Self {
        Self { pending: Vec::new(), wakes: SmallVec::new(), connects: SmallVec::new() }
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
        self.pending.iter_mut().find(|pending| pending.request == request)
    }

    pub(crate) fn take(&mut self, request: RequestId) -> Option<Pending> {
        let index = self.pending.iter().position(|pending| pending.request == request)?;
        Some(self.pending.remove(index))
    }

    /// The number of the next handshake with this voter, from 1.
    pub(crate) fn next_connect(&mut self, voter: VoterId) -> u32 {
        if let Some((_, count)) = self.connects.iter_mut().find(|(known, _)| *known == voter) {
            *count += 1;
            return *count;
        }
        self.connects.push((voter, 1));
        1
    }

    /// The connection to this voter is gone: what was sent on it will not be answered, and what waited for it
    /// to open was never sent.
    pub(crate) fn break_all(&mut self, voter: VoterId) {
        for pending in self.pending.iter_mut().filter(|pending| pending.voter == voter) {
            let why = match pending.state {
                PendingState::Queued(_) => UnknownReason::NotSent,
                PendingState::Sent => UnknownReason::Disconnected,
                PendingState::Unsent(_) | PendingState::Answered(_) | PendingState::Broken(_) => continue,
            };
            pending.state = PendingState::Broken(why);
        }
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
            if let Route::Connect { voter, .. } | Route::Command { voter, .. } = &mut pending.name.route {
                canon.voter(voter);
            }
            match &mut pending.state {
                PendingState::Unsent(errand) | PendingState::Queued(errand) => {
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
    }
}
