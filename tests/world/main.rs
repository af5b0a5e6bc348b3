//! The world and its seeded explorer, through scenario files, records and the public system.
//!
//! `story` turns a run into lines that tables compare; `faults`, `links`, `order`, `promises`, `workloads` and
//! `bounds`, `groups` and `connected` are such tables, `plans` and `groups_any` draw plans at random, `canonical` continues canonical systems, and
//! `scripted` and `steps` hold cores that tell what they were told; `counting` is a lock that counts and shares its holds, which
//! `second` tries, and `deadlock` has one that takes two locks in turn.

#![expect(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "tests look at a few facts and fail at once"
)]

mod bounds;
mod canonical;
mod connected;
mod counting;
mod deadlock;
mod faults;
mod groups;
mod groups_any;
mod links;
mod order;
mod plans;
mod promises;
mod scripted;
mod second;
mod steps;
mod story;
mod workloads;
