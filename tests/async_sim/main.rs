//! Unmodified asynchronous and blocking code as clients of a simulated world, through the public door.
//!
//! One file per topic; `ground.rs` holds the world that most of them share. Must not measure real time: that virtual time
//! passes without real time is shown by how much of it passes.

mod cancellation;
mod clocks;
mod connections;
mod determinism;
mod doors;
mod ground;
mod lives;
mod lock;
mod odd;
mod on_both;
mod promises;
mod redis_rs;
mod refusals;
mod sockets;
mod told;
mod virtual_time;
