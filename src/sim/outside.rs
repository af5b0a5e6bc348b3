//! What runs the code of clients that stand outside of the world, as the explorer sees it.
//!
//! The explorer lets each such client run up to the next event of the world, one after another, and takes over the first
//! that did anything. That is exact: whatever reaches a client because of another's deed travels over two messages, so
//! only clients that listen (to a channel, or for an item of a list) may be reached by what nobody has filed yet, and
//! those are let run in steps of the shortest such way. A fault of one client directly after what the code of another does
//! would come too late for one that has run ahead: whoever offers this door refuses such plans. Must not know how code is run.

use crate::name::ClientId;
use crate::time::{MonoTime, Now, WorldTime};
use crate::world::{Act, Arrival};

/// Runs code behind the ports of a world.
pub trait Outside {
    /// Lets the code of a client run. Its monotonic clock shows `now`: whatever was due before fires late. It runs until
    /// the clock is about to show `until`, or to the first moment before that at which it has done something: when that
    /// was, and what. A clock that runs fast skips readings: where it is to be exact to the microsecond, it is at the
    /// first moment at which `shows` says that a reading was reached, and by what.
    fn run(
        &mut self,
        client: ClientId,
        now: MonoTime,
        until: MonoTime,
        shows: &dyn Fn(MonoTime) -> MonoTime,
    ) -> Option<(MonoTime, Vec<Act>)>;

    /// Hands over what has reached a client at this moment, in order, or nothing; what its code does at this moment, with what
    /// is due at it.
    fn take(&mut self, client: ClientId, now: Now, arrivals: Vec<Arrival>) -> Vec<Act>;
}

/// Nobody: every client is the world's.
pub(crate) struct Nobody;

impl Outside for Nobody {
    fn run(
        &mut self,
        _: ClientId,
        _: MonoTime,
        _: MonoTime,
        _: &dyn Fn(MonoTime) -> MonoTime,
    ) -> Option<(MonoTime, Vec<Act>)> {
        None
    }

    fn take(&mut self, _: ClientId, _: Now, _: Vec<Arrival>) -> Vec<Act> {
        Vec::new()
    }
}

/// What one client outside has done that the world does not know yet, and what waits for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outsider {
    /// When, by its own clock, and what.
    pub(crate) done: Option<(MonoTime, Vec<Act>)>,
    /// What has reached it and was not handed over.
    pub(crate) inbox: Vec<Arrival>,
    /// When it was last let do what is due at one instant.
    pub(crate) settled: Option<WorldTime>,
}
