//! Directives: what happens to one named message, and which of two things at one instant comes first.

use crate::name::{ClientId, MessageName, Process};
use crate::time::{Span, WorldTime};

/// What happens to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MessageDirective {
    /// Which.
    pub name: MessageName,
    /// What.
    pub fate: MessageFate,
}

/// What a directive does to its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageFate {
    /// It vanishes on the way; the connection stays.
    Lose,
    /// It takes this long instead of its drawn latency. Later messages of the same connection and direction
    /// wait behind it.
    Delay(Span),
}

/// At instant `at`, process `of` handles `first` before `then`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OrderDirective {
    /// The instant.
    pub at: WorldTime,
    /// Whose inbox.
    pub of: Process,
    /// What comes first.
    pub first: OrderTerm,
    /// What waits for it.
    pub then: OrderTerm,
}

/// One side of an order directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderTerm {
    /// Every queued message.
    Messages,
    /// Every due timer.
    Timers,
    /// This message.
    Message(MessageName),
}

/// A timer of a client that fires later than it is due. A kept plan, such as a prover's counterexample, says so
/// of each timer whose moment it chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Deferral {
    /// Whose.
    pub client: ClientId,
    /// Which of its firings, counted over the run from 1.
    pub firing: u32,
    /// Not before this time.
    pub until: WorldTime,
}
