//! For the tests of whoever writes a lock: a core and a scope in, a passed or failed test out.
//!
//! [`prove()`] is re-exported at the root of the crate. `proving.rs` holds what can be asked, `world.rs` the world that
//! a core of any kind is put into, `told.rs` the text of a failed test. Must not judge: `prove` does.

mod proving;
mod told;
mod world;

pub use proving::{Proving, prove};
