//! The figures of one run: what it took to get the lock, and what it was worth.
//!
//! Folded from records while they happen. Must not judge, and must stay cheap: it sees every record.

use crate::history::{Access, Fact, Record};
use crate::name::{CallId, Direction, Operation, Route};
use crate::time::{Span, WorldTime};

/// Counts and latencies of one run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Figures {
    /// Calls of acquire that began.
    pub calls: u64,
    /// Calls that were granted; each is one grant.
    pub grants: u64,
    /// Requests that clients sent to nodes for acquire operations, cleanup of failed attempts included; no
    /// handshakes, no replies.
    pub messages: u64,
    /// Per grant, in order, the world's time from the beginning of its call to the decision.
    pub latencies: Vec<Span>,
    /// Orders beyond the stock at the start; 0 without the workload `stock`.
    pub oversold: u64,
    /// Calls that have not ended yet.
    open: Vec<(CallId, WorldTime)>,
}

impl Figures {
    pub(super) fn new() -> Self {
        Self { calls: 0, grants: 0, messages: 0, latencies: Vec::new(), oversold: 0, open: Vec::new() }
    }

    #[inline]
    pub(super) fn on_record(&mut self, record: &Record) {
        if let Fact::Sent { name } = &record.fact {
            let asks = matches!(name.route, Route::Command { operation: Operation::Acquire, .. });
            self.messages += u64::from(asks && name.direction == Direction::Request);
        } else if let Fact::AcquireBegan { call } = record.fact {
            self.calls += 1;
            // A crash may have ended the client's earlier call without a word.
            self.open.retain(|(open, _)| open.client != call.client);
            self.open.push((call, record.at));
        } else if let Fact::Granted { call, .. } = record.fact {
            self.grants += 1;
            if let Some(at) = self.open.iter().position(|(open, _)| *open == call) {
                self.latencies.push(record.at - self.open.swap_remove(at).1);
            }
        } else if let Fact::StoreWrite {
            accepted: true,
            access: Access::Buy { left, orders, start, .. },
            ..
        } = record.fact
        {
            self.oversold = left.saturating_add(orders).saturating_sub(start).max(0).unsigned_abs();
        }
    }
}
