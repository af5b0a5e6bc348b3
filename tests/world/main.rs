//! The world and its seeded explorer, through scenario files, records and the public system.
//!
//! `story` turns a run into lines that tables compare; `faults`, `links`, `order`, `promises`, `workloads` and
//! `bounds` and `groups` are such tables, `plans` and `groups_any` draw plans at random, `canonical` continues canonical systems, and
//! `scripted` holds cores that tell what they were told.

#![expect(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "tests look at a few facts and fail at once"
)]

mod bounds;
mod canonical;
mod faults;
mod groups;
mod groups_any;
mod links;
mod order;
mod plans;
mod promises;
mod scripted;
mod story;
mod workloads;
