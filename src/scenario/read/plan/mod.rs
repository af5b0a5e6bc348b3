//! `[[plan]]` entries as faults and directives. A list of targets becomes one fault for each.
//!
//! `entries.rs` goes through them, `interval.rs` says when each begins and how long it lasts, `targets.rs` who may
//! suffer what; `clock.rs`, `cut.rs` and `failover.rs` hold the faults with rules of their own, `directive.rs` what is
//! no fault. Must not apply anything.

mod clock;
mod cut;
mod directive;
pub(super) mod entries;
mod failover;
mod interval;
mod targets;
