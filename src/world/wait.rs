//! WAIT and ROLE: the two commands that a server cannot answer alone.
//!
//! A connection that waits handles nothing else. What it waits for is the place of the stream after the last command
//! of its own, of any kind. Must not execute anything else.
//!
//! **Source** Redis 7.0.15, `WAIT`, `ROLE`.

use super::event::{ParcelKind, Trail};
use super::feed::{Link, Load};
use super::group::Part;
use super::lane::{Body, LaneId, Links};
use super::state::World;
use crate::canon::{Canon, IdKind};
use crate::lock::RequestId;
use crate::name::{MessageName, NodeId, Process};
use crate::redis::wait_arguments;
use crate::resp::{Command, Reply};
use crate::time::UnixMs;

/// What a blocked connection is told when its server becomes a replica.
const UNBLOCKED: &str =
    "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)";

/// A connection blocked in WAIT.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Waiting {
    pub(super) lane: LaneId,
    name: MessageName,
    request: RequestId,
    /// The place in the stream that must have been acknowledged.
    pub(super) target: u32,
    /// By how many replicas.
    wanted: i64,
    /// The last millisecond of the wait, on the server's wall clock.
    pub(super) until: Option<UnixMs>,
}

impl Waiting {
    /// Visited before the connections are renumbered, whose new numbers it takes over. Nobody hears an answer on one
    /// that is gone or was given up.
    pub(super) fn canonical(&mut self, canon: &mut Canon, lanes: &Links) {
        let client = self.name.client;
        self.name = self.name.unnumbered();
        let number = lanes.canonical_number(self.lane);
        (self.lane.number, self.lane.incarnation) = (number.unwrap_or(0), 1);
        match number {
            Some(_) => canon.id(IdKind::Request(client), &mut self.request.0),
            None => self.request.0 = 0,
        }
        if let Some(until) = &mut self.until {
            canon.unix_deadline(until);
        }
    }
}

impl World {
    /// Whether a connection is blocked.
    pub(crate) fn is_waiting(&self, lane: LaneId) -> bool {
        let Process::Node(node) = lane.peer else { return false };
        if self.seats.is_blocked(lane) {
            return true;
        }
        self.lead(node).is_some_and(|lead| lead.waits.iter().any(|waiting| waiting.lane == lane))
    }

    /// Executes WAIT. `None`: the connection is blocked.
    pub(super) fn wait(
        &mut self,
        node: NodeId,
        (lane, name, request): (LaneId, MessageName, RequestId),
        command: &Command,
        out: &mut Trail,
    ) -> Option<Reply> {
        let wall = self.redis(node).clocks.now(self.now).wall;
        let (wanted, timeout) = match wait_arguments(wall, command) {
            Ok(arguments) => arguments,
            Err(reply) => return Some(reply),
        };
        self.know_groups();
        let target = self.links.get(lane).map_or(0, |lane| lane.offset);
        let count = self.count_acked(node, target);
        if count >= wanted {
            return Some(Reply::Int(count));
        }
        let until = (timeout > 0).then(|| UnixMs(wall.unix_ms().0 + timeout));
        let lead = self.lead_mut(node)?;
        lead.waits.push(Waiting { lane, name, request, target, wanted, until });
        lead.asks += 1;
        let asks = lead.asks;
        out.nodes.push(node);
        for stream in self.connected(node) {
            self.push(stream, ParcelKind::AskAck, asks, Load::Bare, out);
        }
        None
    }

    fn count_acked(&self, node: NodeId, target: u32) -> i64 {
        let acked = |stream: &_| self.feed(*stream).is_some_and(|feed| feed.acked >= target);
        let ghosts = self.ghosts(node).filter(|ghost| ghost.acked >= target);
        (self.connected(node).iter().filter(|stream| acked(stream)).count() + ghosts.count()) as i64
    }

    /// An acknowledgement came: whoever waited for no more is answered.
    pub(super) fn settle_waits(&mut self, node: NodeId, out: &mut Trail) {
        self.end_waits(
            node,
            |world, waiting| {
                let count = world.count_acked(node, waiting.target);
                (count >= waiting.wanted).then_some(Reply::Int(count))
            },
            out,
        );
    }

    /// Whoever has waited long enough is answered.
    pub(super) fn give_up_waits(&mut self, node: NodeId, out: &mut Trail) {
        let now = self.redis(node).clocks.now(self.now).wall.unix_ms();
        self.end_waits(
            node,
            |world, waiting| {
                let over = waiting.until.is_some_and(|until| now > until);
                over.then(|| Reply::Int(world.count_acked(node, waiting.target)))
            },
            out,
        );
    }

    /// The server becomes a replica: whoever waits is told so. Returns their connections, which break.
    pub(super) fn unblock_waits(&mut self, node: NodeId, out: &mut Trail) -> Vec<LaneId> {
        let mut lanes = self.end_waits(node, |_, _| Some(Reply::error(UNBLOCKED)), out);
        lanes.extend(self.unblock_items(node, UNBLOCKED, out));
        lanes
    }

    fn end_waits(
        &mut self,
        node: NodeId,
        answer: impl Fn(&Self, &Waiting) -> Option<Reply>,
        out: &mut Trail,
    ) -> Vec<LaneId> {
        let waits = match self.lead_mut(node) {
            Some(lead) if !lead.waits.is_empty() => std::mem::take(&mut lead.waits),
            Some(_) | None => return Vec::new(),
        };
        let mut ended = Vec::new();
        for waiting in waits {
            match answer(self, &waiting) {
                Some(reply) => {
                    self.answer_wait(node, &waiting, reply, out);
                    ended.push(waiting.lane);
                }
                None => {
                    if let Some(lead) = self.lead_mut(node) {
                        lead.waits.push(waiting);
                    }
                }
            }
        }
        ended
    }

    /// Nobody is answered on a connection that is gone.
    fn answer_wait(&mut self, node: NodeId, waiting: &Waiting, reply: Reply, out: &mut Trail) {
        out.unblocked = true;
        out.nodes.push(node);
        if self.links.get(waiting.lane).is_none_or(|lane| lane.torn.is_some()) {
            return;
        }
        let now = self.redis(node).clocks.now(self.now);
        let body = Body::Answer { request: waiting.request, reply };
        self.transmit(Process::Node(node), now, waiting.lane, waiting.name.reply(), body, out);
    }

    /// A connection has executed a command: its next WAIT waits for what the stream holds now.
    pub(super) fn note_offset(&mut self, node: NodeId, lane: LaneId) {
        let Some(offset) = self.member(node).map(|member| member.offset) else { return };
        if let Some(lane) = self.links.get_mut(lane) {
            lane.offset = offset;
        }
    }

    /// Answers ROLE. Places in the stream count entries; addresses are names.
    pub(super) fn role(&self, node: NodeId) -> Reply {
        let bulk = |text: String| Reply::Bulk(text.into());
        let port = 6_379;
        let offset = self.member(node).map_or(0, |member| i64::from(member.offset));
        let feed = self.member(node).and_then(|member| match &member.part {
            Part::Primary(_) => None,
            Part::Replica(feed) => Some(feed),
        });
        let Some(feed) = feed else {
            let connected = self.connected(node).into_iter();
            let acked = |stream| self.feed(stream).map_or(0, |feed| feed.acked);
            let connected = connected.map(|stream| (stream.to, acked(stream)));
            let replica = |(to, acked): (u8, u32)| {
                let words = [NodeId { member: to, ..node }.to_string(), port.to_string(), acked.to_string()];
                Reply::Array(words.into_iter().map(bulk).collect())
            };
            let ghosts = self.ghosts(node).map(|ghost| (ghost.to, ghost.acked));
            let replicas = connected.chain(ghosts).map(replica).collect();
            return Reply::Array(vec![bulk("master".into()), Reply::Int(offset), Reply::Array(replicas)]);
        };
        let (state, offset) = match feed.link {
            Link::Down | Link::Closing => ("connect", -1),
            Link::Asking => ("connecting", -1),
            Link::Loading => ("sync", -1),
            Link::Up => ("connected", offset),
        };
        let primary = NodeId { member: feed.from, ..node };
        Reply::Array(vec![
            bulk("slave".into()),
            bulk(primary.to_string()),
            Reply::Int(port),
            bulk(state.into()),
            Reply::Int(offset),
        ])
    }

    /// The first moment at which somebody has waited long enough.
    pub(super) fn next_give_up(&self, node: NodeId) -> Option<UnixMs> {
        let waits = self.lead(node).into_iter().flat_map(|lead| &lead.waits);
        waits.filter_map(|waiting| waiting.until).chain(self.next_give_up_item(node)).min()
    }
}
