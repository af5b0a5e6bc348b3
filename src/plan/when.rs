//! When a fault begins.

use crate::name::Name;
use crate::time::WorldTime;

/// The beginning of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// At this world time, before anything else of that instant but the ends of other faults.
    At(WorldTime),
    /// Directly after this message was handled or this point was reached, before anything else.
    After(Name),
}
