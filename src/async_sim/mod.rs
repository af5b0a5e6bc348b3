//! Lock code that nobody here wrote, unmodified, as clients of the same world.
//!
//! [`scenario`] is where to begin: it plays a scenario whose clients are somebody's code and judges it. Each client is a
//! process (`process/`) of real tokio, of madsim, or a thread that blocks; madsim answers the C library's clock and entropy
//! calls in all of them. `hub.rs` runs them for the explorer, `port.rs` is what a process and its runner share, [`Sim`] what its
//! code is given, `sockets.rs` the addresses of nodes for code that connects by itself; [`Driven`] drives a sans-IO core that
//! way. Must not contain Redis, lock or fault semantics: those live in `world`. It exists only under `--cfg madsim`; without the
//! cfg the crate does not build with the feature `async-sim` (see `lib.rs`), because madsim would then be real time in
//! disguise.

mod about;
mod blocking;
mod call;
mod clock;
mod driven;
mod driving;
mod hub;
mod labels;
mod port;
mod process;
mod sim;
mod sockets;
mod store;
mod stream;
mod trial;
mod wire;
mod workload;

pub use blocking::BlockingSim;
pub use call::{Hold, Inside, NotGranted};
pub use driven::{Driven, Grant};
pub use sim::Sim;
pub use store::{Store, StoreError};
pub use stream::Stream;
pub use trial::{Code, Trial, scenario, scenario_text};
pub use wire::Wire;
pub use workload::NotDriven;

use madsim::Config;
use madsim::runtime::Runtime;
use std::future::Future;

/// Drives `program` to its end in virtual time and returns what it returned. One seed is one run: the order of
/// ready tasks, random numbers and virtual clock readings repeat exactly.
///
/// Time passes only while every task waits, and then at once to the next timer. The virtual wall clock starts
/// at a moment drawn from the seed, so differences repeat and mean something; absolute readings only repeat.
///
/// # Panics
/// If `program` or a task it spawned panics, if all tasks wait for something that no timer will bring, or when
/// called inside another such runtime. `program` must not start a thread of the operating system.
pub fn block_on<F: Future>(seed: u64, program: F) -> F::Output {
    Runtime::with_seed_and_config(seed, Config::default()).block_on(program)
}
