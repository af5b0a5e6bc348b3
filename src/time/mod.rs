//! Time as integers: the kinds of time, their differences, and the clocks of one process.
//!
//! Must not read any real clock. Kinds do not mix: a `MonoTime` never compiles where a `WallTime` is
//! wanted. Read `clock.rs` for the conversion between world time and a process's local time.
//!
//! ```
//! use fencepost::time::{MonoTime, Span};
//! assert_eq!(MonoTime(7_000) - MonoTime(5_000), Span::from_ms(2));
//! ```
//! ```compile_fail,E0308
//! use fencepost::time::{MonoTime, WallTime};
//! let late = MonoTime(7_000) - WallTime(5_000); // Two clocks have no difference.
//! ```

mod clock;
mod process;
mod types;

pub use clock::Clock;
pub use process::{ClockKind, ProcessClocks};
pub use types::{MonoTime, Now, Span, UnixMs, WallTime, WorldTime};
