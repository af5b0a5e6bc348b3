//! The world: processes, clocks, links, faults, the store, and the clients that hold lock cores.
//!
//! It holds state only: no randomness, no history, no delivery times. It names what is enabled and says what
//! was sent; an explorer files delivery times and calls `System::advance` and `System::step`. Everything
//! that happens is emitted as a record. `setup.rs` is what a world is made from.
//! `group.rs`, `feed.rs`, `replica.rs`, `failover.rs` and `route.rs` are the nodes of one voter, their links, what
//! travels on them, what changes their parts, and which of them clients address. `serve.rs` and `seat.rs` are what a
//! node does with a command, and what it keeps of a connection. `outside.rs` is the port of clients whose code runs
//! elsewhere.

mod act;
mod bounds;
mod canonical;
mod client;
mod counts;
mod driver;
mod event;
mod failover;
mod fault;
mod feed;
mod fixed;
mod good;
mod group;
mod lane;
mod ledger;
mod nested;
mod outcome;
mod outside;
mod port;
mod pulse;
mod replica;
mod route;
mod scene;
mod seat;
mod serve;
mod server;
mod setup;
mod state;
mod system;
mod tally;
mod ticks;
mod user;
mod votes;
mod wait;
mod watch;

pub use act::{Act, Answer, Arrival, Ask, Impossible};
pub use canonical::Renaming;
pub use event::{
    Draws, Event, GroupEvent, Leg, Lesson, NodeTimer, ParcelKind, Readiness, Sent, Shipment, StreamId,
    Stretch, TimerKind, Trail, Way,
};
pub use lane::{Carries, LaneId};
pub use setup::{
    Ack, ClientSetup, Connections, DiskSetup, Extend, Holder, Length, MinReplicas, Nested, NodeSetup,
    OfflineQueue, OnTimeout, Persistence, ReplicaSetup, Setup, StoreMode, StoreSetup, Task, Workload,
};
pub use system::{BackingFacts, System};
pub use ticks::{Asked, Place};
