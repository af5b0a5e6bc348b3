//! A node executes a command: what it answers, when, and what follows for other connections.
//!
//! A part of [`super::system`]. Whoever waits for an item of a list is served once the command, script or transaction
//! that brought it is over. Must not know what a command means: the node does.
//!
//! **Source** Redis 7.0.15.

use super::event::Trail;
use super::lane::LaneId;
use super::seat::{Asked, Seat};
use super::server::{Applied, Effect, Held};
use super::state::Stir;
use super::system::System;
use crate::history::{Fact, HoldChange};
use crate::lock::{LockCore, RequestId};
use crate::name::{CallId, CommandName, MessageName, NodeId, Process, Route};
use crate::redis::{Answer, Entry, Log};
use crate::resp::{Command, Reply};
use bytes::Bytes;

/// A command that a node has executed, and the lock key there before it.
struct Done {
    node: NodeId,
    name: MessageName,
    by: CallId,
    before: Option<Held>,
}

impl<C: LockCore> System<C> {
    /// Executes a command, and says what it did. `None`: the connection is blocked, and will be answered later.
    pub(super) fn apply(
        &mut self,
        node: NodeId,
        (lane, name, request): (LaneId, MessageName, RequestId),
        command: &Command,
        by: CallId,
        out: &mut Trail,
    ) -> (Option<Reply>, Log) {
        if let Some(text) = self.world.error_of(node) {
            return (Some(Reply::Error(text)), Log::default());
        }
        self.world.refresh_good(node, out);
        let at = self.world.now;
        let before = self.world.redis(node).held.clone();
        let (mut session, audience) = (self.world.seats.take(lane), self.world.audience(node));
        let (key, server) = self.world.key_and_redis_mut(node);
        let Applied { answer, effects, entry, log } =
            server.apply(at, key, by, command, (&mut session, &audience));
        let asked = session.is_blocked().then_some(Asked { name, request, by });
        self.world.seats.put(lane, session, asked);
        self.world.notice(node, &log);
        let done = Done { node, name, by, before };
        self.note_applied(&done, effects.is_empty(), entry, out);
        let Route::Command { command: kind, .. } = name.route else {
            unreachable!("a command has its route")
        };
        let reply = match (kind, answer) {
            (_, Answer::Blocked) => {
                out.nodes.push(node);
                self.world.record(Process::Node(node), Fact::Blocked { name }, out);
                None
            }
            (CommandName::Wait, Answer::Now(Reply::Int(_))) => {
                self.world.wait(node, (lane, name, request), command, out)
            }
            (CommandName::Role, Answer::Now(Reply::Array(_))) => Some(self.world.role(node)),
            (_, Answer::Now(reply)) => Some(reply),
        };
        self.world.note_offset(node, lane);
        self.note_effects(&done, effects, out);
        (reply, log)
    }

    /// What follows a command: messages of channels go out, then whoever waits for an item of a list is served.
    pub(super) fn after_command(&mut self, node: NodeId, name: MessageName, log: &Log, out: &mut Trail) {
        for message in &log.published {
            let hearers = self.world.push_message(node, message, out);
            self.world.record(Process::Node(node), Fact::Published { name, hearers }, out);
        }
        if self.world.seats.is_empty() {
            return;
        }
        for change in &log.changes {
            while self.serve_waiting(node, &change.key, out) {}
        }
    }

    /// Gives the connection that has waited longest for an item of a list the next one, if there are both.
    fn serve_waiting(&mut self, node: NodeId, list: &Bytes, out: &mut Trail) -> bool {
        let at = self.world.now;
        let before = self.world.redis(node).held.clone();
        let Some(place) = self.world.seats.first_waiting(node, list) else { return false };
        let mut seat = self.world.seats.remove(place);
        let (key, server) = self.world.key_and_redis_mut(node);
        let popped = server.pop_for(at, key, list, &mut seat.session);
        let (Some(asked), Some(applied)) = (seat.asked.clone(), popped) else {
            self.world.seats.put_back(place, seat);
            return false;
        };
        let Applied { answer, effects, entry, log } = applied;
        let Answer::Now(reply) = answer else { unreachable!("whoever is served is answered") };
        let Seat { lane, session, asked: _ } = seat;
        self.world.seats.put(lane, session, None);
        self.world.notice(node, &log);
        let done = Done { node, name: asked.name, by: asked.by, before };
        self.note_applied(&done, effects.is_empty(), entry, out);
        self.world.note_offset(node, lane);
        self.note_effects(&done, effects, out);
        self.world.answer_late(node, lane, &asked, reply, out);
        true
    }

    fn note_applied(&mut self, done: &Done, without_effect: bool, entry: Option<Entry>, out: &mut Trail) {
        let Done { node, name, by, before: _ } = *done;
        if without_effect {
            self.world.record(Process::Node(node), Fact::Applied { name, by, change: None }, out);
        }
        self.world.spread(node, entry, out);
    }

    /// What a command did to the lock key.
    fn note_effects(&mut self, done: &Done, effects: Vec<Effect>, out: &mut Trail) {
        let Done { node, name, by, ref before } = *done;
        let Route::Command { operation, .. } = name.route else { unreachable!("a command has its route") };
        for effect in effects {
            let whose = effect.owner.map(|owner| self.whose(by, owner, before.as_ref(), node));
            let (owner, compatible) = (whose.map(|(owner, _)| owner), whose.is_some_and(|(_, left)| left));
            let change = HoldChange { operation, effect: effect.effect, owner, compatible };
            if effect.effect.takes(operation) {
                self.clients[usize::from(by.client.0)].wrote |=
                    self.clients[usize::from(by.client.0)].call() == by;
            }
            self.world.record(Process::Node(node), Fact::Applied { name, by, change: Some(change) }, out);
        }
        if self.world.redis(node).held != *before {
            // What others count on may be over: nobody else holds, a life that remains.
            if !self.world.ledger.watches.running.is_empty() {
                self.world.ledger.watches.outdate(by.client);
                self.world.review = true;
            }
            self.world.stirred = Some(Stir::Command(by));
            self.world.facts_stale();
        }
    }
}
