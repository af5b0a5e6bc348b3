//! For the tests of whoever writes a lock: a core and a world in, a passed or failed test out.
//!
//! [`prove()`], re-exported at the root of the crate, exhausts a small scope. With the feature `cli`, [`scenario()`] plays
//! one scenario with a lock of one's own, [`hunt()`] runs many seeds under a profile of faults, [`sweep()`] goes through
//! all that is shipped beside the shipped lock, [`compare()`] makes a row of the comparison. A lock is given as the
//! closure that makes that of one client from its [`Terms`](crate::lock::Terms).
//!
//! `proving.rs` holds what can be proved, `world.rs` the world that a core of any kind is put into, `told.rs` the text of
//! a failed proof; `playing.rs`, `sweep.rs` and `comparing.rs` the others, `swept.rs` what a sweep came to, `steer.rs`
//! what the environment asks for. Must not judge: `prove` and `check` do.

#[cfg(feature = "cli")]
mod comparing;
#[cfg(feature = "cli")]
mod playing;
mod proving;
#[cfg(feature = "cli")]
mod steer;
#[cfg(feature = "cli")]
mod sweep;
#[cfg(feature = "cli")]
mod swept;
mod told;
mod world;

#[cfg(feature = "async-sim")]
pub(crate) use playing::{expecting, hunted};
#[cfg(feature = "async-sim")]
pub(crate) use steer::{Steer, command};

#[cfg(feature = "cli")]
pub use comparing::{Comparing, compare};
#[cfg(feature = "cli")]
pub use playing::{Play, Playing, hunt, scenario, scenario_text};
pub use proving::{Proving, prove};
#[cfg(feature = "cli")]
pub use sweep::{Sweep, sweep};
#[cfg(feature = "cli")]
pub use swept::{Counts, Ended, Lapse, Swept};
