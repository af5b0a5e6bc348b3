//! The nodes of one voter: who is primary, who follows whom, who is connected.
//!
//! State and questions about it only: `replica.rs` says what travels between the nodes, `failover.rs` changes their parts.

use super::event::StreamId;
use super::feed::Feed;
use super::good::Good;
use super::lane::{Lane, Links};
use super::setup::Setup;
use super::state::World;
use super::wait::Waiting;
use crate::canon::Canon;
use crate::name::{NodeId, Process, VoterId};
use crate::time::{MonoTime, Now, Span, WallTime};

/// How long a primary and a replica that do not hear of each other take the link for alive.
///
/// **Source** Redis 7.0, `repl-timeout`.
const SILENCE: Span = Span::from_ms(60_000);

/// The nodes of one voter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Group {
    /// The member that was promoted last.
    pub(super) primary: u8,
    pub(super) promotions: u32,
    pub(super) members: Vec<Member>,
}

/// A node's part in its group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Member {
    pub(super) part: Part,
    /// How many entries of its stream it has made, or applied.
    pub(super) offset: u32,
}

/// What a node is in its group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// A primary, present or stale.
    Primary(Lead),
    /// A replica.
    Replica(Feed),
}

/// What a primary keeps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lead {
    pub(super) waits: Vec<Waiting>,
    /// How often it has asked its replicas how far they have come.
    pub(super) asks: u32,
    pub(super) good: Good,
    pub(super) ghosts: Vec<Ghost>,
}

/// A connection that its replica has closed behind a silent cut: the primary still believes in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ghost {
    pub(super) to: u8,
    pub(super) acked: u32,
    pub(super) acked_s: i64,
    /// Since when it is silent, on the primary's wall clock.
    pub(super) since: WallTime,
}

impl Lead {
    pub(super) fn new() -> Self {
        Self { waits: Vec::new(), asks: 0, good: Good::unknown(), ghosts: Vec::new() }
    }
}

impl Group {
    /// Every place in the stream that its nodes know of.
    fn places(&mut self) -> impl Iterator<Item = &mut u32> {
        self.members.iter_mut().flat_map(|member| {
            let known: Box<dyn Iterator<Item = &mut u32>> = match &mut member.part {
                Part::Primary(lead) => {
                    let ghosts = lead.ghosts.iter_mut().map(|ghost| &mut ghost.acked);
                    Box::new(lead.waits.iter_mut().map(|waiting| &mut waiting.target).chain(ghosts))
                }
                Part::Replica(feed) => Box::new(feed.places()),
            };
            known.chain(std::iter::once(&mut member.offset))
        })
    }

    /// Visits the links and the waits of a voter; `before` are its nodes' clocks before the pass. Places in the
    /// stream are only ever compared, so each becomes its rank among those that anybody still knows of; 0, where nothing
    /// is, stays.
    ///
    /// What happens at whole seconds of a clock is not told apart by when that will be.
    pub(super) fn canonical(&mut self, canon: &mut Canon, before: &[Now], lanes: &mut Links, voter: VoterId) {
        for (member, before) in self.members.iter_mut().zip(before) {
            canon.revisit(*before);
            match &mut member.part {
                Part::Primary(lead) => {
                    lead.asks = 0;
                    lead.good.canonical(canon);
                    lead.waits.iter_mut().for_each(|waiting| waiting.canonical(canon, lanes));
                    lead.ghosts.iter_mut().for_each(|ghost| canon.wall_moment(&mut ghost.since));
                }
                Part::Replica(feed) => feed.canonical(canon),
            }
        }
        self.promotions = 0;
        let ends = |lane: &&mut Lane| matches!(lane.id.peer, Process::Node(node) if node.voter == voter);
        let own = lanes.iter_mut().filter(ends).map(|lane| &mut lane.offset);
        let mut places: Vec<&mut u32> = self.places().chain(own).filter(|place| **place > 0).collect();
        let mut known: Vec<u32> = places.iter().map(|place| **place).collect();
        known.sort_unstable();
        known.dedup();
        for place in &mut places {
            **place = known.partition_point(|other| other < place) as u32 + 1;
        }
    }
}

impl World {
    /// The groups at the start: every replica is in step.
    pub(super) fn all_groups(setup: &Setup, beat: impl Fn(NodeId) -> (i64, MonoTime)) -> Vec<Group> {
        let group = |(index, node): (usize, &super::setup::NodeSetup)| {
            let voter = VoterId(index as u8);
            let primary = Member { part: Part::Primary(Lead::new()), offset: 0 };
            let replicas = (1..=node.replicas.len() as u8).map(|member| {
                let (acked_s, beat) = beat(NodeId { voter, member });
                Member { part: Part::Replica(Feed::in_step(0, acked_s, beat)), offset: 0 }
            });
            Group { primary: 0, promotions: 0, members: std::iter::once(primary).chain(replicas).collect() }
        };
        setup.nodes.iter().enumerate().map(group).collect()
    }

    pub(super) fn member(&self, node: NodeId) -> Option<&Member> {
        self.groups.get(usize::from(node.voter.0))?.members.get(usize::from(node.member))
    }

    pub(super) fn member_mut(&mut self, node: NodeId) -> Option<&mut Member> {
        self.groups.get_mut(usize::from(node.voter.0))?.members.get_mut(usize::from(node.member))
    }

    pub(super) fn lead(&self, node: NodeId) -> Option<&Lead> {
        match &self.member(node)?.part {
            Part::Primary(lead) => Some(lead),
            Part::Replica(_) => None,
        }
    }

    pub(super) fn lead_mut(&mut self, node: NodeId) -> Option<&mut Lead> {
        match &mut self.member_mut(node)?.part {
            Part::Primary(lead) => Some(lead),
            Part::Replica(_) => None,
        }
    }

    /// Whether a node is a primary, present or stale.
    pub(crate) fn is_primary(&self, node: NodeId) -> bool {
        self.groups.is_empty() || self.lead(node).is_some()
    }

    /// The primary of a voter since the last promotion.
    pub(crate) fn present_primary(&self, voter: VoterId) -> NodeId {
        let member = self.groups.get(usize::from(voter.0)).map_or(0, |group| group.primary);
        NodeId { voter, member }
    }

    pub(super) fn feed(&self, stream: StreamId) -> Option<&Feed> {
        match &self.member(stream.replica())?.part {
            Part::Replica(feed) if feed.from == stream.from => Some(feed),
            Part::Replica(_) | Part::Primary(_) => None,
        }
    }

    pub(super) fn feed_mut(&mut self, stream: StreamId) -> Option<&mut Feed> {
        match &mut self.member_mut(stream.replica())?.part {
            Part::Replica(feed) if feed.from == stream.from => Some(feed),
            Part::Replica(_) | Part::Primary(_) => None,
        }
    }

    /// The link of a replica.
    pub(super) fn stream_of(&self, node: NodeId) -> Option<StreamId> {
        match &self.member(node)?.part {
            Part::Replica(feed) => Some(StreamId { voter: node.voter, from: feed.from, to: node.member }),
            Part::Primary(_) => None,
        }
    }

    /// Every link of a voter.
    pub(super) fn streams(&self, voter: VoterId) -> Vec<StreamId> {
        let count = self.groups.get(usize::from(voter.0)).map_or(0, |group| group.members.len());
        (0..count as u8).filter_map(|member| self.stream_of(NodeId { voter, member })).collect()
    }

    /// The links of the replicas that follow a node.
    pub(super) fn followers(&self, node: NodeId) -> Vec<StreamId> {
        let mut streams = self.streams(node.voter);
        streams.retain(|stream| stream.from == node.member);
        streams
    }

    /// Those of them that the node counts as connected.
    pub(super) fn connected(&self, node: NodeId) -> Vec<StreamId> {
        let mut streams = self.followers(node);
        streams.retain(|stream| self.feed(*stream).is_some_and(Feed::is_online) && !self.has_lapsed(*stream));
        streams
    }

    /// The connections that a primary still believes in although their replicas have closed them.
    pub(super) fn ghosts(&self, node: NodeId) -> impl Iterator<Item = &Ghost> {
        let wall = self.redis(node).clocks.now(self.now).wall;
        let ghosts = self.lead(node).into_iter().flat_map(|lead| &lead.ghosts);
        ghosts.filter(move |ghost| wall - ghost.since <= SILENCE)
    }

    /// Whether a link is so long silent that its ends have given it up.
    pub(super) fn has_lapsed(&self, stream: StreamId) -> bool {
        let since = self.feed(stream).and_then(|feed| feed.silent_since);
        let wall = self.redis(stream.primary()).clocks.now(self.now).wall;
        since.is_some_and(|since| wall - since > SILENCE)
    }
}
