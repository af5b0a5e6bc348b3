//! The world: processes, clocks, links, faults, the store, and the clients that hold lock cores.
//!
//! It holds state only: no randomness, no history, no delivery times. It names what is enabled and says what
//! was sent; an explorer files delivery times and calls `System::advance` and `System::step`. Everything
//! that happens is emitted as a record. `setup.rs` is what a world is made from.

mod bounds;
mod canonical;
mod client;
mod driver;
mod event;
mod fault;
mod lane;
mod ledger;
mod outcome;
mod port;
mod scene;
mod server;
mod setup;
mod state;
mod system;
mod user;
mod watch;

pub use canonical::Renaming;
pub use event::{Draws, Event, Sent, TimerKind, Trail};
pub use lane::LaneId;
pub use setup::{
    Ack, ClientSetup, Connections, Holder, NodeSetup, OnTimeout, Persistence, Setup, StoreMode, StoreSetup,
    Task, Workload,
};
pub use system::{BackingFacts, System};
