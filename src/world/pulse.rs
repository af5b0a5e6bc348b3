//! When the timers of a node are due: active expiry, acknowledgements, the end of a WAIT.
//!
//! Must not fire them: `replica.rs` and `wait.rs` do. A server that stands still fires nothing until it goes on.

use super::event::NodeTimer;
use super::feed::Link;
use super::group::Part;
use super::state::World;
use crate::name::NodeId;
use crate::time::{MonoTime, Span, WorldTime};

/// How often a server looks for expired keys.
///
/// **Source** Redis 7.0.15, `serverCron` with `hz 10`; with few keys one look deletes all.
const TICK: Span = Span::from_ms(100);

impl World {
    /// The timer of a node that is due next, and when.
    pub(super) fn next_node_timer(&self, node: NodeId) -> Option<(WorldTime, NodeTimer)> {
        let server = self.redis(node);
        if !server.is_up() || server.pauses > 0 {
            return None;
        }
        let expire = self.next_expire(node).map(|at| (at, NodeTimer::Expire));
        let acknowledge = self.next_acknowledge(node).map(|at| (at, NodeTimer::Acknowledge));
        let give_up = self.next_give_up(node).and_then(|until| server.clocks.key_gone(until, self.now));
        let give_up = give_up.map(|at| (at, NodeTimer::GiveUp));
        [expire, acknowledge, give_up].into_iter().flatten().min()
    }

    /// The first whole 100 ms of its monotonic clock at which a primary finds something expired.
    fn next_expire(&self, node: NodeId) -> Option<WorldTime> {
        let server = self.redis(node);
        if !server.tells_expiry() || !self.is_primary(node) || server.node.is_busy() {
            return None;
        }
        let gone = server.clocks.key_gone(server.node.next_expiry()?, self.now)?;
        let mono = server.clocks.now(gone).mono;
        let tick = MonoTime((mono.0 + TICK.0 - 1).div_euclid(TICK.0) * TICK.0);
        server.clocks.mono_reaches(tick, self.now)
    }

    /// Where nobody counts acknowledgements, nobody sees them: then a replica sends none by itself.
    fn next_acknowledge(&self, node: NodeId) -> Option<WorldTime> {
        if !self.is_counted(node) {
            return None;
        }
        match &self.member(node)?.part {
            Part::Primary(_) => None,
            Part::Replica(feed) => match feed.link {
                Link::Up => self.redis(node).clocks.mono_reaches(feed.beat, self.now),
                Link::Down | Link::Asking | Link::Loading | Link::Closing => None,
            },
        }
    }
}
