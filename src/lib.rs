//! Fencepost: is a Redis distributed lock safe, under which assumptions, what is the smallest failing
//! schedule, and how does it compare with the alternatives.
//!
//! The crate runs real lock code against an in-process fake Redis deployment, judges what happened with
//! finite monitors, replays any failure exactly, and checks the same code exhaustively in small scopes.
//! Start reading at `world`; `ARCHITECTURE.md` is the map.

#[cfg(all(feature = "async-sim", madsim, tokio_unstable))]
pub mod async_sim;
pub mod canon;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod history;
pub mod lock;
pub mod name;
pub mod plan;
#[cfg(feature = "prove")]
pub mod prove;
pub mod redis;
#[cfg(feature = "cli")]
pub mod report;
pub mod resp;
pub mod scenario;
pub mod sim;
pub mod stats;
#[cfg(feature = "prove")]
pub mod test;
pub mod time;
pub mod world;

#[cfg(feature = "prove")]
pub use test::prove;

#[cfg(all(feature = "async-sim", not(all(madsim, tokio_unstable))))]
compile_error!(
    "the feature `async-sim` needs `--cfg madsim --cfg tokio_unstable`: put `[build] rustflags = [\"--cfg\", \"madsim\", \"--cfg\", \"tokio_unstable\"]` (and the same as rustdocflags) into .cargo/config.toml, and unset RUSTFLAGS and RUSTDOCFLAGS, which replace them"
);
