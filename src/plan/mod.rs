//! Plans: explicit lists of faults, message directives and order directives. Data, not a seed.
//!
//! Must not apply anything: the world does. A fault is an interval, never two entries; what it does is in
//! `fault.rs`, when it begins in `when.rs`; `profile.rs` is a distribution over plans.

mod directive;
mod fault;
mod profile;
mod quantiles;
mod when;

pub use directive::{Deferral, MessageDirective, MessageFate, OrderDirective, OrderTerm};
pub use fault::{CutHow, Death, Fault, FaultKind, Learn, PauseKind, PauseScope, WayCut};
pub use profile::{Between, Class, Failover, Harm, Hazard, OldPrimary, Pace, Profile, Slots};
pub use quantiles::{Quantile, Quantiles, QuantilesError};
pub use when::When;

use crate::time::Span;

/// All that a schedule does to its world.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// The faults, in the order of the file; their index is their identity.
    pub faults: Vec<PlannedFault>,
    /// What happens to single messages.
    pub messages: Vec<MessageDirective>,
    /// Which of two things due at one instant comes first.
    pub orders: Vec<OrderDirective>,
    /// Timers that fire later than they are due.
    pub deferrals: Vec<Deferral>,
}

/// One fault and its interval.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlannedFault {
    /// When it begins.
    pub when: When,
    /// How long it lasts; `None` to the end of the run, or for a fault that is over at once.
    pub lasts: Option<Span>,
    /// What it does.
    pub fault: Fault,
}

impl Plan {
    /// A plan in which nothing happens.
    pub const fn empty() -> Self {
        Self { faults: Vec::new(), messages: Vec::new(), orders: Vec::new(), deferrals: Vec::new() }
    }
}
